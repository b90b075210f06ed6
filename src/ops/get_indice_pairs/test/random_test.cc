// Calls of get_indice_pairs with every combination of what the catalogue knows: modes, axes, spaces, steps, kinds and
// orders of sites. They share a handle, so that what one call leaves there meets the next.
#include <cstdint>
#include <string>

#include "harness/fill.h"
#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::Answer;
using detops_harness::Call;
using detops_harness::PlacedCall;
using detops_harness::ShapeKey;

// The large numbers, which reach nothing, come rarely: a second throw has to give one too.
std::string AnyShape(detops_harness::Random& random, const detops_harness::Function& function) {
  std::string shape;
  for (const ShapeKey& key : function.keys()) {
    const auto count = static_cast<int64_t>(key.choices.size());
    std::string value = key.choices[static_cast<size_t>(random.Below(count))];
    if (value.size() > 4) value = key.choices[static_cast<size_t>(random.Below(count))];
    shape += (shape.empty() ? "" : ",") + key.name + "=" + value;
  }
  return shape;
}

class GetIndicePairsRandom : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, GetIndicePairsRandom, testing::Range(0, 12));

TEST_P(GetIndicePairsRandom, AgreesWithTheReferenceAndTheContract) {
  detops_harness::Random random(static_cast<uint64_t>(GetParam()));
  const detopsProfile_t profile = GetParam() % 3 == 0 ? DETOPS_PROFILE_CONTRACT : DETOPS_PROFILE_FULL;
  const Handle handle(profile, 1 + GetParam() % 4);
  int carried_out = 0;
  for (int i = 0; i < 400; ++i) {
    const char* const names[] = {"mluOpGetIndicePairs", "detopsCountIndicePairOutputs",
                                 "mluOpGetIndicePairsWorkspaceSize"};
    const detops_harness::Function& function = FunctionOf(names[i % 3]);
    const std::string shape = AnyShape(random, function);
    SCOPED_TRACE(function.name() + " " + shape);
    Call call;
    try {
      call = function.MakeSample(shape, MLUOP_DTYPE_INT32, profile, random.Next());
    } catch (const detops_harness::ShapeError&) {
      continue;  // a combination that cannot be
    }
    PlacedCall placed(std::move(call), {detops_harness::MemoryKind::kAgainstEnd, static_cast<size_t>(i % 5)});
    const Answer answer = function.contract().Judge(placed.call());
    ASSERT_EQ(placed.Run(handle.get()), answer.status) << placed.text();
    ASSERT_EQ(placed.text(), answer.text);
    ASSERT_TRUE(placed.SurroundingsIntact());
    ASSERT_TRUE(placed.InputsIntact());
    if (answer.status != MLUOP_STATUS_SUCCESS) continue;
    ASSERT_EQ(Disagreement(placed.call(), function.Reference(placed.call())), "");
    ++carried_out;
  }
  EXPECT_GE(carried_out, 20);
}

}  // namespace
}  // namespace detops_test
