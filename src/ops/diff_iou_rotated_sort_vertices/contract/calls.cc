// How to call diff_iou_rotated_sort_vertices.
#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/catalogue.h"
#include "harness/rules.h"
#include "ops/diff_iou_rotated_sort_vertices/contract/contract.h"
#include "ops/diff_iou_rotated_sort_vertices/reference/reference.h"

namespace detops_harness::diff_iou_rotated_sort_vertices {

PairOfBoxes VerticesOf(const double first[5], const double second[5], const double cosines[2], const double sines[2]) {
  PairOfBoxes pair = {};
  const double* const boxes[] = {first, second};
  for (int i = 0; i < 8; ++i) {
    const double* const box = boxes[i / 4];
    const double along = (i % 4 == 0 || i % 4 == 3 ? 0.5 : -0.5) * box[2], across = (i % 4 < 2 ? 0.5 : -0.5) * box[3];
    pair.x[i] = box[0] + along * cosines[i / 4] - across * sines[i / 4];
    pair.y[i] = box[1] + along * sines[i / 4] + across * cosines[i / 4];
  }
  for (int i = 0; i < 8; ++i) {  // inside of the other box
    const int other = 1 - i / 4;
    const double dx = pair.x[i] - boxes[other][0], dy = pair.y[i] - boxes[other][1];
    const double along = dx * cosines[other] + dy * sines[other], across = dy * cosines[other] - dx * sines[other];
    pair.valid[i] = std::fabs(along) <= boxes[other][2] / 2 && std::fabs(across) <= boxes[other][3] / 2;
  }
  for (int i = 0; i < 16; ++i) {
    const int a = i / 4, b = (a + 1) % 4, c = 4 + i % 4, d = 4 + (i + 1) % 4;
    const double ux = pair.x[b] - pair.x[a], uy = pair.y[b] - pair.y[a], vx = pair.x[d] - pair.x[c],
                 vy = pair.y[d] - pair.y[c], wx = pair.x[c] - pair.x[a], wy = pair.y[c] - pair.y[a];
    const double cross = ux * vy - uy * vx;
    const double t = cross == 0 ? -1 : (wx * vy - wy * vx) / cross, u = cross == 0 ? -1 : (wx * uy - wy * ux) / cross;
    pair.valid[8 + i] = t > 0 && t < 1 && u > 0 && u < 1;
    pair.x[8 + i] = pair.valid[8 + i] ? pair.x[a] + t * ux : 0;
    pair.y[8 + i] = pair.valid[8 + i] ? pair.y[a] + t * uy : 0;
  }
  double sum_x = 0, sum_y = 0, count = 0;
  for (int i = 0; i < 24; ++i) {
    sum_x += pair.valid[i] ? pair.x[i] : 0;
    sum_y += pair.valid[i] ? pair.y[i] : 0;
    count += pair.valid[i] ? 1 : 0;
  }
  for (int i = 0; i < 24 && count > 0; ++i) {
    pair.x[i] -= sum_x / count;
    pair.y[i] -= sum_y / count;
  }
  return pair;
}

namespace {

// In the order of the key's words.
enum class Kind {
  kBoxes,  // pairs of boxes, as a loss has them
  kAxes,   // whole numbers around the origin: equal vertices, equal angles, and all of them on the axes
  kAnywhere
};

PairOfBoxes NewPair(Kind kind, Random& random) {
  PairOfBoxes pair = {};
  if (kind == Kind::kBoxes) {
    double boxes[2][5], cosines[2], sines[2];
    for (int i = 0; i < 2; ++i) {
      const double angle = random.Angle();
      const double box[] = {random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(1, 5), random.Uniform(1, 3),
                            angle};
      std::copy(box, box + 5, boxes[i]);
      cosines[i] = std::cos(angle);
      sines[i] = std::sin(angle);
    }
    if (random.Below(8) == 0) {  // equal, or one inside of the other
      std::copy(boxes[0], boxes[0] + 5, boxes[1]);
      cosines[1] = cosines[0];
      sines[1] = sines[0];
      if (random.Below(2) == 0) boxes[1][2] /= 2;
    }
    if (random.Below(8) == 0) boxes[1][0] += 8;  // apart
    return VerticesOf(boxes[0], boxes[1], cosines, sines);
  }
  const int64_t valid = random.Below(25);
  for (int i = 0; i < 24; ++i) {
    const bool axes = kind == Kind::kAxes;
    pair.x[i] = axes ? static_cast<double>(random.Between(-2, 2)) : random.Uniform(-4, 4);
    pair.y[i] = axes ? static_cast<double>(random.Between(-2, 2)) : random.Uniform(-4, 4);
    pair.valid[i] = random.Below(24) < valid;
  }
  return pair;
}

class SortVertices : public Function {
 public:
  SortVertices() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }

