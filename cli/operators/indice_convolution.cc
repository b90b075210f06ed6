#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "operators/common.h"
#include "operators/registry.h"
#include "operators/sparse_input.h"
#include "ops/indice_convolution/reference/large_reference.h"

namespace detops_cli::old {
namespace {

enum class Pass { kForward, kBackwardData, kBackwardFilter };

// How a layout orders the axes of the filters: o output channels, i input channels, k the axes of the kernel.
struct NamedLayout {
  std::string_view name;
  mluOpTensorLayout_t layout;
  int rank;
  std::string_view axes;
};
constexpr std::array kLayouts = {
    NamedLayout{"ARRAY", MLUOP_LAYOUT_ARRAY, 5, "kio"}, NamedLayout{"NDHWC", MLUOP_LAYOUT_NDHWC, 5, "oki"},
    NamedLayout{"NCDHW", MLUOP_LAYOUT_NCDHW, 5, "oik"}, NamedLayout{"ARRAY4", MLUOP_LAYOUT_ARRAY, 4, "kio"},
    NamedLayout{"HWCN", MLUOP_LAYOUT_HWCN, 4, "kio"},   NamedLayout{"NHWC", MLUOP_LAYOUT_NHWC, 4, "oki"},
    NamedLayout{"NCHW", MLUOP_LAYOUT_NCHW, 4, "oik"},
};

// `axes` as those of a layout.
std::vector<int64_t> FilterExtents(std::string_view axes, int rank, const std::vector<int>& filter, int64_t ci,
                                   int64_t co) {
  std::vector<int64_t> extents;
  for (const char axis : axes) {
    if (axis == 'i') extents.push_back(ci);
    if (axis == 'o') extents.push_back(co);
    if (axis != 'k') continue;
    std::vector<int> kernel = filter;
    if (rank == 4) kernel.erase(std::find(kernel.begin(), kernel.end(), 1));  // there is one
    extents.insert(extents.end(), kernel.begin(), kernel.end());
  }
  return extents;
}

detops_reference::FilterLayout ReadAs(mluOpTensorLayout_t layout, const HostTensor& filters, int64_t offsets) {
  const auto& e = filters.extents;
  const size_t last = e.size() - 1;
  switch (layout) {
    case MLUOP_LAYOUT_NDHWC:
    case MLUOP_LAYOUT_NHWC:
      return detops_reference::LayoutOfFilters(layout, offsets, e[last], e[0]);
    case MLUOP_LAYOUT_NCDHW:
    case MLUOP_LAYOUT_NCHW:
      return detops_reference::LayoutOfFilters(layout, offsets, e[1], e[0]);
    default:
      return detops_reference::LayoutOfFilters(layout, offsets, e[last - 1], e[last]);
  }
}

class IndiceConvolution : public Operator {
 public:
  explicit IndiceConvolution(Pass pass) : pass_(pass) {}

  std::string_view name() const override {
    return Choose("indice_convolution_forward", "indice_convolution_backward_data",
                  "indice_convolution_backward_filter");
  }
  std::string_view function() const override {
    return Choose("mluOpIndiceConvolutionForward", "mluOpIndiceConvolutionBackwardData",
                  "mluOpIndiceConvolutionBackwardFilter");
  }
  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}; }
  std::vector<mluOpDataType_t> full_types() const override { return {MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}; }
  std::vector<ShapeKey> keys() const override {
    std::vector<ShapeKey> keys = {{"ci", "16", "input channels"},
                                  {"co", "16", "output channels"},
                                  {"layout", "ARRAY",
                                   "of the filters: ARRAY, NDHWC, NCDHW; 4-D with a filter that is 1 on an axis: "
                                   "ARRAY4, HWCN, NHWC, NCHW"},
                                  {"repeats", "0", "1: rows appear more than once in the pairs of an offset"},
                                  SpecialsKey()};
    for (ShapeKey& key : SparseKeys()) keys.push_back(std::move(key));
    return keys;
  }

