// SIGINT, SIGTERM and SIGHUP end a run early, with its reports. A SIGHUP that is ignored, as by nohup, stays so.
#ifndef DETOPS_CLI_RUN_INTERRUPTS_H_
#define DETOPS_CLI_RUN_INTERRUPTS_H_

#include <atomic>
#include <functional>
#include <thread>

namespace detops_cli {

// From now on Interrupted() tells that one of them has come. Then, once a second, a signal also interrupts whatever the
// program waits for (an output that nobody reads), and after ten seconds it ends with code 130 all the same.
void CatchInterrupts();
bool Interrupted();

// For a run without a child process, which cannot look at Interrupted() while it is inside the library: a thread waits
// for the signals and calls `end`, which must end the program. Threads that are started later never get them.
class InterruptWatch {
 public:
  explicit InterruptWatch(const std::function<void()>& end);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_RUN_INTERRUPTS_H_
