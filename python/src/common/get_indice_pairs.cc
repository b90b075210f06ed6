#include "common/get_indice_pairs.h"

#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>

namespace detops_binding {
namespace {

constexpr char kFunction[] = "get_indice_pairs";

int64_t UsualExtent(const PairGeometry& g, int axis) {
  if (g.submanifold) return g.input[axis];
  const int64_t reach = int64_t{g.dilation[axis]} * (int64_t{g.kernel[axis]} - 1) + 1;
  const int64_t padding = 2 * int64_t{g.padding[axis]};
  if (g.transposed) {
    return (int64_t{g.input[axis]} - 1) * g.stride[axis] - padding + reach + g.output_padding[axis];
  }
  const int64_t room = int64_t{g.input[axis]} + padding - reach;
  return g.stride[axis] < 1 || room < 0 ? 0 : room / g.stride[axis] + 1;
}

// Without them there is no output space to compute.
void RequireSteps(const char* name, const Axes& steps) {
  for (const int step : steps) {
    if (step < 1) {
      Argument{kFunction, name}.Refuse("has " + std::to_string(step) + ", expected 1 or more along each axis.");
    }
  }
}

class SparseDescriptor {
 public:
  explicit SparseDescriptor(const PairGeometry& g) {
    mluOpSparseConvolutionDescriptor_t descriptor = nullptr;
    Check(mluOpCreateSparseConvolutionDescriptor(&descriptor), nullptr, kFunction);
    descriptor_.reset(descriptor);
    Check(detopsSetSparseConvolutionDescriptor(descriptor, g.ndim(), g.batch_size, g.padding.data(), g.stride.data(),
                                               g.dilation.data(), g.output_padding.data(), g.input.data(),
                                               g.kernel.data(), g.output.data(), g.submanifold ? 1 : 0,
                                               g.transposed ? 1 : 0, 0),
          nullptr, kFunction);
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

int64_t KernelOffsets(const PairGeometry& g) {
  int64_t offsets = 1;
  for (const int extent : g.kernel) {
    if (extent < 0 || __builtin_mul_overflow(offsets, int64_t{extent}, &offsets)) {
      Argument{kFunction, "kernel_size"}.Refuse("has more offsets than int64 can count.");
    }
  }
  return offsets;
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

void PairGeometry::SetDefaultPadding() {
  padding = Axes(input.size());
  if (!submanifold) return;
  for (int axis = 0; axis < ndim(); ++axis) padding[axis] = kernel[axis] / 2 * dilation[axis];
}

void PairGeometry::SetDefaultOutput() {
  RequireSteps("kernel_size", kernel);
  RequireSteps("stride", stride);
  RequireSteps("dilation", dilation);
  output = Axes(input.size());
  for (int axis = 0; axis < ndim(); ++axis) {
    const int64_t extent = UsualExtent(*this, axis);
    if (extent < 1 || extent > std::numeric_limits<int>::max()) {
      Argument{kFunction, "output_shape"}.Refuse("would be " + std::to_string(extent) + " on axis " +
                                                 std::to_string(axis) + ", expected 1 or more that fit int32.");
    }
    output[axis] = static_cast<int>(extent);
  }
}

void RequireSpatialRank(size_t ndim) {
  if (ndim >= 1 && ndim <= kMaxSpatialRank) return;
  Argument{kFunction, "spatial_shape"}.Refuse("has " + std::to_string(ndim) + " numbers, expected 1 to 4.");
}

int GetIndicePairs(Binding& binding, const PairGeometry& geometry, const View& indices) {
  const SparseDescriptor convolution(geometry);
  const Descriptor indices_desc(indices);
  const int64_t offsets = KernelOffsets(geometry);
  int64_t output_sites = indices.extent(0);  // Those of a submanifold convolution.
  if (!binding.IsGiven(0) && !geometry.submanifold) {
    binding.Run([&](mluOpHandle_t handle) {
      return detopsCountIndicePairOutputs(handle, convolution.get(), indices_desc, indices.data, &output_sites);
    });
  }
  const std::array<int64_t, 2> out_indices_shape = {output_sites, geometry.ndim() + 1};
  const std::array<int64_t, 3> pairs_shape = {offsets, 2, indices.extent(0)};
  const std::array<int64_t, 1> counts_shape = {offsets};
  const View out_indices = binding.Room(0, MLUOP_DTYPE_INT32, out_indices_shape);
  const View pairs = binding.Output(1, MLUOP_DTYPE_INT32, pairs_shape);
  const View counts = binding.Output(2, MLUOP_DTYPE_INT32, counts_shape);
  const Descriptor out_indices_desc(out_indices);
  const Descriptor pairs_desc(pairs);
  const Descriptor counts_desc(counts);
  bool out_of_memory = false;
  binding.Run([&](mluOpHandle_t handle) {
    size_t bytes = 0;
    const mluOpStatus_t status = mluOpGetIndicePairsWorkspaceSize(handle, convolution.get(), indices_desc, pairs_desc,
                                                                  out_indices_desc, counts_desc, &bytes);
    if (status != MLUOP_STATUS_SUCCESS) return status;
    const std::unique_ptr<void, FreeMemory> workspace(bytes > 0 ? std::malloc(bytes) : nullptr);
    out_of_memory = bytes > 0 && workspace == nullptr;
    if (out_of_memory) return MLUOP_STATUS_SUCCESS;
    return mluOpGetIndicePairs(handle, convolution.get(), indices_desc, indices.data, workspace.get(), bytes,
                               pairs_desc, pairs.data, out_indices_desc, out_indices.data, counts_desc, counts.data);
  });
  if (out_of_memory) throw std::bad_alloc();
  int found = 0;
  Check(mluOpGetSparseConvolutionNumActOut(convolution.get(), &found), nullptr, kFunction);
  return found;
}

}  // namespace detops_binding
