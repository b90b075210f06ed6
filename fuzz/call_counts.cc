// Counts the calls of every exported function. The linker sends a call of f to __wrap_f here (--wrap), which counts and
// jumps on to f itself: arguments and results pass untouched. At its end a process writes lines "function count" to the
// file that DETOPS_FUZZ_CALLS names.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(__x86_64__)
#define DETOPS_COUNT_AND_JUMP(name) "  incq detops_calls_of_" #name "(%rip)\n  jmp __real_" #name "@PLT\n"
#elif defined(__aarch64__)
#define DETOPS_COUNT_AND_JUMP(name)                                                     \
  "  adrp x16, detops_calls_of_" #name "\n  add x16, x16, :lo12:detops_calls_of_" #name \
  "\n  ldr x17, [x16]\n  add x17, x17, #1\n  str x17, [x16]\n  b __real_" #name "\n"
#endif

#define DETOPS_FUNCTION(name)                                                                         \
  extern "C" {                                                                                        \
  extern uint64_t detops_calls_of_##name;                                                             \
  uint64_t detops_calls_of_##name = 0;                                                                \
  }                                                                                                   \
  asm(".pushsection .text\n.globl __wrap_" #name "\n.type __wrap_" #name ", %function\n__wrap_" #name \
      ":\n" DETOPS_COUNT_AND_JUMP(name) ".popsection\n");
#include "exported_functions.inc"
#undef DETOPS_FUNCTION

namespace {

struct Row {
  const char* name;
  const uint64_t* count;
};

#define DETOPS_FUNCTION(name) {#name, &detops_calls_of_##name},
const Row kRows[] = {
#include "exported_functions.inc"
};
#undef DETOPS_FUNCTION

struct AtTheEnd {
  ~AtTheEnd() {
    const char* const path = std::getenv("DETOPS_FUZZ_CALLS");
    std::FILE* const file = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (file == nullptr) return;
    for (const Row& row : kRows) {
      if (*row.count != 0) std::fprintf(file, "%s %" PRIu64 "\n", row.name, *row.count);
    }
    std::fclose(file);
  }
};
const AtTheEnd at_the_end;

}  // namespace
