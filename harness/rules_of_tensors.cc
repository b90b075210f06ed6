// Rules about the extents of tensors: how many elements they make, and that shapes fit each other.
#include <algorithm>
#include <utility>

#include "harness/function.h"
#include "harness/rule_parts.h"
#include "harness/rules.h"

namespace detops_harness {
namespace {

constexpr int64_t kContractElements = int64_t{1} << 31;

// The smallest value of the tensor's axis for which it has so many elements.
int64_t ValueFor(const Tensor& tensor, size_t axis, int64_t elements) {
  int64_t others = 1;
  for (size_t i = 0; i < tensor.extents.size(); ++i) {
    if (i != axis) others *= std::max<int64_t>(1, tensor.extents[i]);
  }
  return (elements + others - 1) / others;
}

// Every named extent of the contract becomes 1.
void AllOnes(const Contract& contract, Call& call) {
  for (const auto& [tensor, extents] : contract.shapes()) {
    for (const Dim& dim : extents) {
      if (!dim.name.empty()) contract.SetDim(call, dim.name, 1);
    }
  }
}

Faults CountFaults(const Contract& contract, const Call& good, const std::string& name) {
  Faults faults;
  const std::vector<Dim>& shape = contract.shape(name);
  // Of this tensor alone, for functions that count before they compare shapes.
  faults.push_back(Of(
      name, BadClass::kOverflow, "2^61 rows",
      [](Tensor& tensor) {
        if (!tensor.extents.empty()) tensor.extents[0] = int64_t{1} << 61;
      },
      false));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const std::string& dim = shape[axis].name;
    if (dim.empty()) continue;
    for (const bool alone : {false, true}) {
      Call small = good;
      if (alone) AllOnes(contract, small);
      const int64_t least = ValueFor(small[name], axis, kContractElements);
      const auto with = [=](int64_t value, detopsProfile_t profile, size_t other, const std::string& text) {
        return Fault{BadClass::kOverflow, text,
                     [=](Call& call) {
                       const Contract& rules = call.function->contract();
                       if (alone) AllOnes(rules, call);
                       rules.SetDim(call, dim, value);
                       if (other != SIZE_MAX) rules.SetDim(call, rules.shape(name)[other].name, value);
                       call.profile = profile;
                     },
                     false};
      };
      const detopsProfile_t full = DETOPS_PROFILE_FULL;
      faults.push_back(with(least, good.profile, SIZE_MAX, "2^31 elements"));
      faults.push_back(with(least - 1, good.profile, SIZE_MAX, "fewer than 2^31 elements"));
      faults.push_back(with(least, full, SIZE_MAX, "2^31 elements"));
      for (const detopsProfile_t profile : {good.profile, full}) {
        faults.push_back(with(INT64_MAX, profile, SIZE_MAX, "2^63 - 1 elements"));
        faults.push_back(with(int64_t{1} << 61, profile, SIZE_MAX, "2^61 elements"));
        faults.push_back(with((int64_t{1} << 61) - 1, profile, SIZE_MAX, "2^61 - 1 elements"));
        for (size_t other = 0; other < shape.size(); ++other) {
          if (other == axis || shape[other].name.empty()) continue;
          faults.push_back(with(int64_t{1} << 33, profile, other, "2^66 elements"));
        }
      }
    }
  }
  return faults;
}

}  // namespace

Rules Counts(const Names& tensors) {
  return ForEach(
      tensors, "elements", kLimit,
      [](Judgement& j, const Tensor& tensor) -> Sentence {
        if (tensor.byte_count() == INT64_MAX || tensor.elements() == INT64_MAX) {
          return tensor.name + " has shape " + ShapeText(tensor.extents) + ", expected fewer than 2^63 bytes.";
        }
        return Unless(j.call.full() || tensor.elements() < kContractElements,
                      Format("%s has %lld elements, expected fewer than 2147483648%s.", tensor.name.c_str(),
                             static_cast<long long>(tensor.elements()), kFullProfileLifts));
      },
      CountFaults);
}

