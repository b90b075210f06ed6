#!/usr/bin/env bash
# Builds the wheel around an already built library, with the operators for PyTorch if pip can install it here.
#   python/wheel/build.sh [LIBDETOPS FOLDER]     without arguments only the environment is made
# Prints the interpreter of the environment, build/wheel/<python>/venv. It stays for the next time: PyTorch takes a
# gigabyte. PYTHON=python3.12 chooses another Python. Code 77: pip cannot install what the build needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

"${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "detops needs Python 3.10 or later, ${PYTHON:-python3} is $("${PYTHON:-python3}" --version 2>&1)" >&2
  exit 1
}
[ $# -eq 0 ] || [ -f "$1" ] || { echo "there is no library $1; build it: ./dev build" >&2; exit 1; }
torch=2.13.0
work=$PWD/build/wheel/$("${PYTHON:-python3}" -c 'import sys; print(sys.implementation.cache_tag)')
python=$work/venv/bin/python
pip() { "$python" -m pip --quiet --disable-pip-version-check "$@" >&2; }

if ! "$python" -m pip --version > /dev/null 2>&1; then
  rm -rf "$work/venv"
  "${PYTHON:-python3}" -m venv "$work/venv"
fi
python/wheel/pinned.sh "$python" build || exit $?

install_torch() {
  python/wheel/pinned.sh "$python" build torch || return $?
  # Without a graphics card's libraries, which are larger by gigabytes: some indexes have that, torch's own surely. Only
  # its version is fixed: a build that an index makes for itself has hashes of its own.
  pip install --no-deps "torch==$torch+cpu" || pip install --no-deps --retries 1 \
    --index-url https://download.pytorch.org/whl/cpu "torch==$torch+cpu"
}
if ! "$python" -c "from importlib.metadata import version; assert version('torch') == '$torch+cpu'" 2> /dev/null; then
  echo "installing PyTorch $torch into $work/venv" >&2
  install_torch 2> "$work/torch.log" ||
    echo "PyTorch $torch cannot be installed here, building without its operators (see $work/torch.log)" >&2
fi

if [ $# -gt 0 ]; then
  rm -rf "$2"
  # Only the bindings and nanobind are compiled; what is up to date in the build folder is used again.
  pip wheel --no-deps --no-build-isolation --wheel-dir "$2" --config-settings=build-dir="$work/build" \
    --config-settings=cmake.define.DETOPS_PREBUILT_LIBRARY="$(realpath "$1")" .
fi
echo "$python"
