#include "library/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "text/errors.h"

namespace detops_cli {
namespace {

// Found by the loader, which looks next to the program first (its run path says so).
constexpr char kOwnLibrary[] = DETOPS_CLI_OWN_LIBRARY;

template <typename Function>
void Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
}

std::string FileOf(const void* symbol) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return "";
  char* const real = realpath(info.dli_fname, nullptr);
  std::string path = real != nullptr ? real : info.dli_fname;
  std::free(real);
  return path;
}

}  // namespace

Library::Library(const std::string& path) : path_(path) {
  // A name without a slash would be looked for in the system's folders; the user means a file.
  const std::string file = path.empty() ? kOwnLibrary : path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw UsageError(fmt::format("cannot load the library: {}", dlerror()));

#define DETOPS_FUNCTION(name) Find(library, #name, &functions_.name);
#include "harness/exported_functions.inc"
  DETOPS_FUNCTION(mluOpPsRoiPoolForward)
  DETOPS_FUNCTION(mluOpGetNmsWorkspaceSize)
#undef DETOPS_FUNCTION

  std::string needed;
#define DETOPS_CLI_NEED(name) \
  if (functions_.name == nullptr) needed += std::string(needed.empty() ? "" : ", ") + #name;
  DETOPS_CLI_BASIC_FUNCTIONS(DETOPS_CLI_NEED)
#undef DETOPS_CLI_NEED
  if (!needed.empty()) throw UsageError(fmt::format("{} is no library of operators: it lacks {}", file, needed));

#define DETOPS_CLI_FIND(name) \
  if (functions_.name == nullptr) missing_.push_back(#name);
  DETOPS_CLI_OTHER_FUNCTIONS(DETOPS_CLI_FIND)
#undef DETOPS_CLI_FIND
  if (path_.empty()) path_ = FileOf(reinterpret_cast<const void*>(functions_.mluOpCreate));
}

std::string Library::Explain(mluOpHandle_t handle, mluOpStatus_t status) const {
  const std::string name = functions_.mluOpGetErrorString != nullptr
                               ? functions_.mluOpGetErrorString(status)
                               : fmt::format("status {}", static_cast<int>(status));
  const char* const sentence = functions_.detopsGetLastError != nullptr ? functions_.detopsGetLastError(handle) : "";
  return *sentence == '\0' ? name : fmt::format("{}: {}", name, sentence);
}

}  // namespace detops_cli
