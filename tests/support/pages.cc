#include "support/pages.h"

#include <new>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace detops_test {

#if defined(_WIN32)

size_t PageSize() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

void* ReservePages(size_t size) {
  void* const pages = VirtualAlloc(nullptr, size, MEM_RESERVE, PAGE_NOACCESS);
  if (pages == nullptr) throw std::bad_alloc();
  return pages;
}

bool OpenPages(void* pages, size_t size) { return VirtualAlloc(pages, size, MEM_COMMIT, PAGE_READWRITE) != nullptr; }

void ReleasePages(void* pages, size_t /*size*/) { VirtualFree(pages, 0, MEM_RELEASE); }

#else

size_t PageSize() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void* ReservePages(size_t size) {
  void* const pages = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

bool OpenPages(void* pages, size_t size) { return mprotect(pages, size, PROT_READ | PROT_WRITE) == 0; }

void ReleasePages(void* pages, size_t size) { munmap(pages, size); }

#endif

}  // namespace detops_test
