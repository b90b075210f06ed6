#include "run/interrupts.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "text/errors.h"

namespace detops_cli {
namespace {

volatile std::sig_atomic_t interrupted = 0, nudges = 0;

// Runs in signal handlers. A signal that comes just before the program begins to wait does not end the waiting; the
// next one does.
void Nudge() {
  constexpr int kMostNudges = 10;
  if (nudges == kMostNudges) _exit(kExitInterrupted);
  nudges = nudges + 1;
  alarm(1);
}

// Without SA_RESTART: waiting ends with EINTR.
void Catch(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

bool HangUpIsIgnored() {
  struct sigaction action = {};
  sigaction(SIGHUP, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void CatchInterrupts() {
  const auto interrupt = [](int) {
    interrupted = 1;
    Nudge();
  };
  Catch(SIGALRM, [](int) { Nudge(); });
  Catch(SIGINT, interrupt);
  Catch(SIGTERM, interrupt);
  if (!HangUpIsIgnored()) Catch(SIGHUP, interrupt);
}

bool Interrupted() { return interrupted != 0; }

InterruptWatch::InterruptWatch(const std::function<void()>& end) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (!HangUpIsIgnored()) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Catch(SIGALRM, [](int) { Nudge(); });
  thread_ = std::thread([this, signals, end] {
    constexpr timespec kTenth = {0, 100'000'000};
    while (!stop_) {
      if (sigtimedwait(&signals, nullptr, &kTenth) < 0) continue;
      interrupted = 1;
      alarm(1);
      end();
    }
  });
}

InterruptWatch::~InterruptWatch() {
  stop_ = true;
  thread_.join();
}

}  // namespace detops_cli
