// The usual algorithm to compare rotated boxes, one pair at a time, as a yardstick for time: all crossings of sides,
// corners inside of the other box, then the hull of these points and its area. Exact enough for ordinary boxes only.
#ifndef DETOPS_BENCH_HULL_AND_SORT_H_
#define DETOPS_BENCH_HULL_AND_SORT_H_

#include <algorithm>
#include <cmath>

namespace detops_bench {

struct HullPoint {
  float x, y;
};

inline float HullCross(HullPoint a, HullPoint b) { return a.x * b.y - a.y * b.x; }
inline HullPoint HullMinus(HullPoint a, HullPoint b) { return {a.x - b.x, a.y - b.y}; }
inline float HullDot(HullPoint a, HullPoint b) { return a.x * b.x + a.y * b.y; }

inline void HullCorners(const float* box, float shift_x, float shift_y, HullPoint* corners) {
  const auto cosine = static_cast<float>(std::cos(static_cast<double>(box[4]))) * 0.5f;
  const auto sine = static_cast<float>(std::sin(static_cast<double>(box[4]))) * 0.5f;
  const float x = box[0] - shift_x, y = box[1] - shift_y;
  corners[0] = {x - sine * box[3] - cosine * box[2], y + cosine * box[3] - sine * box[2]};
  corners[1] = {x + sine * box[3] - cosine * box[2], y - cosine * box[3] - sine * box[2]};
  corners[2] = {2 * x - corners[0].x, 2 * y - corners[0].y};
  corners[3] = {2 * x - corners[1].x, 2 * y - corners[1].y};
}

inline int HullCandidates(const HullPoint* a, const HullPoint* b, HullPoint* points) {
  HullPoint along_a[4], along_b[4];
  for (int i = 0; i < 4; ++i) {
    along_a[i] = HullMinus(a[(i + 1) % 4], a[i]);
    along_b[i] = HullMinus(b[(i + 1) % 4], b[i]);
  }
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const float turn = HullCross(along_b[j], along_a[i]);
      if (std::abs(turn) <= 1e-14f) continue;
      const HullPoint between = HullMinus(b[j], a[i]);
      const float t = HullCross(along_b[j], between) / turn, u = HullCross(along_a[i], between) / turn;
      if (t >= 0 && t <= 1 && u >= 0 && u <= 1) {
        points[count++] = {a[i].x + along_a[i].x * t, a[i].y + along_a[i].y * t};
      }
    }
  }
  const auto inside = [&](const HullPoint* from, const HullPoint* box) {
    const HullPoint side = HullMinus(box[1], box[0]), other = HullMinus(box[3], box[0]);
    for (int i = 0; i < 4; ++i) {
      const HullPoint way = HullMinus(from[i], box[0]);
      const float p = HullDot(way, side), q = HullDot(way, other);
      if (p >= 0 && q >= 0 && p <= HullDot(side, side) && q <= HullDot(other, other)) points[count++] = from[i];
    }
  };
  inside(a, b);
  inside(b, a);
  return count;
}

// The points become the hull's, in order; returns how many.
inline int HullOf(HullPoint* points, int count) {
  const auto lower = [](HullPoint p, HullPoint q) { return p.y < q.y || (p.y == q.y && p.x < q.x); };
  std::swap(points[0], *std::min_element(points, points + count, lower));
  const HullPoint start = points[0];
  for (int i = 0; i < count; ++i) points[i] = HullMinus(points[i], start);
  std::sort(points + 1, points + count, [](HullPoint p, HullPoint q) {
    const float turn = HullCross(p, q);
    return turn != 0 ? turn > 0 : HullDot(p, p) < HullDot(q, q);
  });
  int next = 1;
  while (next < count && HullDot(points[next], points[next]) <= 1e-8f) ++next;
  if (next == count) return 1;
  points[1] = points[next];
  int size = 2;
  for (int i = next + 1; i < count; ++i) {
    while (size > 1 &&
           HullCross(HullMinus(points[size - 1], points[size - 2]), HullMinus(points[i], points[size - 2])) <= 0) {
      --size;
    }
    points[size++] = points[i];
  }
  return size;
}

// Boxes are rows of five numbers.
inline float HullAndSortIou(const float* a, const float* b) {
  const float area_a = a[2] * a[3], area_b = b[2] * b[3];
  if (area_a < 1e-14f || area_b < 1e-14f) return 0;
  const float shift_x = (a[0] + b[0]) / 2, shift_y = (a[1] + b[1]) / 2;
  HullPoint corners_a[4], corners_b[4], points[24];
  HullCorners(a, shift_x, shift_y, corners_a);
  HullCorners(b, shift_x, shift_y, corners_b);
  const int count = HullCandidates(corners_a, corners_b, points);
  if (count <= 2) return 0;
  const int size = HullOf(points, count);
  float overlap = 0;
  for (int i = 1; i + 1 < size; ++i) overlap += HullCross(points[i], points[i + 1]) / 2;
  return overlap / (area_a + area_b - overlap);
}

}  // namespace detops_bench

#endif  // DETOPS_BENCH_HULL_AND_SORT_H_
