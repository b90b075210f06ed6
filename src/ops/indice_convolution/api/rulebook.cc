// The C entry points that make, measure and destroy rulebooks.
#include "sparse/rulebook.h"

#include <array>
#include <memory>
#include <new>
#include <numeric>

#include "core/context.h"
#include "detops/rulebook.h"
#include "sparse/pair_check.h"

namespace detops::indice_convolution {
namespace {

constexpr int64_t kMaxRows = int64_t{1} << 31;

// The lists of both sides, in the handle's scratch memory, then their copies.
RunResult MakeRulebook(const Call& call, const IndicePairs& pairs, detopsRulebookStruct* rulebook, BadIndex* bad) {
  const Parallel& parallel = call.handle()->parallel;
  const auto make = [&](Arena& arena) {
    const BlockedPairsMemory by_input(pairs, 0, parallel, arena), by_output(pairs, 1, parallel, arena);
    return std::array{by_input, by_output};
  };
  return RunPass(call.handle()->scratch, make, [&](const std::array<BlockedPairsMemory, 2>& memory) {
    BlockedPairs lists[2];
    for (int side = 0; side < 2; ++side) {
      const RunResult made = MakeBlockedPairs(pairs, side, parallel, memory[side], &lists[side], bad);
      if (made != RunResult::kDone || bad->position >= 0) return made;
    }
    return FillRulebook(lists, rulebook) ? RunResult::kDone : RunResult::kNoMemory;
  });
}

// One offset, each row with itself. False if memory is short.
bool MakeIdentity(int64_t rows, detopsRulebookStruct* rulebook) {
  const Parallel alone(1);
  RulebookBuilder builder(rulebook, alone);
  if (!builder.Begin(1)) return false;
  FoundPairs& list = builder.lists()[0];
  list.count = rows;
  int32_t* const numbers = builder.Reserve(rows, rows, rows, true);
  if (numbers == nullptr) return false;
  std::iota(numbers, numbers + rows, 0);
  list.rows[0] = list.rows[1] = numbers;
  return builder.Finish() == RunResult::kDone;
}

}  // namespace
}  // namespace detops::indice_convolution

using namespace detops;
using namespace detops::indice_convolution;

mluOpStatus_t detopsCreateRulebook(mluOpHandle_t handle, const mluOpTensorDescriptor_t indice_pairs_desc,
                                   const void* indice_pairs, const int64_t indice_num[], int64_t num_act_in,
                                   int64_t num_act_out, detopsRulebook_t* rulebook) {
  const Call call("detopsCreateRulebook", handle);
  if (rulebook == nullptr) return call.NullResult("rulebook");
  const PairsArguments args = {{"indice_pairs", indice_pairs_desc, indice_pairs}, indice_num};
  ArgCheck check(call);
  check.Handle().Descriptor(args.tensor);
  CheckIndiceNumPointer(check, indice_num);
  check.FullProfile();
  Dim K("K"), L("L");
  check.Int32(args.tensor)
      .Rank(args.tensor, 3)
      .Shape(args.tensor, {K, 2, L})
      .Dense(args.tensor)
      .CountLimit(args.tensor);
  check.Integer("num_act_in", num_act_in, num_act_in >= 0 && num_act_in < kMaxRows, "a number of rows in [0, 2^31)")
      .Integer("num_act_out", num_act_out, num_act_out >= 0 && num_act_out < kMaxRows, "a number of rows in [0, 2^31)");
  CheckCounts(check, args);
  check.DataUnlessEmpty({args.tensor});
  if (check.failed()) return check.status();
  auto* const made = new (std::nothrow) detopsRulebookStruct;
  if (made == nullptr) return call.Finish(RunResult::kNoMemory);
  made->offsets = K.value();
  made->rows[0] = num_act_in;
  made->rows[1] = num_act_out;
  const IndicePairs pairs = MakeIndicePairs(args, num_act_in, num_act_out);
  BadIndex bad;
  bad.position = -1;
  const RunResult result = MakeRulebook(call, pairs, made, &bad);
  if (result == RunResult::kDone && bad.position < 0) {
    *rulebook = made;
    return call.Succeed();
  }
  delete made;
  return result == RunResult::kDone ? FailBadIndex(call, pairs, bad) : call.Finish(result);
}

mluOpStatus_t detopsCreateIdentityRulebook(int64_t rows, detopsRulebook_t* rulebook) {
  const Call call("detopsCreateIdentityRulebook", nullptr);
  if (rulebook == nullptr) return call.NullResult("rulebook");
  ArgCheck check(call);
  check.Integer("rows", rows, rows >= 0 && rows < kMaxRows, "a number of rows in [0, 2^31)");
  if (check.failed()) return check.status();
  std::unique_ptr<detopsRulebookStruct> made(new (std::nothrow) detopsRulebookStruct);
  if (made == nullptr || !MakeIdentity(rows, made.get())) return call.Finish(RunResult::kNoMemory);
  *rulebook = made.release();
  return call.Succeed();
}

mluOpStatus_t detopsDestroyRulebook(detopsRulebook_t rulebook) {
  const Call call("detopsDestroyRulebook", nullptr);
  if (rulebook == nullptr) return call.NullArgument("rulebook", "a rulebook of detopsCreateRulebook");
  delete rulebook;
  return call.Succeed();
}

mluOpStatus_t detopsGetRulebookSize(detopsRulebook_t rulebook, size_t* bytes) {
  const Call call("detopsGetRulebookSize", nullptr);
  if (rulebook == nullptr) return call.NullArgument("rulebook", "a rulebook of detopsCreateRulebook");
  if (bytes == nullptr) return call.NullResult("bytes");
  *bytes = sizeof(*rulebook) + rulebook->memory.capacity() + rulebook->found.capacity() + rulebook->search.capacity();
  return call.Succeed();
}
