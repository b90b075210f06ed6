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
#include <memory>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "recording/gen_case_calls.h"
#include "support/handle.h"

namespace detops_fuzz {
namespace {

namespace fs = std::filesystem;
using detops_test::Tensor;

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

// ---- the operators ----

// A call that can be repeated, its inputs and its outputs.
struct Recordable {
  const char* op_name;
  std::vector<Tensor*> inputs, outputs;
  mluOpStatus_t (*run)(void* call, mluOpHandle_t handle);
  std::shared_ptr<void> call;
};

template <class Call>
Recordable Make(const char* op_name, std::vector<Tensor*> (*inputs)(Call&), std::vector<Tensor*> (*outputs)(Call&)) {
  auto call = std::make_shared<Call>();
  const auto run = [](void* object, mluOpHandle_t handle) { return static_cast<Call*>(object)->Run(handle); };
  return {op_name, inputs(*call), outputs(*call), run, call};
}

Recordable AnyOperator(FuzzedBytes& bytes) {
  using namespace detops_test;
  using Tensors = std::vector<Tensor*>;
  switch (Number(bytes, 0, 9)) {
    case 0:
      return Make<PsRoiPoolForwardCall>(
          "psroipool_forward", [](PsRoiPoolForwardCall& c) { return Tensors{&c.input, &c.rois}; },
          [](PsRoiPoolForwardCall& c) { return Tensors{&c.output, &c.mapping}; });
    case 1:
      return Make<PsRoiPoolBackwardCall>(
          "psroipool_backward", [](PsRoiPoolBackwardCall& c) { return Tensors{&c.top, &c.mapping, &c.rois}; },
          [](PsRoiPoolBackwardCall& c) { return Tensors{&c.bottom}; });
    case 2:
      return Make<RoiAwareForwardCall>(
          "roiaware_pool3d_forward", [](RoiAwareForwardCall& c) { return Tensors{&c.rois, &c.pts, &c.feature}; },
          [](RoiAwareForwardCall& c) { return Tensors{&c.argmax, &c.pts_idx, &c.pooled}; });
    case 3:
      return Make<RoiAwareBackwardCall>(
          "roiaware_pool3d_backward",
          [](RoiAwareBackwardCall& c) { return Tensors{&c.pts_idx, &c.argmax, &c.grad_out}; },
          [](RoiAwareBackwardCall& c) { return Tensors{&c.grad_in}; });
    case 4:
      return Make<GetIndicePairsCall>(
          "get_indice_pairs", [](GetIndicePairsCall& c) { return Tensors{&c.indices}; },
          [](GetIndicePairsCall& c) { return Tensors{&c.pairs, &c.out, &c.num}; });
    case 5:
      return Make<ConvolutionForwardCall>(
          "indice_convolution_forward",
          [](ConvolutionForwardCall& c) { return Tensors{&c.features, &c.filters, &c.pairs}; },
          [](ConvolutionForwardCall& c) { return Tensors{&c.out}; });
    case 6:
      return Make<ConvolutionBackwardDataCall>(
          "indice_convolution_backward_data",
          [](ConvolutionBackwardDataCall& c) { return Tensors{&c.output_grad, &c.filters, &c.pairs}; },
          [](ConvolutionBackwardDataCall& c) { return Tensors{&c.input_grad}; });
    case 7:
      return Make<ConvolutionBackwardFilterCall>(
          "indice_convolution_backward_filter",
          [](ConvolutionBackwardFilterCall& c) { return Tensors{&c.features, &c.output_grad, &c.pairs}; },
          [](ConvolutionBackwardFilterCall& c) { return Tensors{&c.filters_grad}; });
    case 8:
      return Make<AlignForwardCall>(
          "rotated_feature_align_forward", [](AlignForwardCall& c) { return Tensors{&c.source, &c.boxes}; },
          [](AlignForwardCall& c) { return Tensors{&c.target}; });
    default:
      return Make<AlignBackwardCall>(
          "rotated_feature_align_backward", [](AlignBackwardCall& c) { return Tensors{&c.source, &c.boxes}; },
          [](AlignBackwardCall& c) { return Tensors{&c.target}; });
  }
}

std::vector<unsigned char> OutputBytes(const Recordable& call) {
  std::vector<unsigned char> bytes;
  for (const Tensor* tensor : call.outputs) {
    const auto* begin = static_cast<const unsigned char*>(tensor->data());
    bytes.insert(bytes.end(), begin, begin + tensor->bytes());
  }
  return bytes;
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

  void Run() {
    Recordable call = AnyOperator(bytes_);
    for (Tensor* tensor : call.inputs) {
      if (!OneIn(bytes_, 2)) continue;
      const std::vector<uint8_t> raw = bytes_.Take(tensor->bytes());
      if (!raw.empty()) std::memcpy(tensor->data(), raw.data(), raw.size());
    }
    mluOpSetGenCaseMode(0);
    const mluOpStatus_t status = call.run(call.call.get(), handle_.get());
    const std::vector<unsigned char> result = OutputBytes(call);
    for (Tensor* tensor : call.outputs) tensor->FillCanary();
    std::vector<std::string> lines;
    detops_test::Must(detopsSetLog(handle_.get(), DETOPS_LOG_DISPATCH, &KeepLine, &lines), "detopsSetLog");
    mluOpSetGenCaseMode(mode_);
    if (call.run(call.call.get(), handle_.get()) != status) Broken("%s: recording changes the status", call.op_name);
    detops_test::Must(detopsSetLog(handle_.get(), DETOPS_LOG_OFF, nullptr, nullptr), "detopsSetLog");
    if (OutputBytes(call) != result) Broken("%s: recording changes the result", call.op_name);
    RequireFiles(call, status, lines);
  }

  void RequireFiles(const Recordable& call, mluOpStatus_t status, const std::vector<std::string>& lines) {
    const auto said = [&](const char* words) {
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.find(words) != std::string::npos; });
    };
    const bool files_wanted = status == MLUOP_STATUS_SUCCESS && (mode_ == 1 || mode_ == 2);
    const bool recorded = said(": recorded in "), not_recorded = said(": not recorded: ");
    if (files_wanted && recorded == not_recorded) Broken("%s: the log does not tell one thing", call.op_name);
    const std::vector<fs::path> files = folder().Files();
    size_t cases = 0;
    for (const fs::path& path : files) {
      if (path.extension() == ".tmp") Broken("a temporary file is left");
      if (path.extension() != ".prototxt") continue;
      ++cases;
      std::ifstream file(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      const std::string head = "op_name: \"" + std::string(call.op_name) + "\"\n";
      if (text.rfind(head, 0) != 0) Broken("%s: the file begins otherwise", path.c_str());
      const auto open = std::count(text.begin(), text.end(), '{'), close = std::count(text.begin(), text.end(), '}');
      if (open == 0 || open != close || text.back() != '\n') Broken("%s is not complete", path.c_str());
    }
    const size_t expected = files_wanted && recorded ? 1 : 0;
    if (cases != expected) Broken("%s: %zu case files, expected %zu", call.op_name, cases, expected);
    if (expected == 0 && !files.empty()) Broken("%s: files without a case", call.op_name);
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
