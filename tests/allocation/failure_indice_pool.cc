// Memory runs out while index pairs are pooled. Part of the program allocation_failure.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "allocation/hooks.h"
#include "allocation/subject.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using namespace detops_test::hooks;  // NOLINT(google-build-using-namespace): counters of this test alone

// A pooling with all its tensors and a rulebook, made before any allocation fails. Input and output have the same rows,
// so one descriptor serves all tensors of numbers.
class PoolCase {
 public:
  PoolCase(int64_t rows, int64_t channels, bool ascending)
      : rows_(rows),
        features_(static_cast<size_t>(rows * channels)),
        result_(features_.size()),
        pairs_(static_cast<size_t>(kOffsets * 2 * rows), -1) {
    for (size_t i = 0; i < features_.size(); ++i) features_[i] = static_cast<float>(i % 7) - 3.0f;
    for (int64_t k = 0; k < kOffsets; ++k) {
      num_[k] = rows * (k + 1) / kOffsets;
      for (int64_t i = 0; i < num_[k]; ++i) {
        pairs_[static_cast<size_t>(k * 2 * rows + i)] = static_cast<int32_t>(ascending ? i : i * 7 % rows);
        pairs_[static_cast<size_t>((k * 2 + 1) * rows + i)] =
            static_cast<int32_t>(ascending ? rows - num_[k] + i : (i * 5 + k) % rows);
      }
    }
    SetDescriptor(&rows_desc_, MLUOP_DTYPE_FLOAT, {rows, channels});
    SetDescriptor(&pairs_desc_, MLUOP_DTYPE_INT32, {kOffsets, 2, rows});
    mluOpHandle_t handle = NewHandle(1);
    detopsCreateRulebook(handle, pairs_desc_, pairs_.data(), num_, rows, rows, &rulebook_);
    mluOpDestroy(handle);
    Mark();
  }
  ~PoolCase() {
    if (rulebook_ != nullptr) detopsDestroyRulebook(rulebook_);
    for (mluOpTensorDescriptor_t desc : {rows_desc_, pairs_desc_}) mluOpDestroyTensorDescriptor(desc);
  }
  PoolCase(const PoolCase&) = delete;
  PoolCase& operator=(const PoolCase&) = delete;

  // ---- the calls ----

  template <detopsPoolMethod_t kMethod>
  int Forward(mluOpHandle_t handle) {
    return detopsIndicePoolForward(handle, kMethod, DETOPS_MAXIMUM_FROM_LOWEST, rows_desc_, features_.data(),
                                   pairs_desc_, pairs_.data(), num_, rows_, rows_desc_, result_.data());
  }
  template <detopsPoolMethod_t kMethod>
  int Backward(mluOpHandle_t handle) {
    return detopsIndicePoolBackward(handle, kMethod, rows_desc_, features_.data(), rows_desc_, features_.data(),
                                    rows_desc_, features_.data(), pairs_desc_, pairs_.data(), num_, rows_desc_,
                                    result_.data());
  }
  template <detopsPoolMethod_t kMethod>
  int RulebookForward(mluOpHandle_t handle) {
    return detopsRulebookPoolForward(handle, rulebook_, kMethod, DETOPS_MAXIMUM_FROM_LOWEST, rows_desc_,
                                     features_.data(), rows_desc_, result_.data());
  }
  template <detopsPoolMethod_t kMethod>
  int RulebookBackward(mluOpHandle_t handle) {
    return detopsRulebookPoolBackward(handle, rulebook_, kMethod, rows_desc_, features_.data(), rows_desc_,
                                      features_.data(), rows_desc_, features_.data(), rows_desc_, result_.data());
  }

  // ---- its result ----

  void Mark() { std::fill(result_.begin(), result_.end(), 77.5f); }
  bool Untouched() const {
    return std::all_of(result_.begin(), result_.end(), [](float x) { return x == 77.5f; });
  }
  void Keep() { good_ = result_; }
  bool Right() const { return result_ == good_; }

 private:
  static constexpr int64_t kOffsets = 5;

  static void SetDescriptor(mluOpTensorDescriptor_t* desc, mluOpDataType_t type, const std::vector<int64_t>& extents) {
    mluOpCreateTensorDescriptor(desc);
    mluOpSetTensorDescriptor_v2(*desc, MLUOP_LAYOUT_ARRAY, type, static_cast<int>(extents.size()), extents.data());
  }

  int64_t rows_;
  std::vector<float> features_, result_, good_;
  std::vector<int32_t> pairs_;
  int64_t num_[kOffsets];
  mluOpTensorDescriptor_t rows_desc_ = nullptr, pairs_desc_ = nullptr;
  detopsRulebook_t rulebook_ = nullptr;
};

template <detopsPoolMethod_t kMethod>
void FailAllOf(PoolCase& work, int threads) {
  FailCallsOnNewHandles(work, "detopsIndicePoolForward", &PoolCase::Forward<kMethod>, threads);
  FailCallsOnNewHandles(work, "detopsIndicePoolBackward", &PoolCase::Backward<kMethod>, threads);
  FailCallsOnNewHandles(work, "detopsRulebookPoolForward", &PoolCase::RulebookForward<kMethod>, threads);
  FailCallsOnNewHandles(work, "detopsRulebookPoolBackward", &PoolCase::RulebookBackward<kMethod>, threads);
}

void FailAll(int64_t rows, int64_t channels, int threads) {
  for (const bool ascending : {true, false}) {
    PoolCase work(rows, channels, ascending);
    FailAllOf<DETOPS_POOL_MAXIMUM>(work, threads);
    FailAllOf<DETOPS_POOL_AVERAGE>(work, threads);
  }
}

TEST_F(AllocationFailureTest, SmallPools) { FailAll(40, 3, 1); }
TEST_F(AllocationFailureTest, LargePoolsWithThreads) { FailAll(8000, 32, 4); }

}  // namespace
