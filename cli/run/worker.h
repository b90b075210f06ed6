// Cases judged in a child process: what a library does to the process happens there.
#ifndef DETOPS_CLI_RUN_WORKER_H_
#define DETOPS_CLI_RUN_WORKER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run/message.h"
#include "run/runner.h"

namespace detops_cli {

// Judges recipes[next()] until that gives nothing, and calls tell(message) for everything. Runs in this process. A
// process that the library forks ends when it would tell something.
void JudgeAll(const std::vector<Recipe>& recipes, const RunOptions& options,
              const std::function<std::optional<size_t>()>& next, const std::function<void(const Message&)>& tell);

// The same in a child. It shares a process with the library under test, so what comes through the pipe may be
// anybody's: every question has a secret number, and only answers that repeat it are believed.
class Worker {
 public:
  Worker(const std::vector<Recipe>& recipes, const RunOptions& options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Has a case judged: steps and one result follow.
  void Ask(size_t index);

  enum class Event { kMessage, kEnd, kTimeout, kInterrupted, kGarbage };
  // Waits for the next message. kEnd: the child is gone; see ExitReason(). kGarbage: something else wrote into the
  // pipe.
  Event Next(double timeout_seconds, Message* message);

  // How it ended, as "Segmentation fault".
  std::string ExitReason();

 private:
  [[noreturn]] void BeChild(const std::vector<Recipe>& recipes, const RunOptions& options, int questions, int answers);
  // The next line in the buffer without its end; false if there is none.
  bool TakeLine(std::string* line);
  void Read();
  bool HasEnded();

  pid_t pid_ = -1;
  int questions_ = -1, answers_ = -1;
  uint64_t secret_;        // of the last question; the first, what library this is, needs not be asked
  bool answered_ = false;  // it has been
  bool closed_ = false;    // nothing more will come
  std::string buffer_;
  size_t taken_ = 0, searched_ = 0;  // of the buffer: lines that were taken, bytes known to hold no end of a line
  std::optional<int> status_;        // of the child that has ended
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_RUN_WORKER_H_