  bool Available(const Library& library) const override {
    switch (pass_) {
      case Pass::kForward:
        return library->mluOpIndiceConvolutionForward != nullptr &&
               library->mluOpGetIndiceConvolutionForwardWorkspaceSize != nullptr;
      case Pass::kBackwardData:
        return library->mluOpIndiceConvolutionBackwardData != nullptr &&
               library->mluOpGetIndiceConvolutionBackwardDataWorkspaceSize != nullptr;
      default:
        return library->mluOpIndiceConvolutionBackwardFilter != nullptr &&
               library->mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize != nullptr;
    }
  }

  void Validate(const Shape& shape) const override {
    const NamedLayout& layout = FindLayout(shape.Word("layout"));
    const std::vector<int> filter = ValidateSparse(shape).filter_space;
    if (layout.rank == 4 && std::find(filter.begin(), filter.end(), 1) == filter.end()) {
      throw UsageError("--shape: 4-D filters need a filter with an extent of 1, as 1x3x3");
    }
    for (const char* key : {"ci", "co", "repeats", "specials"}) shape.Int(key);
  }

  Case Make(const Shape& shape, mluOpDataType_t type, bool full_profile, uint64_t seed) const override {
    Validate(shape);
    const NamedLayout& layout = FindLayout(shape.Word("layout"));
    const SparseInput& sparse = MakeSparseInput(shape, seed);
    const std::vector<int>& filter = sparse.params.filter_space;
    const auto sites = static_cast<int64_t>(sparse.sites.size());
    const int64_t ci = shape.Int("ci"), co = shape.Int("co");

    HostTensor features = InputTensor("features", MLUOP_LAYOUT_ARRAY, type, {sites, ci});
    HostTensor grad = InputTensor("output_grad", MLUOP_LAYOUT_ARRAY, type, {sparse.outputs, co});
    const std::string_view axes = HonoursLayout(full_profile) ? layout.axes : kLayouts[0].axes;
    HostTensor filters = InputTensor("filters", layout.layout, type, FilterExtents(axes, layout.rank, filter, ci, co));
    HostTensor pairs = InputTensor("indice_pairs", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {sparse.offsets(), 2, sites});
    if (sites > 0) std::memcpy(pairs.data.data(), sparse.pairs.pairs.data(), pairs.bytes());
    if (shape.Int("repeats") != 0) RepeatRows(pairs, sparse.pairs.indice_num);
    FillUniform(features, seed);
    FillUniform(filters, seed + 1);
    FillUniform(grad, seed + 2);
    FillSpecials(features, shape);
    FillSpecials(grad, shape);

    Case c;
    c.op = this;
    c.full_profile = full_profile;
    c.params = IndiceConvolutionParams{
        sparse.outputs, 0, sparse.params.sub_m, {sparse.pairs.indice_num.begin(), sparse.pairs.indice_num.end()}};
    switch (pass_) {
      case Pass::kForward:
        c.outputs.push_back(OutputTensor("features_out", MLUOP_LAYOUT_ARRAY, type, grad.extents));
        c.inputs = {std::move(features), std::move(filters), std::move(pairs)};
        break;
      case Pass::kBackwardData:
        c.outputs.push_back(OutputTensor("input_grad", MLUOP_LAYOUT_ARRAY, type, features.extents));
        c.inputs = {std::move(grad), std::move(filters), std::move(pairs)};
        break;
      default:
        c.outputs.push_back(OutputTensor("filters_grad", layout.layout, type, filters.extents));
        c.inputs = {std::move(features), std::move(grad), std::move(pairs)};
    }
    return c;
  }

  std::string Summary(const Shape& shape) const override {
    return fmt::format("{}, {}->{}, {}{}, {}", shape.Word("sites"), shape.Word("ci"), shape.Word("co"),
                       shape.Word("filter"), shape.Int("subm") != 0 ? "" : " stride " + shape.Word("stride"),
                       shape.Word("layout"));
  }

