// How to call the convolutions, and the making of a rulebook.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "harness/catalogue.h"
#include "harness/pass.h"
#include "ops/indice_convolution/contract/filters.h"
#include "ops/indice_convolution/contract/rules.h"
#include "ops/indice_convolution/contract/samples.h"
#include "ops/indice_convolution/reference/large_reference.h"
#include "sparse/contract/scene.h"

namespace detops_harness::indice_convolution {
namespace {

constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
constexpr int64_t kWorkspace = 64;  // not needed, and not touched

class Convolution : public Function {
 public:
  Convolution(Way way, Entry entry) : Function(MakeContract(way, entry)), kind_{way, entry} {}

  detopsProfile_t profile() const override { return kind_.extension() ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT; }
  bool computes() const override { return kind_.has_data(); }
  std::vector<ShapeKey> keys() const override { return KeysOf(kind_); }
  std::vector<Sample> samples() const override { return SamplesOf(kind_); }

  std::vector<BenchmarkCase> benchmarks() const override { return BenchmarksOf(kind_); }

  void Validate(const Shape& shape) const override {
    for (const char* key : {"ci", "co", "specials"}) shape.Int(key);
    if (sparse::IsScene(shape)) sparse::ValidateScene(shape);
    const std::vector<int> kernel = shape.Ints("filter", 3);
    if (LayoutNamed(shape.Word("layout")).rank == 4 && std::count(kernel.begin(), kernel.end(), 1) == 0) {
      throw ShapeError("--shape: 4-D filters need a filter with an extent of 1, as 1x3x3");
    }
  }
  std::string Summary(const Shape& shape) const override {
    return shape.Word("sites") + ", " + shape.Word("ci") + "->" + shape.Word("co") + ", " + shape.Word("filter") +
           (shape.Int("subm") != 0 ? "" : " stride " + shape.Word("stride")) + ", " + shape.Word("layout");
  }
  std::vector<std::string> Needs() const override {
    if (kind_.entry != Entry::kCall) return {};
    return {MakeContract(kind_.way, Entry::kSize).function()};
  }
  Work WorkOf(const Call& call) const override {
    const FilterSizes sizes = SizesOf(call);
    const double products = sparse::CountedPairs(call) * static_cast<double>(sizes.ci * sizes.co);
    return {sparse::CountedBytes(call), 2 * products, FiltersOf(call).type == MLUOP_DTYPE_DOUBLE};
  }
  Theory TheoryOf(const Call& call) const override {
    const FilterSizes sizes = SizesOf(call);
    const auto ci = static_cast<double>(sizes.ci), co = static_cast<double>(sizes.co);
    const double total = sparse::CountedPairs(call);
    double operations = total * ci * co;
    if (kind_.way == Way::kForward) {
      operations += total * (ci + 2 * co);
      operations += static_cast<double>(call["features_out"].elements() + call["filters"].elements());
    }
    // Only the counted pairs must be read. For the gradient of the data the standard counts all of them.
    return {operations, kind_.way == Way::kBackwardData ? AllBytes(call) : sparse::CountedBytes(call)};
  }

  Call MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    Call call = Function::MakeIn(profile, shape, type, seed);
    if (kind_.way != Way::kBackwardFilter || call.full()) return call;
    // The contract profile reads the gradient in one order, whatever its layout says.
    const int rank = LayoutNamed(shape.Word("layout")).rank;
    call["filters_grad"].extents =
        FilterExtents(kArray, rank, shape.Ints("filter", 3), shape.Int("ci"), shape.Int("co"));
    return call;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const Layout layout = LayoutNamed(shape.Word("layout"));
    const std::vector<int> kernel = shape.Ints("filter", 3);
    const int64_t ci = shape.Int("ci"), co = shape.Int("co");
    const bool inverse = shape.Int("inverse") != 0;
    Random random(seed);
    const sparse::Pairs pairs = PairsFor(shape, int64_t{kernel[0]} * kernel[1] * kernel[2], seed, random);
    const int64_t sites = pairs.rows[0], outputs = pairs.rows[1];
    const TensorNames names = kind_.names();
    const auto tensor = [&](const std::string& name, mluOpTensorLayout_t order, std::vector<int64_t> extents) {
      if (name == names.target) return Output(name, order, type, std::move(extents));
      Tensor made = Input(name, order, type, std::move(extents));
      FillSigned(made, random);
      if (shape.Int("specials") != 0) FillSpecials(made);
      return made;
    };
    Tensor in = tensor(names.in, kArray, {inverse ? outputs : sites, ci});
    Tensor out = tensor(names.out, kArray, {inverse ? sites : outputs, co});
    Tensor filters = tensor(names.filters, layout.layout, FilterExtents(layout.layout, layout.rank, kernel, ci, co));
    Call call;
    call.integers["inverse"] = inverse ? 1 : 0;
    if (kind_.on_rulebook()) {
      sparse::KeepForRulebook(call, pairs);
    } else {
      call.integer_lists["indice_num"] = pairs.counts;
      const bool fixed = kind_.way == Way::kBackwardData && !kind_.has_data();
      if (!fixed) call.integers["sub_m"] = shape.Int("subm") != 0 ? 1 : 0;
    }
    if (kind_.way == Way::kForward && !kind_.on_rulebook()) call.integers["num_act_out"] = out.extents[0];
    if (!kind_.has_data()) call.results["workspace_size"] = 77;
    if (kind_.entry == Entry::kCall) {
      call.workspace.bytes = kWorkspace;
      call.integers["workspace_size"] = kWorkspace;
    }
    for (const std::string& name : kind_.all()) {
      call.tensors.push_back(name == names.in        ? in
                             : name == names.out     ? out
                             : name == names.filters ? filters
                                                     : sparse::PairsTensor(pairs));
    }
    if (kind_.has_finish()) AddFinish(shape, tensor, call);
    return call;
  }

  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& a,
                               size_t* bytes) const override {
    if (kind_.entry == Entry::kCall) return AskSize(library, handle, a, bytes);
    return Function::WorkspaceBytes(library, handle, a, bytes);
  }

