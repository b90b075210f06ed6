// Contracts and calls of the functions that give the gradients of what pairs of boxes have in common.
#ifndef DETOPS_BOXES_CONTRACT_GRADIENTS_H_
#define DETOPS_BOXES_CONTRACT_GRADIENTS_H_

#include <string>
#include <vector>

#include "harness/fill.h"
#include "harness/function.h"

namespace detops_harness::boxes {

// In what such functions differ.
struct GradientForm {
  std::string function;
  std::string first, second, first_grad, second_grad;  // the tensors; the other one is grad
  bool spatial;                                        // boxes of 7 numbers, whose volumes count; otherwise of 5
  std::string choice;                                  // an argument with the values 0 to `most`
  int64_t most;
  std::string clause, expectation;  // of its rule, in the header and in its sentence
};

class PairGradient : public Function {
 public:
  explicit PairGradient(const GradientForm& form);

  // All floating types in both profiles.
  std::vector<mluOpDataType_t> contract_types() const override { return full_types(); }
  std::vector<ShapeKey> keys() const override;
  std::vector<Sample> samples() const override;
  std::vector<BenchmarkCase> benchmarks() const override;
  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override;
  Expected Reference(const Call& call) const override;

 protected:
  const GradientForm& form() const { return form_; }

 private:
  GradientForm form_;
};

}  // namespace detops_harness::boxes

#endif  // DETOPS_BOXES_CONTRACT_GRADIENTS_H_
