// The smallest calls of the ten operators, with results that can be computed by hand.
#ifndef DETOPS_TESTS_RECORDING_GEN_CASE_CALLS_H_
#define DETOPS_TESTS_RECORDING_GEN_CASE_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "detops.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_test {

inline constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
inline constexpr mluOpTensorLayout_t kNhwc = MLUOP_LAYOUT_NHWC;

// A tensor with values.
class Filled : public Tensor {
 public:
  Filled(mluOpTensorLayout_t layout, mluOpDataType_t type, std::vector<int64_t> extents,
         const std::vector<double>& values)
      : Tensor(layout, type, std::move(extents)) {
    Assign(values);
  }
};

class SparseDescriptor {
 public:
  SparseDescriptor() { Must(mluOpCreateSparseConvolutionDescriptor(&desc_), "mluOpCreateSparseConvolutionDescriptor"); }
  ~SparseDescriptor() { mluOpDestroySparseConvolutionDescriptor(desc_); }
  SparseDescriptor(const SparseDescriptor&) = delete;
  SparseDescriptor& operator=(const SparseDescriptor&) = delete;
  mluOpSparseConvolutionDescriptor_t get() const { return desc_; }

 private:
  mluOpSparseConvolutionDescriptor_t desc_ = nullptr;
};

// Each object is one call; Run may be repeated. Outputs are public, the inputs can be spoilt.
struct PsRoiPoolForwardCall {
  explicit PsRoiPoolForwardCall(mluOpDataType_t type = MLUOP_DTYPE_FLOAT)
      : input(kNhwc, type, {1, 1, 2, 1}, {1.5, -2}),
        rois(kArray, type, {1, 5}, {0, 0, 0, 0, 0}),
        output(kNhwc, type, {1, 1, 1, 1}),
        mapping(kNhwc, MLUOP_DTYPE_INT32, {1, 1, 1, 1}) {}
  // The bin is the first pixel.
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpPsRoiPoolForward(handle, 1, 1, 1.0f, 1, 1, input.desc(), input.data(), rois.desc(), rois.data(),
                                 output.desc(), output.data(), mapping.desc(), mapping.data());
  }
  Filled input, rois;
  Tensor output, mapping;
};

struct PsRoiPoolBackwardCall {
  PsRoiPoolBackwardCall()
      : top(kNhwc, MLUOP_DTYPE_FLOAT, {1, 1, 1, 1}, {3}),
        mapping(kNhwc, MLUOP_DTYPE_INT32, {1, 1, 1, 1}, {0}),
        rois(kArray, MLUOP_DTYPE_FLOAT, {1, 5}, {0, 0, 0, 0, 0}),
        bottom(kNhwc, MLUOP_DTYPE_FLOAT, {1, 1, 2, 1}) {}
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpPsRoiPoolBackward(handle, 1, 1, 1.0f, 1, top.desc(), top.data(), rois.desc(), rois.data(),
                                  mapping.desc(), mapping.data(), bottom.desc(), bottom.data());
  }
  Filled top, mapping, rois;
  Tensor bottom;
};

struct RoiAwareForwardCall {
  explicit RoiAwareForwardCall(int method = 0)
      : pool_method(method),
        rois(kArray, MLUOP_DTYPE_FLOAT, {1, 7}, {0, 0, 0, 2, 2, 2, 0}),
        pts(kArray, MLUOP_DTYPE_FLOAT, {2, 3}, {0.5, 0.5, 1, 5, 5, 5}),
        feature(kArray, MLUOP_DTYPE_FLOAT, {2, 1}, {2.5, -1}),
        argmax(kArray, MLUOP_DTYPE_INT32, {1, 1, 1, 1, 1}),
        pts_idx(kArray, MLUOP_DTYPE_INT32, {1, 1, 1, 1, 3}),
        pooled(kArray, MLUOP_DTYPE_FLOAT, {1, 1, 1, 1, 1}) {}
  // The box holds the first point only.
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpRoiAwarePool3dForward(handle, pool_method, 1, 2, 1, rois.desc(), rois.data(), pts.desc(), pts.data(),
                                      feature.desc(), feature.data(), nullptr, 0, 3, 1, 1, 1,
                                      with_argmax ? argmax.desc() : nullptr, with_argmax ? argmax.data() : nullptr,
                                      pts_idx.desc(), pts_idx.data(), pooled.desc(), pooled.data());
  }
  int pool_method;
  bool with_argmax = true;
  Filled rois, pts, feature;
  Tensor argmax, pts_idx, pooled;
};

struct RoiAwareBackwardCall {
  RoiAwareBackwardCall()
      : pts_idx(kArray, MLUOP_DTYPE_INT32, {1, 1, 1, 1, 3}, {1, 0, 0}),
        argmax(kArray, MLUOP_DTYPE_INT32, {1, 1, 1, 1, 1}, {0}),
        grad_out(kArray, MLUOP_DTYPE_FLOAT, {1, 1, 1, 1, 1}, {4}),
        grad_in(kArray, MLUOP_DTYPE_FLOAT, {2, 1}) {}
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpRoiAwarePool3dBackward(handle, 0, 1, 1, 1, 1, 1, 3, pts_idx.desc(), pts_idx.data(), argmax.desc(),
                                       argmax.data(), grad_out.desc(), grad_out.data(), grad_in.desc(), grad_in.data());
  }
  Filled pts_idx, argmax, grad_out;
  Tensor grad_in;
};

