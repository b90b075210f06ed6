#!/usr/bin/env bash
# Builds the documentation site into build/docs/html, with the functions of a wheel around a library.
#   python/docs.sh LIBDETOPS
# Code 77: pip cannot install what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$(python/wheel/build.sh "$1" build/python/wheel)
"$python" -m pip show --quiet torch 2> /dev/null ||
  { echo "the pages of detops.torch need PyTorch, which pip could not install here" >&2; exit 77; }
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/python/wheel/*.whl
python/wheel/framework.sh "$python" build/docs/packages test docs
PYTHONPATH=$PWD/build/docs/packages "$python" docs/site/pages.py build/docs
"$python" docs/site/look.py build/docs/html
