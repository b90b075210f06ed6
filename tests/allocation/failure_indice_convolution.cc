// Memory runs out while a sparse convolution or a rulebook is made. Part of the program allocation_failure.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "allocation/hooks.h"
#include "allocation/subject.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using namespace detops_test::hooks;  // NOLINT(google-build-using-namespace): counters of this test alone

// A convolution with all its tensors and a rulebook, made before any allocation fails. Input and output have the same
// rows and channels, so one descriptor and one buffer serve the results of all functions.
class ConvolutionCase {
 public:
  ConvolutionCase(int64_t rows, int64_t channels, bool ascending)
      : rows_(rows),
        features_(static_cast<size_t>(rows * channels)),
        filters_(static_cast<size_t>(kOffsets * channels * channels)),
        bias_(static_cast<size_t>(channels), 0.5f),
        pairs_(static_cast<size_t>(kOffsets * 2 * rows), -1) {
    for (size_t i = 0; i < features_.size(); ++i) features_[i] = static_cast<float>(i % 7) - 3.0f;
    for (size_t i = 0; i < filters_.size(); ++i) filters_[i] = static_cast<float>(i % 5) - 2.0f;
    for (int64_t k = 0; k < kOffsets; ++k) {
      num_[k] = rows * (k + 1) / kOffsets;
      for (int64_t i = 0; i < num_[k]; ++i) {
        // 7 has no factor in common with the numbers of rows below, so that every row comes once.
        pairs_[static_cast<size_t>(k * 2 * rows + i)] = static_cast<int32_t>(ascending ? i : i * 7 % rows);
        pairs_[static_cast<size_t>((k * 2 + 1) * rows + i)] =
            static_cast<int32_t>(ascending ? rows - num_[k] + i : (i * 7 + k) % rows);
      }
    }
    SetDescriptor(&rows_desc_, MLUOP_DTYPE_FLOAT, {rows, channels});
    SetDescriptor(&filters_desc_, MLUOP_DTYPE_FLOAT, {kOffsets, 1, 1, channels, channels});
    SetDescriptor(&bias_desc_, MLUOP_DTYPE_FLOAT, {channels});
    SetDescriptor(&pairs_desc_, MLUOP_DTYPE_INT32, {kOffsets, 2, rows});
    result_.resize(std::max(features_.size(), filters_.size()));
    mluOpHandle_t handle = NewHandle(1);
    Create(handle);
    rulebook_ = made_;
    made_ = nullptr;
    mluOpDestroy(handle);
    Mark();
  }
  ~ConvolutionCase() {
    Mark();
    if (rulebook_ != nullptr) detopsDestroyRulebook(rulebook_);
    for (mluOpTensorDescriptor_t desc : {rows_desc_, filters_desc_, bias_desc_, pairs_desc_}) {
      mluOpDestroyTensorDescriptor(desc);
    }
  }
  ConvolutionCase(const ConvolutionCase&) = delete;
  ConvolutionCase& operator=(const ConvolutionCase&) = delete;

  // ---- the calls ----

  int Forward(mluOpHandle_t handle) {
    return mluOpIndiceConvolutionForward(handle, rows_desc_, features_.data(), filters_desc_, filters_.data(),
                                         pairs_desc_, pairs_.data(), num_, rows_, 0, 0, nullptr, 0, rows_desc_,
                                         result_.data());
  }
  int BackwardData(mluOpHandle_t handle) {
    return mluOpIndiceConvolutionBackwardData(handle, rows_desc_, features_.data(), filters_desc_, filters_.data(),
                                              pairs_desc_, pairs_.data(), num_, 0, 0, nullptr, 0, rows_desc_,
                                              result_.data());
  }
  int BackwardFilter(mluOpHandle_t handle) {
    return mluOpIndiceConvolutionBackwardFilter(handle, rows_desc_, features_.data(), rows_desc_, features_.data(),
                                                pairs_desc_, pairs_.data(), num_, 0, 0, nullptr, 0, filters_desc_,
                                                result_.data());
  }
  int Fused(mluOpHandle_t handle) {
    return detopsIndiceConvolutionForwardFused(handle, rows_desc_, features_.data(), filters_desc_, filters_.data(),
                                               pairs_desc_, pairs_.data(), num_, rows_, 0, 0, bias_desc_, bias_.data(),
                                               rows_desc_, features_.data(), DETOPS_ACTIVATION_RELU, 0, rows_desc_,
                                               result_.data());
  }
  int Create(mluOpHandle_t handle) {
    return detopsCreateRulebook(handle, pairs_desc_, pairs_.data(), num_, rows_, rows_, &made_);
  }
  int RulebookForward(mluOpHandle_t handle) {
    return detopsRulebookConvolutionForward(handle, rulebook_, 0, rows_desc_, features_.data(), filters_desc_,
                                            filters_.data(), bias_desc_, bias_.data(), nullptr, nullptr,
                                            DETOPS_ACTIVATION_NONE, 0, rows_desc_, result_.data());
  }
  int RulebookBackwardData(mluOpHandle_t handle) {
    return detopsRulebookConvolutionBackwardData(handle, rulebook_, 0, rows_desc_, features_.data(), filters_desc_,
                                                 filters_.data(), rows_desc_, result_.data());
  }
  int RulebookBackwardFilter(mluOpHandle_t handle) {
    return detopsRulebookConvolutionBackwardFilter(handle, rulebook_, 0, rows_desc_, features_.data(), rows_desc_,
                                                   features_.data(), filters_desc_, result_.data());
  }

