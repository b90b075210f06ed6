#!/usr/bin/env bash
# Installs sections of python/requirements.txt, in the versions and with the hashes that it names.
#   python/wheel/pinned.sh PYTHON SECTION...
# PINNED_SOURCES=1 compiles what comes as sources, with what is installed.
# Code 77: they cannot be had here; code 1: a file is not the one that was pinned.
set -euo pipefail
python=$1
shift
chosen=$(mktemp)
trap 'rm -f "$chosen" "$chosen.log"' EXIT
awk -v wanted=" $* " '/^# \[/ { name = $2; gsub(/[][]/, "", name); keep = index(wanted, " " name " ") } keep' \
  "$(dirname "${BASH_SOURCE[0]}")/../requirements.txt" > "$chosen"
form=(--only-binary :all:)
[ -z "${PINNED_SOURCES:-}" ] || form=(--no-build-isolation)
if ! "$python" -m pip --quiet --disable-pip-version-check install --require-hashes "${form[@]}" --retries 1 \
  --requirement "$chosen" > "$chosen.log" 2>&1; then
  cat "$chosen.log" >&2
  ! grep -q 'DO NOT MATCH THE HASHES' "$chosen.log" || exit 1
  echo "pip could not install what python/requirements.txt has in $* (is there a network?)" >&2
  exit 77
fi
