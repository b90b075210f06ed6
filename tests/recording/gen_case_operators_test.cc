// The case file of every operator, word for word: names, order of tensors, parameters, inputs and outputs. The numbers
// are those of recording/gen_case_calls.h and computed by hand.
#include <string>

#include "detops.h"
#include "gtest/gtest.h"
#include "recording/gen_case_calls.h"
#include "recording/gen_case_child.h"

namespace {

using namespace detops_test;  // NOLINT(google-build-using-namespace): this test's own helpers

constexpr char kClose[] = R"(test_param {
  error_func: DIFF1
  error_func: DIFF2
  error_threshold: 0.003
  error_threshold: 0.003
}
)";

// A tensor as it stands in the file. `kind` is input or output; `extents` and `values` are lines of the file.
std::string TensorText(const std::string& kind, const std::string& id, const std::vector<int>& extents,
                       const std::string& layout, const std::string& type, const std::string& field,
                       const std::vector<std::string>& values) {
  std::string text = kind + " {\n  id: \"" + id + "\"\n  shape {\n";
  for (const int extent : extents) text += "    dims: " + std::to_string(extent) + "\n";
  text += "  }\n  layout: LAYOUT_" + layout + "\n  dtype: DTYPE_" + type + "\n";
  for (const std::string& value : values) text += "  " + field + ": " + value + "\n";
  return text + "}\n";
}
std::string In(const std::string& id, const std::vector<int>& extents, const std::string& layout,
               const std::vector<std::string>& floats) {
  return TensorText("input", id, extents, layout, "FLOAT", "value_f", floats);
}
std::string IntIn(const std::string& id, const std::vector<int>& extents, const std::string& layout,
                  const std::vector<std::string>& integers) {
  return TensorText("input", id, extents, layout, "INT32", "value_i", integers);
}
std::string Out(const std::string& id, const std::vector<int>& extents, const std::string& layout,
                const std::vector<std::string>& floats) {
  return TensorText("output", id, extents, layout, "FLOAT", "value_f", floats);
}
std::string IntOut(const std::string& id, const std::vector<int>& extents, const std::string& layout,
                   const std::vector<std::string>& integers) {
  return TensorText("output", id, extents, layout, "INT32", "value_i", integers);
}

// Records the call with all values as decimal numbers, and gives the file.
template <class Call>
std::string Recorded(const std::string& op_name, Call&& call, detopsProfile_t profile = DETOPS_PROFILE_CONTRACT) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "2"}, {"_DIR", folder.path()}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_OUTPUT", "1"}}, [&] {
    const Handle handle(profile, 1);
    EXPECT_EQ(call.Run(handle.get()), MLUOP_STATUS_SUCCESS) << handle.LastError();
  }));
  const std::string text = OnlyFile(folder.path());
  const std::vector<std::string> files = FilesBelow(folder.path());
  EXPECT_TRUE(files.empty() || files[0].rfind("gen_case/" + op_name + "/" + op_name + "_", 0) == 0) << files[0];
  return text;
}

TEST(GenCaseOperatorsTest, PsRoiPoolForward) {
  EXPECT_EQ(Recorded("psroipool_forward", PsRoiPoolForwardCall()),
            "op_name: \"psroipool_forward\"\ndevice: CPU\n" + In("input", {1, 1, 2, 1}, "NHWC", {"1.5", "-2"}) +
                In("rois", {1, 5}, "ARRAY", {"0", "0", "0", "0", "0"}) + Out("output", {1, 1, 1, 1}, "NHWC", {"1.5"}) +
                IntOut("mapping_channel", {1, 1, 1, 1}, "NHWC", {"0"}) +
                R"(psroipool_forward_param {
  spatial_scale: 1
  group_size: 1
  output_dim: 1
  pooled_height: 1
  pooled_width: 1
}
)" + kClose);
}

TEST(GenCaseOperatorsTest, PsRoiPoolBackward) {
  EXPECT_EQ(Recorded("psroipool_backward", PsRoiPoolBackwardCall()),
            "op_name: \"psroipool_backward\"\ndevice: CPU\n" + In("top_grad", {1, 1, 1, 1}, "NHWC", {"3"}) +
                IntIn("mapping_channel", {1, 1, 1, 1}, "NHWC", {"0"}) +
                In("rois", {1, 5}, "ARRAY", {"0", "0", "0", "0", "0"}) +
                Out("bottom_grad", {1, 1, 2, 1}, "NHWC", {"3", "0"}) +
                R"(psroipool_backward_param {
  spatial_scale: 1
  output_dim: 1
  pooled_height: 1
  pooled_width: 1
}
)" + kClose);
}

