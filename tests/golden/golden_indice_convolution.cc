// Forward, gradient of the features and of the filters, in all layouts of the filters and all types; inverse, fused
// with bias, residual and activation, and on a rulebook.
#include "golden/golden.h"

namespace detops_golden {
namespace {

struct Layout {
  const char* name;
  mluOpTensorLayout_t value;
  int rank;
};
constexpr Layout kLayouts[] = {{"ndhwc", MLUOP_LAYOUT_NDHWC, 5},  {"ncdhw", MLUOP_LAYOUT_NCDHW, 5},
                               {"array5", MLUOP_LAYOUT_ARRAY, 5}, {"nhwc", MLUOP_LAYOUT_NHWC, 4},
                               {"nchw", MLUOP_LAYOUT_NCHW, 4},    {"hwcn", MLUOP_LAYOUT_HWCN, 4},
                               {"array4", MLUOP_LAYOUT_ARRAY, 4}};

enum class Pass { kForward, kBackwardData, kBackwardFilter };
constexpr const char* kPassNames[] = {"forward", "backward_data", "backward_filter"};

struct Problem {
  Pass pass;
  mluOpDataType_t type;
  Layout layout;
  int64_t channels_in, channels_out, rows;
  Order order;
  int64_t inverse = 0;

  int64_t offsets() const { return layout.rank == 5 ? 18 : 9; }
  std::vector<int64_t> FilterExtents() const {
    const std::vector<int64_t> kernel = layout.rank == 5 ? std::vector<int64_t>{2, 3, 3} : std::vector<int64_t>{3, 3};
    std::vector<int64_t> extents = kernel;
    switch (layout.value) {
      case MLUOP_LAYOUT_NDHWC:
      case MLUOP_LAYOUT_NHWC:
        extents.insert(extents.begin(), channels_out);
        extents.push_back(channels_in);
        break;
      case MLUOP_LAYOUT_NCDHW:
      case MLUOP_LAYOUT_NCHW:
        extents.insert(extents.begin(), {channels_out, channels_in});
        break;
      default:
        extents.insert(extents.end(), {channels_in, channels_out});
    }
    return extents;
  }
};

// One side of the pairs has as many rows as the pairs have columns, the other three fewer; inverse swaps them.
struct Input {
  Input(Run& run, const Problem& p)
      : pairs(run, p.order, p.offsets(), p.rows, p.rows - 3, p.rows),
        features(run, p.type, {p.inverse != 0 ? p.rows - 3 : p.rows, p.channels_in}),
        filters(run, p.type, p.FilterExtents(), p.layout.value),
        gradient(run, p.type, {p.inverse != 0 ? p.rows : p.rows - 3, p.channels_out}) {}
  Pairs pairs;
  Signed features, filters, gradient;
};

Tensor NewResult(const Problem& p, const Input& in) {
  switch (p.pass) {
    case Pass::kForward:
      return Tensor(MLUOP_LAYOUT_ARRAY, p.type, in.gradient.extents());
    case Pass::kBackwardData:
      return Tensor(MLUOP_LAYOUT_ARRAY, p.type, in.features.extents());
    case Pass::kBackwardFilter:
      break;
  }
  return Tensor(p.layout.value, p.type, p.FilterExtents());
}

void Convolve(Run& run, const Problem& p) {
  const Input in(run, p);
  const Tensor& indices = in.pairs.indices;
  const int64_t* counts = in.pairs.counts.data();
  Tensor out = NewResult(p, in);
  switch (p.pass) {
    case Pass::kForward:
      run.Must(mluOpIndiceConvolutionForward(run.handle(), in.features.desc(), in.features.data(), in.filters.desc(),
                                             in.filters.data(), indices.desc(), indices.data(), counts,
                                             out.extents()[0], p.inverse, 0, nullptr, 0, out.desc(), out.data()));
      break;
    case Pass::kBackwardData:
      run.Must(mluOpIndiceConvolutionBackwardData(run.handle(), in.gradient.desc(), in.gradient.data(),
                                                  in.filters.desc(), in.filters.data(), indices.desc(), indices.data(),
                                                  counts, p.inverse, 0, nullptr, 0, out.desc(), out.data()));
      break;
    case Pass::kBackwardFilter:
      run.Must(mluOpIndiceConvolutionBackwardFilter(
          run.handle(), in.features.desc(), in.features.data(), in.gradient.desc(), in.gradient.data(), indices.desc(),
          indices.data(), counts, p.inverse, 0, nullptr, 0, out.desc(), out.data()));
      break;
  }
  run.Result(out);
}

void OnRulebook(Run& run, const Problem& p) {
  const Input in(run, p);
  const Rulebook rulebook(run, in.pairs, p.rows, p.rows - 3);
  Tensor out = NewResult(p, in);
  switch (p.pass) {
    case Pass::kForward:
      run.Must(detopsRulebookConvolutionForward(
          run.handle(), rulebook.get(), p.inverse, in.features.desc(), in.features.data(), in.filters.desc(),
          in.filters.data(), nullptr, nullptr, nullptr, nullptr, DETOPS_ACTIVATION_NONE, 0, out.desc(), out.data()));
      break;
    case Pass::kBackwardData:
      run.Must(detopsRulebookConvolutionBackwardData(run.handle(), rulebook.get(), p.inverse, in.gradient.desc(),
                                                     in.gradient.data(), in.filters.desc(), in.filters.data(),
                                                     out.desc(), out.data()));
      break;
    case Pass::kBackwardFilter:
      run.Must(detopsRulebookConvolutionBackwardFilter(run.handle(), rulebook.get(), p.inverse, in.features.desc(),
                                                       in.features.data(), in.gradient.desc(), in.gradient.data(),
                                                       out.desc(), out.data()));
      break;
  }
  run.Result(out);
}

void Fused(Run& run, const Problem& p, bool with_bias, bool with_residual, detopsActivation_t activation) {
  const Input in(run, p);
  Tensor out = NewResult(p, in);
  const Signed bias(run, p.type, {p.channels_out}), residual(run, p.type, out.extents());
  run.Must(detopsIndiceConvolutionForwardFused(
      run.handle(), in.features.desc(), in.features.data(), in.filters.desc(), in.filters.data(),
      in.pairs.indices.desc(), in.pairs.indices.data(), in.pairs.counts.data(), out.extents()[0], p.inverse, 0,
      with_bias ? bias.desc() : nullptr, bias.data(), with_residual ? residual.desc() : nullptr, residual.data(),
      activation, 0.1f, out.desc(), out.data()));
  run.Result(out);
}

std::string NameOf(const char* way, const Problem& p, const std::string& end) {
  return Name({"indice_convolution", way, kPassNames[static_cast<int>(p.pass)], detops_test::ElementName(p.type),
               p.layout.name, std::to_string(p.channels_in) + "x" + std::to_string(p.channels_out),
               p.order == Order::kAscending ? "ascending" : "any", p.inverse != 0 ? "inverse" : "", end});
}

void AddFused(Cases& cases, mluOpDataType_t type) {
  const char* const names[] = {"none", "relu", "leaky_relu"};
  for (const int parts : {1, 2, 3}) {
    const bool bias = parts % 2 == 1, residual = parts >= 2;
    for (const detopsActivation_t activation :
         {DETOPS_ACTIVATION_NONE, DETOPS_ACTIVATION_RELU, DETOPS_ACTIVATION_LEAKY_RELU}) {
      const Problem problem = {Pass::kForward, type, kLayouts[0], 17, 33, 40, Order::kAscending};
      const std::string end = Name({bias ? "bias" : "", residual ? "residual" : "", names[activation]});
      cases.push_back(
          {NameOf("fused", problem, end), [=](Run& run) { Fused(run, problem, bias, residual, activation); }});
    }
  }
}

}  // namespace

void AddIndiceConvolution(Cases& cases) {
  const auto add = [&](const Problem& problem, const char* end) {
    cases.push_back({NameOf("", problem, end), [=](Run& run) { Convolve(run, problem); }});
  };
  for (const mluOpDataType_t type : kTypes) {
    for (const Pass pass : {Pass::kForward, Pass::kBackwardData, Pass::kBackwardFilter}) {
      for (const Layout& layout : kLayouts) {
        for (const Order order : {Order::kAscending, Order::kAny}) {
          add({pass, type, layout, 5, 16, 40, order}, "");
          add({pass, type, layout, 17, 33, 40, order}, "");
        }
      }
      // Of {5, 3} and the next three: forward, the order of additions depends on the length of vectors
      // (docs/numerics.md).
      for (const auto& [in, out] : {std::pair<int64_t, int64_t>(1, 1),
                                    {3, 64},
                                    {64, 3},
                                    {40, 72},
                                    {5, 3},
                                    {16, 3},
                                    {32, 2},
                                    {16, 16},
                                    {24, 64}}) {
        add({pass, type, kLayouts[0], in, out, 40, Order::kAscending}, "");
      }
      // So it does here, for the gradient of the filters.
      if (pass == Pass::kBackwardFilter) add({pass, type, kLayouts[0], 16, 10, 600, Order::kAscending}, "long");
      add({pass, type, kLayouts[0], 16, 32, 1500, Order::kAscending}, "large");
      for (const Order order : {Order::kAscending, Order::kAny}) {
        add({pass, type, kLayouts[2], 17, 33, 40, order, 1}, "");
        for (const int64_t inverse : {0, 1}) {
          const Problem problem = {pass, type, kLayouts[1], 17, 33, 40, order, inverse};
          cases.push_back({NameOf("rulebook", problem, ""), [=](Run& run) { OnRulebook(run, problem); }});
        }
      }
    }
    AddFused(cases, type);
  }
}

}  // namespace detops_golden
