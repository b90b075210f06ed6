// Memory runs out while a sparse-convolution descriptor is made, outputs are counted or pairs are found. Part of the
// program allocation_failure.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "allocation/hooks.h"
#include "allocation/subject.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using namespace detops_test::hooks;  // NOLINT(google-build-using-namespace): counters of this test alone

TEST_F(AllocationFailureTest, CreateSparseConvolutionDescriptor) {
  auto* const mark = reinterpret_cast<mluOpSparseConvolutionDescriptor_t>(&g_armed);
  mluOpSparseConvolutionDescriptor_t desc = mark;
  FailEveryAllocation({[&] { return mluOpCreateSparseConvolutionDescriptor(&desc); },
                       [&] {
                         mluOpDestroySparseConvolutionDescriptor(desc);
                         desc = mark;
                       },
                       [&] { return desc == mark; }, MLUOP_STATUS_ALLOC_FAILED});
}

// A problem with its tensors and its workspace, all made before any allocation fails.
class PairCase {
 public:
  PairCase(bool submanifold, int64_t sites, int extent)
      : sites_(sites), rows_(submanifold ? sites : std::min<int64_t>(27 * sites, int64_t{extent} * extent * extent)) {
    const int one[] = {1, 1, 1}, three[] = {3, 3, 3}, space[] = {extent, extent, extent};
    mluOpCreateSparseConvolutionDescriptor(&conv_);
    mluOpSetSparseConvolutionDescriptor(conv_, 5, 1, one, one, one, space, three, space, submanifold ? 1 : 0, 0, 0);
    SetDescriptor(&indices_desc_, {sites_, 4});
    SetDescriptor(&pairs_desc_, {27, 2, sites_});
    SetDescriptor(&no_indices_desc_, {0, 4});
    SetDescriptor(&no_pairs_desc_, {27, 2, 0});
    SetDescriptor(&out_desc_, {rows_, 4});
    SetDescriptor(&num_desc_, {27});
    std::mt19937 random(7);
    indices_.resize(static_cast<size_t>(sites) * 4);
    for (size_t i = 0; i < indices_.size(); ++i) {
      indices_[i] = i % 4 == 0 ? 0 : static_cast<int32_t>(random() % static_cast<uint32_t>(extent));
    }
    pairs_.resize(static_cast<size_t>(sites_) * 54);
    out_.resize(static_cast<size_t>(rows_) * 4);
    num_.resize(27);
    mluOpHandle_t handle = nullptr;
    mluOpCreate(&handle);
    size_t size = 0;
    mluOpGetIndicePairsWorkspaceSize(handle, conv_, indices_desc_, pairs_desc_, out_desc_, num_desc_, &size);
    mluOpDestroy(handle);
    workspace_.resize(size);
    Mark();
  }
  ~PairCase() {
    mluOpDestroySparseConvolutionDescriptor(conv_);
    for (mluOpTensorDescriptor_t desc :
         {indices_desc_, pairs_desc_, no_indices_desc_, no_pairs_desc_, out_desc_, num_desc_}) {
      mluOpDestroyTensorDescriptor(desc);
    }
  }
  PairCase(const PairCase&) = delete;
  PairCase& operator=(const PairCase&) = delete;

  int Find(mluOpHandle_t handle) {
    return mluOpGetIndicePairs(handle, conv_, indices_desc_, indices_.data(), workspace_.data(), workspace_.size(),
                               pairs_desc_, pairs_.data(), out_desc_, out_.data(), num_desc_, num_.data());
  }

  int Count(mluOpHandle_t handle) {
    return detopsCountIndicePairOutputs(handle, conv_, indices_desc_, indices_.data(), &count_);
  }

  int NumActOut() const {
    int number = -1;
    mluOpGetSparseConvolutionNumActOut(conv_, &number);
    return number;
  }

  // The state before a call: outputs that no call writes, and 0 as the number of outputs, by a call without sites.
  void Mark() {
    mluOpHandle_t handle = nullptr;
    mluOpCreate(&handle);
    mluOpGetIndicePairs(handle, conv_, no_indices_desc_, nullptr, nullptr, 0, no_pairs_desc_, nullptr, out_desc_,
                        nullptr, num_desc_, nullptr);
    mluOpDestroy(handle);
    for (std::vector<int32_t>* tensor : {&pairs_, &out_, &num_}) std::fill(tensor->begin(), tensor->end(), 77);
    count_ = 77;
  }

