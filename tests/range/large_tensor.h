// A tensor that may be larger than the machine's memory: it holds zeros, and only what is written takes memory.
#ifndef DETOPS_TESTS_RANGE_LARGE_TENSOR_H_
#define DETOPS_TESTS_RANGE_LARGE_TENSOR_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "support/element.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_range {

using detops_test::Handle;
using detops_test::Must;
using detops_test::Tensor;

inline constexpr int64_t k2To20 = int64_t{1} << 20, k2To31 = int64_t{1} << 31, k2To32 = int64_t{1} << 32;

// Rows of 2^20 halves, and both ends of one.
inline constexpr mluOpDataType_t kHalf = MLUOP_DTYPE_HALF;
inline constexpr int64_t kEnds[] = {0, k2To20 - 1};
inline int64_t At(int64_t row, int64_t channel) { return row * k2To20 + channel; }

class LargeTensor {
 public:
  LargeTensor(mluOpTensorLayout_t layout, mluOpDataType_t type, const std::vector<int64_t>& extents)
      : type_(type), descriptor_(layout, type, extents) {
    for (const int64_t extent : extents) elements_ *= extent;
    bytes_ = static_cast<size_t>(elements_) * detops_test::ElementSize(type);
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~LargeTensor() { munmap(data_, bytes_); }
  LargeTensor(const LargeTensor&) = delete;
  LargeTensor& operator=(const LargeTensor&) = delete;

  mluOpTensorDescriptor_t desc() const { return descriptor_.get(); }
  void* data() const { return data_; }
  int64_t elements() const { return elements_; }
  double Get(int64_t index) const { return detops_test::ReadElement(type_, data_, index); }
  void Set(int64_t index, double value) { detops_test::WriteElement(type_, data_, index, value); }

 private:
  mluOpDataType_t type_;
  detops_test::Descriptor descriptor_;
  int64_t elements_ = 1;
  size_t bytes_ = 0;
  void* data_ = nullptr;
};

}  // namespace detops_range

#endif  // DETOPS_TESTS_RANGE_LARGE_TENSOR_H_
