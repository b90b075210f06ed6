#include "recording/gen_case.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "core/context.h"
#include "core/data_type.h"
#include "core/platform.h"

namespace detops {
namespace {

// Room after the name for what tells a process's files apart, "_data7_output", and the end of a temporary name.
constexpr size_t kPathReserve = 128;

// A text that is cut, never too long.
class ShortText {
 public:
  void Add(const char* format, ...) DETOPS_PRINTF(2, 3) {
    if (used_ >= kRoom) return;
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text_ + used_, kRoom - used_, format, arguments);
    va_end(arguments);
    used_ += length < 0 ? 0 : static_cast<size_t>(length);
    if (used_ >= kRoom) std::memcpy(text_ + kRoom - 1, "...", 4);
  }
  const char* text() const { return text_; }

 private:
  // The log cuts at kErrorTextSize, with the name of the function before this.
  static constexpr size_t kRoom = kErrorTextSize - 64;
  char text_[kRoom + 4] = {};
  size_t used_ = 0;
};

void AddShape(const CaseTensor& tensor, ShortText& line) {
  for (int axis = 0; axis < tensor.shape->rank(); ++axis) {
    line.Add("%s%lld", axis == 0 ? "[" : ", ", static_cast<long long>(tensor.shape->extent(axis)));
  }
  line.Add("] %s %s", LayoutName(tensor.layout), TypeName(tensor.type));
}

// As "20260131_23_59_59_123456", UTC. Not by the C library, whose lock for time zones may be taken for ever in the
// child of a fork.
void WriteTime(char* text, size_t size) {
  using std::chrono::microseconds;
  const auto now = std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now());
  const auto midnight = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss<microseconds> time(now - midnight);
  std::snprintf(text, size, "%04d%02u%02u_%02d_%02d_%02d_%06d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
}

// Copies the directory with its placeholders replaced; nullptr if it does not fit before `end`.
char* WriteDirectory(const char* directory, char* to, const char* end) {
  constexpr char kPid[] = "{pid}", kDevice[] = "{deviceid}";
  while (*directory != '\0') {
    char number[16] = {*directory, '\0'};
    size_t taken = 1;
    if (std::strncmp(directory, kPid, sizeof(kPid) - 1) == 0) {
      std::snprintf(number, sizeof(number), "%ld", ProcessNumber());
      taken = sizeof(kPid) - 1;
    } else if (std::strncmp(directory, kDevice, sizeof(kDevice) - 1) == 0) {
      number[0] = '0';  // mluOpGetDevice
      taken = sizeof(kDevice) - 1;
    }
    const size_t length = std::strlen(number);
    if (static_cast<size_t>(end - to) <= length) return nullptr;
    for (const char* from = number; *from != '\0'; ++from) *to++ = *from;
    directory += taken;
  }
  return to;
}

}  // namespace

GenCase* GenCase::Create(const Call& call, const char* op_name) {
  GenCaseSettings settings;
  if (!GetGenCaseSettings(op_name, &settings)) return nullptr;
  auto* const record = new (std::nothrow) GenCase(call, op_name);
  if (record == nullptr) {
    call.Log(DETOPS_LOG_DISPATCH, "not recorded: no memory");
    return nullptr;
  }
  record->settings_ = settings;
  return record;
}

void GenCase::AddTensor(const TensorArg& tensor, bool input, bool real) {
  const mluOpTensorStruct* const desc = tensor.desc;
  if (desc == nullptr || tensor_count_ == kMaxTensors) return;  // more than any operator has
  tensors_[tensor_count_++] = {tensor.name,       desc,        desc->layout, desc->type,
                               desc->onchip_type, tensor.data, input,        real};
}

void GenCase::MissingOutput(const char* id, const mluOpTensorStruct& shape) {
  if (tensor_count_ == kMaxTensors) return;
  tensors_[tensor_count_++] = {id,    &shape, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, MLUOP_DTYPE_INVALID, nullptr,
                               false, false};
}

void GenCase::AddParam(const ParamRow& param) {
  if (param_count_ < kMaxParams) params_[param_count_++] = param;
}

// ---- what is written --------------------------------------------------------------------------

CaseData GenCase::DataOf(const CaseTensor& tensor, bool with_outputs) const {
  const CaseData none = tensor.input ? CaseData::kRandom : CaseData::kNone;
  if (settings_.mode != kGenCaseData || !HasValues(tensor) || (!tensor.input && !with_outputs)) return none;
  int dump = tensor.input ? settings_.inputs : settings_.outputs;
  if (dump == kDumpNone && tensor.real) dump = kDumpHex;
  if (dump == kDumpNone) return none;
  if (settings_.data_files) return CaseData::kFile;
  return dump == kDumpText ? CaseData::kText : CaseData::kHex;
}

bool GenCase::WriteCase(bool with_outputs) {
  file_.Start(CasePath());
  file_.Text("op_name: \"");
  file_.Text(op_name_);
  file_.Text("\"\ndevice: CPU\n");
  for (int i = 0; i < tensor_count_; ++i) {
    DataPath(i);
    WriteTensor(tensors_[i], DataOf(tensors_[i], with_outputs), i + 1, path_name_, file_);
  }
  WriteParams();
  file_.Text(exact_ ? "test_param {\n  error_func: DIFF3\n  error_threshold: 0\n}\n"
                    : "test_param {\n  error_func: DIFF1\n  error_func: DIFF2\n  error_threshold: 0.003\n"
                      "  error_threshold: 0.003\n}\n");
  CasePath();
  return Written(file_.Commit());
}

