#include <fmt/format.h>

#include <limits>
#include <utility>

#include "operators/common.h"
#include "operators/registry.h"
#include "ops/roiaware_pool3d/bench/cases.h"
#include "ops/roiaware_pool3d/reference/reference.h"

namespace detops_cli::old {
namespace {

using detops_cases::RoiAwareCase;
using detops_reference::RoiAwareVoxel;

constexpr int kAverage = 1;

size_t VoxelNumber(const RoiAwarePool3dParams& p, const RoiAwareVoxel& voxel) {
  return static_cast<size_t>(((voxel.box * p.out_x + voxel.x) * p.out_y + voxel.y) * p.out_z + voxel.z);
}

std::vector<RoiAwareVoxel> FindVoxels(const RoiAwarePool3dParams& p, const HostTensor& rois, const HostTensor& pts) {
  return detops_reference::RoiAwareVoxels(rois.type, {p.out_x, p.out_y, p.out_z, p.max_pts_each_voxel}, p.boxes_num,
                                          rois.data.data(), pts.extents[0], pts.data.data());
}

class RoiAwarePool3d : public Operator {
 public:
  explicit RoiAwarePool3d(bool backward) : backward_(backward) {}

  std::string_view name() const override { return backward_ ? "roiaware_pool3d_backward" : "roiaware_pool3d_forward"; }
  std::string_view function() const override {
    return backward_ ? "mluOpRoiAwarePool3dBackward" : "mluOpRoiAwarePool3dForward";
  }
  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}; }
  std::vector<mluOpDataType_t> full_types() const override { return {MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}; }
  std::vector<ShapeKey> keys() const override {
    return {{"boxes", "128", "boxes"},
            {"points", "16000", "points"},
            {"channels", "16", "per point"},
            {"out", "12x12x12", "voxels per box"},
            {"max_pts", "128", "max_pts_each_voxel"},
            {"pool", "max", "max or avg"},
            SpecialsKey()};
  }

  bool Available(const Library& library) const override {
    return backward_ ? library->mluOpRoiAwarePool3dBackward != nullptr
                     : library->mluOpRoiAwarePool3dForward != nullptr &&
                           library->mluOpGetRoiAwarePool3dForwardWorkspaceSize != nullptr;
  }

  void Validate(const Shape& shape) const override {
    ParamsOf(shape);
    shape.Int("specials");
  }

  Case Make(const Shape& shape, mluOpDataType_t type, bool full_profile, uint64_t seed) const override {
    const RoiAwarePool3dParams p = ParamsOf(shape);
    const auto scene = detops_cases::MakeScene(RoiAwareCase{"", p.boxes_num, p.pts_num, p.channels, 0, 0},
                                               static_cast<unsigned>(seed + 1));
    HostTensor rois = InputTensor("rois", MLUOP_LAYOUT_ARRAY, type, {p.boxes_num, 7});
    HostTensor pts = InputTensor("pts", MLUOP_LAYOUT_ARRAY, type, {p.pts_num, 3});
    HostTensor feature = InputTensor("pts_feature", MLUOP_LAYOUT_ARRAY, type, {p.pts_num, p.channels});
    Fill(rois, scene.rois);
    Fill(pts, scene.pts);
    FillUniform(feature, seed);
    FillSpecials(feature, shape);
    Case c;
    c.op = this;
    c.full_profile = full_profile;
    c.params = p;
    const std::vector<int64_t> pooled = {p.boxes_num, p.out_x, p.out_y, p.out_z, p.channels};
    const std::vector<int64_t> lists = {p.boxes_num, p.out_x, p.out_y, p.out_z, p.max_pts_each_voxel};
    if (backward_) {
      c.inputs.push_back(InputTensor("pts_idx_of_voxels", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, lists));
      c.inputs.push_back(InputTensor("argmax", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, pooled));
      c.inputs.push_back(InputTensor("grad_out", MLUOP_LAYOUT_ARRAY, type, pooled));
      FillLists(c, FindVoxels(p, rois, pts), feature);
      FillUniform(c.inputs[2], seed + 2);
      FillSpecials(c.inputs[2], shape);
      c.outputs.push_back(OutputTensor("grad_in", MLUOP_LAYOUT_ARRAY, type, {p.pts_num, p.channels}));
    } else {
      c.inputs = {std::move(rois), std::move(pts), std::move(feature)};
      c.outputs.push_back(OutputTensor("argmax", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, pooled));
      c.outputs.push_back(OutputTensor("pts_idx_of_voxels", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, lists));
      c.outputs.push_back(OutputTensor("pooled_features", MLUOP_LAYOUT_ARRAY, type, pooled));
    }
    return c;
  }

