#!/bin/bash -eu
# Builds the fuzz targets where OSS-Fuzz and ClusterFuzzLite build: with their compilers, flags and engine ($CC, $CXX,
# $CFLAGS, $CXXFLAGS, $LIB_FUZZING_ENGINE) from $SRC through $WORK into $OUT. Arguments choose targets (try.sh).
source=$SRC/detops
# As in cmake/detops_compile_options.cmake: callers may pass any number as an enumerator, and tensors at any address. The
# library has no types at run time, which the check of virtual tables needs.
export CFLAGS="$CFLAGS -fno-sanitize=enum,alignment" CXXFLAGS="$CXXFLAGS -fno-sanitize=enum,alignment,vptr"
mkdir -p "$OUT/lib"

# Highway in the same compiler's words, as a part of the library: the machines that run the targets have none.
cmake -S "$SRC/highway" -B "$WORK/highway" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$WORK/prefix" \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
  -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF
cmake --build "$WORK/highway" --target install

# Build type None: optimisation and debug information are chosen by the flags above.
export PKG_CONFIG_LIBDIR=$WORK/prefix/lib/pkgconfig
# shellcheck disable=SC2016  # the loader, not this shell, replaces $ORIGIN
cmake -S "$source" -B "$WORK/detops" -G Ninja -DCMAKE_BUILD_TYPE=None -DDETOPS_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DDETOPS_BUILD_FUZZERS=ON -DDETOPS_FEW_TARGETS=ON -DDETOPS_BUILD_TESTS=OFF -DDETOPS_BUILD_BENCHMARKS=OFF \
  -DDETOPS_BUILD_EXAMPLES=OFF -DDETOPS_BUILD_PROGRAM=OFF -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON \
  -DCMAKE_INSTALL_RPATH='$ORIGIN/lib'
cmake --build "$WORK/detops" ${1:+--target "$@"}
cp -L "$WORK"/detops/lib/libdetops.so.[0-9] "$OUT/lib/"

for target in "$WORK"/detops/bin/*_fuzz; do
  name=$(basename "$target")
  cp "$target" "$OUT/"
  # What is kept of earlier runs is where a run begins.
  rm -rf "${WORK:?}/$name" "$OUT/${name}_seed_corpus.zip"
  python3 "$source/fuzz/corpus.py" unpack "$source/fuzz/corpus/$name.hex" "$WORK/$name"
  (cd "$WORK/$name" && zip --quiet --recurse-paths "$OUT/${name}_seed_corpus.zip" .)
  printf '[libfuzzer]\nrss_limit_mb = 4096\ntimeout = 60\n' > "$OUT/$name.options"
done
