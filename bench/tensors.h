// Tensors of benchmarks: data from cnrtMalloc, as a program would have it, and descriptors.
#ifndef DETOPS_BENCH_TENSORS_H_
#define DETOPS_BENCH_TENSORS_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "detops.h"
#include "support/element.h"

namespace detops_bench {

struct Buffer {
  Buffer(mluOpDataType_t type, const std::vector<float>& values) {
    cnrtMalloc(&data, values.size() * detops_test::ElementSize(type));
    for (size_t i = 0; i < values.size(); ++i) {
      detops_test::WriteElement(type, data, static_cast<int64_t>(i), static_cast<double>(values[i]));
    }
  }
  Buffer(mluOpDataType_t type, int64_t count) : Buffer(type, std::vector<float>(static_cast<size_t>(count))) {}
  ~Buffer() { cnrtFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* data = nullptr;
};

struct Descriptor {
  Descriptor(mluOpTensorLayout_t layout, mluOpDataType_t type, const std::vector<int>& extents) {
    mluOpCreateTensorDescriptor(&desc);
    mluOpSetTensorDescriptor(desc, layout, type, static_cast<int>(extents.size()), extents.data());
  }
  ~Descriptor() { mluOpDestroyTensorDescriptor(desc); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  mluOpTensorDescriptor_t desc = nullptr;
};

// An ARRAY of any finite numbers: bytes that are 0.5 in half, next to 0.5 in float and double.
struct Tensor {
  Tensor(mluOpDataType_t type, const std::vector<int64_t>& extents) {
    mluOpCreateTensorDescriptor(&desc);
    mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, type, static_cast<int>(extents.size()), extents.data());
    size_t bytes = detops_test::ElementSize(type);
    for (const int64_t extent : extents) bytes *= static_cast<size_t>(extent);
    cnrtMalloc(&data, bytes);
    std::memset(data, 0x38, bytes);
  }
  ~Tensor() {
    cnrtFree(data);
    mluOpDestroyTensorDescriptor(desc);
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  mluOpTensorDescriptor_t desc = nullptr;
  void* data = nullptr;
};

}  // namespace detops_bench

#endif  // DETOPS_BENCH_TENSORS_H_
