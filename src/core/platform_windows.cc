// Windows, 64 bits, built by mingw-w64. The C runtime's functions where they say errno, else the system's own.
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <process.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/platform.h"

namespace detops {

static_assert(sizeof(void*) == 8, "there a function has one calling convention, and sizes have 64 bits");

// ---- memory -------------------------------------------------------------------------------------

void* AllocateAligned(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }
void FreeAligned(void* memory) { _aligned_free(memory); }

// Large pages need a right that hardly any user has, and must be there when the memory is made.
void WishHugePages(void* /*memory*/, size_t /*size*/) {}

void* MapPages(size_t size) { return VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }
void UnmapPages(void* memory, size_t /*size*/) { VirtualFree(memory, 0, MEM_RELEASE); }

// ---- the process --------------------------------------------------------------------------------

// No program has rights here that its user has not.
const char* EnvironmentText(const char* name) { return std::getenv(name); }

int ProcessorCount() {
  DWORD_PTR own = 0, all = 0;
  // Both 0 for a process with threads in several groups of 64 processors.
  if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) != 0 && own != 0) return std::popcount(own);
  return std::max(1, static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)));
}

long ProcessNumber() { return static_cast<long>(GetCurrentProcessId()); }

bool CallAtFork(void (* /*before*/)(), void (* /*in_parent*/)(), void (* /*in_child*/)()) { return true; }

// ---- threads ------------------------------------------------------------------------------------

bool StartThread(ThreadResult (*function)(void*), void* argument, const char* /*name*/, ThreadHandle* thread) {
  thread->value = _beginthreadex(nullptr, 0, function, argument, 0, nullptr);
  return thread->value != 0;
}

void JoinThread(ThreadHandle thread) {
  auto* const handle = reinterpret_cast<HANDLE>(thread.value);
  WaitForSingleObject(handle, INFINITE);
  CloseHandle(handle);
}

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

void AwaitChange(const std::atomic<uint32_t>& number, uint32_t seen) {
  auto* const address = const_cast<std::atomic<uint32_t>*>(&number);
  while (number.load(std::memory_order_acquire) == seen) WaitOnAddress(address, &seen, sizeof(seen), INFINITE);
}
void WakeOne(std::atomic<uint32_t>& number) { WakeByAddressSingle(&number); }
void WakeAll(std::atomic<uint32_t>& number) { WakeByAddressAll(&number); }

namespace {

// The ends of threads run code of ours, also after the program has freed the library: it stays.
void StayLoaded() {
  HMODULE module;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                     reinterpret_cast<LPCWSTR>(&StayLoaded), &module);
}

}  // namespace

uint64_t ThreadPointer::Key() {
  uint64_t known = key_.load(std::memory_order_acquire);
  if (known != 0) return known;
  StayLoaded();
  const DWORD made = FlsAlloc(at_end_);
  if (made == FLS_OUT_OF_INDEXES) return 0;
  // Another thread may have been faster.
  if (key_.compare_exchange_strong(known, uint64_t{made} + 1, std::memory_order_acq_rel)) return uint64_t{made} + 1;
  FlsFree(made);
  return known;
}

bool ThreadPointer::Set(void* pointer) {
  const uint64_t key = Key();
  return key != 0 && FlsSetValue(static_cast<DWORD>(key - 1), pointer) != 0;
}

// Leaves the caller's GetLastError alone, which every call of the library would change else.
void* ThreadPointer::Get() {
  const uint64_t key = Key();
  if (key == 0) return nullptr;
  const DWORD error = GetLastError();
  void* const pointer = FlsGetValue(static_cast<DWORD>(key - 1));
  SetLastError(error);
  return pointer;
}

// ---- files --------------------------------------------------------------------------------------

namespace {

constexpr char kTemporaryEnd[] = ".tmp";

// Makes the folders of a path; whether they are there, the file itself tells.
void MakeFolders(char* path) {
  for (char* at = path + 1; *at != '\0'; ++at) {
    if (*at != '/' && *at != '\\') continue;
    const char separator = *at;
    *at = '\0';
    (void)_mkdir(path);
    *at = separator;
  }
}

}  // namespace

const char* TextOfError(int error, char* buffer, size_t size) {
  return strerror_s(buffer, size, error) == 0 ? buffer : "unknown";
}

bool FileExists(const char* path) { return _access(path, 0) == 0; }
void RemoveFile(const char* path) { (void)_unlink(path); }

int WholeFile::Start(const char* path) {
  Abandon();
  const size_t length = std::strlen(path);
  if (length + sizeof(kTemporaryEnd) > kPathSize) return ENAMETOOLONG;
  std::memcpy(path_, path, length + 1);
  std::memcpy(temporary_, path, length);
  std::memcpy(temporary_ + length, kTemporaryEnd, sizeof(kTemporaryEnd));
  int error = OpenTemporary();
  if (error == ENOENT) {
    MakeFolders(temporary_);
    error = OpenTemporary();
  }
  return error;
}

// There are no files without names.
int WholeFile::OpenTemporary() {
  constexpr int kFlags = _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT;
  descriptor_ = _open(temporary_, kFlags, _S_IREAD | _S_IWRITE);
  named_ = descriptor_ >= 0;
  return named_ ? 0 : errno;
}

int WholeFile::Write(const char* data, size_t size) {
  constexpr size_t kMost = size_t{1} << 30;
  for (size_t done = 0; done < size;) {
    const int written = _write(descriptor_, data + done, static_cast<unsigned>(std::min(size - done, kMost)));
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    done += static_cast<size_t>(written);
  }
  return 0;
}

int WholeFile::Commit(int error) {
  if (descriptor_ < 0) return error;
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (_close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && MoveFileExA(temporary_, path_, MOVEFILE_REPLACE_EXISTING) == 0) error = EACCES;
  if (error != 0) RemoveFile(temporary_);
  return error;
}

void WholeFile::Abandon() {
  if (descriptor_ < 0) return;
  _close(descriptor_);
  descriptor_ = -1;
  RemoveFile(temporary_);
}

// ---- the standard error ---------------------------------------------------------------------------

namespace {

constinit HANDLE g_at_first = nullptr;

__attribute__((constructor)) void RememberStandardError() { g_at_first = GetStdHandle(STD_ERROR_HANDLE); }

}  // namespace

void PrintToStandardError(const char* text, size_t size) {
  auto* const now = GetStdHandle(STD_ERROR_HANDLE);
  if (now == nullptr || now == INVALID_HANDLE_VALUE || now != g_at_first) return;
  DWORD written;
  (void)WriteFile(now, text, static_cast<DWORD>(size), &written, nullptr);
}

}  // namespace detops
#endif  // _WIN32
