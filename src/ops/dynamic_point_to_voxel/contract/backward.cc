// The backward pass: what it promises, how to call it, and what must come out.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/pass.h"
#include "ops/dynamic_point_to_voxel/contract/contract.h"
#include "ops/dynamic_point_to_voxel/reference/reference.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::dynamic_point_to_voxel {
namespace {

using Sentence = std::optional<std::string>;

const Names kInputs = {"grad_voxel_feats",   "feats",    "voxel_feats", "point2voxel_map",
                       "voxel_points_count", "voxel_num"};
const Names kAll = {"grad_voxel_feats",   "feats",     "voxel_feats", "point2voxel_map",
                    "voxel_points_count", "voxel_num", "grad_feats"};

int64_t RowsOf(const Call& call) { return static_cast<int64_t>(call["voxel_num"].Get(0)); }

Rules BytesOfContract() {
  const auto points = [](int64_t count) { return WithDim("N", count); };
  const auto columns = [](int64_t count, bool full) {
    return [=](Call& call) {
      WithDim("C", count)(call);
      if (full) call.profile = DETOPS_PROFILE_FULL;
    };
  };
  return Own({"bytes of a card",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> Sentence {
                const std::vector<int64_t>& extents = j.call["feats"].extents;
                const double bytes = 5 * static_cast<double>(extents[0]) + 20 * static_cast<double>(extents[1]) + 4;
                if (j.call.full() || bytes <= 389120) return {};
                return Format("feats needs %lld bytes, 5 a row and 20 a column and 4, expected at most 389120%s.",
                              static_cast<long long>(bytes), kFullProfileLifts);
              },
              {{BadClass::kOverflow, "77804 points", points(77804)},
               {BadClass::kOverflow, "77779 points", points(77779), false},
               {BadClass::kOverflow, "19453 columns", columns(19453, false)},
               {BadClass::kOverflow, "19453 columns, full profile", columns(19453, true), false},
               {BadClass::kOverflow, "19452 columns", columns(19452, false), false}}});
}

std::vector<ElementRule::Trial> Trials(const std::string& text,
                                       std::initializer_list<std::pair<int64_t, double>> list) {
  std::vector<ElementRule::Trial> trials;
  for (const auto& [index, value] : list) trials.push_back({index, value, text + " " + NumberText(value)});
  return trials;
}

Rules VoxelNumber() {
  return Elements("voxel_num",
                  {[](double value, int64_t, const Call& call) {
                     return value >= 0 && value <= static_cast<double>(call["grad_voxel_feats"].extents[0]);
                   },
                   [](int64_t, const Call&) { return "a number from 0 to the rows of grad_voxel_feats"; },
                   [](const Call&) {
                     return Trials("voxel_num", {{0, -1}, {0, 10}, {0, 8}, {0, 0}, {0, INT32_MIN}, {0, INT32_MAX}});
                   },
                   BadClass::kIndices, Checked::kHarmlessIfOff});
}

Rules Map() {
  return Elements(
      "point2voxel_map",
      {[](double value, int64_t, const Call& call) { return value >= -1 && value < static_cast<double>(RowsOf(call)); },
       [](int64_t, const Call&) { return "-1 or the row of a voxel, below voxel_num"; },
       [](const Call&) {
         return Trials("point2voxel_map", {{2, -2}, {2, 9}, {10, 7}, {2, INT32_MIN}, {2, INT32_MAX}, {2, -1}});
       },
       BadClass::kIndices, Checked::kHarmlessIfOff});
}

Rules Counts() {
  const auto mean = [](Call& call) {
    call.profile = DETOPS_PROFILE_FULL;
    call.integers.at("reduce_type") = MLUOP_REDUCE_DMEAN;
  };
  return When(
      [](const Call& call) { return call.integer("reduce_type") == MLUOP_REDUCE_DMEAN; },
      Elements(
          "voxel_points_count",
          {[](double value, int64_t index, const Call& call) { return value >= 1 || index >= RowsOf(call); },
           [](int64_t, const Call&) { return "a number above 0"; },
           [](const Call&) { return Trials("voxel_points_count", {{1, 0}, {0, -1}, {2, INT32_MIN}, {8, 0}, {7, -5}}); },
           BadClass::kIndices, Checked::kHarmlessIfOff}),
      mean);
}

std::string NotZero(const Call& call) {
  for (const double number : call["grad_feats"].Values()) {
    if (number != 0) return "a point has a gradient";
  }
  return "";
}

Contract MakeContract() {
  Contract contract("mluOpDynamicPointToVoxelBackward");
  contract.Shape("grad_voxel_feats", {"V", "C"})
      .Shape("feats", {"N", "C"})
      .Shape("voxel_feats", {"V", "C"})
      .Shape("point2voxel_map", {"N"})
      .Shape("voxel_points_count", {"V"})
      .Shape("voxel_num", {1})
      .Shape("grad_feats", {"N", "C"});
  const auto nothing = [](const std::string& dim, bool has_data) {
    return [=](Call& call) {
      WithDim(dim, 0)(call);
      if (dim == "N") WithDim("V", 0)(call);
      for (Tensor& tensor : call.tensors) tensor.has_data = has_data;
    };
  };
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(kAll)})
      .Check("a tensor is not dense",
             {Dense({"grad_voxel_feats", "feats", "voxel_feats", "point2voxel_map", "voxel_points_count"}),
              Implied(Dense({"voxel_num"})), Dense({"grad_feats"})})
      .Check(
          "grad_voxel_feats is not float (full profile: nor half, double or bfloat16), feats, voxel_feats or "
          "grad_feats "
          "not of its type, another tensor not int32",
          {FloatUnlessFull({"grad_voxel_feats"}), SameType({"feats", "voxel_feats", "grad_feats"}, "grad_voxel_feats"),
           Int32({"point2voxel_map", "voxel_points_count", "voxel_num"})})
      .Check("a rank is not that of the shapes above", {Ranks(kAll)})
      .Check("an extent is not that of the shapes above",
             {Implied(Shapes({"grad_voxel_feats"})), Axis("feats", 1, "C"), Shapes({"voxel_feats"}),
              Implied(Axis("feats", 0, "N")), Axis("point2voxel_map", 0, "N"), Axis("voxel_points_count", 0, "V"),
              Axis("voxel_num", 0, 1), Shapes({"grad_feats"})})
      .Check("V is above N", {NoMoreVoxels("grad_voxel_feats")})
      .Check("reduce_type is not maximum (full profile: nor mean nor sum)",
             {Reduction({{MLUOP_REDUCE_DMAX}, "MLUOP_REDUCE_DMAX"})})
      .Check("grad_voxel_feats or feats has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {detops_harness::Counts({"grad_voxel_feats", "feats"})})
      .Check("contract profile: 5 * N + 20 * C + 4 is above 389120", {BytesOfContract()})
      .Check("grad_feats has no elements",
             {Done("no elements", [](const Call& call) { return call["grad_feats"].elements() == 0; },
                   {{BadClass::kEmpty, "no points", nothing("N", true)},
                    {BadClass::kEmpty, "no columns", nothing("C", true)},
                    {BadClass::kEmpty, "no points, no data", nothing("N", false), false},
                    {BadClass::kEmpty, "no columns, no data", nothing("C", false), false}})})
      .Check(
          "the data pointer of grad_voxel_feats, voxel_feats or voxel_points_count is NULL and it has elements, or "
          "that "
          "of another tensor is NULL",
          {DataOfElements({"grad_voxel_feats"}), Data({"feats"}), DataOfElements({"voxel_feats"}),
           Data({"point2voxel_map"}), DataOfElements({"voxel_points_count"}), Data({"voxel_num", "grad_feats"})})
      .Check("workspace is NULL but workspace_size is not 0", {WorkspacePointer()})
      .Check("reduce_type is maximum and N is 2^31 or more",
             {When([](const Call& call) { return call.integer("reduce_type") == MLUOP_REDUCE_DMAX; },
                   voxels::NumberedRows("feats", "N"), WithInteger("reduce_type", MLUOP_REDUCE_DMAX))})
      .Check("grad_feats or the workspace overlaps another buffer",
             {Separate("grad_feats", {"grad_voxel_feats", "feats", "voxel_feats", "point2voxel_map",
                                      "voxel_points_count", "voxel_num", "workspace"}),
              Separate("workspace", kInputs)})
      .Check(
          "voxel_num is not in [0, V], a number in point2voxel_map not in [-1, R), or, with a mean, one of the first R "
          "in voxel_points_count below 1 (if value checks are on)",
          {VoxelNumber(), Map(), Counts()})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract.CannotOccur({BadClass::kSizes, BadClass::kBatchId})
      .CannotOccur({BadClass::kCoordinates}, "coordinates are no arguments")
      .CannotOccur({BadClass::kDuplicates}, "numbers may be equal: the first point gets the gradient");
  contract.Defines(
      BadClass::kNotFinite, "a maximum that no point has: nobody gets its gradient",
      [](Call& call) {
        for (int64_t i = 0; i < call["voxel_feats"].elements(); ++i) call["voxel_feats"].Set(i, std::nan(""));
      },
      NotZero);
  return contract;
}

