// Rows of the sparse convolutions: on pairs, their workspace sizes, fused, and on rulebooks.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/bad_call.h"
#include "reliability/bad_input_call.h"

namespace detops_test {
namespace {

using ConvRow = CallRow<BadCall>;

auto Of(Role role) {
  return [role](BadCall& call) -> TensorArgument& { return call.tensors[role]; };
}

struct Kind {
  Way way;
  Entry entry;

  bool has_data() const { return entry != Entry::kSize; }
  bool on_rulebook() const { return entry == Entry::kRulebook; }
  bool fused() const { return way == Way::kForward && (entry == Entry::kFused || entry == Entry::kRulebook); }
  bool extension() const { return entry == Entry::kFused || entry == Entry::kRulebook; }
  bool has_workspace() const { return entry == Entry::kCall; }
  std::string name_of(Role role) const { return NameOf(way, role); }
};

void AddTensors(ConvRow& row, const Kind& kind) {
  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](BadCall& call) { call.with_handle = false; });
  if (kind.on_rulebook()) {
    row.BadParam(BadClass::kNull, "rulebook", "rulebook is NULL", [](BadCall& call) { call.with_rulebook = false; });
  } else {
    row.BadParam(BadClass::kNull, "indice_num", "indice_num is NULL", [](BadCall& call) { call.with_num = false; });
  }
  if (!kind.has_data()) {
    row.BadParam(BadClass::kNull, "the place for the result", "workspace_size is NULL",
                 [](BadCall& call) { call.with_result = false; });
  }
  for (const Role role : kInEveryWay) {
    if (role == kPairs && kind.on_rulebook()) continue;
    const std::string name = kind.name_of(role);
    row.NullDescriptor(name, Of(role));
    if (kind.has_data()) row.NullData(name, Of(role));
    row.Type(name, Of(role));
    row.Stride(name, Of(role));
    if (role != kFilters) row.Rank(name, Of(role), role == kPairs ? 3 : 2);
    row.Axis(name, Of(role), role == kFilters ? 4 : 1, "has");
  }
  if (kind.fused()) {
    for (const Role role : {kBias, kResidual}) {
      row.NullData(kind.name_of(role), Of(role));
      row.Type(kind.name_of(role), Of(role));
      row.Stride(kind.name_of(role), Of(role));
      row.Rank(kind.name_of(role), Of(role), role == kBias ? 1 : 2);
      row.Axis(kind.name_of(role), Of(role), 0, kind.name_of(role) + " has");
    }
  }
  const std::string filters = kind.name_of(kFilters);
  const auto spoil_rank = [](BadCall& call) { call.tensors[kFilters].surplus_rank = 1; };
  // Which the contract does not look at in backward filter.
  const auto spoil_layout = [](BadCall& call) {
    if (call.way == Way::kBackwardFilter) call.profile = DETOPS_PROFILE_FULL;
    call.tensors[kFilters].layout = MLUOP_LAYOUT_TNC;
  };
  if (kind.way == Way::kForward) {
    row.NotSupported(BadClass::kForm, "rank of filters", "filters has rank 6", spoil_rank);
    row.NotSupported(BadClass::kForm, "layout of filters", "filters has layout TNC", spoil_layout);
  } else {
    row.BadParam(BadClass::kForm, "rank of " + filters, filters + " has rank 6", spoil_rank);
    row.BadParam(BadClass::kForm, "layout of " + filters, filters + " has layout TNC", spoil_layout);
  }
  row.BadParam(BadClass::kForm, "half among floats", "half",
               [](BadCall& call) { call.tensors[kIn].type = MLUOP_DTYPE_HALF; });
  if (kind.way != Way::kBackwardFilter) row.Axis(kind.name_of(kIn), Of(kIn), 0, "has");
}

std::string TargetIsZero(BadCall& call) {
  const std::vector<double> values = call.target().Values();
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; }) ? "" : "not all is 0";
}

