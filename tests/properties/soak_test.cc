// Memory does not grow, however many calls are made: blocks and bytes of malloc, mapped bytes, and pages of the
// process.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "allocation/hooks.h"
#include "properties/calls.h"
#include "support/long_tests.h"

namespace detops_test {
namespace {

// Of memory that is in use: what the C library keeps for the test's own copies of outputs is given back first. Pages of
// files do not count, the system drops and reads them as it likes.
int64_t ResidentBytes() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
  int64_t total = 0, resident = 0, of_files = 0;
  std::ifstream("/proc/self/statm") >> total >> resident >> of_files;
  return (resident - of_files) * sysconf(_SC_PAGESIZE);
}

// Calls of all operators on a handle that stays and on one that comes and goes, with threads and without.
void Work(Caller& staying, const std::vector<std::string>& expected, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    staying.handle.SetThreads(1 + round % 3);
    ASSERT_EQ(staying.WrongCalls(expected), 0);
    if (round % 8 != 0) continue;
    Caller passing(1 + round / 8 % 2);
    ASSERT_EQ(passing.WrongCalls(expected), 0);
  }
}

TEST(Soak, MemoryDoesNotGrow) {
  // The system may make a huge page of small ones at any time, and then all 2 MiB of it are resident.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  const std::vector<std::string> expected = Caller().Results();
  Caller staying;
  // What is made once: scratch memory, workers with their stacks, what the C library keeps.
  Work(staying, expected, 24);
  const int64_t blocks = hooks::g_blocks, bytes = hooks::g_bytes, mapped = hooks::g_mapped_bytes;
  const int64_t resident = ResidentBytes();
  const int rounds = Rounds(24, 100'000 / static_cast<int>(staying.size()) + 1);
  Work(staying, expected, rounds);
  EXPECT_EQ(hooks::g_blocks - blocks, 0) << "blocks more are in use after " << rounds << " rounds";
  EXPECT_EQ(hooks::g_bytes - bytes, 0) << "bytes more are in use after " << rounds << " rounds";
  EXPECT_EQ(hooks::g_mapped_bytes - mapped, 0) << "bytes more are mapped after " << rounds << " rounds";
  // The kernel counts pages per thread and adds them up later, so a few hundred KiB come and go.
  EXPECT_LT(ResidentBytes() - resident, 1 << 20) << "after " << rounds << " rounds";
  RecordProperty("calls", std::to_string(rounds * static_cast<int>(staying.size())));
}

}  // namespace
}  // namespace detops_test
