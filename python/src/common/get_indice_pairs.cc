#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kSchema(
    "get_indice_pairs(Tensor indices, SymInt batch_size, SymInt[] spatial_shape, int[] kernel_size, "
    "int[]? stride=None, int[]? padding=None, int[]? dilation=None, bool submanifold=False, "
    "bool transposed=False, int[]? output_padding=None, SymInt[]? output_shape=None) -> "
    "(Tensor out_indices, Tensor indice_pairs, Tensor indice_num)");
constexpr std::string_view kFunction = kSchema.name();

constexpr size_t kMaxSpatialRank = 4;

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
};

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

// The usual one: a submanifold convolution is centred on its site, the others begin at the border.
Axes UsualPadding(const PairGeometry& g) {
  Axes padding(g.input.size());
  for (int axis = 0; g.submanifold && axis < g.ndim(); ++axis) padding[axis] = g.kernel[axis] / 2 * g.dilation[axis];
  return padding;
}

// That of torch's convolutions, for the transposed one too.
Axes UsualOutput(const PairGeometry& g) {
  RequireSteps("kernel_size", g.kernel);
  RequireSteps("stride", g.stride);
  RequireSteps("dilation", g.dilation);
  Axes output(g.input.size());
  for (int axis = 0; axis < g.ndim(); ++axis) {
    const int64_t extent = UsualExtent(g, axis);
    if (extent < 1 || extent > std::numeric_limits<int>::max()) {
      Argument{kFunction, "output_shape"}.Refuse("would be " + std::to_string(extent) + " on axis " +
                                                 std::to_string(axis) + ", expected 1 or more that fit int32.");
    }
    output[axis] = static_cast<int>(extent);
  }
  return output;
}

PairGeometry ReadGeometry(Call& call) {
  const std::vector<int> space = call.Ints(kSchema["spatial_shape"]);
  const size_t ndim = space.size();
  if (ndim < 1 || ndim > kMaxSpatialRank) {
    call.At(kSchema["spatial_shape"]).Refuse("has " + std::to_string(ndim) + " numbers, expected 1 to 4.");
  }
  const auto axes = [&](const Parameter& parameter) {
    Axes made(ndim);
    call.PutInts(parameter, made.all());
    return made;
  };
  // Lists cost torch a microsecond each on their way here, so that the usual ones may be left out.
  const auto axes_or = [&](const Parameter& parameter, int usual) {
    return call.IsUsual(parameter) ? Axes(ndim, usual) : axes(parameter);
  };
  PairGeometry g;
  g.input = Axes(ndim);
  std::copy(space.begin(), space.end(), g.input.all().begin());
  g.kernel = axes(kSchema["kernel_size"]);
  g.stride = axes_or(kSchema["stride"], 1);
  g.dilation = axes_or(kSchema["dilation"], 1);
  g.output_padding = axes_or(kSchema["output_padding"], 0);
  g.submanifold = call.Flag(kSchema["submanifold"]);
  g.transposed = call.Flag(kSchema["transposed"]);
  g.batch_size = call.Int32(kSchema["batch_size"]);
  g.padding = call.IsNone(kSchema["padding"]) ? UsualPadding(g) : axes(kSchema["padding"]);
  g.output = call.IsNone(kSchema["output_shape"]) ? UsualOutput(g) : axes(kSchema["output_shape"]);
  return g;
}

void GetIndicePairs(Call& call) {
  const PairGeometry geometry = ReadGeometry(call);
  const View indices = call.Indices(kSchema["indices"]);
  const SparseDescriptor convolution(geometry);
  const Descriptor indices_desc(indices);
  const int64_t offsets = KernelOffsets(geometry);
  int64_t output_sites = indices.extent(0);  // Those of a submanifold convolution.
  if (!call.IsGiven(0) && !geometry.submanifold) {
    call.Run([&](mluOpHandle_t handle) {
      return detopsCountIndicePairOutputs(handle, convolution.get(), indices_desc, indices.data, &output_sites);
    });
  }
  const View out_indices = call.OutputAtLeast(0, MLUOP_DTYPE_INT32, {output_sites, geometry.ndim() + 1});
  const View pairs = call.Output(1, MLUOP_DTYPE_INT32, {offsets, 2, indices.extent(0)});
  const View counts = call.Output(2, MLUOP_DTYPE_INT32, {offsets});
  const Descriptor out_indices_desc(out_indices);
  const Descriptor pairs_desc(pairs);
  const Descriptor counts_desc(counts);
  bool out_of_memory = false;
  call.Run([&](mluOpHandle_t handle) {
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
  call.AddNumbers({&found, 1});
  call.AddNumbers({geometry.output.data(), geometry.output.size()});
}

// Where output sites are put whose number is not known: the memory of a thread, used again.
class RoomForSites {
 public:
  int32_t* rows() const { return numbers_.get(); }
  int64_t count() const { return count_; }
  void Grow(int64_t count, int columns) {
    if (count <= count_ && columns <= columns_) return;
    count_ = 0;
    numbers_.reset(new int32_t[static_cast<size_t>(count) * static_cast<size_t>(columns)]);
    count_ = count;
    columns_ = columns;
  }

 private:
  std::unique_ptr<int32_t[]> numbers_;
  int64_t count_ = 0;
  int columns_ = 0;
};

}  // namespace

void BuildRulebook(Call& call, detopsRulebook_t& made) {
  const PairGeometry geometry = ReadGeometry(call);
  const View indices = call.Indices(kSchema["indices"]);
  const SparseDescriptor convolution(geometry);
  const Descriptor indices_desc(indices);
  const int columns = geometry.ndim() + 1;
  const View counts = call.Output(2, MLUOP_DTYPE_INT32, {KernelOffsets(geometry)});
  const Descriptor counts_desc(counts);
  static thread_local RoomForSites room;
  int64_t count = 0;
  for (bool again = true; again;) {
    // Rows that are not needed are filled: few sites do not get all the room there is.
    if (!geometry.submanifold) room.Grow(std::max(count, indices.extent(0)), columns);
    const int64_t rows = std::max(count, std::min(room.count(), 8 * indices.extent(0)));
    View sites = {.given = true, .rank = 2, .type = MLUOP_DTYPE_INT32, .data = room.rows()};
    sites.extents[0] = rows;
    sites.extents[1] = columns;
    const Descriptor sites_desc(geometry.submanifold ? View() : sites);
    again = false;
    count = -1;
    call.Run([&](mluOpHandle_t handle) {
      const mluOpStatus_t status =
          made == nullptr ? detopsBuildRulebook(handle, convolution.get(), indices_desc, indices.data, sites_desc,
                                                sites.data, counts_desc, counts.data, &count, &made)
                          : detopsRebuildRulebook(handle, made, convolution.get(), indices_desc, indices.data,
                                                  sites_desc, sites.data, counts_desc, counts.data, &count);
      again = status != MLUOP_STATUS_SUCCESS && count > rows;
      return again ? MLUOP_STATUS_SUCCESS : status;
    });
  }
  if (geometry.submanifold) return;
  const View out_indices = call.Output(0, MLUOP_DTYPE_INT32, {count, columns});
  std::copy_n(room.rows(), count * columns, static_cast<int32_t*>(out_indices.data));
}

constinit const std::array<Operator, 1> kGetIndicePairs = {{{kSchema, &GetIndicePairs}}};

}  // namespace detops_binding
