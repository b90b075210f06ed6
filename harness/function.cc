#include "harness/function.h"

#include "harness/rules.h"

namespace detops_harness {

Call Function::MakeSample(const std::string& shape, mluOpDataType_t type, detopsProfile_t profile,
                          uint64_t seed) const {
  Shape completed(shape);
  completed.Complete(keys());
  Call call = Make(completed, type, seed);
  call.function = this;
  call.profile = profile;
  return call;
}

Work Function::WorkOf(const Call& call) const {
  Work work;
  for (const Tensor& tensor : call.tensors) {
    if (!IsAbsent(tensor)) work.bytes += static_cast<double>(tensor.byte_count());
    work.in_double |= tensor.type == MLUOP_DTYPE_DOUBLE;
  }
  return work;
}

Call Function::Good() const {
  const auto types = profile() == DETOPS_PROFILE_FULL ? full_types() : contract_types();
  return MakeSample(samples().at(0).shape, types.at(0), profile(), 1);
}

}  // namespace detops_harness
