#include <nanobind/nanobind.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "arguments.h"
#include "array.h"
#include "call.h"
#include "detops.h"
#include "operators.h"

namespace detops_python {
namespace {

constexpr char kFunction[] = "get_indice_pairs";
constexpr int kMaxSpatialRank = 4;

struct Geometry {
  int ndim = 0;
  std::vector<int> input, kernel, stride, padding, dilation, output_padding, output;
  bool submanifold = false;
  bool transposed = false;
};

// The usual extent of the output: that of torch's convolutions, for the transposed one too.
int64_t OutputExtent(const Geometry& g, int axis) {
  if (g.submanifold) return g.input[axis];
  const int64_t reach = int64_t{g.dilation[axis]} * (int64_t{g.kernel[axis]} - 1) + 1;
  const int64_t padding = 2 * int64_t{g.padding[axis]};
  if (g.transposed) {
    return (int64_t{g.input[axis]} - 1) * g.stride[axis] - padding + reach + g.output_padding[axis];
  }
  const int64_t room = int64_t{g.input[axis]} + padding - reach;
  return g.stride[axis] < 1 || room < 0 ? 0 : room / g.stride[axis] + 1;
}

void FindOutput(Geometry& g, nb::handle output_shape) {
  if (!output_shape.is_none()) {
    g.output = Sizes(output_shape, g.ndim, {kFunction, "output_shape"});
    return;
  }
  for (int axis = 0; axis < g.ndim; ++axis) {
    const int64_t extent = OutputExtent(g, axis);
    if (extent < 1 || extent > std::numeric_limits<int>::max()) {
      throw nb::value_error(Argument{kFunction, "output_shape"}
                                .Text("would be " + std::to_string(extent) + " on axis " + std::to_string(axis) +
                                      ", expected 1 or more that fit int32.")
                                .c_str());
    }
    g.output.push_back(static_cast<int>(extent));
  }
}

class SparseDescriptor {
 public:
  SparseDescriptor(const Geometry& g, int batch_size) {
    mluOpSparseConvolutionDescriptor_t descriptor = nullptr;
    Check(mluOpCreateSparseConvolutionDescriptor(&descriptor));
    descriptor_.reset(descriptor);
    Check(detopsSetSparseConvolutionDescriptor(
        descriptor, g.ndim, batch_size, g.padding.data(), g.stride.data(), g.dilation.data(), g.output_padding.data(),
        g.input.data(), g.kernel.data(), g.output.data(), g.submanifold ? 1 : 0, g.transposed ? 1 : 0, 0));
  }

  mluOpSparseConvolutionDescriptor_t get() const { return descriptor_.get(); }

