// Tensors of benchmarks: data from cnrtMalloc, as a program would have it, and descriptors.
#ifndef DETOPS_BENCH_TENSORS_H_
#define DETOPS_BENCH_TENSORS_H_

#include <cstdint>
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

}  // namespace detops_bench

#endif  // DETOPS_BENCH_TENSORS_H_