  std::string Summary(const Shape& shape) const override {
    return fmt::format("{} boxes, {} points, {}, c{}, {}", shape.Word("boxes"), shape.Word("points"), shape.Word("out"),
                       shape.Word("channels"), shape.Word("pool"));
  }

  mluOpStatus_t WorkspaceSize(const Library& library, const Invocation& i, size_t* bytes) const override {
    *bytes = 0;
    if (backward_) return MLUOP_STATUS_SUCCESS;
    return library->mluOpGetRoiAwarePool3dForwardWorkspaceSize(i.handle, i.inputs[0].desc, i.inputs[1].desc,
                                                               i.inputs[2].desc, bytes);
  }

  mluOpStatus_t Call(const Library& library, Invocation& i) const override {
    const auto& p = ParamsAs<RoiAwarePool3dParams>(i);
    const auto& in = i.inputs;
    const auto& out = i.outputs;
    if (backward_) {
      return library->mluOpRoiAwarePool3dBackward(i.handle, p.pool_method, p.boxes_num, p.out_x, p.out_y, p.out_z,
                                                  p.channels, p.max_pts_each_voxel, in[0].desc, in[0].data, in[1].desc,
                                                  in[1].data, in[2].desc, in[2].data, out[0].desc, out[0].data);
    }
    return library->mluOpRoiAwarePool3dForward(
        i.handle, p.pool_method, p.boxes_num, p.pts_num, p.channels, in[0].desc, in[0].data, in[1].desc, in[1].data,
        in[2].desc, in[2].data, i.workspace, i.workspace_size, p.max_pts_each_voxel, p.out_x, p.out_y, p.out_z,
        out[0].desc, out[0].data, out[1].desc, out[1].data, out[2].desc, out[2].data);
  }

  Baseline Reference(const Case& c) const override {
    const auto& p = std::get<RoiAwarePool3dParams>(c.params);
    return backward_ ? ReferenceBackward(c, p) : ReferenceForward(c, p);
  }

  Theory TheoryOf(const Case& c) const override {
    const auto& p = std::get<RoiAwarePool3dParams>(c.params);
    const double voxels = 1.0 * p.boxes_num * p.out_x * p.out_y * p.out_z;
    const bool average = p.pool_method == kAverage;
    double operations, bytes = AllBytes(c);
    if (backward_) {
      operations = voxels * p.channels * (average ? 2.0 * p.max_pts_each_voxel : 1.0);
      // Only the tensor of the mode is read; of a list of points mostly its first cache line.
      bytes -= static_cast<double>(c.inputs[average ? 1 : 0].bytes());
      if (average) bytes += 64 * voxels - static_cast<double>(c.inputs[0].bytes());
    } else {
      operations = 21.0 * p.boxes_num * c.inputs[1].extents.at(0) + voxels * p.max_pts_each_voxel * p.channels;
    }
    const bool in_double = c.inputs[backward_ ? 2 : 0].type == MLUOP_DTYPE_DOUBLE;
    return {operations, AllBytes(c), {bytes, 0, in_double}};
  }

  bool OptionalOutput(const Case& c, size_t output) const override {
    return !backward_ && output == 0 && std::get<RoiAwarePool3dParams>(c.params).pool_method == kAverage;
  }

