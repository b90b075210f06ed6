#!/usr/bin/env bash
# Runs build.sh as OSS-Fuzz does, with this machine's clang and without its containers:
#   fuzz/oss-fuzz/try.sh HIGHWAY [TARGET...]     HIGHWAY: a folder with the sources of Highway 1.0.3 or later
# Then each target runs for ten seconds. SANITIZER=undefined chooses another than address. Results: build/oss-fuzz/out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
highway=$(realpath "${1:?which folder has the sources of Highway?}")
[ -f "$highway/hwy/highway.h" ] || { echo "no hwy/highway.h in $highway" >&2; exit 1; }
shift
work=$PWD/build/oss-fuzz/${SANITIZER:=address}
mkdir -p "$work/src" "$work/work" "$work/out"
ln -sfn "$PWD" "$work/src/detops"
ln -sfn "$highway" "$work/src/highway"

case $SANITIZER in
  address) checks="-fsanitize=address -fsanitize-address-use-after-scope" ;;
  undefined)
    checks=-fsanitize=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return
    checks+=,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr
    checks+=" ${checks/-fsanitize/-fno-sanitize-recover}" ;;
  *) echo "SANITIZER is $SANITIZER, expected address or undefined" >&2; exit 1 ;;
esac
flags="-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION $checks"
env SRC="$work/src" WORK="$work/work" OUT="$work/out" CC="${CC:-clang-19}" CXX="${CXX:-clang++-19}" \
  CFLAGS="$flags -fsanitize=fuzzer-no-link" CXXFLAGS="$flags -fsanitize=fuzzer-no-link" \
  LIB_FUZZING_ENGINE=-fsanitize=fuzzer fuzz/oss-fuzz/build.sh "$@"

for target in "$work"/out/*_fuzz; do
  rm -rf "$target.corpus" && mkdir "$target.corpus"
  unzip -q "${target}_seed_corpus.zip" -d "$target.corpus"
  "$target" -max_total_time=10 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 "$target.corpus" > "$target.log" 2>&1 ||
    { tail -n 40 "$target.log" >&2; exit 1; }
  echo "$(basename "$target"): $(awk '/stat::number_of_executed_units/ { print $2 }' "$target.log") inputs"
done
