// Boxes and points of every kind for tests of roiaware_pool3d, made from a seed. Many points lie exactly where a
// decision turns over, or one step of the type beside it.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_TEST_SCENES_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_TEST_SCENES_H_

#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>

#include "ops/roiaware_pool3d/test/problem.h"

namespace detops_test {

class SceneRandom {
 public:
  explicit SceneRandom(uint64_t seed) : random_(seed) {}
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  // In [0, count).
  int64_t Below(int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(count)); }
  bool OneIn(int64_t count) { return Below(count) == 0; }
  template <class T, size_t kCount>
  T OneOf(const T (&choices)[kCount]) {
    return choices[random_() % kCount];
  }

 private:
  std::mt19937_64 random_;
};

enum class SceneKind {
  kScattered,   // boxes and points anywhere in a room
  kOnFaces,     // points on faces, edges and borders of bins of the boxes
  kFarAway,     // the same around a place where the type has few digits left
  kClustered,   // nearly all points in a small part of the room
  kOneVoxel,    // all points at one place
  kOutliers,    // some points or boxes very far away
  kDegenerate,  // sizes that are 0, negative, tiny or huge
  kSpecial      // some points are not numbers
};
inline constexpr SceneKind kSceneKinds[] = {SceneKind::kScattered,  SceneKind::kOnFaces,  SceneKind::kFarAway,
                                            SceneKind::kClustered,  SceneKind::kOneVoxel, SceneKind::kOutliers,
                                            SceneKind::kDegenerate, SceneKind::kSpecial};

class SceneMaker {
 public:
  SceneMaker(Problem& problem, SceneKind kind, const Switches& switches, uint64_t seed)
      : problem_(problem), kind_(kind), switches_(switches), random_(seed) {
    if (kind == SceneKind::kFarAway) origin_ = {Far(), -Far(), Far() / 8};
  }

  void Fill() {
    for (int64_t b = 0; b < problem_.sizes.boxes; ++b) problem_.SetBox(b, NewBox());
    for (int64_t p = 0; p < problem_.sizes.points; ++p) problem_.SetPoint(p, NewPoint());
  }

 private:
  // Where one step of the type is about 1/16.
  double Far() const {
    switch (problem_.type()) {
      case MLUOP_DTYPE_HALF:
        return 100;
      case MLUOP_DTYPE_BFLOAT16:
        return 14;
      default:
        return problem_.type() == MLUOP_DTYPE_FLOAT ? 1e6 : 5e14;
    }
  }

  double VeryFar() {
    const double choices[] = {1e4, 6e4, 1e6, 1e30};
    return (random_.OneIn(2) ? 1 : -1) * choices[random_.Below(problem_.type() == MLUOP_DTYPE_HALF ? 2 : 4)];
  }

  double Angle() {
    const double pi = std::acos(-1.0);
    switch (random_.Below(6)) {
      case 0:
        return 0;
      case 1:
        return pi / 6;
      case 2:
        return pi / 2 * static_cast<double>(random_.Below(9) - 4);
      case 3:
        return pi / 6 * static_cast<double>(random_.Below(25) - 12);
      case 4:
        return random_.Uniform(-1e4, 1e4);
      default:
        return random_.Uniform(-pi, pi);
    }
  }

  Box NewBox() {
    Box box = {origin_.x + random_.Uniform(-4, 4),
               origin_.y + random_.Uniform(-4, 4),
               origin_.z + random_.Uniform(-2, 2),
               random_.Uniform(0.5, 6),
               random_.Uniform(0.5, 4),
               random_.Uniform(0.5, 4),
               Angle()};
    if (random_.OneIn(2)) {  // numbers with few digits, so that faces and borders are met exactly
      for (double* number : {&box.cx, &box.cy, &box.cz}) *number = std::round(*number * 2) / 2;
      for (double* number : {&box.dx, &box.dy, &box.dz}) *number = std::ceil(*number);
    }
    if (kind_ == SceneKind::kOutliers && random_.OneIn(4)) {
      double* const numbers[] = {&box.cx, &box.cy, &box.cz};
      *random_.OneOf(numbers) = VeryFar();
    }
    if (kind_ == SceneKind::kDegenerate) {
      const double sizes[] = {0, -1, 1e-3, 6e4, problem_.type() == MLUOP_DTYPE_HALF ? 3e4 : 1e30};
      double* const numbers[] = {&box.dx, &box.dy, &box.dz};
      *random_.OneOf(numbers) = random_.OneOf(sizes);
      if (random_.OneIn(2)) *random_.OneOf(numbers) = random_.OneOf(sizes);
    }
    return box;
  }

