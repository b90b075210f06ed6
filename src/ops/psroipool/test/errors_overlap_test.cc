// Outputs of psroipool that share memory with another tensor, with each other or with the workspace: refused always,
// byte for byte, before anything is written. Neighbours are fine.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ops/psroipool/test/bad_call.h"

namespace detops_test {
namespace {

class PsRoiPoolOverlap : public PsRoiPoolRefusals {
 protected:
  size_t BytesOf(const NamedTensor& which) {
    if (which.tensor == &BadCall::map) return good_.problem.input.bytes();
    if (which.tensor == &BadCall::rois) return good_.problem.rois.bytes();
    return which.tensor == &BadCall::pooled ? good_.problem.top_grad.bytes() : good_.problem.mapping.bytes();
  }

  // Where the second buffer lies from the start of the first, in bytes.
  struct Place {
    const char* name;
    int64_t offset;
    bool apart;
  };
  static std::vector<Place> Places(int64_t first_bytes, int64_t second_bytes) {
    return {{"same address", 0, false},
            {"inside", 4, false},
            {"last byte", first_bytes - 1, false},
            {"first byte", 1 - second_bytes, false},
            {"right behind", first_bytes, true},
            {"right before", -second_bytes, true}};
  }

  // Room for the second buffer on both sides of the first one.
  class Arena {
   public:
    Arena(size_t first_bytes, size_t second_bytes)
        : memory_(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32,
                  {static_cast<int64_t>(first_bytes + 2 * second_bytes) / 4 + 1}),
          first(static_cast<unsigned char*>(memory_.data()) + second_bytes) {}
    std::vector<unsigned char> Bytes() const {
      const auto* begin = static_cast<const unsigned char*>(memory_.data());
      return {begin, begin + memory_.bytes()};
    }
    bool SurroundingsIntact() const { return memory_.SurroundingsIntact(); }

   private:
    Tensor memory_;

