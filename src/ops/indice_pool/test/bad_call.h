// A call of indice_pool whose every argument a test can spoil, and what a refused call must leave behind.
#ifndef DETOPS_OPS_INDICE_POOL_TEST_BAD_CALL_H_
#define DETOPS_OPS_INDICE_POOL_TEST_BAD_CALL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/indice_pool/test/problem.h"

namespace detops_test::inline indice_pool {  // one program may use several rooms

// Which function, with which method.
struct CallKind {
  bool backward, on_rulebook;
  detopsPoolMethod_t method;

  std::string function() const {
    return std::string(on_rulebook ? "detopsRulebookPool" : "detopsIndicePool") + (backward ? "Backward" : "Forward");
  }
  bool maximum() const { return method == DETOPS_POOL_MAXIMUM; }

  // Of tensors that the call looks at, in the order of its arguments.
  std::vector<std::string> Tensors() const {
    std::vector<std::string> names;
    if (!backward || maximum()) names.push_back("features");
    if (backward && maximum()) names.push_back("features_out");
    if (backward) names.push_back("output_grad");
    if (!on_rulebook) names.push_back("indice_pairs");
    names.push_back(target());
    return names;
  }
  std::string target() const { return backward ? "input_grad" : "features_out"; }
};

inline constexpr CallKind kCallKinds[] = {{false, false, DETOPS_POOL_MAXIMUM}, {false, false, DETOPS_POOL_AVERAGE},
                                          {true, false, DETOPS_POOL_MAXIMUM},  {true, false, DETOPS_POOL_AVERAGE},
                                          {false, true, DETOPS_POOL_MAXIMUM},  {false, true, DETOPS_POOL_AVERAGE},
                                          {true, true, DETOPS_POOL_MAXIMUM},   {true, true, DETOPS_POOL_AVERAGE}};

inline std::string KindName(const testing::TestParamInfo<CallKind>& info) {
  return std::string(info.param.on_rulebook ? "Rulebook" : "Pairs") + (info.param.backward ? "Backward" : "Forward") +
         (info.param.maximum() ? "Maximum" : "Average");
}

// What the call says of one tensor. Extents follow from the good call; here stands only what deviates from them, so
// that two faults in one tensor do not undo each other.
struct TensorArgument {
  void* data = nullptr;
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  bool described = true;           // false: the descriptor is NULL
  int surplus_rank = 0;            // ones are appended
  std::vector<int64_t> extents{};  // of the good call
  int64_t surplus[3] = {};         // added to the extents
  int64_t odd_stride = 0;          // added to the first stride
};

class BadCall {
 public:
  // No extent of a good call equals another with which it could be confused.
  static constexpr int64_t kInputs = 11, kOutputs = 13, kChannels = 5, kOffsets = 4, kColumns = 9;

  explicit BadCall(const CallKind& of) : kind(of), method(of.method), numbers(kOffsets * sizeof(int64_t)) {
    for (const char* name : {"features", "features_out", "output_grad", "input_grad", "indice_pairs"}) {
      const std::string tensor = name;
      const bool pairs = tensor == "indice_pairs", input = tensor == "features" || tensor == "input_grad";
      TensorArgument argument;
      argument.type = pairs ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_FLOAT;
      argument.extents = pairs ? std::vector<int64_t>{kOffsets, 2, kColumns}
                               : std::vector<int64_t>{input ? kInputs : kOutputs, kChannels};
      memory[tensor] = std::make_unique<Tensor>(MLUOP_LAYOUT_ARRAY, argument.type, argument.extents);
      argument.data = memory[tensor]->data();
      tensors[tensor] = argument;
      if (pairs || tensor == kind.target()) continue;
      for (int64_t i = 0; i < memory[tensor]->elements(); ++i) {
        memory[tensor]->Set(i, static_cast<double>(i * 7 % 5 - 2));
      }
    }
    // Some offsets have no pairs. What is not counted must not be read.
    for (int64_t k = 0; k < kOffsets; ++k) {
      num()[k] = k == 1 ? 0 : 5 + k;
      for (int64_t column = 0; column < kColumns; ++column) {
        const bool counted = column < num()[k];
        Pair(k, 0, column) = counted ? static_cast<int32_t>((column * 3 + k) % kInputs) : INT32_MIN;
        Pair(k, 1, column) = counted ? static_cast<int32_t>((column * 5 + k) % kOutputs) : INT32_MAX;
      }
    }
  }
  ~BadCall() {
    if (rulebook_ != nullptr) detopsDestroyRulebook(rulebook_);
  }
  BadCall(const BadCall&) = delete;
  BadCall& operator=(const BadCall&) = delete;