std::string RoiAwareForwardText(const std::string& method, const std::string& argmax) {
  return "op_name: \"roiaware_pool3d_forward\"\ndevice: CPU\n" +
         In("rois", {1, 7}, "ARRAY", {"0", "0", "0", "2", "2", "2", "0"}) +
         In("pts", {2, 3}, "ARRAY", {"0.5", "0.5", "1", "5", "5", "5"}) +
         In("pts_feature", {2, 1}, "ARRAY", {"2.5", "-1"}) + argmax +
         IntOut("pts_idx_of_voxels", {1, 1, 1, 1, 3}, "ARRAY", {"1", "0", "0"}) +
         Out("pooled_features", {1, 1, 1, 1, 1}, "ARRAY", {"2.5"}) +
         "roiaware_pool3d_forward_param {\n  pool_method: " + method + R"(
  boxes_num: 1
  pts_num: 2
  channels: 1
  max_pts_each_voxel: 3
  out_x: 1
  out_y: 1
  out_z: 1
}
)" + kClose;
}

TEST(GenCaseOperatorsTest, RoiAwareForward) {
  const std::string argmax = IntOut("argmax", {1, 1, 1, 1, 1}, "ARRAY", {"0"});
  EXPECT_EQ(Recorded("roiaware_pool3d_forward", RoiAwareForwardCall(0)), RoiAwareForwardText("0", argmax));
  EXPECT_EQ(Recorded("roiaware_pool3d_forward", RoiAwareForwardCall(1)), RoiAwareForwardText("1", argmax));
}

// The order of the outputs is fixed, so an argmax that was left out has its place, without values.
TEST(GenCaseOperatorsTest, RoiAwareForwardWithoutArgmax) {
  RoiAwareForwardCall call(1);
  call.with_argmax = false;
  EXPECT_EQ(Recorded("roiaware_pool3d_forward", call),
            RoiAwareForwardText("1", IntOut("argmax", {1, 1, 1, 1, 1}, "ARRAY", {})));
}

TEST(GenCaseOperatorsTest, RoiAwareBackward) {
  EXPECT_EQ(Recorded("roiaware_pool3d_backward", RoiAwareBackwardCall()),
            "op_name: \"roiaware_pool3d_backward\"\ndevice: CPU\n" +
                IntIn("pts_idx_of_voxels", {1, 1, 1, 1, 3}, "ARRAY", {"1", "0", "0"}) +
                IntIn("argmax", {1, 1, 1, 1, 1}, "ARRAY", {"0"}) + In("grad_out", {1, 1, 1, 1, 1}, "ARRAY", {"4"}) +
                Out("grad_in", {2, 1}, "ARRAY", {"4", "0"}) +
                R"(roiaware_pool3d_backward_param {
  pool_method: 0
  boxes_num: 1
  out_x: 1
  out_y: 1
  out_z: 1
  channels: 1
  max_pts_each_voxel: 3
}
)" + kClose);
}

constexpr char kExactClose[] = "test_param {\n  error_func: DIFF3\n  error_threshold: 0\n}\n";

TEST(GenCaseOperatorsTest, GetIndicePairs) {
  EXPECT_EQ(Recorded("get_indice_pairs", GetIndicePairsCall()),
            "op_name: \"get_indice_pairs\"\ndevice: CPU\n" + IntIn("indices", {1, 4}, "ARRAY", {"0", "0", "0", "1"}) +
                IntOut("out_indices", {1, 4}, "ARRAY", {"0", "0", "0", "1"}) +
                IntOut("indice_pairs", {1, 2, 1}, "ARRAY", {"0", "0"}) + IntOut("indice_num", {1}, "ARRAY", {"1"}) +
                R"(get_indice_pairs_param {
  dimnb: 5
  batch: 2
  pad: 0
  pad: 0
  pad: 0
  stride: 1
  stride: 1
  stride: 1
  dilation: 1
  dilation: 1
  dilation: 1
  input_space: 3
  input_space: 4
  input_space: 5
  filter_space: 1
  filter_space: 1
  filter_space: 1
  output_space: 3
  output_space: 4
  output_space: 5
  sub_m: 0
  transpose: 0
  inverse: 0
}
)" + kExactClose);
}

