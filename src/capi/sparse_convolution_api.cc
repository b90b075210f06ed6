// The sparse-convolution descriptor: create, set, ask, destroy.
#include <new>

#include "core/call.h"
#include "detops/get_indice_pairs.h"
#include "sparse/sparse_convolution.h"

namespace detops {
namespace {

struct Arrays {
  const int* pad;
  const int* stride;
  const int* dilation;
  const int* output_padding;  // nullptr: zeros
  const int* input;
  const int* filter;
  const int* output;
};

mluOpStatus_t CheckPointers(const Call& call, mluOpSparseConvolutionDescriptor_t desc, const Arrays& arrays) {
  if (desc == nullptr) return call.NullArgument("desc", "a sparse-convolution descriptor");
  const struct {
    const char* name;
    const int* data;
  } needed[] = {{"pad", arrays.pad},           {"stride", arrays.stride},       {"dilation", arrays.dilation},
                {"input_space", arrays.input}, {"filter_space", arrays.filter}, {"output_space", arrays.output}};
  for (const auto& array : needed) {
    if (array.data == nullptr) return call.NullArgument(array.name, "one number per axis");
  }
  return MLUOP_STATUS_SUCCESS;
}

mluOpStatus_t CheckAxes(const Call& call, int dims, const Arrays& arrays) {
  const struct {
    const char* name;
    const int* data;
    int least;
  } rules[] = {{"pad", arrays.pad, 0},
               {"stride", arrays.stride, 1},
               {"dilation", arrays.dilation, 1},
               {"input_space", arrays.input, 1},
               {"filter_space", arrays.filter, 1},
               {"output_space", arrays.output, 1},
               {"output_padding", arrays.output_padding, 0}};
  for (int axis = 0; axis < dims; ++axis) {
    for (const auto& rule : rules) {
      if (rule.data == nullptr || rule.data[axis] >= rule.least) continue;
      return call.Fail(MLUOP_STATUS_BAD_PARAM, "%s[%d] is %d, expected %d or more.", rule.name, axis, rule.data[axis],
                       rule.least);
    }
  }
  return MLUOP_STATUS_SUCCESS;
}

// Everything has been checked. The number of output sites stays.
void Assign(mluOpSparseConvolutionStruct& desc, int dims, int batch, const Arrays& arrays, bool submanifold,
            bool transposed, bool inverse) {
  desc.dims = dims;
  desc.batch = batch;
  for (int axis = 0; axis < dims; ++axis) {
    desc.axes[axis] = {.pad = arrays.pad[axis],
                       .stride = arrays.stride[axis],
                       .dilation = arrays.dilation[axis],
                       .output_padding = arrays.output_padding == nullptr ? 0 : arrays.output_padding[axis],
                       .input = arrays.input[axis],
                       .filter = arrays.filter[axis],
                       .output = arrays.output[axis]};
  }
  desc.submanifold = submanifold;
  desc.transposed = transposed;
  desc.inverse = inverse;
}

}  // namespace
}  // namespace detops

using namespace detops;  // entry points are glue

