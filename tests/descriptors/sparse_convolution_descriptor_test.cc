// The sparse-convolution descriptor: what its functions accept, what they keep, and what they answer to NULL.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "descriptors/sparse_convolution_state.h"

namespace detops_test {
namespace {

// ---- creating, destroying, the number of output sites ----

// One site, one offset, one output: the geometry of a new descriptor, which the contract accepts.
TEST_F(SparseConvolutionDescriptorTest, FreshState) {
  EXPECT_EQ(ThreadText(), "");
  EXPECT_EQ(NumActOut(desc_), 0);
  Arguments fresh;
  for (int i = 0; i < kArrays; ++i) fresh.arrays[i] = std::vector<int>(3, i == kPad || i == kOutputPadding ? 0 : 1);
  Handle handle;
  Tensors tensors(fresh, {0, 0, 0, 0});
  ASSERT_EQ(tensors.Run(handle, desc_), MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_EQ(tensors.indice_pairs.Values(), std::vector<double>({0, 0}));
  EXPECT_EQ(tensors.out_indices.Values(), std::vector<double>({0, 0, 0, 0}));
  EXPECT_EQ(NumActOut(desc_), 1);
  for (int64_t axis = 0; axis < 4; ++axis) {
    Tensors outside(fresh, {0, 0, 0, 0});
    outside.indices.Set(axis, 1);
    EXPECT_EQ(outside.Run(handle, desc_), MLUOP_STATUS_BAD_PARAM) << axis;
  }
}

// ---- good calls of Set ----

// The other tests see a changed field by its fingerprint, so that must see each of them.
TEST_F(SparseConvolutionDescriptorTest, FingerprintSeesEveryField) {
  ASSERT_EQ(kFullSetter.Set(desc_, First()), MLUOP_STATUS_SUCCESS);
  const std::string first = Fingerprint(desc_);
  const auto expect_seen = [&](const Arguments& changed, const std::string& what) {
    ASSERT_EQ(kFullSetter.Set(desc_, changed), MLUOP_STATUS_SUCCESS) << what << ": " << ThreadText();
    EXPECT_NE(Fingerprint(desc_), first) << what;
  };
  for (int i = 0; i < kOutputPadding; ++i) {  // output_padding itself changes nothing
    for (size_t axis = 0; axis < 3; ++axis) {
      Arguments changed = First();
      changed.arrays[i][axis] = Second().arrays[i][axis];
      expect_seen(changed, ElementOf(i, axis));
    }
  }
  Arguments changed = First();
  changed.batch = 3;
  expect_seen(changed, "batch");
  for (int Arguments::* flag : {&Arguments::sub_m, &Arguments::transpose, &Arguments::inverse}) {
    changed = First();
    changed.*flag = 1;
    expect_seen(changed, "a flag");
  }
  for (const size_t dimensions : {1u, 2u}) {
    changed = First();
    for (std::vector<int>& array : changed.arrays) array.resize(dimensions);
    expect_seen(changed, "dimensions");
  }
  ASSERT_EQ(kContractSetter.Set(desc_, First()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Fingerprint(desc_), first) << "the two functions set the same";
}

TEST_F(SparseConvolutionDescriptorTest, SetKeepsTheNumberOfOutputs) {
  for (const Setter* setter : kSetters) {
    SCOPED_TRACE(setter->name());
    ASSERT_EQ(setter->Set(desc_, First()), MLUOP_STATUS_SUCCESS) << ThreadText();
    Handle handle;
    Tensors tensors(First(), {0, 0, 0, 0, 1, 4, 4, 6});
    ASSERT_EQ(tensors.Run(handle, desc_), MLUOP_STATUS_SUCCESS) << handle.LastError();
    const int number = NumActOut(desc_);
    EXPECT_GT(number, 0);
    ASSERT_EQ(setter->Set(desc_, Second()), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(NumActOut(desc_), number);
    Arguments bad = First();
    bad.batch = 0;
    ASSERT_EQ(setter->Set(desc_, bad), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(NumActOut(desc_), number);
  }
}

TEST_F(SparseConvolutionDescriptorTest, ArraysAreCopied) {
  for (const Setter* setter : kSetters) {
    Arguments arguments = First();
    ASSERT_EQ(setter->Set(desc_, arguments), MLUOP_STATUS_SUCCESS);
    const std::string before = Fingerprint(desc_);
    for (std::vector<int>& array : arguments.arrays) array = {3, 3, 3};
    EXPECT_EQ(Fingerprint(desc_), before);
  }
}

// Any number but 0 means submanifold: no check of its own, as the released library has none.
TEST_F(SparseConvolutionDescriptorTest, AnyNonZeroIsSubmanifold) {
  Arguments arguments = First();
  for (const Array same : {kStride, kDilation}) arguments.arrays[same] = {1, 1, 1};
  arguments.arrays[kOutputSpace] = arguments.arrays[kInputSpace];
  for (const Setter* setter : kSetters) {
    for (const int sub_m : {1, 2, -1, INT_MAX, INT_MIN}) {
      arguments.sub_m = sub_m;
      ASSERT_EQ(setter->Set(desc_, arguments), MLUOP_STATUS_SUCCESS);
      Handle handle;
      Tensors tensors(arguments, {1, 4, 4, 6, 0, 0, 0, 0});
      ASSERT_EQ(tensors.Run(handle, desc_), MLUOP_STATUS_SUCCESS) << handle.LastError();
      EXPECT_EQ(tensors.out_indices.Values(), tensors.indices.Values()) << "submanifold keeps the sites";
      EXPECT_EQ(NumActOut(desc_), 2);
    }
  }
}

TEST_F(SparseConvolutionDescriptorTest, LargestNumbersAreAccepted) {
  for (const Setter* setter : kSetters) {
    Arguments arguments = First();
    arguments.batch = INT_MAX;
    for (std::vector<int>& array : arguments.arrays) array = {INT_MAX, INT_MAX, INT_MAX};
    EXPECT_EQ(setter->Set(desc_, arguments), MLUOP_STATUS_SUCCESS) << ThreadText();
  }
}

TEST_F(SparseConvolutionDescriptorTest, OutputPaddingMayBeNull) {
  Arguments arguments = First();
  ASSERT_EQ(kFullSetter.Set(desc_, arguments), MLUOP_STATUS_SUCCESS);
  const std::string with = Fingerprint(desc_);
  arguments.null_array[kOutputPadding] = true;
  EXPECT_EQ(kFullSetter.Set(desc_, arguments), MLUOP_STATUS_SUCCESS) << ThreadText();
  EXPECT_EQ(Fingerprint(desc_), with);
}

// Arrays that end where memory ends: no function may read an axis more than it was told of, nor any when it was told
// nonsense.
TEST_F(SparseConvolutionDescriptorTest, ReadsNoMoreThanTheArraysHold) {
  for (size_t dimensions = 1; dimensions <= 4; ++dimensions) {
    const GuardedBuffer memory(dimensions * sizeof(int));
    int* const ones = static_cast<int*>(memory.data());
    std::fill_n(ones, dimensions, 1);
    const auto set = [&](int ndim) {
      return detopsSetSparseConvolutionDescriptor(desc_, ndim, 1, ones, ones, ones, ones, ones, ones, ones, 0, 0, 0);
    };
    EXPECT_EQ(set(static_cast<int>(dimensions)), MLUOP_STATUS_SUCCESS) << ThreadText();
    for (const int ndim : {5, 8, 100, INT_MAX, 0, -1, INT_MIN}) EXPECT_EQ(set(ndim), MLUOP_STATUS_BAD_PARAM) << ndim;
    for (const int dim_nb : {static_cast<int>(dimensions), 5}) {
      if (dim_nb == 5 && dimensions != 3) continue;
      EXPECT_EQ(mluOpSetSparseConvolutionDescriptor(desc_, dim_nb, 1, ones, ones, ones, ones, ones, ones, 0, 0, 0),
                dim_nb == 5 ? MLUOP_STATUS_SUCCESS : MLUOP_STATUS_BAD_PARAM);
    }
  }
}

// In which order the two functions that set a sparse-convolution descriptor look at their arguments, and that a refused
// call leaves the descriptor as it was.
struct Fault {
  std::string words;  // what the text has to say; "" where it depends on the other fault
  std::function<void(Arguments&)> spoil;
};

// The list of each function's header, in its order.
std::vector<Fault> FaultsInOrder(const Setter* setter) {
  const bool full = setter == &kFullSetter;
  std::vector<Fault> faults = {
      {"desc is NULL, expected a sparse-convolution descriptor.", [](Arguments& a) { a.null_desc = true; }}};
  for (const Array array : {kPad, kStride, kDilation, kInputSpace, kFilterSpace, kOutputSpace}) {
    faults.push_back({std::string(kArrayNames[array]) + " is NULL, expected one number per axis.",
                      [array](Arguments& a) { a.null_array[array] = true; }});
  }
  faults.push_back({full ? "ndim is 0, expected 1 to 4." : "dimNb is 2, expected 5",
                    [](Arguments& a) { a.surplus_dimensions = -3; }});
  faults.push_back({full ? "batch is 0, expected 1 or more." : "batch_size is 0, expected 1 or more.",
                    [](Arguments& a) { a.batch = 0; }});
  faults.push_back({full ? "transpose is 2, expected 0 or 1." : "transpose is 2, expected 0",
                    [](Arguments& a) { a.transpose = 2; }});
  faults.push_back(
      {full ? "inverse is 2, expected 0 or 1." : "inverse is 2, expected 0", [](Arguments& a) { a.inverse = 2; }});
  if (full) {
    faults.push_back({"transpose is 1, expected 0 as sub_m is 1.", [](Arguments& a) {
                        a.sub_m = 1;
                        if (a.transpose == 0) a.transpose = 1;
                      }});
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    for (int i = 0; i < (full ? kArrays : kOutputPadding); ++i) {
      const bool from_zero = i == kPad || i == kOutputPadding;
      faults.push_back({ElementOf(i, axis) + " is " + (from_zero ? "-1" : "0") + ", expected " +
                            (from_zero ? "0" : "1") + " or more.",
                        [axis, i, from_zero](Arguments& a) { a.arrays[i][axis] = from_zero ? -1 : 0; }});
    }
  }
  return faults;
}

class SparseConvolutionRefusals : public SparseConvolutionDescriptorTest {
 protected:
  void SetUp() override {
    SparseConvolutionDescriptorTest::SetUp();
    ASSERT_EQ(kFullSetter.Set(desc_, First()), MLUOP_STATUS_SUCCESS);
    before_ = Fingerprint(desc_);
  }

  std::string before_;
};

TEST_F(SparseConvolutionRefusals, EarlierOfTwoIsReported) {
  for (const Setter* setter : kSetters) {
    const std::vector<Fault> faults = FaultsInOrder(setter);
    for (size_t first = 0; first < faults.size(); ++first) {
      for (size_t second = first + 1; second < faults.size(); ++second) {
        SCOPED_TRACE(setter->name() + (": " + faults[first].words) + ", " + faults[second].words);
        Arguments arguments = Second();
        faults[second].spoil(arguments);
        faults[first].spoil(arguments);
        EXPECT_EQ(setter->Set(desc_, arguments), MLUOP_STATUS_BAD_PARAM);
        EXPECT_EQ(ThreadText().rfind(std::string(setter->name()) + ": " + faults[first].words, 0), 0u) << ThreadText();
      }
    }
  }
  EXPECT_EQ(Fingerprint(desc_), before_);
}

}  // namespace
}  // namespace detops_test
