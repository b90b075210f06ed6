#include "operators/sparse_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_map>
#include <unordered_set>

namespace detops_cli::old {
namespace {

using detops_bench::Voxel;

GetIndicePairsParams ParamsOf(const Shape& shape) {
  GetIndicePairsParams p;
  p.batch = static_cast<int>(shape.Int("batch", 1));
  p.input_space = shape.Ints("space", 3);
  p.filter_space = shape.Ints("filter", 3);
  p.stride = shape.Ints("stride", 3);
  p.pad = shape.Ints("pad", 3);
  p.dilation = shape.Ints("dilation", 3);
  p.sub_m = shape.Int("subm") != 0 ? 1 : 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (p.stride[axis] < 1 || p.dilation[axis] < 1 || p.filter_space[axis] < 1 || p.input_space[axis] < 1) {
      throw UsageError("--shape: space, filter, stride and dilation must be at least 1");
    }
    if (p.sub_m != 0 && p.stride[axis] != 1) throw UsageError("--shape: a submanifold convolution has stride 1");
    const int64_t covered = int64_t{p.dilation[axis]} * (p.filter_space[axis] - 1) + 1;
    const int64_t output = (p.input_space[axis] + 2 * p.pad[axis] - covered) / p.stride[axis] + 1;
    p.output_space.push_back(p.sub_m != 0 ? p.input_space[axis] : static_cast<int>(std::max<int64_t>(output, 0)));
    if (p.output_space.back() < 1) throw UsageError("--shape: the filter is larger than the padded space");
  }
  constexpr int64_t kMostOffsets = 1'000'000;
  if (int64_t{p.filter_space[0]} * p.filter_space[1] * p.filter_space[2] > kMostOffsets) {
    throw UsageError("--shape: a filter has at most 1000000 offsets");
  }
  // Three numbers of Shape fit 64 bits; a batch may make the product larger than that.
  const double room = 1.0 * p.batch * p.input_space[0] * p.input_space[1] * p.input_space[2];
  if (static_cast<double>(shape.Int("sites")) > room)
    throw UsageError(fmt::format("--shape: the space holds only {} sites", room));
  return p;
}

// Chooses sites so that a regular convolution reaches an exact number of outputs: tables of layers state both numbers,
// and no scan happens to have them.
class ExactChoice {
 public:
  ExactChoice(const GetIndicePairsParams& params, int64_t sites, int64_t outputs)
      : params_(params), sites_(sites), outputs_(outputs) {}

  std::vector<Voxel> Choose(const std::vector<Voxel>& candidates, uint64_t seed) {
    for (const Voxel& voxel : candidates) {
      if (Full()) break;
      if (Gain(voxel) <= Missing()) Add(voxel);
    }
    std::mt19937_64 random(seed);
    GrowAround(random);
    for (int64_t tries = 0; Missing() > 0 && tries < 100 * outputs_; ++tries) Exchange(random);
    if (!Full() || Missing() != 0) {
      throw UsageError(fmt::format("--shape: no choice of {} sites reaches {} outputs was found", sites_, outputs_));
    }
    return chosen_;
  }

 private:
  bool Full() const { return static_cast<int64_t>(chosen_.size()) >= sites_; }
  int64_t Missing() const { return outputs_ - static_cast<int64_t>(reached_.size()); }

  static int64_t KeyOf(const Voxel& voxel, const std::vector<int>& space) {
    return ((int64_t{voxel[0]} * space[0] + voxel[1]) * space[1] + voxel[2]) * space[2] + voxel[3];
  }

  // Calls visit(key) for the outputs that a site reaches.
  template <class Visit>
  void ForEachOutput(const Voxel& voxel, Visit visit) const {
    const auto& f = params_.filter_space;
    for (int offset = 0; offset < f[0] * f[1] * f[2]; ++offset) {
      const int at[3] = {offset / f[2] / f[1], offset / f[2] % f[1], offset % f[2]};
      Voxel output = {voxel[0]};
      bool reached = true;
      for (size_t axis = 0; axis < 3 && reached; ++axis) {
        const int distance = voxel[axis + 1] + params_.pad[axis] - at[axis] * params_.dilation[axis];
        reached = distance >= 0 && distance % params_.stride[axis] == 0 &&
                  distance / params_.stride[axis] < params_.output_space[axis];
        output[axis + 1] = distance / params_.stride[axis];
      }
      if (reached) visit(KeyOf(output, params_.output_space));
    }
  }

  // Outputs that only this site would reach. A site reaches an output through one offset at most.
  int64_t Gain(const Voxel& voxel) const {
    int64_t gain = 0;
    ForEachOutput(voxel, [&](int64_t key) { gain += reached_.count(key) == 0 ? 1 : 0; });
    return gain;
  }

  void Add(const Voxel& voxel) {
    if (!taken_.insert(KeyOf(voxel, params_.input_space)).second) return;
    chosen_.push_back(voxel);
    ForEachOutput(voxel, [&](int64_t key) { ++reached_[key]; });
  }

  // Neighbours of chosen sites that reach nothing new, until there are enough sites.
  void GrowAround(std::mt19937_64& random) {
    for (int64_t tries = 0; !Full() && !chosen_.empty() && tries < 1000 * sites_; ++tries) {
      Voxel voxel = chosen_[random() % chosen_.size()];
      bool inside = true;
      for (size_t axis = 0; axis < 3; ++axis) {
        voxel[axis + 1] += static_cast<int32_t>(random() % 3) - 1;
        inside = inside && voxel[axis + 1] >= 0 && voxel[axis + 1] < params_.input_space[axis];
      }
      if (inside && Gain(voxel) == 0) Add(voxel);
    }
  }

