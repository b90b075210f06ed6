#include "case_file/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace detops_cli {
namespace {

template <class T, class Repeated>
std::vector<T> List(const Repeated& values) {
  return {values.begin(), values.end()};
}

template <const mluoptest::RotatedFeatureAlignParam& (mluoptest::Node::*kParam)() const>
Params ReadRotatedFeatureAlign(const mluoptest::Node& node) {
  const auto& param = (node.*kParam)();
  return RotatedFeatureAlignParams{.spatial_scale = param.spatial_scale(), .points = param.points()};
}

Params ReadPsRoiPoolForward(const mluoptest::Node& node) {
  const auto& param = node.psroipool_forward_param();
  return PsRoiPoolParams{.pooled_height = param.pooled_height(),
                         .pooled_width = param.pooled_width(),
                         .spatial_scale = param.spatial_scale(),
                         .group_size = param.group_size(),
                         .output_dim = param.output_dim()};
}

Params ReadPsRoiPoolBackward(const mluoptest::Node& node) {
  const auto& param = node.psroipool_backward_param();
  return PsRoiPoolParams{.pooled_height = param.pooled_height(),
                         .pooled_width = param.pooled_width(),
                         .spatial_scale = param.spatial_scale(),
                         .group_size = param.pooled_height(),
                         .output_dim = param.output_dim()};
}

Params ReadRoiAwarePool3dForward(const mluoptest::Node& node) {
  const auto& param = node.roiaware_pool3d_forward_param();
  return RoiAwarePool3dParams{.pool_method = param.pool_method(),
                              .boxes_num = param.boxes_num(),
                              .pts_num = param.pts_num(),
                              .channels = param.channels(),
                              .max_pts_each_voxel = param.max_pts_each_voxel(),
                              .out_x = param.out_x(),
                              .out_y = param.out_y(),
                              .out_z = param.out_z()};
}

Params ReadRoiAwarePool3dBackward(const mluoptest::Node& node) {
  const auto& param = node.roiaware_pool3d_backward_param();
  return RoiAwarePool3dParams{.pool_method = param.pool_method(),
                              .boxes_num = param.boxes_num(),
                              .channels = param.channels(),
                              .max_pts_each_voxel = param.max_pts_each_voxel(),
                              .out_x = param.out_x(),
                              .out_y = param.out_y(),
                              .out_z = param.out_z()};
}

Params ReadGetIndicePairs(const mluoptest::Node& node) {
  const auto& param = node.get_indice_pairs_param();
  return GetIndicePairsParams{.dimnb = param.dimnb(),
                              .batch = param.batch(),
                              .pad = List<int>(param.pad()),
                              .stride = List<int>(param.stride()),
                              .dilation = List<int>(param.dilation()),
                              .input_space = List<int>(param.input_space()),
                              .filter_space = List<int>(param.filter_space()),
                              .output_space = List<int>(param.output_space()),
                              .sub_m = param.sub_m(),
                              .transpose = param.transpose(),
                              .inverse = param.inverse()};
}

Params ReadIndiceConvolutionForward(const mluoptest::Node& node) {
  const auto& param = node.indice_convolution_forward_param();
  return IndiceConvolutionParams{.num_active_out = param.num_active_out(),
                                 .inverse = param.inverse(),
                                 .sub_m = param.sub_m(),
                                 .indice_num = List<int64_t>(param.indice_num())};
}

template <const mluoptest::IndiceConvolutionBackwardParam& (mluoptest::Node::*kParam)() const>
Params ReadIndiceConvolutionBackward(const mluoptest::Node& node) {
  const auto& param = (node.*kParam)();
  return IndiceConvolutionParams{
      .inverse = param.inverse(), .sub_m = param.sub_m(), .indice_num = List<int64_t>(param.indice_num())};
}

const std::vector<Signature>& Signatures() {
  using mluoptest::Node;
  static const std::vector<Signature> signatures = {
      {"roiaware_pool3d_forward",
       {"rois", "pts", "pts_feature"},
       {"argmax", "pts_idx_of_voxels", "pooled_features"},
       "roiaware_pool3d_forward_param",
       ReadRoiAwarePool3dForward},
      {"roiaware_pool3d_backward",
       {"pts_idx_of_voxels", "argmax", "grad_out"},
       {"grad_in"},
       "roiaware_pool3d_backward_param",
       ReadRoiAwarePool3dBackward},
      {"psroipool_forward",
       {"input", "rois"},
       {"output", "mapping_channel"},
       "psroipool_forward_param",
       ReadPsRoiPoolForward},
      {"psroipool_backward",
       {"top_grad", "mapping_channel", "rois"},
       {"bottom_grad"},
       "psroipool_backward_param",
       ReadPsRoiPoolBackward},
      {"get_indice_pairs",
       {"indices"},
       {"out_indices", "indice_pairs", "indice_num"},
       "get_indice_pairs_param",
       ReadGetIndicePairs},
      {"indice_convolution_forward",
       {"features", "filters", "indice_pairs"},
       {"features_out"},
       "indice_convolution_forward_param",
       ReadIndiceConvolutionForward},
      {"indice_convolution_backward_data",
       {"output_grad", "filters", "indice_pairs"},
       {"input_grad"},
       "indice_convolution_backward_data_param",
       ReadIndiceConvolutionBackward<&Node::indice_convolution_backward_data_param>},
      {"indice_convolution_backward_filter",
       {"features", "output_grad", "indice_pairs"},
       {"filters_grad"},
       "indice_convolution_backward_param",
       ReadIndiceConvolutionBackward<&Node::indice_convolution_backward_param>},
      {"rotated_feature_align_forward",
       {"input", "bboxes"},
       {"output"},
       "rotated_feature_align_forward_param",
       ReadRotatedFeatureAlign<&Node::rotated_feature_align_forward_param>},
      {"rotated_feature_align_backward",
       {"top_output", "bboxes"},
       {"bottom_input"},
       "rotated_feature_align_backward_param",
       ReadRotatedFeatureAlign<&Node::rotated_feature_align_backward_param>},
  };
  return signatures;
}

// The library reads one value per spatial axis.
void CheckAxes(const CaseNode& file, const GetIndicePairsParams& params) {
  const Place place = file.place().Inside("get_indice_pairs_param");
  if (params.dimnb < 3) place.Fail(fmt::format("dimnb is {}, expected at least 3", params.dimnb), "dimnb");
  const size_t axes = static_cast<size_t>(params.dimnb) - 2;
  const std::pair<const char*, const std::vector<int>&> lists[] = {
      {"pad", params.pad},
      {"stride", params.stride},
      {"dilation", params.dilation},
      {"input_space", params.input_space},
      {"filter_space", params.filter_space},
      {"output_space", params.output_space},
  };
  for (const auto& [name, list] : lists) {
    if (list.size() != axes) {
      place.Fail(fmt::format("{} has {} values, dimnb {} needs {}", name, list.size(), params.dimnb, axes), name);
    }
  }
}

// The library reads one value per filter offset.
void CheckOffsets(const CaseNode& file, const Signature& signature, const IndiceConvolutionParams& params) {
  constexpr int kPairs = 2;  // the third input of all three operators
  const mluoptest::Shape& shape = file.node.input(kPairs).shape();
  const int64_t offsets = shape.dims_size() > 0 ? shape.dims(0) : 0;
  if (std::ssize(params.indice_num) != offsets) {
    file.place()
        .Inside(signature.param)
        .Fail(fmt::format("indice_num has {} values, indice_pairs has {} offsets", params.indice_num.size(), offsets),
              "indice_num");
  }
}

}  // namespace

