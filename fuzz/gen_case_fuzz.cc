// Fuzzes the recording of calls: modes and directories, good and bad, and calls of the ten operators with any values.
//
// A call must give the same status and the same bits with recording as without. A file is there exactly if the call
// succeeded and the log says so; it is complete and names its operator. What the variables of the environment say is
// read once in a process: MLUOP_GEN_CASE_DUMP_DATA and the others may be set before the start.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "support/handle.h"

namespace detops_fuzz {
namespace {

namespace fs = std::filesystem;
using detops_harness::Call;
using detops_harness::Function;
using detops_harness::PlacedCall;

constexpr size_t kLongest = 2047;

// Goes with the process.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gen_case_fuzz_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) Broken("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    return files;
  }
  void Empty() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
  }

 private:
  std::string path_;
};

void KeepLine(void* opaque, detopsLogLevel_t /*level*/, const char* line) {
  static_cast<std::vector<std::string>*>(opaque)->emplace_back(line);
}

// The functions of the contract under their first names. mluOpNms writes no case file.
const std::vector<const Function*>& RecordedFunctions() {
  static const std::vector<const Function*> recorded = [] {
    std::vector<const Function*> functions;
    for (const auto& function : detops_harness::WholeCatalogue().functions()) {
      const bool of_contract = function->name().rfind("mluOp", 0) == 0 && function->computes();
      if (of_contract && function->name() != "mluOpNms" && function->contract().documented_as() == function->name())
        functions.push_back(function.get());
    }
    return functions;
  }();
  return recorded;
}

// ---- steps ----

