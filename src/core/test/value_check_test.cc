// The search for NaN and Inf: every type, every position, every SIMD target, across the cuts between tasks.
#include "core/value_check.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/simd_target.h"
#include "core/thread_pool.h"
#include "gtest/gtest.h"
#include "support/guarded_buffer.h"

namespace detops {
namespace {

using detops_test::GuardedBuffer;
using detops_test::Placement;

struct TypeCase {
  mluOpDataType_t type;
  const char* name;
  size_t size;
  uint64_t exponent;  // all its bits set: not finite
  uint64_t sign;
};

constexpr TypeCase kTypes[] = {
    {MLUOP_DTYPE_HALF, "half", 2, 0x7c00, 0x8000},
    {MLUOP_DTYPE_BFLOAT16, "bfloat16", 2, 0x7f80, 0x8000},
    {MLUOP_DTYPE_FLOAT, "float", 4, 0x7f800000, 0x80000000},
    {MLUOP_DTYPE_DOUBLE, "double", 8, 0x7ff0000000000000, 0x8000000000000000},
};

std::vector<std::string> Targets() {
  std::vector<std::string> names;
  std::istringstream text(SupportedTargetNames());
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

class ValueCheckTest : public ::testing::Test {
 protected:
  void SetUp() override { one_.SetThreadCount(1); }
  void TearDown() override { ForceTarget(nullptr); }

  static void Put(const TypeCase& type, void* data, int64_t index, uint64_t bits) {
    std::memcpy(static_cast<char*>(data) + index * static_cast<int64_t>(type.size), &bits, type.size);
  }

  int64_t Find(const TypeCase& type, const void* data, int64_t count) const {
    int64_t index = -77;
    EXPECT_TRUE(FindNonFinite(one_, type.type, data, count, &index));
    return index;
  }

  template <class Body>
  void ForEachTargetAndType(const Body& body) {
    const std::vector<std::string> targets = Targets();
    ASSERT_FALSE(targets.empty());
    for (const std::string& target : targets) {
      ASSERT_TRUE(ForceTarget(target.c_str()));
      for (const TypeCase& type : kTypes) {
        SCOPED_TRACE(target + ", " + type.name);
        body(type);
      }
    }
  }

  Parallel one_;
};

TEST_F(ValueCheckTest, EveryPositionOfEveryLength) {
  ForEachTargetAndType([&](const TypeCase& type) {
    for (int64_t count = 0; count <= 150; ++count) {
      // A read beyond the end would fault.
      GuardedBuffer buffer(static_cast<size_t>(count) * type.size);
      // All bits but one of the exponent: as near to not finite as a number comes.
      const uint64_t almost = (type.sign | (type.sign - 1)) & ~(type.exponent & (~type.exponent + 1));
      for (int64_t i = 0; i < count; ++i) Put(type, buffer.data(), i, almost);
      ASSERT_EQ(Find(type, buffer.data(), count), -1) << count;
      for (int64_t position = 0; position < count; ++position) {
        Put(type, buffer.data(), position, type.exponent);
        ASSERT_EQ(Find(type, buffer.data(), count), position) << count;
        Put(type, buffer.data(), position, almost);
      }
    }
  });
}

TEST_F(ValueCheckTest, TheFirstOfSeveral) {
  ForEachTargetAndType([&](const TypeCase& type) {
    std::vector<uint64_t> storage(200);
    for (const int64_t first : {0, 1, 31, 32, 33, 63, 64, 100}) {
      std::memset(storage.data(), 0, storage.size() * sizeof(uint64_t));
      for (int64_t i = first; i < 200; ++i) Put(type, storage.data(), i, type.exponent | 1);
      EXPECT_EQ(Find(type, storage.data(), 200), first);
    }
  });
}

TEST_F(ValueCheckTest, AllSixteenBitPatterns) {
  for (const std::string& target : Targets()) {
    ASSERT_TRUE(ForceTarget(target.c_str()));
    for (const TypeCase& type : {kTypes[0], kTypes[1]}) {
      for (uint64_t pattern = 0; pattern < 65536; ++pattern) {
        uint16_t data[40] = {};
        data[pattern % 40] = static_cast<uint16_t>(pattern);
        const bool finite = (pattern & type.exponent) != type.exponent;
        ASSERT_EQ(Find(type, data, 40), finite ? -1 : static_cast<int64_t>(pattern % 40))
            << target << " " << type.name << " " << pattern;
      }
    }
  }
}

TEST_F(ValueCheckTest, SpecialNumbers) {
  ForEachTargetAndType([&](const TypeCase& type) {
    const uint64_t digits = (type.sign - 1) & ~type.exponent;
    const uint64_t lowest_exponent_bit = type.exponent & (~type.exponent + 1);
    const uint64_t finite[] = {
        0, 1, digits, lowest_exponent_bit, type.exponent - 1, type.exponent - lowest_exponent_bit};
    const uint64_t not_finite[] = {type.exponent, type.exponent | 1, type.exponent | digits,
                                   type.exponent | (lowest_exponent_bit >> 1)};
    for (const uint64_t sign : {uint64_t{0}, type.sign}) {
      std::vector<uint64_t> storage(100);
      for (const uint64_t bits : finite) {
        Put(type, storage.data(), 37, bits | sign);
        EXPECT_EQ(Find(type, storage.data(), 100), -1) << std::hex << (bits | sign);
      }
      for (const uint64_t bits : not_finite) {
        Put(type, storage.data(), 37, bits | sign);
        EXPECT_EQ(Find(type, storage.data(), 100), 37) << std::hex << (bits | sign);
      }
    }
  });
}

TEST_F(ValueCheckTest, AnyAlignment) {
  ForEachTargetAndType([&](const TypeCase& type) {
    for (size_t offset = 0; offset < 2 * type.size; ++offset) {
      for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
        GuardedBuffer buffer(77 * type.size, placement, offset);
        std::memset(buffer.data(), 0, buffer.size());
        EXPECT_EQ(Find(type, buffer.data(), 77), -1);
        Put(type, buffer.data(), 76, type.exponent);
        EXPECT_EQ(Find(type, buffer.data(), 77), 76);
        Put(type, buffer.data(), 3, type.exponent);
        EXPECT_EQ(Find(type, buffer.data(), 77), 3);
      }
    }
  });
}

// Long enough for several tasks; the first in the tensor counts, not the first found.
TEST_F(ValueCheckTest, ManyTasksGiveTheFirstPosition) {
  constexpr int64_t kCount = 500001;
  ASSERT_TRUE(ThreadPool::Shared().AddUser());
  Parallel many;
  many.SetThreadCount(4);
  ASSERT_GT(many.TaskCount(kCount, 64 << 10), 1) << "the work is not cut; the test is blind";
  for (const TypeCase& type : kTypes) {
    std::vector<char> data(static_cast<size_t>(kCount) * type.size);
    int64_t index = -77;
    ASSERT_TRUE(FindNonFinite(many, type.type, data.data(), kCount, &index));
    EXPECT_EQ(index, -1);
    for (const int64_t position : {kCount - 1, kCount / 2 + 1, kCount / 2, kCount / 4, int64_t{70000}, int64_t{0}}) {
      Put(type, data.data(), position, type.exponent);  // those behind stay
      ASSERT_TRUE(FindNonFinite(many, type.type, data.data(), kCount, &index));
      EXPECT_EQ(index, position) << type.name;
    }
  }
  ThreadPool::Shared().RemoveUser();
}

// One thread is faster on a small tensor, and there is room for the findings of 64 tasks.
TEST_F(ValueCheckTest, OneTaskForSmallTensorsAtMost64ForLarge) {
  Parallel parallel;
  int tasks = 0;
  parallel.SetThreadCount(255);
  parallel.SetRunner(
      [](void* tasks_of_call, detopsTask_t task, void* context, int count) {
        *static_cast<int*>(tasks_of_call) = count;
        for (int i = 0; i < count; ++i) task(context, i);
        return 0;
      },
      &tasks);
  std::vector<uint16_t> data(100 * (64 << 10));
  data.back() = 0x7c00;
  const auto size = static_cast<int64_t>(data.size());
  ASSERT_GT(parallel.TaskCount(size, 64 << 10), 64) << "the work would not be cut further; the test is blind";
  int64_t index = -77;
  EXPECT_TRUE(FindNonFinite(parallel, MLUOP_DTYPE_HALF, data.data(), size, &index));
  EXPECT_EQ(index, size - 1);
  EXPECT_EQ(tasks, 64);
  EXPECT_TRUE(FindNonFinite(parallel, MLUOP_DTYPE_HALF, data.data(), 64 << 10, &index));
  EXPECT_EQ(index, -1);
  EXPECT_EQ(tasks, 1);
}

TEST(ElementAsDoubleTest, AllTypes) {
  const uint16_t halves[] = {0x3c00, 0xc500, 0x0001, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x8000};
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_HALF, halves, 0), 1.0);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_HALF, halves, 1), -5.0);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_HALF, halves, 2), 0x1p-24);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_HALF, halves, 3), 65504.0);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_HALF, halves, 4), INFINITY);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_HALF, halves, 5), -INFINITY);
  EXPECT_TRUE(std::isnan(ElementAsDouble(MLUOP_DTYPE_HALF, halves, 6)));
  EXPECT_TRUE(std::signbit(ElementAsDouble(MLUOP_DTYPE_HALF, halves, 7)));
  const uint16_t bfloats[] = {0x3f80, 0xc0a0, 0x0001, 0x7f80};
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_BFLOAT16, bfloats, 0), 1.0);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_BFLOAT16, bfloats, 1), -5.0);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_BFLOAT16, bfloats, 2), 0x1p-133);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_BFLOAT16, bfloats, 3), INFINITY);
  const float floats[] = {0.1f, -3.5f};
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_FLOAT, floats, 1), -3.5);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_FLOAT, floats, 0), static_cast<double>(0.1f));
  const double doubles[] = {0.1, 1e300};
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_DOUBLE, doubles, 1), 1e300);
  char odd[9];
  std::memcpy(odd + 1, doubles, 8);
  EXPECT_EQ(ElementAsDouble(MLUOP_DTYPE_DOUBLE, odd + 1, 0), 0.1) << "misaligned";
}

}  // namespace
}  // namespace detops
