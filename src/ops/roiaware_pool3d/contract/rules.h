// The contracts of roiaware_pool3d, and what they share with its calls.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_RULES_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_RULES_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "harness/rules.h"
#include "ops/roiaware_pool3d/reference/reference.h"

namespace detops_harness::roiaware_pool3d {

using Apply = std::function<void(Call&)>;

// `function` is the name, or its older spelling.
// A contract for the function; one in the older spelling says the name that it has now.
Contract Named(const std::string& function);

Contract MakeWorkspaceContract(const std::string& function);
Contract MakeForwardContract(const std::string& function, bool extension);
Contract MakeBackwardContract(const std::string& function);
Contract MakeCountContract();
Contract MakeCompactForwardContract();
Contract MakeCompactBackwardContract();

// ---- what a call says ----

bool IsMax(const Call& call);
bool IsAverage(const Call& call);
// The numbers of voxels and slots: arguments, or extents of the lists.
detops_reference::RoiAwareGrid GridOf(const Call& call);
// The voxels that hold points, by the reference. None if there is less memory than the tensors' descriptions say.
std::vector<detops_reference::RoiAwareVoxel> VoxelsOf(const Call& call);

// ---- rules of several functions ----

Rules Method();
Rules ZOrigin();
Rules XyMargin();
// Rows of a tensor are numbered in 31 bits, voxels of a box in 32.
Rules RowLimit(const std::string& tensor, const Faults& faults);
Rules VoxelLimit(const Faults& faults);
// So are the rows of grad_in; `many_rows` gives it 2^31.
Rules GradientRowLimit(const Apply& many_rows);
// Winners that are given back: rows of `channels` numbers, so many as `rows` says.
Rules Winners(const std::function<int64_t(const Call&)>& rows);

// ---- faults ----

// The named extents become these, one after the other.
Apply Sized(std::vector<std::pair<std::string, int64_t>> extents);
// First the one, then the other.
Apply Then(Apply first, Apply second);
Apply AsAverage(Apply fault);
// All floating tensors have the type; nobody looks at the numbers, which mean something else now.
Apply WithType(mluOpDataType_t type);
// The tensors' memory is addresses that nobody may touch.
Apply Reserved(Names tensors);
// A tensor that is moved into another one has an address, whatever its size.
Apply Inside(Names tensors, const std::string& other);

// Lines of the table that no rule lists by itself: boxes that are not numbers; an output in one that is looked at after
// it; an extent that another tensor is held against.
void TryBoxes(Contract& contract);
void TryOverlaps(Contract& contract, const Names& outputs);
void TryExtents(Contract& contract, const std::vector<std::pair<std::string, size_t>>& axes);
// Why other classes of bad input cannot occur.
void AddReasons(Contract& contract, bool takes_boxes);

}  // namespace detops_harness::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_CONTRACT_RULES_H_
