#ifndef DETOPS_PYTHON_SRC_COMMON_GET_INDICE_PAIRS_H_
#define DETOPS_PYTHON_SRC_COMMON_GET_INDICE_PAIRS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/call.h"
#include "common/view.h"

namespace detops_binding {

inline constexpr size_t kMaxSpatialRank = 4;

// A number for each spatial axis, in place: a call has seven of these.
class Axes {
 public:
  Axes() = default;
  // At most kMaxSpatialRank.
  explicit Axes(size_t count, int value = 0) : count_(count) { numbers_.fill(value); }

  size_t size() const { return count_; }
  const int* data() const { return numbers_.data(); }
  const int* begin() const { return data(); }
  const int* end() const { return data() + count_; }
  int operator[](size_t axis) const { return numbers_[axis]; }
  int& operator[](size_t axis) { return numbers_[axis]; }
  std::span<int> all() { return {numbers_.data(), count_}; }

 private:
  std::array<int, kMaxSpatialRank> numbers_ = {};
  size_t count_ = 0;
};

// A sparse convolution.
struct PairGeometry {
  Axes input = {};
  Axes kernel = {};
  Axes stride = {};
  Axes dilation = {};
  Axes output_padding = {};
  Axes padding = {};
  Axes output = {};
  bool submanifold = false;
  bool transposed = false;
  int batch_size = 0;

  int ndim() const { return static_cast<int>(input.size()); }
  // The usual ones: a submanifold convolution is centred on its site, the others begin at the border.
  void SetDefaultPadding();
  // That of torch's convolutions, for the transposed one too.
  void SetDefaultOutput();
};

// 1 to 4.
void RequireSpatialRank(size_t ndim);

// Results: 0 out_indices (num_act_out, D + 1), 1 indice_pairs (K, 2, L), 2 indice_num (K). Returns num_act_out.
int GetIndicePairs(Binding& binding, const PairGeometry& geometry, const View& indices);

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_GET_INDICE_PAIRS_H_
