#include "ops/roiaware_pool3d/reference/reference.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>

#include "support/element.h"

namespace detops_reference {
namespace {

using detops_test::ReadElement;

// A box or a point as numbers of the type in which is decided.
template <class Real>
std::vector<Real> ReadNumbers(mluOpDataType_t type, const void* data, int64_t count) {
  std::vector<Real> numbers(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) numbers[static_cast<size_t>(i)] = static_cast<Real>(ReadElement(type, data, i));
  return numbers;
}

// distance: from the low side of the box; size: of the box; both along one axis that is cut into `count` bins. What is
// beside the box because of a margin, or of rounding, belongs to the outer bins.
template <class Real>
int64_t Bin(Real distance, Real size, int64_t count) {
  if (size == 0) return 0;
  const Real step = size / static_cast<Real>(count);
  const Real bin = distance / step;
  if (!(bin > 0)) return 0;
  return static_cast<double>(bin) >= static_cast<double>(count) ? count - 1 : static_cast<int64_t>(bin);
}

template <class Real>
class Box {
 public:
  Box(const Real* numbers, const RoiAwareGrid& grid)
      : grid_(grid),
        cx_(numbers[0]),
        cy_(numbers[1]),
        cz_(numbers[2]),
        dx_(numbers[3]),
        dy_(numbers[4]),
        dz_(numbers[5]),
        cos_(static_cast<Real>(std::cos(-static_cast<double>(numbers[6])))),
        sin_(static_cast<Real>(std::sin(-static_cast<double>(numbers[6])))) {
    const double middle = static_cast<double>(cz_) + static_cast<double>(dz_) / 2.0;
    middle_z_ = grid.z_center ? cz_ : static_cast<Real>(middle);
  }

  // The number of the point's voxel, -1 for a point outside. Conditions say what is inside, so that a comparison with
  // NaN means outside.
  int64_t VoxelOf(const Real* point) const {
    const Real x = point[0], y = point[1], z = point[2], two = 2;
    // Halves are compared in double: a float that is not normal has no exact half.
    if (!(std::fabs(static_cast<double>(z - middle_z_)) <= static_cast<double>(dz_) / 2.0)) return -1;
    const Real shift_x = x - cx_, shift_y = y - cy_;
    const Real local_x = shift_x * cos_ - shift_y * sin_;
    const Real local_y = shift_x * sin_ + shift_y * cos_;
    if (!WithinSides(local_x, dx_) || !WithinSides(local_y, dy_)) return -1;
    const Real from_bottom = grid_.z_center ? z - cz_ + dz_ / two : z - cz_;
    const int64_t bin_x = Bin(local_x + dx_ / two, dx_, grid_.out_x);
    const int64_t bin_y = Bin(local_y + dy_ / two, dy_, grid_.out_y);
    const int64_t bin_z = Bin(from_bottom, dz_, grid_.out_z);
    return (bin_x * grid_.out_y + bin_y) * grid_.out_z + bin_z;
  }

 private:
  bool WithinSides(Real local, Real size) const {
    const double margin = static_cast<double>(static_cast<Real>(grid_.xy_margin));
    return std::fabs(static_cast<double>(local)) < static_cast<double>(size) / 2.0 + margin;
  }

  const RoiAwareGrid& grid_;
  Real cx_, cy_, cz_, dx_, dy_, dz_, cos_, sin_, middle_z_;
};

template <class Real>
std::vector<RoiAwareVoxel> Voxels(mluOpDataType_t type, const RoiAwareGrid& grid, int64_t boxes, const void* rois,
                                  int64_t points, const void* pts) {
  const std::vector<Real> box_numbers = ReadNumbers<Real>(type, rois, boxes * 7);
  const std::vector<Real> point_numbers = ReadNumbers<Real>(type, pts, points * 3);
  std::vector<RoiAwareVoxel> voxels;
  for (int64_t b = 0; b < boxes; ++b) {
    const Box<Real> box(&box_numbers[static_cast<size_t>(b * 7)], grid);
    std::map<int64_t, std::vector<int64_t>> lists;
    for (int64_t p = 0; p < points; ++p) {
      const int64_t voxel = box.VoxelOf(&point_numbers[static_cast<size_t>(p * 3)]);
      if (voxel < 0 || grid.max_pts_each_voxel == 1) continue;
      std::vector<int64_t>& list = lists[voxel];
      if (static_cast<int64_t>(list.size()) < grid.max_pts_each_voxel - 1) list.push_back(p);
    }
    for (const auto& [voxel, list] : lists) {
      voxels.push_back({b, voxel / grid.out_z / grid.out_y, voxel / grid.out_z % grid.out_y, voxel % grid.out_z, list});
    }
  }
  return voxels;
}

}  // namespace

std::vector<RoiAwareVoxel> RoiAwareVoxels(mluOpDataType_t type, const RoiAwareGrid& grid, int64_t boxes,
                                          const void* rois, int64_t points, const void* pts) {
  return type == MLUOP_DTYPE_DOUBLE ? Voxels<double>(type, grid, boxes, rois, points, pts)
                                    : Voxels<float>(type, grid, boxes, rois, points, pts);
}

RoiAwarePooled RoiAwarePool(mluOpDataType_t type, int pool_method, const std::vector<RoiAwareVoxel>& voxels,
                            int64_t channels, const void* pts_feature) {
  RoiAwarePooled pooled;
  for (const RoiAwareVoxel& voxel : voxels) {
    for (int64_t c = 0; c < channels; ++c) {
      double largest = -std::numeric_limits<double>::infinity(), sum = 0;
      int64_t winner = -1;
      for (const int64_t point : voxel.points) {
        const double value = ReadElement(type, pts_feature, point * channels + c);
        sum += value;
        if (!(value > largest)) continue;
        largest = value;
        winner = point;
      }
      const double average = sum / static_cast<double>(voxel.points.size());
      pooled.features.push_back(pool_method == 1 ? average : winner < 0 ? 0.0 : largest);
      pooled.argmax.push_back(pool_method == 1 ? 0 : winner);
    }
  }
  return pooled;
}

std::vector<double> RoiAwareMaxBackward(mluOpDataType_t type, int64_t rows, int64_t channels, const int32_t* argmax,
                                        const void* grad_out, int64_t points) {
  std::vector<double> gradient(static_cast<size_t>(points * channels), 0.0);
  for (int64_t i = 0; i < rows * channels; ++i) {
    if (argmax[i] == -1) continue;
    gradient[static_cast<size_t>(argmax[i] * channels + i % channels)] += ReadElement(type, grad_out, i);
  }
  return gradient;
}

std::vector<double> RoiAwareAverageBackward(mluOpDataType_t type, const std::vector<std::vector<int64_t>>& lists,
                                            int64_t channels, const void* grad_out, int64_t points) {
  std::vector<double> gradient(static_cast<size_t>(points * channels), 0.0);
  for (size_t row = 0; row < lists.size(); ++row) {
    for (int64_t c = 0; c < channels; ++c) {
      const double value = ReadElement(type, grad_out, static_cast<int64_t>(row) * channels + c);
      for (const int64_t point : lists[row]) {
        gradient[static_cast<size_t>(point * channels + c)] += value / static_cast<double>(lists[row].size());
      }
    }
  }
  return gradient;
}

}  // namespace detops_reference
