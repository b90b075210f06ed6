// Orders the vertices of each pair by their angles. Which of two comes first is decided exactly: by half-planes and the
// sign of a cross product.
#include <algorithm>
#include <cmath>

#include "boxes/polygon/polygon.h"
#include "core/element_type.h"
#include "ops/diff_iou_rotated_sort_vertices/problem.h"

namespace detops::diff_iou_rotated_sort_vertices {
namespace {

using boxes::Point;

constexpr double kSameVertex = 1e-8;

bool IsValid(const void* mask, int64_t pair, int slot) {
  return static_cast<const unsigned char*>(mask)[pair * kSlots + slot] != 0;
}

struct Vertex {
  Point place;
  Point direction;  // the place, or another with the same angle
  int slot;
};

// A point with the same angle whose numbers the exact cross product takes.
Point DirectionOf(const Point& place) {
  const double size = std::max(std::abs(place.x), std::abs(place.y));
  if (size == 0) return {1, 0};
  if (std::isinf(size)) {
    const auto end = [](double number) { return std::isinf(number) ? std::copysign(1.0, number) : 0.0; };
    return {end(place.x), end(place.y)};
  }
  if (size > 0x1p-400 && size < 0x1p400) return place;
  const int exponent = std::ilogb(size);
  return {std::scalbn(place.x, -exponent), std::scalbn(place.y, -exponent)};
}

// Angles of [pi, 2 pi).
bool InLowerHalf(const Point& point) { return point.y < 0 || (point.y == 0 && point.x < 0); }

bool ComesBefore(const Vertex& a, const Vertex& b) {
  const bool a_low = InLowerHalf(a.direction), b_low = InLowerHalf(b.direction);
  if (a_low != b_low) return b_low;
  return boxes::Orientation({0, 0}, a.direction, b.direction) > 0;
}

bool IsClose(double a, double b) { return a == b || std::abs(a - b) < kSameVertex; }
bool AreOne(const Vertex& a, const Vertex& b) { return IsClose(a.place.x, b.place.x) && IsClose(a.place.y, b.place.y); }

// The valid vertices of a pair in their order, those that are one vertex only once.
template <typename T>
class Order {
 public:
  Order(const Problem& problem, int64_t pair) {
    int valid = 0;
    for (int slot = 0; slot < kSlots; ++slot) {
      if (IsValid(problem.mask, pair, slot)) Insert(Read(problem.vertices, pair, slot), valid++);
    }
    for (int i = 0; i < valid; ++i) {
      const bool taken =
          std::any_of(vertices_, vertices_ + count_, [&](const Vertex& other) { return AreOne(vertices_[i], other); });
      if (!taken) vertices_[count_++] = vertices_[i];
    }
  }

  int count() const { return count_; }
  int slot(int place) const { return vertices_[place].slot; }

 private:
  static Vertex Read(const void* vertices, int64_t pair, int slot) {
    const int64_t element = (pair * kSlots + slot) * 2;
    const Point place = {static_cast<double>(LoadReal<T>(vertices, element)),
                         static_cast<double>(LoadReal<T>(vertices, element + 1))};
    return {place, DirectionOf(place), slot};
  }

  // Behind those that it does not come before, so that of equal angles the lower slot is first.
  void Insert(const Vertex& vertex, int count) {
    int place = count;
    for (; place > 0 && ComesBefore(vertex, vertices_[place - 1]); --place) vertices_[place] = vertices_[place - 1];
    vertices_[place] = vertex;
  }

  Vertex vertices_[kSlots];
  int count_ = 0;
};

template <typename T, typename Index>
void SortPair(const Problem& problem, int64_t pair) {
  int pad = 0;
  for (int slot = kSlots; slot-- > kFirstCrossing;) {
    if (!IsValid(problem.mask, pair, slot)) pad = slot;
  }
  int results[kResults];
  std::fill_n(results, kResults, pad);
  if (CountValid(problem.mask, pair) >= 3) {
    const Order<T> order(problem, pair);
    // More can be only where nobody has looked at the values.
    const int count = std::min(order.count(), kMostVertices);
    for (int i = 0; i < count; ++i) results[i] = order.slot(i);
    results[count] = results[0];
  }
  for (int i = 0; i < kResults; ++i) StoreElement(problem.idx, pair * kResults + i, static_cast<Index>(results[i]));
}

constexpr int64_t kLeastPairs = 200;

// The first NaN among the coordinates of the valid vertices of a pair, or -1.
template <typename T>
int64_t FindNan(const Problem& problem, int64_t pair) {
  for (int i = 0; i < kSlots * 2; ++i) {
    const int64_t element = pair * kSlots * 2 + i;
    if (IsValid(problem.mask, pair, i / 2) && std::isnan(LoadReal<T>(problem.vertices, element))) return element;
  }
  return -1;
}

}  // namespace

int CountValid(const void* mask, int64_t pair) {
  int count = 0;
  for (int slot = 0; slot < kSlots; ++slot) count += IsValid(mask, pair, slot) ? 1 : 0;
  return count;
}

bool FindBadValues(const Problem& problem, const Parallel& parallel, BadValues* bad) {
  constexpr int kMaxTasks = 64;
  const int tasks = std::min(kMaxTasks, parallel.TaskCount(problem.pairs, kLeastPairs));
  BadValues found[kMaxTasks];
  const auto keep_first = [](int64_t* known, int64_t index) {
    if (*known < 0) *known = index;
  };
  const bool ran = parallel.Run(tasks, [&](int task) {
    WithElementType(problem.type, [&]<typename T>() {
      const Range piece = PieceOf(problem.pairs, tasks, task);
      for (int64_t pair = piece.begin; pair < piece.end; ++pair) {
        const int valid = CountValid(problem.mask, pair);
        if (LoadElement<int32_t>(problem.num_valid, pair) != valid) keep_first(&found[task].num_valid, pair);
        keep_first(&found[task].vertices, FindNan<T>(problem, pair));
        const bool crowded = valid > kMostVertices && Order<T>(problem, pair).count() > kMostVertices;
        if (crowded) keep_first(&found[task].crowd, pair);
      }
    });
  });
  *bad = {};
  for (int task = 0; task < tasks; ++task) {
    for (int64_t BadValues::* kind : {&BadValues::num_valid, &BadValues::vertices, &BadValues::crowd}) {
      keep_first(&(bad->*kind), found[task].*kind);
    }
  }
  return ran;
}

RunResult Run(const Problem& problem, const Parallel& parallel) {
  const int tasks = parallel.TaskCount(problem.pairs, kLeastPairs);
  return ResultOf(parallel.Run(tasks, [&](int task) {
    WithElementType(problem.type, [&]<typename T>() {
      const Range piece = PieceOf(problem.pairs, tasks, task);
      const bool is_long = problem.index_type == MLUOP_DTYPE_INT64;
      for (int64_t pair = piece.begin; pair < piece.end; ++pair) {
        is_long ? SortPair<T, int64_t>(problem, pair) : SortPair<T, int32_t>(problem, pair);
      }
    });
  }));
}

}  // namespace detops::diff_iou_rotated_sort_vertices
