"""Changes the library in small ways, one at a time, and asks whether a test notices: ./dev mutate [FILE...]

The build of the preset "mutation" is only read. A mutant is a changed copy of one file: the objects that depend on
it are compiled from the copy, linked with the others to a library of its own, and the tests run with that one. The
tests of the file's own room come first, the quick before the slow; the first that fails ends it. Results are kept
in build/mutation/results.jsonl, so a run that was interrupted goes on where it was. A mutant is tried again if its
file has changed, or if it survived and --again is given.
"""
import argparse
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mutants as source

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/mutation"
BIN = BUILD / "bin"
RESULTS = BUILD / "results.jsonl"
TIMES = BUILD / "times.json"
EQUIVALENTS = Path(__file__).with_name("equivalent.txt")
MEMORY_KB = 12 << 20  # what a test may reserve with a mutant; without one they need less
SLOW_SECONDS = 5.0  # tests that need more processor time are asked about their own room only
QUICK_SECONDS = 1.1  # what --quick calls a quick test
LIBRARY = "lib/" + (BUILD / "lib/libdetops.so").resolve().name  # the name that the link leads to
INTERNAL = {path.stem for folder in ("boxes", "core", "recording", "simd", "sparse")
            for path in (ROOT / "src" / folder).rglob("*_test.cc")}
LEFT_OUT = {"range_test", "soak_test"}  # too long to be asked about a mutant


def output_of(*command):
    return subprocess.run(command, cwd=BUILD, check=True, capture_output=True, text=True).stdout


def test_command(program):
    arguments = ["--gtest_brief=1", "--gtest_fail_fast"]
    if program.name.endswith("_fuzz"):
        arguments = [str(ROOT / "fuzz/corpus" / (program.name + ".hex"))]
    elif program.name == "golden_test":
        arguments.append("--file=" + str(ROOT / "tests/golden/hashes.txt"))
    return [str(program)] + arguments


