#include "harness/rules.h"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <limits>
#include <utility>

#include "harness/function.h"

namespace detops_harness {
namespace {

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kContractElements = int64_t{1} << 31;

using Sentence = std::optional<std::string>;
using Apply = std::function<void(Call&)>;

Sentence Unless(bool condition, const std::string& sentence) { return condition ? Sentence() : Sentence(sentence); }

// A rule about each of the tensors that are there.
template <class Judge, class MakeFaults>
Rules ForEach(const Names& tensors, const std::string& what, mluOpStatus_t status, Judge judge, MakeFaults faults) {
  Rules rules;
  for (const std::string& name : tensors) {
    rules.push_back({what + " of " + name, status,
                     [name, judge](Judgement& judgement) -> Sentence {
                       const Tensor& tensor = judgement.call[name];
                       return tensor.described ? judge(judgement, tensor) : Sentence();
                     },
                     [name, faults](const Contract& contract, const Call& good) {
                       return IsAbsent(good[name]) ? Faults{} : faults(contract, good, name);
                     }});
  }
  return rules;
}

// A fault of one tensor.
Fault Of(const std::string& name, BadClass bad_class, const std::string& text, std::function<void(Tensor&)> spoil,
         bool listed = true) {
  return {bad_class, text, [name, spoil = std::move(spoil)](Call& call) { spoil(call[name]); }, listed};
}

}  // namespace

std::string Format(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[512];
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

bool IsAbsent(const Tensor& tensor) { return !tensor.described && !tensor.has_data; }

bool AnyEmpty(const Call& call, const Names& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [&](const auto& name) { return call[name].elements() == 0; });
}

Apply WithDim(const std::string& dim, int64_t value) {
  return [=](Call& call) { call.function->contract().SetDim(call, dim, value); };
}
Apply WithInteger(const std::string& argument, int64_t value) {
  return [=](Call& call) { call.integers.at(argument) = value; };
}
Apply WithNumber(const std::string& argument, double value) {
  return [=](Call& call) { call.numbers.at(argument) = value; };
}
Apply WithElement(const std::string& tensor, int64_t index, double value) {
  return [=](Call& call) {
    if (index >= 0 && index < call[tensor].stored()) call[tensor].Set(index, value);
  };
}

Rules Implied(Rules rules) {
  for (Rule& rule : rules) rule.implied = true;
  return rules;
}

Rules When(const std::function<bool(const Call&)>& condition, Rules rules, const Apply& arrange) {
  for (Rule& rule : rules) {
    rule.judge = [condition, judge = std::move(rule.judge)](Judgement& j) {
      return condition(j.call) ? judge(j) : Sentence();
    };
    if (!arrange || !rule.faults) continue;
    rule.faults = [=, faults = std::move(rule.faults)](const Contract& contract, const Call& good) {
      Call arranged = good;
      arrange(arranged);
      Faults all = faults(contract, arranged);
      for (Fault& fault : all) {
        fault.apply = [=, apply = fault.apply](Call& call) {
          arrange(call);
          apply(call);
        };
      }
      return all;
    };
  }
  return rules;
}

Rules WithFaults(Rules rules, const Faults& more) {
  Rule& last = rules.back();
  last.faults = [own = std::move(last.faults), more](const Contract& contract, const Call& good) {
    Faults faults = own ? own(contract, good) : Faults{};
    faults.insert(faults.end(), more.begin(), more.end());
    return faults;
  };
  return rules;
}

// ---- pointers ----

Rules Handle() {
  return {{"handle", kBad,
           [](Judgement& j) { return Unless(j.call.with_handle, "handle is NULL, expected a handle of mluOpCreate."); },
           [](const Contract&, const Call&) {
             return Faults{{BadClass::kNull, "handle", [](Call& call) { call.with_handle = false; }}};
           }}};
}

Rules NotNull(const Names& arguments, const std::string& expected) {
  Rules rules;
  for (const std::string& name : arguments) {
    rules.push_back({name, kBad,
                     [=](Judgement& j) {
                       return Unless(j.call.nulls.count(name) == 0, name + " is NULL, expected " + expected + ".");
                     },
                     [=](const Contract&, const Call&) {
                       return Faults{{BadClass::kNull, name, [=](Call& call) { call.nulls.insert(name); }}};
                     }});
  }
  return rules;
}

Rules PlaceForResult(const Names& results) { return NotNull(results, "a place for the result"); }

Rules Descriptors(const Names& tensors) {
  Rules rules;
  for (const std::string& name : tensors) {
    rules.push_back({"descriptor of " + name, kBad,
                     [=](Judgement& j) {
                       return Unless(j.call[name].described,
                                     "the descriptor of " + name + " is NULL, expected a tensor descriptor.");
                     },
                     [=](const Contract&, const Call&) {
                       return Faults{Of(name, BadClass::kNull, "descriptor of " + name,
                                        [](Tensor& tensor) { tensor.described = false; })};
                     }});
  }
  return rules;
}

namespace {

Rules DataPointers(const Names& tensors, bool only_of_elements) {
  return ForEach(
      tensors, "data", kBad,
      [=](Judgement&, const Tensor& tensor) {
        return Unless(tensor.address != nullptr || (only_of_elements && tensor.elements() == 0),
                      Format("the data pointer of %s is NULL, expected %lld elements.", tensor.name.c_str(),
                             static_cast<long long>(tensor.elements())));
      },
      [](const Contract&, const Call&, const std::string& name) {
        return Faults{Of(name, BadClass::kNull, "data of " + name, [](Tensor& tensor) { tensor.has_data = false; })};
      });
}

}  // namespace

Rules Data(const Names& tensors) { return DataPointers(tensors, false); }
Rules DataOfElements(const Names& tensors) { return DataPointers(tensors, true); }

// ---- the form of one tensor ----

Rules FullProfile() {
  return {{"profile", kLimit,
           [](Judgement& j) {
             return Unless(j.call.full(), std::string("handle has the contract profile, expected the full one") +
                                              kFullProfileLifts + ".");
           },
           [](const Contract&, const Call&) {
             return Faults{{BadClass::kEnumerator, "the contract profile",
                            [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; }}};
           }}};
}

Rules Ranks(const Names& tensors) {
  return ForEach(
      tensors, "rank", kBad,
      [](Judgement& j, const Tensor& tensor) {
        const size_t expected = j.contract.shape(tensor.name).size();
        return Unless(tensor.extents.size() == expected,
                      Format("%s has rank %zu, expected %zu.", tensor.name.c_str(), tensor.extents.size(), expected));
      },
      [](const Contract& contract, const Call&, const std::string& name) {
        const size_t right = contract.shape(name).size();
        Faults faults;
        for (const size_t rank : {right + 1, right - 1, size_t{0}, size_t{1}, size_t{8}, size_t{9}, size_t{100}}) {
          if (rank == right) continue;
          faults.push_back(Of(
              name, BadClass::kForm, "rank of " + name, [rank](Tensor& tensor) { tensor.extents.resize(rank, 1); },
              rank == right + 1));
        }
        return faults;
      });
}

namespace {

// A larger type may be one that the call takes: then there must be memory for its elements.
void GrowMemory(Tensor& tensor) {
  const auto bytes = static_cast<size_t>(tensor.byte_count());
  if (bytes > tensor.memory_bytes() * 8) return;  // not by the type alone
  if (tensor.access == Access::kRead) {
    tensor.contents.resize(std::max(bytes, tensor.contents.size()));
  } else {
    tensor.bytes = std::max(bytes, tensor.bytes);
  }
}

// Every number, and some that name no type. int8 comes first: it is the one that the tables list.
Faults TypeFaults(const std::string& name) {
  Faults faults;
  for (const int type : {3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 99, INT_MAX}) {
    for (const bool full : {false, true}) {
      faults.push_back({BadClass::kForm, "type of " + name,
                        [=](Call& call) {
                          call[name].type = static_cast<mluOpDataType_t>(type);
                          GrowMemory(call[name]);
                          if (full) call.profile = DETOPS_PROFILE_FULL;
                        },
                        faults.empty()});
    }
    // Everything that was of the same type changes with it.
    faults.push_back({BadClass::kForm, "type of " + name,
                      [=](Call& call) {
                        const mluOpDataType_t before = call[name].type;
                        for (Tensor& tensor : call.tensors) {
                          if (tensor.type != before) continue;
                          tensor.type = static_cast<mluOpDataType_t>(type);
                          GrowMemory(tensor);
                        }
                      },
                      false});
  }
  return faults;
}

// Types in the order of the sentence, and its words.
struct Allowed {
  std::vector<mluOpDataType_t> types;
  const char* text;
};

Rules Types(const Names& tensors, const Allowed& in_contract, const Allowed& in_full) {
  return ForEach(
      tensors, "type", kBad,
      [=](Judgement& j, const Tensor& tensor) {
        const auto has = [&](const Allowed& allowed) {
          return std::find(allowed.types.begin(), allowed.types.end(), tensor.type) != allowed.types.end();
        };
        return Unless(has(in_contract) || (has(in_full) && j.call.full()),
                      tensor.name + " has type " + TypeName(tensor.type) + ", expected " +
                          (j.call.full() ? in_full.text : in_contract.text) + (has(in_full) ? kFullProfileLifts : "") +
                          ".");
      },
      [](const Contract&, const Call&, const std::string& name) { return TypeFaults(name); });
}

// In both profiles.
Rules Types(const Names& tensors, const Allowed& allowed) { return Types(tensors, allowed, allowed); }

Allowed AllFloating() {
  return {{MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16},
          "float, half, double or bfloat16"};
}

Rules FloatingTypes(const Names& tensors, const Allowed& in_contract) {
  return Types(tensors, in_contract, AllFloating());
}

}  // namespace

Rules Floating(const Names& tensors) {
  return FloatingTypes(tensors, {{MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}, "float or half"});
}
Rules AnyFloating(const Names& tensors) { return Types(tensors, AllFloating()); }
Rules FloatUnlessFull(const Names& tensors) { return FloatingTypes(tensors, {{MLUOP_DTYPE_FLOAT}, "float"}); }

Rules Int32(const Names& tensors) { return Types(tensors, {{MLUOP_DTYPE_INT32}, "int32"}); }
Rules Int32UnlessFull(const Names& tensors) {
  return Types(tensors, {{MLUOP_DTYPE_INT32}, "int32"}, {{MLUOP_DTYPE_INT32, MLUOP_DTYPE_INT64}, "int32 or int64"});
}
Rules Bool(const Names& tensors) { return Types(tensors, {{MLUOP_DTYPE_BOOL}, "bool"}); }

Rules SameType(const Names& tensors, const std::string& other) {
  return ForEach(
      tensors, "type", kBad,
      [=](Judgement& j, const Tensor& tensor) {
        const mluOpDataType_t expected = j.call[other].type;
        return Unless(tensor.type == expected, tensor.name + " has type " + TypeName(tensor.type) + ", expected " +
                                                   TypeName(expected) + " as " + other + " has.");
      },
      [](const Contract&, const Call&, const std::string& name) { return TypeFaults(name); });
}

Rules Layouts(const Names& tensors, mluOpTensorLayout_t layout) {
  return ForEach(
      tensors, "layout", kBad,
      [=](Judgement&, const Tensor& tensor) {
        return Unless(tensor.layout == layout, tensor.name + " has layout " + LayoutName(tensor.layout) +
                                                   ", expected " + LayoutName(layout) + ".");
      },
      [=](const Contract&, const Call&, const std::string& name) {
        Faults faults;
        // TNC first: no operator takes it, and it is the one that the tables list.
        for (const int other : {6, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 99, INT_MAX}) {
          if (other == layout) continue;
          faults.push_back(Of(
              name, BadClass::kForm, "layout of " + name,
              [=](Tensor& tensor) { tensor.layout = static_cast<mluOpTensorLayout_t>(other); }, faults.empty()));
        }
        return faults;
      });
}

namespace {

void ChangeStride(Tensor& tensor, size_t axis, int64_t stride) {
  if (axis >= tensor.extents.size()) return;
  if (tensor.strides.size() != tensor.extents.size()) {
    tensor.strides.clear();
    for (size_t i = 0; i < tensor.extents.size(); ++i) tensor.strides.push_back(tensor.DenseStride(i));
  }
  tensor.strides[axis] = stride;
}

}  // namespace

Rules Dense(const Names& tensors) {
  return ForEach(
      tensors, "strides", kLimit,
      [](Judgement&, const Tensor& tensor) -> Sentence {
        if (tensor.strides.size() != tensor.extents.size() || tensor.elements() == 0) return {};
        for (size_t axis = tensor.extents.size(); axis-- > 0;) {  // the last wrong one is named
          const int64_t dense = tensor.DenseStride(axis);
          if (tensor.extents[axis] == 1 || tensor.strides[axis] == dense) continue;
          return Format("%s has stride %lld on axis %zu, expected %lld: only dense tensors are supported.",
                        tensor.name.c_str(), static_cast<long long>(tensor.strides[axis]), axis,
                        static_cast<long long>(dense));
        }
        return {};
      },
      [](const Contract& contract, const Call& good, const std::string& name) {
        Faults faults;
        const Tensor& tensor = good[name];
        for (size_t axis = 0; axis < tensor.extents.size(); ++axis) {
          const int64_t dense = tensor.DenseStride(axis);
          for (const int64_t stride : {dense + 1, dense - 1, int64_t{0}, -dense, INT64_MAX - 1000, INT64_MIN + 1000}) {
            if (stride == dense) continue;
            faults.push_back(Of(
                name, BadClass::kForm, "stride of " + name, [=](Tensor& spoilt) { ChangeStride(spoilt, axis, stride); },
                faults.empty()));
          }
          // The stride of an axis of extent 1 is free, and a tensor without elements has none.
          const std::string dim = contract.shape(name)[axis].name;
          for (const int64_t extent : {0, 1}) {
            if (dim.empty()) continue;
            faults.push_back({BadClass::kForm, "stride of an axis of extent " + std::to_string(extent),
                              [=](Call& call) {
                                WithDim(dim, extent)(call);
                                ChangeStride(call[name], axis, 1000);
                              },
                              false});
          }
        }
        return faults;
      });
}

namespace {

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
                if (axis < spoilt.extents.size()) {
                  spoilt.extents[axis] = std::max<int64_t>(0, spoilt.extents[axis] + surplus);
                }
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

// ---- numbers ----

Rules Integer(const std::string& argument, IntegerRule rule) {
  return {{argument, kBad,
           [=](Judgement& j) {
             const int64_t value = j.call.integer(argument);
             return Unless(rule.allowed(value, j.call),
                           Format("%s is %lld, expected %s.", argument.c_str(), static_cast<long long>(value),
                                  rule.expectation.c_str()));
           },
           [=](const Contract&, const Call&) {
             Faults faults;
             for (const int64_t value : rule.wrong) {
               faults.push_back({rule.bad_class, argument + " " + std::to_string(value), WithInteger(argument, value)});
             }
             for (const int64_t value : {-1, 0, 1, 2, 3, 4, 5, 6, INT_MAX, INT_MIN}) {
               faults.push_back(
                   {rule.bad_class, argument + " " + std::to_string(value), WithInteger(argument, value), false});
             }
             return faults;
           }}};
}

Rules Positive(const Names& arguments, const std::string& expectation) {
  Rules rules;
  for (const std::string& argument : arguments) {
    const Rules one = Integer(
        argument, {[](int64_t value, const Call&) { return value > 0; }, expectation, {0, -1}, BadClass::kSizes});
    rules.push_back(one[0]);
  }
  return rules;
}

Rules Enumerator(const std::string& argument, int64_t least, int64_t most, const std::string& expectation) {
  return Integer(argument, {[=](int64_t value, const Call&) { return value >= least && value <= most; },
                            expectation,
                            {least - 1, most + 1, 99},
                            BadClass::kEnumerator});
}

Rules FiniteAboveZero(const std::string& argument, Precision precision) {
  const bool in_float = precision == Precision::kFloat;
  return {{argument, kBad,
           [=](Judgement& j) {
             const double value = j.call.number(argument);
             const auto rounded = static_cast<float>(value);
             const bool good = in_float ? std::isfinite(rounded) && rounded > 0 : std::isfinite(value) && value > 0;
             return Unless(good, argument + " is " + (in_float ? NumberText(rounded) : NumberText(value)) +
                                     ", expected a finite number above 0.");
           },
           [=](const Contract&, const Call&) {
             Faults faults;
             for (const double value : {0.0, -1.0, kNan, kInf}) {
               faults.push_back(
                   {BadClass::kNotFinite, argument + " " + std::to_string(value), WithNumber(argument, value)});
             }
             for (const double value : {-0.0, -0.5, -kInf, static_cast<double>(FLT_MIN), static_cast<double>(FLT_MAX),
                                        static_cast<double>(FLT_TRUE_MIN), 1.0}) {
               faults.push_back(
                   {BadClass::kNotFinite, argument + " " + std::to_string(value), WithNumber(argument, value), false});
             }
             return faults;
           }}};
}

// ---- memory ----

Rules WorkspacePointer() {
  return {{"workspace", kBad,
           [](Judgement& j) {
             const int64_t size = j.call.integer("workspace_size");
             return Unless(j.call.workspace.address != nullptr || size == 0,
                           Format("workspace is NULL, expected %llu bytes as workspace_size says.",
                                  static_cast<unsigned long long>(size)));
           },
           [](const Contract&, const Call& good) {
             const int64_t size = std::max<int64_t>(good.integer("workspace_size"), 16);
             return Faults{{BadClass::kWorkspace, "workspace", [size](Call& call) {
                              call.workspace.has_data = false;
                              call.integers.at("workspace_size") = size;
                            }}};
           }}};
}

Rules WorkspaceSize(std::function<int64_t(const Call&)> needed) {
  return {{"size of workspace", kBad,
           [=](Judgement& j) {
             const int64_t size = j.call.integer("workspace_size");
             const int64_t least = j.call.asked_workspace.has_value() ? *j.call.asked_workspace : needed(j.call);
             return Unless(size >= least, Format("workspace_size is %lld, expected at least %lld bytes.",
                                                 static_cast<long long>(size), static_cast<long long>(least)));
           },
           [](const Contract&, const Call& good) {
             const int64_t size = good.integer("workspace_size");
             Faults faults;
             for (const int64_t wrong : {size - 1, int64_t{1}, int64_t{0}}) {
               faults.push_back({BadClass::kWorkspace, "workspace_size " + std::to_string(wrong),
                                 WithInteger("workspace_size", std::max<int64_t>(0, wrong)), wrong == size - 1});
             }
             return faults;
           }}};
}

namespace {

struct Buffer {
  const void* address;
  int64_t bytes;
};

Buffer BufferOf(const Call& call, const std::string& name) {
  const auto list = call.integer_lists.find(name);
  if (list != call.integer_lists.end()) {
    const auto bytes = static_cast<int64_t>(list->second.size() * sizeof(int64_t));
    return call.nulls.count(name) != 0 ? Buffer{nullptr, 0} : Buffer{call.list_address(name), bytes};
  }
  if (name == "workspace") {
    const int64_t size = call.integer("workspace_size");  // negative: a size_t that no int64 holds
    return {call.workspace.address, call.workspace.address == nullptr ? 0 : size < 0 ? INT64_MAX : size};
  }
  const Tensor& tensor = call[name];
  return {tensor.address, tensor.described ? tensor.byte_count() : 0};
}

bool Overlap(const Buffer& a, const Buffer& b) {
  const auto x = reinterpret_cast<uintptr_t>(a.address), y = reinterpret_cast<uintptr_t>(b.address);
  return x <= y ? b.bytes > 0 && y - x < static_cast<uint64_t>(a.bytes)
                : a.bytes > 0 && x - y < static_cast<uint64_t>(b.bytes);
}

}  // namespace

Rules Separate(const std::string& output, const Names& others) {
  Rules rules;
  for (const std::string& other : others) {
    rules.push_back({"overlap of " + output + " with " + other, kBad,
                     [=](Judgement& j) {
                       return Unless(!Overlap(BufferOf(j.call, output), BufferOf(j.call, other)),
                                     output + " overlaps " + other + " in memory, expected separate buffers.");
                     },
                     [=](const Contract&, const Call& good) {
                       Faults faults;
                       const bool list = good.integer_lists.count(other) != 0;
                       if (IsAbsent(good[output]) || (!list && !good[other].has_data)) return faults;
                       const auto own = static_cast<int64_t>(good[output].memory_bytes());
                       const auto bytes = std::max<int64_t>(
                           1, list ? static_cast<int64_t>(good.integer_lists.at(other).size() * sizeof(int64_t))
                                   : static_cast<int64_t>(good[other].memory_bytes()));
                       for (const int64_t at : {int64_t{0}, bytes - 1, 1 - own}) {
                         faults.push_back(Of(
                             output, BadClass::kOverlap, output + " in " + other,
                             [=](Tensor& tensor) {
                               tensor.inside = other;
                               tensor.inside_at = at;
                             },
                             at == 0));
                       }
                       return faults;
                     }});
  }
  return rules;
}

// ---- elements ----

Rules Elements(const std::string& tensor, const ElementRule& rule) {
  Rules rules = ForEach(
      {tensor}, "values", kBad,
      [=](Judgement& j, const Tensor& checked) -> Sentence {
        // A description may say more than there is; what is not there breaks no rule, and the call is not carried out.
        const int64_t count = std::min(checked.elements(), checked.stored());
        for (int64_t i = 0; i < count; ++i) {
          const double value = checked.Get(i);
          if (rule.allowed(value, i, j.call)) continue;
          return checked.name + PositionText(checked, i) + " is " + NumberText(value) + ", expected " +
                 rule.expectation(i, j.call) + ".";
        }
        return {};
      },
      [=](const Contract&, const Call& good, const std::string& name) {
        Faults faults;
        for (const ElementRule::Trial& trial : rule.trials(good)) {
          faults.push_back({rule.bad_class, trial.text, WithElement(name, trial.index, trial.value)});
          if (rule.bad_class != BadClass::kNotFinite) continue;
          // Off: nobody looks, and a number that is not finite leads nowhere.
          faults.push_back({rule.bad_class, trial.text + ", value checks off",
                            [=](Call& call) {
                              WithElement(name, trial.index, trial.value)(call);
                              call.value_checks = false;
                            },
                            false});
        }
        return faults;
      });
  rules[0].of_values = true;
  rules[0].of_places = rule.bad_class != BadClass::kNotFinite;
  return rules;
}

Rules Finite(const std::string& tensor, const std::string& owner) {
  return Elements(tensor, {[](double value, int64_t, const Call&) { return std::isfinite(value); },
                           [](int64_t, const Call&) { return "a finite number"; },
                           [=](const Call& good) {
                             std::vector<ElementRule::Trial> trials;
                             const int64_t last = good[tensor].elements() - 1;
                             for (const double value : {kNan, kInf, -kInf}) {
                               for (const int64_t index : {int64_t{0}, std::min<int64_t>(7, last), last}) {
                                 trials.push_back({index, value, owner + " has " + std::to_string(value)});
                               }
                             }
                             return trials;
                           },
                           BadClass::kNotFinite});
}

// ---- an operator's own ----

Rules Own(OwnRule rule) {
  return {{rule.about, rule.status, std::move(rule.judge),
           [faults = std::move(rule.faults)](const Contract&, const Call&) { return faults; }, false, rule.of_values,
           rule.of_places}};
}

Rules Done(const std::string& about, std::function<bool(const Call&)> condition, Faults faults) {
  return {{about, MLUOP_STATUS_SUCCESS, [=](Judgement& j) { return condition(j.call) ? Sentence("") : Sentence(); },
           [=](const Contract&, const Call&) { return faults; }}};
}

}  // namespace detops_harness
