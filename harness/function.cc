#include "harness/function.h"

#include <algorithm>

#include "harness/rules.h"

namespace detops_harness {

Call Function::MakeSample(const std::string& shape, mluOpDataType_t type, detopsProfile_t profile,
                          uint64_t seed) const {
  Shape completed(shape);
  completed.Complete(keys());
  return MakeIn(profile, completed, type, seed);
}

std::vector<ShapeKey> Function::UsersKeys() const {
  std::vector<ShapeKey> all = keys();
  for (ShapeKey& key : all) {
    if (!key.usual.empty()) key.fallback = key.usual;
  }
  return all;
}

Call Function::MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const {
  Call call = Make(shape, type, seed);
  call.function = this;
  call.profile = profile;
  return call;
}

int64_t NumberIn(const Tensor& output) {
  const bool own_place = output.address != nullptr && output.inside.empty() && !output.reserved;
  return own_place ? static_cast<int64_t>(output.Get(0)) : -1;
}

int64_t WrittenByCount(const Tensor& count, const Tensor& output) {
  const int64_t written = NumberIn(count);
  return written >= 0 && written <= output.elements() ? written : 0;
}

std::vector<size_t> IndicesIn(const Tensor& count, const Tensor& output) {
  std::vector<size_t> indices;
  for (int64_t i = 0; i < WrittenByCount(count, output); ++i) indices.push_back(static_cast<size_t>(output.Get(i)));
  return indices;
}

double AllBytes(const Call& call) {
  double bytes = 0;
  for (const Tensor& tensor : call.tensors) {
    if (!IsAbsent(tensor)) bytes += static_cast<double>(tensor.byte_count());
  }
  return bytes;
}

Work Function::WorkOf(const Call& call) const {
  Work work{.bytes = AllBytes(call)};
  for (const Tensor& tensor : call.tensors) work.in_double |= tensor.type == MLUOP_DTYPE_DOUBLE;
  return work;
}

Theory Function::TheoryOf(const Call& call) const { return {WorkOf(call).flops, AllBytes(call)}; }

bool Function::IsIn(const Functions& library) const {
  const std::vector<std::string> others = Needs();
  return library.Has(name()) &&
         std::all_of(others.begin(), others.end(), [&](const std::string& other) { return library.Has(other); });
}

void Function::Obey(const Call& call, std::initializer_list<const char*> arguments) const {
  Judgement judgement{contract_, call};
  for (const char* argument : arguments) {
    for (const Rule& rule : contract_.rules()) {
      if (rule.about != argument) continue;
      const std::optional<std::string> sentence = rule.judge(judgement);
      if (sentence.has_value()) throw ShapeError("--shape: " + *sentence);
    }
  }
}

Call Function::Good() const {
  const auto types = profile() == DETOPS_PROFILE_FULL ? full_types() : contract_types();
  return MakeSample(samples().at(0).shape, types.at(0), profile(), 1);
}

}  // namespace detops_harness