const Signature* FindSignature(std::string_view op) {
  const std::vector<Signature>& all = Signatures();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Signature& s) { return s.op == op; });
  return found == all.end() ? nullptr : &*found;
}

std::string CanonicalName(std::string_view op_name) {
  static const std::map<std::string_view, std::string_view> aliases = {
      {"get_indices_pairs", "get_indice_pairs"},
      {"indice_convolution_backward", "indice_convolution_backward_filter"},
      {"ps_roi_pool_forward", "psroipool_forward"},
      {"ps_roi_pool_backward", "psroipool_backward"},
      {"roi_aware_pool3d_forward", "roiaware_pool3d_forward"},
      {"roi_aware_pool3d_backward", "roiaware_pool3d_backward"},
  };
  const auto found = aliases.find(op_name);
  return std::string(found == aliases.end() ? op_name : found->second);
}

Params ReadParams(const CaseNode& file, const Signature& signature) {
  const google::protobuf::FieldDescriptor* field = file.node.GetDescriptor()->FindFieldByName(signature.param);
  if (!file.node.GetReflection()->HasField(file.node, field)) {
    file.place().Fail(fmt::format("{} is missing", signature.param), "op_name");
  }
  Params params = signature.read(file.node);
  if (const auto* pairs = std::get_if<GetIndicePairsParams>(&params)) CheckAxes(file, *pairs);
  if (const auto* convolution = std::get_if<IndiceConvolutionParams>(&params)) {
    CheckOffsets(file, signature, *convolution);
  }
  return params;
}

}  // namespace detops_cli
