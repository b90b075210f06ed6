// Rules about pointers, workspaces and buffers that overlap.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "harness/rule_parts.h"
#include "harness/rules.h"

namespace detops_harness {

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

Rules OutputPlace(const Names& outputs) {
  Rules rules;
  for (const std::string& name : outputs) {
    rules.push_back({name, kBad,
                     [=](Judgement& j) {
                       return Unless(j.call[name].address != nullptr,
                                     name + " is NULL, expected a place for the result.");
                     },
                     [=](const Contract&, const Call&) {
                       return Faults{Of(name, BadClass::kNull, name, [](Tensor& tensor) { tensor.has_data = false; })};
                     }});
  }
  return rules;
}

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
      [=](Judgement& j, const Tensor& tensor) {
        const bool empty = tensor.elements() == 0;
        return Unless(
            tensor.address != nullptr || (only_of_elements && empty),
            Format("the data pointer of %s is NULL, expected %lld elements%s.", tensor.name.c_str(),
                   static_cast<long long>(tensor.elements()), empty && !j.call.full() ? kFullProfileLifts : ""));
      },
      [](const Contract&, const Call&, const std::string& name) {
        return Faults{Of(name, BadClass::kNull, "data of " + name, [](Tensor& tensor) { tensor.has_data = false; })};
      });
}

}  // namespace

Rules Data(const Names& tensors) { return DataPointers(tensors, false); }
Rules DataOfElements(const Names& tensors) { return DataPointers(tensors, true); }

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

Rules WorkspaceCounted(const std::string& tensor, std::function<int64_t(const Call&)> needed, Faults faults) {
  return Own({"bytes of the workspace", MLUOP_STATUS_NOT_SUPPORTED,
              [=](Judgement& j) {
                return Unless(needed(j.call) != INT64_MAX,
                              Format("%s has %lld rows, expected a workspace of fewer than 2^63 bytes.", tensor.c_str(),
                                     static_cast<long long>(j.call[tensor].extents[0])));
              },
              std::move(faults)});
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
  if (a.address == nullptr || b.address == nullptr) return false;
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

Rules SeparateOutputs(const Names& outputs, const Names& inputs) {
  Rules rules;
  const auto add = [&](const std::string& output, const Names& others) {
    for (Rule& rule : Separate(output, others)) rules.push_back(std::move(rule));
  };
  Names before = inputs;
  before.emplace_back("workspace");
  for (const std::string& output : outputs) {
    add(output, before);
    before.push_back(output);
  }
  add("workspace", inputs);
  return rules;
}

}  // namespace detops_harness
