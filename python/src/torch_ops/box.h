// Kernels as torch's dispatcher calls them, with a stack of 64-bit values. TORCH_BOX does the same; it shares each
// tensor between several owners on the way, which for small problems is a good part of a call's time.
#ifndef DETOPS_PYTHON_SRC_TORCH_OPS_BOX_H_
#define DETOPS_PYTHON_SRC_TORCH_OPS_BOX_H_

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "torch_ops/tensor.h"

namespace detops_torch {

// Takes a value from the stack; what it owned there, the result owns.
template <typename Value>
struct Unboxed {
  static Value Take(StableIValue value) { return torch::stable::detail::to<Value>(value); }
};

template <>
struct Unboxed<Tensor> {
  static Tensor Take(StableIValue value) { return Tensor(torch::stable::detail::to<AtenTensorHandle>(value)); }
};

template <>
struct Unboxed<Word> {
  static Word Take(StableIValue value) {
    const auto handle = torch::stable::detail::to<StringHandle>(value);
    size_t length = 0;
    const char* text = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_string_length(handle, &length));
    STABLE_TORCH_ERROR_CODE_CHECK(torch_string_c_str(handle, &text));
    Word word = {std::string(text, length)};
    STABLE_TORCH_ERROR_CODE_CHECK(torch_delete_string(handle));
    return word;
  }
};

template <typename Value>
struct Unboxed<std::optional<Value>> {
  static std::optional<Value> Take(StableIValue value) {
    // The value itself is behind a pointer, and whoever takes it deletes that.
    const std::unique_ptr<StableIValue> held(torch::stable::detail::to<StableIValue*>(value));
    return held == nullptr ? std::nullopt : std::optional<Value>(Unboxed<Value>::Take(*held));
  }
};

inline StableIValue Boxed(Tensor tensor) { return torch::stable::detail::from(tensor.Release()); }
template <typename Value>
  requires std::is_arithmetic_v<Value>
StableIValue Boxed(Value value) {
  return torch::stable::detail::from(value);
}

template <typename Value>
struct Results {
  static constexpr uint64_t kCount = 1;
  static void Put(Value value, StableIValue* stack) { *stack = Boxed(std::move(value)); }
};

template <typename... Values>
struct Results<std::tuple<Values...>> {
  static constexpr uint64_t kCount = sizeof...(Values);
  static void Put(std::tuple<Values...> values, StableIValue* stack) {
    std::apply([stack](Values&... value) mutable { ((*stack++ = Boxed(std::move(value))), ...); }, values);
  }
};

template <auto kKernel>
struct Box;

template <typename Result, typename... Arguments, Result (*kKernel)(Arguments...)>
struct Box<kKernel> {
  // What StableLibrary::impl takes.
  static void Call(StableIValue* stack, uint64_t num_arguments, uint64_t num_results) {
    STD_TORCH_CHECK(num_arguments == sizeof...(Arguments) && num_results == Results<Result>::kCount,
                    "detops: a schema and its kernel differ");
    CallWith(stack, std::index_sequence_for<Arguments...>());
  }

 private:
  template <size_t... kIndex>
  static void CallWith(StableIValue* stack, std::index_sequence<kIndex...> /*indices*/) {
    // All are taken before the kernel runs, and freed when it has thrown.
    const std::tuple<std::remove_cvref_t<Arguments>...> arguments{
        Unboxed<std::remove_cvref_t<Arguments>>::Take(stack[kIndex])...};
    Results<Result>::Put(std::apply(kKernel, arguments), stack);
  }
};

// An operator is there twice: under its name, and with an underscore before it for calls that need no gradient. Only
// the first gets one from Python; for the second torch goes straight to the kernel.
using Library = torch::stable::detail::StableLibrary;

inline void Define(Library& library, const std::string& schema) {
  library.def(schema.c_str());
  library.def(("_" + schema).c_str());
}

template <auto kKernel>
void Implement(Library& library, const std::string& name) {
  library.impl(name.c_str(), &Box<kKernel>::Call);
  library.impl(("_" + name).c_str(), &Box<kKernel>::Call);
}

}  // namespace detops_torch

#endif  // DETOPS_PYTHON_SRC_TORCH_OPS_BOX_H_
