// The contracts of the functions with compact results, and of the one that counts them.
#include <optional>

#include "ops/roiaware_pool3d/contract/rules.h"

namespace detops_harness::roiaware_pool3d {
namespace {

constexpr BadClass kOverflow = BadClass::kOverflow;
constexpr int64_t kBytes = int64_t{1} << 61;  // elements of 4 bytes whose bytes int64 cannot count

// ---- rules that the count shares with the forward pass ----

Rules GridNumbers() { return Positive({"max_pts_each_voxel", "out_x", "out_y", "out_z"}); }

Rules Something(const std::string& tensor, const std::string& dim, const std::string& text) {
  return WithFaults(NotEmpty({tensor}), {{BadClass::kEmpty, text + " 0", WithDim(dim, 0)}});
}

// Tensors as large as this have no data, so the numbers next to the limits get as far as the data pointers.
Rules Limits() {
  const auto rows = [](const char* tensor, const char* dim, const std::string& what) {
    return RowLimit(tensor, {{kOverflow, "2^31 " + what, WithDim(dim, int64_t{1} << 31)},
                             {kOverflow, "2^62 " + what, WithDim(dim, int64_t{1} << 62), false},
                             {kOverflow, "2^31 - 1 " + what, WithDim(dim, INT32_MAX), false}});
  };
  const auto grid = [](int64_t x, int64_t y, int64_t z) {
    return [=](Call& call) {
      call.integers.at("out_x") = x;
      call.integers.at("out_y") = y;
      call.integers.at("out_z") = z;
    };
  };
  const int64_t many = 1 << 30, most = INT32_MAX;
  Rules rules = rows("pts", "P", "points");
  for (const Rules& more :
       {rows("rois", "B", "boxes"), VoxelLimit({{kOverflow, "bytes that int64 cannot count", grid(many, many, many)},
                                                {kOverflow, "2^93 voxels", grid(most, most, most), false},
                                                {kOverflow, "2^32 + 65536 voxels", grid(65537, 65536, 1), false},
                                                {kOverflow, "3 * 2^31 - 3 voxels", grid(1, 2147483647, 3), false},
                                                {kOverflow, "2^32 voxels", grid(65536, 1, 65536), false}})}) {
    rules.insert(rules.end(), more.begin(), more.end());
  }
  return rules;
}

void TryProfile(Contract& contract) {
  contract.Try(kOverflow, "the contract profile", [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
}

void AddFailures(Contract& contract) {
  contract.Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed")
      .CannotOccur({BadClass::kWorkspace});
}

// ---- the capacities of the forward pass ----

// V rows in all tensors that have them.
Apply WithRows(int64_t rows) {
  return [=](Call& call) {
    WithDim("V", rows)(call);
    call["voxel_begins"].extents = {rows + 1};
  };
}

// "<tensor> has room for <capacity> <what>, expected at least <needed>."
Rules Room(const std::string& tensor, const char* what, const std::function<int64_t(const Call&)>& needed,
           const std::string& text, const std::function<Apply(int64_t)>& with) {
  return Own({"room in " + tensor,
              MLUOP_STATUS_BAD_PARAM,
              [=](Judgement& j) -> std::optional<std::string> {
                const int64_t capacity = j.call[tensor].extents[0], least = needed(j.call);
                if (capacity >= least) return {};
                return Format("%s has room for %lld %s, expected at least %lld.", tensor.c_str(),
                              static_cast<long long>(capacity), what, static_cast<long long>(least));
              },
              {{BadClass::kShapes, text, with(1)},
               {BadClass::kShapes, text, with(0), false},
               {BadClass::kShapes, text, with(21), false},
               {BadClass::kShapes, "just enough", with(22), false}}});
}

int64_t PointsIn(const std::vector<detops_reference::RoiAwareVoxel>& voxels) {
  int64_t points = 0;
  for (const auto& voxel : voxels) points += static_cast<int64_t>(voxel.points.size());
  return points;
}

Rules Rooms() {
  Rules rules = Room(
      "voxels", "voxels", [](const Call& call) { return static_cast<int64_t>(VoxelsOf(call).size()); },
      "too few rows for the voxels", WithRows);
  const Rules points = Room(
      "pts_idx", "points", [](const Call& call) { return PointsIn(VoxelsOf(call)); }, "too little room for the points",
      [](int64_t room) { return WithDim("E", room); });
  rules.insert(rules.end(), points.begin(), points.end());
  return rules;
}

// The maximum needs argmax; with average it is written if it is described.
bool HasArgmax(const Call& call) { return IsMax(call) || call["argmax"].described; }

}  // namespace

Contract MakeCountContract() {
  const Names all = {"rois", "pts"};
  Contract contract("detopsCountRoiAwareVoxels");
  contract.Shape("rois", {"B", 7}).Shape("pts", {"P", 3});
  contract
      .Check("voxel_num, point_num, handle or a descriptor is NULL",
             {PlaceForResult({"voxel_num", "point_num"}), Handle(), Descriptors(all)})
      .Check("the handle has not the full profile", {FullProfile()})
      .Check("rank is not 2", {Ranks(all)})
      .Check("rois is not [B, 7], or pts not [P, 3]", {Shapes(all)})
      .Check("a type is not allowed, or not the same", {Floating({"rois"}), SameType({"pts"}, "rois")})
      .Check("z_origin is none of its values", {ZOrigin()})
      .Check("xy_margin is not finite, or below 0", {XyMargin()})
      .Check("max_pts_each_voxel, out_x, out_y or out_z is not above 0", {GridNumbers()})
      .Check("B or P is 0", {Something("rois", "B", "boxes"), Something("pts", "P", "points")})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("B or P is 2^31 or more, or a box has more than 2^32 voxels", {Limits(), Implied(Counts(all))})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("a number in rois is NaN or Inf", {Finite("rois", "a box")});
  AddFailures(contract);
  contract.CannotOccur({BadClass::kOverlap}, "its results are numbers, written when everything has been read");
  TryProfile(contract);
  TryBoxes(contract);
  AddReasons(contract, true);
  return contract;
}

Contract MakeCompactForwardContract() {
  const Names inputs = {"rois", "pts", "pts_feature"};
  const Names all = {"rois", "pts", "pts_feature", "voxels", "voxel_begins", "pts_idx", "pooled_features"};
  Contract contract("detopsRoiAwarePool3dCompactForward");
  contract.Shape("rois", {"B", 7})
      .Shape("pts", {"P", 3})
      .Shape("pts_feature", {"P", "C"})
      .Shape("voxels", {"V", 4})
      .Shape("voxel_begins", {"V + 1"})
      .Shape("pts_idx", {"E"})
      .Shape("argmax", {"V", "C"})
      .Shape("pooled_features", {"V", "C"})
      .Computed("V + 1", [](const Call& call) {
        const int64_t rows = call["voxels"].extents.at(0);
        return rows == INT64_MAX ? rows : rows + 1;
      });
  // Half: 2^61 elements have bytes that int64 can count, as int32 they have not.
  const Apply half = WithType(MLUOP_DTYPE_HALF), rows = WithRows(int64_t{1} << 40), channels = WithDim("C", 1 << 21);
  const auto bytes_of = [&](const std::string& tensor, const Apply& fault) {
    return WithFaults(Counts({tensor}), {{kOverflow, "2^63 bytes of " + tensor, fault, false}});
  };
  const auto has_data = [](const Call& call) { return HasArgmax(call) && call["argmax"].address != nullptr; };
  contract
      .Check("voxel_num, point_num, handle or a descriptor other than argmax_desc is NULL",
             {PlaceForResult({"voxel_num", "point_num"}), Handle(), Descriptors(all)})
      .Check("the handle has not the full profile", {FullProfile()})
      .Check("ranks are not 2, 2, 2, 2, 1, 1, 2", {Ranks(all)})
      .Check("a shape is not as above, or not that of the tensors before it",
             {Shapes({"rois", "pts", "pts_feature", "voxels", "voxel_begins"}), Implied(Shapes({"pts_idx"})),
              Shapes({"pooled_features"})})
      .Check("a type is not allowed, or not the same",
             {Floating({"rois"}), SameType({"pts", "pts_feature"}, "rois"),
              Int32({"voxels", "voxel_begins", "pts_idx"}), SameType({"pooled_features"}, "rois")})
      .Check("pool_method is not 0 or 1", {Method()})
      .Check("z_origin is none of its values", {ZOrigin()})
      .Check("xy_margin is not finite, or below 0", {XyMargin()})
      .Check("max_pts_each_voxel, out_x, out_y or out_z is not above 0", {GridNumbers()})
      .Check("B, P or C is 0", {Something("rois", "B", "boxes"), Something("pts", "P", "points"),
                                Something("pts_feature", "C", "channels")})
      .Check("a tensor other than argmax is not dense", {Dense(all)})
      .Check("B or P is 2^31 or more, or a box has more than 2^32 voxels", {Limits()})
      .Check(
          "with maximum: argmax_desc is NULL; with maximum, or if argmax_desc is not NULL: argmax has not rank 2, its "
          "shape or int32",
          {When(HasArgmax, Descriptors({"argmax"})), When(HasArgmax, Ranks({"argmax"})),
           When(HasArgmax, Shapes({"argmax"})), When(HasArgmax, Int32({"argmax"}))})
      .Check("argmax is not dense", {When(HasArgmax, Dense({"argmax"}))})
      .Check("a tensor has more than int64 bytes can count",
             {Implied(Counts({"rois", "pts"})), bytes_of("pts_feature", WithDim("C", kBytes)),
              bytes_of("voxels", WithRows(kBytes)), Implied(Counts({"voxel_begins"})), Counts({"pts_idx"}),
              bytes_of("pooled_features", Then(rows, WithDim("C", 1 << 30))),
              When(HasArgmax, bytes_of("argmax", Then(half, Then(rows, channels))))})
      .Check("a data pointer of a tensor with elements is NULL, that of argmax with maximum only",
             {DataOfElements(all), When(IsMax, DataOfElements({"argmax"}))})
      .Check("an output overlaps another tensor",
             {Separate("voxels", inputs), Separate("voxel_begins", {"rois", "pts", "pts_feature", "voxels"}),
              Separate("pts_idx", {"rois", "pts", "pts_feature", "voxels", "voxel_begins"}),
              Separate("pooled_features", {"rois", "pts", "pts_feature", "voxels", "voxel_begins", "pts_idx"}),
              When(has_data, Separate("argmax", all))})
      .Check("a number in rois is NaN or Inf", {Finite("rois", "a box")})
      .Check("V or E is too small, and the message says what is needed", {Rooms()})
      // No test has so much work to do.
      .Check("the voxels hold 2^31 points or more",
             {Implied(Own({"points in voxels", MLUOP_STATUS_NOT_SUPPORTED,
                           [](Judgement&) { return std::optional<std::string>(); }}))});
  AddFailures(contract);
  TryProfile(contract);
  TryExtents(contract, {{"pts", 0}, {"pts_feature", 1}, {"voxels", 0}});
  TryOverlaps(contract, {"voxels", "voxel_begins", "pts_idx", "pooled_features", "argmax"});
  TryBoxes(contract);
  AddReasons(contract, true);
  return contract;
}

// ---- backward ----

namespace {

// The first 20 of 23 lists of the good call are in use; they are one number long, and pts_idx has room for 29.
Rules CompactLists() {
  Faults faults;
  const auto with = [&](const std::string& text, const char* tensor, int64_t element, double value, bool listed) {
    faults.push_back({BadClass::kIndices, text + std::to_string(value), WithElement(tensor, element, value), listed});
  };
  for (const double point : {-1.0, 11.0, 2147483647.0}) with("a listed point is ", "pts_idx", 1, point, true);
  for (const double begin : {-1.0, 0.0, 30.0, 2147483647.0}) with("a begin is ", "voxel_begins", 20, begin, true);
  with("the first begin is ", "voxel_begins", 0, 1, true);
  for (const int64_t element : {0, 19, 20, 28}) {
    for (const double point : {-2147483648.0, -1.0, 0.0, 10.0, 11.0}) {
      with("a listed point is ", "pts_idx", element, point, false);
    }
  }
  for (const int64_t element : {0, 1, 9, 20, 21, 23}) {
    for (const double begin : {-2147483648.0, -1.0, 0.0, 7.0, 9.0, 10.0, 11.0, 25.0, 29.0, 2147483647.0}) {
      with("a begin is ", "voxel_begins", element, begin, false);
    }
  }
  faults.push_back({BadClass::kIndices, "no lists, but they begin with 3", [](Call& call) {
                      call.integers.at("voxel_num") = 0;
                      call["voxel_begins"].Set(0, 3);
                    }});
  return Own({"values of voxel_begins and pts_idx", MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const Tensor &begins = j.call["voxel_begins"], &points = j.call["pts_idx"];
                const int64_t lists = j.call.integer("voxel_num");
                if (begins.stored() <= lists || points.stored() < points.elements()) return {};
                const auto bad = [](const Tensor& tensor, int64_t element, const char* expected) {
                  return tensor.name + PositionText(tensor, element) + " is " + NumberText(tensor.Get(element)) +
                         ", expected " + expected + ".";
                };
                const char* const ascending = "numbers that ascend from 0 to at most the length of pts_idx";
                if (begins.Get(0) != 0) return bad(begins, 0, ascending);
                for (int64_t list = 0; list < lists; ++list) {
                  const auto begin = static_cast<int64_t>(begins.Get(list));
                  const auto end = static_cast<int64_t>(begins.Get(list + 1));
                  if (end < begin || end > points.elements()) return bad(begins, list + 1, ascending);
                  for (int64_t k = begin; k < end; ++k) {
                    const double point = points.Get(k);
                    if (point >= 0 && point < static_cast<double>(j.call["grad_in"].extents[0])) continue;
                    return bad(points, k, "the number of a point in grad_in");
                  }
                }
                return {};
              },
              faults, Checked::kUndefinedIfOff});
}

Rules RowsInUse() {
  const auto rows = [](int64_t value, int64_t entries) {
    return AsAverage([=](Call& call) {
      call.integers.at("voxel_num") = value;
      call["voxel_begins"].extents = {entries};
    });
  };
  const std::string text = "too few begins";
  return Own({"entries of voxel_begins",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t entries = j.call["voxel_begins"].extents[0], lists = j.call.integer("voxel_num");
                if (entries > lists) return {};
                return Format("voxel_begins has %lld entries, expected more than %lld.",
                              static_cast<long long>(entries), static_cast<long long>(lists));
              },
              {{BadClass::kShapes, text, rows(20, 20)},
               {BadClass::kShapes, text, rows(0, 0), false},
               {BadClass::kShapes, text, rows(23, 23), false},
               {BadClass::kShapes, "just enough begins", rows(20, 21), false}}});
}

}  // namespace

Contract MakeCompactBackwardContract() {
  Contract contract("detopsRoiAwarePool3dCompactBackward");
  contract.Shape("voxel_begins", {"entries"})
      .Shape("pts_idx", {"E"})
      .Shape("argmax", {"V", "C"})
      .Shape("grad_out", {"V", "C"})
      .Shape("grad_in", {"P", "C"});
  const auto with_max = [](const Rules& rules) { return When(IsMax, rules); };
  const auto with_average = [](const Rules& rules) { return When(IsAverage, rules, WithInteger("pool_method", 1)); };
  const Names lists = {"voxel_begins", "pts_idx"}, gradients = {"grad_out", "grad_in"};
  const Rules rows = WithFaults(Integer("voxel_num", {[](int64_t value, const Call& call) {
                                                        return value >= 0 && value <= call["grad_out"].extents[0];
                                                      },
                                                      "a number of rows that grad_out has",
                                                      {-1, 24}}),
                                {{BadClass::kSizes, "all rows", WithInteger("voxel_num", 23), false},
                                 {BadClass::kSizes, "2^32 rows", WithInteger("voxel_num", int64_t{1} << 32), false},
                                 {BadClass::kSizes, "2^63 - 1 rows", WithInteger("voxel_num", INT64_MAX), false},
                                 {BadClass::kSizes, "-2^63 rows", WithInteger("voxel_num", INT64_MIN), false}});
  const int64_t many = int64_t{1} << 31;
  const Apply doubles = Then(WithType(MLUOP_DTYPE_DOUBLE), Sized({{"V", int64_t{1} << 40}, {"C", 1 << 20}}));
  const Apply many_rows = Then(WithType(MLUOP_DTYPE_HALF), Sized({{"C", 1}, {"P", many}}));
  contract
      .Check("handle, or a descriptor that the method needs, is NULL",
             {Handle(), with_average(Descriptors(lists)), with_max(Descriptors({"argmax"})), Descriptors(gradients)})
      .Check("the handle has not the full profile", {FullProfile()})
      .Check("pool_method is not 0 or 1", {Method()})
      .Check("ranks are not 1, 1, 2, 2, 2", {with_average(Ranks(lists)), with_max(Ranks({"argmax"})), Ranks(gradients)})
      .Check("a type is not allowed, or not the same", {with_average(Int32(lists)), with_max(Int32({"argmax"})),
                                                        Floating({"grad_out"}), SameType({"grad_in"}, "grad_out")})
      .Check("voxel_num is not in [0, rows of grad_out]", {rows})
      .Check(
          "voxel_begins has not more than voxel_num entries, argmax not the shape of grad_out, or grad_in not as many "
          "columns",
          {with_average(RowsInUse()), Implied(Shapes({"grad_out"})), with_max(Shapes({"argmax"})),
           Axis("grad_in", 1, "C")})
      .Check("P or C is 0", {WithFaults(NotEmpty({"grad_in"}), {{BadClass::kEmpty, "points 0", WithDim("P", 0)},
                                                                {BadClass::kEmpty, "channels 0", WithDim("C", 0)}})})
      .Check("a tensor is not dense", {with_average(Dense(lists)), with_max(Dense({"argmax"})), Dense(gradients)})
      .Check("a tensor has more than int64 bytes can count",
             {with_average(Counts(lists)), with_max(Counts({"argmax"})),
              WithFaults(Counts({"grad_out"}), {{kOverflow, "2^60 doubles", doubles}}),
              WithFaults(Counts({"grad_in"}),
                         {{kOverflow, "bytes that int64 cannot count", Sized({{"C", many}, {"P", many}})}})})
      .Check("a data pointer of a tensor with elements is NULL",
             {with_average(DataOfElements(lists)), with_max(DataOfElements({"argmax"})), DataOfElements(gradients)})
      .Check("grad_in overlaps another tensor",
             {with_average(Separate("grad_in", lists)), with_max(Separate("grad_in", {"argmax"})),
              Separate("grad_in", {"grad_out"})})
      .Check("P is 2^31 or more", {GradientRowLimit(many_rows)})
      .Check("with maximum: a value of argmax is outside [-1, P)",
             {with_max(Winners([](const Call& call) { return call.integer("voxel_num"); }))})
      .Check(
          "with average: voxel_begins does not ascend from 0 to at most E, or a value of pts_idx that it lists is "
          "outside [0, P)",
          {with_average(CompactLists())});
  AddFailures(contract);
  TryProfile(contract);
  TryExtents(contract, {{"grad_out", 1}});
  for (const std::string& list : lists) {
    contract.Try(BadClass::kForm, "type of " + list,
                 AsAverage([=](Call& call) { call[list].type = MLUOP_DTYPE_FLOAT; }));
  }
  AddReasons(contract, false);
  return contract;
}

}  // namespace detops_harness::roiaware_pool3d
