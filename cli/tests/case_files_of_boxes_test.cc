// Case files whose calls leave out elements of an output: the examples, and every form of mluOpNms's output.
#include <fmt/format.h>

#include <string>

#include "program.h"

namespace detops_cli {
namespace {

using ExamplesRunTest = ProgramTest;

TEST_F(ExamplesRunTest, AllPass) {
  const Outcome outcome = Run({"run", "--no-timing", DETOPS_CASE_FILE_EXAMPLES});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

struct Writing {
  int mode;
  bool padded;
};

class NmsFilesTest : public ProgramTest, public testing::WithParamInterface<Writing> {};

// The first two boxes overlap by 7 of 13. Of three there are two results, where five may be: 3 are not written, or 0.
TEST_P(NmsFilesTest, Pass) {
  const auto [mode, padded] = GetParam();
  const bool indices = mode == 0 || mode == 3;
  const int numbers = mode == 0 ? 1 : mode == 3 ? 3 : 5;
  const Outcome outcome =
      Run({"run", "--no-timing",
           Write("case.prototxt",
                 fmt::format(
                     "op_name: \"nms\"\n"
                     "input {{ id: \"boxes\" shape {{ dims: [3, 4] }} layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT\n"
                     "  value_f: [0, 0, 10, 10, 3, 0, 13, 10, 6, 0, 16, 10] }}\n"
                     "input {{ id: \"confidence\" shape {{ dims: 3 }} layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT\n"
                     "  value_f: [0.9, 0.8, 0.7] }}\n"
                     "output {{ id: \"output\" shape {{ dims: {} }} layout: LAYOUT_ARRAY dtype: {} }}\n"
                     "output {{ id: \"output_size\" shape {{ dims: 1 }} layout: LAYOUT_ARRAY dtype: DTYPE_INT32 }}\n"
                     "nms_param {{ run_mode: 0 max_output_boxes: 5 iou_threshold: 0.5 mode: {} "
                     "pad_to_max_output_size: {} }}\n",
                     5 * numbers, indices ? "DTYPE_INT32" : "DTYPE_FLOAT", mode, padded))});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Modes, NmsFilesTest,
                         testing::Values(Writing{0, false}, Writing{0, true}, Writing{1, false}, Writing{1, true},
                                         Writing{2, false}, Writing{2, true}, Writing{3, false}, Writing{3, true}),
                         [](const auto& test) {
                           return fmt::format("Mode{}{}", test.param.mode, test.param.padded ? "Padded" : "");
                         });

}  // namespace
}  // namespace detops_cli
