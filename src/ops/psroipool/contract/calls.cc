// Calls of psroipool: the samples, how to make one, how to carry it out, and what must come out.
#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/catalogue.h"
#include "harness/fill.h"
#include "ops/psroipool/contract/psroipool.h"
#include "ops/psroipool/reference/reference.h"

namespace detops_harness::psroipool {

int64_t ChannelsOf(int64_t pooled_height, int64_t pooled_width, int64_t dim) {
  int64_t product = 0;
  const bool overflows =
      __builtin_mul_overflow(pooled_height, pooled_width, &product) || __builtin_mul_overflow(product, dim, &product);
  return overflows ? INT64_MAX : product;
}

void SetSizes(Call& call, const Kind& kind, const Sizes& s) {
  const int64_t channels = ChannelsOf(s.pooled_height, s.pooled_width, s.dim);
  const bool first = call[kind.map()].layout == MLUOP_LAYOUT_NCHW;
  const std::vector<int64_t> pooled = first ? std::vector<int64_t>{s.rois, s.dim, s.pooled_height, s.pooled_width}
                                            : std::vector<int64_t>{s.rois, s.pooled_height, s.pooled_width, s.dim};
  call[kind.map()].extents = first ? std::vector<int64_t>{s.batch, channels, s.height, s.width}
                                   : std::vector<int64_t>{s.batch, s.height, s.width, channels};
  call["rois"].extents = {s.rois, 5};
  call[kind.pooled()].extents = call["mapping_channel"].extents = pooled;
  call.integers.at("pooled_height") = s.pooled_height;
  call.integers.at("pooled_width") = s.pooled_width;
  call.integers.at("output_dim") = s.dim;
  if (call.integers.count("group_size") != 0) call.integers.at("group_size") = s.pooled_height;
}

detopsPsRoiPoolConvention_t ConventionOf(const Call& call, const Kind& kind) {
  if (!kind.extension) return DETOPS_PSROIPOOL_RFCN;
  return static_cast<detopsPsRoiPoolConvention_t>(call.integer("convention"));
}

void MakeChannelsFirst(Call& call) {
  for (Tensor& tensor : call.tensors) {
    if (tensor.layout != MLUOP_LAYOUT_NHWC || tensor.extents.size() != 4) continue;
    tensor.layout = MLUOP_LAYOUT_NCHW;
    const std::vector<int64_t> e = tensor.extents;
    tensor.extents = {e[0], e[3], e[1], e[2]};
  }
}

namespace {

// Channels that forward gives.
int64_t ForwardChannel(const Tensor& mapping, int64_t element) {
  const bool first = mapping.layout == MLUOP_LAYOUT_NCHW;
  const Axes axes(mapping.layout);
  const int64_t bins = mapping.extents[axes.height] * mapping.extents[axes.width];
  const int64_t dim = mapping.extents[axes.channels];
  return first ? element % (bins * dim) : element % dim * bins + element / dim % bins;
}

// What the keys of all functions say.
struct Given {
  Given(const Shape& shape, const Kind& kind)
      : scale(shape.Real("scale")),
        sizes{shape.Int("batch"),     shape.Int("height"),    shape.Int("width"), shape.Int("rois", 1),
              shape.Int("pooled", 1), shape.Int("pooled", 1), shape.Int("dim", 1)},
        rois(KindsOfRois()),
        specials(shape.Int("specials") != 0) {
    if (scale < 1e-4 || scale > 1e4) throw ShapeError("--shape: scale must be between 0.0001 and 10000");
    if (kind.extension) {
      shape.Choice("mapping", {"forward", "shuffled", "one", "absent"});
      if (shape.Int("pooled_width") != 0) sizes.pooled_width = shape.Int("pooled_width");
    } else {
      shape.Choice("mapping", {"forward", "shuffled", "one"});
    }
    const std::string& corners = shape.Word("corners");
    if (corners == "mixed") return;
    if (std::find(rois.begin(), rois.end(), corners) == rois.end()) {
      throw ShapeError("--shape: corners=" + corners + " is not a kind of rois, as inside or anywhere");
    }
    rois = {corners};
  }
  double scale;
  Sizes sizes;
  std::vector<std::string> rois;  // kinds, in turn
  bool specials;
};

class Pool : public Function {
 public:
  explicit Pool(const Kind& kind) : Function(MakeContract(kind)), kind_(kind) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }
  detopsProfile_t profile() const override { return kind_.extension ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT; }

