// The forward pass: what it promises, how to call it, and what must come out.
#include <cmath>
#include <limits>

#include "harness/pass.h"
#include "ops/dynamic_point_to_voxel/contract/contract.h"
#include "ops/dynamic_point_to_voxel/reference/reference.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::dynamic_point_to_voxel {
namespace {

const Names kInputs = {"feats", "coors"};
const Names kOutputs = {"voxel_feats", "voxel_coors", "point2voxel_map", "voxel_points_count", "voxel_num"};
const Names kAll = {"feats",    "coors", "voxel_feats", "voxel_coors", "point2voxel_map", "voxel_points_count",
                    "voxel_num"};

bool IsEmpty(const Call& call) { return AnyEmpty(call, {"feats", "coors"}); }

std::vector<double> CoorsOf(const Call& call) {
  return call["coors"].address == nullptr && !call["coors"].has_data ? std::vector<double>() : call["coors"].Values();
}

// Wanted rows are known only after the points were looked at.
Rules Room() {
  return Own({"room for the voxels",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const Tensor& coors = j.call["coors"];
                // A description may say more than there is, and the call is not carried out then.
                if (!coors.has_data || coors.elements() > coors.stored()) return {};
                std::vector<double> numbers = coors.Values();
                numbers.resize(static_cast<size_t>(coors.elements()));
                const auto needed = std::ssize(detops_reference::ScatterPoints(numbers).voxels);
                const int64_t rows = j.call["voxel_feats"].extents[0];
                if (needed <= rows) return {};
                return Format("voxel_feats has %lld rows, expected at least %lld, one per voxel.",
                              static_cast<long long>(rows), static_cast<long long>(needed));
              },
              {{BadClass::kSizes, "too few rows", WithDim("V", 1)},
               {BadClass::kSizes, "no rows", WithDim("V", 0)},
               {BadClass::kSizes, "too few rows, value checks off",
                [](Call& call) {
                  WithDim("V", 2)(call);
                  call.value_checks = false;
                },
                false}}});
}

std::string NoVoxels(const Call& call) {
  if (call["voxel_num"].Get(0) != 0) return "there are voxels";
  for (const double row : call["point2voxel_map"].Values()) {
    if (row != -1) return "a point has a voxel";
  }
  return "";
}

