// Buffers of get_indice_pairs that share memory: every pair of the five, by one byte or by all, is refused before a
// byte is written, with value checks on and off; buffers that only touch are accepted and hold the right result.
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ops/get_indice_pairs/test/bad_call.h"

namespace detops_test {
namespace {

class GetIndicePairsOverlap : public GetIndicePairsRefusals {
 protected:
  struct Buffer {
    const char* name;
    size_t bytes;
    void (*place)(BadCall& call, unsigned char* at);
  };

  std::vector<Buffer> Buffers() const {
    return {
        {"indices", good_.indices_tensor.bytes(),
         [](BadCall& call, unsigned char* at) {
           std::memcpy(at, call.indices_tensor.data(), call.indices_tensor.bytes());
           call.indices.data = at;
         }},
        {"indice_pairs", good_.pairs_tensor.bytes(),
         [](BadCall& call, unsigned char* at) { call.indice_pairs.data = at; }},
        {"out_indices", good_.out_tensor.bytes(), [](BadCall& call, unsigned char* at) { call.out_indices.data = at; }},
        {"indice_num", good_.num_tensor.bytes(), [](BadCall& call, unsigned char* at) { call.indice_num.data = at; }},
        {"workspace", good_.workspace_memory.size(), [](BadCall& call, unsigned char* at) { call.workspace = at; }}};
  }

  // The second buffer lies `distance` bytes behind the start of the first, or before it.
  void ExpectAnswer(const Buffer& first, const Buffer& second, int64_t distance, bool apart) {
    for (const bool value_checks : {true, false}) {
      SCOPED_TRACE(testing::Message() << first.name << ", " << second.name << ", distance " << distance);
      const GuardedBuffer arena(first.bytes + 2 * second.bytes);
      auto* const start = static_cast<unsigned char*>(arena.data());
      std::memset(start, 0x5A, arena.size());
      BadCall call(GetParam());
      call.value_checks = value_checks;
      second.place(call, start + second.bytes + distance);
      first.place(call, start + second.bytes);
      const std::vector<unsigned char> before(start, start + arena.size());
      const Answer answer = call.Run(handle_, Function::kPairs);
      if (!apart) {
        EXPECT_EQ(answer.status, MLUOP_STATUS_BAD_PARAM);
        EXPECT_TRUE(answer.text == Sentence(first, second) || answer.text == Sentence(second, first)) << answer.text;
        EXPECT_EQ(std::memcmp(before.data(), start, before.size()), 0);
        EXPECT_EQ(call.descriptor.NumActOut(), call.mark);
        ExpectGoodCall();
      } else {
        EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
        ExpectBytes(call.indices.data, call.problem.Flat());
        ExpectBytes(call.indice_pairs.data, expected_.pairs);
        ExpectBytes(call.out_indices.data, expected_.out_indices);
        ExpectBytes(call.indice_num.data, expected_.indice_num);
      }
      EXPECT_TRUE(arena.SlackIntact() && call.SurroundingsIntact());
    }
  }

 private:
  static std::string Sentence(const Buffer& one, const Buffer& other) {
    return std::string("mluOpGetIndicePairs: ") + one.name + " overlaps " + other.name +
           " in memory, expected separate buffers.";
  }

  static void ExpectBytes(const void* data, const std::vector<int32_t>& expected) {
    EXPECT_EQ(std::memcmp(data, expected.data(), expected.size() * sizeof(int32_t)), 0);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, GetIndicePairsOverlap, testing::ValuesIn(kModes), ModeName);

TEST_P(GetIndicePairsOverlap, EveryPairOfBuffers) {
  const std::vector<Buffer> buffers = Buffers();
  for (const Buffer& first : buffers) {
    for (const Buffer& second : buffers) {
      if (std::string(first.name) == second.name) continue;
      ASSERT_GT(first.bytes, 4u) << first.name;
      const auto behind = static_cast<int64_t>(first.bytes), before = -static_cast<int64_t>(second.bytes);
      for (const int64_t distance : {int64_t{0}, int64_t{1}, int64_t{4}, behind - 1, before + 1}) {
        ExpectAnswer(first, second, distance, false);
      }
      ExpectAnswer(first, second, behind, true);
      ExpectAnswer(first, second, before, true);
    }
  }
}

// The workspace is what the caller says it is, not only the part that is needed.
TEST_P(GetIndicePairsOverlap, AllOfAWorkspaceCounts) {
  const size_t needed = good_.workspace_memory.size(), bytes = good_.pairs_tensor.bytes();
  const GuardedBuffer arena(needed + bytes);
  std::memset(arena.data(), 0xFF, arena.size());
  BadCall call(GetParam());
  call.workspace = arena.data();
  call.indice_pairs.data = static_cast<unsigned char*>(arena.data()) + needed;
  for (const size_t size : {needed + 1, needed + bytes, SIZE_MAX}) {
    call.workspace_size = size;
    Refuse(call, Function::kPairs, MLUOP_STATUS_BAD_PARAM,
           "indice_pairs overlaps workspace in memory, expected separate buffers.");
  }
  call.workspace_size = needed;
  Accept(call, Function::kPairs);
  EXPECT_EQ(std::memcmp(call.indice_pairs.data, expected_.pairs.data(), bytes), 0);
}

// Overlap is looked at before the values and the rows, and after the size of the workspace.
TEST_P(GetIndicePairsOverlap, ComesBetweenWorkspaceAndValues) {
  const std::vector<Buffer> buffers = Buffers();
  for (size_t first = 0; first < buffers.size(); ++first) {
    for (size_t second = first + 1; second < buffers.size(); ++second) {
      SCOPED_TRACE(std::string(buffers[first].name) + ", " + buffers[second].name);
      const GuardedBuffer arena(buffers[first].bytes + buffers[second].bytes);
      BadCall call(GetParam());
      static_cast<int32_t*>(call.indices_tensor.data())[7] = -9;
      call.rows -= 1;
      std::memset(arena.data(), 0xFF, arena.size());
      buffers[second].place(call, static_cast<unsigned char*>(arena.data()));
      buffers[first].place(call, static_cast<unsigned char*>(arena.data()));
      call.workspace_size = 1;
      Refuse(call, Function::kPairs, MLUOP_STATUS_BAD_PARAM, "workspace_size is 1, *");
      call.workspace_size = good_.workspace_size;
      Refuse(call, Function::kPairs, MLUOP_STATUS_BAD_PARAM, "* overlaps * in memory, expected separate buffers.");
    }
  }
}

}  // namespace
}  // namespace detops_test
