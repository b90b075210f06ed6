// What box_iou_quadri promises, and how to call it.
#include <algorithm>
#include <memory>
#include <utility>

#include "boxes/contract/pairs.h"
#include "boxes/contract/quads.h"
#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/rules.h"
#include "ops/box_iou_quadri/reference/reference.h"

namespace detops_harness::box_iou_quadri {
namespace {

const boxes::PairNames kNames = {"quads1", "quads2", "ious"};

Contract MakeContract() {
  Contract contract("detopsBoxIouQuadri");
  contract.Shape("quads1", {"N", 8}).Shape("quads2", {"M", 8}).Shape("ious", {"N", "M"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(kNames.all())})
      .Check("type is not allowed, or not the same", {AnyFloating({"quads1"}), SameType({"quads2", "ious"}, "quads1")})
      .Check("rank of quads1 or quads2 is not 2", {Ranks({"quads1", "quads2"})})
      .Check("rank of ious is not 2, or with aligned 1", {boxes::OutputRank(kNames)})
      .Check("quads1 or quads2 has rows of another length than 8", {Axis("quads1", 1, 8), Axis("quads2", 1, 8)})
      .Check("ious has not the shape that quads1 and quads2 give it", {boxes::OutputShape(kNames)})
      .Check("mode is not 0 or 1", {Enumerator("mode", 0, 1, "0 (over union) or 1 (over the first box)")})
      .Check("a tensor is not dense", {Dense(kNames.all())})
      .Check("there is no pair of quadrilaterals", {boxes::NoPairs(kNames)});
  boxes::CheckData(contract, kNames);
  boxes::Finish(contract);
  return contract;
}

class BoxIouQuadri : public Function {
 public:
  BoxIouQuadri() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }

  std::vector<ShapeKey> keys() const override {
    return {{"first", "100", "rows of quads1", {"0", "1", "2", "3", "33"}},
            {"second", "100", "rows of quads2", {"0", "1", "2", "5", "64", "65", "130"}},
            {"mode", "0", "0: IoU, 1: IoF", {"0", "1"}},
            {"aligned", "0", "1: row by row, with as many rows as quads1", {"0", "1"}},
            boxes::QuadsKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"first=3,second=5"}};
    for (const char* kind : {"turned", "star", "crossed", "grid", "degenerate", "far"}) {
      const std::string quads = std::string(",quads=") + kind;
      samples.push_back({"first=33,second=67" + quads});
      samples.push_back({"first=7,second=130,mode=1" + quads});
      samples.push_back({"first=65,aligned=1" + quads});
    }
    samples.push_back({"first=1,second=1"});
    samples.push_back({"first=300,second=300", true});
    samples.push_back({"first=20000,aligned=1,mode=1,quads=star", true});
    return samples;
  }

  // Pictures from above: the quadrilaterals of a picture against its objects, and pairs one by one.
  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"1000x1000", "first=1000,second=1000"},
            {"20000x64", "first=20000,second=64", "", BenchmarkCase::kFew},
            {"1000x1000/star", "first=1000,second=1000,quads=star", "", BenchmarkCase::kOne},
            {"aligned/20000", "first=20000,aligned=1", "", BenchmarkCase::kFew}};
  }

  // Four comparisons a pair; for pairs whose upright bounds meet, sides against corners: 4 x 4 distances of 5
  // operations, some 8 crossings of 6, an area of 6 triangles of 7.
  Work WorkOf(const Call& call) const override {
    Work work = Function::WorkOf(call);
    const Tensor &a = call["quads1"], &b = call["quads2"];
    const auto bounds = [](const Tensor& quads, int64_t row, int64_t axis) {
      const double n[] = {quads.Get(row * 8 + axis), quads.Get(row * 8 + axis + 2), quads.Get(row * 8 + axis + 4),
                          quads.Get(row * 8 + axis + 6)};
      return std::minmax({n[0], n[1], n[2], n[3]});
    };
    double met = 0, pairs = 0;
    for (int64_t i = 0; i < a.extents[0]; ++i) {
      const auto ax = bounds(a, i, 0), ay = bounds(a, i, 1);
      const bool aligned = boxes::IsAligned(call);
      for (int64_t j = aligned ? i : 0; j < (aligned ? i + 1 : b.extents[0]); ++j, ++pairs) {
        const auto bx = bounds(b, j, 0), by = bounds(b, j, 1);
        met += ax.first < bx.second && bx.first < ax.second && ay.first < by.second && by.first < ay.second;
      }
    }
    work.flops = 4 * pairs + 170 * met;
    work.in_double = true;
    return work;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t first = shape.Int("first"), aligned = shape.Int("aligned");
    const int64_t second = aligned != 0 ? first : shape.Int("second");
    const size_t kind = boxes::QuadsOf(shape);
    Call call;
    call.integers["mode"] = shape.Int("mode");
    call.integers["aligned"] = aligned;
    const std::vector<int64_t> pairs = {first, second}, rows = {first};
    call.tensors = {Input("quads1", MLUOP_LAYOUT_ARRAY, type, {first, 8}),
                    Input("quads2", MLUOP_LAYOUT_ARRAY, type, {second, 8}),
                    Output("ious", MLUOP_LAYOUT_ARRAY, type, aligned != 0 ? rows : pairs)};
    Random random(seed);
    // Of aligned rows each meets its own: both are made at one place.
    const double field = aligned != 0 ? 20 : boxes::FieldFor(std::max(first, second));
    boxes::FillQuads(call.tensors[0], kind, field, random);
    boxes::FillQuads(call.tensors[1], kind, field, random);
    // Some are the same, or the same but for one number.
    for (int64_t row = 2; row < std::min(first, second); row += 5) {
      for (int64_t i = row % 2; i < 8; ++i) call.tensors[1].Set(row * 8 + i, call.tensors[0].Get(row * 8 + i));
    }
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.detopsBoxIouQuadri(handle, a.integer("mode"), boxes::IsAligned(a.call()), a.desc("quads1"),
                                      a.data("quads1"), a.desc("quads2"), a.data("quads2"), a.desc("ious"),
                                      a.data("ious"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor &first = call["quads1"], &second = call["quads2"];
    detops_reference::RatioResult result = detops_reference::BoxIouQuadri(
        first.type, static_cast<int>(call.integer("mode")), boxes::IsAligned(call), first.extents[0], second.extents[0],
        first.contents.data(), second.contents.data());
    Expected expected;
    expected.tensors["ious"] = std::move(result.values);
    expected.magnitudes["ious"] = std::move(result.magnitudes);
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<BoxIouQuadri>()); }

}  // namespace detops_harness::box_iou_quadri
