#include "library/session.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "library/machine_info.h"
#include "run/message.h"

namespace detops_cli {

using detops_harness::Access;
using detops_harness::Arguments;
using detops_harness::Tensor;

Session::Session(const Library& library, const Case& the_case, Placement placement) : Session(library, the_case) {
  const mluOpStatus_t created = library_->mluOpCreate(&handle_);
  if (created != MLUOP_STATUS_SUCCESS) throw DeviceError("mluOpCreate: " + library_.Explain(nullptr, created));
  if (library_->cnrtQueueCreate != nullptr && library_->mluOpSetQueue != nullptr) {
    if (library_->cnrtQueueCreate(&queue_) == cnrtSuccess) library_->mluOpSetQueue(handle_, queue_);
  }
  call_ = case_.op->CallOf(case_);
  SetProfile(call_.profile, true);
  PlaceLists(call_);
  for (Tensor& tensor : call_.tensors) {
    descriptors_.push_back(nullptr);
    if (!tensor.described) continue;  // left out
    descriptors_.back() = MakeDescriptor(tensor);
    if (descriptors_.back() == nullptr) throw DeviceError(tensor.name + ": the library refuses the descriptor");
    const bool read = tensor.access == Access::kRead;
    auto& buffers = read ? inputs_ : outputs_;
    const HostTensor& host = (read ? case_.inputs : case_.outputs).at(buffers.size());
    const size_t shift = placement == Placement::kShifted ? host.element_bytes() : 0;
    buffers.push_back(std::make_unique<DeviceBuffer>(library_, host.bytes(), shift));
    tensor.address = buffers.back()->data();
    if (read) buffers.back()->Write(0, host.data.data(), host.data.size());
  }
  arguments_ = std::make_unique<Arguments>(call_, descriptors_);
  try {
    arguments_->set_objects(call_.function->MakeObjects(library_.functions(), *arguments_));
  } catch (const std::runtime_error& error) {
    throw DeviceError(error.what());
  }
}

Session::~Session() {
  for (const mluOpTensorDescriptor_t desc : descriptors_) {
    if (desc != nullptr) library_->mluOpDestroyTensorDescriptor(desc);
  }
  arguments_.reset();  // its objects may need the library's handle
  if (handle_ != nullptr) library_->mluOpDestroy(handle_);
  if (queue_ != nullptr && library_->cnrtQueueDestroy != nullptr) library_->cnrtQueueDestroy(queue_);
}

mluOpTensorDescriptor_t Session::MakeDescriptor(const Tensor& tensor) const {
  mluOpTensorDescriptor_t desc = nullptr;
  if (library_->mluOpCreateTensorDescriptor(&desc) != MLUOP_STATUS_SUCCESS) return nullptr;
  const int rank = static_cast<int>(tensor.extents.size());
  mluOpStatus_t status = MLUOP_STATUS_NOT_SUPPORTED;
  if (!tensor.strides.empty()) {
    if (library_->mluOpSetTensorDescriptorEx_v2 != nullptr) {
      status = library_->mluOpSetTensorDescriptorEx_v2(desc, tensor.layout, tensor.type, rank, tensor.extents.data(),
                                                       tensor.strides.data());
    }
  } else if (library_->mluOpSetTensorDescriptor_v2 != nullptr) {
    status = library_->mluOpSetTensorDescriptor_v2(desc, tensor.layout, tensor.type, rank, tensor.extents.data());
  } else {
    const std::vector<int> narrow(tensor.extents.begin(), tensor.extents.end());
    if (std::equal(narrow.begin(), narrow.end(), tensor.extents.begin())) {
      status = library_->mluOpSetTensorDescriptor(desc, tensor.layout, tensor.type, rank, narrow.data());
    }
  }
  if (status == MLUOP_STATUS_SUCCESS && tensor.onchip_type != MLUOP_DTYPE_INVALID) {
    const auto set = library_->mluOpSetTensorDescriptorOnchipDataType;
    status = set == nullptr ? MLUOP_STATUS_NOT_SUPPORTED : set(desc, tensor.onchip_type);
  }
  if (status == MLUOP_STATUS_SUCCESS) return desc;
  library_->mluOpDestroyTensorDescriptor(desc);
  return nullptr;
}

void Session::PlaceLists(detops_harness::Call& call) const {
  static constexpr int64_t kNone[1] = {0};  // an empty vector may have no address
  for (const auto& [name, list] : call.integer_lists) call.list_addresses[name] = list.empty() ? kNone : list.data();
}

void Session::SetProfile(detopsProfile_t profile, bool value_checks) {
  if (library_->detopsSetProfile != nullptr) library_->detopsSetProfile(handle_, profile);
  if (library_->detopsSetValueChecks != nullptr) library_->detopsSetValueChecks(handle_, value_checks ? 1 : 0);
}

mluOpStatus_t Session::Prepare() {
  size_t bytes = 0;
  const mluOpStatus_t status = call_.function->WorkspaceBytes(library_.functions(), handle_, *arguments_, &bytes);
  if (status != MLUOP_STATUS_SUCCESS) return status;
  call_.asked_workspace = static_cast<int64_t>(bytes);
  if (bytes == 0) return status;
  workspace_ = std::make_unique<DeviceBuffer>(library_, bytes);
  call_.workspace.address = workspace_->data();
  call_.workspace.bytes = bytes;
  call_.workspace.has_data = true;
  call_.integers["workspace_size"] = static_cast<int64_t>(bytes);
  return MLUOP_STATUS_SUCCESS;
}

mluOpStatus_t Session::Invoke(Arguments& arguments, mluOpHandle_t handle) {
  const mluOpStatus_t status = call_.function->Invoke(library_.functions(), handle, arguments);
  if (queue_ != nullptr && library_->cnrtQueueSync != nullptr && library_->cnrtQueueSync(queue_) != cnrtSuccess) {
    return MLUOP_STATUS_EXECUTION_FAILED;
  }
  return status;
}

bool Session::Place(detops_harness::Call& spoilt) const {
  constexpr int64_t kMostSurplus = 1 << 20;  // a description that says so much more than there is has no data
  if (spoilt.profile != call_.profile && library_->detopsSetProfile == nullptr) return false;
  if (!spoilt.value_checks && library_->detopsSetValueChecks == nullptr) return false;
  PlaceLists(spoilt);
  const auto place = [&](Tensor& tensor) {
    const auto bytes = static_cast<int64_t>(tensor.memory_bytes());
    const bool enormous = tensor.described && tensor.byte_count() > bytes + kMostSurplus;
    if (!tensor.has_data || enormous) tensor.address = nullptr;
    if (tensor.reserved) return false;
    if (tensor.inside.empty() || !tensor.has_data) return true;
    if (spoilt.integer_lists.count(tensor.inside) != 0) return false;  // the caller's memory, not the library's
    auto* const base = static_cast<std::byte*>(spoilt[tensor.inside].address);
    if (base != nullptr) tensor.address = base + tensor.inside_at;
    return true;
  };
  return std::all_of(spoilt.tensors.begin(), spoilt.tensors.end(),
                     [&](const Tensor& tensor) {
                       return place(const_cast<Tensor&>(tensor));  // of a call that is not const
                     }) &&
         place(spoilt.workspace);
}

namespace {

// Changes the elements of an input in the library's memory, and changes them back.
class ChangedElements {
 public:
  ChangedElements(DeviceBuffer& buffer, const detops_harness::Contents& good, const detops_harness::Contents& spoilt)
      : buffer_(buffer), good_(good) {
    if (good.SharesWith(spoilt) || good.size() != spoilt.size()) return;
    const auto [begin, other] = std::mismatch(good.begin(), good.end(), spoilt.begin());
    begin_ = static_cast<size_t>(begin - good.begin());
    end_ = good.size();
    while (end_ > begin_ && good.data()[end_ - 1] == spoilt.data()[end_ - 1]) --end_;
    buffer_.Write(begin_, spoilt.data() + begin_, end_ - begin_);
  }
  ~ChangedElements() {
    if (end_ > begin_) buffer_.Write(begin_, good_.data() + begin_, end_ - begin_);
  }
  ChangedElements(const ChangedElements&) = delete;
  ChangedElements& operator=(const ChangedElements&) = delete;