  std::shared_ptr<void> MakeObjects(const Functions& library, const Arguments& a) const override {
    return kind_.on_rulebook() ? sparse::MakeRulebook(library, a) : nullptr;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    if (kind_.on_rulebook()) return InvokeOnRulebook(library, handle, a);
    if (kind_.entry == Entry::kSize) {
      ResultPlace<size_t> size(a, "workspace_size");
      return AskSize(library, handle, a, size.get());
    }
    const auto num_act_out = [&] { return a.integer<int64_t>("num_act_out"); };
    const auto inverse = a.integer<int64_t>("inverse"), sub_m = a.integer<int64_t>("sub_m");
    if (kind_.entry == Entry::kFused) {
      return Pass(library.detopsIndiceConvolutionForwardFused, handle, a, T{"features"}, T{"filters"},
                  T{"indice_pairs"}, a.integers("indice_num"), num_act_out(), inverse, sub_m, T{"bias"}, T{"residual"},
                  a.integer<detopsActivation_t>("activation"), a.number("negative_slope"), T{"features_out"});
    }
    if (kind_.way == Way::kForward) {
      return Pass(library.mluOpIndiceConvolutionForward, handle, a, T{"features"}, T{"filters"}, T{"indice_pairs"},
                  a.integers("indice_num"), num_act_out(), inverse, sub_m, a.workspace(), a.workspace_size(),
                  T{"features_out"});
    }
    const bool data = kind_.way == Way::kBackwardData;
    const char* const first = data ? "output_grad" : "features";
    const char* const second = data ? "filters" : "output_grad";
    const auto function =
        data ? library.mluOpIndiceConvolutionBackwardData : library.mluOpIndiceConvolutionBackwardFilter;
    const std::string target = kind_.names().target;
    return Pass(function, handle, a, T{first}, T{second}, T{"indice_pairs"}, a.integers("indice_num"), inverse, sub_m,
                a.workspace(), a.workspace_size(), T{target});
  }

  Expected Reference(const Call& call) const override {
    Expected expected;
    if (!kind_.has_data()) {
      expected.results["workspace_size"] = 0;
      return expected;
    }
    const TensorNames names = kind_.names();
    const Tensor& target = call[names.target];
    if (target.address == nullptr) return expected;
    expected.tensors[names.target] = {};
    if (target.elements() == 0) return expected;
    const FilterSizes sizes = SizesOf(call);
    const detops_reference::FilterLayout layout =
        detops_reference::LayoutOfFilters(LayoutOf(call), sizes.offsets, sizes.ci, sizes.co);
    // A call with an empty tensor has no pairs, whatever they say.
    detops_reference::ConvolutionPairs pairs;
    const bool empty = AnyEmpty(call, kind_.all());
    if (!empty) {
      const sparse::Pairs given = sparse::PairsOf(call);
      pairs = {given.offsets, given.columns, given.indices, given.counts, IsInverse(call)};
    }
    const auto values = [&](const std::string& name) {
      return empty || !call[name].described ? std::vector<double>{} : call[name].Values();
    };
    constexpr double kManyProducts = 1e8;  // from there on the other reference takes minutes
    detops_reference::Sums sums;
    if (!kind_.has_finish() && WorkOf(call).flops > kManyProducts) {
      sums.values = OfScene(pairs, layout, values, target.extents[0]);
    } else if (kind_.way == Way::kForward) {
      const auto of_finish = [&](const char* name) {
        return kind_.has_finish() && call[name].described ? call[name].Values() : std::vector<double>{};
      };
      sums = detops_reference::IndiceConvolutionForward(pairs, layout, values("features"), values("filters"),
                                                        target.extents[0], of_finish("bias"), of_finish("residual"));
    } else if (kind_.way == Way::kBackwardData) {
      sums = detops_reference::IndiceConvolutionBackwardData(pairs, layout, values("output_grad"), values("filters"),
                                                             target.extents[0]);
    } else {
      sums =
          detops_reference::IndiceConvolutionBackwardFilter(pairs, layout, values("features"), values("output_grad"));
    }
    if (kind_.has_finish()) Activate(call, sums);
    expected.tensors[names.target] = std::move(sums.values);
    if (!sums.magnitudes.empty()) {
      expected.magnitudes[names.target] = std::move(sums.magnitudes);
      expected.terms[names.target] = std::move(sums.terms);
    }
    return expected;
  }

