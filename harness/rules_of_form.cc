// Rules about the form of one tensor: rank, type, layout, strides.
#include <algorithm>
#include <climits>
#include <utility>

#include "harness/function.h"
#include "harness/rule_parts.h"
#include "harness/rules.h"

namespace detops_harness {

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
    // Everything that was of the same type changes with it, but for outputs without a descriptor.
    faults.push_back({BadClass::kForm, "type of " + name,
                      [=](Call& call) {
                        const mluOpDataType_t before = call[name].type;
                        const auto& shapes = call.function->contract().shapes();
                        for (Tensor& tensor : call.tensors) {
                          if (tensor.type != before || shapes.count(tensor.name) == 0) continue;
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
Rules IndexTypes(const Names& tensors) {
  return Types(tensors, {{MLUOP_DTYPE_INT32, MLUOP_DTYPE_INT64}, "int32 or int64"});
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

}  // namespace detops_harness
