#include "boxes/order/score_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "core/element_type.h"

namespace detops::boxes {
namespace {

constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE};

// Numbers as the elements of a tensor that begins at an odd address.
class Tensor {
 public:
  Tensor(mluOpDataType_t type, const std::vector<double>& numbers) : type_(type) {
    WithElementType(type, [&]<typename T>() {
      bytes_.resize(numbers.size() * sizeof(T) + 1);
      for (size_t i = 0; i < numbers.size(); ++i) {
        const T element = FromDouble<T>(numbers[i]);
        std::memcpy(bytes_.data() + 1 + i * sizeof(T), &element, sizeof(T));
        values_.push_back(static_cast<double>(ToAccumulator(element)));
      }
    });
  }
  Scores scores(int64_t first = 0) const {
    return {type_, bytes_.data() + 1, static_cast<int64_t>(values_.size()) - first, first};
  }
  double value(size_t i) const { return values_[i]; }

 private:
  mluOpDataType_t type_;
  std::vector<char> bytes_;
  std::vector<double> values_;
};

std::vector<uint32_t> Found(const Scores& scores, int64_t limit, int threads) {
  Arena sizes;
  (void)ScoreOrder::Take(sizes, scores.type, scores.count);
  std::vector<char> block(static_cast<size_t>(sizes.NeededBytes()));
  Arena arena(block.data());
  const ScoreOrder order = ScoreOrder::Take(arena, scores.type, scores.count);
  std::vector<uint32_t> indices(static_cast<size_t>(std::min(limit, scores.count)));
  int64_t found = -1;
  EXPECT_TRUE(order.Find(Parallel(threads), scores, limit, indices.data(), &found));
  EXPECT_LE(found, static_cast<int64_t>(indices.size()));
  indices.resize(static_cast<size_t>(found));
  return indices;
}

std::vector<uint32_t> Expected(const Tensor& tensor, const Scores& scores, int64_t limit) {
  std::vector<uint32_t> indices;
  const auto value = [&](uint32_t i) { return tensor.value(static_cast<size_t>(scores.first) + i); };
  for (uint32_t i = 0; i < scores.count; ++i) {
    if (!scores.has_floor || value(i) > scores.floor) indices.push_back(i);
  }
  std::sort(indices.begin(), indices.end(), [&](uint32_t a, uint32_t b) {
    if (std::isnan(value(a)) != std::isnan(value(b))) return std::isnan(value(b));
    return value(a) > value(b) || (!(value(a) < value(b)) && a < b);
  });
  if (static_cast<int64_t>(indices.size()) > limit) indices.resize(static_cast<size_t>(limit));
  return indices;
}

void ExpectAllTypes(const std::vector<double>& numbers, const char* what) {
  const auto count = static_cast<int64_t>(numbers.size());
  for (const mluOpDataType_t type : kTypes) {
    const Tensor tensor(type, numbers);
    for (const int64_t limit : {int64_t{0}, int64_t{1}, count / 100, count / 3, count - 1, count, kNoLimit}) {
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << what << ", type " << type << ", limit " << limit << ", " << threads);
        Scores scores = tensor.scores(count / 7);
        ASSERT_EQ(Found(scores, limit, threads), Expected(tensor, scores, limit));
        scores.has_floor = true;
        scores.floor = 0.25;
        ASSERT_EQ(Found(scores, limit, threads), Expected(tensor, scores, limit));
      }
    }
  }
}

TEST(ScoreOrder, EqualScoresByIndexAndNanLast) {
  const double inf = INFINITY;
  const Tensor tensor(MLUOP_DTYPE_FLOAT, {0.0, NAN, 1, -inf, -0.0, 1, inf, -1, -NAN, 1e-45, 1});
  EXPECT_EQ(Found(tensor.scores(), kNoLimit, 1), (std::vector<uint32_t>{6, 2, 5, 10, 9, 0, 4, 7, 3, 1, 8}));
  EXPECT_EQ(Found(tensor.scores(), 3, 1), (std::vector<uint32_t>{6, 2, 5}));
  Scores scores = tensor.scores(2);
  scores.has_floor = true;
  EXPECT_EQ(Found(scores, kNoLimit, 1), (std::vector<uint32_t>{4, 0, 3, 8, 7}));
}

TEST(ScoreOrder, IsAStableSortCutAtTheLimit) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal(0, 1e3);
  for (const size_t count : {1u, 2u, 9u, 1000u, 40'000u}) {
    std::vector<double> numbers(count);
    for (double& x : numbers) x = unit(random);
    ExpectAllTypes(numbers, "probabilities");
    for (double& x : numbers) x = normal(random);
    ExpectAllTypes(numbers, "logits");
    for (double& x : numbers) x = std::floor(4 * unit(random)) / 4;
    ExpectAllTypes(numbers, "few values");
    for (double& x : numbers) x = 0.5;
    ExpectAllTypes(numbers, "one value");
    for (double& x : numbers) {
      const double kind = unit(random);
      x = kind < 0.1 ? NAN : kind < 0.2 ? INFINITY : kind < 0.3 ? -INFINITY : kind < 0.4 ? -0.0 : kind < 0.5 ? 0 : x;
    }
    ExpectAllTypes(numbers, "special values");
  }
}

}  // namespace
}  // namespace detops::boxes