 private:
  DeviceBuffer& buffer_;
  const detops_harness::Contents& good_;
  size_t begin_ = 0, end_ = 0;
};

bool SameDescription(const Tensor& a, const Tensor& b) {
  return a.described == b.described && a.layout == b.layout && a.type == b.type && a.extents == b.extents &&
         a.strides == b.strides && a.onchip_type == b.onchip_type;
}

}  // namespace

bool Session::TrySpoilt(detops_harness::Call& spoilt, mluOpStatus_t* status) {
  std::vector<mluOpTensorDescriptor_t> all = descriptors_;
  std::vector<std::shared_ptr<mluOpTensorStruct>> own;
  for (size_t i = 0; i < all.size(); ++i) {
    if (SameDescription(spoilt.tensors[i], call_.tensors[i])) continue;
    all[i] = nullptr;
    if (!spoilt.tensors[i].described) continue;
    all[i] = MakeDescriptor(spoilt.tensors[i]);
    if (all[i] == nullptr) return false;
    own.emplace_back(all[i], [this](mluOpTensorDescriptor_t desc) { library_->mluOpDestroyTensorDescriptor(desc); });
  }
  Arguments arguments(spoilt, all);
  // The good call's own objects, if they are the same: what it left there must stay.
  const bool same = spoilt.integers == call_.integers && spoilt.integer_lists == call_.integer_lists &&
                    spoilt.numbers == call_.numbers && spoilt.nulls == call_.nulls;
  try {
    arguments.set_objects(same ? arguments_->objects() : call_.function->MakeObjects(library_.functions(), arguments));
  } catch (const std::runtime_error&) {
    return false;
  }
  std::vector<std::unique_ptr<ChangedElements>> changed;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    changed.push_back(
        std::make_unique<ChangedElements>(*inputs_[i], call_.tensors[i].contents, spoilt.tensors[i].contents));
  }
  const bool other = spoilt.profile != call_.profile || !spoilt.value_checks;
  if (other) SetProfile(spoilt.profile, spoilt.value_checks);
  *status = Invoke(arguments, spoilt.with_handle ? handle_ : nullptr);
  if (other) SetProfile(call_.profile, true);
  if (!same) spoilt.results = call_.results;  // of objects that were never used before
  return true;
}

