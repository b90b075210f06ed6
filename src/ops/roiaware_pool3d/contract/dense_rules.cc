// The contracts of the functions with dense results.
#include <optional>

#include "ops/roiaware_pool3d/contract/rules.h"

namespace detops_harness::roiaware_pool3d {
namespace {

constexpr BadClass kOverflow = BadClass::kOverflow;
constexpr mluOpStatus_t kLimit = MLUOP_STATUS_NOT_SUPPORTED;

// The names of the extents: those of the arguments, or letters where there are none.
struct Dims {
  std::string B = "boxes_num", P = "pts_num", C = "channels", X = "out_x", Y = "out_y", Z = "out_z",
              M = "max_pts_each_voxel";

  // One of everything.
  Apply Ones() const { return Sized({{B, 1}, {P, 1}, {C, 1}, {X, 1}, {Y, 1}, {Z, 1}, {M, 1}}); }
};

Apply InFull(Apply fault) {
  return Then([](Call& call) { call.profile = DETOPS_PROFILE_FULL; }, std::move(fault));
}

// A limit of the contract profile: "<what> is <value>, expected at most <most>; the full profile lifts this limit."
Rules ContractLimit(const std::string& what, const std::function<int64_t(const Call&)>& value,
                    const std::function<int64_t(const Call&)>& most, const Faults& faults) {
  return Own({what, kLimit,
              [=](Judgement& j) -> std::optional<std::string> {
                if (j.call.full() || value(j.call) <= most(j.call)) return {};
                return Format("%s is %lld, expected at most %lld%s.", what.c_str(),
                              static_cast<long long>(value(j.call)), static_cast<long long>(most(j.call)),
                              kFullProfileLifts);
              },
              faults});
}

// Of one argument: the first number above the limit, and those around it.
Rules ArgumentLimit(const std::string& argument, const std::string& text, int64_t listed, int64_t most,
                    const Faults& more = {}, const std::function<int64_t(const Call&)>& most_of = {}) {
  Faults faults = {{kOverflow, text, WithDim(argument, listed)},
                   {kOverflow, text, WithDim(argument, most + 1), false},
                   {kOverflow, text, InFull(WithDim(argument, most + 1)), false},
                   {kOverflow, "just not " + text, WithDim(argument, most), false}};
  faults.insert(faults.end(), more.begin(), more.end());
  return ContractLimit(
      argument, [=](const Call& call) { return call.integer(argument); },
      most_of ? most_of : [=](const Call&) { return most; }, faults);
}

// An argument that must be above 0. Tensors agree with it, so none is negative.
Rules AboveZero(const std::string& argument, BadClass bad_class, const std::string& text) {
  return WithFaults(Positive({argument}), {{bad_class, text, WithDim(argument, 0)}});
}

Rules GridAboveZero() {
  Rules rules;
  for (const char* argument : {"max_pts_each_voxel", "out_x", "out_y", "out_z"}) {
    const Rules one = AboveZero(argument, BadClass::kSizes, std::string(argument) + " 0");
    rules.insert(rules.end(), one.begin(), one.end());
  }
  return rules;
}

// The lists, with a grid of 2^90 voxels.
Rules ListCounts(const Dims& n) {
  const int64_t many = 1 << 30;
  return WithFaults(Counts({"pts_idx_of_voxels"}), {{kOverflow, "bytes that int64 cannot count",
                                                     InFull(Sized({{n.X, many}, {n.Y, many}, {n.Z, many}}))}});
}

// A tensor of one row per voxel, which has more channels than the lists have slots.
Rules RowCounts(const std::string& tensor, const Dims& n) {
  const auto rows = [&](int64_t voxels) { return Then(n.Ones(), Sized({{n.Z, voxels}, {n.C, 1 << 15}})); };
  return WithFaults(Counts({tensor}), {{kOverflow, "2^31 elements of " + tensor, rows(1 << 16), false},
                                       {kOverflow, "2^31 elements of " + tensor, InFull(rows(1 << 16)), false},
                                       {kOverflow, "fewer elements of " + tensor, rows((1 << 16) - 1), false}});
}

// ---- argmax of the forward pass ----

// With average it is written if it is there, as its descriptor says.
bool FillsArgmax(const Call& call) {
  return !IsMax(call) && call["argmax"].described && call["argmax"].address != nullptr;
}

// Half: 2^61 elements have bytes that int64 can count, as int32 they have not.
Rules ArgmaxBytes(const Dims& n) {
  const Apply winners =
      Then(Then(WithType(MLUOP_DTYPE_HALF), Then(n.Ones(), Sized({{n.X, 1 << 30}, {n.Y, 1 << 29}, {n.C, 4}}))),
           Inside({"pts_idx_of_voxels", "pooled_features", "argmax"}, "rois"));
  Rules rules = When(IsMax, WithFaults(Counts({"argmax"}), {{kOverflow, "2^63 bytes of argmax", InFull(winners)}}));
  const auto zeros = [](int64_t extent) {
    return AsAverage(
        Then(Inside({"argmax"}, "rois"), [=](Call& call) { call["argmax"].extents = {extent, 1 << 30, 1}; }));
  };
  const Rules filled = Own({"bytes of argmax that is filled",
                            kLimit,
                            [](Judgement& j) -> std::optional<std::string> {
                              if (!FillsArgmax(j.call) || j.call["argmax"].byte_count() != INT64_MAX) return {};
                              return "argmax is too large, expected fewer than 2^63 bytes.";
                            },
                            {{kOverflow, "2^63 zeros", zeros(int64_t{1} << 31)},
                             {kOverflow, "fewer zeros", zeros((int64_t{1} << 31) - 1), false}}});
  rules.insert(rules.end(), filled.begin(), filled.end());
  return rules;
}

// Addresses for tensors that no machine holds.
Rules ForwardLimits(const Dims& n, bool extension) {
  const Apply small = Then(WithType(MLUOP_DTYPE_HALF), n.Ones());
  const Names outputs = {"argmax", "pts_idx_of_voxels", "pooled_features"};
  const int64_t many = int64_t{1} << 31;
  const Rules points = RowLimit(
      "pts", {{kOverflow, "2^31 points", Then(small, Then(WithDim(n.P, many), Reserved({"pts", "pts_feature"})))}});
  const Rules boxes = RowLimit(
      "rois",
      {{kOverflow, "2^31 boxes", Then(small, Then(WithDim(n.B, many), Then(Reserved(outputs), Reserved({"rois"}))))}});
  const auto grid = [&](int64_t width) {
    return InFull(Then(small, Then(Sized({{n.X, width}, {n.Y, 65536}}), Reserved(outputs))));
  };
  Rules rules = extension ? points : Implied(points);
  for (const Rules& more :
       {extension ? boxes : Implied(boxes), VoxelLimit({{kOverflow, "2^32 + 65536 voxels", grid(65537)},
                                                        {kOverflow, "2^32 voxels", grid(65536), false}})}) {
    rules.insert(rules.end(), more.begin(), more.end());
  }
  return rules;
}

}  // namespace

Contract MakeForwardContract(const std::string& function, bool extension) {
  const Dims n = extension ? Dims{"B", "P", "C", "X", "Y", "Z", "M"} : Dims();
  const Names inputs = {"rois", "pts", "pts_feature"};
  const Names all = {"rois", "pts", "pts_feature", "pts_idx_of_voxels", "pooled_features"};
  Contract contract = Named(function);
  contract.Shape("rois", {n.B, 7})
      .Shape("pts", {n.P, 3})
      .Shape("pts_feature", {n.P, n.C})
      .Shape("pts_idx_of_voxels", {n.B, n.X, n.Y, n.Z, n.M})
      .Shape("pooled_features", {n.B, n.X, n.Y, n.Z, n.C})
      .Shape("argmax", {n.B, n.X, n.Y, n.Z, n.C});
  contract.Check("handle or a descriptor other than argmax_desc is NULL", {Handle(), Descriptors(all)});
  if (extension) contract.Check("the handle has not the full profile", {FullProfile()});
  contract.Check("ranks are not 2, 2, 2, 5, 5", {Ranks(all)})
      .Check(extension ? "a shape is not as above, or not that of the tensors before it"
                       : "a shape does not agree with the arguments",
             {Shapes(all)})
      .Check("a type is not allowed, or not the same",
             {Floating({"rois"}), SameType({"pts", "pts_feature"}, "rois"), Int32({"pts_idx_of_voxels"}),
              SameType({"pooled_features"}, "rois")})
      .Check("pool_method is not 0 or 1", {Method()});
  if (extension) {
    contract.Check("z_origin is none of its values", {ZOrigin()})
        .Check("xy_margin is not finite, or below 0", {XyMargin()})
        .Check(
            "rois, pts, pts_feature or pts_idx_of_voxels has no elements",
            {WithFaults(NotEmpty({"rois"}), {{BadClass::kEmpty, "boxes 0", WithDim(n.B, 0)}}),
             WithFaults(NotEmpty({"pts"}), {{BadClass::kEmpty, "points 0", WithDim(n.P, 0)}}),
             WithFaults(NotEmpty({"pts_feature"}), {{BadClass::kEmpty, "channels 0", WithDim(n.C, 0)}}),
             WithFaults(NotEmpty({"pts_idx_of_voxels"}), {{BadClass::kSizes, "max_pts_each_voxel 0", WithDim(n.M, 0)},
                                                          {BadClass::kSizes, "out_x 0", WithDim(n.X, 0)},
                                                          {BadClass::kSizes, "out_y 0", WithDim(n.Y, 0)},
                                                          {BadClass::kSizes, "out_z 0", WithDim(n.Z, 0)}})});
  } else {
    contract.Check("boxes_num, pts_num, channels, max_pts_each_voxel, out_x, out_y or out_z is not above 0",
                   {AboveZero(n.B, BadClass::kEmpty, "boxes 0"), AboveZero(n.P, BadClass::kEmpty, "points 0"),
                    AboveZero(n.C, BadClass::kEmpty, "channels 0"), GridAboveZero()});
  }
  contract.Check("a tensor is not dense",
                 {Dense(inputs), When([](const Call& call) { return call["argmax"].described; }, Dense({"argmax"})),
                  Dense({"pts_idx_of_voxels", "pooled_features"})});
  if (extension) {
    contract.Check("a tensor other than argmax has more than int64 bytes can count",
                   {Counts(inputs), ListCounts(n), Counts({"pooled_features"})});
  } else {
    const auto points_of = [](int64_t most) {
      return Then(WithType(MLUOP_DTYPE_HALF), WithDim("max_pts_each_voxel", most));
    };
    const auto pairs = [&](int64_t boxes, int64_t points) {
      return Then(n.Ones(), Sized({{n.B, boxes}, {n.P, points}}));
    };
    contract
        .Check(
            "contract profile: boxes_num or channels is 65536 or more, or max_pts_each_voxel above 2976 (half: 2944)",
            {ArgumentLimit(n.B, "65536 boxes", 65536, 65535), ArgumentLimit(n.C, "65536 channels", 65536, 65535),
             ArgumentLimit(n.M, "2977 points per voxel", 2977, 2976,
                           {{kOverflow, "2945 points per voxel, half", points_of(2945)},
                            {kOverflow, "2944 points per voxel, half", points_of(2944), false}},
                           [](const Call& call) { return call["rois"].type == MLUOP_DTYPE_HALF ? 2944 : 2976; })})
        .Check(
            "a tensor other than argmax has 2^31 elements or more (full profile: more than int64 bytes can count)",
            {Implied(Counts({"rois"})), Counts({"pts", "pts_feature"}), ListCounts(n), RowCounts("pooled_features", n)})
        .Check("contract profile: boxes_num * pts_num is 2^31 or more",
               {ContractLimit(
                   "boxes_num * pts_num",
                   [](const Call& call) { return call.integer("boxes_num") * call.integer("pts_num"); },
                   [](const Call&) { return int64_t{INT32_MAX}; },
                   {{kOverflow, "2^31 boxes x points", pairs(1 << 11, 1 << 20)},
                    {kOverflow, "2^31 boxes x points, full profile", InFull(pairs(1 << 11, 1 << 20)), false},
                    {kOverflow, "fewer boxes x points", pairs(1 << 15, (1 << 16) - 1), false}})})
        .Check("workspace is NULL and workspace_size is not 0", {WorkspacePointer()});
  }
  const Names spaces = extension ? Names{} : Names{"workspace"};
  const auto others = [&](Names names) {
    names.insert(names.end(), spaces.begin(), spaces.end());
    return names;
  };
  const Rules workspace = When([](const Call& call) { return call.workspace.address != nullptr; },
                               extension ? Rules{} : Separate("workspace", inputs));
  contract.Check("a data pointer other than argmax is NULL", {Data(all)})
      .Check("with maximum: argmax_desc is NULL, or argmax has not rank 5, its shape or int32",
             {When(IsMax, Descriptors({"argmax"})), When(IsMax, Ranks({"argmax"})), When(IsMax, Shapes({"argmax"})),
              When(IsMax, Int32({"argmax"}))})
      .Check("argmax, if it is written, has more than int64 bytes can count", {ArgmaxBytes(n)})
      .Check("with maximum: argmax is NULL", {When(IsMax, Data({"argmax"}))})
      .Check(extension ? "an output overlaps another tensor" : "an output or the workspace overlaps another tensor",
             {Separate("pts_idx_of_voxels", others(inputs)),
              Separate("pooled_features", others({"rois", "pts", "pts_feature", "pts_idx_of_voxels"})),
              When([](const Call& call) { return IsMax(call) || FillsArgmax(call); },
                   Separate("argmax", others({"rois", "pts", "pts_feature", "pts_idx_of_voxels", "pooled_features"}))),
              workspace})
      .Check("a number in rois is NaN or Inf", {Finite("rois", "a box")})
      .Check(
          extension ? "B or P is 2^31 or more, or a box has more than 2^32 voxels" : "a box has more than 2^32 voxels",
          {ForwardLimits(n, extension)})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  if (extension) {
    TryExtents(contract, {{"rois", 0},
                          {"pts", 0},
                          {"pts_feature", 1},
                          {"pts_idx_of_voxels", 1},
                          {"pts_idx_of_voxels", 2},
                          {"pts_idx_of_voxels", 3}});
    contract.Try(kOverflow, "the contract profile", [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; })
        .CannotOccur({BadClass::kWorkspace});
  } else {
    const auto space = [](int64_t bytes, const std::string& inside) {
      return [=](Call& call) {
        call.integers.at("workspace_size") = bytes;
        call.workspace.has_data = !inside.empty();
        call.workspace.inside = inside;
      };
    };
    contract.Try(BadClass::kWorkspace, "NULL with a size", space(64, ""))
        .Try(BadClass::kOverlap, "workspace in pooled_features", space(4, "pooled_features"));
  }
  TryOverlaps(contract, {"pts_idx_of_voxels", "pooled_features", "argmax"});
  TryBoxes(contract);
  AddReasons(contract, true);
  return contract;
}

// ---- backward ----

namespace {

// Two points or more are listed in every voxel of the good call, which has 8 slots each.
Rules Lists() {
  Faults faults;
  const auto with = [&](const std::string& text, int64_t element, double value, bool listed) {
    faults.push_back(
        {BadClass::kIndices, text + std::to_string(value), WithElement("pts_idx_of_voxels", element, value), listed});
  };
  for (const double point : {-1.0, 11.0, 2147483647.0}) with("a listed point is ", 1, point, true);
  for (const double count : {-1.0, 8.0, 2147483647.0}) with("a count of 8 slots is ", 8, count, true);
  for (const double point : {-2147483648.0, 10.0, 0.0, 12.0}) {
    for (const int64_t element : {2, 7, 119 * 8 + 2}) with("a listed point is ", element, point, false);
  }
  for (const double count : {7.0, 0.0, -2147483648.0, 9.0}) {
    for (const int64_t element : {0, 119 * 8}) with("a count of 8 slots is ", element, count, false);
  }
  return Own({"values of pts_idx_of_voxels", MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const Tensor& lists = j.call["pts_idx_of_voxels"];
                const int64_t slots = lists.extents[4];
                if (lists.stored() < lists.elements()) return {};
                const auto bad = [&](int64_t element, const char* expected) {
                  return "pts_idx_of_voxels" + PositionText(lists, element) + " is " + NumberText(lists.Get(element)) +
                         ", expected " + expected + ".";
                };
                for (int64_t list = 0; list < lists.elements(); list += slots) {
                  const auto count = static_cast<int64_t>(lists.Get(list));
                  if (count < 0 || count >= slots) return bad(list, "a count in [0, max_pts_each_voxel - 1]");
                  for (int64_t k = 1; k <= count; ++k) {
                    const double point = lists.Get(list + k);
                    if (point >= 0 && point < static_cast<double>(j.call["grad_in"].extents[0])) continue;
                    return bad(list + k, "the number of a point in grad_in");
                  }
                }
                return {};
              },
              faults, Checked::kUndefinedIfOff});
}

}  // namespace

