// Switches and counters of the allocation functions that allocation/hooks.cc puts in the place of the C library's.
#ifndef DETOPS_TESTS_ALLOCATION_HOOKS_H_
#define DETOPS_TESTS_ALLOCATION_HOOKS_H_

#include <atomic>
#include <cstdint>

namespace detops_test::hooks {

// While armed, the allocation after the next g_until_failure ones fails, and with g_for_ever all later ones too.
extern std::atomic<bool> g_armed;
extern std::atomic<int> g_until_failure;
extern std::atomic<bool> g_for_ever;
extern std::atomic<int> g_failures;  // so many have failed

extern std::atomic<int64_t> g_blocks;        // live blocks of malloc and its kin
extern std::atomic<int64_t> g_bytes;         // and their bytes
extern std::atomic<int64_t> g_mapped_bytes;  // live bytes of mmap

extern std::atomic<bool> g_fail_threads;  // pthread_create answers EAGAIN
extern std::atomic<int> g_threads_refused;
extern std::atomic<bool> g_fail_fork_handlers;  // pthread_atfork answers ENOMEM

}  // namespace detops_test::hooks

#endif  // DETOPS_TESTS_ALLOCATION_HOOKS_H_
