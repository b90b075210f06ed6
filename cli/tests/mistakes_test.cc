// Mistakes of the person who types the command: one line that names them, and exit code 2.
#include <algorithm>
#include <cctype>

#include "program.h"

namespace detops_cli {
namespace {

struct Mistake {
  std::string name;
  Arguments arguments;
  std::string named;  // must be in the complaint
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class MistakeTest : public ProgramTest, public testing::WithParamInterface<Mistake> {};

TEST_P(MistakeTest, GivesOneLineAndCode2) {
  const Outcome outcome = Run(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(IsOneComplaint(outcome.err));
  EXPECT_NE(outcome.err.find(GetParam().named), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

std::string MistakeName(const testing::TestParamInfo<Mistake>& info) { return info.param.name; }

const std::string kNoFile = "/nonexistent/file";

const std::vector<Mistake> kOptions = {
    {"no_command", {}, "subcommand"},
    {"unknown_command", {"acept"}, "acept"},
    {"unknown_option", {"accept", "--bogus"}, "--bogus"},
    {"unknown_operator", {"accept", "--op", "psroipol"}, "psroipol"},
    {"unknown_operator_of_list", {"list", "--op", "psroipol"}, "psroipol"},
    {"unknown_operator_of_bench", {"bench", "--op", "psroipol", "--shape", "rois=3"}, "psroipol"},
    {"unknown_suite", {"accept", "--suite", "huge"}, "huge"},
    {"unknown_suite_of_bench", {"bench", "--suite", "huge"}, "huge"},
    {"unknown_type", {"accept", "--dtype", "int7"}, "int7"},
    {"foreign_type", {"accept", "--op", "get_indice_pairs", "--dtype", "half", "--shape", "sites=9"}, "half"},
    {"unknown_bad_input", {"accept", "--bad-input", "some"}, "some"},
    {"shape_without_operator", {"accept", "--shape", "rois=3"}, "--op"},
    {"shape_without_operator_of_bench", {"bench", "--shape", "rois=3"}, "--op"},
    {"filter_leaves_nothing", {"accept", "--filter", "nothing_like_this"}, "--filter"},
    {"type_leaves_nothing", {"accept", "--op", "get_indice_pairs", "--dtype", "half"}, "--dtype"},
    {"negative_threads", {"accept", "--threads", "-1"}, "--threads"},
    {"timeout_of_0", {"accept", "--timeout", "0"}, "--timeout"},
    {"timeout_nan", {"accept", "--timeout", "nan"}, "--timeout"},
    {"timeout_infinite", {"accept", "--timeout", "inf"}, "--timeout"},
    {"timeout_too_long", {"accept", "--timeout", "1e300"}, "--timeout"},
    {"timeout_no_number", {"accept", "--timeout", "5s"}, "--timeout"},
    {"timeout_nan_of_run", {"run", "--timeout", "-nan", "x"}, "--timeout"},
    {"threads_nan", {"accept", "--threads", "nan"}, "--threads"},
    {"too_many_threads", {"accept", "--threads", "100000"}, "--threads"},
    {"too_many_threads_of_run", {"run", "--threads", "100000", "x"}, "--threads"},
    {"too_many_threads_of_bench", {"bench", "--threads", "1,100000"}, "--threads"},
    {"threads_beyond_int", {"accept", "--threads", "4294967297"}, "--threads"},
    {"threads_of_0_of_bench", {"bench", "--threads", "0"}, "--threads"},
    {"seconds_nan", {"bench", "--seconds", "nan"}, "--seconds"},
    {"seconds_infinite", {"bench", "--seconds", "inf"}, "--seconds"},
    {"seconds_too_long", {"bench", "--seconds", "1e18"}, "--seconds"},
    {"repeats_beyond_memory", {"bench", "--perf_repeat", "2000000000"}, "--perf_repeat"},
    {"repeats_beyond_memory_of_run", {"run", "--perf_repeat", "2000000000", "x"}, "--perf_repeat"},
    {"repeats_nan", {"run", "--perf_repeat", "nan", "x"}, "--perf_repeat"},
    {"random_nan", {"run", "--rand_n", "nan", "x"}, "--rand_n"},
    {"random_beyond_int", {"run", "--rand_n", "4294967297", "x"}, "--rand_n"},
    {"seed_nan", {"run", "--seed", "nan", "x"}, "--seed"},
    {"seed_negative", {"run", "--seed", "-1", "x"}, "--seed"},
    {"seed_beyond_64_bits", {"run", "--seed", "18446744073709551616", "x"}, "--seed"},
    {"no_library", {"accept", "--library", kNoFile}, kNoFile},
    {"no_library_in_process", {"accept", "--in-process", "--library", kNoFile}, kNoFile},
    {"no_library_of_info", {"info", "--library", kNoFile}, kNoFile},
    {"no_baseline", {"bench", "--op", "psroipool_forward", "--shape", "rois=3", "--baseline", kNoFile}, kNoFile},
    {"unknown_shell", {"completion", "fish"}, "fish"},
};
INSTANTIATE_TEST_SUITE_P(Options, MistakeTest, testing::ValuesIn(kOptions), MistakeName);

Mistake BadShape(const std::string& op, const std::string& shape, const std::string& named) {
  std::string name = op + "_" + shape;
  std::replace_if(name.begin(), name.end(), [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return {name, {"accept", "--no-timing", "--op", op, "--shape", shape}, named};
}

const std::vector<Mistake> kShapes = {
    BadShape("psroipool_forward", "rois", "\"rois\""),
    BadShape("psroipool_forward", "=3", "\"=3\""),
    BadShape("psroipool_forward", "dim=", "\"dim=\""),
    BadShape("psroipool_forward", "boxes=3", "\"boxes\""),
    BadShape("psroipool_forward", "rois=many", "rois=many"),
    BadShape("psroipool_forward", "rois=-1", "rois=-1"),
    BadShape("psroipool_forward", "scale=big", "scale=big"),
    BadShape("psroipool_forward", "scale=nan", "scale=nan"),
    BadShape("psroipool_forward", "scale=1e39", "scale=1e39"),
    BadShape("psroipool_forward", "rois=99999999999999999999", "rois=99999999999999999999"),
    BadShape("rotated_feature_align_forward", "height=1.5", "height=1.5"),
    BadShape("rotated_feature_align_forward", "boxes=everywhere", "boxes=everywhere"),
    BadShape("roiaware_pool3d_forward", "points=many", "points=many"),
    BadShape("roiaware_pool3d_backward", "out=2x2", "out=2x2"),
    BadShape("roiaware_pool3d_forward", "pool=median", "pool=median"),
    BadShape("get_indice_pairs", "sites=many", "sites=many"),
    BadShape("get_indice_pairs", "space=2x2x2,sites=9,batch=1", "8 sites"),
    BadShape("get_indice_pairs", "sites=9,space=9x9x9,order=random", "order=random"),
    BadShape("indice_convolution_forward", "layout=NHCW,sites=9,space=9x9x9", "layout=NHCW"),
    BadShape("indice_convolution_forward", "layout=NHWC,sites=9,space=9x9x9", "1x3x3"),
    BadShape("indice_convolution_backward_data", "ci=x,sites=9,space=9x9x9", "ci=x"),
};
INSTANTIATE_TEST_SUITE_P(Shapes, MistakeTest, testing::ValuesIn(kShapes), MistakeName);

class ReportMistakeTest : public ProgramTest, public testing::WithParamInterface<const char*> {};

TEST_P(ReportMistakeTest, GivesOneLineAndCode2) {
  const Outcome outcome = Run({"accept", "--no-timing", "-q", "--op", "psroipool_forward", "--shape", "rois=3",
                               GetParam(), Path("no_such_folder/file")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(IsOneComplaint(outcome.err));
  EXPECT_NE(outcome.err.find("no_such_folder/file"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

std::string OptionName(const testing::TestParamInfo<const char*>& info) { return info.param + 2; }

INSTANTIATE_TEST_SUITE_P(Every, ReportMistakeTest, testing::Values("--json", "--junit", "--report"), OptionName);

}  // namespace
}  // namespace detops_cli
