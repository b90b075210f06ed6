#include <algorithm>
#include <array>
#include <list>
#include <stdexcept>
#include <utility>

#include "cases/operator.h"
#include "harness/catalogue.h"
#include "harness/rules.h"
#include "support/element.h"

namespace detops_cli {
namespace {

using detops_harness::Access;
using detops_harness::Call;
using detops_harness::Function;
using detops_harness::Tensor;

// Operators on boxes, which only the released header documents.
void AddBoxOperators(std::vector<Operator::Row>& rows) {
  using Names = std::vector<std::string>;
  const auto add = [&](std::string_view name, std::string_view function, const char* layouts, const char* notes,
                       const Names& inputs, const Names& outputs, const char* param) {
    rows.push_back({name, {}, function, "", layouts, notes, inputs, outputs, param});
  };
  const char* const large = "2^31 elements and more";
  add("bbox_overlaps", "mluOpBboxOverlaps", "any", large, {"bbox1", "bbox2"}, {"ious"}, "bbox_overlaps_param");
  add("box_iou_rotated", "mluOpBoxIouRotated", "any", large, {"bbox1", "bbox2"}, {"ious"}, "box_iou_rotated_param");
  add("poly_nms", "mluOpPolyNms", "ARRAY", "9770 boxes and more", {"boxes"}, {"output", "output_size"},
      "poly_nms_param");
  add("nms_rotated", "mluOpNmsRotated", "any", large, {"boxes", "scores"}, {"output", "result_num"},
      "nms_rotated_param");
  add("nms", "mluOpNms", "any", "suppression that lowers scores", {"boxes", "confidence"}, {"output", "output_size"},
      "nms_param");
  add("points_in_boxes", "mluOpPointsInBoxes", "ARRAY", "more than 14042 boxes in a batch", {"points", "boxes"},
      {"points_indices"}, nullptr);
  add("diff_iou_rotated_sort_vertices_forward", "mluOpDiffIouRotatedSortVerticesForward", "any", large,
      {"vertices", "mask", "num_valid"}, {"idx"}, nullptr);
}

// Operators that make voxels of points, likewise.
void AddVoxelOperators(std::vector<Operator::Row>& rows) {
  rows.push_back({"voxelization",
                  {},
                  "mluOpVoxelization",
                  "",
                  "any",
                  "2^31 elements and more",
                  {"points", "voxel_size", "coors_range"},
                  {"voxels", "coors", "num_points_per_voxel", "voxel_num"},
                  "voxelization_param"});
  rows.push_back({"dynamic_point_to_voxel_forward",
                  {},
                  "mluOpDynamicPointToVoxelForward",
                  "",
                  "any",
                  "sums; 2^31 elements and more",
                  {"feats", "coors"},
                  {"voxel_feats", "voxel_coors", "point2voxel_map", "voxel_points_count", "voxel_num"},
                  "dynamic_point_to_voxel_forward_param"});
  rows.push_back({"dynamic_point_to_voxel_backward",
                  {},
                  "mluOpDynamicPointToVoxelBackward",
                  "",
                  "any",
                  "sums and means; any number of points and columns",
                  {"grad_voxel_feats", "feats", "voxel_feats", "point2voxel_map", "voxel_points_count", "voxel_num"},
                  {"grad_feats"},
                  "dynamic_point_to_voxel_backward_param"});
}

std::vector<Operator> MakeTable() {
  const std::string flat = ", 4-D NHWC, NCHW, HWCN, ARRAY (= HWCN)";
  const std::string filters = "filters 5-D NDHWC, NCDHW, ARRAY (= DHWCN)" + flat;
  const std::string roiaware_notes =
      "65536 boxes or channels and more, boxes x points of 2^31 and more, any max_pts_each_voxel";
  const std::string psroi_notes = "torchvision's conventions and NCHW as extensions";
  const std::string convolution_notes = "inverse convolution; 2^31 elements and more";
  std::vector<Operator::Row> rows = {
      {"roiaware_pool3d_forward",
       {"roi_aware_pool3d_forward"},
       "mluOpRoiAwarePool3dForward",
       "000",
       "any",
       roiaware_notes,
       {"rois", "pts", "pts_feature"},
       {"argmax", "pts_idx_of_voxels", "pooled_features"},
       "roiaware_pool3d_forward_param"},
      {"roiaware_pool3d_backward",
       {"roi_aware_pool3d_backward"},
       "mluOpRoiAwarePool3dBackward",
       "000",
       "any",
       roiaware_notes,
       {"pts_idx_of_voxels", "argmax", "grad_out"},
       {"grad_in"},
       "roiaware_pool3d_backward_param"},
      {"psroipool_forward",
       {"ps_roi_pool_forward"},
       "mluOpPsRoiPoolForward",
       "001",
       "maps NHWC, rois any",
       psroi_notes,
       {"input", "rois"},
       {"output", "mapping_channel"},
       "psroipool_forward_param"},
      {"psroipool_backward",
       {"ps_roi_pool_backward"},
       "mluOpPsRoiPoolBackward",
       "001",
       "maps NHWC, rois any",
       psroi_notes,
       {"top_grad", "mapping_channel", "rois"},
       {"bottom_grad"},
       "psroipool_backward_param"},
      {"get_indice_pairs",
       {"get_indices_pairs"},
       "mluOpGetIndicePairs",
       "004",
       "any",
       "1-D to 4-D, transposed, stride and dilation together, submanifold with dilation, more sites than places",
       {"indices"},
       {"out_indices", "indice_pairs", "indice_num"},
       "get_indice_pairs_param",
       {"num_act_out"}},
      {"indice_convolution_forward",
       {},
       "mluOpIndiceConvolutionForward",
       "002",
       filters + " in full",
       convolution_notes,
       {"features", "filters", "indice_pairs"},
       {"features_out"},
       "indice_convolution_forward_param"},
      {"indice_convolution_backward_data",
       {},
       "mluOpIndiceConvolutionBackwardData",
       "002",
       filters,
       convolution_notes,
       {"output_grad", "filters", "indice_pairs"},
       {"input_grad"},
       "indice_convolution_backward_data_param",
       {},
       {"indice_num"}},
      {"indice_convolution_backward_filter",
       {"indice_convolution_backward"},
       "mluOpIndiceConvolutionBackwardFilter",
       "002",
       "DHWCN and HWCN under any name; in full " + filters,
       convolution_notes,
       {"features", "output_grad", "indice_pairs"},
       {"filters_grad"},
       "indice_convolution_backward_param",
       {},
       {"sub_m"}},
      {"rotated_feature_align_forward",
       {},
       "mluOpRotatedFeatureAlignForward",
       "003",
       "maps NHWC, bboxes any",
       "2^31 elements and more",
       {"input", "bboxes"},
       {"output"},
       "rotated_feature_align_forward_param"},
      {"rotated_feature_align_backward",
       {},
       "mluOpRotatedFeatureAlignBackward",
       "003",
       "maps NHWC, bboxes any",
       "2^31 elements and more",
       {"top_output", "bboxes"},
       {"bottom_input"},
       "rotated_feature_align_backward_param"},
  };
  AddBoxOperators(rows);
  AddVoxelOperators(rows);
  std::vector<Operator> table;
  for (Operator::Row& row : rows) table.emplace_back(std::move(row));
  return table;
}

HostTensor ToHost(const Tensor& tensor) {
  return {.name = tensor.name,
          .layout = tensor.layout,
          .type = tensor.type,
          .extents = tensor.extents,
          .strides = tensor.strides,
          .data = tensor.contents};
}

Tensor FromHost(const HostTensor& tensor, Access access) {
  Tensor result{tensor.name, access, tensor.layout, tensor.type, tensor.extents, tensor.strides};
  if (access == Access::kRead) {
    result.contents = tensor.data;
  } else {
    result.bytes = tensor.bytes();
  }
  return result;
}

// References have the numbers that a call writes, one after the other. What it leaves as it was counts as 0:
// Session::Outputs.
std::vector<double> AtTheirPlaces(const Call& call, const Tensor& output, std::vector<double> numbers) {
  const auto elements = static_cast<size_t>(output.elements());
  const std::vector<detops_harness::Part> parts = call.function->WrittenParts(call, output);
  if (parts.size() > 1) {
    std::vector<double> all(elements);
    size_t next = 0;
    for (const detops_harness::Part& part : parts) {
      for (int64_t i = part.begin; i < part.end; ++i) all.at(static_cast<size_t>(i)) = numbers.at(next++);
    }
    return all;
  }
  if (numbers.size() < elements) numbers.resize(elements);
  return numbers;
}

// What case files of nms hold becomes its descriptor.
void CompleteNms(Call& call) {
  for (const char* unused : {"run_mode", "is_use_v2_api"}) call.integers.erase(unused);
  call.integers["set"] = 1;
}

}  // namespace

Operator::Operator(Row row) : row_(std::move(row)), function_(detops_harness::WholeCatalogue().Find(row_.function)) {
  if (function_ == nullptr) throw std::logic_error("nobody knows " + std::string(row_.function));
}

std::vector<mluOpDataType_t> Operator::full_types() const {
  const std::vector<mluOpDataType_t> contract = function_->contract_types();
  std::vector<mluOpDataType_t> types = function_->full_types();
  std::erase_if(
      types, [&](mluOpDataType_t type) { return std::find(contract.begin(), contract.end(), type) != contract.end(); });
  return types;
}

std::vector<ShapeKey> Operator::keys() const {
  std::vector<ShapeKey> keys = function_->UsersKeys();
  std::erase_if(keys, [](const ShapeKey& key) { return !key.offered; });
  return keys;
}

Case Operator::Make(const Shape& shape, mluOpDataType_t type, bool full_profile, uint64_t seed) const {
  const detopsProfile_t profile = full_profile ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  const Call call = function_->MakeIn(profile, shape, type, seed);
  Case made;
  made.op = this;
  made.full_profile = full_profile;
  made.params = {call.integers, call.numbers, call.integer_lists, row_.results};
  for (const std::string& name : row_.inputs) {
    if (!detops_harness::IsAbsent(call[name])) made.inputs.push_back(ToHost(call[name]));
  }
  for (const std::string& name : row_.outputs) {
    if (detops_harness::IsAbsent(call[name])) continue;
    made.outputs.push_back(ToHost(call[name]));
    made.criteria.push_back(PromisedCriteria(*this, call[name].type));
  }
  return made;
}

Call Operator::CallOf(const Case& the_case) const {
  Call call;
  call.function = function_;
  call.profile = the_case.full_profile ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  call.integers = the_case.params.integers;
  call.integers["workspace_size"] = 0;
  call.numbers = the_case.params.numbers;
  call.integer_lists = the_case.params.lists;
  for (const std::string& name : the_case.params.results) call.results[name] = 0;
  for (const HostTensor& tensor : the_case.inputs) call.tensors.push_back(FromHost(tensor, Access::kRead));
  for (const HostTensor& tensor : the_case.outputs) call.tensors.push_back(FromHost(tensor, Access::kWritten));
  for (const Access access : {Access::kRead, Access::kWritten}) {
    for (const std::string& name : access == Access::kRead ? row_.inputs : row_.outputs) {
      const bool there = std::any_of(call.tensors.begin(), call.tensors.end(), [&](const Tensor& tensor) {
        return tensor.access == access && tensor.name == name;
      });
      if (!there) call.tensors.push_back(detops_harness::Absent(name, access));
    }
  }
  call.workspace.has_data = call.workspace.described = false;
  if (name() == "nms") CompleteNms(call);
  return call;
}

Baseline Operator::Reference(const Case& the_case) const {
  // References look whether an output is there. How much a call writes may stand in one, of one element.
  static std::byte somewhere[64];
  Call call = CallOf(the_case);
  for (Tensor& tensor : call.tensors) {
    if (!detops_harness::IsAbsent(tensor)) tensor.address = somewhere;
  }
  detops_harness::Expected expected = function_->Reference(call);
  std::list<std::array<std::byte, sizeof(double)>> counts;
  for (const auto& [name, values] : expected.tensors) {
    if (values.size() != 1 || call[name].elements() != 1) continue;
    call[name].address = counts.emplace_back().data();
    detops_test::WriteElement(call[name].type, call[name].address, 0, values.front());
  }
  Baseline baseline;
  for (const HostTensor& output : the_case.outputs) {
    baseline.outputs.push_back(AtTheirPlaces(call, call[output.name], std::move(expected.tensors[output.name])));
  }
  for (const auto& [name, value] : expected.results) baseline.results[name] = value;
  return baseline;
}

std::span<const Operator* const> AllOperators() {
  static const std::vector<Operator> table = MakeTable();
  static const std::vector<const Operator*> all = [] {
    std::vector<const Operator*> pointers;
    for (const Operator& op : table) pointers.push_back(&op);
    return pointers;
  }();
  return all;
}

const Operator* FindOperator(std::string_view name) {
  for (const Operator* op : AllOperators()) {
    const std::vector<std::string_view>& aliases = op->row().aliases;
    if (op->name() == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) return op;
  }
  return nullptr;
}

}  // namespace detops_cli
