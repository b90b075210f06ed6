// A library that is loaded while the program runs, as Python does, and perhaps unloaded again: threads that meet it for
// the first time without memory, and threads that outlive it. Part of the program allocation_failure.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "allocation/hooks.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using namespace detops_test::hooks;  // counters of this test alone

// The functions of a copy of the library that this program has not been linked with.
struct LateLibrary {
  void* library = nullptr;
  decltype(&mluOpCreate) create = nullptr;
  decltype(&detopsGetLastError) last_error = nullptr;
  decltype(&detopsSetNumThreads) set_threads = nullptr;
  decltype(&cnrtMalloc) malloc = nullptr;
  decltype(&cnrtGetLastError) runtime_error = nullptr;

  bool Open(const std::string& path) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    create = reinterpret_cast<decltype(create)>(dlsym(library, "mluOpCreate"));
    last_error = reinterpret_cast<decltype(last_error)>(dlsym(library, "detopsGetLastError"));
    set_threads = reinterpret_cast<decltype(set_threads)>(dlsym(library, "detopsSetNumThreads"));
    malloc = reinterpret_cast<decltype(malloc)>(dlsym(library, "cnrtMalloc"));
    runtime_error = reinterpret_cast<decltype(runtime_error)>(dlsym(library, "cnrtGetLastError"));
    return create != nullptr && create != &mluOpCreate && last_error != nullptr && set_threads != nullptr &&
           malloc != nullptr && runtime_error != nullptr;
  }
};

// Runs `body` with such a library in a process of its own; it returns 0 if all is well.
void ExpectWell(const std::function<int(LateLibrary&)>& body) {
  Dl_info info;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&mluOpCreate), &info), 0);
  const std::string copy = ::testing::TempDir() + "detops_copy_" + std::to_string(getpid()) + ".so";
  std::filesystem::copy_file(info.dli_fname, copy, std::filesystem::copy_options::overwrite_existing);
  const pid_t child = fork();
  if (child == 0) {
    LateLibrary late;
    _exit(late.Open(copy) ? body(late) : 100);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  std::filesystem::remove(copy);
  ASSERT_TRUE(WIFEXITED(status)) << "the process was ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// The first touch of a thread-local variable may allocate, and end the process where that fails.
TEST(LateLibraryTest, FirstCallOfAThreadInALibraryLoadedLate) {
  ExpectWell([](LateLibrary& late) {
    int result = 1;
    std::thread([&] {
      mluOpHandle_t handle = nullptr;
      void* block = nullptr;
      g_until_failure = 0;
      g_for_ever = true;
      g_armed = true;
      const bool create = late.create(&handle) == MLUOP_STATUS_ALLOC_FAILED && late.last_error(nullptr)[0] != '\0';
      const bool runtime = late.malloc(&block, 100) == cnrtErrorNoMem && late.runtime_error() == cnrtErrorNoMem;
      g_armed = false;
      result = (create ? 0 : 2) + (runtime ? 0 : 4);
    }).join();
    return result;
  });
}

// A thread without memory for its text gets a sentence that needs none, and its own sentences again once there is some.
TEST(LateLibraryTest, TextAfterMemoryHasComeBack) {
  ExpectWell([](LateLibrary& late) {
    int result = 1;
    std::thread([&] {
      g_until_failure = 0;
      g_for_ever = true;
      g_armed = true;
      const bool refused = late.create(nullptr) == MLUOP_STATUS_BAD_PARAM;
      g_armed = false;
      const bool without = std::string(late.last_error(nullptr)).find("no memory") != std::string::npos;
      const bool again = late.create(nullptr) == MLUOP_STATUS_BAD_PARAM &&
                         std::string(late.last_error(nullptr)).rfind("mluOpCreate: ", 0) == 0;
      result = (refused ? 0 : 2) + (without ? 0 : 4) + (again ? 0 : 8);
    }).join();
    return result;
  });
}

// The program has taken every key for thread-specific data before the library asks for one: calls answer as ever, and
// only the thread's sentence is missing.
TEST(LateLibraryTest, NoKeyForTheTexts) {
  ExpectWell([](LateLibrary& late) {
    pthread_key_t key;
    while (pthread_key_create(&key, nullptr) == 0) continue;
    const bool refused = late.create(nullptr) == MLUOP_STATUS_BAD_PARAM && late.last_error(nullptr)[0] == '\0';
    mluOpHandle_t handle = nullptr;
    const bool made = late.create(&handle) == MLUOP_STATUS_SUCCESS && late.last_error(handle)[0] == '\0';
    const bool kept = made && late.set_threads(handle, -1) == MLUOP_STATUS_BAD_PARAM &&
                      std::string(late.last_error(handle)).rfind("detopsSetNumThreads: ", 0) == 0;
    return (refused ? 0 : 2) + (made ? 0 : 4) + (kept ? 0 : 8);
  });
}

// The C library keeps a thread's first values in place and allocates for later keys; that fails behind the text's own
// memory, which must not be lost.
TEST(LateLibraryTest, NoMemoryForTheKeysValue) {
  ExpectWell([](LateLibrary& late) {
    pthread_key_t key;
    for (int i = 0; i < 100; ++i) pthread_key_create(&key, nullptr);
    int result = 1;
    std::thread([&] {
      const int64_t blocks = g_blocks;
      g_failures = 0;
      g_until_failure = 1;
      g_for_ever = true;
      g_armed = true;
      const bool refused = late.create(nullptr) == MLUOP_STATUS_BAD_PARAM;
      g_armed = false;
      const bool failed = g_failures > 0 && late.last_error(nullptr)[0] == '\0' && g_blocks == blocks;
      const bool again = late.create(nullptr) == MLUOP_STATUS_BAD_PARAM &&
                         std::string(late.last_error(nullptr)).rfind("mluOpCreate: ", 0) == 0;
      result = (refused ? 0 : 2) + (failed ? 0 : 4) + (again ? 0 : 8);
    }).join();
    return result;
  });
}

// What the library does at the end of a thread must not need the library to be there still.
TEST(LateLibraryTest, ThreadThatOutlivesTheLibrary) {
  ExpectWell([](LateLibrary& late) {
    std::atomic<int> step{0};
    std::thread thread([&] {
      late.create(nullptr);
      step = 1;
      while (step != 2) std::this_thread::yield();
    });
    while (step != 1) std::this_thread::yield();
    const bool closed = dlclose(late.library) == 0;
    step = 2;
    thread.join();
    return closed ? 0 : 1;
  });
}

}  // namespace