  std::vector<ShapeKey> keys() const override {
    std::vector<std::string> corners = KindsOfRois();
    corners.emplace_back("mixed");
    std::vector<ShapeKey> keys = {
        {"batch", "1", "images", {"1", "2", "3"}},
        {"height", "14", "of the map", {"0", "1", "2", "5", "7", "30"}},
        {"width", "14", "of the map", {"1", "2", "4", "9", "31"}},
        {"rois", "320", "regions", {"1", "2", "6", "70"}},
        {"pooled", "7", "bins per side", {"1", "2", "3", "4"}},
        {"dim", "8", "output_dim; the map has pooled x pooled x dim channels", {"1", "3", "5", "8", "17", "33"}},
        {"scale", "1", "spatial_scale", {"1", "0.125", "0.3", "7", "0.1"}},
        {"corners", "inside", "of the rois; anywhere: also outside the map, reversed, and far too small", corners},
        {"mapping", "forward", "backward: channels as forward gives them, or shuffled", {"forward", "shuffled", "one"}},
        {"specials", "0", "1: NaN and infinities among the features", {"0", "1"}}};
    if (kind_.workspace) keys.push_back({"workspace", "0", "bytes", {"0", "1", "40"}});
    if (!kind_.extension) return keys;
    keys[8].choices.emplace_back("absent");
    keys.push_back({"pooled_width", "0", "bins per row if not as many as rows of them", {"0", "1", "2", "5"}});
    keys.push_back({"convention", "rfcn", "of rounding", {"rfcn", "torchvision", "consistent"}});
    keys.push_back({"layout", "NHWC", "of the maps", {"NHWC", "NCHW"}});
    return keys;
  }

  std::vector<Sample> samples() const override { return SamplesOf(kind_); }
  std::vector<BenchmarkCase> benchmarks() const override { return BenchmarksOf(kind_); }
  Theory TheoryOf(const Call& call) const override { return psroipool::TheoryOf(call, kind_); }
  std::string Summary(const Shape& shape) const override { return SummaryOf(shape); }
  void Validate(const Shape& shape) const override { Given checked(shape, kind_); }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override;

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const int ph = a.integer("pooled_height"), pw = a.integer("pooled_width"), dim = a.integer("output_dim");
    const detopsPsRoiPoolConvention_t convention = ConventionOf(a.call(), kind_);
    const auto m = a.desc("mapping_channel"), r = a.desc("rois"), map = a.desc(kind_.map()),
               pooled = a.desc(kind_.pooled());
    void* const mapping = a.data("mapping_channel");
    void* const map_data = a.data(kind_.map());
    void* const pooled_data = a.data(kind_.pooled());
    const void* const rois = a.data("rois");
    const auto scale = a.number<double>("spatial_scale");
    const auto narrow = static_cast<float>(scale);
    if (kind_.extension && kind_.forward) {
      return library.detopsPsRoiPoolForward(handle, convention, ph, pw, scale, dim, map, map_data, r, rois, pooled,
                                            pooled_data, m, mapping);
    }
    if (kind_.extension) {
      return library.detopsPsRoiPoolBackward(handle, convention, ph, pw, scale, dim, pooled, pooled_data, r, rois, m,
                                             mapping, map, map_data);
    }
    if (!kind_.forward) {
      return library.mluOpPsRoiPoolBackward(handle, ph, pw, narrow, dim, pooled, pooled_data, r, rois, m, mapping, map,
                                            map_data);
    }
    const int group = a.integer("group_size");
    if (kind_.workspace) {
      return library.mluOpPsRoiPoolForwardWithWorkspace(handle, ph, pw, narrow, group, dim, map, map_data, r, rois,
                                                        a.workspace(), a.workspace_size(), pooled, pooled_data, m,
                                                        mapping);
    }
    return library.mluOpPsRoiPoolForward(handle, ph, pw, narrow, group, dim, map, map_data, r, rois, pooled,
                                         pooled_data, m, mapping);
  }

  Expected Reference(const Call& call) const override;

 private:
  Kind kind_;
};

