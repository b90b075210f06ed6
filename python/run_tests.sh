#!/usr/bin/env bash
# Builds the wheel around an already built library, installs it into a fresh virtual environment and runs all tests of
# the Python package there.
#   python/run_tests.sh [LIBDETOPS [PYTEST ARGUMENTS]]     default: build/release/lib/libdetops.so
# PYTHON=python3.12 chooses the interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
library=$(realpath "${1:-build/release/lib/libdetops.so}")
[ $# -eq 0 ] || shift

work=build/python
rm -rf "$work/venv" "$work/wheel"
"${PYTHON:-python3}" -m venv "$work/venv"
python=$PWD/$work/venv/bin/python
# Code 77: what the tests need cannot be had here (no network, an old index); nothing was tested.
"$python" -m pip install --quiet --disable-pip-version-check \
  "scikit-build-core>=1.1" "nanobind>=3.1" "numpy>=1.23" pytest hypothesis mypy || exit 77
# For bfloat16, where there is one; its tests are skipped otherwise.
"$python" -m pip install --quiet --disable-pip-version-check ml_dtypes || true
# Only nanobind and the extension are compiled, and the former stays for the next time.
tag=$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$work/wheel" \
  --config-settings=build-dir="$work/$tag" --config-settings=cmake.define.DETOPS_PREBUILT_LIBRARY="$library" .
"$python" -m pip install --quiet --disable-pip-version-check --no-deps "$work"/wheel/*.whl
exec "$python" -m pytest -q -p no:cacheprovider "$@" python/tests
