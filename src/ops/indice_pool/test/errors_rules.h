// The checks of all functions of indice_pool as a list of rules in their documented order, each with a way to break it.
#ifndef DETOPS_OPS_INDICE_POOL_TEST_ERRORS_RULES_H_
#define DETOPS_OPS_INDICE_POOL_TEST_ERRORS_RULES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/indice_pool/test/bad_call.h"

namespace detops_test {

struct Rule {
  std::string name;
  mluOpStatus_t status;
  std::string sentence;  // with "*": numbers depend on another fault
  Spoil spoil;
  std::vector<std::string> excludes = {};  // later rules that the same call cannot break as well
};

class RuleList {
 public:
  explicit RuleList(const CallKind& kind) : kind_(kind) {
    Pointers();
    Add("profile", kLimit, "handle has the contract profile, expected the full one; the full profile lifts this limit.",
        [](BadCall& c) { c.profile = DETOPS_PROFILE_CONTRACT; });
    Numbers();
    for (const std::string& name : kind_.Tensors()) {
      const std::string rank = name == "indice_pairs" ? "3" : "2";
      Add(name + " rank", kBad, name + " has rank " + std::to_string(std::stoi(rank) + 1) + ", expected " + rank + ".",
          [name](BadCall& c) { c[name].surplus_rank = 1; });
    }
    Types();
    Limits();
    Shapes();
    Counts();
    for (const std::string& name : kind_.Tensors()) {
      Add(name + " data", kBad, "the data pointer of " + name + " is NULL, expected * elements.",
          [name](BadCall& c) { c[name].data = nullptr; }, {name + " overlap", kind_.target() + " everything"});
    }
    Overlaps();
    if (!kind_.on_rulebook) {
      Add("index", kBad, "indice_pairs[2, 1, 6] is 13, expected an index in [0, 13).",
          [](BadCall& c) { c.Pair(2, 1, 6) = 13; });
    }
  }

  std::vector<Rule> rules;

 private:
  static constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;

  void Add(std::string name, mluOpStatus_t status, std::string sentence, Spoil spoil,
           std::vector<std::string> excludes = {}) {
    rules.push_back({std::move(name), status, std::move(sentence), std::move(spoil), std::move(excludes)});
  }

  void Pointers() {
    Add("handle", kBad, "handle is NULL, expected a handle of mluOpCreate.", [](BadCall& c) { c.with_handle = false; });
    if (kind_.on_rulebook) {
      Add("rulebook", kBad, "rulebook is NULL, expected a rulebook of detopsCreateRulebook.",
          [](BadCall& c) { c.with_rulebook = false; });
    }
    for (const std::string& name : kind_.Tensors()) {
      // Which descriptors the gradient needs follows from the method, so a wrong method needs fewer.
      const bool by_method = kind_.backward && name.rfind("features", 0) == 0;
      Add(
          name + " descriptor", kBad, "the descriptor of " + name + " is NULL, expected a tensor descriptor.",
          [name](BadCall& c) { c[name].described = false; },
          by_method ? std::vector<std::string>{"method"} : std::vector<std::string>{});
    }
    if (!kind_.on_rulebook) {
      Add("indice_num", kBad, "indice_num is NULL, expected one count per offset.",
          [](BadCall& c) { c.with_num = false; });
    }
  }

  void Numbers() {
    Add("method", kBad, "method is 2, expected a value of detopsPoolMethod_t.",
        [](BadCall& c) { c.method = static_cast<detopsPoolMethod_t>(2); });
    if (!kind_.backward && kind_.maximum()) {
      Add("start", kBad, "start is -1, expected a value of detopsMaximumStart_t.",
          [](BadCall& c) { c.start = static_cast<detopsMaximumStart_t>(-1); });
    }
  }

  void OtherType(const std::string& name, const std::string& first) {
    Add(name + " type", kBad, name + " has type half, expected * as " + first + " has.",
        [name](BadCall& c) { c[name].type = MLUOP_DTYPE_HALF; });
  }

  void Types() {
    const std::string first = kind_.backward ? "output_grad" : "features";
    // Another type of the first tensor is also another one than that of the rest.
    Add(first + " type", kBad, first + " has type int32, expected float, half, double or bfloat16.",
        [first](BadCall& c) { c[first].type = MLUOP_DTYPE_INT32; });
    if (kind_.backward && kind_.maximum()) {
      OtherType("features", first);
      OtherType("features_out", first);
    }
    if (!kind_.on_rulebook) {
      Add("indice_pairs type", kBad, "indice_pairs has type int64, expected int32.",
          [](BadCall& c) { c["indice_pairs"].type = MLUOP_DTYPE_INT64; });
    }
    OtherType(kind_.target(), first);
  }

  void Limits() {
    for (const std::string& name : kind_.Tensors()) {
      Add(name + " stride", kLimit, name + " has stride * on axis 0, expected *: only dense tensors are supported.",
          [name](BadCall& c) { c[name].odd_stride = 1; }, {name + " bytes"});
      Add(name + " bytes", kLimit, name + " has shape *, expected fewer than 2^63 bytes.",
          [name](BadCall& c) { c[name].surplus[0] = int64_t{1} << 61; });
    }
  }

  void Axes(const std::string& name, std::initializer_list<int> axes) {
    for (const int axis : axes) {
      const std::string on = std::to_string(axis);
      Add(name + " axis " + on, kBad, name + " has extent * on axis " + on + ", expected *; its shape is [*].",
          [name, axis](BadCall& c) { c[name].surplus[axis] += 1; });
    }
  }

  void Shapes() {
    if (!kind_.on_rulebook) Axes("indice_pairs", {1});
    if (!kind_.backward) {
      if (kind_.on_rulebook) Axes("features", {0});
      Axes("features_out", {0, 1});
      return;
    }
    if (kind_.on_rulebook) Axes("output_grad", {0});
    if (kind_.on_rulebook) Axes("input_grad", {0});
    Axes("input_grad", {1});
    if (!kind_.maximum()) return;
    Axes("features", {0, 1});
    Axes("features_out", {0, 1});
  }

  void Counts() {
    if (kind_.on_rulebook) return;
    Add("first count", kBad, "indice_num[1] is -1, expected a count in [0, 9].", [](BadCall& c) { c.num()[1] = -1; });
    Add("last count", kBad, "indice_num[3] is 10, expected a count in [0, 9].", [](BadCall& c) { c.num()[3] = 10; });
  }

  void Overlaps() {
    const std::string target = kind_.target();
    for (const std::string& name : kind_.Tensors()) {
      if (name == target) continue;
      // The last byte of one and the first of the other. The target cannot lie elsewhere at the same time.
      std::vector<std::string> later;
      for (const std::string& other : kind_.Tensors()) later.push_back(other + " overlap");
      later.push_back("indice_num overlap");
      Add(
          name + " overlap", kBad, target + " overlaps " + name + " in memory, expected separate buffers.",
          [name, target](BadCall& c) {
            const Tensor& other = *c.memory.at(name);
            c[target].data = static_cast<char*>(c[name].data) + other.bytes() - 1;
          },
          later);
    }
    if (kind_.on_rulebook) return;
    Add("indice_num overlap", kBad, target + " overlaps indice_num in memory, expected separate buffers.",
        [target](BadCall& c) { c[target].data = c.num(); });
  }

  CallKind kind_;
};

}  // namespace detops_test

#endif  // DETOPS_OPS_INDICE_POOL_TEST_ERRORS_RULES_H_