Contract MakeContract() {
  Contract contract("mluOpDynamicPointToVoxelForward");
  contract.Shape("feats", {"N", "C"})
      .Shape("coors", {"N", "K"})
      .Shape("voxel_feats", {"V", "C"})
      .Shape("voxel_coors", {"V", "K"})
      .Shape("point2voxel_map", {"N"})
      .Shape("voxel_points_count", {"V"})
      .Shape("voxel_num", {1});
  const auto without_data = [](const std::string& dim, const Names& tensors) {
    return [=](Call& call) {
      WithDim(dim, 0)(call);
      if (dim == "N") WithDim("V", 0)(call);
      for (const std::string& tensor : tensors) call[tensor].has_data = false;
    };
  };
  const Rules nothing = Done("no elements", IsEmpty,
                             {{BadClass::kEmpty, "no points", without_data("N", {})},
                              {BadClass::kEmpty, "no columns", without_data("C", {})},
                              {BadClass::kEmpty, "no points, no data", without_data("N", kAll), false},
                              {BadClass::kEmpty, "no columns, no data", without_data("C", kAll), false},
                              {BadClass::kEmpty, "no columns, no map", without_data("C", {"point2voxel_map"}), false},
                              {BadClass::kEmpty, "no columns, no coors", without_data("C", {"coors"}), false}});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(kAll)})
      .Check("a rank is not that of the shapes above", {Ranks(kAll)})
      .Check("a tensor is not dense",
             {Dense({"feats", "coors", "voxel_feats", "voxel_coors", "point2voxel_map", "voxel_points_count"}),
              Implied(Dense({"voxel_num"}))})
      .Check(
          "feats is not float (full profile: nor half, double or bfloat16), coors or point2voxel_map not int32, "
          "voxel_feats not of the type of feats, voxel_coors, voxel_points_count or voxel_num not int32",
          {FloatUnlessFull({"feats"}), Int32({"coors", "point2voxel_map"}), SameType({"voxel_feats"}, "feats"),
           SameType({"voxel_coors"}, "coors"), SameType({"voxel_points_count", "voxel_num"}, "point2voxel_map")})
      .Check("reduce_type is neither maximum nor mean (full profile: nor sum)",
             {Reduction({{MLUOP_REDUCE_DMEAN, MLUOP_REDUCE_DMAX}, "MLUOP_REDUCE_DMEAN or MLUOP_REDUCE_DMAX"})})
      .Check("an extent is not that of the shapes above",
             {Implied(Axis("feats", 0, "N")), Axis("coors", 0, "N"), Axis("point2voxel_map", 0, "N"),
              Implied(Axis("voxel_feats", 0, "V")), Axis("voxel_coors", 0, "V"), Axis("voxel_points_count", 0, "V"),
              Axis("voxel_num", 0, 1), Implied(Axis("feats", 1, "C")), Axis("voxel_feats", 1, "C"),
              Implied(Axis("coors", 1, "K")), Axis("voxel_coors", 1, "K"),
              WithFaults(Axis("coors", 1, 3), {{BadClass::kShapes, "four coordinates", WithDim("K", 4)}})})
      .Check("V is above N", {NoMoreVoxels("voxel_feats")})
      .Check("feats or coors has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts({"feats"}), WithFaults(Counts({"coors"}), {{BadClass::kOverflow, "2^30 points without columns",
                                                                 [](Call& call) {
                                                                   WithDim("C", 0)(call);
                                                                   WithDim("N", 1 << 30)(call);
                                                                 }}})})
      .Check("C is 0 and N is 2^31 or more", {When(IsEmpty, voxels::NumberedRows("feats", "N", true), WithDim("C", 0))})
      // Without columns feats and voxel_feats have no bytes.
      .Check("N or C is 0 and an output or the workspace overlaps another buffer",
             {When(IsEmpty, SeparateOutputs({kOutputs.begin() + 1, kOutputs.end()}, {"coors"}), WithDim("C", 0))})
      .Check("C is 0 and there are more voxels than V",
             {When([](const Call& call) { return call["feats"].extents[1] == 0; }, Room(), WithDim("C", 0))})
      .Check(
          "N or C is 0: the results are as above, but for those whose data pointer is NULL; without coors no point has "
          "a "
          "voxel",
          {nothing})
      .Check("workspace is NULL but workspace_size is not 0", {WorkspacePointer()})
      .Check("a data pointer is NULL", {Data(kAll)})
      .Check("N is 2^31 or more", {voxels::NumberedRows("feats", "N")})
      .Check("an output or the workspace overlaps another buffer", {SeparateOutputs(kOutputs, kInputs)})
      .Check("there are more voxels than V", {Room()})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract.CannotOccur({BadClass::kBatchId, BadClass::kIndices})
      .CannotOccur({BadClass::kNotFinite}, "numbers of feats are data");
  const auto negative = [](Call& call) {
    for (int64_t i = 1; i < call["coors"].elements(); i += 3) call["coors"].Set(i, -1);
  };
  contract.Defines(BadClass::kCoordinates, "negative coordinates: no voxel", negative, NoVoxels)
      .Defines(
          BadClass::kDuplicates, "equal coordinates: one voxel",
          [](Call& call) {
            for (int64_t i = 0; i < call["coors"].elements(); ++i) call["coors"].Set(i, 2);
          },
          [](const Call& call) { return call["voxel_num"].Get(0) == 1 ? "" : "not one voxel"; })
      .Defines(
          BadClass::kEmpty, "no points: no voxels",
          [](Call& call) {
            WithDim("N", 0)(call);
            WithDim("V", 0)(call);
          },
          [](const Call& call) { return call["voxel_num"].Get(0) == 0 ? "" : "there are voxels"; });
  return contract;
}

// Points of more voxels than there are rows go to the voxel of the last row, or to none.
void KeepVoxels(int64_t voxels, Tensor& coors) {
  const detops_reference::ScatteredPoints scattered = detops_reference::ScatterPoints(coors.Values());
  for (size_t point = 0; point < scattered.map.size(); ++point) {
    if (scattered.map[point] < voxels) continue;
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t coordinate = voxels > 0 ? scattered.voxels[static_cast<size_t>(voxels) - 1][axis] : -1;
      coors.Set(static_cast<int64_t>(3 * point + axis), static_cast<double>(coordinate));
    }
  }
}