 private:
  static sparse::Pairs PairsFor(const Shape& shape, int64_t offsets, uint64_t seed, Random& random) {
    if (sparse::IsScene(shape)) return sparse::ScenePairs(shape, seed);
    const int64_t sites = shape.Int("sites");
    return sparse::MakePairs(shape, offsets, sites, sites, shape.Int("outputs"), random);
  }

  template <class Values>
  std::vector<double> OfScene(const detops_reference::ConvolutionPairs& pairs,
                              const detops_reference::FilterLayout& layout, const Values& values, int64_t rows) const {
    if (kind_.way == Way::kForward) {
      return detops_reference::LargeConvolutionForward(pairs, layout, values("features"), values("filters"), rows);
    }
    if (kind_.way == Way::kBackwardData) {
      return detops_reference::LargeConvolutionBackwardData(pairs, layout, values("output_grad"), values("filters"),
                                                            rows);
    }
    return detops_reference::LargeConvolutionBackwardFilter(pairs, layout, values("features"), values("output_grad"));
  }

  template <class MakeTensor>
  static void AddFinish(const Shape& shape, const MakeTensor& tensor, Call& call) {
    const std::vector<int64_t> extents = call["features_out"].extents;
    const Tensor bias = tensor("bias", kArray, {extents[1]}), residual = tensor("residual", kArray, extents);
    const auto last = call.tensors.end() - 1;
    const Tensor given[] = {shape.Int("bias") != 0 ? bias : Absent("bias", Access::kRead),
                            shape.Int("residual") != 0 ? residual : Absent("residual", Access::kRead)};
    call.tensors.insert(last, std::begin(given), std::end(given));
    call.integers["activation"] = static_cast<int64_t>(shape.Choice("activation", {"none", "relu", "leaky"}));
    call.numbers["negative_slope"] = shape.Real("slope");
  }

  static void Activate(const Call& call, detops_reference::Sums& sums) {
    const auto activation = static_cast<detopsActivation_t>(call.integer("activation"));
    const auto slope = static_cast<double>(static_cast<float>(call.number("negative_slope")));
    for (double& value : sums.values) value = detops_reference::Activate(activation, slope, value);
    if (activation != DETOPS_ACTIVATION_LEAKY_RELU) return;
    for (double& magnitude : sums.magnitudes) magnitude *= std::max(1.0, std::abs(slope));
  }

  mluOpStatus_t InvokeOnRulebook(const Functions& library, mluOpHandle_t handle, Arguments& a) const {
    const detopsRulebook_t rulebook = a.object<sparse::Rulebook>();
    const auto inverse = a.integer<int64_t>("inverse");
    if (kind_.way == Way::kForward) {
      return Pass(library.detopsRulebookConvolutionForward, handle, a, rulebook, inverse, T{"features"}, T{"filters"},
                  T{"bias"}, T{"residual"}, a.integer<detopsActivation_t>("activation"), a.number("negative_slope"),
                  T{"features_out"});
    }
    if (kind_.way == Way::kBackwardData) {
      return Pass(library.detopsRulebookConvolutionBackwardData, handle, a, rulebook, inverse, T{"output_grad"},
                  T{"filters"}, T{"input_grad"});
    }
    return Pass(library.detopsRulebookConvolutionBackwardFilter, handle, a, rulebook, inverse, T{"features"},
                T{"output_grad"}, T{"filters_grad"});
  }

