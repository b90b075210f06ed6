#include "common/box_pairs.h"
#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kIou("convex_iou(Tensor pointsets, Tensor polygons) -> Tensor");
constexpr Schema kGiou("convex_giou(Tensor pointsets, Tensor polygons) -> (Tensor gious, Tensor grad)");
constexpr Schema kMinArea("min_area_polygons(Tensor pointsets) -> Tensor");
constexpr Schema kPointsIn("points_in_polygons(Tensor points, Tensor polygons) -> Tensor");

void ConvexGiou(Call& call) {
  const View points = call.Numbers(kGiou["pointsets"]);
  const View quads = call.Numbers(kGiou["polygons"], &points);
  const View gious = call.Output(0, points.type, {points.extent(0)});
  const View grad = call.Output(1, points.type, points.shape());
  call.Run([&](mluOpHandle_t handle) {
    return detopsConvexGiou(handle, Descriptor(points), points.data, Descriptor(quads), quads.data, Descriptor(gious),
                            gious.data, Descriptor(grad), grad.data);
  });
}

void MinAreaPolygons(Call& call) {
  const View points = call.Numbers(kMinArea["pointsets"]);
  const View quads = call.Output(0, points.type, {points.extent(0), 8});
  call.Run([&](mluOpHandle_t handle) {
    return detopsMinAreaPolygons(handle, Descriptor(points), points.data, Descriptor(quads), quads.data);
  });
}

}  // namespace

constinit const std::array<Operator, 4> kPolygons = {{
    {kIou, &OfAllPairs<&detopsConvexIou>},
    {kGiou, &ConvexGiou},
    {kMinArea, &MinAreaPolygons},
    {kPointsIn, &OfAllPairs<&detopsPointsInPolygons>},
}};

}  // namespace detops_binding