  mluOpStatus_t WorkspaceSize(const Library& library, const Invocation& i, size_t* bytes) const override {
    const auto& p = std::get<IndiceConvolutionParams>(i.params);
    const auto& in = i.inputs;
    switch (pass_) {
      case Pass::kForward:
        return library->mluOpGetIndiceConvolutionForwardWorkspaceSize(i.handle, in[0].desc, in[1].desc, in[2].desc,
                                                                      i.outputs[0].desc, i.indice_num, p.num_active_out,
                                                                      p.inverse, p.sub_m, bytes);
      case Pass::kBackwardData:
        return library->mluOpGetIndiceConvolutionBackwardDataWorkspaceSize(
            i.handle, in[0].desc, in[1].desc, in[2].desc, i.outputs[0].desc, i.indice_num, p.inverse, bytes);
      default:
        return library->mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(
            i.handle, in[0].desc, in[1].desc, in[2].desc, i.outputs[0].desc, i.indice_num, p.inverse, p.sub_m, bytes);
    }
  }

  mluOpStatus_t Call(const Library& library, Invocation& i) const override {
    const auto& p = ParamsAs<IndiceConvolutionParams>(i);
    const auto& in = i.inputs;
    const auto& out = i.outputs[0];
    if (pass_ == Pass::kForward) {
      return library->mluOpIndiceConvolutionForward(i.handle, in[0].desc, in[0].data, in[1].desc, in[1].data,
                                                    in[2].desc, in[2].data, i.indice_num, p.num_active_out, p.inverse,
                                                    p.sub_m, i.workspace, i.workspace_size, out.desc, out.data);
    }
    const auto call = pass_ == Pass::kBackwardData ? library->mluOpIndiceConvolutionBackwardData
                                                   : library->mluOpIndiceConvolutionBackwardFilter;
    return call(i.handle, in[0].desc, in[0].data, in[1].desc, in[1].data, in[2].desc, in[2].data, i.indice_num,
                p.inverse, p.sub_m, i.workspace, i.workspace_size, out.desc, out.data);
  }

  Baseline Reference(const Case& c) const override {
    const auto& p = std::get<IndiceConvolutionParams>(c.params);
    const HostTensor& list = c.inputs[2];
    // Without elements there is nothing to add, whatever the pairs say.
    if (std::any_of(c.inputs.begin(), c.inputs.end(), [](const HostTensor& t) { return t.elements() == 0; })) {
      return {{std::vector<double>(static_cast<size_t>(c.outputs[0].elements()))}};
    }
    const auto* const indices = reinterpret_cast<const int32_t*>(list.data.data());
    const detops_reference::ConvolutionPairs pairs = {
        list.extents[0], list.extents[2], {indices, indices + list.elements()}, p.indice_num, p.inverse != 0};
    const detops_reference::FilterLayout layout = LayoutOfFilters(c);
    const std::vector<double> a = c.inputs[0].Values(), b = c.inputs[1].Values();
    const int64_t rows = c.outputs[0].extents[0];
    switch (pass_) {
      case Pass::kForward:
        return {{detops_reference::LargeConvolutionForward(pairs, layout, a, b, rows)}};
      case Pass::kBackwardData:
        return {{detops_reference::LargeConvolutionBackwardData(pairs, layout, a, b, rows)}};
      default:
        return {{detops_reference::LargeConvolutionBackwardFilter(pairs, layout, a, b)}};
    }
  }

  Theory TheoryOf(const Case& c) const override {
    const auto& counts = std::get<IndiceConvolutionParams>(c.params).indice_num;
    const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
    const HostTensor& filters = Filters(c);
    const detops_reference::FilterLayout layout = LayoutOfFilters(c);
    const auto ci = static_cast<double>(layout.ci), co = static_cast<double>(layout.co);
    double operations = total * ci * co;
    if (pass_ == Pass::kForward) {
      operations += total * (ci + 2 * co) + static_cast<double>(c.outputs[0].elements() + filters.elements());
    }
    // Of the lists only the counted pairs must be read. For the gradient of the data the standard counts all of them.
    const double bytes = AllBytes(c) - static_cast<double>(c.inputs[2].bytes()) + 8 * total;
    return {operations,
            pass_ == Pass::kBackwardData ? AllBytes(c) : bytes,
            {bytes, 2 * total * ci * co, filters.type == MLUOP_DTYPE_DOUBLE}};
  }

