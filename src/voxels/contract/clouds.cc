#include "voxels/contract/clouds.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/lidar_scan.h"

namespace detops_harness::voxels {
namespace {

enum Kind : size_t { kScattered, kOneVoxel, kEach, kBorders, kSpecial, kCrowded, kEqual, kScan };

// A coordinate in voxels from range_min on.
double Place(Kind kind, double grid, int64_t point, int64_t points, Random& random) {
  switch (kind) {
    case kOneVoxel:
      return 0.25;
    case kEach:
      return static_cast<double>(points - 1 - point) + 0.5;
    case kBorders:
      return static_cast<double>(random.Between(-1, static_cast<int64_t>(std::min(grid, 1e6)) + 1));
    case kCrowded:  // a third in one voxel, the others among the first 60,000
      return point % 3 == 0 ? 0.5 : random.Uniform(0, std::min(grid, 60000.0));
    default:  // a little more than the range
      return random.Uniform(-0.1, 1.1) * grid;
  }
}

void FillPoints(Tensor& points, Kind kind, const Cells& cells, Random& random) {
  FillSigned(points, random);
  const int64_t count = points.extents[0], features = points.extents[1];
  for (int64_t point = 0; point < count; ++point) {
    for (size_t axis = 0; axis < cells.grid.size(); ++axis) {
      const double place = Place(kind, cells.grid[axis], point, count, random);
      points.Set(point * features + static_cast<int64_t>(axis), cells.range_min[axis] + place * cells.voxel_size[axis]);
    }
    // A stretch that no voxel has, so that pieces lose different numbers of points.
    if (point > count * 2 / 5 && point < count * 3 / 5 && count > 10'000) points.Set(point * features, -1e4);
  }
  if (kind == kEqual) {
    for (int64_t i = 0; i < points.elements(); ++i) points.Set(i, 1 / 3.0);
  }
  if (kind == kSpecial) {
    FillSpecials(points);
    for (int64_t i = 5; i < points.elements(); i += 83) points.Set(i, random.OneOf({6e4, -6e4, 3e38, -3e38, -0.0}));
  }
}

// Points around so many voxels of a grid, as a sensor sees them.
void FillScan(Tensor& points, const std::vector<int>& grid, int64_t sites, Random& random) {
  if (grid.size() != 3) throw ShapeError("--shape: scans have three axes");
  const std::vector<Voxel> voxels = LidarVoxels(1, sites, grid[2], grid[1], grid[0], random.Next());
  const int64_t count = points.extents[0], features = points.extents[1], last = sites - 1;
  for (int64_t point = 0; point < count; ++point) {
    // Neighbours in the scan are neighbours in the tensor, as a sensor gives them.
    const int64_t near = std::clamp<int64_t>(point * last / count + random.Between(-200, 200), 0, last);
    const Voxel& voxel = voxels[static_cast<size_t>(near)];
    for (int64_t f = 0; f < features; ++f) {
      const int corner = f < 3 ? voxel[static_cast<size_t>(3 - f)] : 0;
      points.Set(point * features + f, corner + random.Uniform(0.01, 0.99));
    }
  }
}

}  // namespace

std::vector<double> Reals(const Shape& shape, const std::string& key, size_t count) {
  std::vector<double> numbers;
  const std::string& text = shape.Word(key);
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    numbers.push_back(std::strtod(at, &end));
    if (end == at || (*end != 'x' && *end != '\0') || !std::isfinite(numbers.back())) numbers.clear();
    if (numbers.empty()) break;
    at = *end == 'x' ? end + 1 : end;
  }
  if (numbers.empty()) throw ShapeError("--shape: " + key + " must be numbers, as 1x2x0.5");
  numbers.resize(count, numbers.back());
  return numbers;
}

ShapeKey CloudKey() {
  return {"cloud",
          "scattered",
          "scattered, one: all in one voxel, each: one per voxel, borders, special, crowded, equal, scan",
          {"scattered", "one", "each", "borders", "special", "crowded", "equal"}};
}

ShapeKey SitesKey() { return {"sites", "16000", "voxels around which the points of a scan lie"}; }

void FillCloud(const Shape& shape, const Cells& cells, Tensor& points, Random& random) {
  const size_t kind =
      shape.Choice("cloud", {"scattered", "one", "each", "borders", "special", "crowded", "equal", "scan"});
  if (kind == kScan) return FillScan(points, cells.grid, shape.Int("sites", 1), random);
  FillPoints(points, static_cast<Kind>(kind), cells, random);
}

}  // namespace detops_harness::voxels
