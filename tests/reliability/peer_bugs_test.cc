// Bugs of other libraries in similar kernels, by the names that docs/reliability.md and the requirements know: each is
// refused here with a sentence, or gives the right result.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::Fault;
using Functions = std::vector<const char*>;

const Functions kPairs = {"mluOpGetIndicePairs"};
const Functions kConvolutions = {"mluOpIndiceConvolutionForward", "mluOpIndiceConvolutionBackwardData",
                                 "mluOpIndiceConvolutionBackwardFilter", "detopsIndiceConvolutionForwardFused"};
const Functions kAligns = {"mluOpRotatedFeatureAlignForward", "mluOpRotatedFeatureAlignBackward"};
const Functions kPools = {"mluOpPsRoiPoolForward", "mluOpPsRoiPoolBackward", "detopsPsRoiPoolForward",
                          "detopsPsRoiPoolBackward", "mluOpPsRoiPoolForwardWithWorkspace"};
const Functions kPool = {kPools[0]}, kPoolBack = {kPools[1]}, kVision = {kPools[2]}, kVisionBack = {kPools[3]};
const Functions kAware = {"mluOpRoiAwarePool3dForward", "detopsRoiAwarePool3dForward", "detopsCountRoiAwareVoxels",
                          "detopsRoiAwarePool3dCompactForward"};
const Functions kAwareBack = {"mluOpRoiAwarePool3dBackward"}, kCompactBack = {"detopsRoiAwarePool3dCompactBackward"};
const Functions kWinners = {kAwareBack[0], kCompactBack[0]};

// ---- what is refused ----

// A mistake that each of the contracts knows: their changes of a good call, as far as they are refused with a sentence
// that has all the parts, which are split by "...".
struct Refused {
  const char* name;
  Functions functions;
  const char* sentence;
};

