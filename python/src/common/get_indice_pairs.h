#ifndef DETOPS_PYTHON_SRC_COMMON_GET_INDICE_PAIRS_H_
#define DETOPS_PYTHON_SRC_COMMON_GET_INDICE_PAIRS_H_

#include <cstdint>
#include <vector>

#include "common/call.h"
#include "common/view.h"

namespace detops_binding {

// A sparse convolution; each list has a number for each spatial axis.
struct PairGeometry {
  std::vector<int> input = {};
  std::vector<int> kernel = {};
  std::vector<int> stride = {};
  std::vector<int> dilation = {};
  std::vector<int> output_padding = {};
  std::vector<int> padding = {};
  std::vector<int> output = {};
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
