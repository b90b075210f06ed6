#include "ops/diff_iou_rotated_sort_vertices/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "support/element.h"
#include "support/wide_float.h"

namespace detops_reference {
namespace {

using detops_test::ReadElement;

using Wide = detops_test::WideFloat;

struct Vertex {
  double x, y;
  int slot;
};

// 0 to 3: [0, pi / 2), [pi / 2, pi), ...
int QuadrantOf(const Vertex& v) {
  if (v.x == 0 && v.y == 0) return 0;
  if (v.x > 0 && v.y >= 0) return 0;
  if (v.x <= 0 && v.y > 0) return 1;
  return v.x < 0 ? 2 : 3;
}

// Infinite numbers: the angle of the limit.
Vertex Direction(Vertex v) {
  if (v.x == 0 && v.y == 0) return {1, 0, v.slot};
  if (!std::isinf(v.x) && !std::isinf(v.y)) return v;
  v.x = std::isinf(v.x) ? (v.x > 0 ? 1 : -1) : 0;
  v.y = std::isinf(v.y) ? (v.y > 0 ? 1 : -1) : 0;
  return v;
}

bool HasSmallerAngle(const Vertex& first, const Vertex& second) {
  const Vertex a = Direction(first), b = Direction(second);
  if (QuadrantOf(a) != QuadrantOf(b)) return QuadrantOf(a) < QuadrantOf(b);
  return Wide{a.y} * Wide{b.x} < Wide{b.y} * Wide{a.x};
}

bool IsValid(const void* mask, int64_t pair, int slot) {
  return ReadElement(MLUOP_DTYPE_BOOL, mask, pair * 24 + slot) != 0;
}

bool Near(double a, double b) { return a == b || std::fabs(a - b) < 1e-8; }

}  // namespace

std::vector<int> SortedVertices(mluOpDataType_t type, const void* vertices, const void* mask, int64_t pair) {
  std::vector<Vertex> valid;
  for (int slot = 0; slot < 24; ++slot) {
    if (!IsValid(mask, pair, slot)) continue;
    const int64_t element = (pair * 24 + slot) * 2;
    valid.push_back({ReadElement(type, vertices, element), ReadElement(type, vertices, element + 1), slot});
  }
  std::vector<const Vertex*> sorted(valid.size());
  for (const Vertex& vertex : valid) {
    const auto before = std::count_if(valid.begin(), valid.end(), [&](const Vertex& other) {
      return HasSmallerAngle(other, vertex) || (!HasSmallerAngle(vertex, other) && other.slot < vertex.slot);
    });
    sorted[static_cast<size_t>(before)] = &vertex;
  }
  std::vector<const Vertex*> taken;
  for (const Vertex* vertex : sorted) {
    const bool repeats = std::any_of(taken.begin(), taken.end(), [&](const Vertex* other) {
      return Near(vertex->x, other->x) && Near(vertex->y, other->y);
    });
    if (!repeats) taken.push_back(vertex);
  }
  std::vector<int> slots;
  for (const Vertex* vertex : taken) slots.push_back(vertex->slot);
  return slots;
}

std::vector<double> DiffIouRotatedSortVertices(mluOpDataType_t type, int64_t pairs, const void* vertices,
                                               const void* mask) {
  std::vector<double> idx;
  for (int64_t pair = 0; pair < pairs; ++pair) {
    int valid = 0, pad = 0;
    for (int slot = 0; slot < 24; ++slot) valid += IsValid(mask, pair, slot) ? 1 : 0;
    for (int slot = 8; slot < 24 && pad == 0; ++slot) pad = IsValid(mask, pair, slot) ? 0 : slot;
    std::vector<int> row;
    if (valid >= 3) {
      row = SortedVertices(type, vertices, mask, pair);
      row.push_back(row[0]);
    }
    row.resize(9, pad);
    idx.insert(idx.end(), row.begin(), row.end());
  }
  return idx;
}

}  // namespace detops_reference
