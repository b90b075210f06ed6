#!/usr/bin/env bash
# Runs networks of python -m detops.networks and writes docs/networks.md. Rows of those that were not run stay.
#   python/networks.sh LIBDETOPS [CHECKOUT...] [OPTION...]
# Checkouts are source trees of OpenPCDet, mmrotate, CenterPoint, in any order; options are those of detops.networks.
# Frameworks come in the versions of requirements.txt, those that exclude each other into folders of their own.
# Code 77: pip cannot install PyTorch here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
library=$1
shift
words=()
for word in "$@"; do
  if [ -d "$word" ]; then words+=(--checkout "$(realpath "$word")"); else words+=("$word"); fi
done

python=$(python/wheel/build.sh "$library" build/python/wheel)
"$python" -m pip show --quiet torch 2> /dev/null ||
  { echo "networks need PyTorch, which pip could not install here" >&2; exit 77; }
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/python/wheel/*.whl

mkdir -p build/networks
code=0
# run "SECTION..." FRAMEWORK...: the frameworks beside packages of these sections.
run() {
  local folder=build/networks/${1##* } sections
  read -ra sections <<< "$1"
  python/wheel/framework.sh "$python" "$folder" "${sections[@]}" ||
    { echo "${*:2} skipped: pip could not install what they need" >&2; return 0; }
  PYTHONPATH=$PWD/$folder "$python" -m detops.networks "${@:2}" "${words[@]}" --json docs/networks.json \
    --page docs/networks.md || code=$?
}
# run_checkout FOLDER "SECTION..." FRAMEWORK: if a checkout has the folder.
run_checkout() {
  local word
  for word in "${words[@]}"; do
    if [ -d "$word/$1" ]; then
      run "${@:2}"
      return
    fi
  done
  echo "$3: no checkout of it was named, its rows stay as they are" >&2
}
run "mmengine mmcv detectors mmdet3d" mmdet3d spconv torchvision
run_checkout mmrotate/models "mmengine detectors mmrotate" mmrotate
run_checkout pcdet/models "mmengine detectors openpcdet" openpcdet
run_checkout det3d/models "mmengine detectors centerpoint" centerpoint
exit $code