mluOpStatus_t MLUOP_WIN_API mluOpCreateSparseConvolutionDescriptor(mluOpSparseConvolutionDescriptor_t* desc) {
  const Call call("mluOpCreateSparseConvolutionDescriptor", nullptr);
  if (desc == nullptr) {
    return call.Fail(MLUOP_STATUS_NOT_INITIALIZED, "desc is NULL, expected a place for the result.");
  }
  auto* made = new (std::nothrow) mluOpSparseConvolutionStruct;
  if (made == nullptr) return call.Fail(MLUOP_STATUS_ALLOC_FAILED, "no memory for a descriptor.");
  *desc = made;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpDestroySparseConvolutionDescriptor(mluOpSparseConvolutionDescriptor_t desc) {
  const Call call("mluOpDestroySparseConvolutionDescriptor", nullptr);
  if (desc == nullptr) {
    return call.Fail(MLUOP_STATUS_EXECUTION_FAILED, "desc is NULL, expected a sparse-convolution descriptor.");
  }
  delete desc;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpSetSparseConvolutionDescriptor(mluOpSparseConvolutionDescriptor_t desc, int dimNb,
                                                                int batch_size, const int pad[], const int stride[],
                                                                const int dilation[], const int input_space[],
                                                                const int filter_space[], const int output_space[],
                                                                const int sub_m, const int transpose,
                                                                const int inverse) {
  const Call call("mluOpSetSparseConvolutionDescriptor", nullptr);
  const Arrays arrays{pad, stride, dilation, nullptr, input_space, filter_space, output_space};
  if (const mluOpStatus_t status = CheckPointers(call, desc, arrays); status != MLUOP_STATUS_SUCCESS) return status;
  if (dimNb != 5) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM,
                     "dimNb is %d, expected 5; detopsSetSparseConvolutionDescriptor takes 1 to 4 spatial dimensions.",
                     dimNb);
  }
  if (batch_size <= 0) return call.Fail(MLUOP_STATUS_BAD_PARAM, "batch_size is %d, expected 1 or more.", batch_size);
  if (transpose != 0) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM,
                     "transpose is %d, expected 0; detopsSetSparseConvolutionDescriptor also takes 1.", transpose);
  }
  if (inverse != 0) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM,
                     "inverse is %d, expected 0; detopsSetSparseConvolutionDescriptor also takes 1.", inverse);
  }
  if (const mluOpStatus_t status = CheckAxes(call, 3, arrays); status != MLUOP_STATUS_SUCCESS) return status;
  Assign(*desc, 3, batch_size, arrays, sub_m != 0, false, false);
  return call.Succeed();
}

mluOpStatus_t detopsSetSparseConvolutionDescriptor(mluOpSparseConvolutionDescriptor_t desc, int ndim, int batch,
                                                   const int pad[], const int stride[], const int dilation[],
                                                   const int output_padding[], const int input_space[],
                                                   const int filter_space[], const int output_space[], int sub_m,
                                                   int transpose, int inverse) {
  const Call call("detopsSetSparseConvolutionDescriptor", nullptr);
  const Arrays arrays{pad, stride, dilation, output_padding, input_space, filter_space, output_space};
  if (const mluOpStatus_t status = CheckPointers(call, desc, arrays); status != MLUOP_STATUS_SUCCESS) return status;
  if (ndim < 1 || ndim > kMaxSpatialDims) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "ndim is %d, expected 1 to %d.", ndim, kMaxSpatialDims);
  }
  if (batch <= 0) return call.Fail(MLUOP_STATUS_BAD_PARAM, "batch is %d, expected 1 or more.", batch);
  if (transpose != 0 && transpose != 1) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "transpose is %d, expected 0 or 1.", transpose);
  }
  if (inverse != 0 && inverse != 1) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "inverse is %d, expected 0 or 1.", inverse);
  }
  if (sub_m != 0 && transpose != 0) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "transpose is 1, expected 0 as sub_m is %d.", sub_m);
  }
  if (const mluOpStatus_t status = CheckAxes(call, ndim, arrays); status != MLUOP_STATUS_SUCCESS) return status;
  Assign(*desc, ndim, batch, arrays, sub_m != 0, transpose != 0, inverse != 0);
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpGetSparseConvolutionNumActOut(mluOpSparseConvolutionDescriptor_t desc,
                                                               int* num_act_out) {
  const Call call("mluOpGetSparseConvolutionNumActOut", nullptr);
  if (desc == nullptr) {
    return call.Fail(MLUOP_STATUS_NOT_INITIALIZED, "desc is NULL, expected a sparse-convolution descriptor.");
  }
  if (num_act_out == nullptr) {
    return call.Fail(MLUOP_STATUS_NOT_INITIALIZED, "num_act_out is NULL, expected a place for the result.");
  }
  *num_act_out = desc->num_act_out;
  return call.Succeed();
}
