#include "boxes/contract/scene.h"

#include <cmath>
#include <limits>
#include <vector>

#include "support/element.h"

namespace detops_harness::boxes {
namespace {

using detops_test::ReadElement;
using detops_test::RoundToElement;
using detops_test::WriteElement;

constexpr double kPi = 3.141592653589793;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// In the order of the key's words.
enum class Kind {
  kTraffic,     // cars on a ground of 70 m by 80 m; half of the points are in or around them
  kHeld,        // equal boxes that hold all points
  kScattered,   // boxes and points anywhere in a room
  kFaces,       // points on faces, edges and borders of bins
  kFar,         // the same around a place where the type has few digits left
  kClustered,   // nearly all points in a small part of the room
  kOneVoxel,    // all points at one place
  kOutliers,    // some points or boxes very far away
  kDegenerate,  // sizes that are 0, negative, tiny or huge
  kSpecial,     // some points are not numbers
  kCrowd        // points in a cube; boxes that hold all of them, a third, or few
};

struct Point {
  double x = 0, y = 0, z = 0;
};

// The cosine and sine are those with which points are placed. They are the same on every machine, as the library's own
// need not be.
struct Box {
  double cx, cy, cz, dx, dy, dz, angle, cosine = 1, sine = 0;
};

class SceneMaker {
 public:
  SceneMaker(Kind kind, const SceneGrid& grid, mluOpDataType_t type, int64_t boxes, Random& random)
      : kind_(kind), grid_(grid), type_(type), random_(random) {
    if (kind == Kind::kFar) origin_ = {Far(), -Far(), Far() / 8};
    for (int64_t b = 0; b < boxes; ++b) boxes_.push_back(Stored(NewBox(b)));
  }

  const std::vector<Box>& boxes() const { return boxes_; }

  Point NewPoint() {
    if (kind_ == Kind::kHeld) return {random_.Uniform(-1, 1), random_.Uniform(-1, 1), random_.Uniform(-1, 1)};
    if (kind_ == Kind::kCrowd) return {random_.Uniform(-2, 2), random_.Uniform(-2, 2), random_.Uniform(-2, 2)};
    if (kind_ == Kind::kTraffic) {
      if (OneIn(2)) return {random_.Uniform(0, 70), random_.Uniform(-40, 40), random_.Uniform(-3, 1)};
      const Box& box = AnyBox();
      return Turned(box, random_.Uniform(-0.55, 0.55) * box.dx, random_.Uniform(-0.55, 0.55) * box.dy,
                    box.cz + random_.Uniform(-0.05, 1.05) * box.dz);
    }
    Point point = {origin_.x + random_.Uniform(-6, 6), origin_.y + random_.Uniform(-6, 6),
                   origin_.z + random_.Uniform(-3, 5)};
    if (OneIn(2)) point = NearBox();
    switch (kind_) {
      case Kind::kFaces:
      case Kind::kFar:
        return OneIn(8) ? point : OnFace();
      case Kind::kClustered:
        return OneIn(16) ? point : Point{point.x / 32 + 1, point.y / 32 - 1, point.z / 16 + 0.5};
      case Kind::kOneVoxel: {
        const Box& box = boxes_[0];
        return {box.cx, box.cy, grid_.z_center ? box.cz : box.cz + box.dz / 2};
      }
      case Kind::kOutliers:
        if (OneIn(10)) NumberOf(point) = VeryFar();
        return point;
      case Kind::kDegenerate:
        return OneIn(2) ? OnFace() : point;
      case Kind::kSpecial:
        if (OneIn(5)) {
          NumberOf(point) = random_.OneOf({std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, -0.0});
        }
        return point;
      default:
        return point;
    }
  }

 private:
  bool OneIn(int64_t count) { return random_.Below(count) == 0; }
  const Box& AnyBox() { return boxes_[static_cast<size_t>(random_.Below(static_cast<int64_t>(boxes_.size())))]; }
  double& NumberOf(Point& point) {
    double* const numbers[] = {&point.x, &point.y, &point.z};
    return *numbers[random_.Below(3)];
  }

  // Where one step of the type is about 1/16.
  double Far() const {
    if (type_ == MLUOP_DTYPE_HALF) return 100;
    if (type_ == MLUOP_DTYPE_BFLOAT16) return 14;
    return type_ == MLUOP_DTYPE_FLOAT ? 1e6 : 5e14;
  }
  double VeryFar() {
    const double distance = type_ == MLUOP_DTYPE_HALF ? random_.OneOf({1e4, 6e4}) : random_.OneOf({1e4, 1e6, 1e30});
    return OneIn(2) ? distance : -distance;
  }

  void Turn(Box& box) {
    switch (random_.Below(5)) {
      case 0:
        break;
      case 1: {  // quarters
        const int64_t quarters = random_.Between(-4, 4);
        box.angle = kPi / 2 * static_cast<double>(quarters);
        const double cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
        box.cosine = cosines[(quarters + 4) % 4];
        box.sine = sines[(quarters + 4) % 4];
        break;
      }
      case 2:  // many turns; points are placed as if there were none
        box.angle = random_.Uniform(-1e4, 1e4);
        break;
      default:
        box.angle = random_.Angle();
        box.cosine = std::cos(box.angle);
        box.sine = std::sin(box.angle);
        break;
    }
  }

