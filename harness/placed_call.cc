#include "harness/placed_call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "harness/function.h"
#include "harness/linked_library.h"
#include "support/element.h"
#include "support/guarded_buffer.h"
#include "support/pages.h"
#include "support/status.h"

namespace detops_harness {
namespace {

using detops_test::GuardedBuffer;
using detops_test::Must;
using detops_test::Placement;

// Nobody promises the bits of a NaN: all become the same.
void OneNan(mluOpDataType_t type, char* data, size_t bytes) {
  const size_t size = SizeOfType(type);
  if (type == MLUOP_DTYPE_INT32 || type == MLUOP_DTYPE_INT64 || type == MLUOP_DTYPE_UINT32 || size == 0) return;
  for (size_t i = 0; i < bytes / size; ++i) {
    if (std::isnan(detops_test::ReadElement(type, data, static_cast<int64_t>(i)))) {
      std::memset(data + i * size, 0xFF, size);
    }
  }
}

constexpr int64_t kMostReserved = int64_t{1} << 40;  // of addresses without memory
constexpr int64_t kMostSurplus = 1 << 20;            // a description that says so much more than there is has no data

}  // namespace

// A descriptor that says what the tensor says.
class PlacedCall::Descriptor {
 public:
  explicit Descriptor(const Tensor& tensor) {
    if (!tensor.described) return;
    Must(mluOpCreateTensorDescriptor(&desc_), "mluOpCreateTensorDescriptor");
    const auto rank = static_cast<int>(tensor.extents.size());
    if (rank == 0) Must(mluOpSetTensorDescriptorPointerMode(desc_, MLUOP_POINTER_MODE_HOST), "PointerMode");
    const bool dense = tensor.strides.size() != tensor.extents.size() || rank == 0;
    Must(dense ? mluOpSetTensorDescriptor_v2(desc_, tensor.layout, tensor.type, rank, tensor.extents.data())
               : mluOpSetTensorDescriptorEx_v2(desc_, tensor.layout, tensor.type, rank, tensor.extents.data(),
                                               tensor.strides.data()),
         "mluOpSetTensorDescriptor_v2");
    if (tensor.onchip_type != MLUOP_DTYPE_INVALID) {
      Must(mluOpSetTensorDescriptorOnchipDataType(desc_, tensor.onchip_type), "OnchipDataType");
    }
  }
  ~Descriptor() {
    if (desc_ != nullptr) mluOpDestroyTensorDescriptor(desc_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  mluOpTensorDescriptor_t get() const { return desc_; }

 private:
  mluOpTensorDescriptor_t desc_ = nullptr;
};

class PlacedCall::Block {
 public:
  Block(size_t bytes, const Placing& placing) : bytes_(bytes) {
    if (placing.kind == MemoryKind::kHeap) {
      // Of its exact size, so that a sanitizer sees every step outside; not nullptr if it is empty.
      heap_.reset(new std::byte[bytes + placing.offset]);
      data_ = heap_.get() + placing.offset;
      return;
    }
    if (placing.kind == MemoryKind::kAligned) {
      void* memory = nullptr;
      if (cnrtMalloc(&memory, std::max<size_t>(bytes, 1)) != cnrtSuccess) throw std::bad_alloc();
      aligned_.reset(static_cast<std::byte*>(memory));
      data_ = aligned_.get();
      return;
    }
    const bool end = placing.kind == MemoryKind::kAgainstEnd;
    guarded_ =
        std::make_unique<GuardedBuffer>(bytes, end ? Placement::kAgainstEnd : Placement::kAgainstFront, placing.offset);
    data_ = static_cast<std::byte*>(guarded_->data());
  }
  // Addresses that nobody may touch.
  struct Reserved {};
  Block(size_t bytes, Reserved) : bytes_(bytes), reserved_(true) {
    data_ = static_cast<std::byte*>(detops_test::ReservePages(bytes));
  }
  ~Block() {
    if (reserved_) detops_test::ReleasePages(data_, bytes_);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return reserved_ ? 0 : bytes_; }
  bool Intact() const { return guarded_ == nullptr || guarded_->SlackIntact(); }

  bool written = false;  // by the function; else an input

 private:
  size_t bytes_;
  bool reserved_ = false;
  struct Free {
    void operator()(std::byte* memory) const { cnrtFree(memory); }
  };
  std::unique_ptr<std::byte[]> heap_;
  std::unique_ptr<std::byte, Free> aligned_;
  std::unique_ptr<GuardedBuffer> guarded_;
  std::byte* data_ = nullptr;
};

PlacedCall::PlacedCall(Call call, Placing placing) : call_(std::move(call)), results_(call_.results) {
  for (const auto& [name, list] : call_.integer_lists) {
    const Block& block = NewBlock(list.size() * sizeof(int64_t), {placing.kind, 0});
    if (!list.empty()) std::memcpy(block.data(), list.data(), list.size() * sizeof(int64_t));
    call_.list_addresses[name] = reinterpret_cast<const int64_t*>(block.data());
  }
  call_.workspace.described = false;
  for (Tensor& tensor : call_.tensors) Place(tensor, placing);
  const size_t blocks = blocks_.size();
  Place(call_.workspace, placing);
  if (blocks_.size() > blocks) workspace_ = blocks_.back().get();
  for (Tensor& tensor : call_.tensors) PlaceInside(tensor);
  PlaceInside(call_.workspace);
  std::vector<mluOpTensorDescriptor_t> descriptors;
  for (const Tensor& tensor : call_.tensors) {
    descriptors.push_back(descriptors_.emplace_back(std::make_unique<Descriptor>(tensor))->get());
  }
  arguments_ = std::make_unique<Arguments>(call_, std::move(descriptors));
  arguments_->set_objects(call_.function->MakeObjects(LinkedLibrary(), *arguments_));
}

PlacedCall::~PlacedCall() = default;

PlacedCall::Block& PlacedCall::NewBlock(size_t bytes, const Placing& placing) {
  return *blocks_.emplace_back(std::make_unique<Block>(bytes, placing));
}

void PlacedCall::Place(Tensor& tensor, const Placing& placing) {
  tensor.address = nullptr;
  if (tensor.reserved && tensor.has_data && tensor.inside.empty()) {
    const int64_t reserved = std::max<int64_t>(1, tensor.byte_count());
    if (reserved > kMostReserved) return;
    blocks_.push_back(std::make_unique<Block>(static_cast<size_t>(reserved), Block::Reserved{}));
    tensor.address = blocks_.back()->data();
    return;
  }
  const size_t bytes = tensor.memory_bytes();
  const bool enormous = tensor.described && tensor.byte_count() > static_cast<int64_t>(bytes) + kMostSurplus;
  if (!tensor.has_data || enormous || !tensor.inside.empty()) return;
  Block& block = NewBlock(bytes, placing);
  block.written = tensor.access == Access::kWritten;
  tensor.address = block.data();
  if (!block.written && bytes > 0) std::memcpy(block.data(), tensor.contents.data(), bytes);
  if (block.written) std::memset(block.data(), fill_, bytes);
}

void PlacedCall::PlaceInside(Tensor& tensor) {
  if (tensor.inside.empty() || !tensor.has_data) return;
  const bool list = call_.integer_lists.count(tensor.inside) != 0;
  const void* const base = list ? call_.list_address(tensor.inside) : call_[tensor.inside].address;
  // Arithmetic on the number: the place may lie before the other's begin.
  if (base != nullptr) {
    tensor.address =
        reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(base) + static_cast<uintptr_t>(tensor.inside_at));
  }
}

mluOpStatus_t PlacedCall::Run(mluOpHandle_t handle) {
  Must(detopsSetProfile(handle, call_.profile), "detopsSetProfile");
  Must(detopsSetValueChecks(handle, call_.value_checks ? 1 : 0), "detopsSetValueChecks");
  const mluOpStatus_t status = RunAlone(handle);
  text_ = detopsGetLastError(nullptr);
  return status;
}

mluOpStatus_t PlacedCall::RunAlone(mluOpHandle_t handle) {
  return call_.function->Invoke(LinkedLibrary(), call_.with_handle ? handle : nullptr, *arguments_);
}

void PlacedCall::Reset(unsigned char fill) {
  fill_ = fill;
  for (const auto& block : blocks_) {
    if (block->written) std::memset(block->data(), fill, block->bytes());
  }
  call_.results = results_;
}

std::string PlacedCall::State() const {
  std::string state;
  for (const auto& block : blocks_) {
    if (block.get() == workspace_) continue;
    state.append(reinterpret_cast<const char*>(block->data()), block->bytes());
  }
  for (const auto& [name, value] : call_.results) state += name + std::to_string(value);
  return state;
}

std::vector<PlacedCall::Bytes> PlacedCall::WrittenBytes(const Tensor& output) const {
  if (!output.described) return {};
  std::vector<Bytes> parts;
  const size_t size = SizeOfType(output.type);
  for (const Part& part : call_.function->WrittenParts(call_, output)) {
    parts.push_back({static_cast<size_t>(part.begin) * size, static_cast<size_t>(part.end) * size});
  }
  return parts;
}

bool PlacedCall::RestIntact(const Tensor& output) const {
  if (output.address == nullptr || output.reserved || !output.inside.empty()) return true;
  const auto* const bytes = static_cast<const unsigned char*>(output.address);
  const size_t end = output.memory_bytes();
  size_t rest = 0;
  const auto intact = [&](size_t until) {
    return until <= rest ||
           std::all_of(bytes + rest, bytes + until, [this](unsigned char byte) { return byte == fill_; });
  };
  for (const Bytes& part : WrittenBytes(output)) {
    if (!intact(std::min(part.begin, end))) return false;
    rest = std::min(part.end, end);
  }
  return intact(end);
}

std::string PlacedCall::Outputs() const {
  std::string state;
  for (const Tensor& tensor : call_.tensors) {
    if (tensor.access == Access::kWritten && tensor.address != nullptr) {
      const size_t begin = state.size();
      for (const Bytes& part : WrittenBytes(tensor)) {
        state.append(static_cast<const char*>(tensor.address) + part.begin, part.end - part.begin);
      }
      OneNan(tensor.type, state.data() + begin, state.size() - begin);
    }
  }
  for (const auto& [name, value] : call_.results) state += name + std::to_string(value);
  return state;
}

bool PlacedCall::InputsIntact() const {
  for (const Tensor& tensor : call_.tensors) {
    if (tensor.access == Access::kWritten || tensor.address == nullptr || tensor.reserved) continue;
    if (!tensor.contents.empty() && std::memcmp(tensor.address, tensor.contents.data(), tensor.contents.size()) != 0) {
      return false;
    }
  }
  for (const auto& [name, list] : call_.integer_lists) {
    if (!list.empty() && std::memcmp(call_.list_address(name), list.data(), list.size() * sizeof(int64_t)) != 0) {
      return false;
    }
  }
  return true;
}

bool PlacedCall::SurroundingsIntact() const {
  for (const auto& block : blocks_) {
    if (!block->Intact()) return false;
  }
  for (const Tensor& tensor : call_.tensors) {
    if (tensor.access == Access::kWritten && !RestIntact(tensor)) return false;
  }
  return true;
}

bool PlacedCall::MemorySuffices() const {
  const auto size = call_.integers.find("workspace_size");
  if (size != call_.integers.end() && call_.workspace.address != nullptr &&
      size->second > static_cast<int64_t>(call_.workspace.bytes)) {
    return false;
  }
  for (const Tensor& tensor : call_.tensors) {
    if (!tensor.inside.empty() || tensor.reserved) return false;
    if (tensor.described && tensor.address != nullptr &&
        tensor.byte_count() > static_cast<int64_t>(tensor.memory_bytes())) {
      return false;
    }
  }
  return true;
}

}  // namespace detops_harness
