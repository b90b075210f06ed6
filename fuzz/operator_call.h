// What the fuzz targets of operators share: tensors as plain data, their descriptors, handles and runners.
#ifndef DETOPS_FUZZ_OPERATOR_CALL_H_
#define DETOPS_FUZZ_OPERATOR_CALL_H_

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "detops.h"
#include "support/status.h"

namespace detops_fuzz {

constexpr uint64_t kMostBytes = 1 << 20;  // tensors above this exist only as descriptors, their data is NULL

// A tensor argument, right or wrong. Counts are saturated, so that no product of extents overflows here.
struct TensorFields {
  int layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t type = MLUOP_DTYPE_INT32;
  std::vector<int64_t> extents = {};
  std::vector<int64_t> strides = {};  // empty: dense
  bool described = true;
  bool has_data = true;

  std::vector<unsigned char> memory = {};
  unsigned char* data = nullptr;

  uint64_t elements() const {
    uint64_t product = 1;
    for (const int64_t extent : extents) {
      if (extent == 0) return 0;
      product = Times(product, static_cast<uint64_t>(extent));
    }
    return product;
  }

  static uint64_t Times(uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(std::min<unsigned __int128>(static_cast<unsigned __int128>(a) * b, UINT64_MAX));
  }
};

class Descriptor {
 public:
  explicit Descriptor(const TensorFields& tensor) {
    using detops_test::Must;
    if (!tensor.described) return;
    Must(mluOpCreateTensorDescriptor(&desc_), "mluOpCreateTensorDescriptor");
    const auto layout = static_cast<mluOpTensorLayout_t>(tensor.layout);
    const auto rank = static_cast<int>(tensor.extents.size());
    if (rank == 0) Must(mluOpSetTensorDescriptorPointerMode(desc_, MLUOP_POINTER_MODE_HOST), "PointerMode");
    const bool dense = tensor.strides.size() != tensor.extents.size() || rank == 0;
    Must(dense ? mluOpSetTensorDescriptor_v2(desc_, layout, tensor.type, rank, tensor.extents.data())
               : mluOpSetTensorDescriptorEx_v2(desc_, layout, tensor.type, rank, tensor.extents.data(),
                                               tensor.strides.data()),
         "Set");
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

inline int RunBackwards(void* /*opaque*/, detopsTask_t task, void* context, int count) {
  for (int index = count; index-- > 0;) task(context, index);
  return 0;
}

// Forgets the first task. With an even count it claims to have run it.
inline int RunAndFail(void* /*opaque*/, detopsTask_t task, void* context, int count) {
  for (int index = 1; index < count; ++index) task(context, index);
  return count % 2;
}

inline mluOpHandle_t NewHandle(int threads, detopsRunner_t runner) {
  using detops_test::Must;
  mluOpHandle_t handle = nullptr;
  Must(mluOpCreate(&handle), "mluOpCreate");
  Must(detopsSetNumThreads(handle, threads), "detopsSetNumThreads");
  Must(detopsSetParallelRunner(handle, runner, nullptr), "detopsSetParallelRunner");
  return handle;
}

// They live as long as the process: starting threads for every input would be most of the time.
struct Handles {
  mluOpHandle_t alone = NewHandle(1, nullptr);
  mluOpHandle_t three = NewHandle(3, nullptr);
  mluOpHandle_t backwards = NewHandle(3, &RunBackwards);
  mluOpHandle_t failing = NewHandle(3, &RunAndFail);
};

inline Handles& AllHandles() {
  static Handles handles;
  return handles;
}

// The SIMD targets of this machine, best first.
inline const std::vector<std::string>& Targets() {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> names;
    std::istringstream list(detopsGetSupportedTargets());
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    return names;
  }();
  return targets;
}

}  // namespace detops_fuzz

#endif  // DETOPS_FUZZ_OPERATOR_CALL_H_