// A kernel of one offset: every site reaches itself.
struct GetIndicePairsCall {
  GetIndicePairsCall()
      : indices(kArray, MLUOP_DTYPE_INT32, {1, 4}, {0, 0, 0, 1}),
        pairs(kArray, MLUOP_DTYPE_INT32, {1, 2, 1}),
        out(kArray, MLUOP_DTYPE_INT32, {1, 4}),
        num(kArray, MLUOP_DTYPE_INT32, {1}) {
    const int zeros[] = {0, 0, 0}, ones[] = {1, 1, 1}, space[] = {3, 4, 5};
    Must(mluOpSetSparseConvolutionDescriptor(sparse.get(), 5, 2, zeros, ones, ones, space, ones, space, 0, 0, 0),
         "mluOpSetSparseConvolutionDescriptor");
  }
  mluOpStatus_t Run(mluOpHandle_t handle) {
    size_t size = 0;
    const mluOpStatus_t status = mluOpGetIndicePairsWorkspaceSize(handle, sparse.get(), indices.desc(), pairs.desc(),
                                                                  out.desc(), num.desc(), &size);
    if (status != MLUOP_STATUS_SUCCESS) return status;
    workspace.resize(size);
    return mluOpGetIndicePairs(handle, sparse.get(), indices.desc(), indices.data(), workspace.data(), size,
                               pairs.desc(), pairs.data(), out.desc(), out.data(), num.desc(), num.data());
  }
  SparseDescriptor sparse;
  Filled indices;
  Tensor pairs, out, num;
  std::vector<char> workspace;
};

// Two rows that change places, times a half.
struct ConvolutionTensors {
  Filled features{kArray, MLUOP_DTYPE_FLOAT, {2, 1}, {1, 2}};
  Filled filters{kArray, MLUOP_DTYPE_FLOAT, {1, 1, 1, 1, 1}, {0.5}};
  Filled pairs{kArray, MLUOP_DTYPE_INT32, {1, 2, 2}, {0, 1, 1, 0}};
  Filled output_grad{kArray, MLUOP_DTYPE_FLOAT, {2, 1}, {3, 5}};
  int64_t indice_num[1] = {2};
};

struct ConvolutionForwardCall : ConvolutionTensors {
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpIndiceConvolutionForward(handle, features.desc(), features.data(), filters.desc(), filters.data(),
                                         pairs.desc(), pairs.data(), indice_num, 2, 0, 0, nullptr, 0, out.desc(),
                                         out.data());
  }
  Tensor out{kArray, MLUOP_DTYPE_FLOAT, {2, 1}};
};

struct ConvolutionBackwardDataCall : ConvolutionTensors {
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpIndiceConvolutionBackwardData(handle, output_grad.desc(), output_grad.data(), filters.desc(),
                                              filters.data(), pairs.desc(), pairs.data(), indice_num, 0, 0, nullptr, 0,
                                              input_grad.desc(), input_grad.data());
  }
  Tensor input_grad{kArray, MLUOP_DTYPE_FLOAT, {2, 1}};
};

struct ConvolutionBackwardFilterCall : ConvolutionTensors {
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpIndiceConvolutionBackwardFilter(handle, features.desc(), features.data(), output_grad.desc(),
                                                output_grad.data(), pairs.desc(), pairs.data(), indice_num, 0, 0,
                                                nullptr, 0, filters_grad.desc(), filters_grad.data());
  }
  Tensor filters_grad{kArray, MLUOP_DTYPE_FLOAT, {1, 1, 1, 1, 1}};
};

// Every box samples the first pixel.
struct AlignCallTensors {
  explicit AlignCallTensors(mluOpDataType_t type = MLUOP_DTYPE_FLOAT)
      : source(kNhwc, type, {1, 1, 2, 1}, {1, 3}),
        boxes(kArray, type, {1, 1, 2, 5}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
        target(kNhwc, type, {1, 1, 2, 1}) {}
  Filled source, boxes;
  Tensor target;
};

struct AlignForwardCall : AlignCallTensors {
  using AlignCallTensors::AlignCallTensors;
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpRotatedFeatureAlignForward(handle, source.desc(), source.data(), boxes.desc(), boxes.data(), 0.25f, 1,
                                           target.desc(), target.data());
  }
};

struct AlignBackwardCall : AlignCallTensors {
  mluOpStatus_t Run(mluOpHandle_t handle) {
    return mluOpRotatedFeatureAlignBackward(handle, source.desc(), source.data(), boxes.desc(), boxes.data(), 0.25f, 1,
                                            target.desc(), target.data());
  }
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_RECORDING_GEN_CASE_CALLS_H_