  TensorArgument& operator[](const std::string& name) { return tensors.at(name); }
  int64_t* num() const { return static_cast<int64_t*>(numbers.data()); }
  int32_t& Pair(int64_t offset, int64_t row, int64_t column) {
    return static_cast<int32_t*>(memory.at("indice_pairs")->data())[(offset * 2 + row) * kColumns + column];
  }
  Tensor& target() { return *memory.at(kind.target()); }

  mluOpStatus_t Run(Handle& handle) {
    if (kind.on_rulebook && rulebook_ == nullptr) MakeRulebook();
    handle.SetProfile(profile);
    handle.SetValueChecks(value_checks);
    std::map<std::string, OwnedDescriptor> descs;
    for (const auto& [name, tensor] : tensors) descs[name] = Describe(tensor);
    const auto d = [&](const char* name) { return descs.at(name).get(); };
    const auto p = [&](const char* name) { return tensors.at(name).data; };
    const mluOpHandle_t h = with_handle ? handle.get() : nullptr;
    const detopsRulebook_t rulebook = with_rulebook ? rulebook_ : nullptr;
    const int64_t* const counts = with_num ? (other_num != nullptr ? other_num : num()) : nullptr;
    const auto status = [&] {
      if (kind.backward && kind.on_rulebook) {
        return detopsRulebookPoolBackward(h, rulebook, method, d("features"), p("features"), d("features_out"),
                                          p("features_out"), d("output_grad"), p("output_grad"), d("input_grad"),
                                          p("input_grad"));
      }
      if (kind.backward) {
        return detopsIndicePoolBackward(h, method, d("features"), p("features"), d("features_out"), p("features_out"),
                                        d("output_grad"), p("output_grad"), d("indice_pairs"), p("indice_pairs"),
                                        counts, d("input_grad"), p("input_grad"));
      }
      if (kind.on_rulebook) {
        return detopsRulebookPoolForward(h, rulebook, method, start, d("features"), p("features"), d("features_out"),
                                         p("features_out"));
      }
      return detopsIndicePoolForward(h, method, start, d("features"), p("features"), d("indice_pairs"),
                                     p("indice_pairs"), counts, num_act_out, d("features_out"), p("features_out"));
    }();
    text = detopsGetLastError(nullptr);
    if (h != nullptr) {
      EXPECT_EQ(detopsGetLastError(h), text);
    }
    return status;
  }

  // All memory that belongs to the call.
  std::vector<unsigned char> Bytes() const {
    std::vector<unsigned char> bytes(static_cast<const unsigned char*>(numbers.data()),
                                     static_cast<const unsigned char*>(numbers.data()) + numbers.size());
    for (const auto& [name, tensor] : memory) {
      const auto* begin = static_cast<const unsigned char*>(tensor->data());
      bytes.insert(bytes.end(), begin, begin + tensor->bytes());
    }
    return bytes;
  }
  bool SurroundingsIntact() const {
    return numbers.SlackIntact() && std::all_of(memory.begin(), memory.end(),
                                                [](const auto& entry) { return entry.second->SurroundingsIntact(); });
  }

  CallKind kind;
  detopsPoolMethod_t method;
  detopsMaximumStart_t start = DETOPS_MAXIMUM_FROM_LOWEST;
  bool with_handle = true, with_rulebook = true, with_num = true, value_checks = true;
  detopsProfile_t profile = DETOPS_PROFILE_FULL;
  int64_t num_act_out = kOutputs;
  std::map<std::string, std::unique_ptr<Tensor>> memory;  // of a good call
  std::map<std::string, TensorArgument> tensors;
  GuardedBuffer numbers;               // indice_num, against a page that may not be read
  const int64_t* other_num = nullptr;  // what is passed instead
  std::string text;                    // the sentence of the last run

