// Linux and macOS.
#if !defined(_WIN32)
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <thread>

#include "core/platform.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace detops {

// ---- memory -------------------------------------------------------------------------------------

void* AllocateAligned(size_t alignment, size_t size) { return std::aligned_alloc(alignment, size); }
void FreeAligned(void* memory) { std::free(memory); }

void WishHugePages([[maybe_unused]] void* memory, [[maybe_unused]] size_t size) {
#ifdef MADV_HUGEPAGE
  (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
}

// One huge page saves 512 page faults and TLB entries.
void* MapPages(size_t size) {
  const size_t padded = size + kHugePage;
  void* raw = mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(raw);
  const uintptr_t aligned = (start + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned > start) munmap(raw, aligned - start);
  const size_t tail = start + padded - (aligned + size);
  if (tail > 0) munmap(reinterpret_cast<void*>(aligned + size), tail);
  auto* const block = reinterpret_cast<void*>(aligned);
  WishHugePages(block, size);
  return block;
}

void UnmapPages(void* memory, size_t size) { munmap(memory, size); }

// ---- the process --------------------------------------------------------------------------------

const char* EnvironmentText(const char* name) {
#if defined(__linux__)
  return secure_getenv(name);
#else
  return issetugid() != 0 ? nullptr : std::getenv(name);
#endif
}

int ProcessorCount() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

long ProcessNumber() { return getpid(); }

bool CallAtFork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  return pthread_atfork(before, in_parent, in_child) == 0;
}

// ---- threads ------------------------------------------------------------------------------------

