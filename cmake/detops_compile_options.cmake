# Compile options of everything in the project: detops_options for all, detops_kernel_options for the library.

add_library(detops_options INTERFACE)
target_compile_options(detops_options INTERFACE -Wall -Wextra -Wshadow -Wundef -Wvla -Wpointer-arith)
if(DETOPS_WERROR)
  target_compile_options(detops_options INTERFACE -Werror)
endif()

# "a * b + c" must not become one rounding on some targets and two on others: decisions would differ. Fused
# multiplication appears only where a kernel says MulAdd.
target_compile_options(detops_options INTERFACE -ffp-contract=off)

if(WIN32)
  # With the compiler's runtime inside: nothing of mingw has to be installed.
  target_link_options(detops_options INTERFACE -static)
  # Whole vectors on the stack: gcc reads and writes them as if it were aligned to 32 and 64 bytes, where the system
  # keeps it at 16 (gcc's bug 54412). The assembler makes unaligned moves of these, which are as fast on aligned data.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(detops_options INTERFACE -Wa,-muse-unaligned-vector-move)
  endif()
elseif(NOT APPLE)
  # The tables of addresses that the loader fills in are complete and read-only before the first line of code runs.
  target_link_options(detops_options INTERFACE -Wl,-z,relro,-z,now)
endif()

if(DETOPS_SANITIZE)
  target_compile_options(detops_options INTERFACE -fsanitize=${DETOPS_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(detops_options INTERFACE -fsanitize=${DETOPS_SANITIZE})
  if(DETOPS_SANITIZE MATCHES undefined)
    # Callers may pass any number as an enumerator, and tensors at any address: both are answered, not assumed away.
    target_compile_options(detops_options INTERFACE -fno-sanitize-recover=all -fno-sanitize=enum,alignment)
  endif()
  if(DETOPS_SANITIZE MATCHES integer)
    # Not undefined, and in a few named places intended: what is to be reported, and that it ends the process, is left
    # to UBSAN_OPTIONS (fuzz/ubsan.supp).
    target_compile_options(detops_options INTERFACE -fsanitize-recover=integer)
  endif()
endif()

if(DETOPS_BUILD_FUZZERS AND NOT DETOPS_FUZZING_ENGINE)  # an engine comes with flags of its own
  target_compile_options(detops_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(detops_kernel_options INTERFACE)
target_link_libraries(detops_kernel_options INTERFACE detops_options)
# No exception can leave a library that cannot throw. Errors of libm are not asked for.
target_compile_options(detops_kernel_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
                       -fno-math-errno -fvisibility=hidden)

if(DETOPS_COVERAGE)
  # The library and the tests of its internals, not the other tests. Atomic, because the number of times that a condition
  # was false is a difference of counts, which must not lose any. System headers are not counted, and what they include
  # neither, which would be every copy of a kernel but the scalar one. Counters that can be moved may lie in a mapped
  # file (LLVM_PROFILE_FILE with %c), so that child processes that end by _exit count too.
  target_compile_options(detops_kernel_options INTERFACE -fprofile-instr-generate -fcoverage-mapping
                         -fprofile-update=atomic --no-system-header-prefix=hwy/foreach_target.h
                         "SHELL:-mllvm -runtime-counter-relocation")
  target_link_options(detops_kernel_options INTERFACE -fprofile-instr-generate)
endif()

# The fallback is the scalar target with every compiler; the emulated 128-bit one takes clang minutes.
target_compile_definitions(detops_kernel_options INTERFACE HWY_BROKEN_EMU128=1)

# Which targets of Highway are left out. It gives better targets lower bits; AVX2 is bit 9 and everything below is AVX-512
# or later, of which AVX3 is bit 8; SSE4 is bit 11, SSSE3 bit 12. Few kernels are also compiled for AVX3: see
# src/core/simd_target.h.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(detops_disabled_targets "((1LL<<9)-1)")
  set(detops_disabled_wide_targets "((1LL<<8)-1)")
  if(DETOPS_SANITIZE OR DETOPS_FEW_TARGETS)
    # The best and the scalar target only: compilers need minutes for the kernels of all targets under sanitizers.
    string(APPEND detops_disabled_targets "|(1LL<<11)|(1LL<<12)")
  endif()
  if(DETOPS_SANITIZE OR DETOPS_FEW_TARGETS OR NOT DETOPS_ENABLE_AVX512)
    set(detops_disabled_wide_targets "${detops_disabled_targets}")
  endif()
  target_compile_definitions(detops_kernel_options INTERFACE "HWY_DISABLED_TARGETS=(${detops_disabled_targets})"
                             "DETOPS_DISABLED_WIDE_TARGETS=(${detops_disabled_wide_targets})")
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  # NEON is bit 28, everything below is SVE, whose vectors have no size: they cannot be kept in arrays, structs or
  # captures, as the kernels keep them.
  target_compile_definitions(detops_kernel_options INTERFACE "HWY_DISABLED_TARGETS=((1LL<<28)-1)")
endif()
