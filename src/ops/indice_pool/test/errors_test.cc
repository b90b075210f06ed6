// Refusals that are more than one rule each: every wrong index, every enumerator and type, buffers that touch, shapes
// beside nothing, and sentences with all their numbers.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ops/indice_pool/test/bad_call.h"

namespace detops_test {
namespace {

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

class IndicePoolErrors : public IndicePoolRefusals {};
INSTANTIATE_TEST_SUITE_P(Functions, IndicePoolErrors, testing::ValuesIn(kCallKinds), KindName);

// At every counted place, whether value checks are on or off; the first in order of offsets, then of columns, is named.
TEST_P(IndicePoolErrors, EveryWrongIndex) {
  if (GetParam().on_rulebook) GTEST_SKIP() << "a rulebook has been checked";
  const BadCall good(GetParam());
  for (int64_t k = 0; k < BadCall::kOffsets; ++k) {
    for (int64_t column = 0; column < good.num()[k]; ++column) {
      for (const int64_t row : {0, 1}) {
        const int64_t rows = row == 0 ? BadCall::kInputs : BadCall::kOutputs;
        for (const int64_t value : {int64_t{-1}, rows, int64_t{INT32_MIN}, int64_t{INT32_MAX}}) {
          const std::string place = std::to_string(k) + ", " + std::to_string(row) + ", " + std::to_string(column);
          ExpectRefused(kBad,
                        "indice_pairs[" + place + "] is " + std::to_string(value) + ", expected an index in [0, " +
                            std::to_string(rows) + ").",
                        [=](BadCall& call) {
                          call.Pair(k, row, column) = static_cast<int32_t>(value);
                          call.value_checks = value % 2 == 0;
                          call.Pair(3, 1, 7) = row == 1 && k == 3 && column == 7 ? static_cast<int32_t>(value) : -7;
                        });
        }
      }
    }
  }
}

// An index of a tensor without rows; only if there is nothing to write it does not matter.
TEST_P(IndicePoolErrors, NoRowsButPairs) {
  if (GetParam().on_rulebook) GTEST_SKIP() << "a rulebook has been checked";
  const auto no_inputs = [](BadCall& call) {
    for (const char* name : {"features", "input_grad"}) call[name].extents[0] = 0;
  };
  const auto no_outputs = [](BadCall& call) {
    for (const char* name : {"features_out", "output_grad"}) call[name].extents[0] = 0;
    call.num_act_out = 0;
  };
  BadCall nothing(GetParam());
  if (GetParam().backward) {
    ExpectRefused(kBad, "indice_pairs[0, 1, 0] is 0, expected an index in [0, 0).", no_outputs);
    no_inputs(nothing);
  } else {
    ExpectRefused(kBad, "indice_pairs[0, 0, 0] is 0, expected an index in [0, 0).", no_inputs);
    no_outputs(nothing);
  }
  const std::vector<unsigned char> before = nothing.Bytes();
  EXPECT_EQ(nothing.Run(handle_), MLUOP_STATUS_SUCCESS) << nothing.text;
  EXPECT_EQ(nothing.Bytes(), before);
}

TEST_P(IndicePoolErrors, EveryOtherEnumerator) {
  for (const int value : {-1, 2, 3, INT32_MAX, INT32_MIN}) {
    const std::string number = std::to_string(value);
    ExpectRefused(kBad, "method is " + number + ", expected a value of detopsPoolMethod_t.",
                  [=](BadCall& call) { call.method = static_cast<detopsPoolMethod_t>(value); });
    if (GetParam().backward || !GetParam().maximum()) continue;
    ExpectRefused(kBad, "start is " + number + ", expected a value of detopsMaximumStart_t.",
                  [=](BadCall& call) { call.start = static_cast<detopsMaximumStart_t>(value); });
  }
}

TEST_P(IndicePoolErrors, OtherTypesOfNumbers) {
  const std::string first = GetParam().backward ? "output_grad" : "features";
  for (const mluOpDataType_t type : {MLUOP_DTYPE_INT8, MLUOP_DTYPE_INT64, MLUOP_DTYPE_BOOL, MLUOP_DTYPE_INVALID}) {
    if (type == MLUOP_DTYPE_INVALID) continue;
    ExpectRefused(kBad, first + " has type *, expected float, half, double or bfloat16.",
                  [=](BadCall& call) { call[first].type = type; });
  }
  for (const std::string& name : GetParam().Tensors()) {
    if (name == first || name == "indice_pairs") continue;
    ExpectRefused(kBad, name + " has type double, expected float as " + first + " has.",
                  [=](BadCall& call) { call[name].type = MLUOP_DTYPE_DOUBLE; });
  }
}

TEST_P(IndicePoolErrors, ShapesWordForWord) {
  if (GetParam().on_rulebook) {
    const std::string input = GetParam().backward ? "input_grad" : "features";
    ExpectRefused(kBad, input + " has extent 12 on axis 0, expected rows of the rulebook = 11; its shape is [12, 5].",
                  [=](BadCall& call) { call[input].surplus[0] = 1; });
    return;
  }
  ExpectRefused(kBad, "indice_pairs has extent 3 on axis 1, expected 2; its shape is [4, 3, 9].",
                [](BadCall& call) { call["indice_pairs"].surplus[1] = 1; });
  if (GetParam().backward) {
    ExpectRefused(kBad, "input_grad has extent 4 on axis 1, expected C = 5 as in output_grad; its shape is [11, 4].",
                  [](BadCall& call) { call["input_grad"].surplus[1] = -1; });
    return;
  }
  for (const int64_t rows : {int64_t{-1}, int64_t{14}, INT64_MAX}) {
    ExpectRefused(kBad,
                  "features_out has extent 13 on axis 0, expected num_act_out = " + std::to_string(rows) +
                      "; its shape is [13, 5].",
                  [=](BadCall& call) { call.num_act_out = rows; });
  }
}

// The target next to every other buffer, before and behind it, is right; a byte nearer it is refused.
TEST_P(IndicePoolErrors, BuffersThatTouch) {
  std::vector<std::string> others = GetParam().Tensors();
  others.pop_back();  // the target
  if (!GetParam().on_rulebook) others.push_back("indice_num");
  const std::string target = GetParam().target();
  BadCall plain(GetParam());
  ASSERT_EQ(plain.Run(handle_), MLUOP_STATUS_SUCCESS) << plain.text;
  for (const std::string& name : others) {
    for (const bool value_checks : {true, false}) {
      const auto bytes = static_cast<int64_t>(plain.target().bytes());
      const int64_t other_bytes = name == "indice_num" ? static_cast<int64_t>(plain.numbers.size())
                                                       : static_cast<int64_t>(plain.memory.at(name)->bytes());
      for (const int64_t distance : {other_bytes, other_bytes - 1, -bytes, 1 - bytes, int64_t{0}}) {
        SCOPED_TRACE(testing::Message() << name << " at " << distance);
        const GuardedBuffer arena(static_cast<size_t>(2 * bytes + other_bytes + 16) / 8 * 8);
        auto* const start = static_cast<unsigned char*>(arena.data());
        std::memset(start, 0x5A, arena.size());
        auto* const other_at = start + (bytes + 7) / 8 * 8;
        BadCall call(GetParam());
        call.value_checks = value_checks;
        std::memcpy(other_at, name == "indice_num" ? call.numbers.data() : call.memory.at(name)->data(),
                    static_cast<size_t>(other_bytes));
        if (name == "indice_num") {
          call.other_num = reinterpret_cast<const int64_t*>(other_at);
        } else {
          call[name].data = other_at;
        }
        call[target].data = other_at + distance;
        const std::vector<unsigned char> before(start, start + arena.size());
        if (distance == other_bytes || distance == -bytes) {
          ASSERT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.text;
          EXPECT_EQ(std::memcmp(call[target].data, plain.target().data(), static_cast<size_t>(bytes)), 0);
        } else {
          ASSERT_EQ(call.Run(handle_), kBad);
          EXPECT_EQ(call.text, GetParam().function() + ": " + target + " overlaps " + name +
                                   " in memory, expected separate buffers.");
          EXPECT_EQ(std::memcmp(before.data(), start, before.size()), 0) << "a refused call changed memory";
        }
        EXPECT_TRUE(arena.SlackIntact() && call.SurroundingsIntact());
      }
    }
  }
}

// Tensors without elements need no memory; shapes beside them are checked all the same.
TEST_P(IndicePoolErrors, NothingNeedsNoData) {
  if (GetParam().on_rulebook) GTEST_SKIP() << "its rows are given";
  BadCall call(GetParam());
  for (const std::string& name : GetParam().Tensors()) {
    call[name].data = nullptr;
    if (name == "indice_pairs") {
      call[name].extents[2] = 0;
    } else {
      call[name].extents[1] = 0;
    }
  }
  std::memset(call.numbers.data(), 0, call.numbers.size());
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.text;
  call[GetParam().target()].surplus[1] = 1;
  EXPECT_EQ(call.Run(handle_), kBad);
}

// Extents that only an extent of 0 makes countable.
TEST_P(IndicePoolErrors, HugeExtentsBesideNone) {
  if (GetParam().on_rulebook) GTEST_SKIP() << "its rows are given";
  constexpr int64_t kHuge = int64_t{1} << 62;
  BadCall call(GetParam());
  for (const std::string& name : GetParam().Tensors()) {
    if (name != "indice_pairs") call[name].extents = {0, kHuge};
  }
  call.num_act_out = 0;
  std::memset(call.numbers.data(), 0, call.numbers.size());
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.text;
  for (const std::string& name : GetParam().Tensors()) {
    if (name != "indice_pairs") call[name].extents = {kHuge, 0};
  }
  call.num_act_out = kHuge;
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS) << call.text;
}

}  // namespace
}  // namespace detops_test
