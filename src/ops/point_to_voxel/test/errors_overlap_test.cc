// Results of point_to_voxel that share memory with another tensor: refused always, byte for byte, before anything is
// written. Neighbours are fine, and so are inputs that share memory.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/bad_call.h"

namespace detops_test {
namespace {

class PointToVoxelOverlap : public PointToVoxelRefusals {};

constexpr const char* kTensors[] = {"points",      "cloud_begins", "voxels",     "means",
                                    "coordinates", "num_points",   "point_voxel"};

// Each result against every tensor before it: one byte shared at either end is too many.
TEST_F(PointToVoxelOverlap, OfTensors) {
  for (size_t later = 2; later < 7; ++later) {
    for (size_t before = 0; before < later; ++before) {
      const std::string written = kTensors[later], other = kTensors[before];
      const std::string sentence = written + " overlaps " + other + " in memory, expected separate buffers.";
      for (const bool value_checks : {true, false}) {
        ExpectBadParam(sentence, [&](BadCall& c) {
          c.value_checks = value_checks;
          c[written].data = c[other].memory->data();
        });
        ExpectBadParam(sentence, [&](BadCall& c) {
          c.value_checks = value_checks;
          c[written].data = static_cast<char*>(c[other].memory->data()) + c[other].memory->bytes() - 1;
        });
        ExpectBadParam(sentence, [&](BadCall& c) {
          c.value_checks = value_checks;
          c[written].data = static_cast<char*>(c[other].memory->data()) - c[written].memory->bytes() + 1;
        });
      }
    }
  }
}

TEST_F(PointToVoxelOverlap, NeighboursAreFine) {
  // One block with all results and inputs, without a gap.
  BadCall call;
  size_t bytes = 0;
  for (const TensorArgument& tensor : call.tensors) bytes += tensor.memory->bytes();
  Tensor block(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {static_cast<int64_t>(bytes) / 4});
  auto* place = static_cast<char*>(block.data());
  for (TensorArgument& tensor : call.tensors) {
    std::memcpy(place, tensor.memory->data(), tensor.memory->bytes());
    tensor.data = place;
    place += tensor.memory->bytes();
  }
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.thread_text;
  EXPECT_EQ(call.voxel_num, 7);
  EXPECT_TRUE(block.SurroundingsIntact());
}

// A result that is not wanted may point anywhere, and a tensor without elements shares nothing.
TEST_F(PointToVoxelOverlap, WhatIsNotThereCannotOverlap) {
  ExpectAccepted([](BadCall& c) {
    c["means"].described = false;
    c["means"].data = c["points"].memory->data();
  });
  ExpectAccepted([](BadCall& c) {
    c.sizes.rows = 0;
    for (const char* name : {"voxels", "means", "coordinates", "num_points"}) {
      c[name].data = c["points"].memory->data();
    }
  });
}

}  // namespace
}  // namespace detops_test
