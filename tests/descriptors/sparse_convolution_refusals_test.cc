// What the two functions that set a sparse-convolution descriptor refuse, in which order, and that a refused call
// leaves the descriptor as it was.
#include <climits>
#include <functional>
#include <string>
#include <vector>

#include "descriptors/sparse_convolution_state.h"

namespace detops_test {
namespace {

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

  void ExpectRefused(const Setter* setter, const Arguments& arguments, const std::string& words) {
    EXPECT_EQ(setter->Set(desc_, arguments), MLUOP_STATUS_BAD_PARAM);
    const std::string text = ThreadText();
    EXPECT_EQ(text.rfind(std::string(setter->name()) + ": " + words, 0), 0u) << text << "\nexpected: " << words;
    EXPECT_EQ(text.back(), '.') << text;
    EXPECT_EQ(Fingerprint(desc_), before_) << "a refused Set changed the descriptor";
  }

  std::string before_;
};

TEST_F(SparseConvolutionRefusals, EveryFaultAlone) {
  for (const Setter* setter : kSetters) {
    for (const Fault& fault : FaultsInOrder(setter)) {
      SCOPED_TRACE(setter->name() + (": " + fault.words));
      Arguments arguments = Second();
      fault.spoil(arguments);
      ExpectRefused(setter, arguments, fault.words);
    }
  }
}

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

// The values around each limit and the extremes; the text repeats them.
TEST_F(SparseConvolutionRefusals, EveryBadNumber) {
  for (const Setter* setter : kSetters) {
    const bool full = setter == &kFullSetter;
    for (const int batch : {0, -1, INT_MIN}) {
      Arguments arguments = Second();
      arguments.batch = batch;
      ExpectRefused(setter, arguments, (full ? "batch is " : "batch_size is ") + std::to_string(batch) + ", expected");
    }
    for (const int flag : {-1, 2, INT_MAX, INT_MIN, 1}) {
      Arguments arguments = Second();
      arguments.sub_m = 0;
      arguments.transpose = flag;
      if (flag != 1 || !full) ExpectRefused(setter, arguments, "transpose is " + std::to_string(flag) + ", expected");
      arguments.transpose = 0;
      arguments.inverse = flag;
      if (flag != 1 || !full) ExpectRefused(setter, arguments, "inverse is " + std::to_string(flag) + ", expected");
    }
    for (int i = 0; i < (full ? kArrays : kOutputPadding); ++i) {
      for (size_t axis = 0; axis < 3; ++axis) {
        for (const int number : {0, -1, -2, INT_MIN}) {
          if (number == 0 && (i == kPad || i == kOutputPadding)) continue;
          Arguments arguments = Second();
          arguments.arrays[i][axis] = number;
          ExpectRefused(setter, arguments, ElementOf(i, axis) + " is " + std::to_string(number) + ", expected");
        }
      }
    }
    for (const int surplus : {-3, -2, -1, 1, 2, 1000, INT_MIN / 2}) {
      if (full && surplus != -3 && surplus < 2 && surplus > -4) continue;  // 1 to 4 dimensions are good
      Arguments arguments = Second();
      arguments.surplus_dimensions = surplus;
      ExpectRefused(setter, arguments,
                    full ? "ndim is " + std::to_string(3 + surplus) : "dimNb is " + std::to_string(5 + surplus));
    }
  }
}

}  // namespace
}  // namespace detops_test
