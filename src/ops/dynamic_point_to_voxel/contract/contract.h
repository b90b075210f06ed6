// The parts of dynamic_point_to_voxel's contracts: rules and calls of the forward (forward.cc) and of the backward pass
// (backward.cc), and what both share (shared.cc).
#ifndef DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_
#define DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_

#include <memory>
#include <string>
#include <vector>

#include "harness/contract.h"
#include "harness/fill.h"
#include "harness/function.h"
#include "harness/rules.h"

namespace detops_harness::dynamic_point_to_voxel {

// The reductions that a profile takes.
struct Reductions {
  std::vector<mluOpReduceMode_t> contract;
  std::string contract_text;
};
Rules Reduction(const Reductions& known);
Rules NoMoreVoxels(const std::string& voxels);  // V <= N

ShapeKey ReduceKey();
mluOpReduceMode_t ReduceOf(const Shape& shape, detopsProfile_t profile, mluOpReduceMode_t contract);
// Coordinates of points around so many voxels, some of them negative.
ShapeKey CoorsKey();
void FillCoors(const Shape& shape, Tensor& coors, Random& random);
// Halves and whole numbers among them, so that maxima tie.
void FillFeatures(const Shape& shape, Tensor& feats, Random& random);

// The size functions look at descriptors only.
class WorkspaceSize : public Function {
 public:
  WorkspaceSize(const std::string& function, const Names& tensors);

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }
  bool computes() const override { return false; }
  std::vector<ShapeKey> keys() const override { return {{"points", "20000", "N", {"0", "1", "7"}}}; }
  std::vector<Sample> samples() const override { return {{"points=11"}, {"points=0"}}; }
  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override;
  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override;
  Expected Reference(const Call& call) const override;

 private:
  const Names tensors_;
};

std::unique_ptr<Function> MakeForward();
std::unique_ptr<Function> MakeBackward();

}  // namespace detops_harness::dynamic_point_to_voxel

#endif  // DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_CONTRACT_CONTRACT_H_
