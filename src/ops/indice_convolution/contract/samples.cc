#include "ops/indice_convolution/contract/samples.h"

#include <tuple>

#include "sparse/contract/scene.h"

namespace detops_harness::indice_convolution {
namespace {

struct NamedLayout {
  const char* name;
  Layout layout;
};
constexpr NamedLayout kLayouts[] = {{"ARRAY", {MLUOP_LAYOUT_ARRAY, 5}}, {"NDHWC", {MLUOP_LAYOUT_NDHWC, 5}},
                                    {"NCDHW", {MLUOP_LAYOUT_NCDHW, 5}}, {"ARRAY4", {MLUOP_LAYOUT_ARRAY, 4}},
                                    {"HWCN", {MLUOP_LAYOUT_HWCN, 4}},   {"NHWC", {MLUOP_LAYOUT_NHWC, 4}},
                                    {"NCHW", {MLUOP_LAYOUT_NCHW, 4}}};

constexpr const char* kPairs[] = {"ascending", "crossed",    "shuffled",  "holes",      "random",
                                  "crowded",   "one_output", "one_input", "submanifold"};

// Makes samples in which what is not given takes turns.
class Turns {
 public:
  explicit Turns(bool finish) : finish_(finish) {}

  void Add(const std::string& shape, bool large = false) {
    std::string text = shape;
    const auto add = [&](const std::string& key, const std::string& value) {
      if (shape.find(key + "=") == std::string::npos) text += "," + key + "=" + value;
    };
    add("layout", kLayouts[turn_ % std::size(kLayouts)].name);
    add("pairs", kPairs[turn_ % std::size(kPairs)]);
    add("inverse", turn_ % 4 == 3 ? "1" : "0");
    if (finish_) {
      constexpr const char* kActivations[] = {"none", "relu", "leaky"};
      add("activation", kActivations[turn_ % 3]);
      add("bias", turn_ % 2 == 0 ? "1" : "0");
      add("residual", turn_ / 2 % 2 == 0 ? "1" : "0");
    }
    samples.push_back({text, large});
    ++turn_;
  }

  std::vector<Sample> samples;

