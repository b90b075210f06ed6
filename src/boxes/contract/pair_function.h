// What functions on pairs of boxes have in common as functions of the catalogue.
#ifndef DETOPS_BOXES_CONTRACT_PAIR_FUNCTION_H_
#define DETOPS_BOXES_CONTRACT_PAIR_FUNCTION_H_

#include <string>
#include <utility>
#include <vector>

#include "boxes/contract/pairs.h"
#include "harness/function.h"

namespace detops_harness::boxes {

class PairFunction : public Function {
 public:
  std::vector<ShapeKey> keys() const override;
  std::vector<Sample> samples() const override;
  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override;
  // So many flops for each pair whose upright bounds meet.
  Work WorkOf(const Call& call) const override;

  struct Pairs {
    PairNames names;
    double flops;
    std::vector<ShapeKey> more_keys;      // with the names of integer arguments, but for "numbers"
    std::vector<std::string> variants{};  // values of these keys, as ",mode=1", to be tried on all kinds of boxes
  };

 protected:
  PairFunction(Contract contract, Pairs pairs) : Function(std::move(contract)), pairs_(std::move(pairs)) {}

  // Of rows of so many numbers as the shape says.
  virtual PairForm FormOf(int64_t numbers) const = 0;
  const PairNames& names() const { return pairs_.names; }

 private:
  Pairs pairs_;
};

}  // namespace detops_harness::boxes

#endif  // DETOPS_BOXES_CONTRACT_PAIR_FUNCTION_H_
