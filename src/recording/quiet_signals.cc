#include "recording/quiet_signals.h"

#include <cerrno>
#include <ctime>
#include <initializer_list>

namespace detops {

// All three are raised for the thread that writes, so that no other thread can get them (SIGTTOU goes to the process
// group, but not if the writing thread blocks it).
QuietSignals::QuietSignals() {
  sigset_t quiet, waiting;
  sigemptyset(&quiet);
  sigemptyset(&raised_);
  sigpending(&waiting);
  for (const int signal : {SIGXFSZ, SIGPIPE, SIGTTOU}) {
    sigaddset(&quiet, signal);
    if (sigismember(&waiting, signal) == 0) sigaddset(&raised_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &quiet, &before_);
}

QuietSignals::~QuietSignals() {
  const int error = errno;
  constexpr timespec kNow = {0, 0};
  while (sigtimedwait(&raised_, nullptr, &kNow) > 0 || errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

}  // namespace detops