Contract MakeBackwardContract(const std::string& function) {
  const Dims n{.P = "P"};
  const Names all = {"pts_idx_of_voxels", "argmax", "grad_out", "grad_in"};
  Contract contract = Named(function);
  contract.Shape("pts_idx_of_voxels", {n.B, n.X, n.Y, n.Z, n.M})
      .Shape("argmax", {n.B, n.X, n.Y, n.Z, n.C})
      .Shape("grad_out", {n.B, n.X, n.Y, n.Z, n.C})
      .Shape("grad_in", {n.P, n.C});
  const Rules rows = Own({"rows of grad_in",
                          MLUOP_STATUS_BAD_PARAM,
                          [](Judgement& j) -> std::optional<std::string> {
                            if (j.call["grad_in"].extents[0] > 0) return {};
                            return "grad_in has 0 rows, expected at least 1.";
                          },
                          {{BadClass::kEmpty, "points 0", WithDim(n.P, 0)}}});
  const Apply doubles =
      InFull(Then(WithType(MLUOP_DTYPE_DOUBLE), Then(n.Ones(), Sized({{n.X, 1 << 30}, {n.Y, 1 << 30}}))));
  const Apply many_rows = InFull(Then(WithType(MLUOP_DTYPE_HALF), Sized({{n.C, 1}, {n.P, int64_t{1} << 31}})));
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("ranks are not 5, 5, 5, 2", {Ranks(all)})
      .Check("a shape does not agree with the arguments",
             {Shapes({"pts_idx_of_voxels", "argmax", "grad_out"}), Axis("grad_in", 1, n.C)})
      .Check("a type is not allowed, or not the same",
             {Int32({"pts_idx_of_voxels", "argmax"}), Floating({"grad_out"}), SameType({"grad_in"}, "grad_out")})
      .Check("pool_method is not 0 or 1", {Method()})
      .Check("boxes_num, P, channels, max_pts_each_voxel, out_x, out_y or out_z is not above 0",
             {AboveZero(n.B, BadClass::kEmpty, "boxes 0"), rows, AboveZero(n.C, BadClass::kEmpty, "channels 0"),
              GridAboveZero()})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("contract profile: boxes_num or channels is 65536 or more, or max_pts_each_voxel above 2048",
             {ArgumentLimit(n.B, "65536 boxes", 65536, 65535), ArgumentLimit(n.C, "65536 channels", 65536, 65535),
              ArgumentLimit(n.M, "2977 points per voxel", 2977, 2048)})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {ListCounts(n), RowCounts("argmax", n),
              WithFaults(Counts({"grad_out"}), {{kOverflow, "2^60 doubles", doubles}}), Counts({"grad_in"})})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("grad_in overlaps another tensor", {Separate("grad_in", {"pts_idx_of_voxels", "argmax", "grad_out"})})
      .Check("P is 2^31 or more", {GradientRowLimit(many_rows)})
      .Check("with maximum: a value of argmax is outside [-1, P)",
             {When(IsMax, Winners([](const Call& call) {
                     const int64_t channels = call["argmax"].extents[4];
                     return channels == 0 ? 0 : call["argmax"].elements() / channels;
                   }))})
      .Check(
          "with average: a count of pts_idx_of_voxels is outside [0, max_pts_each_voxel - 1], or a listed point is "
          "outside [0, P)",
          {When(IsAverage, Lists(), WithInteger("pool_method", 1))})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed")
      .CannotOccur({BadClass::kWorkspace});
  AddReasons(contract, false);
  return contract;
}

}  // namespace detops_harness::roiaware_pool3d