// clang-format off: a table
const Refused kRefused[] = {
    {"PeerGetIndicePairs.MmcvSubmanifoldCoordinate9Of4", kPairs, "indices[...2] is 5, expected a coordinate"},
    {"PeerGetIndicePairs.MmcvSubmanifoldCoordinateMinusOne", kPairs, "indices[...3] is -1, expected a coordinate"},
    {"PeerGetIndicePairs.MmcvSubmanifoldBatchMinusOne", kPairs, "indices[...0] is -1, expected a batch id"},
    // There the write lands in the neighbouring block, unseen.
    {"PeerGetIndicePairs.MmcvSubmanifoldBatchOneOfOne", kPairs, "indices[...0] is 2, expected a batch id in [0, 2)"},
    {"PeerGetIndicePairs.MmcvRegularBatchOneOfOne", {"detopsCountIndicePairOutputs"},
     "0] is 2, expected a batch id in [0, 2)"},
    {"PeerGetIndicePairs.MmcvRegularBatchMinusOne", {"detopsCountIndicePairOutputs"}, "0] is -1, expected a batch id"},
    // The same store without a check in the code for graphics cards: every extreme.
    {"PeerGetIndicePairs.MmcvCudaTwinExtremes", kPairs, "indices[... is 2147483647"},
    {"PeerGetIndicePairs.MmcvCudaTwinExtremes", kPairs, "indices[... is -2147483648"},
    // There x = W is the same key as (y + 1, x = 0).
    {"PeerGetIndicePairs.SpconvCoordinateAtTheEndAliasesAnotherSite", kPairs, "indices[...3] is 7...in [0, 7)"},
    {"PeerGetIndicePairs.SpconvIssue406AllPointsOutOfRange", kPairs, "expected a coordinate in"},
    {"PeerGetIndicePairs.Cve2020Nr15197RankOfIndices", kPairs, "indices has rank"},
    {"PeerGetIndicePairs.Cve2020Nr15198ShapeOfIndices", kPairs, "indices has extent...on axis 1"},
    // Room for fewer results than there are.
    {"PeerGetIndicePairs.Cve2021Nr29607RoomForTheSum", kPairs, "out_indices has extent...expected at least"},
    {"PeerGetIndicePairs.Cve2021Nr29609ShapesOfTwoSparseTensors", kPairs, "indice_pairs has extent...as in indices"},
    // Counters for fewer values than the data have.
    {"PeerGetIndicePairs.Cve2021Nr29514RoomForTheCounters", kPairs, "indice_num has extent...as in indice_pairs"},
    // A count that is cut to 32 bits becomes small, or negative.
    {"PeerGetIndicePairs.Cve2020Nr15202CountsOf64Bits", kPairs, "indices has extent 2147483648 on axis 0"},

    // An error instead of a fault.
    {"PeerIndiceConvolution.SpconvIssue727TensorsOfDifferentKinds", kConvolutions, " has type ..., expected ... as ... has."},
    // An index of an index: both rows of every pair are used as rows of tensors.
    {"PeerIndiceConvolution.Cve2020Nr15195DoubleIndexing", kConvolutions, "indice_pairs[4, 0, ... is -2147483648"},
    {"PeerIndiceConvolution.Cve2020Nr15195DoubleIndexing", kConvolutions, "indice_pairs[4, 1, ... is 2147483647"},
    // One past the end.
    {"PeerIndiceConvolution.Cve2021Nr37641GatherPastTheEnd", kConvolutions, "indice_pairs[4, 0, ... is 11"},
    {"PeerIndiceConvolution.Cve2021Nr37635ScatterPastTheEnd", kConvolutions, "indice_pairs[4, 1, ... is 13"},
    // The index fits one of the two arrays that it is used on: 11 rows on one side, 13 on the other.
    {"PeerIndiceConvolution.Cve2021Nr29570OneIndexForTwoArrays", kConvolutions, "[4, 0, ... is 11...in [0, 11)"},
    {"PeerIndiceConvolution.OnnxRuntime27903IndicesAsOffsets", kConvolutions, "indice_pairs[... is -1"},
    // Lengths that the caller tells, larger than what there is, or negative.
    {"PeerIndiceConvolution.Cve2025Nr2998LengthsBeyondTheData", kConvolutions, "indice_num[...expected a count"},
    {"PeerIndiceConvolution.Cve2021Nr29607ChannelsThatDiffer", kConvolutions, "on axis 1, expected C"},
    // An output smaller than what the kernel believes it to be.
    {"PeerIndiceConvolution.Cve2025Nr55558OutputSmallerThanTold", {kConvolutions[0]}, "expected num_act_out"},
    // An index in what was stored and is read back: a rulebook is made of checked pairs only.
    {"PeerIndiceConvolution.Cve2024Nr31584StoredIndicesAreChecked", {"detopsCreateRulebook"},
     "indice_pairs[4, 1, ... is 2147483647"},

    {"PeerRotatedFeatureAlign.MmcvForwardOneNanBox", {kAligns[0]}, "bboxes[... is nan"},
    {"PeerRotatedFeatureAlign.MmcvBackwardOneNanBox", {kAligns[1]}, "bboxes[... is nan"},
    {"PeerRotatedFeatureAlign.MmcvInfiniteBoxes", kAligns, "bboxes[... is inf"},
    {"PeerRotatedFeatureAlign.MmcvInfiniteBoxes", kAligns, "bboxes[... is -inf"},
    {"PeerRotatedFeatureAlign.Cve2021Nr29571LastDimensionOfBoxes", kAligns,
     "bboxes has extent...on axis 3, expected 5"},

    {"PeerPsRoiPool.TorchvisionForwardBatchIndexOneOfOneImage", kVision, "rois[3, 0] is 2, expected a whole number"},
    {"PeerPsRoiPool.TorchvisionForwardBatchIndexMinusOne", kVision, "rois[3, 0] is -1"},
    {"PeerPsRoiPool.TorchvisionBackwardBatchIndexOneOfOneImage", kVisionBack, "rois[3, 0] is 2"},
    {"PeerPsRoiPool.TorchvisionBackwardBatchIndexMinusOne", kVisionBack, "rois[3, 0] is -1"},
    {"PeerPsRoiPool.MluOpsForwardBatchIdUnchecked", kPool, "rois[3, 0] is "},
    {"PeerPsRoiPool.MluOpsBackwardBatchIdUnchecked", kPoolBack, "rois[3, 0] is "},
    // Far outside: as a 32-bit offset they wrap around, as a 64-bit one they lead anywhere.
    {"PeerPsRoiPool.OnnxRuntime27543BatchIndicesAsOffsets", kVision, "rois[3, 0] is 1e+09"},
    {"PeerPsRoiPool.OnnxRuntime27543BatchIndicesAsOffsets", kVision, "rois[3, 0] is nan"},
    {"PeerPsRoiPool.OnnxRuntime27603BatchIndicesBackward", kVisionBack, "rois[3, 0] is 1e+09"},
    {"PeerPsRoiPool.OnnxRuntime27603BatchIndicesBackward", kVisionBack, "rois[3, 0] is inf"},
    // A [K, 5] tensor of other numbers, so that the first column holds no identifiers.
    {"PeerPsRoiPool.TorchvisionIssue4828FirstColumnIsNoIdentifier", kVision, "rois[3, 0] is 1.0000001192092896"},
    // Products of extents beyond 32 bits: refused in the contract, and beyond 63 bits everywhere.
    {"PeerPsRoiPool.TorchvisionIssue8206LargeBatch", kPool,
     "elements, expected fewer than 2147483648; the full profile"},
    {"PeerPsRoiPool.TorchvisionIntProductsOfExtents", kPools, "expected fewer than 2^63 bytes"},
    {"PeerPsRoiPool.TorchvisionIssue9273NanInRois", kPools, "rois[2, 1] is nan"},
    {"PeerPsRoiPool.TorchvisionIssue9273NanInRois", kPools, "rois[2, 4] is nan"},
    // A filter of inputs that are not finite does not help: these become so inside.
    {"PeerPsRoiPool.TorchvisionPull9629FiniteBoxesOverflowInside", kPools,
     "overflow once scaled by spatial_scale = 16"},
    {"PeerPsRoiPool.Cve2021Nr29571LastDimensionOfBoxes", kPools, "rois has extent...on axis 1, expected 5"},
    {"PeerPsRoiPool.Cve2021Nr37669NegativeOrZeroCounts", kPools, "pooled_height = -3"},
    {"PeerPsRoiPool.Cve2021Nr37669NegativeOrZeroCounts", kPools, "output_dim is 0"},
    // A parameter that makes a kernel work for ever.
    {"PeerPsRoiPool.Cve2025Nr2953EndlessPoolSize", kPools, "pooled_height * pooled_width * output_dim = 4294967296"},
    {"PeerPsRoiPool.OnnxRuntime27903IndicesOfTheForwardPass", {kPools[1], kPools[3]},
     "mapping_channel[... is 2147483647"},
    {"PeerPsRoiPool.OnnxRuntime27903IndicesOfTheForwardPass", {kPools[1], kPools[3]}, "mapping_channel[... is -1"},

    {"PeerRoiAwarePool3d.OpenPcdetMaxPointsZero", {kAware[0], kAware[2], kAware[3], kAwareBack[0]},
     "max_pts_each_voxel is 0"},
    // Where the number is an extent, the tensor is named.
    {"PeerRoiAwarePool3d.OpenPcdetMaxPointsZero", {kAware[1]}, "pts_idx_of_voxels has 0 elements"},
    // The winner fits the larger of the two arrays that it is used on.
    {"PeerRoiAwarePool3d.Cve2021Nr29570OneIndexForTwoArrays", kWinners, "argmax[... is 11"},
    {"PeerRoiAwarePool3d.OnnxRuntime27903WinnersAsOffsets", kWinners, "argmax[... is -2"},
    {"PeerRoiAwarePool3d.OnnxRuntime27903WinnersAsOffsets", kWinners, "argmax[... is 2147483647"},
    {"PeerRoiAwarePool3d.Cve2021Nr29569NoElements", {kAware[0]}, "pts_num is 0"},
    {"PeerRoiAwarePool3d.Cve2021Nr29569NoElements", kAwareBack, " 0 rows, expected at least 1"},
    {"PeerRoiAwarePool3d.Cve2021Nr29569NoElements", {kAware[1], kAware[2], kAware[3], kCompactBack[0]}, "0 elements"},
    {"PeerRoiAwarePool3d.Cve2021Nr29576GradientOfAnotherShape", kAwareBack, "grad_out has extent"},
    {"PeerRoiAwarePool3d.Cve2021Nr29577GradientOfAnotherShapeAverage", kAwareBack, "pts_idx_of_voxels has extent"},
    // A count beyond the list that it counts.
    {"PeerRoiAwarePool3d.Cve2020Nr15198CountsBeyondTheList", kAwareBack, "pts_idx_of_voxels[...expected a count"},
    {"PeerRoiAwarePool3d.Cve2021Nr29514ListsBeyondTheirEnd", kCompactBack, "voxel_begins[20] is 2147483647"},
    {"PeerRoiAwarePool3d.Cve2021Nr29571LastDimensionOfBoxes", kAware, "rois has extent...on axis 1, expected 7"}};
