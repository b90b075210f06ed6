// Children and threads of a test.
#ifndef DETOPS_TESTS_SUPPORT_PROCESS_H_
#define DETOPS_TESTS_SUPPORT_PROCESS_H_

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace detops_test {

// Waits for the child, but not for ever: a child that hangs is ended and named. It ends well with code 0.
inline testing::AssertionResult EndsWell(pid_t child) {
  if (child < 0) return testing::AssertionFailure() << "fork failed";
  int status = 0;
  const auto start = std::chrono::steady_clock::now();
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(120)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return testing::AssertionFailure() << "the child hangs";
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return testing::AssertionSuccess();
  if (WIFSIGNALED(status)) return testing::AssertionFailure() << "the child got signal " << WTERMSIG(status);
  return testing::AssertionFailure() << "the child's exit code is " << WEXITSTATUS(status);
}

inline int ThreadsOfProcess() {
  int count = 0;
  DIR* directory = opendir("/proc/self/task");
  if (directory == nullptr) return -1;
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

// A thread that has been joined may be listed for a moment longer.
inline testing::AssertionResult ThreadsOfProcessBecome(int expected) {
  int count = -1;
  for (int i = 0; i < 200; ++i) {
    count = ThreadsOfProcess();
    if (count == expected) return testing::AssertionSuccess();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return testing::AssertionFailure() << "the process has " << count << " threads, expected " << expected;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_PROCESS_H_
