#!/usr/bin/env bash
# Installs a framework and what it imports into a folder of its own, unless it is there: sections of requirements.txt.
#   python/wheel/framework.sh PYTHON FOLDER SECTION...
# Code 77: it cannot be had here; code 1: a file is not the one that was pinned.
set -euo pipefail
python=$1 folder=$2
shift 2
here=$(dirname "${BASH_SOURCE[0]}")
wanted="$* $(sha256sum < "$here/../requirements.txt")"
[ "$(cat "$folder/.pinned" 2> /dev/null)" != "$wanted" ] || exit 0
rm -rf "$folder"
export PIP_TARGET=$folder PIP_NO_DEPS=1
"$here/pinned.sh" "$python" "$@"
! grep -q "^# \[${*: -1}_compiled\]" "$here/../requirements.txt" ||
  PINNED_SOURCES=1 "$here/pinned.sh" "$python" "${*: -1}_compiled"
echo "$wanted" > "$folder/.pinned"