// clang-format on

bool HasParts(const std::string& text, const std::string& sentence) {
  size_t place = 0;
  for (size_t begin = 0; begin <= sentence.size();) {
    const size_t end = std::min(sentence.find("...", begin), sentence.size());
    const std::string part = sentence.substr(begin, end - begin);
    place = text.find(part, place);
    if (place == std::string::npos) return false;
    place += part.size();
    begin = end + 3;
  }
  return true;
}

void Expect(const Refused& bug) {
  for (const char* name : bug.functions) {
    SCOPED_TRACE(name);
    const auto& contract = FunctionOf(name).contract();
    const Call good = GoodCall(name);
    int tried = 0;
    const auto try_those_of = [&](const detops_harness::Rule* rule) {
      for (const Fault& fault : contract.FaultsOf(rule, good)) {
        Call call = good;
        fault.apply(call);
        const detops_harness::Answer answer = contract.Judge(detops_harness::PlacedCall(call).call());
        if (answer.undefined || !HasParts(answer.text, bug.sentence)) continue;
        if (++tried <= 3) ExpectRefusedEverywhere(call, answer.status, answer.text);
      }
    };
    for (const detops_harness::Rule& rule : contract.rules()) try_those_of(&rule);
    try_those_of(nullptr);
    EXPECT_GT(tried, 0) << "no contract has a call that is refused so: " << bug.sentence;
  }
}

