"""Opens pages of the built site in a browser without a screen: python docs/site/look.py FOLDER.

FOLDER holds the versions. Texts that must be there are looked for after all scripts have run; pictures
of the pages are left in FOLDER/../screenshots for people.
"""

import functools
import http.server
import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

PAGES = {
    "index.html": ["Same input, same bits", "_images/compare.svg", "Coming from spconv", "<option>{version}</option>"],
    "include/mlu_op/psroipool.h.html": ["mluOpPsRoiPoolForward", "Checked in this order", "spatial_scale is not finite"],
    "python_api/detops.html": ["indice_convolution_forward", "Parameters", "Keep boxes in the order of their scores"],
    "search.html?q=mluOpPsRoiPoolForward": ["include/mlu_op/psroipool.h.html"],
}


def main() -> int:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("the site was not looked at: no chromium")
        return 0
    folder = Path(sys.argv[1]).resolve()
    version = json.loads((folder / "versions.json").read_text())[0]
    pictures = folder.parent / "screenshots"
    pictures.mkdir(exist_ok=True)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    handler.func.log_message = lambda *_: None  # type: ignore[method-assign]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=8000"]
    problems = 0
    for page, texts in PAGES.items():
        address = f"http://127.0.0.1:{server.server_port}/{version}/{page}"
        dom = subprocess.run([*command, "--dump-dom", address], capture_output=True, text=True, timeout=120).stdout
        for text in (text.format(version=version) for text in texts):
            if text not in dom:
                print(f"{page}: there is no {text!r}", file=sys.stderr)
                problems += 1
        picture = pictures / f"{page.partition('.html')[0].replace('/', '_')}.png"
        picture.unlink(missing_ok=True)
        subprocess.run([*command, "--window-size=1400,1500", f"--screenshot={picture}", address], capture_output=True, timeout=120)
        if not picture.exists():
            print(f"{page}: no picture", file=sys.stderr)
            problems += 1
    print(f"{len(PAGES)} pages looked at, {problems} problems; pictures: {pictures}")
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main())
