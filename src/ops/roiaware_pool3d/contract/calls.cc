#include "ops/roiaware_pool3d/contract/calls.h"

#include <cmath>

#include "boxes/contract/scene.h"

namespace detops_harness::roiaware_pool3d {

void AddTo(Catalogue& catalogue) {
  AddDense(catalogue);
  AddCompact(catalogue);
}

std::vector<ShapeKey> CommonKeys() {
  return {{"boxes", "128", "boxes", {"1", "2", "3", "5", "12"}},
          {"points", "16000", "points", {"1", "2", "11", "40", "70", "300", "700"}},
          {"channels", "16", "per point", {"1", "2", "3", "4", "5", "8", "9", "17", "33"}},
          {"out", "12x12x12", "voxels per box", {"1x1x1", "3x4x5", "2x3x4", "7x1x2", "1x300x1", "5x3x7"}},
          {"max_pts", "128", "max_pts_each_voxel", {"1", "2", "3", "5", "9", "128"}},
          {"pool", "max", "max or avg", {"max", "avg"}}};
}

ShapeKey SpecialsKey() { return {"specials", "0", "1: NaN and infinities among the features", {"0", "1"}}; }

std::vector<ShapeKey> SwitchKeys() {
  return {{"z", "bottom", "the third number of a box: bottom or center", {"bottom", "center"}},
          {"margin", "0", "xy_margin", {"0", "1e-5", "0.25", "1", "1e38"}}};
}

ShapeKey ListsKey() {
  return {"lists",
          "forward",
          "forward: what a forward pass would have left, listed: some points in every list",
          {"forward", "listed"}};
}

Sizes::Sizes(const Shape& shape)
    : boxes(shape.Int("boxes", 1)),
      points(shape.Int("points", 1)),
      channels(shape.Int("channels", 1)),
      grid(),
      pool_method(static_cast<int>(shape.Choice("pool", {"max", "avg"}))) {
  const std::vector<int> out = shape.Ints("out", 3);
  if (out[0] < 1 || out[1] < 1 || out[2] < 1) throw ShapeError("--shape: out must be at least 1 on each axis");
  grid = {out[0], out[1], out[2], shape.Int("max_pts", 1)};
  if (!shape.Has("z")) return;
  grid.z_center = shape.Choice("z", {"bottom", "center"}) == 1;
  grid.xy_margin = shape.Real("margin");
  if (grid.xy_margin < 0) throw ShapeError("--shape: margin must not be negative");
}

void SetGrid(Call& call, const Sizes& sizes) {
  call.integers["max_pts_each_voxel"] = sizes.grid.max_pts_each_voxel;
  call.integers["out_x"] = sizes.grid.out_x;
  call.integers["out_y"] = sizes.grid.out_y;
  call.integers["out_z"] = sizes.grid.out_z;
}

void SetSwitches(Call& call, const Sizes& sizes) {
  call.integers["z_origin"] = sizes.grid.z_center ? DETOPS_Z_CENTER : DETOPS_Z_BOTTOM;
  call.numbers["xy_margin"] = sizes.grid.xy_margin;
}

std::vector<Tensor> MakeInputs(const Shape& shape, const Sizes& sizes, mluOpDataType_t type, Random& random) {
  std::vector<Tensor> tensors = {Input("rois", MLUOP_LAYOUT_ARRAY, type, {sizes.boxes, 7}),
                                 Input("pts", MLUOP_LAYOUT_ARRAY, type, {sizes.points, 3}),
                                 Input("pts_feature", MLUOP_LAYOUT_ARRAY, type, {sizes.points, sizes.channels})};
  const auto& grid = sizes.grid;
  boxes::FillScene(shape, {grid.out_x, grid.out_y, grid.out_z, grid.z_center, grid.xy_margin}, tensors[0], tensors[1],
                   random);
  FillSigned(tensors[2], random);
  if (shape.Has("specials") && shape.Int("specials") != 0) FillSpecials(tensors[2]);
  return tensors;
}

Found::Found(const Shape& shape, const Sizes& sizes, mluOpDataType_t type, Random& random) {
  const std::vector<Tensor> inputs = MakeInputs(shape, sizes, type, random);
  voxels = detops_reference::RoiAwareVoxels(type, sizes.grid, sizes.boxes, inputs[0].contents.data(), sizes.points,
                                            inputs[1].contents.data());
  pooled = detops_reference::RoiAwarePool(type, sizes.pool_method, voxels, sizes.channels, inputs[2].contents.data());
}

int64_t CountPoints(const std::vector<RoiAwareVoxel>& voxels) {
  int64_t points = 0;
  for (const RoiAwareVoxel& voxel : voxels) points += static_cast<int64_t>(voxel.points.size());
  return points;
}

Tensor Magnitudes(Tensor tensor) {
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, std::fabs(tensor.Get(i)));
  return tensor;
}

const int32_t* Integers(const Tensor& tensor) { return reinterpret_cast<const int32_t*>(tensor.contents.data()); }

std::vector<Sample> ForBothMethods(const std::vector<std::string>& shapes) {
  std::vector<Sample> samples;
  for (const std::string& shape : shapes) {
    for (const char* method : {",pool=max", ",pool=avg"}) samples.push_back({shape + method});
  }
  return samples;
}

}  // namespace detops_harness::roiaware_pool3d