// ---- what is right instead of refused ----

struct Right {
  const char* name;
  Functions functions;
  std::vector<std::string> shapes;
  std::function<void(Call&)> change = [](Call&) {};
};

using Rows = std::vector<std::pair<int64_t, std::vector<double>>>;
std::function<void(Call&)> With(const char* tensor, const Rows& rows) {
  return [=](Call& call) {
    for (const auto& [row, numbers] : rows) SetRow(call, tensor, row, numbers);
  };
}

// Sites of our own, and rows for all that they may reach: more than needed are filled.
std::function<void(Call&)> WithSites(const std::vector<std::vector<double>>& sites) {
  return [=](Call& call) {
    for (size_t i = 0; i < sites.size(); ++i) SetRow(call, "indices", static_cast<int64_t>(i), sites[i]);
    const detops_harness::Tensor before = call["out_indices"];
    const auto rows = static_cast<int64_t>(27 * sites.size());
    call["out_indices"] = detops_harness::Output(before.name, before.layout, before.type, {rows, 4});
  };
}

constexpr double kMost = std::numeric_limits<float>::max();

void OverflowingBoxes(Call& call) {
  for (int64_t pixel = 0; pixel < 40; ++pixel) {
    const double sign = pixel % 2 == 0 ? 1 : -1, huge = kMost / static_cast<double>(1 + pixel % 3);
    SetRow(call, "bboxes", pixel, {sign * huge, pixel % 5 == 0 ? 1.0 : -huge, huge, sign * huge, 0.3 * sign});
  }
}

// The ends of bins that float arithmetic puts one pixel outside of the map.
void EndsBesidePixels(Call& call) {
  const double scale = call.number("spatial_scale");
  for (int64_t r = 0; r < 40; ++r) {
    const double step = static_cast<double>(r - 20) * 0.49999997;
    SetRow(call, "rois", r, {0, step, step, 7 / scale + step, 10 / scale - step});
  }
}

// Made here, as a shape has no more than two million of anything.
void ManyPoints(Call& call) {
  constexpr int64_t kPoints = 2097152 + 1000;
  call.function->contract().SetDim(call, "pts_num", kPoints);
  call.function->contract().SetDim(call, "channels", 1);
  call["pts"] = detops_harness::Input("pts", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {kPoints, 3});
  call["pts_feature"] = detops_harness::Input("pts_feature", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {kPoints, 1});
  for (const char* output : {"argmax", "pooled_features"}) {
    call[output].bytes = static_cast<size_t>(call[output].byte_count());
  }
  Fill(call, "pts", 100);  // in no box
  for (const int64_t point : {int64_t{0}, int64_t{2097151}, int64_t{2097152}, kPoints - 1}) {
    SetRow(call, "pts", point, std::vector<double>(3, point % 2 == 0 ? 0.25 : -0.25));
  }
}

