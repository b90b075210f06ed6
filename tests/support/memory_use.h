// How much memory work takes, as the system counts it.
#ifndef DETOPS_TESTS_SUPPORT_MEMORY_USE_H_
#define DETOPS_TESTS_SUPPORT_MEMORY_USE_H_

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include "support/sanitizers.h"

namespace detops_test {

inline constexpr int64_t kMebibyte = 1 << 20;

// A line of /proc/self/status in bytes; -1 if there is none.
inline int64_t StatusBytes(const char* name) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return -1;
  char line[256];
  long long kibibytes = -1;
  const size_t length = std::strlen(name);
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::strncmp(line, name, length) == 0) std::sscanf(line + length, ": %lld", &kibibytes);
  }
  std::fclose(file);
  return kibibytes < 0 ? -1 : kibibytes * 1024;
}
inline int64_t ResidentBytes() { return StatusBytes("VmRSS"); }

// The peak starts anew from what is resident now. False if the system cannot do that.
inline bool ResetPeak() {
  std::FILE* const file = std::fopen("/proc/self/clear_refs", "w");
  if (file == nullptr) return false;
  const bool written = std::fputs("5", file) >= 0;
  return std::fclose(file) == 0 && written;
}
inline int64_t PeakBytes() { return StatusBytes("VmHWM"); }

inline bool CanMeasureMemory() { return !kAddressSanitizer && !kThreadSanitizer && ResetPeak() && PeakBytes() > 0; }

struct MemoryUse {
  int64_t start = 0;   // what was there before
  int64_t peak = 0;    // the most above that
  int64_t kept = 0;    // what the work says it kept, above the start
  int64_t left = 0;    // what was left of it, above the start
  int64_t number = 0;  // what the work counted
  char failure[200] = "the process that measures ended early";

  // All before this is not measured.
  void Begin() {
    if (!ResetPeak()) throw std::runtime_error("cannot reset the peak");
    start = ResidentBytes();
  }
  void Keep() { kept = ResidentBytes() - start; }
  void End() {
    peak = PeakBytes() - start;
    left = ResidentBytes() - start;
  }
};

// body(use), in a process of its own, in which nothing else allocates.
template <class Body>
MemoryUse MeasureMemory(const Body& body) {
  void* const shared = mmap(nullptr, sizeof(MemoryUse), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  auto* const use = new (shared) MemoryUse;
  const pid_t child = fork();
  if (child == 0) {
    try {
      body(*use);
      use->failure[0] = '\0';
    } catch (const std::exception& error) {
      std::snprintf(use->failure, sizeof(use->failure), "%s", error.what());
    }
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "the process was ended by signal " << WTERMSIG(status);
  const MemoryUse copy = *use;
  munmap(shared, sizeof(MemoryUse));
  EXPECT_STREQ(copy.failure, "");
  return copy;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_MEMORY_USE_H_
