#include <climits>
#include <utility>

#include "ops/get_indice_pairs/contract/convolution.h"
#include "ops/get_indice_pairs/contract/own_rules.h"

namespace detops_harness::get_indice_pairs {
namespace {

using detops_reference::SparseConvolution;
using Apply = std::function<void(Call&)>;
using Sentence = std::optional<std::string>;

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
constexpr BadClass kOverflow = BadClass::kOverflow, kShapes = BadClass::kShapes, kSizes = BadClass::kSizes;

const char* const kIndices = "indices";

// ---- changes ----

// Nothing where the convolution has no such axis.
void SetAxis(Call& call, const char* list, size_t axis, int64_t number) {
  std::vector<int64_t>& numbers = call.integer_lists.at(list);
  if (axis < numbers.size()) numbers[axis] = number;
}
Apply Dimensions(size_t count) {
  return [count](Call& call) {
    for (auto& [name, list] : call.integer_lists) {
      if (name != "output_padding") list.resize(count, name == "pad" ? 0 : 1);
    }
  };
}

}  // namespace

Apply All(std::vector<Apply> changes) {
  return [changes = std::move(changes)](Call& call) {
    for (const Apply& change : changes) change(call);
  };
}

Apply WithList(const char* name, std::vector<int64_t> numbers) {
  return [name, numbers = std::move(numbers)](Call& call) { call.integer_lists.at(name) = numbers; };
}

void Full(Call& call) { call.profile = DETOPS_PROFILE_FULL; }

Apply Spaces(const std::vector<int64_t>& space) {
  return All({WithList("input_space", space), WithList("output_space", space)});
}

// ---- the descriptor ----

Rules SparseDescriptor() {
  return Own({"sparse_conv_desc",
              kBad,
              [](Judgement& j) -> Sentence {
                if (j.call.nulls.count("sparse_conv_desc") == 0) return {};
                return "the descriptor of sparse_conv is NULL, expected a sparse-convolution descriptor.";
              },
              {{BadClass::kNull, "sparse_conv_desc", [](Call& call) { call.nulls.insert("sparse_conv_desc"); }}}});
}

Rules KindOfConvolution() {
  const auto in_contract = [](const std::string& what) { return what + " in the contract profile"; };
  Faults faults = {
      {kOverflow, in_contract("four dimensions"), Dimensions(4)},
      {kOverflow, in_contract("two dimensions"), Dimensions(2), false},
      {kOverflow, in_contract("one dimension"), Dimensions(1), false},
      {kOverflow, in_contract("a transposed convolution"), WithInteger("transpose", 1)},
      {kOverflow, in_contract("an inverse convolution"), WithInteger("inverse", 1), false},
      {kOverflow, "an inverse convolution in the full profile", All({Full, WithInteger("inverse", 1)}), false}};
  return Own({"kind of convolution", kLimit,
              [](Judgement& j) -> Sentence {
                const SparseConvolution c = ConvolutionOf(j.call);
                const bool inverse = IsInverse(j.call);
                if (j.call.full() || (c.pad.size() == 3 && !c.transposed && !inverse)) return {};
                return Format("sparse_conv has ndim %zu, transpose %d and inverse %d, expected 3, 0 and 0%s.",
                              c.pad.size(), c.transposed ? 1 : 0, inverse ? 1 : 0, kFullProfileLifts);
              },
              std::move(faults)});
}

Rules SitesOfTheSpace() {
  return Own({"input sites and input space",
              kBad,
              [](Judgement& j) -> Sentence {
                const int64_t sites = j.call[kIndices].extents[0], most = InputSites(j.call);
                if (j.call.full() || sites <= most) return {};
                return Format(
                    "indices has extent %lld on axis 0, expected at most the %lld sites of batch x input_space%s.",
                    static_cast<long long>(sites), static_cast<long long>(most), kFullProfileLifts);
              },
              {{kShapes, "more input sites than the space has", WithList("input_space", {1, 1, 5})},
               {kShapes, "far more", WithList("input_space", {1, 1, 1}), false},
               {kShapes, "in the full profile", All({Full, WithList("input_space", {1, 1, 5})}), false},
               {kShapes, "as many as the space has", WithList("input_space", {1, 1, 6}), false},
               {kShapes, "all of them", All({WithList("input_space", {1, 1, 11}), WithInteger("batch", 1)}), false}}});
}

Rules StrideAndDilation() {
  Faults faults;
  for (const int64_t stride : {2, 3, INT_MAX}) {
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      for (size_t axis = 0; axis < 3; ++axis) {
        faults.push_back({kSizes, "stride and dilation of an axis",
                          [=](Call& call) {
                            SetAxis(call, "stride", axis, stride);
                            SetAxis(call, "dilation", axis, 2);
                            call.profile = profile;
                          },
                          faults.empty()});
      }
    }
  }
  return Own({"stride and dilation", kBad,
              [](Judgement& j) -> Sentence {
                const SparseConvolution c = ConvolutionOf(j.call);
                for (size_t axis = 0; axis < c.pad.size() && !j.call.full(); ++axis) {
                  if (c.stride[axis] == 1 || c.dilation[axis] == 1) continue;
                  return Format(
                      "sparse_conv has stride %d and dilation %d on axis %zu, expected one of them to be 1%s.",
                      static_cast<int>(c.stride[axis]), static_cast<int>(c.dilation[axis]), axis, kFullProfileLifts);
                }
                return {};
              },
              std::move(faults)});
}

