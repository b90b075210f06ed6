// A descriptor with its data between guard pages. New data is a canary: an output element that an operator forgets to
// write, or adds to instead of overwriting, stays NaN (integers: an odd number) and so cannot pass a comparison.
#ifndef DETOPS_TESTS_SUPPORT_TENSOR_H_
#define DETOPS_TESTS_SUPPORT_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "mlu_op.h"
#include "support/element.h"
#include "support/guarded_buffer.h"
#include "support/status.h"

namespace detops_test {

// A descriptor alone, for tests of what operators refuse and for tensors too large to exist.
class Descriptor {
 public:
  Descriptor(mluOpTensorLayout_t layout, mluOpDataType_t type, const std::vector<int64_t>& extents) {
    Must(mluOpCreateTensorDescriptor(&desc_), "mluOpCreateTensorDescriptor");
    Set(layout, type, extents);
  }
  ~Descriptor() { mluOpDestroyTensorDescriptor(desc_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  mluOpTensorDescriptor_t get() const { return desc_; }

  void Set(mluOpTensorLayout_t layout, mluOpDataType_t type, const std::vector<int64_t>& extents) {
    Must(mluOpSetTensorDescriptor_v2(desc_, layout, type, static_cast<int>(extents.size()), extents.data()),
         "mluOpSetTensorDescriptor_v2");
  }

 private:
  mluOpTensorDescriptor_t desc_ = nullptr;
};

class Tensor {
 public:
  Tensor(mluOpTensorLayout_t layout, mluOpDataType_t type, std::vector<int64_t> extents,
         Placement placement = Placement::kAgainstEnd, size_t offset = 0)
      : type_(type),
        extents_(std::move(extents)),
        elements_(Product(extents_)),
        descriptor_(layout, type, extents_),
        buffer_(static_cast<size_t>(elements_) * ElementSize(type), placement, offset) {
    FillCanary();
  }

  mluOpTensorDescriptor_t desc() const { return descriptor_.get(); }
  void* data() { return buffer_.data(); }
  const void* data() const { return buffer_.data(); }
  mluOpDataType_t type() const { return type_; }
  const std::vector<int64_t>& extents() const { return extents_; }
  int64_t elements() const { return elements_; }
  size_t bytes() const { return buffer_.size(); }

  double Get(int64_t index) const { return ReadElement(type_, data(), index); }
  void Set(int64_t index, double value) { WriteElement(type_, data(), index, value); }

  std::vector<double> Values() const {
    std::vector<double> values(static_cast<size_t>(elements_));
    for (int64_t i = 0; i < elements_; ++i) values[static_cast<size_t>(i)] = Get(i);
    return values;
  }

  // As many values as there are elements.
  void Assign(const std::vector<double>& values) {
    for (int64_t i = 0; i < elements_; ++i) Set(i, values.at(static_cast<size_t>(i)));
  }

  void Fill(double value) {
    for (int64_t i = 0; i < elements_; ++i) Set(i, value);
  }

  // Uniform in [low, high) before rounding to the type; the same for the same seed on every machine.
  void FillUniform(double low, double high, uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int64_t i = 0; i < elements_; ++i) {
      Set(i, low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53));
    }
  }

  void FillCanary() { std::memset(data(), CanaryByte(), bytes()); }

  bool SurroundingsIntact() const { return buffer_.SlackIntact(); }

  // The same bits; NaN equals NaN only with the same payload.
  bool SameBytes(const Tensor& other) const {
    return bytes() == other.bytes() && std::memcmp(data(), other.data(), bytes()) == 0;
  }

 private:
  static int64_t Product(const std::vector<int64_t>& extents) {
    int64_t product = 1;
    for (int64_t extent : extents) product *= extent;
    return product;
  }

  // All ones is NaN in every floating type. For integers -1 is an ordinary value of some operators.
  unsigned char CanaryByte() const { return type_ == MLUOP_DTYPE_INT32 || type_ == MLUOP_DTYPE_INT64 ? 0xA5 : 0xFF; }

  mluOpDataType_t type_;
  std::vector<int64_t> extents_;
  int64_t elements_;
  Descriptor descriptor_;
  GuardedBuffer buffer_;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_TENSOR_H_
