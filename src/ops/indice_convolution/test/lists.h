// Lists of pairs of every kind for the tests of indice_convolution.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_TEST_LISTS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_TEST_LISTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "ops/indice_convolution/reference/reference.h"

namespace detops_test::inline indice_convolution {  // one program may use several rooms

using detops_reference::ConvolutionPairs;

// The same numbers on every machine, unlike the distributions of the standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  template <class List>
  auto Pick(const List& list) {
    return list[static_cast<size_t>(Between(0, static_cast<int64_t>(std::size(list)) - 1))];
  }
  void Shuffle(std::vector<int32_t>& list) {
    for (size_t i = list.size(); i > 1; --i) {
      std::swap(list[i - 1], list[static_cast<size_t>(Between(0, static_cast<int64_t>(i) - 1))]);
    }
  }
  // `count` different numbers below `rows`, ascending.
  std::vector<int32_t> Subset(int64_t rows, int64_t count) {
    std::vector<int32_t> subset;
    for (int64_t row = 0; row < rows; ++row) {
      if (Between(1, rows - row) <= count - static_cast<int64_t>(subset.size())) {
        subset.push_back(static_cast<int32_t>(row));
      }
    }
    return subset;
  }
  // `count` numbers below `rows`, any.
  std::vector<int32_t> Numbers(int64_t rows, int64_t count) {
    std::vector<int32_t> numbers(static_cast<size_t>(count));
    for (int32_t& number : numbers) number = static_cast<int32_t>(Between(0, rows - 1));
    return numbers;
  }

 private:
  std::mt19937_64 engine_;
};

// 0, 1, 2, ...
inline std::vector<int32_t> Counting(int64_t count) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

enum class ListKind {
  kAscending,    // both indices ascend: what mluOpGetIndicePairs makes of ascending sites
  kCrossed,      // inputs ascend, outputs are in any order: what it makes of other sites
  kShuffled,     // no order, no index twice
  kSubmanifold,  // the middle offset pairs every row with itself, the others have fewer pairs
  kHoles,        // most offsets have no pairs
  kRandom,       // any number of any indices
  kRepeated,     // as many pairs as there are columns, few different indices
  kOneOutput,    // all pairs of all offsets meet in one output
  kOneInput      // all pairs of all offsets come from one input
};
inline constexpr ListKind kListKinds[] = {ListKind::kAscending, ListKind::kCrossed,  ListKind::kShuffled,
                                          ListKind::kHoles,     ListKind::kRandom,   ListKind::kRepeated,
                                          ListKind::kOneOutput, ListKind::kOneInput, ListKind::kSubmanifold};

// The pairs of one offset between rows [0, in_rows) and [0, out_rows): input indices first.
inline std::pair<std::vector<int32_t>, std::vector<int32_t>> MakeList(Random& random, ListKind kind, int64_t offset,
                                                                      int64_t offsets, int64_t in_rows,
                                                                      int64_t out_rows, int64_t columns) {
  const int64_t most = std::min({in_rows, out_rows, columns});
  if (most == 0) return {};
  const int64_t several = random.Between((most + 1) / 2, most), any = random.Between(0, columns);
  std::vector<int32_t> in, out;
  switch (kind) {
    case ListKind::kAscending:
      return {random.Subset(in_rows, several), random.Subset(out_rows, several)};
    case ListKind::kCrossed:
    case ListKind::kShuffled:
      in = random.Subset(in_rows, several);
      out = random.Subset(out_rows, several);
      random.Shuffle(out);
      if (kind == ListKind::kShuffled) random.Shuffle(in);
      return {in, out};
    case ListKind::kSubmanifold:
      if (offset != offsets / 2) return {random.Subset(in_rows, several / 3), random.Subset(out_rows, several / 3)};
      return {Counting(most), Counting(most)};
    case ListKind::kHoles:
      if (offset % 3 != 1) return {};
      return {random.Subset(in_rows, several), random.Subset(out_rows, several)};
    case ListKind::kRandom:
      return {random.Numbers(in_rows, any), random.Numbers(out_rows, any)};
    case ListKind::kRepeated:
      return {random.Numbers(std::min<int64_t>(in_rows, 5), columns),
              random.Numbers(std::min<int64_t>(out_rows, 3), columns)};
    case ListKind::kOneOutput:
      in = random.Subset(in_rows, std::min(in_rows, columns));
      return {in, std::vector<int32_t>(in.size(), static_cast<int32_t>(out_rows / 2))};
    case ListKind::kOneInput:
      out = random.Subset(out_rows, std::min(out_rows, columns));
      return {std::vector<int32_t>(out.size(), static_cast<int32_t>(in_rows / 2)), out};
  }
  return {};
}

// What stands in columns that do not count: whoever uses it as an index leaves every tensor.
inline constexpr int32_t kGarbageIndex = -0x5A5A5A5A;

inline ConvolutionPairs NoPairs(int64_t offsets, int64_t columns) {
  return {offsets, columns, std::vector<int32_t>(static_cast<size_t>(offsets * 2 * columns), kGarbageIndex),
          std::vector<int64_t>(static_cast<size_t>(offsets))};
}

inline void SetList(ConvolutionPairs& pairs, int64_t offset, const std::vector<int32_t>& in,
                    const std::vector<int32_t>& out) {
  pairs.counts.at(static_cast<size_t>(offset)) = static_cast<int64_t>(in.size());
  const auto row = pairs.indices.begin() + offset * 2 * pairs.columns;
  std::copy(in.begin(), in.end(), row);
  std::copy(out.begin(), out.end(), row + pairs.columns);
}

inline ConvolutionPairs MakePairs(ListKind kind, int64_t offsets, int64_t in_rows, int64_t out_rows, uint64_t seed) {
  Random random(seed);
  ConvolutionPairs pairs = NoPairs(offsets, in_rows);
  for (int64_t k = 0; k < offsets; ++k) {
    const auto [in, out] = MakeList(random, kind, k, offsets, in_rows, out_rows, in_rows);
    SetList(pairs, k, in, out);
  }
  return pairs;
}

}  // namespace detops_test::inline indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_TEST_LISTS_H_