Rules Submanifold() {
  const Apply same = [](Call& call) {
    call.integers.at("sub_m") = 1;
    call.integer_lists.at("output_space") = call.integer_lists.at("input_space");
  };
  const std::vector<int64_t> ones = {1, 1, 1};
  Faults faults = {{kSizes, "submanifold with another output space", WithInteger("sub_m", 1)},
                   {kSizes, "submanifold with a stride", All({same, WithList("dilation", ones)})},
                   {kSizes, "submanifold with a dilation", All({same, WithList("stride", ones)})},
                   {kSizes, "the full profile", All({same, WithList("stride", ones), Full}), false},
                   {kSizes, "a stride in the full profile", All({same, Full}), false},
                   {kSizes, "submanifold", All({same, WithList("stride", ones), WithList("dilation", ones)}), false}};
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const char* list : {"output_space", "stride", "dilation"}) {
      faults.push_back({kSizes, std::string("submanifold, ") + list,
                        All({same, WithList("stride", ones), WithList("dilation", ones),
                             [=](Call& call) { SetAxis(call, list, axis, 8); }}),
                        false});
    }
  }
  return Own({"submanifold", kBad,
              [](Judgement& j) -> Sentence {
                const SparseConvolution c = ConvolutionOf(j.call);
                for (size_t axis = 0; axis < c.pad.size() && c.submanifold; ++axis) {
                  const auto input = static_cast<int>(c.input_space[axis]), at = static_cast<int>(axis);
                  const auto output = static_cast<int>(c.output_space[axis]);
                  if (input != output) {
                    return Format(
                        "sparse_conv has output_space %d on axis %d, expected input_space = %d as sub_m is set.",
                        output, at, input);
                  }
                  if (c.stride[axis] != 1) {
                    return Format("sparse_conv has stride %d on axis %d, expected 1 as sub_m is set.",
                                  static_cast<int>(c.stride[axis]), at);
                  }
                  if (c.dilation[axis] != 1 && !j.call.full()) {
                    return Format("sparse_conv has dilation %d on axis %d, expected 1 as sub_m is set%s.",
                                  static_cast<int>(c.dilation[axis]), at, kFullProfileLifts);
                  }
                }
                return {};
              },
              std::move(faults)});
}

// ---- tensors and descriptor together ----

Rules OffsetsOfTheKernel() {
  return Own({"first extent of indice_pairs and kernel",
              kBad,
              [](Judgement& j) -> Sentence {
                const int64_t first = j.call["indice_pairs"].extents[0], offsets = KernelOffsets(j.call);
                if (first == offsets) return {};
                return Format("indice_pairs has extent %lld on axis 0, expected the %lld offsets of filter_space.",
                              static_cast<long long>(first), static_cast<long long>(offsets));
              },
              {{kShapes, "another kernel", WithList("filter_space", {1, 3, 3})},
               {kShapes, "one offset more", WithDim("K", 7), false},
               {kShapes, "one offset fewer", WithDim("K", 5), false},
               {kShapes, "no offset", WithDim("K", 0), false},
               {kOverflow, "2^64 offsets", WithList("filter_space", {INT_MAX, INT_MAX, INT_MAX}), false}}});
}

