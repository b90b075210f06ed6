// Case files of calls without elements. Recording writes such calls, and they are successes: the program must not
// blame the library for them.
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "program.h"

namespace detops_cli {
namespace {

struct EmptyCase {
  const char* name;
  const char* op;
  std::vector<std::string> tensors;  // inputs, then outputs
  std::string params;
};

std::ostream& operator<<(std::ostream& out, const EmptyCase& empty) { return out << empty.name; }

using Extents = std::initializer_list<int>;

std::string Tensor(const char* role, const char* form, Extents extents) {
  const char* const data = role[0] == 'i' ? "random_data { seed: 1 lower_bound: 0 upper_bound: 0 }" : "";
  return fmt::format("{} {{ id: \"t\" shape {{ dims: [{}] }} {} {} }}\n", role, fmt::join(extents, ","), form, data);
}

constexpr char kNumbers[] = "layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT";
constexpr char kIndices[] = "layout: LAYOUT_ARRAY dtype: DTYPE_INT32";
constexpr char kPixels[] = "layout: LAYOUT_NHWC dtype: DTYPE_FLOAT";
constexpr char kChannels[] = "layout: LAYOUT_NHWC dtype: DTYPE_INT32";

std::string In(const char* form, Extents extents) { return Tensor("input", form, extents); }
std::string Out(const char* form, Extents extents) { return Tensor("output", form, extents); }

class EmptyCaseTest : public ProgramTest, public testing::WithParamInterface<EmptyCase> {};

TEST_P(EmptyCaseTest, Passes) {
  const EmptyCase& empty = GetParam();
  std::string text = fmt::format("op_name: \"{}\"\n", empty.op);
  for (const std::string& tensor : empty.tensors) text += tensor;
  const Outcome outcome = Run({"run", "--no-timing", Write("case.prototxt", text + empty.params)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

const EmptyCase kCases[] = {
    {"PsRoiPoolForwardWithoutImages",
     "psroipool_forward",
     {In(kPixels, {0, 4, 4, 4}), In(kNumbers, {1, 5}), Out(kPixels, {1, 2, 2, 1}), Out(kChannels, {1, 2, 2, 1})},
     "psroipool_forward_param { spatial_scale: 1 group_size: 2 output_dim: 1 pooled_height: 2 pooled_width: 2 }"},
    {"PsRoiPoolBackwardWithoutImages",
     "psroipool_backward",
     {In(kPixels, {1, 2, 2, 1}), In(kChannels, {1, 2, 2, 1}), In(kNumbers, {1, 5}), Out(kPixels, {0, 4, 4, 4})},
     "psroipool_backward_param { spatial_scale: 1 output_dim: 1 pooled_height: 2 pooled_width: 2 }"},
    {"BackwardFilterWithoutOutputs",
     "indice_convolution_backward_filter",
     {In(kNumbers, {2, 2}), In(kNumbers, {0, 3}), In(kIndices, {3, 2, 2}), Out(kNumbers, {1, 1, 3, 2, 3})},
     "indice_convolution_backward_param { inverse: 0 sub_m: 0 indice_num: [1,1,1] }"},
    {"ForwardWithoutOffsets",
     "indice_convolution_forward",
     {In(kNumbers, {2, 2}), In(kNumbers, {1, 1, 0, 2, 3}), In(kIndices, {0, 2, 2}), Out(kNumbers, {2, 3})},
     "indice_convolution_forward_param { num_active_out: 2 inverse: 0 sub_m: 0 }"},
    {"BackwardDataWithoutOffsets",
     "indice_convolution_backward_data",
     {In(kNumbers, {2, 3}), In(kNumbers, {1, 1, 0, 2, 3}), In(kIndices, {0, 2, 2}), Out(kNumbers, {2, 2})},
     "indice_convolution_backward_data_param { inverse: 0 sub_m: 0 }"},
    {"BackwardFilterWithoutOffsets",
     "indice_convolution_backward_filter",
     {In(kNumbers, {2, 2}), In(kNumbers, {2, 3}), In(kIndices, {0, 2, 2}), Out(kNumbers, {1, 1, 0, 2, 3})},
     "indice_convolution_backward_param { inverse: 0 sub_m: 0 }"},
    {"PairsWithoutRoomForSites",
     "get_indice_pairs",
     {In(kIndices, {1, 4}), Out(kIndices, {0, 4}), Out(kIndices, {1, 2, 1}), Out(kIndices, {1})},
     "get_indice_pairs_param { dimnb: 5 batch: 1 pad: [0,0,0] stride: [1,1,1] dilation: [1,1,1] "
     "input_space: [4,4,4] filter_space: [1,1,1] output_space: [4,4,4] sub_m: 0 }"}};

INSTANTIATE_TEST_SUITE_P(Every, EmptyCaseTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace detops_cli