class Forward : public Function {
 public:
  Forward() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }

  std::vector<ShapeKey> keys() const override {
    return {{"points", "20000", "N", {"0", "1", "2", "11", "63", "64", "65", "600"}},
            {"columns", "4", "C", {"0", "1", "2", "3", "4", "5", "8", "9", "17", "33"}},
            {"voxels", "all", "V: all, as many as points, or a number", {"all", "70", "200"}, false},
            ReduceKey(),
            CoorsKey(),
            {"sites", "16000", "voxels of a scan"},
            {"numbers", "any", "of feats: any, few: many equal ones, special", {"any", "few", "special"}},
            {"workspace", "0", "bytes", {"0", "1", "40"}, false}};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"points=11,columns=5,voxels=9,workspace=40,numbers=few"}};
    const auto add = [&](const std::string& shape, bool large = false) { samples.push_back({shape, large}); };
    for (const char* reduce : {"max", "mean", "sum"}) {
      const std::string with = std::string(",reduce=") + reduce;
      for (const char* columns : {"1", "2", "3", "4", "5", "7", "8", "9", "16", "17", "33"}) {
        add(std::string("points=90,voxels=70,columns=") + columns + with);
      }
      for (const char* coors : {"near", "far", "negative", "one"}) {
        for (const char* numbers : {"any", "few", "special"}) {
          add(std::string("points=300,columns=3,coors=") + coors + ",numbers=" + numbers + with);
        }
      }
      for (const char* points : {"0", "1", "511", "512", "513", "1025"}) {
        add(std::string("columns=6,coors=one,points=") + points + with);
      }
      add("points=30,columns=0" + with);
      add("points=60000,columns=5,coors=scan,sites=9000" + with, true);
      add("points=40000,columns=3,coors=far" + with, true);
    }
    return samples;
  }

  // Pillars of a scan, and CenterPoint with ten sweeps.
  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"max/300000x64", "points=300000,columns=64,coors=scan,sites=100000,numbers=any"},
            {"mean/300000x5", "points=300000,columns=5,coors=scan,sites=150000,reduce=mean,numbers=any", "",
             BenchmarkCase::kFew},
            {"max/60000x64", "points=60000,columns=64,coors=scan,sites=12000,numbers=any", "", BenchmarkCase::kOne}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    return MakeIn(DETOPS_PROFILE_FULL, shape, type, seed);
  }
  Call MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
    const int64_t points = shape.Int("points"), columns = shape.Int("columns"), workspace = shape.Int("workspace");
    const int64_t voxels = shape.Word("voxels") == "all" ? points : shape.Int("voxels");
    if (voxels > points) throw ShapeError("--shape: voxels must not be more than points");
    Call call;
    call.function = this;
    call.profile = profile;
    call.integers = {{"reduce_type", ReduceOf(shape, profile, MLUOP_REDUCE_DMEAN)}, {"workspace_size", workspace}};
    const auto ints = [](const char* name, std::vector<int64_t> extents) {
      return Output(name, kArray, MLUOP_DTYPE_INT32, std::move(extents));
    };
    call.tensors = {Input("feats", kArray, type, {points, columns}),
                    Input("coors", kArray, MLUOP_DTYPE_INT32, {points, 3}),
                    Output("voxel_feats", kArray, type, {voxels, columns}),
                    ints("voxel_coors", {voxels, 3}),
                    ints("point2voxel_map", {points}),
                    ints("voxel_points_count", {voxels}),
                    ints("voxel_num", {1})};
    call.workspace.bytes = static_cast<size_t>(workspace);
    call.workspace.has_data = workspace > 0;
    Random random(seed);
    FillFeatures(shape, call.tensors[0], random);
    FillCoors(shape, call.tensors[1], random);
    KeepVoxels(voxels, call.tensors[1]);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return Pass(library.mluOpDynamicPointToVoxelForward, handle, a, a.integer<mluOpReduceMode_t>("reduce_type"),
                T{"feats"}, T{"coors"}, a.workspace(), a.workspace_size(), T{"voxel_feats"}, T{"voxel_coors"},
                T{"point2voxel_map"}, T{"voxel_points_count"}, T{"voxel_num"});
  }

  Expected Reference(const Call& call) const override {
    const auto mode = static_cast<mluOpReduceMode_t>(call.integer("reduce_type"));
    const int64_t columns = call["feats"].extents[1];
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> feats = columns == 0 ? std::vector<double>() : call["feats"].Values();
    const detops_reference::ScatteredPoints points = detops_reference::ScatterPoints(CoorsOf(call));
    Expected expected;
    std::vector<double>&voxel_feats = expected.tensors["voxel_feats"], &coors = expected.tensors["voxel_coors"],
    &counts = expected.tensors["voxel_points_count"], &map = expected.tensors["point2voxel_map"],
    &magnitudes = expected.magnitudes["voxel_feats"];
    for (size_t row = 0; row < points.voxels.size(); ++row) {
      coors.insert(coors.end(), points.voxels[row].begin(), points.voxels[row].end());
      counts.push_back(static_cast<double>(points.points[row].size()));
      for (int64_t c = 0; c < columns; ++c) {
        magnitudes.emplace_back();
        voxel_feats.push_back(
            detops_reference::ReduceColumn(mode, feats, columns, c, points.points[row], -infinity, &magnitudes.back()));
      }
    }
    map.assign(points.map.begin(), points.map.end());
    const auto fill = [&](const char* tensor, double number) {
      expected.tensors[tensor].resize(static_cast<size_t>(call[tensor].elements()), number);
    };
    fill("voxel_feats", mode == MLUOP_REDUCE_DMAX ? -infinity : 0);
    magnitudes.resize(voxel_feats.size());
    fill("voxel_coors", -1);
    fill("voxel_points_count", 0);
    fill("point2voxel_map", -1);
    expected.tensors["voxel_num"] = {static_cast<double>(points.voxels.size())};
    if (mode == MLUOP_REDUCE_DMAX) {
      expected.exact.insert("voxel_feats");
      expected.magnitudes.clear();
    }
    return expected;
  }

  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& a,
                               size_t* bytes) const override {
    return library.mluOpGetDynamicPointToVoxelForwardWorkspaceSize(handle, a.desc("feats"), a.desc("coors"), bytes);
  }
};

}  // namespace

std::unique_ptr<Function> MakeForward() { return std::make_unique<Forward>(); }

}  // namespace detops_harness::dynamic_point_to_voxel
