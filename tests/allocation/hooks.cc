// The C library's allocation functions with switches to make them fail. They are found before the library's because
// they stand in the program itself; what the C library does for itself alone (stacks of threads) does not pass here.
#include "allocation/hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace detops_test::hooks {

std::atomic<bool> g_armed{false};
std::atomic<int> g_until_failure{0};
std::atomic<bool> g_for_ever{false};
std::atomic<int> g_failures{0};
std::atomic<int64_t> g_blocks{0};
std::atomic<int64_t> g_bytes{0};
std::atomic<int64_t> g_mapped_bytes{0};
std::atomic<bool> g_fail_threads{false};
std::atomic<int> g_threads_refused{0};
std::atomic<bool> g_fail_fork_handlers{false};

}  // namespace detops_test::hooks

namespace {

using namespace detops_test::hooks;

bool MustFail() {
  if (!g_armed) return false;
  const int left = g_until_failure.fetch_sub(1);
  if (left > 0 || (left < 0 && !g_for_ever)) return false;
  ++g_failures;
  return true;
}

// The size that was asked for stands in the last bytes of a block. malloc_usable_size alone would not do: the same
// request gets 16 bytes more where the C library has no use for the rest of a free block, which depends on the lengths
// of everything before it, the program's path included.
constexpr size_t kNote = sizeof(size_t);

void* NoteOf(void* block) { return static_cast<char*>(block) + malloc_usable_size(block) - kNote; }

size_t WithNote(size_t size) { return size > SIZE_MAX - kNote ? SIZE_MAX : size + kNote; }

void* Count(void* block, size_t size) {
  if (block != nullptr) {
    ++g_blocks;
    g_bytes += static_cast<int64_t>(size);
    std::memcpy(NoteOf(block), &size, kNote);
  }
  return block;
}

size_t Discount(void* block) {
  if (block == nullptr) return 0;
  size_t size = 0;
  std::memcpy(&size, NoteOf(block), kNote);
  --g_blocks;
  g_bytes -= static_cast<int64_t>(size);
  return size;
}

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's own names.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(size_t size) { return MustFail() ? nullptr : Count(__libc_malloc(WithNote(size)), size); }

void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  return MustFail() ? nullptr : Count(__libc_calloc(1, WithNote(bytes)), bytes);
}

void* realloc(void* block, size_t size) {
  if (MustFail()) return nullptr;
  const size_t before = Discount(block);
  void* moved = __libc_realloc(block, WithNote(size));
  return moved == nullptr ? (Count(block, before), nullptr) : Count(moved, size);  // without memory the old block stays
}

void* aligned_alloc(size_t alignment, size_t size) {
  return MustFail() ? nullptr : Count(__libc_memalign(alignment, WithNote(size)), size);
}

void* memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

int posix_memalign(void** place, size_t alignment, size_t size) {
  void* block = aligned_alloc(alignment, size);
  if (block == nullptr) return ENOMEM;
  *place = block;
  return 0;
}

void free(void* block) {
  Discount(block);
  __libc_free(block);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (MustFail()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  g_mapped_bytes += static_cast<int64_t>(size);
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

int munmap(void* address, size_t size) noexcept {
  g_mapped_bytes -= static_cast<int64_t>(size);
  return static_cast<int>(syscall(SYS_munmap, address, size));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  if (g_fail_threads) {
    ++g_threads_refused;
    return EAGAIN;
  }
  using Function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, start, argument);
}

// What pthread_atfork calls.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library's own name.
int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library) {
  if (g_fail_fork_handlers) return ENOMEM;
  using Function = int (*)(void (*)(), void (*)(), void (*)(), void*);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__register_atfork"));
  return real(prepare, parent, child, library);
}

}  // extern "C"