  Box NewBox(int64_t index) {
    if (kind_ == Kind::kHeld) return {0, 0, grid_.z_center ? 0.0 : -1.0, 3, 3, 2, 22.0 / 64};
    Box box = {origin_.x + random_.Uniform(-4, 4),
               origin_.y + random_.Uniform(-4, 4),
               origin_.z + random_.Uniform(-2, 2),
               random_.Uniform(0.5, 6),
               random_.Uniform(0.5, 4),
               random_.Uniform(0.5, 4),
               0};
    if (kind_ == Kind::kTraffic) {
      box = {random_.Uniform(0, 70),
             random_.Uniform(-40, 40),
             random_.Uniform(-2, -1),
             random_.Uniform(3.5, 5),
             random_.Uniform(1.5, 2),
             random_.Uniform(1.4, 1.8),
             0};
    } else if (kind_ == Kind::kCrowd) {
      const double sizes[] = {14, 14, 2.8, 2.6, 2.3, 1};
      const double size = sizes[index % 6];
      box = {random_.Uniform(-0.5, 0.5), random_.Uniform(-0.5, 0.5), -3, size, size, 6, 0};
    } else if (OneIn(2)) {  // numbers with few digits, so that faces and borders are met exactly
      for (double* number : {&box.cx, &box.cy, &box.cz}) *number = std::floor(*number * 2) / 2;
      for (double* number : {&box.dx, &box.dy, &box.dz}) *number = std::ceil(*number);
    }
    Turn(box);
    double* const places[] = {&box.cx, &box.cy, &box.cz};
    if (kind_ == Kind::kOutliers && OneIn(4)) *places[random_.Below(3)] = VeryFar();
    if (kind_ == Kind::kDegenerate) {
      double* const sizes[] = {&box.dx, &box.dy, &box.dz};
      for (int64_t changes = random_.Between(1, 2); changes > 0; --changes) {
        *sizes[random_.Below(3)] = random_.OneOf({0, -1, 1e-3, 6e4, type_ == MLUOP_DTYPE_HALF ? 3e4 : 1e30});
      }
    }
    return box;
  }

  // The box as the type holds it.
  Box Stored(Box box) const {
    for (double* number : {&box.cx, &box.cy, &box.cz, &box.dx, &box.dy, &box.dz, &box.angle}) {
      *number = RoundToElement(type_, *number);
    }
    return box;
  }

  static Point Turned(const Box& box, double along_x, double along_y, double z) {
    return {box.cx + along_x * box.cosine - along_y * box.sine, box.cy + along_x * box.sine + along_y * box.cosine, z};
  }

  // Somewhere in or around a box.
  Point NearBox() {
    const Box& box = AnyBox();
    const double reach = (std::fabs(box.dx) + std::fabs(box.dy)) / 2;
    return {box.cx + random_.Uniform(-reach, reach), box.cy + random_.Uniform(-reach, reach),
            box.cz + box.dz * random_.Uniform(-0.6, 1.1)};
  }

  // A place along an axis of length `size` that begins at 0: on a border of a bin, or anywhere, or a little outside.
  double Along(double size, int64_t bins) {
    const double position = OneIn(4) ? random_.Uniform(-0.1, 1.1)
                                     : static_cast<double>(random_.Below(bins + 1)) / static_cast<double>(bins);
    return position * size;
  }

  Point OnFace() {
    const Box& box = AnyBox();
    double along_x = Along(box.dx, grid_.out_x) - box.dx / 2, along_y = Along(box.dy, grid_.out_y) - box.dy / 2;
    if (OneIn(4)) along_x += OneIn(2) ? grid_.xy_margin : -grid_.xy_margin;
    if (OneIn(4)) along_y += OneIn(2) ? grid_.xy_margin : -grid_.xy_margin;
    const double bottom = grid_.z_center ? box.cz - box.dz / 2 : box.cz;
    Point point = Turned(box, along_x, along_y, bottom + Along(box.dz, grid_.out_z));
    for (double* number : {&point.x, &point.y, &point.z}) *number = StepAside(*number);
    return point;
  }

  // The number in the type, or one of its neighbours there.
  double StepAside(double value) {
    const double rounded = RoundToElement(type_, value);
    if (rounded == 0 || !std::isfinite(rounded)) return rounded;
    uint64_t bits = 0;
    WriteElement(type_, &bits, 0, rounded);
    bits += static_cast<uint64_t>(random_.Between(-1, 1));
    return ReadElement(type_, &bits, 0);
  }

  const Kind kind_;
  const SceneGrid grid_;
  const mluOpDataType_t type_;
  Random& random_;
  Point origin_;
  std::vector<Box> boxes_;
};

}  // namespace

ShapeKey SceneKey() {
  return {"scene",
          "traffic",
          "traffic: cars on a ground, held: every box holds all points, scattered, faces, far, clustered, one_voxel, "
          "outliers, degenerate, special, crowd",
          {"traffic", "held", "scattered", "faces", "far", "clustered", "one_voxel", "outliers", "degenerate",
           "special", "crowd"}};
}

size_t SceneOf(const Shape& shape) {
  return shape.Choice("scene", {"traffic", "held", "scattered", "faces", "far", "clustered", "one_voxel", "outliers",
                                "degenerate", "special", "crowd"});
}

void FillScene(const Shape& shape, const SceneGrid& grid, Tensor& rois, Tensor& pts, Random& random) {
  SceneMaker scene(static_cast<Kind>(SceneOf(shape)), grid, rois.type, rois.extents[0], random);
  int64_t element = 0;
  for (const Box& box : scene.boxes()) {
    for (const double number : {box.cx, box.cy, box.cz, box.dx, box.dy, box.dz, box.angle}) rois.Set(element++, number);
  }
  for (int64_t p = 0; p < pts.extents[0]; ++p) {
    const Point point = scene.NewPoint();
    pts.Set(p * 3, point.x);
    pts.Set(p * 3 + 1, point.y);
    pts.Set(p * 3 + 2, point.z);
  }
}

}  // namespace detops_harness::boxes
