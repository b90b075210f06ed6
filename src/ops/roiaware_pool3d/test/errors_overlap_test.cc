// Outputs of roiaware_pool3d that share memory with anything else: refused always, also with value checks off, and
// nothing is written. Adjacent buffers, and inputs that share memory, are fine.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/bad_call.h"

namespace detops_test {
namespace {

class RoiAwarePool3dOverlap : public RoiAwarePool3dRefusals {
 protected:
  // Tensors of the good call by their bytes.
  int64_t Bytes(const std::string& name) { return static_cast<int64_t>(good_[name].memory->bytes()); }
};
INSTANTIATE_TEST_SUITE_P(Functions, RoiAwarePool3dOverlap, testing::ValuesIn(kCallKinds), KindName);

// Every output with every other tensor, in one byte at either end, inside, and not quite. Both names must be said.
TEST_P(RoiAwarePool3dOverlap, OutputsWithEverything) {
  for (const TensorArgument& output : good_.tensors) {
    if (!output.written) continue;
    for (const TensorArgument& other : good_.tensors) {
      if (other.name == output.name) continue;
      // The tensors that the compact backward pass does not use may be missing, so they have no say.
      if (function() == Function::kCompactBackward && (other.name == "argmax") == (method() == kAverage) &&
          other.type == MLUOP_DTYPE_INT32) {
        continue;
      }
      const int64_t output_bytes = Bytes(output.name), other_bytes = Bytes(other.name);
      const struct {
        int64_t offset;  // of the output from the start of the other, in bytes
        bool apart;
      } places[] = {{0, false},          {4, false},           {other_bytes - 1, false}, {1 - output_bytes, false},
                    {other_bytes, true}, {-output_bytes, true}};
      for (const auto& place : places) {
        for (const bool value_checks : {true, false}) {
          SCOPED_TRACE(output.name + ", " + other.name + ", " + std::to_string(place.offset));
          BadCall call = NewCall();
          call.value_checks = value_checks;
          // Room for the output on both sides of a copy of the other tensor.
          Tensor arena(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {(2 * output_bytes + other_bytes) / 4 + 2});
          auto* copy = static_cast<unsigned char*>(arena.data()) + output_bytes;
          std::memcpy(copy, call[other.name].data, static_cast<size_t>(other_bytes));
          call[other.name].data = copy;
          call[output.name].data = copy + place.offset;
          std::vector<unsigned char> before(arena.bytes());
          std::memcpy(before.data(), arena.data(), arena.bytes());
          if (place.apart) {
            EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.thread_text;
          } else {
            const std::string text = Refuse(call, MLUOP_STATUS_BAD_PARAM);
            EXPECT_TRUE(
                Matches(text, output.name + " overlaps " + other.name + " in memory, expected separate buffers.") ||
                Matches(text, other.name + " overlaps " + output.name + " in memory, expected separate buffers."))
                << text;
            EXPECT_EQ(std::memcmp(before.data(), arena.data(), arena.bytes()), 0);
          }
          EXPECT_TRUE(arena.SurroundingsIntact());
        }
      }
    }
  }
}

TEST_P(RoiAwarePool3dOverlap, InputsMayShareMemory) {
  if (function() == Function::kBackward || function() == Function::kCompactBackward) GTEST_SKIP();
  ExpectAccepted("points are boxes", [](BadCall& call) {
    call["pts"].data = call["rois"].memory->data();
    call.sizes.points = 4;
  });
}

TEST_P(RoiAwarePool3dOverlap, Workspace) {
  if (function() != Function::kForward) GTEST_SKIP();
  for (const TensorArgument& tensor : good_.tensors) {
    const std::string name = tensor.name;
    for (const int64_t offset : {int64_t{0}, Bytes(name) - 1, int64_t{-15}}) {
      ExpectBadParam("*overlaps*in memory, expected separate buffers.", [&](BadCall& call) {
        call.workspace = static_cast<unsigned char*>(call[name].data) + offset;
        call.workspace_size = 16;
      });
    }
    ExpectBadParam("*overlap*", [&](BadCall& call) {
      call.workspace = call[name].data;
      call.workspace_size = SIZE_MAX;
    });
    ExpectAccepted("a workspace without bytes overlaps nothing", [&](BadCall& call) {
      call.workspace = call[name].data;
      call.workspace_size = 0;
    });
  }
  ExpectBadParam("workspace is NULL, expected 16 bytes as workspace_size says.",
                 [](BadCall& call) { call.workspace_size = 16; });
}

// With average the argmax is filled if it is there: its descriptor then decides how far, not the other tensors.
TEST_P(RoiAwarePool3dOverlap, SmallArgmaxWithAverage) {
  if (function() != Function::kForward || method() != kAverage) GTEST_SKIP();
  Tensor small(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1});
  BadCall call = NewCall();
  call["argmax"].data = small.data();
  call["argmax"].rank = 1;
  call["argmax"].surplus[0] = -1;  // extent 1
  const mluOpStatus_t status = call.Run(handle_);
  EXPECT_TRUE(status == MLUOP_STATUS_SUCCESS || status == MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(small.SurroundingsIntact());
  ExpectGoodCall();
}

}  // namespace
}  // namespace detops_test