  // Gives up a site whose outputs others reach too for one that reaches new ones.
  void Exchange(std::mt19937_64& random) {
    Voxel fresh = {static_cast<int32_t>(random() % static_cast<uint64_t>(params_.batch))};
    for (size_t axis = 0; axis < 3; ++axis) {
      fresh[axis + 1] = static_cast<int32_t>(random() % static_cast<uint64_t>(params_.input_space[axis]));
    }
    const int64_t gain = Gain(fresh);
    if (gain == 0 || gain > Missing() || taken_.count(KeyOf(fresh, params_.input_space)) != 0) return;
    for (int tries = 0; tries < 1000; ++tries) {
      const size_t place = random() % chosen_.size();
      const Voxel old = chosen_[place];
      bool needed = false;
      ForEachOutput(old, [&](int64_t key) { needed = needed || reached_[key] == 1; });
      if (needed) continue;
      ForEachOutput(old, [&](int64_t key) { --reached_[key]; });
      taken_.erase(KeyOf(old, params_.input_space));
      chosen_[place] = chosen_.back();
      chosen_.pop_back();
      Add(fresh);
      return;
    }
  }

  const GetIndicePairsParams& params_;
  const int64_t sites_, outputs_;
  std::vector<Voxel> chosen_;
  std::unordered_set<int64_t> taken_;
  std::unordered_map<int64_t, int> reached_;
};

std::vector<Voxel> MakeSites(const Shape& shape, const GetIndicePairsParams& p, uint64_t seed) {
  const bool random = shape.Choice("voxels", {"lidar", "random"}) == 1;
  const size_t order = shape.Choice("order", {"sorted", "scan", "shuffled"});
  const auto make = random ? detops_bench::RandomVoxels : detops_bench::LidarVoxels;
  std::vector<Voxel> sites =
      make(p.batch, shape.Int("sites"), p.input_space[0], p.input_space[1], p.input_space[2], seed);
  if (shape.Int("outputs") != 0 && p.sub_m == 0) {
    sites = ExactChoice(p, shape.Int("sites"), shape.Int("outputs")).Choose(sites, seed);
  }
  if (order == 0) std::sort(sites.begin(), sites.end());
  if (order == 2) std::shuffle(sites.begin(), sites.end(), std::mt19937_64(seed + 7));
  if (shape.Int("copies") != 0) {
    for (size_t i = 7; i < sites.size(); i += 7) sites[i] = sites[i / 2];
  }
  return sites;
}

}  // namespace

GetIndicePairsParams ValidateSparse(const Shape& shape) {
  shape.Choice("voxels", {"lidar", "random"});
  shape.Choice("order", {"sorted", "scan", "shuffled"});
  for (const char* key : {"outputs", "copies"}) shape.Int(key);
  return ParamsOf(shape);
}

std::vector<ShapeKey> SparseKeys() {
  return {{"sites", "248636", "active sites"},
          {"batch", "4", "scenes"},
          {"space", "41x1440x1440", "extents of the grid: depth, height, width"},
          {"filter", "3x3x3", "extents of the filter"},
          {"stride", "1x1x1", ""},
          {"pad", "1x1x1", ""},
          {"dilation", "1x1x1", ""},
          {"subm", "1", "1: submanifold, outputs where inputs are"},
          {"outputs", "0", "regular convolution: choose sites that reach exactly so many outputs; 0: any"},
          {"voxels", "lidar", "lidar: scans of a street, random: anywhere"},
          {"order", "sorted", "of the sites: sorted, scan (as the rays hit them) or shuffled"},
          {"copies", "0", "1: some sites appear twice"}};
}

detops_reference::SparseConvolution ConvolutionOf(const GetIndicePairsParams& p) {
  const auto wide = [](const std::vector<int>& values) { return std::vector<int64_t>(values.begin(), values.end()); };
  detops_reference::SparseConvolution convolution;
  convolution.batch = p.batch;
  convolution.input_space = wide(p.input_space);
  convolution.filter_space = wide(p.filter_space);
  convolution.output_space = wide(p.output_space);
  convolution.pad = wide(p.pad);
  convolution.stride = wide(p.stride);
  convolution.dilation = wide(p.dilation);
  convolution.submanifold = p.sub_m != 0;
  convolution.transposed = p.transpose != 0;
  return convolution;
}

const SparseInput& MakeSparseInput(const Shape& shape, uint64_t seed) {
  static SparseInput last;
  static std::string last_key;
  std::string key = std::to_string(seed);
  for (const ShapeKey& part : SparseKeys()) key += "," + shape.Word(part.name);
  if (key == last_key) return last;
  last_key.clear();  // stays so if something below throws
  SparseInput input;
  input.params = ParamsOf(shape);
  input.sites = MakeSites(shape, input.params, seed);
  input.pairs = detops_reference::GetIndicePairs(ConvolutionOf(input.params), static_cast<int64_t>(input.sites.size()),
                                                 input.sites.empty() ? nullptr : input.sites[0].data());
  input.outputs = input.pairs.num_act_out;
  last = std::move(input);
  last_key = key;
  return last;
}

}  // namespace detops_cli::old