bool Session::SetThreads(int threads) {
  return library_->detopsSetNumThreads != nullptr &&
         library_->detopsSetNumThreads(handle_, threads) == MLUOP_STATUS_SUCCESS;
}

int Session::Threads() const {
  int threads = Cores();  // a library that does not tell may use all
  if (library_->detopsGetNumThreads != nullptr) library_->detopsGetNumThreads(handle_, &threads);
  return threads;
}

void Session::FillOutputs(unsigned char value) {
  for (const auto& buffer : outputs_) buffer->Fill(value);
}

bool Session::OutputsAre(unsigned char value) const {
  for (const auto& buffer : outputs_) {
    if (!buffer->IsFilledWith(value)) return false;
  }
  return true;
}

std::vector<std::vector<std::byte>> Session::Outputs() const {
  std::vector<std::vector<std::byte>> contents;
  for (const auto& buffer : outputs_) contents.push_back(buffer->Contents());
  // How much was written may stand in an output. Those of the call lie in the library's own memory; the copies do not.
  detops_harness::Call seen = call_;
  for (size_t i = 0; i < outputs_.size(); ++i) seen[case_.outputs[i].name].address = contents[i].data();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const HostTensor& output = case_.outputs[i];
    if (!output.strides.empty() || output.elements() == 0) continue;
    const auto clear = [&](int64_t begin, int64_t end) {
      const auto at = [&](int64_t element) {
        return contents[i].begin() +
               static_cast<std::ptrdiff_t>(output.element_bytes()) *
                   static_cast<std::ptrdiff_t>(std::clamp<int64_t>(element, 0, output.elements()));
      };
      std::fill(at(begin), at(end), std::byte{0});
    };
    int64_t behind = 0;
    for (const detops_harness::Part& part : call_.function->WrittenParts(seen, seen[output.name])) {
      clear(behind, part.begin);
      behind = std::max<int64_t>(part.end, 0);
    }
    clear(behind, output.elements());
  }
  return contents;
}

std::string Session::DamagedGuard() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i]->GuardsIntact()) return case_.inputs[i].name;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i]->GuardsIntact()) return case_.outputs[i].name;
  }
  return workspace_ != nullptr && !workspace_->GuardsIntact() ? "workspace" : "";
}

std::string Session::ChangedInput() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i]->Contents() != case_.inputs[i].data) return case_.inputs[i].name;
  }
  return "";
}

std::string Session::FirstCall(std::string* failure) {
  const auto call = [&] {
    const mluOpStatus_t status = Call();
    // At once: the next successful call empties the text.
    *failure = status == MLUOP_STATUS_SUCCESS ? "" : Explain(status);
  };
  std::string lines;
  if (library_->detopsSetLog == nullptr) {
    call();
    return lines;
  }
  const auto sink = [](void* text, detopsLogLevel_t, const char* line) {
    const char* const sentence = std::strstr(line, ": ");
    auto& all = *static_cast<std::string*>(text);
    if (all.size() > kMostText) return;  // it never stops
    all += (all.empty() ? "" : "; ") + ShortText(sentence != nullptr ? sentence + 2 : line);
  };
  library_->detopsSetLog(handle_, DETOPS_LOG_DISPATCH, sink, &lines);
  call();
  library_->detopsSetLog(handle_, DETOPS_LOG_OFF, nullptr, nullptr);
  return lines;
}

}  // namespace detops_cli
