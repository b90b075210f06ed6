// How to call indice_pool.
#include <limits>
#include <memory>

#include "harness/catalogue.h"
#include "harness/pass.h"
#include "ops/indice_pool/contract/rules.h"
#include "ops/indice_pool/reference/reference.h"
#include "sparse/contract/scene.h"

namespace detops_harness::indice_pool {
namespace {

constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;

detops_reference::PoolPairs ReferencePairs(const Call& call) {
  const sparse::Pairs pairs = sparse::PairsOf(call);
  return {pairs.offsets, pairs.columns, pairs.indices, pairs.counts};
}

class Pool : public Function {
 public:
  Pool(bool backward, bool on_rulebook)
      : Function(MakeContract(backward, on_rulebook)), backward_(backward), on_rulebook_(on_rulebook) {}

  detopsProfile_t profile() const override { return DETOPS_PROFILE_FULL; }

  std::vector<ShapeKey> keys() const override {
    std::vector<ShapeKey> keys = {
        {"inputs", "2000", "rows of the inputs", {"0", "1", "2", "11", "20", "255", "257", "600"}},
        {"outputs", "1500", "rows of the outputs", {"0", "1", "2", "13", "20", "256", "513"}},
        {"channels", "16", "of both", {"0", "1", "2", "3", "4", "5", "7", "8", "9", "15", "16", "17", "31", "35"}},
        {"offsets", "27", "of the kernel", {"0", "1", "4", "5", "27"}},
        {"columns", "2000", "of indice_pairs", {"0", "1", "9", "40"}},
        {"method", "maximum", "maximum or average", {"maximum", "average"}},
        {"start", "zero", "of a maximum: zero or lowest", {"zero", "lowest"}},
        sparse::PairsKey("ascending"),
        {"specials", "0", "1: NaN and infinities among the numbers", {"0", "1"}}};
    sparse::AddSceneKeys(keys);
    return keys;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    const std::string pass = backward_ ? "_backward" : "_forward", scene = "pairs=scene,voxels=lidar,outputs=0,subm=0,";
    std::vector<BenchmarkCase> cases;
    // Layers in which a network would pool instead of convolving with a stride.
    for (const auto& [name, shape] : {std::pair<std::string, std::string>{"pool3_c16", "channels=16"},
                                      {"pool3_c64", "channels=64"},
                                      {"pool2_c64", "channels=64,sites=149100,space=11x360x360,filter=2,pad=0"},
                                      {"pool3_100", "channels=16,sites=100,batch=1"}}) {
      for (const std::string method : {"maximum", "average"}) {
        const std::string full_name = name + "/" + method + pass + (on_rulebook_ ? "/rulebook" : "");
        cases.push_back({full_name, scene + "stride=2," + shape + ",method=" + method, "",
                         on_rulebook_ ? BenchmarkCase::kOne : BenchmarkCase::kFew});
      }
    }
    return cases;
  }
  // The gradient of a maximum has two tensors of either side.
  Work WorkOf(const Call& call) const override {
    const Tensor& last = call.tensors.back();
    const auto channels = static_cast<double>(last.extents[1]);
    return {sparse::CountedBytes(call), sparse::CountedPairs(call) * channels, last.type == MLUOP_DTYPE_DOUBLE};
  }

