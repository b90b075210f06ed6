// Keeps signals that a write may raise from the program: they would end it for what it did not do.
#ifndef DETOPS_RECORDING_QUIET_SIGNALS_H_
#define DETOPS_RECORDING_QUIET_SIGNALS_H_

#include <signal.h>

namespace detops {

// While it lives, the calling thread does not get SIGXFSZ (a limit of file sizes), SIGPIPE (nobody reads) and SIGTTOU
// (a terminal that background programs may not write to); the write fails, or succeeds, instead. What it raised is
// taken away; a signal that was waiting before still waits afterwards.
class QuietSignals {
 public:
  QuietSignals();
  ~QuietSignals();
  QuietSignals(const QuietSignals&) = delete;
  QuietSignals& operator=(const QuietSignals&) = delete;

 private:
  sigset_t before_;  // the thread's mask
  sigset_t raised_;  // those that were not waiting: whatever waits in the end was raised meanwhile
};

}  // namespace detops

#endif  // DETOPS_RECORDING_QUIET_SIGNALS_H_
