// Rows of indice_pool, on pairs and on rulebooks.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ops/indice_pool/test/bad_call.h"
#include "reliability/bad_input_call.h"

namespace detops_test {
namespace {

using PoolRow = CallRow<BadCall>;

auto Of(const std::string& name) {
  return [name](BadCall& call) -> TensorArgument& { return call[name]; };
}

void AddTensors(PoolRow& row, const CallKind& kind) {
  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](BadCall& call) { call.with_handle = false; });
  if (kind.on_rulebook) {
    row.BadParam(BadClass::kNull, "rulebook", "rulebook is NULL", [](BadCall& call) { call.with_rulebook = false; });
  } else {
    row.BadParam(BadClass::kNull, "indice_num", "indice_num is NULL", [](BadCall& call) { call.with_num = false; });
  }
  for (const std::string& name : kind.Tensors()) {
    row.Tensor(name, Of(name), name == "indice_pairs" ? 3 : 2);
    row.Axis(name, Of(name), 1, "has extent");
  }
  // The number of rows that nothing else tells: inputs forward; outputs backward with pairs.
  if (!kind.backward) row.Axis("features_out", Of("features_out"), 0, "has extent");
  if (kind.backward) row.Axis("input_grad", Of("input_grad"), 0, "has extent");
}

std::string UntouchedTarget(BadCall& call) {
  return call.target().CanaryIntact() ? "" : "a tensor without elements was written";
}

void AddSizes(PoolRow& row, const CallKind& kind) {
  row.Defines(
      BadClass::kEmpty, "no channels",
      [kind](BadCall& call) {
        for (const std::string& name : kind.Tensors()) {
          if (name != "indice_pairs") call[name].surplus[1] = -BadCall::kChannels;
        }
      },
      UntouchedTarget);
  row.row().CannotOccur({BadClass::kSizes}, "offsets are counted by indice_pairs; there is no stride or window");
  row.NotSupported(BadClass::kOverflow, "the contract profile", "expected the full one",
                   [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
  row.NotSupported(BadClass::kOverflow, "bytes that int64 cannot count", "expected fewer than 2^63 bytes",
                   [kind](BadCall& call) {
                     for (const std::string& name : kind.Tensors()) {
                       if (name != "indice_pairs") call[name].surplus[1] = int64_t{1} << 60;
                     }
                   });
}

void AddValues(PoolRow& row, const CallKind& kind) {
  if (kind.on_rulebook) {
    row.row().CannotOccur({BadClass::kIndices},
                          "the pairs were checked when the rulebook was made, where these cases are counted");
    return;
  }
  for (const int64_t number : {int64_t{-1}, BadCall::kColumns + 1, std::numeric_limits<int64_t>::max()}) {
    row.BadParam(BadClass::kIndices, "indice_num " + std::to_string(number),
                 "indice_num[2] is " + std::to_string(number), [number](BadCall& call) { call.num()[2] = number; });
  }
  const struct {
    int row;
    int64_t rows;
  } sides[] = {{0, BadCall::kInputs}, {1, BadCall::kOutputs}};
  for (const auto& side : sides) {
    for (const int64_t index : {int64_t{-1}, side.rows, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
      const std::string place = "indice_pairs[2, " + std::to_string(side.row) + ", 1] is " + std::to_string(index);
      row.BadParam(BadClass::kIndices, place, place,
                   [side, index](BadCall& call) { call.Pair(2, side.row, 1) = static_cast<int32_t>(index); });
    }
  }
}

void AddKind(Table& table, const CallKind& kind) {
  PoolRow row(table, kind.function(),
              {[kind] { return std::make_unique<BadCall>(kind); },
               [](BadCall& call, Handle& handle) {
                 const mluOpStatus_t status = call.Run(handle);
                 return CallAnswer{status, call.text};
               }});
  AddTensors(row, kind);
  AddSizes(row, kind);
  AddValues(row, kind);
  for (const std::string& name : kind.Tensors()) {
    if (name == kind.target()) continue;
    row.Overlap(kind.target(), Of(kind.target()), name, [name](BadCall& call) { return call[name].data; });
  }
  for (const int number : {-1, 2}) {
    row.BadParam(BadClass::kEnumerator, "method", "method is " + std::to_string(number),
                 [number](BadCall& call) { call.method = static_cast<detopsPoolMethod_t>(number); });
    if (kind.backward) continue;
    row.BadParam(BadClass::kEnumerator, "start", "start is " + std::to_string(number),
                 [number](BadCall& call) { call.start = static_cast<detopsMaximumStart_t>(number); });
  }
  row.row()
      .HasNone({BadClass::kWorkspace, BadClass::kCoordinates, BadClass::kDuplicates, BadClass::kBatchId})
      .CannotOccur({BadClass::kNotFinite}, "features and gradients may hold any number; what NaN does is documented")
      .CannotOccur({BadClass::kDestroyed}, kCallerGuarantees);
}

}  // namespace

void AddIndicePools(Table& table) {
  for (const CallKind& kind : kCallKinds) {
    if (kind.maximum()) AddKind(table, kind);  // it looks at more tensors than average
  }
}

}  // namespace detops_test
