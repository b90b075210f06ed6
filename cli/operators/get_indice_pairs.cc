#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "operators/common.h"
#include "operators/registry.h"
#include "operators/sparse_input.h"
#include "ops/get_indice_pairs/reference/reference.h"

namespace detops_cli::old {
namespace {

class GetIndicePairsOperator : public Operator {
 public:
  std::string_view name() const override { return "get_indice_pairs"; }
  std::string_view function() const override { return "mluOpGetIndicePairs"; }
  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_INT32}; }
  std::vector<mluOpDataType_t> full_types() const override { return {}; }
  std::vector<ShapeKey> keys() const override { return SparseKeys(); }

  bool Available(const Library& library) const override {
    return library->mluOpGetIndicePairs != nullptr && library->mluOpGetIndicePairsWorkspaceSize != nullptr &&
           library->mluOpCreateSparseConvolutionDescriptor != nullptr &&
           library->mluOpSetSparseConvolutionDescriptor != nullptr &&
           library->mluOpDestroySparseConvolutionDescriptor != nullptr &&
           library->mluOpGetSparseConvolutionNumActOut != nullptr;
  }

  void Validate(const Shape& shape) const override { ValidateSparse(shape); }

  Case Make(const Shape& shape, mluOpDataType_t type, bool full_profile, uint64_t seed) const override {
    const SparseInput& sparse = MakeSparseInput(shape, seed);
    const auto sites = static_cast<int64_t>(sparse.sites.size());
    Case c;
    c.op = this;
    c.full_profile = full_profile;
    c.params = sparse.params;
    c.inputs.push_back(InputTensor("indices", MLUOP_LAYOUT_ARRAY, type, {sites, 4}));
    if (sites > 0) std::memcpy(c.inputs[0].data.data(), sparse.sites.data(), c.inputs[0].bytes());
    c.outputs.push_back(OutputTensor("out_indices", MLUOP_LAYOUT_ARRAY, type, {sparse.outputs, 4}));
    c.outputs.push_back(OutputTensor("indice_pairs", MLUOP_LAYOUT_ARRAY, type, {sparse.offsets(), 2, sites}));
    c.outputs.push_back(OutputTensor("indice_num", MLUOP_LAYOUT_ARRAY, type, {sparse.offsets()}));
    return c;
  }

  std::string Summary(const Shape& shape) const override {
    return fmt::format("{} of {}, {}, {}", shape.Word("sites"), shape.Word("space"), shape.Word("filter"),
                       shape.Int("subm") != 0 ? "submanifold" : "stride " + shape.Word("stride"));
  }

  mluOpStatus_t WorkspaceSize(const Library& library, const Invocation& i, size_t* bytes) const override {
    return library->mluOpGetIndicePairsWorkspaceSize(i.handle, i.sparse, i.inputs[0].desc, i.outputs[1].desc,
                                                     i.outputs[0].desc, i.outputs[2].desc, bytes);
  }

  mluOpStatus_t Call(const Library& library, Invocation& i) const override {
    const mluOpStatus_t status = library->mluOpGetIndicePairs(
        i.handle, i.sparse, i.inputs[0].desc, i.inputs[0].data, i.workspace, i.workspace_size, i.outputs[1].desc,
        i.outputs[1].data, i.outputs[0].desc, i.outputs[0].data, i.outputs[2].desc, i.outputs[2].data);
    if (status != MLUOP_STATUS_SUCCESS) return status;
    return library->mluOpGetSparseConvolutionNumActOut(i.sparse, &i.num_act_out);
  }

  Baseline Reference(const Case& c) const override {
    const HostTensor& indices = c.inputs[0];
    // A tensor without elements, also an output, makes the whole result empty.
    const auto filled = [&](size_t output, double value) {
      return std::vector<double>(static_cast<size_t>(c.outputs[output].elements()), value);
    };
    const auto no_elements = [](const HostTensor& tensor) { return tensor.elements() == 0; };
    if (no_elements(indices) || std::any_of(c.outputs.begin(), c.outputs.end(), no_elements)) {
      return {{filled(0, -1), filled(1, -1), filled(2, 0)}, 0};
    }
    const auto result = detops_reference::GetIndicePairs(
        ConvolutionOf(std::get<GetIndicePairsParams>(c.params)), indices.extents[0],
        reinterpret_cast<const int32_t*>(indices.data.data()), c.outputs[0].extents[0]);
    return {{ToDouble(result.out_indices), ToDouble(result.pairs), ToDouble(result.indice_num)}, result.num_act_out};
  }

  Theory TheoryOf(const Case& c) const override {
    // One meeting of a site and an offset is one operation.
    const auto operations = static_cast<double>(c.outputs[1].elements()) / 2;
    return {operations, AllBytes(c), {AllBytes(c), 0, false}};
  }

  std::vector<BadCall> BadCalls(const Case& c) const override {
    const auto& p = std::get<GetIndicePairsParams>(c.params);
    std::vector<BadCall> calls = {
        Refused("sparse_conv_desc is NULL", {kBadParam}, [](Invocation& i) { i.sparse = nullptr; }),
        RefusedValue(c, 0, 0, p.batch), RefusedValue(c, 0, 0, -1)};
    for (size_t axis = 0; axis < p.input_space.size(); ++axis) {
      calls.push_back(RefusedValue(c, 0, static_cast<int64_t>(axis) + 1, p.input_space[axis]));
    }
    return calls;
  }
};

}  // namespace

const Operator* GetIndicePairs() {
  static const GetIndicePairsOperator op;
  return &op;
}

}  // namespace detops_cli::old