Rules NotEmpty(const Names& tensors) {
  return ForEach(
      tensors, "presence of elements", kBad,
      [](Judgement&, const Tensor& tensor) {
        return Unless(tensor.elements() > 0, tensor.name + " has 0 elements, expected at least 1; its shape is " +
                                                 ShapeText(tensor.extents) + ".");
      },
      [](const Contract& contract, const Call&, const std::string& name) {
        Faults faults;
        for (const Dim& dim : contract.shape(name)) {
          if (dim.name.empty()) continue;
          faults.push_back({BadClass::kEmpty, "an extent is 0", WithDim(dim.name, 0)});
          for (const Dim& other : contract.shape(name)) {
            if (other.name.empty() || other.name == dim.name) continue;
            // 0 wins over a product that overflows.
            faults.push_back({BadClass::kEmpty, "an extent is 0, another enormous",
                              [d = dim.name, o = other.name](Call& call) {
                                WithDim(o, INT64_MAX)(call);
                                WithDim(d, 0)(call);
                              },
                              false});
          }
        }
        return faults;
      });
}

Rules CanNumber(const std::string& indices, const std::string& other) {
  return ForEach(
      {indices}, "range of the type", kLimit,
      [=](Judgement& j, const Tensor& tensor) {
        const int64_t rows = j.call[other].extents[0];
        return Unless(tensor.type == MLUOP_DTYPE_INT64 || rows <= INT32_MAX,
                      Format("%s has type int32, expected int64 to number the %lld rows of %s.", tensor.name.c_str(),
                             static_cast<long long>(rows), other.c_str()));
      },
      [=](const Contract& contract, const Call&, const std::string&) {
        const std::string dim = contract.shape(other)[0].name;
        Faults faults;
        for (const int64_t rows : {int64_t{1} << 31, (int64_t{1} << 31) - 1}) {
          faults.push_back({BadClass::kOverflow, std::to_string(rows) + " rows of " + other,
                            [=](Call& call) {
                              WithDim(dim, rows)(call);
                              call.profile = DETOPS_PROFILE_FULL;
                            },
                            faults.empty()});
        }
        return faults;
      });
}

// ---- shapes ----

Rules Axis(const std::string& tensor, size_t axis, const Dim& expected) {
  return ForEach(
      {tensor}, "axis " + std::to_string(axis), kBad,
      [=](Judgement& j, const Tensor& checked) -> Sentence {
        const int64_t actual = checked.extents[axis];
        std::optional<Judgement::Bound> bound;
        if (!expected.name.empty()) {
          bound = j.contract.BoundOf(j, expected.name);
          if (!bound.has_value()) j.dims[expected.name] = {actual, checked.name};
          if (!bound.has_value()) return {};
        }
        const int64_t wanted = bound.has_value() ? bound->value : expected.number;
        if (actual == wanted) return {};
        std::string text = Format("%s has extent %lld on axis %zu, expected ", checked.name.c_str(),
                                  static_cast<long long>(actual), axis);
        if (!expected.name.empty()) text += (expected.shown.empty() ? expected.name : expected.shown) + " = ";
        text += std::to_string(wanted);
        if (bound.has_value() && !bound->source.empty()) text += " as in " + bound->source;
        return text + "; its shape is " + ShapeText(checked.extents) + ".";
      },
      [=](const Contract&, const Call&, const std::string& name) {
        Faults faults;
        for (const int64_t surplus : {1, -1, 1000}) {
          faults.push_back(Of(
              name, BadClass::kShapes, "extent of " + name + " on axis " + std::to_string(axis),
              [=](Tensor& spoilt) {
                if (axis >= spoilt.extents.size()) return;
                // Another fault may have made it the largest number.
                const int64_t extent = std::min(spoilt.extents[axis], INT64_MAX - 1000);
                spoilt.extents[axis] = std::max<int64_t>(0, extent + surplus);
              },
              surplus == 1));
        }
        return faults;
      });
}

namespace {

// The axes of one tensor, which the table knows only when the rules are used.
Rules ShapeOf(const std::string& name) {
  const auto axes = [name](const Contract& contract) {
    Rules rules;
    const std::vector<Dim>& shape = contract.shape(name);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const Rules one = Axis(name, axis, shape[axis]);
      rules.insert(rules.end(), one.begin(), one.end());
    }
    return rules;
  };
  return {{"shape of " + name, kBad,
           [=](Judgement& j) -> Sentence {
             for (const Rule& rule : axes(j.contract)) {
               if (const Sentence sentence = rule.judge(j)) return sentence;
             }
             return {};
           },
           [=](const Contract& contract, const Call& good) {
             Faults faults;
             for (const Rule& rule : axes(contract)) {
               for (Fault& fault : rule.faults(contract, good)) faults.push_back(std::move(fault));
             }
             return faults;
           }}};
}

}  // namespace

Rules Shapes(const Names& tensors) {
  Rules rules;
  for (const std::string& name : tensors) rules.push_back(ShapeOf(name)[0]);
  return rules;
}

}  // namespace detops_harness