void GenCase::WriteParams() {
  if (param_count_ == 0) return;  // the operator has no other arguments, and so no message for them
  file_.Text(param_message_ != nullptr ? param_message_ : op_name_);
  file_.Text(param_message_ != nullptr ? " {\n" : "_param {\n");
  for (int i = 0; i < param_count_; ++i) {
    const ParamRow& param = params_[i];
    for (int64_t k = 0; k < param.count; ++k) {
      file_.Text("  ");
      file_.Text(param.name);
      file_.Text(": ");
      if (param.is_real) {
        file_.Number(param.real);
      } else {
        file_.Number(param.values != nullptr ? param.values[k] : param.integer);
      }
      file_.Text("\n");
    }
  }
  file_.Text("}\n");
}

// One file per tensor whose values are not in the case file itself.
bool GenCase::WriteDataFiles(bool outputs) {
  for (int i = 0; i < tensor_count_; ++i) {
    const CaseTensor& tensor = tensors_[i];
    if (tensor.input == outputs || DataOf(tensor, outputs) != CaseData::kFile) continue;
    file_.Start(DataPath(i));
    file_.Bytes(tensor.data, static_cast<size_t>(tensor.shape->element_count()) * SizeOfType(tensor.type));
    if (!Written(file_.Commit())) return false;
  }
  return true;
}

// ---- names ------------------------------------------------------------------------------------

bool GenCase::MakePath() {
  static constinit std::atomic<uint64_t> counter{0};
  const char* const limit = path_ + kPathSize - kPathReserve - 3 * std::strlen(op_name_);
  path_name_ = path_end_ = WriteDirectory(settings_.directory, path_, limit);
  if (path_end_ == nullptr) {
    path_[0] = '\0';
    path_name_ = path_end_ = path_;
    return Written(ENAMETOOLONG);
  }
  const auto room = [&](const char* from) { return static_cast<size_t>(path_ + kPathSize - from); };
  path_name_ += std::snprintf(path_name_, room(path_name_), "/gen_case/%s/", op_name_);
  char time[48];
  WriteTime(time, sizeof(time));
  do {  // the number tells the files of a process apart; a process elsewhere may have the same pid
    const int length = std::snprintf(path_name_, room(path_name_), "%s_%s_%ld_%llu", op_name_, time, ProcessNumber(),
                                     static_cast<unsigned long long>(counter.fetch_add(1, std::memory_order_relaxed)));
    path_end_ = path_name_ + length;
  } while (FileExists(CasePath()));
  return true;
}

const char* GenCase::CasePath() {
  std::memcpy(path_end_, ".prototxt", sizeof(".prototxt"));
  return path_;
}

const char* GenCase::DataPath(int index) {
  std::snprintf(path_end_, kPathReserve, "_data%d_%s", index, tensors_[index].input ? "input" : "output");
  return path_;
}

// ---- the course of a call ---------------------------------------------------------------------

void GenCase::Begin() {
  if (settings_.mode == kGenCasePrint) {
    Print();
    return;
  }
  if (!MakePath()) return;
  there_ = WriteDataFiles(false) && WriteCase(false);
  if (there_) {
    call_.Log(DETOPS_LOG_DISPATCH, "recorded in %s", CasePath());
  } else {
    RemoveFiles(false);
  }
}

void GenCase::End(mluOpStatus_t status) {
  const bool refused = status == MLUOP_STATUS_BAD_PARAM || status == MLUOP_STATUS_NOT_SUPPORTED;
  if (there_ && refused) RemoveFiles(false);
  const bool outputs = settings_.mode == kGenCaseData && settings_.outputs != kDumpNone;
  // If the outputs cannot be written, the file without them stays.
  if (there_ && status == MLUOP_STATUS_SUCCESS && outputs && !(WriteDataFiles(true) && WriteCase(true))) {
    RemoveFiles(true);
  }
  delete this;
}

void GenCase::RemoveFiles(bool outputs_only) {
  for (int i = 0; i < tensor_count_; ++i) {
    if (settings_.data_files && !(outputs_only && tensors_[i].input)) RemoveFile(DataPath(i));
  }
  if (!outputs_only) RemoveFile(CasePath());
}

bool GenCase::Written(int error) {
  if (error == 0) return true;
  char buffer[128] = "";
  call_.Log(DETOPS_LOG_DISPATCH, "not recorded: %s: %s", TextOfError(error, buffer, sizeof(buffer)), path_);
  return false;
}

void GenCase::Print() const {
  ShortText line;
  line.Add("%s", op_name_);
  for (int i = 0; i < tensor_count_; ++i) {
    const bool first_output = !tensors_[i].input && (i == 0 || tensors_[i - 1].input);
    line.Add("%s%s ", first_output ? " -> " : (i == 0 ? " " : ", "), tensors_[i].id);
    AddShape(tensors_[i], line);
  }
  for (int i = 0; i < param_count_; ++i) {
    const ParamRow& param = params_[i];
    line.Add("%s%s", i == 0 ? "; " : ", ", param.name);
    for (int64_t k = 0; k < param.count && k < 100; ++k) {
      if (param.is_real) {
        line.Add(" %s", NumberText(param.real).text);
      } else {
        line.Add(" %lld", static_cast<long long>(param.values != nullptr ? param.values[k] : param.integer));
      }
    }
  }
  const LogTarget& log = call_.handle()->log;
  if (log.sink != nullptr && log.level >= DETOPS_LOG_DISPATCH) {
    call_.Log(DETOPS_LOG_DISPATCH, "%s", line.text());
    return;
  }
  // The one place where the library prints, because the user has asked for it.
  char text[kErrorTextSize];
  const int length = std::snprintf(text, sizeof(text), "[gen_case] %s\n", line.text());
  PrintToStandardError(text, static_cast<size_t>(length));
}

}  // namespace detops
