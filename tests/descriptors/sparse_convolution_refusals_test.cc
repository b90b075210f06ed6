// In which order the two functions that set a sparse-convolution descriptor look at their arguments, and that a refused
// call leaves the descriptor as it was.
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