class Backward : public Function {
 public:
  Backward() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }

  std::vector<ShapeKey> keys() const override {
    return {{"points", "10000", "N", {"0", "1", "2", "11", "63", "64", "65", "600"}},
            {"columns", "4", "C", {"0", "1", "2", "3", "4", "5", "8", "9", "17", "33"}},
            {"spare", "0", "rows of the voxels behind the last one", {"0", "1", "5"}, false},
            ReduceKey(),
            CoorsKey(),
            {"sites", "8000", "voxels of a scan"},
            {"numbers", "few", "of feats: any, few: many equal ones, special", {"any", "few", "special"}},
            {"workspace", "0", "bytes", {"0", "1", "40"}, false}};
  }

  std::vector<Sample> samples() const override {
    // 7 voxels and two rows behind them.
    std::vector<Sample> samples = {{"points=11,columns=5,spare=2,workspace=40"}};
    const auto add = [&](const std::string& shape, bool large = false) { samples.push_back({shape, large}); };
    for (const char* reduce : {"max", "mean", "sum"}) {
      const std::string with = std::string(",reduce=") + reduce;
      for (const char* columns : {"1", "2", "3", "4", "5", "7", "8", "9", "16", "17", "33"}) {
        add(std::string("points=90,columns=") + columns + with);
      }
      for (const char* coors : {"near", "far", "negative", "one"}) {
        for (const char* numbers : {"any", "few", "special"}) {
          add(std::string("points=300,columns=3,coors=") + coors + ",numbers=" + numbers + with);
        }
      }
      add("points=0" + with);
      add("points=30,columns=0" + with);
      add("points=60000,columns=5,coors=scan,sites=9000" + with, true);
    }
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"backward/max/300000x64", "points=300000,columns=64,coors=scan,sites=100000,numbers=any", "",
             BenchmarkCase::kFew},
            {"backward/mean/300000x5", "points=300000,columns=5,coors=scan,sites=150000,reduce=mean,numbers=any", "",
             BenchmarkCase::kOne}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    return MakeIn(DETOPS_PROFILE_FULL, shape, type, seed);
  }
  Call MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
    const int64_t points = shape.Int("points"), columns = shape.Int("columns"), workspace = shape.Int("workspace");
    const mluOpReduceMode_t mode = ReduceOf(shape, profile, MLUOP_REDUCE_DMAX);
    Random random(seed);
    Tensor feats = Input("feats", kArray, type, {points, columns});
    Tensor coors = Input("coors", kArray, MLUOP_DTYPE_INT32, {points, 3});
    FillFeatures(shape, feats, random);
    FillCoors(shape, coors, random);
    const detops_reference::ScatteredPoints scattered = detops_reference::ScatterPoints(coors.Values());
    const auto rows = std::ssize(scattered.voxels);
    const int64_t voxels = std::min(points, rows + shape.Int("spare"));
    Call call;
    call.function = this;
    call.profile = profile;
    call.integers = {{"reduce_type", mode}, {"workspace_size", workspace}};
    call.tensors = {Input("grad_voxel_feats", kArray, type, {voxels, columns}),
                    feats,
                    Input("voxel_feats", kArray, type, {voxels, columns}),
                    Input("point2voxel_map", kArray, MLUOP_DTYPE_INT32, {points}),
                    Input("voxel_points_count", kArray, MLUOP_DTYPE_INT32, {voxels}),
                    Input("voxel_num", kArray, MLUOP_DTYPE_INT32, {1}),
                    Output("grad_feats", kArray, type, {points, columns})};
    FillSigned(call.tensors[0], random);
    const std::vector<double> numbers = columns == 0 ? std::vector<double>() : feats.Values();
    for (int64_t row = 0; row < rows; ++row) {
      const std::vector<int64_t>& members = scattered.points[static_cast<size_t>(row)];
      call.tensors[4].Set(row, static_cast<double>(members.size()));
      for (int64_t c = 0; c < columns; ++c) {
        double magnitude = 0;
        call.tensors[2].Set(row * columns + c,
                            detops_reference::ReduceColumn(MLUOP_REDUCE_DMAX, numbers, columns, c, members,
                                                           -std::numeric_limits<double>::infinity(), &magnitude));
      }
    }
    for (int64_t point = 0; point < points; ++point) {
      call.tensors[3].Set(point, static_cast<double>(scattered.map[static_cast<size_t>(point)]));
    }
    call.tensors[5].Set(0, static_cast<double>(rows));
    call.workspace.bytes = static_cast<size_t>(workspace);
    call.workspace.has_data = workspace > 0;
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return Pass(library.mluOpDynamicPointToVoxelBackward, handle, a, a.integer<mluOpReduceMode_t>("reduce_type"),
                T{"grad_voxel_feats"}, T{"feats"}, T{"voxel_feats"}, T{"point2voxel_map"}, T{"voxel_points_count"},
                T{"voxel_num"}, a.workspace(), a.workspace_size(), T{"grad_feats"});
  }

  Expected Reference(const Call& call) const override {
    Expected expected;
    std::vector<double>& grad = expected.tensors["grad_feats"];
    if (call["grad_feats"].elements() == 0) return expected;
    const auto values = [&](const char* tensor) {
      return call[tensor].elements() == 0 ? std::vector<double>() : call[tensor].Values();
    };
    grad = detops_reference::DynamicPointToVoxelGradient(
        {static_cast<mluOpReduceMode_t>(call.integer("reduce_type")), call["feats"].extents[0],
         call["feats"].extents[1], std::clamp<int64_t>(RowsOf(call), 0, call["voxel_feats"].extents[0]),
         values("grad_voxel_feats"), values("feats"), values("voxel_feats"), values("point2voxel_map"),
         values("voxel_points_count")});
    return expected;
  }

  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& a,
                               size_t* bytes) const override {
    return library.mluOpGetDynamicPointToVoxelBackwardWorkspaceSize(
        handle, a.integer<mluOpReduceMode_t>("reduce_type"), a.desc("grad_voxel_feats"), a.desc("feats"),
        a.desc("voxel_feats"), a.desc("point2voxel_map"), a.desc("voxel_points_count"), a.desc("voxel_num"), bytes);
  }
};

}  // namespace

std::unique_ptr<Function> MakeBackward() { return std::make_unique<Backward>(); }

}  // namespace detops_harness::dynamic_point_to_voxel
