// What a sparse-convolution descriptor holds.
#ifndef DETOPS_SPARSE_SPARSE_CONVOLUTION_H_
#define DETOPS_SPARSE_SPARSE_CONVOLUTION_H_

#include <cstdint>

#include "mlu_op/sparse_convolution.h"

namespace detops {

inline constexpr int kMaxSpatialDims = 4;

// One spatial axis. All numbers have been checked by the Set functions: padding >= 0, the others >= 1.
struct SparseConvolutionAxis {
  int pad = 0;
  int stride = 1;
  int dilation = 1;
  int output_padding = 0;
  int input = 1;   // extent of the input space
  int filter = 1;  // extent of the kernel
  int output = 1;  // extent of the output space
};

}  // namespace detops

struct mluOpSparseConvolutionStruct {
  int dims = 3;
  int batch = 1;
  detops::SparseConvolutionAxis axes[detops::kMaxSpatialDims];  // slowest first
  bool submanifold = false;
  bool transposed = false;
  bool inverse = false;
  int num_act_out = 0;  // of the last successful mluOpGetIndicePairs

  // True if the contract profile knows such a convolution.
  bool InContract() const { return dims == 3 && !transposed && !inverse; }

  // Products, saturated at the largest int64.
  int64_t InputSites() const;   // batch times the input space
  int64_t OutputSites() const;  // batch times the output space
  int64_t KernelOffsets() const;
};

#endif  // DETOPS_SPARSE_SPARSE_CONVOLUTION_H_