bool StartThread(ThreadResult (*function)(void*), void* argument, [[maybe_unused]] const char* name,
                 ThreadHandle* thread) {
  // Signals belong to the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  // ... except those a thread sends itself by a fault: the program's handlers and sanitizers must see them.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t made;
  const bool started = pthread_create(&made, nullptr, function, argument) == 0;
  if (started) {
#if defined(__linux__)
    pthread_setname_np(made, name);
#endif
    thread->value = std::bit_cast<uintptr_t>(made);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void JoinThread(ThreadHandle thread) { pthread_join(std::bit_cast<pthread_t>(thread.value), nullptr); }

void AwaitChange(const std::atomic<uint32_t>& number, uint32_t seen) { number.wait(seen, std::memory_order_acquire); }
void WakeOne(std::atomic<uint32_t>& number) { number.notify_one(); }
void WakeAll(std::atomic<uint32_t>& number) { number.notify_all(); }

static_assert(sizeof(pthread_key_t) <= sizeof(uint64_t));

uint64_t ThreadPointer::Key() {
  uint64_t known = key_.load(std::memory_order_acquire);
  pthread_key_t made;
  if (known != 0 || pthread_key_create(&made, at_end_) != 0) return known;
  // Another thread may have been faster.
  if (key_.compare_exchange_strong(known, uint64_t{made} + 1, std::memory_order_acq_rel)) return uint64_t{made} + 1;
  pthread_key_delete(made);
  return known;
}

bool ThreadPointer::Set(void* pointer) {
  const uint64_t key = Key();
  return key != 0 && pthread_setspecific(static_cast<pthread_key_t>(key - 1), pointer) == 0;
}

void* ThreadPointer::Get() {
  const uint64_t key = Key();
  return key != 0 ? pthread_getspecific(static_cast<pthread_key_t>(key - 1)) : nullptr;
}

// ---- files --------------------------------------------------------------------------------------

namespace {

// While it lives, the calling thread does not get SIGXFSZ (a limit of file sizes), SIGPIPE (nobody reads) and SIGTTOU
// (a terminal that background programs may not write to), which would end the program for what it did not do; the write
// fails, or succeeds, instead. What it raised is taken away; a signal that was waiting before still waits afterwards.
// All three are raised for the thread that writes, so that no other thread can get them (SIGTTOU goes to the process
// group, but not if the writing thread blocks it).
class QuietSignals {
 public:
  QuietSignals() {
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
  ~QuietSignals() {
    const int error = errno;
#if defined(__linux__)
    constexpr timespec kNow = {0, 0};
    while (sigtimedwait(&raised_, nullptr, &kNow) > 0 || errno == EINTR) {
    }
#else
    // Waits, but never for long: only for what is there.
    for (const int signal : {SIGXFSZ, SIGPIPE, SIGTTOU}) {
      sigset_t waiting, one;
      sigemptyset(&one);
      sigaddset(&one, signal);
      int taken;
      if (sigpending(&waiting) == 0 && sigismember(&waiting, signal) == 1 && sigismember(&raised_, signal) == 1) {
        sigwait(&one, &taken);
      }
    }
#endif
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  QuietSignals(const QuietSignals&) = delete;
  QuietSignals& operator=(const QuietSignals&) = delete;

 private:
  sigset_t before_;  // the thread's mask
  sigset_t raised_;  // those that were not waiting: whatever waits in the end was raised meanwhile
};

constexpr char kTemporaryEnd[] = ".tmp";

// Makes the folders of a path. 0, or the errno of the first that could not be made and is not there.
int MakeFolders(char* path) {
  for (char* slash = std::strchr(path + 1, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    const int error = mkdir(path, 0777) == 0 ? 0 : errno;
    struct stat status;
    const bool there = error == 0 || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    *slash = '/';
    if (!there) return error;
  }
  return 0;
}

int Open(const char* path, int flags) {
  int descriptor;
  do {
    descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  // The program has closed a standard descriptor: what it prints all the same must not come into this file.
  const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(descriptor);
  errno = error;
  return higher;
}

// The name under which a file without a name can be given one; false without /proc.
bool NameOfDescriptor(int descriptor, char (&name)[64]) {
  std::snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
  return access(name, F_OK) == 0;
}

// strerror_r comes in two kinds.
[[maybe_unused]] const char* ErrorText(int result, const char* buffer) { return result == 0 ? buffer : "unknown"; }
[[maybe_unused]] const char* ErrorText(const char* result, const char* /*buffer*/) { return result; }

}  // namespace

const char* TextOfError(int error, char* buffer, size_t size) {
  return ErrorText(strerror_r(error, buffer, size), buffer);
}

bool FileExists(const char* path) { return access(path, F_OK) == 0; }
void RemoveFile(const char* path) { unlink(path); }

int WholeFile::Start(const char* path) {
  Abandon();
  const size_t length = std::strlen(path);
  if (length + sizeof(kTemporaryEnd) > kPathSize) return ENAMETOOLONG;
  std::memcpy(path_, path, length + 1);
  std::memcpy(temporary_, path, length);
  std::memcpy(temporary_ + length, kTemporaryEnd, sizeof(kTemporaryEnd));
  int error = OpenTemporary();
  if (error == ENOENT) {
    error = MakeFolders(temporary_);
    if (error == 0) error = OpenTemporary();
  }
  return error;
}

int WholeFile::OpenTemporary() {
  named_ = false;
#ifdef O_TMPFILE
  if (may_be_unnamed_) {
    char* const slash = std::strrchr(temporary_, '/');
    if (slash != nullptr) *slash = '\0';
    descriptor_ = Open(slash == nullptr ? "." : slash == temporary_ ? "/" : temporary_, O_TMPFILE);
    if (slash != nullptr) *slash = '/';
    if (descriptor_ < 0 && errno == ENOENT) return ENOENT;
    char name[64];
    if (descriptor_ >= 0 && NameOfDescriptor(descriptor_, name)) return 0;
    if (descriptor_ >= 0) close(descriptor_);
  }
#endif
  // Not every file system knows such files.
  descriptor_ = Open(temporary_, O_CREAT | O_EXCL);
  named_ = descriptor_ >= 0;
  return named_ ? 0 : errno;
}

int WholeFile::Write(const char* data, size_t size) {
  const QuietSignals quiet;
  for (size_t done = 0; done < size;) {
    const ssize_t written = write(descriptor_, data + done, size - done);
    if (written > 0) {
      done += static_cast<size_t>(written);
    } else if (written == 0) {
      return ENOSPC;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int WholeFile::Commit(int error) {
  if (descriptor_ < 0) return error;
  if (error == 0 && !named_) error = GiveName();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  // Some file systems tell only now that the disk is full.
  if (close(descriptor) != 0 && error == 0 && errno != EINTR) error = errno;
  if (named_ && error == 0 && std::rename(temporary_, path_) != 0) error = errno;
  if (named_ && error != 0) unlink(temporary_);
  return error;
}

// A name that is taken cannot be given, only moved to: then the file gets its temporary one.
int WholeFile::GiveName() {
  char name[64];
  NameOfDescriptor(descriptor_, name);
  const auto give = [&](const char* path) {
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  };
  int error = give(path_);
  if (error != EEXIST) return error;
  error = give(temporary_);
  named_ = error == 0;
  return error;
}

void WholeFile::Abandon() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  descriptor_ = -1;
  if (named_) unlink(temporary_);
}

// ---- the standard error ---------------------------------------------------------------------------

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
#endif  // !_WIN32