  std::vector<Sample> samples() const override {
    // No extent of the first equals another with which it could be confused.
    std::vector<Sample> samples = {
        {"inputs=11,outputs=13,channels=5,offsets=4,columns=9,method=maximum,start=lowest,pairs=spread"}};
    const std::string ways[] = {"method=maximum,start=zero", "method=maximum,start=lowest", "method=average"};
    size_t way = 0;
    const auto add = [&](const std::string& shape, bool large = false) {
      samples.push_back({shape + "," + ways[way++ % 3], large});
    };
    // Around one, two and four vectors of every instruction set, and beyond.
    for (const char* channels : {"1", "2", "3", "4", "7", "8", "9", "16", "17", "24", "31", "33", "57", "65"}) {
      for (size_t i = 0; i < 2; ++i) {
        add(std::string("inputs=40,outputs=37,offsets=4,columns=50,pairs=random,channels=") + channels);
      }
    }
    // Rows around the blocks of 256 in which they are worked on.
    for (const char* pairs : {"ascending", "crossed", "shuffled", "submanifold", "holes", "one_output", "one_input"}) {
      for (const char* rows : {"inputs=255,outputs=257", "inputs=257,outputs=513", "inputs=1,outputs=256"}) {
        add(std::string(rows) + ",channels=5,offsets=5,columns=260,pairs=" + pairs);
      }
    }
    // Long sums; and more pairs in a block than a worker lists at once (8192), in several blocks.
    for (size_t i = 0; i < 3; ++i) {
      add("inputs=300,outputs=300,channels=6,offsets=3,columns=700,pairs=crowded");
      add("inputs=600,outputs=520,channels=3,offsets=4,columns=20000,pairs=random");
      add("inputs=33,outputs=29,channels=19,offsets=6,columns=33,pairs=shuffled,specials=1");
    }
    // No offsets, no columns, no rows, no channels.
    for (const char* nothing : {"offsets=0,columns=4", "offsets=3,columns=0", "pairs=none", "channels=0"}) {
      add(std::string("inputs=5,outputs=4,channels=3,offsets=3,columns=4,pairs=random,") + nothing);
    }
    for (const char* nothing : {"inputs=0", "outputs=0", "inputs=0,outputs=0,channels=0"}) {
      add(std::string("inputs=5,outputs=4,channels=3,offsets=3,columns=4,pairs=none,") + nothing);
    }
    for (size_t i = 0; i < 3; ++i) add("inputs=5000,outputs=5000,channels=64,offsets=5,columns=5000", true);
    return samples;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t channels = shape.Int("channels");
    const size_t method = shape.Choice("method", {"maximum", "average"});
    const size_t start = shape.Choice("start", {"zero", "lowest"});
    Random random(seed);
    const sparse::Pairs pairs = PairsFor(shape, seed, random);
    const int64_t inputs = pairs.rows[0], outputs = pairs.rows[1];
    const bool specials = shape.Int("specials") != 0;
    // Few different numbers, so that maxima tie.
    Tensor features = Input("features", kArray, type, {inputs, channels});
    for (int64_t i = 0; i < features.elements(); ++i) {
      features.Set(i, static_cast<double>(random.Below(9) - 5) * 0.375);
    }
    if (specials) FillSpecials(features);
    Call call;
    call.integers["method"] = static_cast<int64_t>(method);
    if (!backward_) call.integers["start"] = static_cast<int64_t>(start);
    if (!backward_ && !on_rulebook_) call.integers["num_act_out"] = outputs;
    if (on_rulebook_) {
      sparse::KeepForRulebook(call, pairs);
    } else {
      call.integer_lists["indice_num"] = pairs.counts;
    }
    const Tensor given = sparse::PairsTensor(pairs);
    if (!backward_) {
      call.tensors.push_back(features);
      if (!on_rulebook_) call.tensors.push_back(given);
      call.tensors.push_back(Output("features_out", kArray, type, {outputs, channels}));
      return call;
    }
    Tensor out = Input("features_out", kArray, type, {outputs, channels});
    const std::vector<double> maximum = detops_reference::IndicePoolMaximum(
        {pairs.offsets, pairs.columns, pairs.indices, pairs.counts}, features.Values(), channels, outputs, start == 0);
    for (size_t i = 0; i < maximum.size(); ++i) out.Set(static_cast<int64_t>(i), maximum[i]);
    const bool average = method == DETOPS_POOL_AVERAGE;
    call.tensors.push_back(average ? Absent("features", Access::kRead) : features);
    call.tensors.push_back(average ? Absent("features_out", Access::kRead) : out);
    call.tensors.push_back(Input("output_grad", kArray, type, {outputs, channels}));
    FillSigned(call.tensors.back(), random);
    if (specials) FillSpecials(call.tensors.back());
    if (!on_rulebook_) call.tensors.push_back(given);
    call.tensors.push_back(Output("input_grad", kArray, type, {inputs, channels}));
    return call;
  }