  bool Untouched() const {
    const auto marked = [](const std::vector<int32_t>& tensor) {
      return std::all_of(tensor.begin(), tensor.end(), [](int32_t value) { return value == 77; });
    };
    return marked(pairs_) && marked(out_) && marked(num_) && count_ == 77 && NumActOut() == 0;
  }

  void Keep() {
    good_pairs_ = pairs_;
    good_out_ = out_;
    good_num_ = num_;
  }
  bool PairsAreRight() const { return pairs_ == good_pairs_ && out_ == good_out_ && num_ == good_num_; }
  int64_t count() const { return count_; }

 private:
  static void SetDescriptor(mluOpTensorDescriptor_t* desc, const std::vector<int64_t>& extents) {
    mluOpCreateTensorDescriptor(desc);
    mluOpSetTensorDescriptor_v2(*desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, static_cast<int>(extents.size()),
                                extents.data());
  }

  int64_t sites_, rows_;
  int64_t count_ = 77;
  mluOpSparseConvolutionDescriptor_t conv_ = nullptr;
  mluOpTensorDescriptor_t indices_desc_ = nullptr, pairs_desc_ = nullptr, out_desc_ = nullptr, num_desc_ = nullptr;
  mluOpTensorDescriptor_t no_indices_desc_ = nullptr, no_pairs_desc_ = nullptr;
  std::vector<int32_t> indices_, pairs_, out_, num_, good_pairs_, good_out_, good_num_;
  std::vector<unsigned char> workspace_;
};

using PairFunction = int (PairCase::*)(mluOpHandle_t handle);

// The scratch memory stays with the handle, also that of a call that failed later on; so each round takes a new handle,
// and a failed call is repeated on its own handle before that goes.
void FailPairs(PairCase& work, PairFunction function, const std::string& name, int threads) {
  mluOpHandle_t handle = nullptr;
  const auto renew = [&] {
    if (handle != nullptr) mluOpDestroy(handle);
    mluOpCreate(&handle);
    detopsSetNumThreads(handle, threads);
    work.Mark();
  };
  renew();
  // Also makes the stacks that the C library keeps for later threads.
  ASSERT_EQ((work.*function)(handle), MLUOP_STATUS_SUCCESS) << detopsGetLastError(handle);
  work.Keep();
  const int outputs = work.NumActOut();
  const int64_t count = work.count();
  const std::string expected_text = name + ": no memory for intermediate results.";
  const auto right = [&] { return work.PairsAreRight() && work.NumActOut() == outputs && work.count() == count; };
  renew();
  bool well = true;
  const auto call = [&] {
    const int status = (work.*function)(handle);
    if (status != MLUOP_STATUS_SUCCESS) {
      g_armed = false;
      well = work.Untouched() && detopsGetLastError(handle) == expected_text;
      well = well && (work.*function)(handle) == MLUOP_STATUS_SUCCESS && right();
      renew();
    }
    return status;
  };
  FailEveryAllocation({call, renew, [&] { return well; }, MLUOP_STATUS_ALLOC_FAILED, true, right});
  mluOpDestroy(handle);
}

void FailBoth(bool submanifold, int64_t sites, int extent, int threads) {
  PairCase work(submanifold, sites, extent);
  FailPairs(work, &PairCase::Find, "mluOpGetIndicePairs", threads);
  if (!submanifold) FailPairs(work, &PairCase::Count, "detopsCountIndicePairOutputs", threads);
}

TEST_F(AllocationFailureTest, FewPairs) { FailBoth(false, 40, 8, 1); }
TEST_F(AllocationFailureTest, FewSubmanifoldPairs) { FailBoth(true, 40, 8, 1); }
TEST_F(AllocationFailureTest, ManyPairs) { FailBoth(false, 30000, 100, 1); }
TEST_F(AllocationFailureTest, ManySubmanifoldPairs) { FailBoth(true, 30000, 100, 1); }
TEST_F(AllocationFailureTest, PairsWithThreads) { FailBoth(false, 8000, 1000, 4); }
TEST_F(AllocationFailureTest, SubmanifoldPairsWithThreads) { FailBoth(true, 30000, 1000, 4); }

}  // namespace