  // The box as the type holds it.
  Box StoredBox(int64_t index) const {
    const auto number = [&](int64_t i) { return problem_.rois.Get(index * 7 + i); };
    return {number(0), number(1), number(2), number(3), number(4), number(5), number(6)};
  }

  // A place along an axis of length `size` that begins at 0: on a border of a bin, or anywhere, or a little beside.
  double Along(double size, int64_t bins) {
    const double position = random_.OneIn(4) ? random_.Uniform(-0.1, 1.1)
                                             : static_cast<double>(random_.Below(bins + 1)) / static_cast<double>(bins);
    return position * size;
  }

  Point OnFace() {
    const Box box = StoredBox(random_.Below(problem_.sizes.boxes));
    double along_x = Along(box.dx, problem_.sizes.out_x) - box.dx / 2;
    double along_y = Along(box.dy, problem_.sizes.out_y) - box.dy / 2;
    if (random_.OneIn(4)) along_x += random_.OneIn(2) ? switches_.xy_margin : -switches_.xy_margin;
    if (random_.OneIn(4)) along_y += random_.OneIn(2) ? switches_.xy_margin : -switches_.xy_margin;
    const double bottom = switches_.z_origin == DETOPS_Z_CENTER ? box.cz - box.dz / 2 : box.cz;
    const double c = std::cos(box.rz), s = std::sin(box.rz);
    return {Beside(box.cx + along_x * c - along_y * s), Beside(box.cy + along_x * s + along_y * c),
            Beside(bottom + Along(box.dz, problem_.sizes.out_z))};
  }

  // Somewhere in or around a box.
  Point NearBox() {
    const Box box = StoredBox(random_.Below(problem_.sizes.boxes));
    const double reach = (std::fabs(box.dx) + std::fabs(box.dy)) / 2;
    return {box.cx + random_.Uniform(-reach, reach), box.cy + random_.Uniform(-reach, reach),
            box.cz + box.dz * random_.Uniform(-0.6, 1.1)};
  }

  // The number, or one of its neighbours in the type.
  double Beside(double value) {
    const double rounded = RoundToElement(problem_.type(), value);
    if (rounded == 0 || !std::isfinite(rounded)) return rounded;
    return StepFromZero(problem_.type(), rounded, static_cast<int>(random_.Below(3)) - 1);
  }

  Point NewPoint() {
    Point point = {origin_.x + random_.Uniform(-6, 6), origin_.y + random_.Uniform(-6, 6),
                   origin_.z + random_.Uniform(-3, 5)};
    if (random_.OneIn(2)) point = NearBox();
    switch (kind_) {
      case SceneKind::kScattered:
        break;
      case SceneKind::kOnFaces:
      case SceneKind::kFarAway:
        if (!random_.OneIn(8)) point = OnFace();
        break;
      case SceneKind::kClustered:
        if (!random_.OneIn(16)) point = {point.x / 32 + 1, point.y / 32 - 1, point.z / 16 + 0.5};
        break;
      case SceneKind::kOneVoxel: {
        const Box box = StoredBox(0);
        point = {box.cx, box.cy, switches_.z_origin == DETOPS_Z_CENTER ? box.cz : box.cz + box.dz / 2};
        break;
      }
      case SceneKind::kOutliers:
        if (random_.OneIn(10)) {
          double* const numbers[] = {&point.x, &point.y, &point.z};
          *random_.OneOf(numbers) = VeryFar();
        }
        break;
      case SceneKind::kDegenerate:
        if (random_.OneIn(2)) point = OnFace();
        break;
      case SceneKind::kSpecial:
        if (random_.OneIn(5)) {
          const double specials[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0};
          double* const numbers[] = {&point.x, &point.y, &point.z};
          *random_.OneOf(numbers) = random_.OneOf(specials);
        }
        break;
    }
    return point;
  }

  Problem& problem_;
  SceneKind kind_;
  Switches switches_;
  SceneRandom random_;
  Point origin_;
};

inline void FillScene(Problem& problem, SceneKind kind, uint64_t seed, const Switches& switches = {}) {
  SceneMaker(problem, kind, switches, seed).Fill();
}

}  // namespace detops_test

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_TEST_SCENES_H_
