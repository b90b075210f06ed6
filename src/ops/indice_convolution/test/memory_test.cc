// indice_convolution and memory, beyond what is promised of all operators: tensors may be aligned differently, and a
// workspace stays as it was.
#include <algorithm>
#include <cstdint>
#include <string>

#include "ops/indice_convolution/test/problem.h"
#include "properties/expect.h"

namespace detops_test {
namespace {

class IndiceConvolutionMemory : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionMemory, testing::ValuesIn(kTypes), TypeName);

// One tensor aligned, another not: a kernel that peels to align its output must not align its input too.
TEST_P(IndiceConvolutionMemory, AlignmentsMayDiffer) {
  Shape shape = {.in_rows = 31, .out_rows = 29, .ci = 17, .co = 33, .kernel = {1, 3, 1}};
  const Problem even(GetParam(), shape, ListKind::kCrossed, 61);
  shape.placement = Placement::kAgainstFront;
  shape.misalignment = 1;
  const Problem odd(GetParam(), shape, ListKind::kCrossed, 61);
  for (const Way way : kWays) {
    ForEachConfiguration(even.Profile(way), [&](const Handle& handle) {
      Tensor expected = even.NewResult(way), of_even = odd.NewResult(way), of_odd = even.NewResult(way);
      ASSERT_EQ(even.Run(handle, way, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(even.Run(handle, way, of_even), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(odd.Run(handle, way, of_odd), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(of_even.SameBytes(expected));
      ASSERT_TRUE(of_odd.SameBytes(expected));
    });
  }
}

// None is needed; one that is passed all the same, of any size, is not touched and changes no bit.
TEST(IndiceConvolutionWorkspace, IsNotTouched) {
  for (const char* function : {"mluOpIndiceConvolutionForward", "mluOpIndiceConvolutionBackwardData",
                               "mluOpIndiceConvolutionBackwardFilter"}) {
    for (const char* inverse : {"0", "1"}) {
      detops_harness::Call call = CallOf(
          function, std::string("sites=400,outputs=390,ci=24,co=16,filter=3x1x1,pairs=shuffled,inverse=") + inverse);
      std::string expected;
      for (const size_t bytes : {size_t{0}, size_t{1}, size_t{1} << 20}) {
        SCOPED_TRACE(testing::Message() << function << ", " << bytes << " bytes");
        call.workspace.bytes = bytes;
        call.integers.at("workspace_size") = static_cast<int64_t>(bytes);
        detops_harness::PlacedCall placed(call);
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
          placed.Reset(0x5C);
          ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
          const auto* const begin = static_cast<const unsigned char*>(placed.call().workspace.address);
          ASSERT_TRUE(std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0x5C; }));
          ASSERT_TRUE(placed.SurroundingsIntact());
          if (handle.Threads() == 1) expected = placed.Outputs();
          ASSERT_TRUE(placed.Outputs() == expected);
        });
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
