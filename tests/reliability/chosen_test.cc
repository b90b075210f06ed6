// Indices and boxes that somebody chose so that they crowd: the time of a call may not be many times that of random
// ones with the same shapes. Points and sites have tests of their own (point_to_voxel_chosen_test,
// get_indice_pairs_chosen_test).
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "detops.h"
#include "support/cpu_time.h"
#include "support/handle.h"
#include "support/status.h"
#include "support/tensor.h"

namespace detops_test {
namespace {

constexpr mluOpDataType_t kReal = MLUOP_DTYPE_FLOAT, kInt = MLUOP_DTYPE_INT32;
constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY, kNhwc = MLUOP_LAYOUT_NHWC;
constexpr double kMostTimes = 20;

// ---- pairs of sparse convolutions ----

constexpr int64_t kRows = 20'000, kOffsets = 9, kChannels = 16;

// Input and output row of a pair.
using Choice = std::function<void(int64_t pair, std::mt19937_64& random, int64_t rows[2])>;

class ChosenPairs {
 public:
  explicit ChosenPairs(const Choice& choose) : counts_(kOffsets, kRows) {
    std::mt19937_64 random(1);
    for (int64_t k = 0; k < kOffsets; ++k) {
      for (int64_t i = 0; i < kRows; ++i) {
        int64_t rows[2];
        choose(i, random, rows);
        for (int64_t side = 0; side < 2; ++side) {
          pairs_.Set((k * 2 + side) * kRows + i, static_cast<double>(rows[side]));
        }
      }
    }
    for (Tensor* tensor : {&rows_, &filters_}) tensor->FillUniform(-1, 1, 2);
  }

  std::vector<double> Seconds() {
    const mluOpHandle_t h = handle_.get();
    const auto desc = pairs_.desc();
    const auto* const counts = counts_.data();
    const auto time = [](const auto& call) { return LeastCpuSeconds([&] { Must(call(), "call"); }); };
    return {
        time([&] {
          return mluOpIndiceConvolutionForward(h, rows_.desc(), rows_.data(), filters_.desc(), filters_.data(), desc,
                                               pairs_.data(), counts, kRows, 0, 0, nullptr, 0, result_.desc(),
                                               result_.data());
        }),
        time([&] {
          return mluOpIndiceConvolutionBackwardData(h, rows_.desc(), rows_.data(), filters_.desc(), filters_.data(),
                                                    desc, pairs_.data(), counts, 0, 0, nullptr, 0, result_.desc(),
                                                    result_.data());
        }),
        time([&] {
          return mluOpIndiceConvolutionBackwardFilter(h, rows_.desc(), rows_.data(), rows_.desc(), rows_.data(), desc,
                                                      pairs_.data(), counts, 0, 0, nullptr, 0, filter_gradient_.desc(),
                                                      filter_gradient_.data());
        }),
        time([&] {
          detopsRulebook_t rulebook = nullptr;
          const mluOpStatus_t status = detopsCreateRulebook(h, desc, pairs_.data(), counts, kRows, kRows, &rulebook);
          detopsDestroyRulebook(rulebook);
          return status;
        }),
        time([&] {
          return detopsIndicePoolForward(h, DETOPS_POOL_MAXIMUM, DETOPS_MAXIMUM_FROM_LOWEST, rows_.desc(), rows_.data(),
                                         desc, pairs_.data(), counts, kRows, result_.desc(), result_.data());
        })};
  }

 private:
  const Handle handle_{DETOPS_PROFILE_FULL, 1};
  std::vector<int64_t> counts_;
  Tensor pairs_{kArray, kInt, {kOffsets, 2, kRows}};
  Tensor rows_{kArray, kReal, {kRows, kChannels}}, result_{kArray, kReal, {kRows, kChannels}};
  Tensor filters_{kArray, kReal, {1, 3, 3, kChannels, kChannels}};
  Tensor filter_gradient_{kArray, kReal, {1, 3, 3, kChannels, kChannels}};
};

TEST(ChosenTime, PairsOfConvolutions) {
  const auto random_row = [](std::mt19937_64& random) { return static_cast<int64_t>(random() % kRows); };
  const std::vector<double> usual = ChosenPairs([&](int64_t, std::mt19937_64& random, int64_t rows[2]) {
                                      rows[0] = random_row(random);
                                      rows[1] = random_row(random);
                                    }).Seconds();
  const auto expect = [&](const char* name, const Choice& choose) {
    const std::vector<double> chosen = ChosenPairs(choose).Seconds();
    for (size_t call = 0; call < usual.size(); ++call) {
      EXPECT_LT(chosen[call], kMostTimes * usual[call]) << name << ", call " << call;
    }
  };
  expect("all into one row", [&](int64_t, std::mt19937_64& random, int64_t rows[2]) {
    rows[0] = random_row(random);
    rows[1] = 7;
  });
  expect("all from one row", [&](int64_t, std::mt19937_64& random, int64_t rows[2]) {
    rows[0] = 7;
    rows[1] = random_row(random);
  });
  expect("one pair", [](int64_t, std::mt19937_64&, int64_t rows[2]) { rows[0] = rows[1] = kRows - 1; });
  expect("descending", [](int64_t pair, std::mt19937_64&, int64_t rows[2]) { rows[0] = rows[1] = kRows - 1 - pair; });
  expect("rows of one block in turn", [](int64_t pair, std::mt19937_64&, int64_t rows[2]) {
    rows[0] = pair % 79 * 256;
    rows[1] = pair % 2 * (kRows - 1);
  });
}

// ---- boxes ----

double AlignSeconds(bool forward, const std::function<double(std::mt19937_64& random, int64_t field)>& choose) {
  constexpr int64_t kSide = 64, kDepth = 32;
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  Tensor map(kNhwc, kReal, {1, kSide, kSide, kDepth}), result(kNhwc, kReal, {1, kSide, kSide, kDepth});
  Tensor boxes(kArray, kReal, {1, kSide, kSide, 5});
  map.FillUniform(-1, 1, 1);
  std::mt19937_64 random(2);
  for (int64_t i = 0; i < boxes.elements(); ++i) boxes.Set(i, choose(random, i % 5));
  return LeastCpuSeconds([&] {
    Must((forward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward)(
             handle.get(), map.desc(), map.data(), boxes.desc(), boxes.data(), 1.0f, 5, result.desc(), result.data()),
         "rotated_feature_align");
  });
}

TEST(ChosenTime, BoxesOfRotatedFeatureAlign) {
  for (const bool forward : {true, false}) {
    const double usual = AlignSeconds(
        forward, [](std::mt19937_64& random, int64_t) { return static_cast<double>(random() % 6400) / 100; });
    const auto expect = [&](const char* name, const auto& choose) {
      EXPECT_LT(AlignSeconds(forward, choose), kMostTimes * usual) << name << (forward ? ", forward" : ", backward");
    };
    expect("one pixel", [](std::mt19937_64&, int64_t field) { return field < 2 ? 20.5 : 0.01; });
    expect("a corner", [](std::mt19937_64&, int64_t) { return 0.0; });
    expect("outside", [](std::mt19937_64&, int64_t) { return 1e30; });
    expect("two pixels", [](std::mt19937_64& random, int64_t field) {
      return field < 2 ? static_cast<double>(random() % 2 * 63) : 0.0;
    });
  }
}

}  // namespace
}  // namespace detops_test
