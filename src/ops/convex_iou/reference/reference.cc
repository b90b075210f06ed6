#include "ops/convex_iou/reference/reference.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/hull_reference.h"
#include "support/quad_reference.h"

namespace detops_reference {
namespace {

using detops_test::Polygon;
using Real = long double;
using Vector = std::pair<Real, Real>;

Polygon At(const Polygon& points, const std::vector<size_t>& indices) {
  Polygon chosen;
  for (const size_t i : indices) chosen.push_back(points[i]);
  return chosen;
}

Vector Minus(const Vector& a, const Vector& b) { return {a.first - b.first, a.second - b.second}; }
Real Cross(const Vector& a, const Vector& b) { return a.first * b.second - a.second * b.first; }

// How often a polygon goes round a point; on its border the mean of the two sides.
Real Winding(const Polygon& polygon, const Vector& at) {
  Real twice = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Vector p = Minus(polygon[i], at), q = Minus(polygon[(i + 1) % polygon.size()], at);
    const Real turn = Cross(p, q), reach = std::hypot(p.first, p.second) + std::hypot(q.first, q.second);
    const bool on = std::abs(turn) <= 1e-17L * reach * reach;
    // Crossings of the ray to the right; a side through the point counts half of one.
    if (p.second <= 0 && q.second > 0) twice += on ? 1 : turn > 0 ? 2 : 0;
    if (p.second > 0 && q.second <= 0) twice -= on ? 1 : turn < 0 ? 2 : 0;
    // A level side through the point belongs to the half above or below: half of it has been counted nowhere.
    if (p.second == 0 && q.second == 0 && (p.first < 0) != (q.first < 0)) twice += p.first < q.first ? -1 : 1;
  }
  return twice / 2;
}

// The area of the hull that the quadrilateral covers changes with the ends of a side: walk along the side from crossing
// to crossing, and look in the middle of each part how often the quadrilateral goes round it.
void AddSide(const Polygon& quad_there, const Vector& p, const Vector& q, Vector& slope_p, Vector& slope_q) {
  std::vector<Real> cuts = {0, 1};
  Polygon quad;  // from p on, so that places far from 0 lose no digits
  for (const Vector& corner : quad_there) quad.push_back(Minus(corner, p));
  const Vector d = Minus(q, p);
  for (size_t i = 0; i < quad.size(); ++i) {
    const Vector from = quad[i], side = Minus(quad[(i + 1) % quad.size()], quad[i]);
    const Real steep = Cross(d, side);
    if (steep != 0) cuts.push_back(Cross(from, side) / steep);
    // Where a side lies along this one, its ends are cuts too.
    const Real length = d.first * d.first + d.second * d.second;
    cuts.push_back((from.first * d.first + from.second * d.second) / length);
  }
  std::sort(cuts.begin(), cuts.end());
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Real begin = std::max<Real>(0, cuts[i]), end = std::min<Real>(1, cuts[i + 1]);
    if (!(end > begin)) continue;
    const Real middle = (begin + end) / 2;
    const Real weight = Winding(quad, {middle * d.first, middle * d.second}) * (end - begin);
    slope_p.first += d.second * weight * (1 - middle);
    slope_p.second -= d.first * weight * (1 - middle);
    slope_q.first += d.second * weight * middle;
    slope_q.second -= d.first * weight * middle;
  }
}

// Half of the vector from the corner before to the corner behind, turned.
Vector AreaSlope(const Polygon& polygon, size_t i) {
  const Vector d = Minus(polygon[(i + 1) % polygon.size()], polygon[(i + polygon.size() - 1) % polygon.size()]);
  return {d.second / 2, -d.first / 2};
}

struct Row {
  Real giou = 0;
  std::array<Real, 18> gradient{};
  Real value_magnitude = 1, magnitude = 0;
};

Row GiouOf(const Polygon& points, const Polygon& quad) {
  Row row;
  const std::vector<size_t> own = detops_test::HullCorners(points);
  const Polygon hull = At(points, own);
  Polygon all = hull;
  all.insert(all.end(), quad.begin(), quad.end());
  const std::vector<size_t> shared_corners = detops_test::HullCorners(all);
  const Polygon around = At(all, shared_corners);
  const Real common = detops_test::TwiceArea(around) / 2;
  if (!(common > 0)) return row;
  const Real area = std::max<Real>(0, detops_test::TwiceArea(hull) / 2), other = detops_test::TwiceArea(quad) / 2;
  const Real shared = detops_test::SharedArea(hull, quad), both = area + other - shared;
  row.giou = (shared > 0 ? shared / both : 0) - 1 + std::min<Real>(1, both / common);
  const auto add = [&](size_t corner, const Vector& slope, Real factor) {
    const size_t at = 2 * own[corner];
    row.gradient[at] += slope.first * factor;
    row.gradient[at + 1] += slope.second * factor;
  };
  // Lengths are in error by some 2^-53 of the extent, areas by as much of its square.
  const Real extent = detops_test::Extent(all);
  row.value_magnitude = 1 + extent * extent / std::max(both, common / 1e6L);
  row.magnitude = extent * row.value_magnitude / std::max(both, common / 1e6L);
  const Real ratio = shared > 0 ? shared / (both * both) : 0;
  if (shared > 0) {
    std::vector<Vector> slopes(hull.size());
    for (size_t i = 0; i < hull.size(); ++i) {
      const size_t next = (i + 1) % hull.size();
      AddSide(quad, hull[i], hull[next], slopes[i], slopes[next]);
    }
    for (size_t i = 0; i < hull.size(); ++i) add(i, slopes[i], 1 / both + ratio - 1 / common);
  }
  for (size_t i = 0; i < hull.size() && area > 0; ++i) add(i, AreaSlope(hull, i), 1 / common - ratio);
  for (size_t i = 0; i < shared_corners.size(); ++i) {
    if (shared_corners[i] < hull.size()) add(shared_corners[i], AreaSlope(around, i), -both / (common * common));
  }
  return row;
}

}  // namespace

ConvexIouResult ConvexIou(mluOpDataType_t type, int64_t sets, int64_t quads, const void* points,
                          const void* quad_rows) {
  ConvexIouResult result;
  if (quads == 0) return result;
  for (int64_t i = 0; i < sets; ++i) {
    const Polygon set = detops_test::ReadPoints(type, points, i * 18, 9);
    const Polygon hull = At(set, detops_test::HullCorners(set));
    for (int64_t j = 0; j < quads; ++j) {
      const Polygon quad = detops_test::ReadQuad(type, quad_rows, j);
      result.values.push_back(static_cast<double>(detops_test::IouOf(hull, quad)));
      result.magnitudes.push_back(static_cast<double>(detops_test::RatioMagnitude(hull, quad)));
    }
  }
  return result;
}

GiouResult ConvexGiou(mluOpDataType_t type, int64_t rows, const void* points, const void* quads) {
  GiouResult result;
  for (int64_t i = 0; i < rows; ++i) {
    const Row row = GiouOf(detops_test::ReadPoints(type, points, i * 18, 9), detops_test::ReadQuad(type, quads, i));
    result.values.push_back(static_cast<double>(row.giou));
    result.value_magnitudes.push_back(static_cast<double>(row.value_magnitude));
    for (size_t k = 0; k < 18; ++k) {
      result.gradient.push_back(static_cast<double>(row.gradient[k]));
      result.magnitudes.push_back(static_cast<double>(row.magnitude));
    }
  }
  return result;
}

}  // namespace detops_reference