  std::vector<BadCall> BadCalls(const Case& c) const override {
    using P = RoiAwarePool3dParams;
    std::vector<BadCall> calls = {
        Refused("pool_method is 2", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).pool_method = 2; }),
        Refused("boxes_num is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).boxes_num += 1; }),
        Refused("channels is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).channels += 1; }),
        Refused("max_pts_each_voxel is off by 1", {kBadParam},
                [](Invocation& i) { ParamsAs<P>(i).max_pts_each_voxel += 1; }),
        Refused("out_y is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).out_y += 1; })};
    const auto& p = std::get<P>(c.params);
    if (!backward_) {
      calls.push_back(Refused("pts_num is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).pts_num += 1; }));
      calls.push_back(RefusedValue(c, 0, 6, std::numeric_limits<double>::quiet_NaN()));
      calls.push_back(RefusedValue(c, 0, c.inputs[0].elements() - 7, std::numeric_limits<double>::infinity()));
    } else if (p.pool_method == kAverage) {
      calls.push_back(RefusedValue(c, 0, 0, p.max_pts_each_voxel));
      calls.push_back(RefusedValue(c, 0, 0, -1));
    } else {
      calls.push_back(RefusedValue(c, 1, 0, static_cast<double>(c.outputs[0].extents[0])));
      calls.push_back(RefusedValue(c, 1, c.inputs[1].elements() - 1, -2));
    }
    return calls;
  }

 private:
  static RoiAwarePool3dParams ParamsOf(const Shape& shape) {
    const auto number = [&](const char* key) { return static_cast<int>(shape.Int(key, 1)); };
    const std::vector<int> out = shape.Ints("out", 3);
    if (out[0] < 1 || out[1] < 1 || out[2] < 1) throw UsageError("--shape: out must be at least 1 on each axis");
    return {static_cast<int>(shape.Choice("pool", {"max", "avg"})),
            number("boxes"),
            number("points"),
            number("channels"),
            number("max_pts"),
            out[0],
            out[1],
            out[2]};
  }

  // The tensors that a forward pass would have left.
  static void FillLists(Case& c, const std::vector<RoiAwareVoxel>& voxels, const HostTensor& feature) {
    const auto& p = std::get<RoiAwarePool3dParams>(c.params);
    const bool average = p.pool_method == kAverage;
    const auto pooled =
        detops_reference::RoiAwarePool(feature.type, p.pool_method, voxels, p.channels, feature.data.data());
    auto* const lists = reinterpret_cast<int32_t*>(c.inputs[0].data.data());
    auto* const argmax = reinterpret_cast<int32_t*>(c.inputs[1].data.data());
    std::fill_n(argmax, c.inputs[1].elements(), average ? 0 : -1);
    for (size_t row = 0; row < voxels.size(); ++row) {
      const size_t voxel = VoxelNumber(p, voxels[row]);
      int32_t* const list = lists + voxel * static_cast<size_t>(p.max_pts_each_voxel);
      list[0] = static_cast<int32_t>(voxels[row].points.size());
      for (size_t i = 0; i < voxels[row].points.size(); ++i) list[i + 1] = static_cast<int32_t>(voxels[row].points[i]);
      const auto channels = static_cast<size_t>(p.channels);
      for (size_t i = 0; i < channels; ++i) {
        argmax[voxel * channels + i] = static_cast<int32_t>(pooled.argmax[row * channels + i]);
      }
    }
  }

  static Baseline ReferenceForward(const Case& c, const RoiAwarePool3dParams& p) {
    const auto voxels = FindVoxels(p, c.inputs[0], c.inputs[1]);
    const auto pooled =
        detops_reference::RoiAwarePool(c.inputs[2].type, p.pool_method, voxels, p.channels, c.inputs[2].data.data());
    const auto size = [&](int output) {
      return static_cast<size_t>(c.outputs[static_cast<size_t>(output)].elements());
    };
    std::vector<double> argmax(size(0), p.pool_method == kAverage ? 0 : -1), lists(size(1)), features(size(2));
    const auto channels = static_cast<size_t>(p.channels);
    for (size_t row = 0; row < voxels.size(); ++row) {
      const size_t voxel = VoxelNumber(p, voxels[row]);
      double* const list = lists.data() + voxel * static_cast<size_t>(p.max_pts_each_voxel);
      list[0] = static_cast<double>(voxels[row].points.size());
      for (size_t i = 0; i < voxels[row].points.size(); ++i) list[i + 1] = static_cast<double>(voxels[row].points[i]);
      for (size_t i = 0; i < channels; ++i) {
        argmax[voxel * channels + i] = static_cast<double>(pooled.argmax[row * channels + i]);
        features[voxel * channels + i] = pooled.features[row * channels + i];
      }
    }
    return {{std::move(argmax), std::move(lists), std::move(features)}};
  }

  static Baseline ReferenceBackward(const Case& c, const RoiAwarePool3dParams& p) {
    const HostTensor& grad = c.inputs[2];
    const int64_t rows = grad.elements() / p.channels, points = c.outputs[0].extents[0];
    if (p.pool_method != kAverage) {
      return {{detops_reference::RoiAwareMaxBackward(grad.type, rows, p.channels,
                                                     reinterpret_cast<const int32_t*>(c.inputs[1].data.data()),
                                                     grad.data.data(), points)}};
    }
    const auto* list = reinterpret_cast<const int32_t*>(c.inputs[0].data.data());
    std::vector<std::vector<int64_t>> lists(static_cast<size_t>(rows));
    for (auto& points_of_voxel : lists) {
      points_of_voxel.assign(list + 1, list + 1 + std::max(list[0], 0));
      list += p.max_pts_each_voxel;
    }
    return {{detops_reference::RoiAwareAverageBackward(grad.type, lists, p.channels, grad.data.data(), points)}};
  }

  const bool backward_;
};

}  // namespace

const Operator* RoiAwarePool3dForward() {
  static const RoiAwarePool3d op(false);
  return &op;
}
const Operator* RoiAwarePool3dBackward() {
  static const RoiAwarePool3d op(true);
  return &op;
}

}  // namespace detops_cli::old
