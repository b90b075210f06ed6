#include "recording/standard_error.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/quiet_signals.h"

namespace detops {
namespace {

struct FileId {
  bool open;
  dev_t device;
  ino_t number;
};

FileId StandardError() {
  struct stat status;
  // What a program was started with would be closed if it had this flag; most files that are opened later have it.
  const int flags = fcntl(STDERR_FILENO, F_GETFD);
  if (flags < 0 || (flags & FD_CLOEXEC) != 0 || fstat(STDERR_FILENO, &status) != 0) return {false, 0, 0};
  return {true, status.st_dev, status.st_ino};
}

constinit FileId g_at_first = {false, 0, 0};

// Before main if the program is linked with the library: nobody has closed anything yet.
__attribute__((constructor)) void RememberStandardError() { g_at_first = StandardError(); }

}  // namespace

void PrintToStandardError(const char* text, size_t size) {
  const FileId now = StandardError();
  const bool same = now.open && g_at_first.open && now.device == g_at_first.device && now.number == g_at_first.number;
  if (!same) return;
  constexpr int kMilliseconds = 100;
  pollfd room = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&room, 1, kMilliseconds) != 1 || (room.revents & POLLOUT) == 0) return;
  const QuietSignals quiet;
  // One write, so that lines of several threads do not mix. What it says cannot be told to anybody.
  if (write(STDERR_FILENO, text, size) < 0) return;
}

}  // namespace detops