// One dimension in the full profile: submanifold, transposed, inverse. The filter of one makes the pairs the same.
TEST(GenCaseOperatorsTest, GetIndicePairsOfOneDimension) {
  struct OneDimension {
    explicit OneDimension(int which) : flag(which) {}
    mluOpStatus_t Run(mluOpHandle_t handle) {
      const int zero[] = {0}, one[] = {1}, space[] = {7};
      Must(detopsSetSparseConvolutionDescriptor(sparse.get(), 1, 1, zero, one, one, nullptr, space, one, space,
                                                flag == 0 ? 1 : 0, flag == 1 ? 1 : 0, flag == 2 ? 1 : 0),
           "detopsSetSparseConvolutionDescriptor");
      return mluOpGetIndicePairs(handle, sparse.get(), indices.desc(), indices.data(), workspace.data(),
                                 workspace.size(), pairs.desc(), pairs.data(), out.desc(), out.data(), num.desc(),
                                 num.data());
    }
    SparseDescriptor sparse;
    Filled indices{kArray, MLUOP_DTYPE_INT32, {1, 2}, {0, 6}};
    Tensor pairs{kArray, MLUOP_DTYPE_INT32, {1, 2, 1}}, out{kArray, MLUOP_DTYPE_INT32, {1, 2}};
    Tensor num{kArray, MLUOP_DTYPE_INT32, {1}};
    std::vector<char> workspace = std::vector<char>(1 << 16);
    int flag;
  };
  const char* const flags[] = {"  sub_m: 1\n  transpose: 0\n  inverse: 0\n",
                               "  sub_m: 0\n  transpose: 1\n  inverse: 0\n",
                               "  sub_m: 0\n  transpose: 0\n  inverse: 1\n"};
  for (const int flag : {0, 1, 2}) {
    EXPECT_EQ(Recorded("get_indice_pairs", OneDimension(flag), DETOPS_PROFILE_FULL),
              "op_name: \"get_indice_pairs\"\ndevice: CPU\n" + IntIn("indices", {1, 2}, "ARRAY", {"0", "6"}) +
                  IntOut("out_indices", {1, 2}, "ARRAY", {"0", "6"}) +
                  IntOut("indice_pairs", {1, 2, 1}, "ARRAY", {"0", "0"}) + IntOut("indice_num", {1}, "ARRAY", {"1"}) +
                  R"(get_indice_pairs_param {
  dimnb: 3
  batch: 1
  pad: 0
  stride: 1
  dilation: 1
  input_space: 7
  filter_space: 1
  output_space: 7
)" + flags[flag] + "}\n" +
                  kExactClose);
  }
}

const std::string kPairsText = IntIn("indice_pairs", {1, 2, 2}, "ARRAY", {"0", "1", "1", "0"});

TEST(GenCaseOperatorsTest, ConvolutionForward) {
  EXPECT_EQ(Recorded("indice_convolution_forward", ConvolutionForwardCall()),
            "op_name: \"indice_convolution_forward\"\ndevice: CPU\n" + In("features", {2, 1}, "ARRAY", {"1", "2"}) +
                In("filters", {1, 1, 1, 1, 1}, "ARRAY", {"0.5"}) + kPairsText +
                Out("features_out", {2, 1}, "ARRAY", {"1", "0.5"}) +
                R"(indice_convolution_forward_param {
  num_active_out: 2
  inverse: 0
  sub_m: 0
  indice_num: 2
}
)" + kClose);
}

TEST(GenCaseOperatorsTest, ConvolutionBackwardData) {
  EXPECT_EQ(Recorded("indice_convolution_backward_data", ConvolutionBackwardDataCall()),
            "op_name: \"indice_convolution_backward_data\"\ndevice: CPU\n" +
                In("output_grad", {2, 1}, "ARRAY", {"3", "5"}) + In("filters", {1, 1, 1, 1, 1}, "ARRAY", {"0.5"}) +
                kPairsText + Out("input_grad", {2, 1}, "ARRAY", {"2.5", "1.5"}) +
                R"(indice_convolution_backward_data_param {
  inverse: 0
  sub_m: 0
  indice_num: 2
}
)" + kClose);
}

// 1 * 5 + 2 * 3 = 11. The message of its parameters is the one without "filter".
TEST(GenCaseOperatorsTest, ConvolutionBackwardFilter) {
  EXPECT_EQ(Recorded("indice_convolution_backward_filter", ConvolutionBackwardFilterCall()),
            "op_name: \"indice_convolution_backward_filter\"\ndevice: CPU\n" +
                In("features", {2, 1}, "ARRAY", {"1", "2"}) + In("output_grad", {2, 1}, "ARRAY", {"3", "5"}) +
                kPairsText + Out("filters_grad", {1, 1, 1, 1, 1}, "ARRAY", {"11"}) +
                R"(indice_convolution_backward_param {
  inverse: 0
  sub_m: 0
  indice_num: 2
}
)" + kClose);
}