 private:
  struct Destroy {
    void operator()(mluOpSparseConvolutionDescriptor_t descriptor) const {
      mluOpDestroySparseConvolutionDescriptor(descriptor);
    }
  };
  std::unique_ptr<mluOpSparseConvolutionStruct, Destroy> descriptor_;
};

int64_t KernelOffsets(const Geometry& g) {
  int64_t offsets = 1;
  for (const int extent : g.kernel) {
    if (extent < 0 || __builtin_mul_overflow(offsets, int64_t{extent}, &offsets)) {
      throw nb::value_error(Argument{kFunction, "kernel_size"}.Text("has more offsets than int64 can count.").c_str());
    }
  }
  return offsets;
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

nb::tuple GetIndicePairs(nb::handle indices, int batch_size, nb::handle spatial_shape, nb::handle kernel_size,
                         nb::handle stride, nb::handle padding, nb::handle dilation, nb::handle output_padding,
                         nb::handle output_shape, bool submanifold, bool transposed, nb::handle out) {
  Geometry g;
  g.submanifold = submanifold;
  g.transposed = transposed;
  const size_t ndim = Shape(spatial_shape, {kFunction, "spatial_shape"}).size();
  if (ndim < 1 || ndim > kMaxSpatialRank) {
    throw nb::value_error(Argument{kFunction, "spatial_shape"}
                              .Text("has " + std::to_string(ndim) + " numbers, expected 1 to 4.")
                              .c_str());
  }
  g.ndim = static_cast<int>(ndim);
  g.input = Sizes(spatial_shape, g.ndim, {kFunction, "spatial_shape"});
  g.kernel = Sizes(kernel_size, g.ndim, {kFunction, "kernel_size"});
  g.stride = Sizes(stride, g.ndim, {kFunction, "stride"});
  g.dilation = Sizes(dilation, g.ndim, {kFunction, "dilation"});
  g.output_padding = Sizes(output_padding, g.ndim, {kFunction, "output_padding"});
  if (!padding.is_none()) {
    g.padding = Sizes(padding, g.ndim, {kFunction, "padding"});
  } else {
    // A submanifold convolution is centred on its site; the others begin at the border.
    for (int axis = 0; axis < g.ndim; ++axis) {
      g.padding.push_back(submanifold ? g.kernel[axis] / 2 * g.dilation[axis] : 0);
    }
  }
  FindOutput(g, output_shape);

  const Array sites = Array::Indices(indices, {kFunction, "indices"});
  const OutTuple outs(out, 3, {kFunction, "out"});
  const SparseDescriptor convolution(g, batch_size);
  const Descriptor sites_desc(sites);
  const int64_t offsets = KernelOffsets(g);
  int64_t output_sites = 0;
  if (outs[0].is_none()) {
    Run([&](mluOpHandle_t handle) {
      return detopsCountIndicePairOutputs(handle, convolution.get(), sites_desc, sites.data(), &output_sites);
    });
  }
  const std::array<int64_t, 2> out_indices_shape = {output_sites, g.ndim + 1};
  const std::array<int64_t, 3> pairs_shape = {offsets, 2, sites.extent(0)};
  const std::array<int64_t, 1> counts_shape = {offsets};
  const Array out_indices = Array::Room(outs[0], {kFunction, "out[0]"}, MLUOP_DTYPE_INT32, out_indices_shape);
  const Array pairs = Array::Output(outs[1], {kFunction, "out[1]"}, MLUOP_DTYPE_INT32, pairs_shape);
  const Array counts = Array::Output(outs[2], {kFunction, "out[2]"}, MLUOP_DTYPE_INT32, counts_shape);
  const Descriptor out_indices_desc(out_indices);
  const Descriptor pairs_desc(pairs);
  const Descriptor counts_desc(counts);
  bool out_of_memory = false;
  Run([&](mluOpHandle_t handle) {
    size_t bytes = 0;
    const mluOpStatus_t status = mluOpGetIndicePairsWorkspaceSize(handle, convolution.get(), sites_desc, pairs_desc,
                                                                  out_indices_desc, counts_desc, &bytes);
    if (status != MLUOP_STATUS_SUCCESS) return status;
    const std::unique_ptr<void, FreeMemory> workspace(bytes > 0 ? std::malloc(bytes) : nullptr);
    out_of_memory = bytes > 0 && workspace == nullptr;
    if (out_of_memory) return MLUOP_STATUS_SUCCESS;
    return mluOpGetIndicePairs(handle, convolution.get(), sites_desc, sites.data(), workspace.get(), bytes, pairs_desc,
                               pairs.data(), out_indices_desc, out_indices.data(), counts_desc, counts.data());
  });
  if (out_of_memory) throw std::bad_alloc();
  int found = 0;
  Check(mluOpGetSparseConvolutionNumActOut(convolution.get(), &found));
  return nb::make_tuple(out_indices.object(), pairs.object(), counts.object(), found, TupleOf(g.output));
}

}  // namespace

void AddGetIndicePairs(nb::module_& module) {
  module.def("get_indice_pairs", &GetIndicePairs, nb::arg("indices").none(), nb::arg("batch_size"),
             nb::arg("spatial_shape").none(), nb::arg("kernel_size").none(), nb::arg("stride").none(),
             nb::arg("padding").none(), nb::arg("dilation").none(), nb::arg("output_padding").none(),
             nb::arg("output_shape").none(), nb::arg("submanifold"), nb::arg("transposed"), nb::arg("out").none());
}

}  // namespace detops_python