 private:
  bool finish_;
  size_t turn_ = 0;
};

}  // namespace

Layout LayoutNamed(const std::string& name) {
  for (const NamedLayout& named : kLayouts) {
    if (name == named.name) return named.layout;
  }
  throw ShapeError("--shape: layout=" + name + " is none of ARRAY, NDHWC, NCDHW, ARRAY4, HWCN, NHWC and NCHW");
}

std::vector<ShapeKey> KeysOf(const Kind& kind) {
  std::vector<ShapeKey> keys = {
      {"ci", "16", "input channels", {"0", "1", "2", "3", "4", "5", "8", "15", "17", "32", "33"}},
      {"co", "16", "output channels", {"0", "1", "2", "3", "7", "8", "9", "16", "31", "48"}},
      {"layout",
       "ARRAY",
       "of the filters: ARRAY, NDHWC, NCDHW; 4-D, the first two axes of the filter as one: ARRAY4, HWCN, NHWC, NCHW",
       {"ARRAY", "NDHWC", "NCDHW", "ARRAY4", "HWCN", "NHWC", "NCHW"}},
      {"filter", "3x3x3", "extents of the kernel", {"1x1x1", "2x1x1", "1x3x1", "3x3x3", "0x1x1", "1x2x2"}},
      {"sites", "1000", "rows of the inputs", {"0", "1", "2", "11", "33", "257"}},
      {"outputs", "1000", "rows of the outputs", {"0", "1", "2", "13", "40", "300"}},
      sparse::PairsKey("ascending"),
      {"inverse", "0", "1: an inverse convolution", {"0", "1"}, false},
      {"subm", "0", "1: submanifold, outputs where inputs are", {"0", "1"}},
      {"specials", "0", "1: NaN and infinities among the numbers", {"0", "1"}}};
  sparse::AddSceneKeys(keys);
  if (!kind.has_finish()) return keys;
  for (const ShapeKey& key : {ShapeKey{"bias", "1", "1: there is a bias", {"0", "1"}},
                              {"residual", "1", "1: there is a residual", {"0", "1"}},
                              {"activation", "none", "none, relu or leaky", {"none", "relu", "leaky"}},
                              {"slope", "0.25", "negative_slope", {"0", "0.25", "-1.5", "3"}}}) {
    keys.push_back(key);
  }
  return keys;
}

std::vector<BenchmarkCase> BenchmarksOf(const Kind& kind) {
  if (!kind.has_data() || kind.entry == Entry::kFused) return {};
  const bool forward = kind.way == Way::kForward;
  if (kind.on_rulebook() && !forward) return {};
  std::string variant = forward ? "forward" : kind.way == Way::kBackwardData ? "backward_data" : "backward_filter";
  if (kind.on_rulebook()) variant = "rulebook_forward";
  const auto settings = kind.on_rulebook() ? BenchmarkCase::kOne : forward ? BenchmarkCase::kAll : BenchmarkCase::kFew;
  const std::string first = ",sites=248636,space=41x1440x1440", last = ",sites=58838,space=5x180x180";
  std::vector<BenchmarkCase> cases;
  // Section 3.7 of the design document, its neighbours in the same network, and the smallest call that makes sense.
  for (const auto& [name, shape, arithmetic] :
       {std::tuple<std::string, std::string, bool>{"subm_5_16", "ci=5,co=16" + first, false},
        {"subm_16_16", "ci=16,co=16" + first, false},
        // As networks have them: sites in the order of the scanner's rays.
        {"subm_5_16_scan", "ci=5,co=16,order=scan" + first, false},
        {"subm_16_16_scan", "ci=16,co=16,order=scan" + first, false},
        {"subm_32_32_scan", "ci=32,co=32,order=scan,sites=100000,space=21x720x720", true},
        {"subm_64_64_scan", "ci=64,co=64,order=scan,sites=50000,space=11x360x360", true},
        {"down_64_128", "ci=64,co=128,sites=149100,space=11x360x360,subm=0,stride=2,pad=0x1x1", true},
        {"subm_128_128", "ci=128,co=128" + last, true},
        {"down_128_128", "ci=128,co=128" + last + ",subm=0,filter=3x1x1,stride=2x1x1,pad=0", true},
        {"subm_100", "ci=16,co=16,sites=100,batch=1,space=41x1440x1440", false}}) {
    cases.push_back({name + "/" + variant, "pairs=scene,voxels=lidar,outputs=0," + shape, "", settings, arithmetic});
    if (cases.back().shape.find("subm=") == std::string::npos) cases.back().shape += ",subm=1";
  }
  return cases;
}

std::vector<Sample> SamplesOf(const Kind& kind) {
  Turns turns(kind.has_finish());
  // No extent of the first equals another with which it could be confused.
  const std::string good = "sites=11,outputs=13,ci=4,co=7,filter=3x5x3,layout=ARRAY,pairs=spread,inverse=0";
  turns.samples.push_back({good});
  if (!kind.has_data()) return turns.samples;
  // Below, at and above the lanes of all instruction sets and types and the tiles made of them.
  constexpr int kChannels[] = {1, 3, 5, 8, 16, 17, 33, 64, 129};
  for (size_t i = 0; i < std::size(kChannels); ++i) {
    for (const size_t step : {0, 1, 4}) {
      turns.Add(Format("sites=21,outputs=19,filter=3x1x1,ci=%d,co=%d", kChannels[i],
                       kChannels[(i + step) % std::size(kChannels)]));
    }
  }
  // Few columns, which some instruction sets multiply with lanes along the channels; and sums of many terms.
  for (const char* channels : {"ci=36,co=2", "ci=2,co=36", "ci=20,co=5", "ci=6,co=24", "ci=512,co=17", "ci=5,co=512",
                               "ci=65,co=97", "ci=64,co=128"}) {
    turns.Add(std::string("sites=61,outputs=57,filter=3x1x1,") + channels);
  }
  for (const char* filter : {"1x1x1", "2x1x1", "2x2x2", "3x3x3", "5x4x4"}) {
    turns.Add(std::string("sites=40,outputs=33,ci=5,co=9,filter=") + filter);
    turns.Add(std::string("sites=40,outputs=33,ci=16,co=16,filter=") + filter);
  }
  // Rows around the blocks of 256 in which they are worked on.
  for (const char* rows : {"sites=1,outputs=1", "sites=1,outputs=300", "sites=300,outputs=1", "sites=257,outputs=255",
                           "sites=513,outputs=257", "sites=127,outputs=2003"}) {
    turns.Add(std::string("ci=17,co=8,filter=1x3x1,") + rows);
    turns.Add(std::string("ci=4,co=6,filter=1x3x1,") + rows);
  }
  for (const char* pairs : kPairs) {
    for (const char* inverse : {"0", "1"}) {
      turns.Add(std::string("sites=301,outputs=280,ci=12,co=13,filter=3x2x1,pairs=") + pairs + ",inverse=" + inverse);
    }
  }
  turns.Add("sites=300,outputs=300,ci=8,co=8,filter=3x3x3,pairs=submanifold,subm=1,inverse=0");
  turns.Add("sites=33,outputs=29,ci=6,co=19,filter=3x1x1,pairs=shuffled,specials=1");
  // Empty tensors.
  for (const char* nothing : {"ci=0", "co=0", "filter=0x1x1", "sites=0", "outputs=0"}) {
    turns.Add(std::string("sites=5,outputs=4,ci=3,co=2,filter=2x1x1,pairs=none,").append(nothing));
  }
  turns.Add("sites=5,outputs=4,ci=0,co=2,filter=2x1x1,pairs=random");
  turns.Add("sites=5000,outputs=5000,ci=16,co=16,filter=3x3x1,pairs=ascending,inverse=0", true);
  turns.Add("sites=5000,outputs=4500,ci=33,co=18,filter=3x1x1,pairs=crossed,inverse=1", true);
  turns.Add("sites=5000,outputs=5000,ci=6,co=40,filter=3x1x1,pairs=crowded,inverse=0", true);
  return turns.samples;
}

}  // namespace detops_harness::indice_convolution