   public:
    unsigned char* first;
  };
};
INSTANTIATE_TEST_SUITE_P(Functions, PsRoiPoolOverlap, testing::ValuesIn(kFunctions), FunctionName);

struct Pair {
  NamedTensor written, other;
};

TEST_P(PsRoiPoolOverlap, OfTensors) {
  std::vector<Pair> pairs = {{kMap, kPooled}, {kMap, kRois}, {kMap, kMapping}};
  if (forward()) pairs = {{kPooled, kMap}, {kPooled, kRois}, {kPooled, kMapping}, {kMapping, kMap}, {kMapping, kRois}};
  for (const Pair& pair : pairs) {
    const size_t other_bytes = BytesOf(pair.other), written_bytes = BytesOf(pair.written);
    // Of two outputs either may be named first.
    const bool both_written = forward() && pair.other.tensor == &BadCall::mapping;
    const std::string sentence = both_written ? "* overlaps * in memory, expected separate buffers."
                                              : std::string(pair.written.name) + " overlaps " + pair.other.name +
                                                    " in memory, expected separate buffers.";
    for (const Place& place : Places(static_cast<int64_t>(other_bytes), static_cast<int64_t>(written_bytes))) {
      for (const bool value_checks : {true, false}) {
        SCOPED_TRACE(std::string(pair.written.name) + ", " + pair.other.name + ": " + place.name);
        Arena arena(other_bytes, written_bytes);
        const Spoil spoil = [&](BadCall& call) {
          call.value_checks = value_checks;
          std::memcpy(arena.first, (call.*pair.other.tensor).data, other_bytes);
          (call.*pair.other.tensor).data = arena.first;
          (call.*pair.written.tensor).data = arena.first + place.offset;
        };
        BadCall unspoilt(GetParam());
        spoil(unspoilt);  // puts the data there
        const std::vector<unsigned char> before = arena.Bytes();
        if (place.apart) {
          ExpectAccepted("adjacent buffers", spoil);
          if (!both_written) {
            EXPECT_TRUE(std::equal(arena.first, arena.first + other_bytes, before.data() + written_bytes));
          }
        } else {
          ExpectBadParam(sentence, spoil);
          EXPECT_TRUE(arena.Bytes() == before);
        }
        EXPECT_TRUE(arena.SurroundingsIntact());
      }
    }
  }
}

TEST_P(PsRoiPoolOverlap, OfTheWorkspace) {
  if (!GetParam().workspace) return;
  constexpr size_t kWorkspace = 40;
  for (const NamedTensor& which : {kMap, kRois, kPooled, kMapping}) {
    const size_t bytes = BytesOf(which);
    for (const Place& place : Places(static_cast<int64_t>(bytes), kWorkspace)) {
      SCOPED_TRACE(std::string(which.name) + ": " + place.name);
      Arena arena(bytes, kWorkspace);
      const Spoil spoil = [&](BadCall& call) {
        std::memcpy(arena.first, (call.*which.tensor).data, bytes);
        (call.*which.tensor).data = arena.first;
        call.workspace = arena.first + place.offset;
        call.workspace_size = kWorkspace;
      };
      BadCall unspoilt(GetParam());
      spoil(unspoilt);
      const std::vector<unsigned char> before = arena.Bytes();
      if (place.apart) {
        ExpectAccepted("adjacent buffers", spoil);
      } else {
        ExpectBadParam("* overlaps * in memory, expected separate buffers.", spoil);
        EXPECT_TRUE(arena.Bytes() == before);
      }
      EXPECT_TRUE(arena.SurroundingsIntact());
    }
  }
  // A workspace of no bytes lies nowhere.
  ExpectAccepted("no bytes", [](BadCall& call) { call.workspace = call.rois.data; });
}

// A map without pixels is nothing that can be overlapped, but output and mapping_channel are written all the same.
TEST_P(PsRoiPoolOverlap, OfWhatAnEmptyMapLeaves) {
  if (!forward()) return;
  const auto with_empty_map = [](const Spoil& spoil) {
    return [spoil](BadCall& call) {
      call.shape.batch = 0;
      spoil(call);
    };
  };
  ExpectAccepted("separate buffers", with_empty_map([](BadCall&) {}));
  ExpectAccepted("where the map would be", with_empty_map([](BadCall& call) { call.map.data = call.pooled.data; }));
  ExpectBadParam("$P overlaps rois in memory, expected separate buffers.",
                 with_empty_map([](BadCall& call) { call.pooled.data = call.rois.data; }));
  ExpectBadParam("$P overlaps mapping_channel in memory, expected separate buffers.",
                 with_empty_map([](BadCall& call) { call.pooled.data = call.mapping.data; }));
  ExpectBadParam("mapping_channel overlaps rois in memory, expected separate buffers.",
                 with_empty_map([](BadCall& call) { call.mapping.data = call.rois.data; }));
  if (!GetParam().workspace) return;
  ExpectAccepted("no workspace", with_empty_map([](BadCall& call) { call.workspace_size = SIZE_MAX; }));
  for (const NamedTensor& which : {kPooled, kMapping}) {
    // A size that no signed number holds is a size all the same.
    for (const size_t size : {size_t{40}, SIZE_MAX}) {
      const auto overlap = [&](BadCall& call) {
        call.workspace = (call.*which.tensor).data;
        call.workspace_size = size;
      };
      // So large a one may overlap the other output, too.
      const std::string name = size == SIZE_MAX ? "*" : which.name;
      const std::string sentence = name + " overlaps workspace in memory, expected separate buffers.";
      ExpectBadParam(sentence, with_empty_map(overlap));
      ExpectBadParam(sentence, overlap);
    }
  }
}

// rois and features of one shape: two views of the same numbers.
TEST(PsRoiPoolSharedInputs, InputsMayShareMemory) {
  Problem problem(kContract, MLUOP_DTYPE_FLOAT, {1, 1, 4, 1, 1, 1, 5}, 1);
  problem.rois.Fill(0);
  const Handle handle;
  Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
  const Tensor one(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {1, 1, 1, 5});
  EXPECT_EQ(mluOpPsRoiPoolForward(handle.get(), 1, 1, 1.0f, 1, 5, one.desc(), problem.rois.data(), problem.rois.desc(),
                                  problem.rois.data(), output.desc(), output.data(), mapping.desc(), mapping.data()),
            MLUOP_STATUS_SUCCESS)
      << handle.LastError();
  EXPECT_EQ(mluOpPsRoiPoolBackward(handle.get(), 1, 1, 1.0f, 5, one.desc(), problem.rois.data(), problem.rois.desc(),
                                   problem.rois.data(), mapping.desc(), mapping.data(), bottom.desc(), bottom.data()),
            MLUOP_STATUS_SUCCESS)
      << handle.LastError();
  EXPECT_EQ(output.Get(4), 0);
  EXPECT_EQ(bottom.Get(0), 0);
}

}  // namespace
}  // namespace detops_test
