// Which sanitizers a test is built with; gcc and clang tell it in different words.
#ifndef DETOPS_TESTS_SUPPORT_SANITIZERS_H_
#define DETOPS_TESTS_SUPPORT_SANITIZERS_H_

#if defined(__has_feature)
#define DETOPS_TEST_HAS_FEATURE(feature) __has_feature(feature)
#else
#define DETOPS_TEST_HAS_FEATURE(feature) 0
#endif

namespace detops_test {

#if defined(__SANITIZE_ADDRESS__) || DETOPS_TEST_HAS_FEATURE(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || DETOPS_TEST_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_SANITIZERS_H_