  mluOpStatus_t AskSize(const Functions& library, mluOpHandle_t handle, const Arguments& a, size_t* bytes) const {
    const auto inverse = a.integer<int64_t>("inverse");
    if (kind_.way == Way::kForward) {
      return library.mluOpGetIndiceConvolutionForwardWorkspaceSize(
          handle, a.desc("features"), a.desc("filters"), a.desc("indice_pairs"), a.desc("features_out"),
          a.integers("indice_num"), a.integer<int64_t>("num_act_out"), inverse, a.integer<int64_t>("sub_m"), bytes);
    }
    if (kind_.way == Way::kBackwardData) {
      return library.mluOpGetIndiceConvolutionBackwardDataWorkspaceSize(
          handle, a.desc("output_grad"), a.desc("filters"), a.desc("indice_pairs"), a.desc("input_grad"),
          a.integers("indice_num"), inverse, bytes);
    }
    return library.mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(
        handle, a.desc("features"), a.desc("output_grad"), a.desc("indice_pairs"), a.desc("filters_grad"),
        a.integers("indice_num"), inverse, a.integer<int64_t>("sub_m"), bytes);
  }

  Kind kind_;
};

// Its result is a rulebook, or none: what is in it shows in the convolutions and poolings.
class CreateRulebook : public Function {
 public:
  CreateRulebook() : Function(MakeRulebookContract()) {}

  detopsProfile_t profile() const override { return DETOPS_PROFILE_FULL; }
  std::vector<mluOpDataType_t> full_types() const override { return {MLUOP_DTYPE_INT32}; }
  std::vector<ShapeKey> keys() const override {
    return {{"sites", "1000", "rows of the inputs", {"0", "1", "11", "257"}},
            {"outputs", "1000", "rows of the outputs", {"0", "1", "13", "300"}},
            {"columns", "1000", "of indice_pairs", {"0", "1", "11", "40"}},
            {"offsets", "27", "of the kernel", {"0", "1", "9", "45"}},
            sparse::PairsKey("ascending")};
  }
  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"sites=11,outputs=13,columns=11,offsets=45,pairs=spread"}};
    for (const char* pairs : {"ascending", "crossed", "holes", "random", "crowded", "none"}) {
      samples.push_back({std::string("sites=300,outputs=280,columns=310,offsets=5,pairs=") + pairs});
    }
    for (const char* nothing : {"sites=0", "outputs=0", "offsets=0", "columns=0"}) {
      samples.push_back({std::string("sites=5,outputs=4,columns=6,offsets=3,pairs=ascending,") + nothing});
    }
    samples.push_back({"sites=40000,outputs=40000,columns=40000,offsets=9,pairs=crossed", true});
    return samples;
  }

  Call Make(const Shape& shape, mluOpDataType_t /*type*/, uint64_t seed) const override {
    Random random(seed);
    const int64_t sites = shape.Int("sites", 0, INT32_MAX), outputs = shape.Int("outputs", 0, INT32_MAX);
    const sparse::Pairs pairs =
        sparse::MakePairs(shape, shape.Int("offsets"), shape.Int("columns"), sites, outputs, random);
    Call call;
    call.tensors = {sparse::PairsTensor(pairs)};
    call.integer_lists["indice_num"] = pairs.counts;
    call.integers = {{"num_act_in", sites}, {"num_act_out", outputs}};
    call.results["rulebook"] = 0;
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    static int nowhere;  // its address is no rulebook's
    auto* const mark = reinterpret_cast<detopsRulebook_t>(&nowhere);
    detopsRulebook_t rulebook = mark;
    const mluOpStatus_t status = Pass(library.detopsCreateRulebook, handle, a, T{"indice_pairs"},
                                      a.integers("indice_num"), a.integer<int64_t>("num_act_in"),
                                      a.integer<int64_t>("num_act_out"), a.IsNull("rulebook") ? nullptr : &rulebook);
    if (rulebook == mark) return status;
    size_t bytes = 0;
    library.detopsGetRulebookSize(rulebook, &bytes);
    a.call().results.find("rulebook")->second = bytes > 0 ? 1 : 0;
    library.detopsDestroyRulebook(rulebook);
    return status;
  }

  Expected Reference(const Call& /*call*/) const override {
    Expected expected;
    expected.results["rulebook"] = 1;
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  for (const Way way : {Way::kForward, Way::kBackwardData, Way::kBackwardFilter}) {
    for (const Entry entry : {Entry::kSize, Entry::kCall, Entry::kFused, Entry::kRulebook}) {
      if (entry == Entry::kFused && way != Way::kForward) continue;
      catalogue.Add(std::make_unique<Convolution>(way, entry));
    }
  }
  catalogue.Add(std::make_unique<CreateRulebook>());
}

}  // namespace detops_harness::indice_convolution