std::vector<std::string> BothModes(const std::string& shape) { return {shape + ",subm=0", shape + ",subm=1"}; }

// 200 points in one box with 300 voxels on one axis, more than eight bits can count.
Right LongAxis(const char* name, const std::string& out) {
  const std::string shape = "boxes=1,points=200,channels=3,max_pts=9,scene=held,out=" + out;
  return {name, {kAware[0], kAware[3]}, {shape + ",pool=max", shape + ",pool=avg"}};
}

// The contract's functions with these shapes, and the others with all conventions and layouts.
std::vector<Right> AllWays(const Right& bug) {
  std::vector<Right> ways = {{bug.name, {kPools[0], kPools[1]}, bug.shapes, bug.change},
                             {bug.name, {kPools[2], kPools[3]}, {}, bug.change}};
  for (const std::string& shape : bug.shapes) {
    for (const char* convention : {"rfcn", "torchvision", "consistent"}) {
      for (const char* layout : {"NHWC", "NCHW"}) {
        ways[1].shapes.push_back(shape + ",convention=" + convention + ",layout=" + layout);
      }
    }
  }
  return ways;
}

// clang-format off: a table
std::vector<Right> AllRight() {
  std::vector<Right> all = {
      // Sites whose numbers agree in the lower 32 bits: 2048 x 2048 x 1024 = 2^32.
      {"PeerGetIndicePairs.SpconvKeysOf32Bits", kPairs,
       BothModes("sites=5,batch=3,space=2048x2048x1024,filter=3,pad=1"),
       WithSites({{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {2, 0, 0, 0}, {2, 2047, 2047, 1023}})},
      // batch x volume is 2^31 and a bit more; the sign of a 32-bit number changes between these sites.
      {"PeerGetIndicePairs.SpconvIssue607SilentOverflow", kPairs,
       BothModes("sites=4,batch=1,space=1025x1024x2048,filter=3x1x3,pad=1x0x1"),
       WithSites({{0, 0, 0, 0}, {0, 1023, 1023, 2047}, {0, 1024, 0, 0}, {0, 1024, 0, 1}})},
      // Element 0 of a tensor without elements.
      {"PeerGetIndicePairs.Cve2021Nr29569FirstElementOfNothing", kPairs,
       BothModes("sites=0,batch=2,space=4x5x6,filter=3")},

      // There about one row in a hundred is another one in the next run.
      {"PeerIndiceConvolution.SpconvTwoThreadsGiveOtherValues", kConvolutions,
       {"sites=20000,outputs=20000,ci=16,co=16,filter=3x3x3,pairs=submanifold"}},
      // [co, 1, 1, 1, ci] is read as [ci, co] there. The extents differ, so that a confusion shows.
      {"PeerIndiceConvolution.SpconvKernelOfOneReadsItsWeightTransposed", kConvolutions,
       {"sites=37,outputs=37,ci=5,co=9,filter=1x1x1,layout=NDHWC"}},
      // And with equal extents, where nothing but the values can tell.
      {"PeerIndiceConvolution.SpconvKernelOfOneWithSquareWeight", kConvolutions,
       {"sites=37,outputs=37,ci=8,co=8,filter=1x1x1,layout=NDHWC"}},
      // The backward pass asks for a device of another kind there.
      {"PeerIndiceConvolution.SpconvBackwardOnACpu", kConvolutions,
       {"sites=40,outputs=31,ci=7,co=6,filter=3x1x3,pairs=random"}},

      {"PeerRotatedFeatureAlign.MmcvHugeFiniteBoxes", kAligns, {"batch=1,height=4,width=5,channels=9,scale=1,points=5"},
       With("bboxes", {{0, {1e30, 1e30, 4, 4, 0.5}}, {7, {2, 2, 1e30, 1e30, 0.5}}, {19, {-1e30, 2, 1e30, 1, -3}}})},
      // Inf - Inf inside of the kernel: a sample whose place is not a number adds nothing.
      {"PeerRotatedFeatureAlign.Cve2020Nr15266NanMadeInTheKernel", kAligns,
       {"batch=1,height=3,width=3,channels=6,scale=16,points=5"},
       With("bboxes", {{0, {kMost, kMost, kMost, kMost, 0.7853981633974483}},
                       {4, {-kMost, kMost, kMost, -kMost, 1}}, {8, {0, 0, kMost, kMost, 0}}})},
      // "isfinite" of the input is not enough.
      {"PeerRotatedFeatureAlign.TorchvisionPull9629FiniteBoxesOverflowInside", kAligns,
       {"batch=2,height=5,width=4,channels=7,scale=1,points=5"}, OverflowingBoxes},
      // Samples on the last row and column and beyond, next to a page that may not be read.
      {"PeerRotatedFeatureAlign.Cve2021Nr29529RoundingOffByOne", kAligns,
       {"batch=2,height=6,width=9,channels=5,scale=1,points=5,boxes=borders"}},

      LongAxis("PeerRoiAwarePool3d.OpenPcdetOutX300PointsInWrongVoxels", "300x2x2"),
      LongAxis("PeerRoiAwarePool3d.OpenPcdetOutY300HeapOverflow", "2x300x2"),
      LongAxis("PeerRoiAwarePool3d.MmcvAssertThatReleaseBuildsLeaveOut", "2x2x300"),
      // Beyond 4096 x 512 points the kernels there read outside of the points.
      {"PeerRoiAwarePool3d.OpenPcdetMoreThan2097152Points", {kAware[0]}, {""}, ManyPoints}};
  const Right in_all_ways[] = {
      // The size of the box is not a number of 32 bits, and its bins are far larger than the map.
      {"PeerPsRoiPool.Cve2020Nr15266HugeBox", {}, {"batch=1,height=4,width=4,rois=3,pooled=3,dim=2,scale=1"},
       With("rois", {{0, {0, -1e30, -1e30, 1e30, 1e30}}, {1, {0, 0, 0, 1e37, 1e37}},
        {2, {0, 1e30, 1e30, -1e30, -1e30}}})},
      {"PeerPsRoiPool.Cve2021Nr29529RoundingOffByOne", {},
       {"batch=1,height=10,width=7,rois=40,pooled=3,dim=2,scale=0.1",
        "batch=1,height=10,width=7,rois=40,pooled=3,dim=2,scale=0.3333333333333333",
        "batch=1,height=10,width=7,rois=40,pooled=3,dim=2,scale=0.7"}, EndsBesidePixels},
      // Zeros forward, nothing to write backward.
      {"PeerPsRoiPool.Cve2021Nr29533EmptyImage", {}, {"batch=1,height=0,width=7,rois=2,pooled=3,dim=2"}}};
  for (const Right& bug : in_all_ways) {
    for (Right& way : AllWays(bug)) all.push_back(std::move(way));
  }
  return all;
}
// clang-format on

void Expect(const Right& bug) {
  for (const char* name : bug.functions) {
    for (const std::string& shape : bug.shapes) {
      SCOPED_TRACE(name + (", " + shape));
      Call call = shape.empty() ? GoodCall(name) : CallOf(name, shape, FunctionOf(name).full_types().at(0));
      bug.change(call);
      for (const auto kind : {detops_harness::MemoryKind::kAgainstEnd, detops_harness::MemoryKind::kAgainstFront}) {
        ExpectAgreementEverywhere(call, {kind});
      }
    }
  }
}

// All rows of one name.
class PeerBug : public testing::Test {
 public:
  PeerBug(std::string name, const std::vector<Right>& right) : name_(std::move(name)), right_(right) {}
  void TestBody() override {
    for (const Refused& bug : kRefused) {
      if (bug.name == name_) Expect(bug);
    }
    for (const Right& bug : right_) {
      if (bug.name == name_) Expect(bug);
    }
  }

 private:
  const std::string name_;
  const std::vector<Right>& right_;
};

}  // namespace
}  // namespace detops_test

int main(int argc, char** argv) {
  using namespace detops_test;  // NOLINT(google-build-using-namespace)
  testing::InitGoogleTest(&argc, argv);
  const std::vector<Right> right = AllRight();
  std::set<std::string> names;
  for (const Refused& bug : kRefused) names.insert(bug.name);
  for (const Right& bug : right) names.insert(bug.name);
  for (const std::string& name : names) {
    const size_t point = name.find('.');
    testing::RegisterTest(name.substr(0, point).c_str(), name.substr(point + 1).c_str(), nullptr, nullptr, __FILE__,
                          __LINE__, [&name, &right]() -> testing::Test* { return new PeerBug(name, right); });
  }
  return RUN_ALL_TESTS();
}
