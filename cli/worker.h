// Cases judged in a child process: what a library does to the process happens there.
#ifndef DETOPS_CLI_WORKER_H_
#define DETOPS_CLI_WORKER_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "runner.h"

namespace detops_cli {

// One thing that the child tells.
struct Message {
  enum class Kind { kLibrary, kStep, kResult, kProblem } kind = Kind::kStep;
  std::string text{};       // kStep: what is being done; kProblem: why nothing can be judged
  LibraryResult library{};  // kLibrary: first of all
  MachineResult machine{};  // likewise
  int threads = 0;          // likewise
  CaseResult result{};      // kResult
};

// Judges recipes[first], recipes[first + 1], ... and calls tell(message) for everything. Runs in this process.
void JudgeAll(const std::vector<Recipe>& recipes, size_t first, const RunOptions& options,
              const std::function<void(const Message&)>& tell);

// The same in a child.
class Worker {
 public:
  Worker(const std::vector<Recipe>& recipes, size_t first, const RunOptions& options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  enum class Event { kMessage, kEnd, kTimeout, kInterrupted, kGarbage };
  // Waits for the next message. kEnd: the child is gone; see Death(). kGarbage: something else wrote into the pipe.
  Event Next(double timeout_seconds, Message* message);

  // How it ended, as "Segmentation fault".
  std::string Death();
  void Kill();

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string buffer_;
  std::optional<std::string> death_;
};

// Makes Ctrl-C end Worker::Next with kInterrupted instead of ending the program.
void CatchInterrupts();
bool Interrupted();

}  // namespace detops_cli

#endif  // DETOPS_CLI_WORKER_H_
