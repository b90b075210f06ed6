// Addresses that nobody may touch, and pages among them that may be.
#ifndef DETOPS_TESTS_SUPPORT_PAGES_H_
#define DETOPS_TESTS_SUPPORT_PAGES_H_

#include <cstddef>

namespace detops_test {

size_t PageSize();

// Takes addresses, not memory. Throws std::bad_alloc.
void* ReservePages(size_t size);
// False if memory is short.
bool OpenPages(void* pages, size_t size);
// All that ReservePages took at once.
void ReleasePages(void* pages, size_t size);

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_PAGES_H_
