#!/usr/bin/env bash
# What a container of cibuildwheel lacks: Highway, whose packages there are too old. Static, so that it becomes a part of
# the library.
set -euo pipefail
version=1.0.7

sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
git clone --quiet --depth 1 --branch $version https://github.com/google/highway "$sources/highway"
cmake -S "$sources/highway" -B "$sources/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DHWY_ENABLE_EXAMPLES=OFF \
  -DHWY_ENABLE_CONTRIB=OFF
cmake --build "$sources/build" --parallel "$(nproc)" --target install