void AddSizes(ConvRow& row, const Kind& kind) {
  if (kind.has_data()) {
    row.Defines(
        BadClass::kEmpty, "no input channels",
        [](BadCall& call) {
          call.ci = 0;
          call.tensors[kBias].described = call.tensors[kResidual].described = false;
        },
        [way = kind.way](BadCall& call) -> std::string {
          // Sums of nothing; backwards the target itself has no elements.
          if (way == Way::kForward) return TargetIsZero(call);
          return call.target().CanaryIntact() ? "" : "a tensor without elements was written";
        });
  } else {
    row.Defines(
        BadClass::kEmpty, "no input channels", [](BadCall& call) { call.ci = 0; },
        [](BadCall& call) { return call.size == 0 ? "" : "a workspace is needed"; });
  }
  row.row().CannotOccur({BadClass::kSizes},
                        "the kernel's extents are those of the filters' descriptor, which refuses negative ones; there "
                        "is no stride, dilation or limit");
  if (kind.extension()) {
    row.NotSupported(BadClass::kOverflow, "the contract profile", "expected the full one",
                     [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
  } else {
    row.NotSupported(BadClass::kOverflow, "2^31 elements", "the full profile lifts this limit",
                     [](BadCall& call) { call.ci = int64_t{1} << 28; });
  }
  row.NotSupported(BadClass::kOverflow, "bytes that int64 cannot count", "expected fewer than 2^63 bytes",
                   [](BadCall& call) {
                     call.profile = DETOPS_PROFILE_FULL;
                     call.ci = int64_t{1} << 60;
                   });
}

void AddMemory(ConvRow& row, const Kind& kind) {
  if (!kind.has_workspace()) row.row().HasNone({BadClass::kWorkspace});
  if (!kind.has_data()) {
    row.row().CannotOccur({BadClass::kOverlap}, kNumbersAtTheEnd);
    return;
  }
  const Role target = TargetOf(kind.way);
  for (const Role role : kInEveryWay) {
    if (role == target || (role == kPairs && kind.on_rulebook())) continue;
    row.Overlap(kind.name_of(target), Of(target), kind.name_of(role),
                [role](BadCall& call) { return call.tensors[role].data; });
  }
  if (!kind.on_rulebook()) {
    row.Overlap(kind.name_of(target), Of(target), "indice_num", [](BadCall& call) -> void* { return call.num(); });
  }
  if (kind.fused()) {
    row.Overlap(kind.name_of(target), Of(target), "bias", [](BadCall& call) { return call.tensors[kBias].data; });
  }
  if (!kind.has_workspace()) return;
  row.BadParam(BadClass::kWorkspace, "NULL with a size", "workspace is NULL, expected 64 bytes",
               [](BadCall& call) { call.workspace = nullptr; });
  row.BadParam(BadClass::kOverlap, "the workspace in " + kind.name_of(target), "overlaps",
               [target](BadCall& call) { call.workspace = call.tensors[target].data; });
}

void AddIndices(ConvRow& row, const Kind& kind) {
  if (kind.on_rulebook()) {
    row.row().CannotOccur({BadClass::kIndices},
                          "the pairs were checked when the rulebook was made, where these cases are counted");
    return;
  }
  for (const int64_t number : {int64_t{-1}, int64_t{12}, std::numeric_limits<int64_t>::max()}) {
    if (kind.way == Way::kBackwardFilter && !kind.has_data()) break;  // looks at no numbers
    row.BadParam(BadClass::kIndices, "indice_num " + std::to_string(number),
                 "indice_num[2] is " + std::to_string(number), [number](BadCall& call) { call.num()[2] = number; });
  }
  if (!kind.has_data()) {
    if (kind.way == Way::kBackwardFilter) {
      row.row().CannotOccur({BadClass::kIndices}, "it looks at descriptors only, at no values");
    }
    return;
  }
  const struct {
    int row;
    int64_t rows;
  } sides[] = {{0, kSites}, {1, kRows}};
  for (const auto& side : sides) {
    for (const int64_t index : {int64_t{-1}, side.rows, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
      const std::string place = "indice_pairs[4, " + std::to_string(side.row) + ", 1] is " + std::to_string(index);
      row.BadParam(BadClass::kIndices, place, place,
                   [side, index](BadCall& call) { call.Pair(4, side.row, 1) = static_cast<int32_t>(index); });
    }
  }
}

void AddFlags(ConvRow& row, const Kind& kind) {
  for (const int64_t number : {-1, 2}) {
    row.BadParam(BadClass::kEnumerator, "inverse", "inverse is " + std::to_string(number),
                 [number](BadCall& call) { call.inverse = number; });
    const bool has_sub_m = !kind.on_rulebook() && !(kind.way == Way::kBackwardData && kind.entry == Entry::kSize);
    if (has_sub_m) {
      row.BadParam(BadClass::kEnumerator, "sub_m", "sub_m is " + std::to_string(number),
                   [number](BadCall& call) { call.sub_m = number; });
    }
  }
  if (!kind.fused()) {
    row.row().CannotOccur({BadClass::kNotFinite},
                          "features, filters and gradients may hold any number: NaN and Inf "
                          "propagate");
    return;
  }
  for (const int number : {-1, 3}) {
    row.BadParam(BadClass::kEnumerator, "activation", "activation is " + std::to_string(number),
                 [number](BadCall& call) { call.activation = static_cast<detopsActivation_t>(number); });
  }
  for (const float slope : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    row.BadParam(BadClass::kNotFinite, "negative_slope", "negative_slope is " + std::to_string(slope),
                 [slope](BadCall& call) {
                   call.activation = DETOPS_ACTIVATION_LEAKY_RELU;
                   call.negative_slope = slope;
                 });
  }
}

void AddKind(Table& table, const Kind& kind) {
  ConvRow row(table, NameOf(kind.way, kind.entry),
              {[kind] {
                 auto call = std::make_unique<BadCall>(kind.way);
                 if (kind.extension()) call->profile = DETOPS_PROFILE_FULL;
                 return call;
               },
               [kind](BadCall& call, Handle& handle) {
                 Answer answer = call.Run(handle, kind.entry);
                 return CallAnswer{answer.status, answer.text};
               },
               [](BadCall& call) { return std::to_string(call.size); }});
  AddTensors(row, kind);
  AddSizes(row, kind);
  AddMemory(row, kind);
  AddIndices(row, kind);
  AddFlags(row, kind);
  row.row()
      .HasNone({BadClass::kCoordinates, BadClass::kDuplicates, BadClass::kBatchId})
      .CannotOccur({BadClass::kDestroyed}, kCallerGuarantees);
}

}  // namespace

void AddConvolutions(Table& table) {
  for (const Way way : {Way::kForward, Way::kBackwardData, Way::kBackwardFilter}) {
    for (const Entry entry : EntriesOf(way)) AddKind(table, {way, entry});
  }
}

// The making of a rulebook takes the pairs of a convolution.
void AddRulebookMaking(Table& table) {
  ConvRow row(table, "detopsCreateRulebook",
              {[] {
                 auto call = std::make_unique<BadCall>(Way::kForward);
                 call->profile = DETOPS_PROFILE_FULL;
                 return call;
               },
               [](BadCall& call, Handle& handle) {
                 Answer answer = call.Run(handle, Entry::kCreate);
                 if (answer.status == MLUOP_STATUS_SUCCESS) call.Forget();
                 return CallAnswer{answer.status, answer.text};
               },
               [](BadCall& call) { return std::string(call.PlacesIntact() ? "intact" : "written"); }});
  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](BadCall& call) { call.with_handle = false; });
  row.BadParam(BadClass::kNull, "rulebook", "rulebook is NULL", [](BadCall& call) { call.with_result = false; });
  row.BadParam(BadClass::kNull, "indice_num", "indice_num is NULL", [](BadCall& call) { call.with_num = false; });
  row.Tensor("indice_pairs", Of(kPairs), 3);
  row.Axis("indice_pairs", Of(kPairs), 1, "indice_pairs has extent 3 on axis 1");
  row.Defines(
      BadClass::kEmpty, "no offsets", [](BadCall& call) { call.space = {0, 5, 3}; }, [](BadCall&) { return ""; });
  row.BadParam(BadClass::kSizes, "num_act_in -1", "num_act_in is -1", [](BadCall& call) { call.num_act_in = -1; });
  row.BadParam(BadClass::kSizes, "num_act_out -1", "num_act_out is -1", [](BadCall& call) { call.num_act_out = -1; });
  row.BadParam(BadClass::kOverflow, "num_act_in 2^31", "num_act_in is 2147483648",
               [](BadCall& call) { call.num_act_in = int64_t{1} << 31; });
  row.BadParam(BadClass::kOverflow, "num_act_out 2^31", "num_act_out is 2147483648",
               [](BadCall& call) { call.num_act_out = int64_t{1} << 31; });
  row.NotSupported(BadClass::kOverflow, "bytes that int64 cannot count", "expected fewer than 2^63 bytes",
                   [](BadCall& call) { call.sites = int64_t{1} << 60; });
  row.NotSupported(BadClass::kOverflow, "the contract profile", "expected the full one",
                   [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
  AddIndices(row, {Way::kForward, Entry::kCreate});
  row.row()
      .HasNone({BadClass::kWorkspace, BadClass::kCoordinates, BadClass::kDuplicates, BadClass::kNotFinite,
                BadClass::kBatchId, BadClass::kEnumerator})
      .CannotOccur({BadClass::kOverlap}, "it writes to memory of its own")
      .CannotOccur({BadClass::kDestroyed}, kCallerGuarantees);
}

}  // namespace detops_test
