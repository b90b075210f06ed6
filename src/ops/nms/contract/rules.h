// The rules that only nms has.
#ifndef DETOPS_OPS_NMS_CONTRACT_RULES_H_
#define DETOPS_OPS_NMS_CONTRACT_RULES_H_

#include "ops/nms/contract/nms.h"

namespace detops_harness::nms {

// The call becomes one of another shape, with 11 boxes unless it says how many, in the contract profile or in the full
// one.
std::function<void(Call&)> As(const std::string& shape, bool full = false);
// One change after the other.
std::function<void(Call&)> All(std::vector<std::function<void(Call&)>> changes);
std::function<void(Call&)> Full();
std::function<void(Call&)> WithExtents(const char* tensor, std::vector<int64_t> extents);

Rules NmsDescriptor();
Rules DataUnlessNoBoxes(const std::string& tensor);
Rules BoxesRank();
Rules NumbersOfABox();
// About the confidence of boxes of four numbers, and of seven.
Rules PresenceForFour(Kind kind);
Rules ShapeForFour();
Rules NoneForSeven(Kind kind);
Rules DataForSeven();
Rules ShapeForSeven();
Rules ConfidenceType();
Rules OutputType();
Rules OneImageAndClass();
Rules HardInContract();
Rules RoomInOutput();
Rules CountOfBoxes();
Rules CountOfConfidence();
Rules CountOfOutput();
Rules Limits();
Rules NothingToDo();

}  // namespace detops_harness::nms

#endif  // DETOPS_OPS_NMS_CONTRACT_RULES_H_