Rules RowsOfTheSpace() {
  // Fits into one of 2 images of 4 x 5 x 7; crowded: 11 sites on two places.
  const auto rows = [](int64_t number) { return WithDim("rows", number); };
  const Apply crowded = All({Full, WithInteger("sub_m", 1), Spaces({1, 1, 1}), WithList("stride", {1, 1, 1})});
  return Own(
      {"rows of out_indices and output space",
       kBad,
       [](Judgement& j) -> Sentence {
         const int64_t sites = j.call[kIndices].extents[0], extent = j.call["out_indices"].extents[0];
         const int64_t places = OutputSites(j.call);
         // Equal sites may be more than the space has.
         const bool many = j.call.full() && ConvolutionOf(j.call).submanifold && sites > places;
         const int64_t most = many ? sites : places;
         if (extent <= most) return {};
         return Format("out_indices has extent %lld on axis 0, expected at most the %lld sites of %s.",
                       static_cast<long long>(extent), static_cast<long long>(most),
                       many ? "indices" : "batch x output_space");
       },
       {{kShapes, "more rows than there are sites", rows(2 * 4 * 3 * 7 + 1)},
        {kShapes, "in the full profile", All({Full, rows(2 * 4 * 3 * 7 + 1)}), false},
        {kShapes, "as many as there are sites", rows(2 * 4 * 3 * 7), false},
        {kShapes, "equal sites", All({crowded, rows(11)}), false},
        {kShapes, "more rows than equal sites", All({crowded, rows(12)}), false},
        {kShapes, "equal sites of a regular convolution", All({crowded, WithInteger("sub_m", 0), rows(3)}), false}}});
}

// ---- values ----

// Batch ids and coordinates. The faults need the checks: nobody may leave them out for sites that lie outside.
Rules SitesInside() {
  const auto extent = [](const Call& call, int64_t column) {
    const SparseConvolution c = ConvolutionOf(call);
    return column == 0 ? c.batch : c.input_space[static_cast<size_t>(column) - 1];
  };
  const auto faults = [extent](const Contract&, const Call& good) {
    Faults all;
    const int64_t columns = good[kIndices].extents[1];
    const auto add = [&](int64_t row, int64_t column, int64_t value, bool listed) {
      const std::string text = "indices[" + std::to_string(row) + ", " + std::to_string(column) + "] is ";
      all.push_back({BadClass::kCoordinates, text + std::to_string(value),
                     [=](Call& call) {
                       if (call[kIndices].type != MLUOP_DTYPE_INT32) return;
                       WithElement(kIndices, row * columns + column, static_cast<double>(value))(call);
                       call.value_checks = true;
                     },
                     listed});
    };
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t end = extent(good, column);
      for (const int64_t value : {int64_t{-1}, end, int64_t{INT_MAX}, int64_t{INT_MIN}}) {
        for (const int64_t row : {5, 0, 10}) add(row, column, value, row == 5);
      }
      add(6, column, end - 1, false);
    }
    return all;
  };
  OwnRule rule = {"places of sites", kBad, [=](Judgement& j) -> Sentence {
                    const Tensor& indices = j.call[kIndices];
                    const int64_t columns = indices.extents[1];
                    for (int64_t i = 0; HasIndices(j.call) && i < indices.elements(); ++i) {
                      const auto value = static_cast<int64_t>(indices.Get(i));
                      const int64_t column = i % columns, end = extent(j.call, column);
                      if (value >= 0 && value < end) continue;
                      return "indices" + PositionText(indices, i) + " is " + std::to_string(value) + ", expected a " +
                             (column == 0 ? "batch id" : "coordinate") + " in [0, " + std::to_string(end) + ").";
                    }
                    return {};
                  }};
  rule.checked = Checked::kHarmlessIfOff;
  Rules rules = Own(std::move(rule));
  rules[0].faults = faults;
  return rules;
}

// Only the data say how many there are. It holds without value checks too.
Rules RowsForAll() {
  const auto rows = [](int64_t number, bool checks, detopsProfile_t profile) {
    return [=](Call& call) {
      WithDim("rows", number)(call);
      call.value_checks = checks;
      call.profile = profile;
    };
  };
  Faults faults = {{kShapes, "too few rows for the outputs", rows(20, true, DETOPS_PROFILE_CONTRACT)}};
  for (const int64_t number : {20, 2, 1, 21}) {
    faults.push_back({kShapes, "too few rows", rows(number, false, DETOPS_PROFILE_CONTRACT), false});
    faults.push_back({kShapes, "too few rows", rows(number, true, DETOPS_PROFILE_FULL), false});
  }
  return Own({"rows for the output sites", kBad,
              [](Judgement& j) -> Sentence {
                if (!HasIndices(j.call)) return {};
                const int64_t extent = j.call["out_indices"].extents[0], needed = PairsOf(j.call).num_act_out;
                if (extent >= needed) return {};
                return Format("out_indices has extent %lld on axis 0, expected at least %lld, one row per output site.",
                              static_cast<long long>(extent), static_cast<long long>(needed));
              },
              std::move(faults)});
}

}  // namespace detops_harness::get_indice_pairs
