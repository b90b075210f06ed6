#!/usr/bin/env bash
# Installs a wheel into a fresh virtual environment and runs the tests of the Python package there; then those of
# detops.torch in an environment with PyTorch, if there is one for this Python.
#   python/run_tests.sh [LIBDETOPS | WHEEL [PYTEST ARGUMENTS]]     default: build/release/lib/libdetops.so
# Around a library a wheel is built first. PYTHON=python3.12 chooses the interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
subject=${1:-build/release/lib/libdetops.so}
[ $# -eq 0 ] || shift
arguments=("$@")

pip_install() { "$1" -m pip install --quiet --disable-pip-version-check --no-deps "${@:2}"; }
# Packages in fixed versions, from sections of requirements.txt. One that is not what was pinned ends everything.
pinned() {
  local code=0
  python/wheel/pinned.sh "$@" || code=$?
  [ "$code" != 1 ] || exit 1
  return "$code"
}
run_pytest() {
  local code=0
  "$1" -m pytest -q -p no:cacheprovider "${arguments[@]}" "${@:2}" || code=$?
  # A choice of tests (-k) may leave none for one of the two environments.
  [ "$code" = 5 ] && [ ${#arguments[@]} -gt 0 ] || return "$code"
}

# Code 77: what the tests need cannot be had here (no network, an old index); nothing was tested.
if [[ $subject == *.whl ]]; then
  wheel=$subject
  with_torch=$(python/wheel/build.sh) || exit $?
else
  with_torch=$(python/wheel/build.sh "$subject" build/python/wheel) || exit $?
  wheel=$(echo build/python/wheel/*.whl)
fi

# The same wheel must serve where there is no torch.
rm -rf build/python/venv
"${PYTHON:-python3}" -m venv build/python/venv
python=$PWD/build/python/venv/bin/python
# ml_dtypes and matplotlib may be missing for a new Python; what needs them is skipped then.
pinned "$python" build test plots || pinned "$python" build test || exit 77
pip_install "$python" "$wheel"
run_pytest "$python" --ignore=python/tests/with_torch python/tests

if ! "$with_torch" -m pip show --quiet torch 2> /dev/null; then
  echo "tests with PyTorch skipped: it could not be installed"
  exit 0
fi
pinned "$with_torch" build test plots || pinned "$with_torch" build test || exit 77
# The real spconv, which detops.spconv is compared with; there is no wheel of it for each Python and machine.
pinned "$with_torch" build spconv ||
  echo "tests beside the real spconv skipped: spconv 2.3.8 could not be installed"
# framework FOLDER VARIABLE SECTION...: real ones, in folders of their own: other tests must not see them.
framework() {
  local code=0
  python/wheel/framework.sh "$with_torch" "$1" "${@:3}" || code=$?
  [ "$code" != 1 ] || exit 1
  if [ "$code" = 0 ]; then
    export "$2=$1"
  else
    echo "tests with ${*: -1} skipped: pip could not install what they need"
  fi
}
framework "$PWD/build/python/mmcv_lite" DETOPS_TEST_MMCV_LITE mmengine mmcv
framework "$PWD/build/networks/mmdet3d" DETOPS_TEST_MMDET3D mmengine mmcv detectors mmdet3d
# Not the folder that all programs of a user share: one that was killed may have left half a file there.
export TORCHINDUCTOR_CACHE_DIR=$PWD/build/python/inductor
# These tests are many and slow: two at a time, where that can be had.
pinned "$with_torch" build test parallel && parallel=(-n 2) || parallel=()
pip_install "$with_torch" --force-reinstall "$wheel"
run_pytest "$with_torch" "${parallel[@]}" python/tests/with_torch python/tests/test_package.py
