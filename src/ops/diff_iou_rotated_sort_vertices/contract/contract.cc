// What diff_iou_rotated_sort_vertices promises.
#include "ops/diff_iou_rotated_sort_vertices/contract/contract.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "harness/rules.h"
#include "ops/diff_iou_rotated_sort_vertices/reference/reference.h"

namespace detops_harness::diff_iou_rotated_sort_vertices {
namespace {

using Apply = std::function<void(Call&)>;

constexpr BadClass kEmpty = BadClass::kEmpty, kIndices = BadClass::kIndices;

int64_t TrueCount(const Call& call, int64_t pair) {
  int64_t count = 0;
  for (int64_t slot = 0; slot < 24; ++slot) count += call["mask"].Get(pair * 24 + slot) != 0 ? 1 : 0;
  return count;
}

// Rules about numbers hold for what is there: a description may say more.
bool IsThere(const Call& call, int64_t pair) {
  return (pair + 1) * 24 <= call["mask"].stored() && (pair + 1) * 48 <= call["vertices"].stored();
}

Rules NumbersOfValid() {
  return Elements("num_valid",
                  {[](double value, int64_t pair, const Call& call) {
                     return !IsThere(call, pair) || value == static_cast<double>(TrueCount(call, pair));
                   },
                   [](int64_t pair, const Call& call) {
                     return std::to_string(TrueCount(call, pair)) + ", the true elements of mask";
                   },
                   [](const Call& good) {
                     std::vector<ElementRule::Trial> trials;
                     const int64_t last = good["num_valid"].elements() - 1;
                     for (const int64_t pair : {int64_t{0}, last}) {
                       const auto count = static_cast<double>(TrueCount(good, pair));
                       for (const double wrong : {count + 1, count - 1, -1.0, 25.0, 2147483647.0}) {
                         trials.push_back({pair, wrong, "num_valid " + std::to_string(static_cast<int64_t>(wrong))});
                       }
                     }
                     return trials;
                   },
                   kIndices, Checked::kHarmlessIfOff});
}

Rules NoValidNan() {
  return Elements("vertices", {[](double value, int64_t element, const Call& call) {
                                 return !std::isnan(value) || call["mask"].Get(element / 2) == 0;
                               },
                               [](int64_t, const Call&) { return "a number, as the vertex is valid"; },
                               [](const Call& good) {
                                 std::vector<ElementRule::Trial> trials;
                                 const double nan = std::numeric_limits<double>::quiet_NaN();
                                 const Tensor& mask = good["mask"];
                                 for (int64_t vertex = 0; vertex < mask.elements(); ++vertex) {
                                   const bool valid = mask.Get(vertex) != 0;
                                   if (valid || vertex % 5 == 0) {
                                     trials.push_back({vertex * 2 + vertex % 2, nan, valid ? "a valid NaN" : "a NaN"});
                                   }
                                 }
                                 trials.resize(std::min<size_t>(trials.size(), 12));
                                 return trials;
                               },
                               BadClass::kNotFinite, Checked::kHarmlessIfOff});
}

// A regular polygon of `corners` in the last pair, and as many copies of the first corner.
Apply WithPolygon(int corners, int copies) {
  return [=](Call& call) {
    const int64_t pair = call["num_valid"].stored() - 1;
    for (int slot = 0; slot < 24; ++slot) {
      const bool valid = slot < corners + copies;
      const double angle = slot < corners ? 6.283185307179586 * slot / corners : 0;
      const int64_t vertex = pair * 24 + slot;
      WithElement("mask", vertex, valid ? 1 : 0)(call);
      WithElement("vertices", vertex * 2, std::round(std::cos(angle) * 64) / 64)(call);
      WithElement("vertices", vertex * 2 + 1, std::round(std::sin(angle) * 64) / 64)(call);
    }
    WithElement("num_valid", pair, corners + copies)(call);
  };
}

Rules AtMostEight() {
  Rules rules = Elements(
      "num_valid",
      {[](double, int64_t pair, const Call& call) { return !IsThere(call, pair) || DistinctOf(call, pair) <= 8; },
       [](int64_t, const Call&) { return "vertices of which at most 8 are distinct"; },
       [](const Call&) { return std::vector<ElementRule::Trial>(); }, kIndices, Checked::kHarmlessIfOff});
  const auto unchecked = [](const Apply& apply) {
    return [=](Call& call) {
      apply(call);
      call.value_checks = false;
    };
  };
  return WithFaults(rules, {{kIndices, "9 distinct vertices", WithPolygon(9, 0)},
                            {kIndices, "24 distinct vertices", WithPolygon(24, 0)},
                            {kIndices, "24 distinct vertices, value checks off", unchecked(WithPolygon(24, 0)), false},
                            {kIndices, "8 distinct vertices", WithPolygon(8, 0), false},
                            {kIndices, "8 distinct vertices of 24", WithPolygon(8, 16), false}});
}

// Zeros in all tensors, for extents of 0.
Faults NoPairs() {
  return {{kEmpty, "no pairs", WithDim("N", 0)},
          {kEmpty, "no pairs, no batch",
           [](Call& call) {
             WithDim("N", 0)(call);
             WithDim("B", 0)(call);
           },
           false},
          {kEmpty, "no pairs, no data", [](Call& call) {
             WithDim("N", 0)(call);
             for (Tensor& tensor : call.tensors) tensor.has_data = false;
           }}};
}

}  // namespace

int64_t DistinctOf(const Call& call, int64_t pair) {
  const Tensor& vertices = call["vertices"];
  return static_cast<int64_t>(
      detops_reference::SortedVertices(vertices.type, vertices.contents.data(), call["mask"].contents.data(), pair)
          .size());
}

Contract MakeContract() {
  const Names inputs = {"vertices", "mask", "num_valid"}, all = {"vertices", "mask", "num_valid", "idx"};
  const Names others = {"mask", "num_valid", "idx"};
  const Dim slots("slots");
  Contract contract("mluOpDiffIouRotatedSortVerticesForward");
  contract.Shape("vertices", {"B", "N", 24, 2}).Shape("mask", {"B", "N", 24}).Shape("num_valid", {"B", "N"});
  contract.Shape("idx", {"B", "N", 9});
  const auto same = [&](size_t axis, const char* dim) {
    Rules rules = Implied(Axis("vertices", axis, dim));
    for (const std::string& tensor : others) rules.push_back(Axis(tensor, axis, dim)[0]);
    return rules;
  };
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("ranks of vertices, mask, num_valid, idx are not 4, 3, 2, 3", {Ranks(all)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check(
          "type of vertices is not float (full profile: nor half, double or bfloat16), of mask not bool, of "
          "num_valid not int32, of idx not int32 (full profile: nor int64)",
          {FloatUnlessFull({"vertices"}), Bool({"mask"}), Int32({"num_valid"}), Int32UnlessFull({"idx"})})
      .Check("B or N is not the same in all tensors", {same(0, "B"), same(1, "N")})
      .Check("vertices and mask have not the same slots, or not 24",
             {Implied(Axis("vertices", 2, slots)), Axis("mask", 2, slots),
              WithFaults(Axis("vertices", 2, 24), {{BadClass::kShapes, "23 slots",
                                                    [](Call& call) {
                                                      call["vertices"].extents.at(2) = 23;
                                                      call["mask"].extents.at(2) = 23;
                                                    }}})})
      .Check("vertices has not 2 coordinates, or idx not 9 slots", {Axis("vertices", 3, 2), Axis("idx", 2, 9)})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts({"vertices"}), Implied(Counts(others))})
      .Check("N is 0", {Done(
                           "pairs", [](const Call& call) { return call["vertices"].extents[1] == 0; }, NoPairs())})
      .Check("B is 0", {NotEmpty({"vertices"})})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("idx overlaps another tensor", {Separate("idx", inputs)})
      .Check("a number in num_valid is not that of the true elements of mask", {NumbersOfValid()})
      .Check("a coordinate of a valid vertex is NaN", {NoValidNan()})
      .Check("more than 8 valid vertices are distinct", {AtMostEight()})
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract
      .Defines(BadClass::kDuplicates, "one vertex eight times: it is taken once", WithPolygon(1, 7),
               [](const Call& call) {
                 const std::vector<double> idx = call["idx"].Values();
                 return idx[idx.size() - 9] == 0 && idx[idx.size() - 8] == 0 && idx[idx.size() - 7] == 8
                            ? ""
                            : "it is taken more than once";
               })
      .CannotOccur({BadClass::kSizes, BadClass::kWorkspace, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "vertices may lie anywhere")
      .CannotOccur({BadClass::kBatchId}, "the batch is an axis of the tensors");
  return contract;
}

}  // namespace detops_harness::diff_iou_rotated_sort_vertices
