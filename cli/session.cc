#include "session.h"

#include <cstring>

#include "machine_info.h"
#include "message.h"

namespace detops_cli {

Session::Session(const Library& library, const Case& the_case, Placement placement) : Session(library, the_case) {
  placement_ = placement;
  mluOpHandle_t handle = nullptr;
  const mluOpStatus_t created = library_->mluOpCreate(&handle);
  if (created != MLUOP_STATUS_SUCCESS) throw DeviceError("mluOpCreate: " + library_.Explain(nullptr, created));
  invocation_.handle = handle;
  if (library_->cnrtQueueCreate != nullptr && library_->mluOpSetQueue != nullptr) {
    if (library_->cnrtQueueCreate(&queue_) == cnrtSuccess) library_->mluOpSetQueue(handle, queue_);
  }
  if (library_->detopsSetProfile != nullptr) {
    library_->detopsSetProfile(handle, case_.full_profile ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT);
  }
  invocation_.params = case_.params;
  if (const auto* sparse = std::get_if<GetIndicePairsParams>(&case_.params)) MakeSparseDescriptor(*sparse);
  if (const auto* convolution = std::get_if<IndiceConvolutionParams>(&case_.params)) {
    static constexpr int64_t kNoCounts[1] = {0};  // an empty vector may have no address
    invocation_.indice_num = convolution->indice_num.empty() ? kNoCounts : convolution->indice_num.data();
  }
  for (const HostTensor& tensor : case_.inputs) {
    invocation_.inputs.push_back(MakeTensor(tensor, inputs_));
    inputs_.back()->Write(0, tensor.data.data(), tensor.data.size());
  }
  for (const HostTensor& tensor : case_.outputs) invocation_.outputs.push_back(MakeTensor(tensor, outputs_));
}

Session::~Session() {
  for (const mluOpTensorDescriptor_t desc : descriptors_) library_->mluOpDestroyTensorDescriptor(desc);
  if (invocation_.sparse != nullptr) library_->mluOpDestroySparseConvolutionDescriptor(invocation_.sparse);
  if (invocation_.handle != nullptr) library_->mluOpDestroy(invocation_.handle);
  if (queue_ != nullptr && library_->cnrtQueueDestroy != nullptr) library_->cnrtQueueDestroy(queue_);
}

mluOpTensorDescriptor_t Session::MakeDescriptor(mluOpTensorLayout_t layout, mluOpDataType_t type,
                                                const std::vector<int64_t>& extents,
                                                const std::vector<int64_t>& strides) {
  mluOpTensorDescriptor_t desc = nullptr;
  if (library_->mluOpCreateTensorDescriptor(&desc) != MLUOP_STATUS_SUCCESS) return nullptr;
  descriptors_.push_back(desc);
  const int rank = static_cast<int>(extents.size());
  mluOpStatus_t status;
  if (!strides.empty()) {
    if (library_->mluOpSetTensorDescriptorEx_v2 == nullptr) return nullptr;
    status = library_->mluOpSetTensorDescriptorEx_v2(desc, layout, type, rank, extents.data(), strides.data());
  } else if (library_->mluOpSetTensorDescriptor_v2 != nullptr) {
    status = library_->mluOpSetTensorDescriptor_v2(desc, layout, type, rank, extents.data());
  } else {
    const std::vector<int> narrow(extents.begin(), extents.end());
    status = library_->mluOpSetTensorDescriptor(desc, layout, type, rank, narrow.data());
  }
  return status == MLUOP_STATUS_SUCCESS ? desc : nullptr;
}

TensorArgument Session::MakeTensor(const HostTensor& tensor, std::vector<std::unique_ptr<DeviceBuffer>>& buffers) {
  const mluOpTensorDescriptor_t desc = MakeDescriptor(tensor.layout, tensor.type, tensor.extents, tensor.strides);
  if (desc == nullptr) throw DeviceError(tensor.name + ": the library refuses the descriptor");
  const size_t shift = placement_ == Placement::kShifted ? tensor.element_bytes() : 0;
  buffers.push_back(std::make_unique<DeviceBuffer>(library_, tensor.bytes(), shift));
  return {desc, buffers.back()->data()};
}

void Session::MakeSparseDescriptor(const GetIndicePairsParams& p) {
  library_->mluOpCreateSparseConvolutionDescriptor(&invocation_.sparse);
  const size_t axes = p.input_space.size();
  const bool contract = p.dimnb == 5 && p.transpose == 0 && p.inverse == 0;
  mluOpStatus_t status = MLUOP_STATUS_NOT_SUPPORTED;
  if (contract) {
    status = library_->mluOpSetSparseConvolutionDescriptor(
        invocation_.sparse, p.dimnb, p.batch, p.pad.data(), p.stride.data(), p.dilation.data(), p.input_space.data(),
        p.filter_space.data(), p.output_space.data(), p.sub_m, p.transpose, p.inverse);
  } else if (library_->detopsSetSparseConvolutionDescriptor != nullptr) {
    const std::vector<int> no_padding(axes, 0);
    status = library_->detopsSetSparseConvolutionDescriptor(
        invocation_.sparse, static_cast<int>(axes), p.batch, p.pad.data(), p.stride.data(), p.dilation.data(),
        no_padding.data(), p.input_space.data(), p.filter_space.data(), p.output_space.data(), p.sub_m, p.transpose,
        p.inverse);
  }
  if (status != MLUOP_STATUS_SUCCESS) {
    throw DeviceError("the sparse convolution descriptor is refused: " + library_.Explain(nullptr, status));
  }
}

mluOpStatus_t Session::Prepare() {
  size_t bytes = 0;
  const mluOpStatus_t status = case_.op->WorkspaceSize(library_, invocation_, &bytes);
  if (status != MLUOP_STATUS_SUCCESS || bytes == 0) return status;
  workspace_ = std::make_unique<DeviceBuffer>(library_, bytes);
  invocation_.workspace = workspace_->data();
  invocation_.workspace_size = bytes;
  return MLUOP_STATUS_SUCCESS;
}

mluOpStatus_t Session::CallWith(Invocation& invocation) {
  const mluOpStatus_t status = case_.op->Call(library_, invocation);
  if (queue_ != nullptr && library_->cnrtQueueSync != nullptr && library_->cnrtQueueSync(queue_) != cnrtSuccess) {
    return MLUOP_STATUS_EXECUTION_FAILED;
  }
  return status;
}

bool Session::SetThreads(int threads) {
  return library_->detopsSetNumThreads != nullptr &&
         library_->detopsSetNumThreads(invocation_.handle, threads) == MLUOP_STATUS_SUCCESS;
}

int Session::Threads() const {
  int threads = Cores();  // a library that does not tell may use all
  if (library_->detopsGetNumThreads != nullptr) library_->detopsGetNumThreads(invocation_.handle, &threads);
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
  return contents;
}

int Session::NumActOut() const {
  int number = 0;
  if (invocation_.sparse != nullptr) library_->mluOpGetSparseConvolutionNumActOut(invocation_.sparse, &number);
  return number;
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
  library_->detopsSetLog(invocation_.handle, DETOPS_LOG_DISPATCH, sink, &lines);
  call();
  library_->detopsSetLog(invocation_.handle, DETOPS_LOG_OFF, nullptr, nullptr);
  return lines;
}

}  // namespace detops_cli
