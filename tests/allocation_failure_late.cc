// A library that is loaded while the program runs, as Python does, and perhaps unloaded again: threads that meet it for
// the first time without memory, and threads that outlive it. Part of the program allocation_failure.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "allocation_hooks.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using namespace detops_test::hooks;  // NOLINT(google-build-using-namespace): counters of this test alone

// The functions of a copy of the library that this program has not been linked with.
struct LateLibrary {
  void* library = nullptr;
  decltype(&mluOpCreate) create = nullptr;
  decltype(&detopsGetLastError) last_error = nullptr;
  decltype(&cnrtMalloc) malloc = nullptr;
  decltype(&cnrtGetLastError) runtime_error = nullptr;

  bool Open(const std::string& path) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    create = reinterpret_cast<decltype(create)>(dlsym(library, "mluOpCreate"));
    last_error = reinterpret_cast<decltype(last_error)>(dlsym(library, "detopsGetLastError"));
    malloc = reinterpret_cast<decltype(malloc)>(dlsym(library, "cnrtMalloc"));
    runtime_error = reinterpret_cast<decltype(runtime_error)>(dlsym(library, "cnrtGetLastError"));
    return create != nullptr && create != &mluOpCreate && last_error != nullptr && malloc != nullptr &&
           runtime_error != nullptr;
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