class Recorder {
 public:
  explicit Recorder(FuzzedBytes& bytes) : bytes_(bytes) {
    mluOpSetGenCaseMode(0);
    SetDirectory(folder().path());
  }
  ~Recorder() { mluOpSetGenCaseMode(0); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void Step() {
    switch (Number(bytes_, 0, 3)) {
      case 0:
        return SetMode();
      case 1:
        return SetAnyDirectory();
      case 2:
        return GetDirectory();
      default:
        return Run();
    }
  }

 private:
  static const Folder& folder() {
    static const Folder folder;
    return folder;
  }

  void SetMode() {
    const int mode = Number(bytes_, -1, 4);
    mluOpSetGenCaseMode(mode);
    if (mode >= 0 && mode <= 3) mode_ = mode;
  }

  void SetDirectory(const std::string& path) {
    const bool good = !path.empty() && path.size() <= kLongest;
    ExpectStatus(mluOpSetGenCaseDirectory(path.c_str()), good, "mluOpSetGenCaseDirectory");
    if (good) directory_ = path;
  }

  // Stays below the folder, however it is spelt.
  void SetAnyDirectory() {
    constexpr const char* kParts[] = {"a", "/", "{pid}", "{deviceid}", "{pi", "}", "%s", " ", "b/c", "\xc3\xa4", "//"};
    if (Rarely(bytes_)) {
      ExpectStatus(mluOpSetGenCaseDirectory(nullptr), false, "mluOpSetGenCaseDirectory");
      return SetDirectory("");
    }
    std::string path = folder().path() + "/";
    for (int parts = Number(bytes_, 0, 6); parts > 0; --parts) path += OneOf(bytes_, kParts);
    if (Rarely(bytes_)) path.append(Number(bytes_, 0, 2200), 'x');          // a name that no file system takes
    while (Rarely(bytes_) && path.size() < kLongest + 9) path += "/{pid}";  // grows while placeholders are replaced
    SetDirectory(path);
  }

  void GetDirectory() {
    const size_t size = OneIn(bytes_, 2) ? directory_.size() + 1 : bytes_.Between<size_t>(0, kLongest + 2);
    std::vector<char> memory(size, '?');
    size_t length = 7;
    mluOpStatus_t status = MLUOP_STATUS_INTERNAL_ERROR;
    char* const buffer = size == 0 ? nullptr : OrNull(bytes_, memory.data());
    size_t* const to_length = OrNull(bytes_, &length);
    mluOpStatus_t* const to_status = OrNull(bytes_, &status);
    const char* const result = mluOpGetGenCaseDirectory(buffer, size, to_length, to_status);
    const bool good = buffer != nullptr && size > directory_.size();
    if (result != (good ? buffer : nullptr))
      Broken("mluOpGetGenCaseDirectory gave %p", static_cast<const void*>(result));
    if (good && directory_ != result) Broken("the directory is \"%s\"", result);
    if (!good && std::any_of(memory.begin(), memory.end(), [](char c) { return c != '?'; })) Broken("wrote in vain");
    if (to_length != nullptr && length != directory_.size()) Broken("the length is %zu", length);
    if (to_status != nullptr) ExpectStatus(status, good, "mluOpGetGenCaseDirectory");
  }

  // The good call of a contract, or one with any bits among its inputs.
  void Run() {
    const std::vector<const Function*>& functions = RecordedFunctions();
    Call call = functions[bytes_.Between<size_t>(0, functions.size() - 1)]->Good();
    for (detops_harness::Tensor& tensor : call.tensors) {
      if (tensor.contents.empty() || !OneIn(bytes_, 2)) continue;
      const std::vector<uint8_t> raw = bytes_.Take(tensor.contents.size());
      if (!raw.empty()) std::memcpy(tensor.contents.data(), raw.data(), raw.size());
    }
    const std::string name = call.function->name();
    mluOpSetGenCaseMode(0);
    PlacedCall placed(std::move(call), {detops_harness::MemoryKind::kHeap});
    placed.Reset(0xFF);
    const mluOpStatus_t status = placed.Run(handle_.get());
    const std::string result = placed.Outputs();
    placed.Reset(0xFF);
    std::vector<std::string> lines;
    detops_test::Must(detopsSetLog(handle_.get(), DETOPS_LOG_DISPATCH, &KeepLine, &lines), "detopsSetLog");
    mluOpSetGenCaseMode(mode_);
    if (placed.Run(handle_.get()) != status) Broken("%s: recording changes the status", name.c_str());
    detops_test::Must(detopsSetLog(handle_.get(), DETOPS_LOG_OFF, nullptr, nullptr), "detopsSetLog");
    if (placed.Outputs() != result) Broken("%s: recording changes the result", name.c_str());
    RequireFiles(name, status, lines);
  }

  void RequireFiles(const std::string& name, mluOpStatus_t status, const std::vector<std::string>& lines) {
    const auto said = [&](const char* words) {
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.find(words) != std::string::npos; });
    };
    const bool files_wanted = status == MLUOP_STATUS_SUCCESS && (mode_ == 1 || mode_ == 2);
    const bool recorded = said(": recorded in "), not_recorded = said(": not recorded: ");
    if (files_wanted && recorded == not_recorded) Broken("%s: the log does not tell one thing", name.c_str());
    const std::vector<fs::path> files = folder().Files();
    size_t cases = 0;
    for (const fs::path& path : files) {
      if (path.extension() == ".tmp") Broken("a temporary file is left");
      if (path.extension() != ".prototxt") continue;
      ++cases;
      std::ifstream file(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      const std::string head = "op_name: \"" + path.parent_path().filename().string() + "\"\n";
      if (text.rfind(head, 0) != 0) Broken("%s: the file begins otherwise", path.c_str());
      const auto open = std::count(text.begin(), text.end(), '{'), close = std::count(text.begin(), text.end(), '}');
      if (open == 0 || open != close || text.back() != '\n') Broken("%s is not complete", path.c_str());
    }
    const size_t expected = files_wanted && recorded ? 1 : 0;
    if (cases != expected) Broken("%s: %zu case files, expected %zu", name.c_str(), cases, expected);
    if (expected == 0 && !files.empty()) Broken("%s: files without a case", name.c_str());
    folder().Empty();
  }

  FuzzedBytes& bytes_;
  detops_test::Handle handle_{DETOPS_PROFILE_CONTRACT, 1};
  int mode_ = 0;
  std::string directory_;
};

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops_fuzz::FuzzedBytes bytes(data, size);
  detops_fuzz::Recorder recorder(bytes);
  for (int steps = 0; steps < 20 && bytes.left() > 0; ++steps) recorder.Step();
  return 0;
}