  std::shared_ptr<void> MakeObjects(const Functions& library, const Arguments& a) const override {
    return on_rulebook_ ? sparse::MakeRulebook(library, a) : nullptr;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const auto method = a.integer<detopsPoolMethod_t>("method");
    if (on_rulebook_) {
      const detopsRulebook_t rulebook = a.object<sparse::Rulebook>();
      if (backward_) {
        return Pass(library.detopsRulebookPoolBackward, handle, a, rulebook, method, T{"features"}, T{"features_out"},
                    T{"output_grad"}, T{"input_grad"});
      }
      return Pass(library.detopsRulebookPoolForward, handle, a, rulebook, method,
                  a.integer<detopsMaximumStart_t>("start"), T{"features"}, T{"features_out"});
    }
    if (backward_) {
      return Pass(library.detopsIndicePoolBackward, handle, a, method, T{"features"}, T{"features_out"},
                  T{"output_grad"}, T{"indice_pairs"}, a.integers("indice_num"), T{"input_grad"});
    }
    return Pass(library.detopsIndicePoolForward, handle, a, method, a.integer<detopsMaximumStart_t>("start"),
                T{"features"}, T{"indice_pairs"}, a.integers("indice_num"), a.integer<int64_t>("num_act_out"),
                T{"features_out"});
  }

  Expected Reference(const Call& call) const override {
    const std::string target = backward_ ? "input_grad" : "features_out";
    Expected expected;
    expected.tensors[target] = {};
    if (call[target].elements() == 0) return expected;
    const int64_t channels = call[target].extents[1], rows = call[target].extents[0];
    const detops_reference::PoolPairs pairs = ReferencePairs(call);
    const bool maximum = call.integer("method") == DETOPS_POOL_MAXIMUM;
    const auto values = [&](const char* name) { return call[name].Values(); };
    if (maximum && !backward_) {
      expected.tensors[target] = detops_reference::IndicePoolMaximum(pairs, values("features"), channels, rows,
                                                                     call.integer("start") == DETOPS_MAXIMUM_FROM_ZERO);
      expected.exact.insert(target);
      return expected;
    }
    const detops_reference::PoolSums sums =
        !backward_ ? detops_reference::IndicePoolAverage(pairs, values("features"), channels, rows)
        : maximum  ? detops_reference::IndicePoolMaximumGradient(pairs, values("features"), values("features_out"),
                                                                 values("output_grad"), channels, rows)
                   : detops_reference::IndicePoolAverageGradient(pairs, values("output_grad"), channels, rows,
                                                                 call["output_grad"].extents[0]);
    expected.tensors[target] = sums.values;
    std::vector<double>& magnitudes = expected.magnitudes[target];
    magnitudes = sums.magnitudes;
    // An average is divided at the end, so what leaves the range is its sum.
    const double most = call[target].type == MLUOP_DTYPE_DOUBLE ? std::numeric_limits<double>::max()
                                                                : double{std::numeric_limits<float>::max()};
    for (size_t i = 0; i < magnitudes.size(); ++i) {
      const double terms = static_cast<double>(sums.terms[i]);
      if (!backward_ && magnitudes[i] * terms > most) magnitudes[i] *= terms;
    }
    // A term has a rounding more than its addition: it is divided.
    for (const int64_t terms : sums.terms) expected.terms[target].push_back(terms + 1);
    return expected;
  }

 private:
  static sparse::Pairs PairsFor(const Shape& shape, uint64_t seed, Random& random) {
    if (sparse::IsScene(shape)) return sparse::ScenePairs(shape, seed);
    return sparse::MakePairs(shape, shape.Int("offsets"), shape.Int("columns"), shape.Int("inputs"),
                             shape.Int("outputs"), random);
  }

  bool backward_, on_rulebook_;
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  for (const bool on_rulebook : {false, true}) {
    for (const bool backward : {false, true}) catalogue.Add(std::make_unique<Pool>(backward, on_rulebook));
  }
}

}  // namespace detops_harness::indice_pool