// The sampled pixel has 1, which both outputs add to their own.
TEST(GenCaseOperatorsTest, AlignForward) {
  EXPECT_EQ(Recorded("rotated_feature_align_forward", AlignForwardCall()),
            "op_name: \"rotated_feature_align_forward\"\ndevice: CPU\n" +
                In("input", {1, 1, 2, 1}, "NHWC", {"1", "3"}) +
                In("bboxes", {1, 1, 2, 5}, "ARRAY", std::vector<std::string>(10, "0")) +
                Out("output", {1, 1, 2, 1}, "NHWC", {"2", "4"}) +
                "rotated_feature_align_forward_param {\n  spatial_scale: 0.25\n  points: 1\n}\n" + kClose);
}

// The first pixel gets its own gradient and both samples': 1 + 1 + 3.
TEST(GenCaseOperatorsTest, AlignBackward) {
  EXPECT_EQ(Recorded("rotated_feature_align_backward", AlignBackwardCall()),
            "op_name: \"rotated_feature_align_backward\"\ndevice: CPU\n" +
                In("top_output", {1, 1, 2, 1}, "NHWC", {"1", "3"}) +
                In("bboxes", {1, 1, 2, 5}, "ARRAY", std::vector<std::string>(10, "0")) +
                Out("bottom_input", {1, 1, 2, 1}, "NHWC", {"5", "3"}) +
                "rotated_feature_align_backward_param {\n  spatial_scale: 0.25\n  points: 1\n}\n" + kClose);
}

// Other spellings of a function are the same call; extensions have no form.
TEST(GenCaseOperatorsTest, AliasesAreRecordedExtensionsAreNot) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path()}}, [] {
    const Handle handle(DETOPS_PROFILE_FULL, 1);
    RoiAwareForwardCall roi;
    ConvolutionForwardCall conv;
    EXPECT_EQ(detopsRoiAwarePool3dForward(handle.get(), 0, DETOPS_Z_BOTTOM, 0, roi.rois.desc(), roi.rois.data(),
                                          roi.pts.desc(), roi.pts.data(), roi.feature.desc(), roi.feature.data(),
                                          roi.argmax.desc(), roi.argmax.data(), roi.pts_idx.desc(), roi.pts_idx.data(),
                                          roi.pooled.desc(), roi.pooled.data()),
              MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(detopsIndiceConvolutionForwardFused(
                  handle.get(), conv.features.desc(), conv.features.data(), conv.filters.desc(), conv.filters.data(),
                  conv.pairs.desc(), conv.pairs.data(), conv.indice_num, 2, 0, 0, nullptr, nullptr, nullptr, nullptr,
                  DETOPS_ACTIVATION_RELU, 0, conv.out.desc(), conv.out.data()),
              MLUOP_STATUS_SUCCESS);
    PsRoiPoolForwardCall ps;
    EXPECT_EQ(detopsPsRoiPoolForward(handle.get(), DETOPS_PSROIPOOL_RFCN, 1, 1, 1.0, 1, ps.input.desc(),
                                     ps.input.data(), ps.rois.desc(), ps.rois.data(), ps.output.desc(),
                                     ps.output.data(), ps.mapping.desc(), ps.mapping.data()),
              MLUOP_STATUS_SUCCESS);
  }));
  EXPECT_EQ(FilesBelow(folder.path()), std::vector<std::string>());
  EXPECT_TRUE(RunInChild({{"", "1"}, {"_DIR", folder.path()}}, [] {
    const Handle handle;
    RoiAwareBackwardCall roi;
    EXPECT_EQ(mluOpRoiawarePool3dBackward(handle.get(), 0, 1, 1, 1, 1, 1, 3, roi.pts_idx.desc(), roi.pts_idx.data(),
                                          roi.argmax.desc(), roi.argmax.data(), roi.grad_out.desc(),
                                          roi.grad_out.data(), roi.grad_in.desc(), roi.grad_in.data()),
              MLUOP_STATUS_SUCCESS);
  }));
  EXPECT_EQ(OnlyFile(folder.path()).rfind("op_name: \"roiaware_pool3d_backward\"\n", 0), 0u);
}

}  // namespace
