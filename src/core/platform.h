// What the library asks of an operating system, and C++ does not have: memory with wishes, threads that are refused
// politely, files that appear whole. platform_posix.cc answers for Linux and macOS, platform_windows.cc for Windows; no
// other file of the library includes a header of a system. Clocks are those of C++, mutexes stand on waits
// (core/mutex.h).
#ifndef DETOPS_CORE_PLATFORM_H_
#define DETOPS_CORE_PLATFORM_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace detops {

// A function that takes a text as printf does: the compiler compares it with the arguments. The C++ library has printf
// as in C99 on Windows too, where gcc means that of Microsoft's C library by "printf".
#if defined(_WIN32) && !defined(__clang__)
#define DETOPS_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define DETOPS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif

// ---- memory -------------------------------------------------------------------------------------

inline constexpr size_t kHugePage = size_t{2} << 20;

// The size is a whole multiple of the alignment, a power of two. nullptr if memory is short.
void* AllocateAligned(size_t alignment, size_t size);
void FreeAligned(void* memory);

// A wish: without it, or where there are no such pages, the memory works with small ones.
void WishHugePages(void* memory, size_t size);

// Fresh pages, whole huge ones at a huge page's boundary where the system has them. nullptr if memory is short.
void* MapPages(size_t size);
void UnmapPages(void* memory, size_t size);

// ---- the process --------------------------------------------------------------------------------

// nullptr also for all variables of a program that runs with rights its user has not.
const char* EnvironmentText(const char* name);

// How many processors the calling thread may use, at least 1.
int ProcessorCount();

long ProcessNumber();

// Functions to be called around each fork of the process; they may be nullptr. False if there is no memory for them.
bool CallAtFork(void (*before)(), void (*in_parent)(), void (*in_child)());

// ---- threads ------------------------------------------------------------------------------------

// What a thread's function returns; the value means nothing.
#if defined(_WIN32)
using ThreadResult = unsigned;
#else
using ThreadResult = void*;
#endif

struct ThreadHandle {
  uintptr_t value = 0;
};

// A thread that gets none of the program's signals but those of its own faults. Not std::thread, which cannot say that
// the system has refused one: then false. The name is for debuggers, up to 15 characters.
bool StartThread(ThreadResult (*function)(void*), void* argument, const char* name, ThreadHandle* thread);
void JoinThread(ThreadHandle thread);

// Returns when the number is no longer `seen`, whose changes wake those who wait for them: one, or all. C++ has the
// same, but where that is not one call of the system, as in mingw-w64 with gcc 12, a waker may come between the look
// and the sleep of a waiter, who then sleeps on.
void AwaitChange(const std::atomic<uint32_t>& number, uint32_t seen);
void WakeOne(std::atomic<uint32_t>& number);
void WakeAll(std::atomic<uint32_t>& number);

// A thread_local in the part of a thread's memory that exists from its start: elsewhere the first use in a library that
// was loaded late allocates memory, and where there is none the C library ends the process. Only ELF has such a part;
// it is small.
#if defined(__ELF__)
#define DETOPS_EARLY_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) thread_local
#else
#define DETOPS_EARLY_THREAD_LOCAL thread_local
#endif

// A pointer that each thread has for itself, nullptr at first; `at_end` gets those that are not when their thread ends.
// It lives as long as the process.
class ThreadPointer {
 public:
  explicit constexpr ThreadPointer(void (*at_end)(void*)) : at_end_(at_end) {}
  ThreadPointer(const ThreadPointer&) = delete;
  ThreadPointer& operator=(const ThreadPointer&) = delete;

  // False, and the pointer stays nullptr, if the system has no place for it.
  bool Set(void* pointer);
  void* Get();

 private:
  // The system's key and one, which makes it, once; 0 if it has none left.
  uint64_t Key();

  void (*const at_end_)(void*);
  std::atomic<uint64_t> key_{0};
};

// ---- files --------------------------------------------------------------------------------------

// As long as a path may be on the systems we know. Paths are bytes as fopen takes them.
inline constexpr size_t kPathSize = 4096;

// What an errno means; `buffer` may be used for it.
const char* TextOfError(int error, char* buffer, size_t size);

bool FileExists(const char* path);
void RemoveFile(const char* path);

// A file that appears complete or not at all: it is written without a name, which it gets in the end, or where the file
// system does not know that, under another name and then renamed. Raises no signal. Functions return 0 or an errno.
class WholeFile {
 public:
  // may_be_unnamed: false, for tests, as if the file system did not know files without names.
  explicit WholeFile(bool may_be_unnamed) : may_be_unnamed_(may_be_unnamed) {}
  ~WholeFile() { Abandon(); }
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  // With the folders of the path. What was open is abandoned.
  int Start(const char* path);
  int Write(const char* data, size_t size);
  // Gives the file its name, over an older file of that name, unless there was an error.
  int Commit(int error);
  void Abandon();

 private:
  int OpenTemporary();
  int GiveName();

  const bool may_be_unnamed_;
  bool named_ = false;  // there is a file temporary_
  int descriptor_ = -1;
  char path_[kPathSize];
  char temporary_[kPathSize];
};

// One line on the standard error, without harm to the program: nothing happens if it is something else than it was when
// the library was loaded, for a program that closes it may get its number back for a file of its own. Raises no signal,
// and waits no more than a moment for a reader (on Windows as long as there is none).
void PrintToStandardError(const char* text, size_t size);

}  // namespace detops

#endif  // DETOPS_CORE_PLATFORM_H_