def run_test(program, folder, library, seconds):
    """(whether the test passes, its processor time). It may use more than five times `seconds`; what hangs fails."""
    limit = int(10 + 5 * seconds)
    environment = dict(os.environ, DETOPS_FUZZ_CALLS=str(folder / "calls"))
    if library is not None:
        environment["LD_PRELOAD"] = str(library)
    limited = ["sh", "-c", 'ulimit -c 0 -t %d -v %d; exec "$@"' % (limit, MEMORY_KB), "sh"]
    process = subprocess.Popen(limited + test_command(program), cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    # Not by the clock: a machine that stops us both for a while must not look like a test that hangs.
    pause, slept = 0.005, 0.0
    while slept < 10 * limit:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            process.returncode = status  # Popen must not wait for it again
            return status == 0, usage.ru_utime + usage.ru_stime
        time.sleep(pause)
        slept += pause
        pause = min(0.2, pause * 1.5)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return False, limit


class Build:
    """What the build directory knows: how objects are compiled, which depend on a file, how programs are linked."""

    def __init__(self):
        self.compile = {}  # object: (command, source)
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            name = words[words.index("-o") + 1]
            self.compile[name] = (words, os.path.relpath(entry["file"], ROOT))
        self.needs = {}  # object: files
        for block in output_of("ninja", "-t", "deps").split("\n\n"):
            lines = block.splitlines()
            if lines:
                self.needs[lines[0].split(":")[0]] = {os.path.normpath(BUILD / line.strip()) for line in lines[1:]}
        programs = [path for path in sorted(BIN.iterdir()) if os.access(path, os.X_OK)]
        self.tests = [path.name for path in programs if path.name not in LEFT_OUT]
        self.links = {}
        self.times = {}
        self.most_seconds = float("inf")  # of a test that is asked

    def objects_of(self, file):
        """The objects that depend on a file: (those of the library, {test of internals: its own})."""
        found = [name for name in self.compile if str(ROOT / file) in self.needs.get(name, ())]
        library = [name for name in found if "/detops_objects.dir/" in name]
        internal = {Path(self.compile[name][1]).stem: name for name in found}
        return library, {test: name for test, name in internal.items() if test in INTERNAL and test in self.tests}

    def link_command(self, target):
        if target not in self.links:
            command = output_of("ninja", "-t", "commands", target).splitlines()[-1]
            self.links[target] = shlex.split(next(part for part in command.split(" && ") if " -o " in part))
        return self.links[target]

    def tests_of(self, file):
        """The tests of the shared library that are asked about a file, in this order."""
        parts = Path(file).parts  # src/ops/<room>/..., src/<folder>/...
        word = parts[2] if parts[1] == "ops" else Path(file).stem.replace("_api", "") if parts[1] == "capi" else parts[1]
        tests = [name for name in self.tests if name not in INTERNAL and self.times[name] <= self.most_seconds]
        tests.sort(key=self.times.get)
        own = [name for name in tests if word in name]
        others = [name for name in tests if name not in own and self.times[name] <= SLOW_SECONDS]
        if "/ops/" in file:  # what knows all operators
            general = r"contract|properties|no_memory|callers|allocation_failure|bad_input|gen_case|log_"
            others = [name for name in others if re.match(general, name)]
        first = [name for name in own if self.times[name] <= QUICK_SECONDS]
        return first + [name for name in tests if name in own + others and name not in first]


class Place:
    """A folder for one mutant at a time."""

    def __init__(self, build, name):
        self.build = build
        self.folder = BUILD / "mutants" / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.changed = None
        self.objects = {}  # object of the build: its replacement

    def set(self, file, text):
        if self.changed is not None:
            self.changed.unlink()
        self.changed = self.folder / file
        self.changed.parent.mkdir(parents=True, exist_ok=True)
        self.changed.write_text(text)
        self.objects = {}

    def compile(self, name):
        if name not in self.objects:
            words, file = self.build.compile[name]
            words = words[1:] if words[0].endswith("ccache") else list(words)
            new = str(self.folder / name.replace("/", "_"))
            words[words.index("-o") + 1] = new
            changed = str(self.folder / file)
            if changed == str(self.changed):
                words = [changed if word == str(ROOT / file) else word for word in words]
            # The changed header is found before the real one. Warnings are errors elsewhere, not here.
            words[1:1] = ["-I" + str(self.folder / "src")]
            words = [word for word in words if word != "-Werror"] + ["-w", "-O1"]
            if subprocess.run(words, cwd=BUILD, capture_output=True).returncode != 0:
                return False
            self.objects[name] = new
        return True

    def link(self, target):
        words = [word for word in self.build.link_command(target) if word not in self.objects]
        # In front: of an inline function that several objects have, the linker takes the first.
        first = next(place for place, word in enumerate(words) if word.endswith(".o"))
        needed = set(self.build.link_command(target)) & set(self.objects)
        words[first:first] = [self.objects[name] for name in sorted(needed)]
        new = self.folder / Path(target).name
        words[words.index("-o") + 1] = str(new)
        subprocess.run(words, cwd=BUILD, check=True, capture_output=True)
        return new

    def notices(self, test, library=None):
        program = BIN / test if library is not None else self.link("bin/" + test)
        return not run_test(program, self.folder, library, self.build.times[test])[0]

    def try_mutant(self, mutant):
        """("killed", "survived" or "invalid", the test that noticed)"""
        self.set(mutant.file, mutant.apply((ROOT / mutant.file).read_text()))
        library, internal = self.build.objects_of(mutant.file)
        # A header that half of the library includes: its own test alone is compiled first, and mostly enough.
        own = Path(mutant.file).stem + "_test"
        if own in internal:
            if not self.compile(internal[own]):
                return "invalid", ""
            if self.notices(own):
                return "killed", own
        if not all(self.compile(name) for name in library):
            return "invalid", ""
        if mutant.file.endswith(".cc") and own in INTERNAL and self.notices(own):
            return "killed", own
        for test in sorted(internal, key=self.build.times.get):
            if test != own and (not self.compile(internal[test]) or self.notices(test)):
                return "killed", test
        shared = self.link(LIBRARY)
        for test in self.build.tests_of(mutant.file):
            if self.notices(test, shared):
                return "killed", test
        return "survived", ""


def control(build, files):
    """Every test once, with a library that was made as mutants are, from unchanged files: nothing may fail."""
    library_hash = hashlib.sha256((BUILD / LIBRARY).read_bytes()).hexdigest()
    known = json.loads(TIMES.read_text()) if TIMES.exists() else {}
    keys = {test: "%s %s %d" % (test, library_hash[:12], (BIN / test).stat().st_mtime) for test in build.tests}
    wanted = [test for test in build.tests if keys[test] not in known]
    if wanted:
        print("control: %d tests with unchanged files" % len(wanted), flush=True)
        place = Place(build, "control")
        library = place.folder / (library_hash[:12] + ".so")
        if not library.exists():
            for name in (name for file in files if file.endswith(".cc") for name in build.objects_of(file)[0]):
                assert place.compile(name), "%s does not compile unchanged" % name
            place.link(LIBRARY).rename(library)
        failed = []
        for test in wanted:
            passed, seconds = run_test(BIN / test, place.folder, None if test in INTERNAL else library, 200)
            known[keys[test]] = round(seconds, 2)
            failed += [] if passed else [test]
        if failed:
            raise SystemExit("without any mutant these tests fail: " + " ".join(failed))
        TIMES.write_text(json.dumps(known, indent=1))
    build.times = {test: known[keys[test]] for test in build.tests}


def load_results(hashes):
    """{id of a mutant: its last result}, of files that have not changed since."""
    results = {}
    for line in RESULTS.read_text().splitlines() if RESULTS.exists() else []:
        result = json.loads(line)
        if hashes.get(result["file"]) == result["hash"]:
            results[result["id"]] = result
    return results


def report(chosen, results, equivalents):
    """Prints the table by file and what survived; returns the part that was killed."""
    used, survivors, total = set(), [], Counter()
    print("%-74s %7s %8s %6s" % ("file", "counted", "killed", "equal"))
    for file in sorted({mutant.file for mutant in chosen}):
        counts = Counter()
        for mutant in (mutant for mutant in chosen if mutant.file == file):
            state = results[mutant.id]["result"] if mutant.id in results else "missing"
            entry = (mutant.file, mutant.before, mutant.after)
            if entry in equivalents:
                used.add(entry)
                # A test that notices it refutes the entry.
                if state == "killed":
                    print("not equivalent, was noticed: %s:%d" % (mutant.file, mutant.line))
                state = "equivalent" if state == "survived" else state
            counts[state] += 1
            if state == "survived":
                survivors.append(mutant)
        total += counts
        counted = counts["killed"] + counts["survived"]
        print("%-74s %7d %8d %6d" % (file, counted, counts["killed"], counts["equivalent"]))
    for mutant in survivors:
        print("\n%s:%d survived (%s)" % (mutant.file, mutant.line, mutant.kind))
        print("  - %s\n  + %s" % (mutant.before, mutant.after))
    files = {mutant.file for mutant in chosen}
    for entry in equivalents:
        if entry[0] in files and entry not in used:
            print("\n%s: no such mutant is in the sample:\n  - %s\n  + %s\n" % ((EQUIVALENTS.name,) + entry))
    counted = total["killed"] + total["survived"]
    score = total["killed"] / max(counted, 1)
    print("\n%d mutants: %d do not compile, %d equivalent, %d not tried; %d of %d killed, %.1f %%" % (
        len(chosen), total["invalid"], total["equivalent"], total["missing"], total["killed"], counted, 100 * score))
    return score


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="only these files of the scope")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at a time")
    parser.add_argument("--again", action="store_true", help="try survivors once more, unless proved equivalent")
    parser.add_argument("--quick", action="store_true", help="ask quick tests only; --again asks the others")
    parser.add_argument("--list", action="store_true", help="print the mutants and their results, try none")
    options = parser.parse_args()

    chosen = []
    for _, file, count in source.scope(ROOT):
        if not options.files or file in options.files:
            chosen += source.sample(source.mutants_of(ROOT, file), count)
    files = list(dict.fromkeys(mutant.file for mutant in chosen))
    hashes = {file: source.digest((ROOT / file).read_text()) for file in files}
    equivalents = source.read_equivalents(EQUIVALENTS)
    results = load_results(hashes)
    if options.list:
        for mutant in chosen:
            result = results.get(mutant.id, {"result": "not tried", "by": ""})
            print("%s:%d %s\n  - %s\n  + %s\n  %s %s" % (mutant.file, mutant.line, mutant.kind, mutant.before,
                                                        mutant.after, result["result"], result["by"]))
        return 0

    build = Build()
    control(build, files)
    if options.quick:
        build.most_seconds = QUICK_SECONDS
    lock = threading.Lock()
    places = [Place(build, str(number)) for number in range(options.jobs)]
    proved = lambda mutant: (mutant.file, mutant.before, mutant.after) in equivalents
    again = lambda mutant: options.again and results[mutant.id]["result"] == "survived" and not proved(mutant)
    todo = [mutant for mutant in chosen if mutant.id not in results or again(mutant)]
    # A mutant of every file before the second of any: an interrupted run says something about all of them.
    position = Counter()
    order = {}
    for mutant in todo:
        order[mutant.id] = position[mutant.file]
        position[mutant.file] += 1
    done = Counter()

    def work(mutant):
        with lock:
            place = places.pop()
        began = time.monotonic()
        result, test = place.try_mutant(mutant)
        record = {"id": mutant.id, "file": mutant.file, "hash": hashes[mutant.file], "line": mutant.line,
                  "kind": mutant.kind, "before": mutant.before, "after": mutant.after, "result": result, "by": test}
        with lock:
            places.append(place)
            results[mutant.id] = record
            with RESULTS.open("a") as stream:
                stream.write(json.dumps(record) + "\n")
            done[result] += 1
            print("[%d/%d] %3.0f s %-8s %s:%d %s" % (sum(done.values()), len(todo), time.monotonic() - began, result,
                                                     mutant.file, mutant.line, test), flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(work, mutant) for mutant in sorted(todo, key=lambda mutant: order[mutant.id])]
        try:
            for future in futures:
                future.result()
        finally:  # an interrupt ends after those that are under way
            pool.shutdown(cancel_futures=True)
    return 0 if report(chosen, results, equivalents) >= 0.9 else 1


if __name__ == "__main__":
    raise SystemExit(main())
