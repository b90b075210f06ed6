#include "sparse/sparse_convolution.h"

#include "core/checked_math.h"

int64_t mluOpSparseConvolutionStruct::InputSites() const {
  int64_t sites = batch;
  for (int axis = 0; axis < dims; ++axis) sites = detops::SaturatingMultiply(sites, axes[axis].input);
  return sites;
}

int64_t mluOpSparseConvolutionStruct::OutputSites() const {
  int64_t sites = batch;
  for (int axis = 0; axis < dims; ++axis) sites = detops::SaturatingMultiply(sites, axes[axis].output);
  return sites;
}

int64_t mluOpSparseConvolutionStruct::KernelOffsets() const {
  int64_t offsets = 1;
  for (int axis = 0; axis < dims; ++axis) offsets = detops::SaturatingMultiply(offsets, axes[axis].filter);
  return offsets;
}
