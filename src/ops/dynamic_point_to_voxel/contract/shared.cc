#include <algorithm>

#include "harness/catalogue.h"
#include "ops/dynamic_point_to_voxel/contract/contract.h"

namespace detops_harness::dynamic_point_to_voxel {
namespace {

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

bool IsKnown(int64_t mode) { return mode >= MLUOP_REDUCE_DSUM && mode <= MLUOP_REDUCE_DMAX; }

}  // namespace

Rules Reduction(const Reductions& known) {
  Faults faults;
  for (const int64_t mode : {-1, 0, 1, 3}) {
    for (const bool full : {false, true}) {
      const bool wrong = !IsKnown(mode) || !full;
      faults.push_back({BadClass::kEnumerator, "reduce_type " + std::to_string(mode) + (full ? ", full profile" : ""),
                        [=](Call& call) {
                          call.integers.at("reduce_type") = mode;
                          if (full) call.profile = DETOPS_PROFILE_FULL;
                        },
                        wrong});
    }
  }
  return Own({"reduce_type", kBad,
              [=](Judgement& j) -> std::optional<std::string> {
                const int64_t mode = j.call.integer("reduce_type");
                const auto allowed = [&](mluOpReduceMode_t one) { return static_cast<int64_t>(one) == mode; };
                const bool in_contract = std::any_of(known.contract.begin(), known.contract.end(), allowed);
                if (in_contract || (j.call.full() && IsKnown(mode))) return {};
                const std::string all = "MLUOP_REDUCE_DSUM, MLUOP_REDUCE_DMEAN or MLUOP_REDUCE_DMAX";
                return "reduce_type is " + std::to_string(mode) + ", expected " +
                       (j.call.full() ? all : known.contract_text + (IsKnown(mode) ? kFullProfileLifts : "")) + ".";
              },
              std::move(faults)});
}

Rules NoMoreVoxels(const std::string& voxels) {
  return Own({"rows of " + voxels,
              kBad,
              [=](Judgement& j) -> std::optional<std::string> {
                const int64_t rows = j.call[voxels].extents[0], points = j.call["feats"].extents[0];
                if (rows <= points) return {};
                return Format("%s has %lld rows, expected at most N = %lld as in feats.", voxels.c_str(),
                              static_cast<long long>(rows), static_cast<long long>(points));
              },
              {{BadClass::kShapes, "more voxels than points", WithDim("V", 12)},
               {BadClass::kShapes, "as many voxels as points", WithDim("V", 11), false}}});
}

ShapeKey ReduceKey() {
  return {"reduce", "max", "max, mean, sum; what a profile lacks is another", {"max", "mean", "sum"}};
}

mluOpReduceMode_t ReduceOf(const Shape& shape, detopsProfile_t profile, mluOpReduceMode_t contract) {
  constexpr mluOpReduceMode_t kModes[] = {MLUOP_REDUCE_DMAX, MLUOP_REDUCE_DMEAN, MLUOP_REDUCE_DSUM};
  const mluOpReduceMode_t mode = kModes[shape.Choice("reduce", {"max", "mean", "sum"})];
  if (profile == DETOPS_PROFILE_FULL || mode == MLUOP_REDUCE_DMAX) return mode;
  return mode == contract ? mode : MLUOP_REDUCE_DMAX;
}

ShapeKey CoorsKey() {
  return {"coors",
          "near",
          "near: in few voxels, scan, far: 31 bits on each axis, negative: all of them, one",
          {"near", "scan", "far", "negative", "one"}};
}

void FillCoors(const Shape& shape, Tensor& coors, Random& random) {
  const size_t kind = shape.Choice("coors", {"near", "scan", "far", "negative", "one"});
  const int64_t sites = shape.Int("sites", 1);
  int64_t last = 0;
  for (int64_t point = 0; point < coors.extents[0]; ++point) {
    int64_t voxel[3] = {0, 0, 0};
    if (kind == 0) {
      for (int64_t& number : voxel) number = random.Between(0, 3);
    } else if (kind == 1) {
      // Neighbours of the scan are neighbours in the tensor.
      last = std::clamp<int64_t>(point * sites / coors.extents[0] + random.Between(-50, 50), 0, sites - 1);
      const auto hash = static_cast<int64_t>(static_cast<uint64_t>(last) * 0x9E3779B97F4A7C15u >> 40);
      voxel[0] = hash % 41;
      voxel[1] = hash / 41 % 1440;
      voxel[2] = last % 1440;
    } else if (kind == 2) {
      for (int64_t& number : voxel) number = static_cast<int64_t>(random.OneOf({0, 1, 5, 0x7ffffffe, INT32_MAX}));
    }
    if (kind == 3 || (kind != 4 && random.Below(9) == 0)) voxel[random.Below(3)] = random.Between(-3, -1);
    for (int64_t axis = 0; axis < 3; ++axis) coors.Set(3 * point + axis, static_cast<double>(voxel[axis]));
  }
}

void FillFeatures(const Shape& shape, Tensor& feats, Random& random) {
  FillSigned(feats, random);
  const size_t kind = shape.Choice("numbers", {"any", "few", "special"});
  if (kind == 1) {
    for (int64_t i = 0; i < feats.elements(); ++i) feats.Set(i, static_cast<double>(random.Between(-2, 2)));
  } else if (kind == 2) {
    FillSpecials(feats);
  }
}

WorkspaceSize::WorkspaceSize(const std::string& function, const Names& tensors)
    : Function([&] {
        Contract contract(function);
        for (const std::string& tensor : tensors) contract.Shape(tensor, {"N"});
        contract.Check("workspace_size, handle or a descriptor is NULL",
                       {PlaceForResult({"workspace_size"}), Handle(), Descriptors(tensors)});
        contract.CannotOccur({BadClass::kForm, BadClass::kShapes, BadClass::kEmpty, BadClass::kOverflow},
                             "it looks at no shape");
        contract.CannotOccur({BadClass::kSizes, BadClass::kWorkspace, BadClass::kOverlap, BadClass::kNotFinite,
                              BadClass::kBatchId, BadClass::kIndices, BadClass::kEnumerator});
        contract.CannotOccur({BadClass::kCoordinates, BadClass::kDuplicates}, "it looks at no values");
        return contract;
      }()),
      tensors_(tensors) {}

Call WorkspaceSize::Make(const Shape& shape, mluOpDataType_t type, uint64_t) const {
  Call call;
  for (const std::string& tensor : tensors_) {
    call.tensors.push_back(Input(tensor, MLUOP_LAYOUT_ARRAY, type, {shape.Int("points")}));
  }
  call.integers["reduce_type"] = MLUOP_REDUCE_DMAX;
  call.results["workspace_size"] = -77;
  return call;
}

mluOpStatus_t WorkspaceSize::Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const {
  ResultPlace<size_t> size(a, "workspace_size");
  if (tensors_.size() == 2) {
    return library.mluOpGetDynamicPointToVoxelForwardWorkspaceSize(handle, a.desc("feats"), a.desc("coors"),
                                                                   size.get());
  }
  return library.mluOpGetDynamicPointToVoxelBackwardWorkspaceSize(
      handle, a.integer<mluOpReduceMode_t>("reduce_type"), a.desc("grad_voxel_feats"), a.desc("feats"),
      a.desc("voxel_feats"), a.desc("point2voxel_map"), a.desc("voxel_points_count"), a.desc("voxel_num"), size.get());
}

Expected WorkspaceSize::Reference(const Call&) const {
  Expected expected;
  expected.results["workspace_size"] = 0;
  return expected;
}

void AddTo(Catalogue& catalogue) {
  catalogue.Add(MakeForward());
  catalogue.Add(
      std::make_unique<WorkspaceSize>("mluOpGetDynamicPointToVoxelForwardWorkspaceSize", Names{"feats", "coors"}));
  catalogue.Add(MakeBackward());
  catalogue.Add(std::make_unique<WorkspaceSize>(
      "mluOpGetDynamicPointToVoxelBackwardWorkspaceSize",
      Names{"grad_voxel_feats", "feats", "voxel_feats", "point2voxel_map", "voxel_points_count", "voxel_num"}));
}

}  // namespace detops_harness::dynamic_point_to_voxel
