// indice_convolution needs no workspace; one that is passed all the same, of any size, is not touched and changes no
// bit.
#include <algorithm>
#include <string>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

TEST(IndiceConvolutionWorkspace, IsNotTouched) {
  for (const Way way : kWays) {
    for (const char* inverse : {"0", "1"}) {
      Call call = CallOf(
          NameOf(way), std::string("sites=400,outputs=390,ci=24,co=16,filter=3x1x1,pairs=shuffled,inverse=") + inverse);
      std::string expected;
      for (const size_t bytes : {size_t{0}, size_t{1}, size_t{1} << 20}) {
        SCOPED_TRACE(testing::Message() << NameOf(way) << ", " << bytes << " bytes");
        call.workspace.bytes = bytes;
        call.integers.at("workspace_size") = static_cast<int64_t>(bytes);
        PlacedCall placed(call);
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