  // ---- its result ----

  // The state before a call: a result that no call writes, and no new rulebook.
  void Mark() {
    if (made_ != nullptr) detopsDestroyRulebook(made_);
    made_ = nullptr;
    std::fill(result_.begin(), result_.end(), 77.5f);
  }
  bool Untouched() const {
    return made_ == nullptr && std::all_of(result_.begin(), result_.end(), [](float x) { return x == 77.5f; });
  }
  void Keep() {
    good_ = result_;
    good_bytes_ = MadeBytes();
  }
  bool Right() const { return result_ == good_ && MadeBytes() == good_bytes_; }

 private:
  static constexpr int64_t kOffsets = 5;

  // Of the new rulebook; one that was made without memory for its lists is smaller.
  size_t MadeBytes() const {
    size_t bytes = 0;
    if (made_ != nullptr) detopsGetRulebookSize(made_, &bytes);
    return bytes;
  }

  static void SetDescriptor(mluOpTensorDescriptor_t* desc, mluOpDataType_t type, const std::vector<int64_t>& extents) {
    mluOpCreateTensorDescriptor(desc);
    mluOpSetTensorDescriptor_v2(*desc, MLUOP_LAYOUT_ARRAY, type, static_cast<int>(extents.size()), extents.data());
  }

  int64_t rows_;
  std::vector<float> features_, filters_, bias_, result_, good_;
  std::vector<int32_t> pairs_;
  int64_t num_[kOffsets];
  mluOpTensorDescriptor_t rows_desc_ = nullptr, filters_desc_ = nullptr, bias_desc_ = nullptr, pairs_desc_ = nullptr;
  detopsRulebook_t rulebook_ = nullptr, made_ = nullptr;
  size_t good_bytes_ = 0;
};

struct ConvolutionFunction {
  const char* name;
  int (ConvolutionCase::*call)(mluOpHandle_t handle);
};
constexpr ConvolutionFunction kFunctions[] = {
    {"mluOpIndiceConvolutionForward", &ConvolutionCase::Forward},
    {"mluOpIndiceConvolutionBackwardData", &ConvolutionCase::BackwardData},
    {"mluOpIndiceConvolutionBackwardFilter", &ConvolutionCase::BackwardFilter},
    {"detopsIndiceConvolutionForwardFused", &ConvolutionCase::Fused},
    {"detopsCreateRulebook", &ConvolutionCase::Create},
    {"detopsRulebookConvolutionForward", &ConvolutionCase::RulebookForward},
    {"detopsRulebookConvolutionBackwardData", &ConvolutionCase::RulebookBackwardData},
    {"detopsRulebookConvolutionBackwardFilter", &ConvolutionCase::RulebookBackwardFilter}};

void FailAll(int64_t rows, int64_t channels, int threads) {
  for (const bool ascending : {true, false}) {
    ConvolutionCase work(rows, channels, ascending);
    for (const ConvolutionFunction& function : kFunctions) {
      FailCallsOnNewHandles(work, function.name, function.call, threads);
    }
  }
}

TEST_F(AllocationFailureTest, SmallConvolutions) { FailAll(40, 3, 1); }
TEST_F(AllocationFailureTest, LargeConvolutions) { FailAll(30000, 16, 1); }
TEST_F(AllocationFailureTest, ConvolutionsOfManyChannels) { FailAll(300, 130, 1); }
TEST_F(AllocationFailureTest, ConvolutionsWithThreads) { FailAll(8000, 32, 4); }

}  // namespace