Call Pool::Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const {
  const Given given(shape, kind_);
  const auto& [scale, s, kinds, specials] = given;
  Call call;
  call.numbers["spatial_scale"] = scale;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_NHWC;
  bool absent = false;
  if (kind_.extension) {
    call.integers["convention"] =
        static_cast<int64_t>(shape.Choice("convention", {"rfcn", "torchvision", "consistent"}));
    if (shape.Choice("layout", {"NHWC", "NCHW"}) == 1) layout = MLUOP_LAYOUT_NCHW;
    absent = shape.Word("mapping") == "absent";
  } else if (kind_.forward) {
    call.integers["group_size"] = s.pooled_height;
  }
  for (const char* name : {"pooled_height", "pooled_width", "output_dim"}) call.integers[name] = 0;
  call.workspace.has_data = false;
  if (kind_.workspace) {
    call.workspace.bytes = static_cast<size_t>(shape.Int("workspace"));
    call.workspace.has_data = call.workspace.bytes > 0;
    call.integers["workspace_size"] = shape.Int("workspace");
  }
  const auto access = [&](bool written) { return written ? Access::kWritten : Access::kRead; };
  Tensor map{kind_.map(), access(!kind_.forward), layout, type},
      pooled{kind_.pooled(), access(kind_.forward), layout, type};
  Tensor mapping{"mapping_channel", access(kind_.forward), layout, MLUOP_DTYPE_INT32};
  Tensor rois{"rois", Access::kRead, MLUOP_LAYOUT_ARRAY, type};
  call.tensors =
      kind_.forward ? std::vector<Tensor>{map, rois, pooled, mapping} : std::vector<Tensor>{pooled, rois, mapping, map};
  SetSizes(call, kind_, s);
  for (Tensor& tensor : call.tensors) {
    const auto bytes = static_cast<size_t>(tensor.byte_count());
    if (tensor.access == Access::kRead) tensor.contents.resize(bytes);
    if (tensor.access == Access::kWritten) tensor.bytes = bytes;
  }
  Random random(seed);
  FillSigned(call[kind_.source()], random);
  if (specials) FillSpecials(call[kind_.source()]);
  for (int64_t r = 0; r < s.rois; ++r) {
    const Roi roi = MakeRoi(kinds[static_cast<size_t>(r) % kinds.size()], static_cast<double>(s.height) / scale,
                            static_cast<double>(s.width) / scale, 1 / scale, r, random);
    // bfloat16 has no odd numbers above 256.
    const int64_t step = s.batch > 256 ? 2 : 1, image = s.batch == 0 ? 0 : random.Below(s.batch / step) * step;
    const double numbers[] = {static_cast<double>(image), roi.x1, roi.y1, roi.x2, roi.y2};
    for (int64_t i = 0; i < 5; ++i) call["rois"].Set(r * 5 + i, numbers[i]);
  }
  if (absent) call["mapping_channel"] = Absent("mapping_channel", access(kind_.forward));
  Tensor& channels = call["mapping_channel"];
  if (kind_.forward || absent) return call;
  const std::string& way = shape.Word("mapping");
  const int64_t count = ChannelsOf(s.pooled_height, s.pooled_width, s.dim);
  for (int64_t i = 0; i < channels.elements(); ++i) {
    int64_t channel = ForwardChannel(channels, i);
    if (way == "shuffled") channel = random.Below(count);
    if (way == "one" && i == channels.elements() / 2) channel = (channel + 1) % count;  // one that is not forward's
    channels.Set(i, static_cast<double>(channel));
  }
  return call;
}

Expected Pool::Reference(const Call& call) const {
  const Tensor &map = call[kind_.map()], &pooled = call[kind_.pooled()], &mapping = call["mapping_channel"];
  const Axes axes(map.layout);
  const detops_reference::PsRoiPoolShape shape = {map.extents[0],
                                                  map.extents[axes.height],
                                                  map.extents[axes.width],
                                                  call["rois"].extents[0],
                                                  call.integer("pooled_height"),
                                                  call.integer("pooled_width"),
                                                  call.integer("output_dim")};
  const detopsPsRoiPoolConvention_t convention = ConventionOf(call, kind_);
  const double scale = ScaleOf(call, kind_);
  Expected expected;
  const bool written = kind_.forward ? pooled.address != nullptr || mapping.address != nullptr : map.elements() > 0;
  if (!written) return expected;
  // Rounding errors are relative to the sum of the terms' magnitudes.
  Tensor magnitudes = call[kind_.source()];
  for (int64_t i = 0; i < magnitudes.elements(); ++i) magnitudes.Set(i, std::abs(magnitudes.Get(i)));
  if (!kind_.forward) {
    const auto compute = [&](const Tensor& top) {
      return detops_reference::PsRoiPoolBackward(map.type, convention, map.layout, shape, scale, top.contents.data(),
                                                 call["rois"].contents.data(),
                                                 IsAbsent(mapping) ? nullptr : mapping.contents.data());
    };
    expected.tensors[kind_.map()] = compute(pooled);
    expected.magnitudes[kind_.map()] = compute(magnitudes);
    return expected;
  }
  // Nobody looks at the rois of a map without pixels.
  std::vector<std::byte> rois = call["rois"].contents;
  if (map.elements() == 0) rois.assign(static_cast<size_t>(call["rois"].byte_count()), std::byte{0});
  const auto compute = [&](const Tensor& input) {
    return detops_reference::PsRoiPoolForward(map.type, convention, map.layout, shape, scale, input.contents.data(),
                                              rois.data());
  };
  const detops_reference::PsRoiPoolResult result = compute(map);
  if (pooled.address != nullptr) {
    expected.tensors[kind_.pooled()] = result.output;
    expected.magnitudes[kind_.pooled()] = compute(magnitudes).output;
  }
  if (mapping.address != nullptr) {
    expected.tensors["mapping_channel"] = {result.mapping_channel.begin(), result.mapping_channel.end()};
  }
  return expected;
}

}  // namespace

void AddTo(Catalogue& catalogue) {
  for (const Kind& kind :
       {Kind{"mluOpPsRoiPoolForward", true}, Kind{"mluOpPsRoiPoolForwardWithWorkspace", true, false, true},
        Kind{"mluOpPsRoiPoolBackward", false}, Kind{"detopsPsRoiPoolForward", true, true},
        Kind{"detopsPsRoiPoolBackward", false, true}}) {
    catalogue.Add(std::make_unique<Pool>(kind));
  }
}

}  // namespace detops_harness::psroipool