  std::vector<BadCall> BadCalls(const Case& c) const override {
    using P = IndiceConvolutionParams;
    std::vector<BadCall> calls = {
        Refused("indice_num is NULL", {kBadParam}, [](Invocation& i) { i.indice_num = nullptr; }),
        Refused("inverse is 2", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).inverse = 2; }),
        Refused("sub_m is 2", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).sub_m = 2; })};
    // The released header lets these pass.
    if (pass_ == Pass::kBackwardData) calls[0].basis = Basis::kPromise;
    if (pass_ == Pass::kBackwardFilter) calls[2].basis = Basis::kPromise;
    const int64_t first = FirstPair(c);
    if (first >= 0) {
      calls.push_back(RefusedValue(c, 2, first, static_cast<double>(InputRows(c))));
      calls.push_back(RefusedValue(c, 2, first, -1));
      calls.push_back(RefusedValue(c, 2, first + c.inputs[2].extents[2], static_cast<double>(OutputRows(c))));
    }
    if (pass_ == Pass::kForward) {
      calls.push_back(
          Refused("num_act_out is off by 1", {kBadParam}, [](Invocation& i) { ParamsAs<P>(i).num_active_out += 1; }));
    }
    return calls;
  }

 private:
  template <class T>
  T Choose(T forward, T data, T filter) const {
    return pass_ == Pass::kForward ? forward : pass_ == Pass::kBackwardData ? data : filter;
  }

  // Every third pair of an offset takes the output of the one before, every fifth its input.
  static void RepeatRows(HostTensor& pairs, const std::vector<int32_t>& counts) {
    auto* const lists = reinterpret_cast<int32_t*>(pairs.data.data());
    const int64_t length = pairs.extents[2];
    for (size_t k = 0; k < counts.size(); ++k) {
      int32_t* const inputs = lists + static_cast<int64_t>(k) * 2 * length;
      int32_t* const outputs = inputs + length;
      for (int32_t i = 1; i < counts[k]; ++i) {
        if (i % 3 == 0) outputs[i] = outputs[i - 1];
        if (i % 5 == 0) inputs[i] = inputs[i - 1];
      }
    }
  }

  static const NamedLayout& FindLayout(const std::string& name) {
    for (const NamedLayout& layout : kLayouts) {
      if (layout.name == name) return layout;
    }
    throw UsageError("--shape: layout=" + name + " is no layout of filters");
  }

  // The contract reads the gradient of the filters in one order, whatever its layout says.
  bool HonoursLayout(bool full_profile) const { return full_profile || pass_ != Pass::kBackwardFilter; }
  detops_reference::FilterLayout LayoutOfFilters(const Case& c) const {
    const HostTensor& filters = Filters(c);
    return ReadAs(HonoursLayout(c.full_profile) ? filters.layout : MLUOP_LAYOUT_ARRAY, filters, c.inputs[2].extents[0]);
  }

  const HostTensor& Filters(const Case& c) const { return pass_ == Pass::kBackwardFilter ? c.outputs[0] : c.inputs[1]; }
  // Rows that the first and the second row of a pair number.
  int64_t InputRows(const Case& c) const {
    return pass_ == Pass::kBackwardData ? c.outputs[0].extents[0] : c.inputs[0].extents[0];
  }
  int64_t OutputRows(const Case& c) const { return Choose(&c.outputs[0], &c.inputs[0], &c.inputs[1])->extents[0]; }
  // The first column of the first offset that has pairs; -1 if none has.
  static int64_t FirstPair(const Case& c) {
    const auto& counts = std::get<IndiceConvolutionParams>(c.params).indice_num;
    for (size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] > 0) return static_cast<int64_t>(k) * 2 * c.inputs[2].extents[2];
    }
    return -1;
  }

  const Pass pass_;
};

}  // namespace

const Operator* IndiceConvolutionForward() {
  static const IndiceConvolution op(Pass::kForward);
  return &op;
}
const Operator* IndiceConvolutionBackwardData() {
  static const IndiceConvolution op(Pass::kBackwardData);
  return &op;
}
const Operator* IndiceConvolutionBackwardFilter() {
  static const IndiceConvolution op(Pass::kBackwardFilter);
  return &op;
}

}  // namespace detops_cli::old
