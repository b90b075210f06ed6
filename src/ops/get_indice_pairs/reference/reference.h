// get_indice_pairs as the specification words it, for tests: plain loops and a std::map, nothing shared with the
// library.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

namespace detops_reference {

// The vectors hold one number per spatial axis, 1 to 4, slowest axis first.
struct SparseConvolution {
  int64_t batch = 1;
  std::vector<int64_t> input_space = {};
  std::vector<int64_t> filter_space = {};
  std::vector<int64_t> output_space = {};
  std::vector<int64_t> pad = {};
  std::vector<int64_t> stride = {};
  std::vector<int64_t> dilation = {};
  bool submanifold = false;
  bool transposed = false;

  int64_t KernelVolume() const;
  bool operator==(const SparseConvolution&) const = default;
};

struct IndicePairs {
  std::vector<int32_t> pairs;        // [kernel volume, 2, sites]
  std::vector<int32_t> out_indices;  // [rows, axes + 1]
  std::vector<int32_t> indice_num;   // [kernel volume]
  int64_t num_act_out = 0;
};

// indices: [sites, axes + 1], inside the batch and the input space. out_indices gets `rows` rows, or one for each
// output site if these are more.
IndicePairs GetIndicePairs(const SparseConvolution& convolution, int64_t sites, const int32_t* indices,
                           int64_t rows = 0);

}  // namespace detops_reference

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_REFERENCE_REFERENCE_H_