  std::vector<ShapeKey> keys() const override {
    return {
        {"batch", "2", "B", {"1", "2", "3"}},
        {"pairs", "1024", "N, pairs of boxes", {"1", "5", "33"}},
        {"vertices", "boxes", "boxes: of pairs of boxes, axes: whole numbers, anywhere", {"boxes", "axes", "anywhere"}},
        {"long", "0", "1: int64 idx; full profile only", {"0", "1"}, false}};
  }

  std::vector<Sample> samples() const override {
    return {{"batch=3,pairs=5"},
            {"batch=1,pairs=1"},
            {"batch=2,pairs=300"},
            {"batch=1,pairs=300,vertices=axes"},
            {"batch=1,pairs=300,vertices=anywhere"},
            {"batch=2,pairs=33,vertices=axes,long=1"},
            {"batch=2,pairs=9000", true}};
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"2x1024", "batch=2,pairs=1024"},
            {"16x512", "batch=16,pairs=512", "", BenchmarkCase::kFew},
            {"1x100000", "batch=1,pairs=100000"}};
  }

  std::string Summary(const Shape& shape) const override {
    return shape.Word("batch") + "x" + shape.Word("pairs") + " pairs";
  }

  void Validate(const Shape& shape) const override {
    for (const char* key : {"batch", "pairs"}) (void)shape.Int(key, 1);
    (void)KindOf(shape);
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t batch = shape.Int("batch", 1), pairs = shape.Int("pairs", 1);
    const mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
    Call call;
    call.tensors = {
        Input("vertices", layout, type, {batch, pairs, 24, 2}),
        Input("mask", layout, MLUOP_DTYPE_BOOL, {batch, pairs, 24}),
        Input("num_valid", layout, MLUOP_DTYPE_INT32, {batch, pairs}),
        Output("idx", layout, shape.Int("long") != 0 ? MLUOP_DTYPE_INT64 : MLUOP_DTYPE_INT32, {batch, pairs, 9})};
    Random random(seed);
    for (int64_t pair = 0; pair < batch * pairs; ++pair) SetPair(call, pair, NewPair(KindOf(shape), random));
    return call;
  }

  Call MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    Shape known = shape;
    if (profile == DETOPS_PROFILE_CONTRACT) known.Set("long", "0");
    return Function::MakeIn(profile, known, type, seed);
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.mluOpDiffIouRotatedSortVerticesForward(handle, a.desc("vertices"), a.data("vertices"),
                                                          a.desc("mask"), a.data("mask"), a.desc("num_valid"),
                                                          a.data("num_valid"), a.desc("idx"), a.data("idx"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor& vertices = call["vertices"];
    Expected expected;
    expected.tensors["idx"] = detops_reference::DiffIouRotatedSortVertices(
        vertices.type, call["num_valid"].elements(), vertices.contents.data(), call["mask"].contents.data());
    return expected;
  }

 private:
  static Kind KindOf(const Shape& shape) {
    return static_cast<Kind>(shape.Choice("vertices", {"boxes", "axes", "anywhere"}));
  }

  // Of more than eight distinct vertices, as rounding to a short type may make them, the last are not valid.
  static void SetPair(Call& call, int64_t pair, const PairOfBoxes& vertices) {
    int64_t valid = 0;
    for (int64_t slot = 0; slot < 24; ++slot) {
      const int64_t vertex = pair * 24 + slot;
      call["vertices"].Set(vertex * 2, vertices.x[slot]);
      call["vertices"].Set(vertex * 2 + 1, vertices.y[slot]);
      if (!vertices.valid[slot]) continue;
      call["mask"].Set(vertex, 1);
      if (DistinctOf(call, pair) > 8) call["mask"].Set(vertex, 0);
      valid += call["mask"].Get(vertex) != 0 ? 1 : 0;
    }
    call["num_valid"].Set(pair, static_cast<double>(valid));
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<SortVertices>()); }

}  // namespace detops_harness::diff_iou_rotated_sort_vertices