 private:
  struct Destroy {
    void operator()(mluOpTensorDescriptor_t desc) const { mluOpDestroyTensorDescriptor(desc); }
  };
  using OwnedDescriptor = std::unique_ptr<std::remove_pointer_t<mluOpTensorDescriptor_t>, Destroy>;

  void MakeRulebook() {
    const Handle full(DETOPS_PROFILE_FULL, 1);
    Must(detopsCreateRulebook(full.get(), memory.at("indice_pairs")->desc(), memory.at("indice_pairs")->data(), num(),
                              kInputs, kOutputs, &rulebook_),
         "detopsCreateRulebook");
  }

  static OwnedDescriptor Describe(const TensorArgument& tensor) {
    if (!tensor.described) return nullptr;
    std::vector<int64_t> extents = tensor.extents;
    for (size_t axis = 0; axis < extents.size(); ++axis) extents[axis] += tensor.surplus[axis];
    extents.resize(extents.size() + static_cast<size_t>(tensor.surplus_rank), 1);
    std::vector<int64_t> strides(extents.size(), 1);
    for (size_t axis = extents.size(); axis-- > 1;) {
      // Shapes that nobody can count have strides that nobody reads.
      if (__builtin_mul_overflow(strides[axis], extents[axis], &strides[axis - 1])) strides[axis - 1] = INT64_MAX;
    }
    if (tensor.odd_stride != 0 && strides[0] != INT64_MAX) strides[0] += tensor.odd_stride;
    mluOpTensorDescriptor_t desc = nullptr;
    Must(mluOpCreateTensorDescriptor(&desc), "mluOpCreateTensorDescriptor");
    OwnedDescriptor owned(desc);
    const auto rank = static_cast<int>(extents.size());
    Must(
        tensor.odd_stride != 0
            ? mluOpSetTensorDescriptorEx_v2(desc, MLUOP_LAYOUT_ARRAY, tensor.type, rank, extents.data(), strides.data())
            : mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, tensor.type, rank, extents.data()),
        "mluOpSetTensorDescriptor");
    return owned;
  }

  detopsRulebook_t rulebook_ = nullptr;
};

using Spoil = std::function<void(BadCall&)>;

// Whether a text is the pattern, in which "*" stands for anything.
inline bool Matches(const std::string& text, const std::string& pattern) {
  size_t at = 0, from = 0;
  for (bool anchored = true;; anchored = false) {
    const size_t star = pattern.find('*', from);
    const std::string part = pattern.substr(from, star == std::string::npos ? star : star - from);
    if (star == std::string::npos) {
      if (anchored) return text == part;
      return text.size() >= at + part.size() && text.compare(text.size() - part.size(), part.size(), part) == 0;
    }
    const size_t found = text.find(part, at);
    if (found == std::string::npos || (anchored && found != 0)) return false;
    at = found + part.size();
    from = star + 1;
  }
}

class IndicePoolRefusals : public testing::TestWithParam<CallKind> {
 protected:
  // The call is refused as told and changes nothing; the handle then makes a good call.
  void ExpectRefused(mluOpStatus_t status, const std::string& sentence, const Spoil& spoil) {
    BadCall call(GetParam());
    spoil(call);
    const std::vector<unsigned char> before = call.Bytes();
    EXPECT_EQ(call.Run(handle_), status) << call.text;
    EXPECT_TRUE(Matches(call.text, GetParam().function() + ": " + sentence)) << call.text << "\nexpected " << sentence;
    EXPECT_TRUE(call.Bytes() == before && call.SurroundingsIntact()) << "a refused call changed memory";
    BadCall good(GetParam());
    EXPECT_EQ(good.Run(handle_), MLUOP_STATUS_SUCCESS) << good.text;
    EXPECT_EQ(good.text, "");
  }

  Handle handle_{DETOPS_PROFILE_FULL, 2};
};

}  // namespace detops_test::inline indice_pool

#endif  // DETOPS_OPS_INDICE_POOL_TEST_BAD_CALL_H_
