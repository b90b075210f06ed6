// The vocabulary of contracts: one function per kind of rule, each with its sentence and the faults that break it.
#ifndef DETOPS_HARNESS_RULES_H_
#define DETOPS_HARNESS_RULES_H_

#include <functional>
#include <string>
#include <vector>

#include "harness/contract.h"

namespace detops_harness {

using Names = std::vector<std::string>;

// The same rules, but no call can break them: rules before them imply them.
Rules Implied(Rules rules);
// The same rules, but only for calls of a kind; all others keep them. `arrange` makes the good call one of that kind,
// if it is not.
Rules When(const std::function<bool(const Call&)>& condition, Rules rules,
           const std::function<void(Call&)>& arrange = {});
// The same rules, and more faults that break the last of them, or changes that come close.
Rules WithFaults(Rules rules, const Faults& more);

// ---- pointers ----

Rules Handle();
// "<argument> is NULL, expected <expected>."
Rules NotNull(const Names& arguments, const std::string& expected);
Rules PlaceForResult(const Names& results);
// The same of outputs without a descriptor: numbers that other arguments might overlap with.
Rules OutputPlace(const Names& outputs);
Rules Descriptors(const Names& tensors);
Rules Data(const Names& tensors);
// Only of tensors that have elements.
Rules DataOfElements(const Names& tensors);

// ---- the form of one tensor. Tensors without a descriptor break none of these ----

Rules FullProfile();
// As many axes as the contract's table gives the tensor.
Rules Ranks(const Names& tensors);
// Float and half; in the full profile also double and bfloat16.
Rules Floating(const Names& tensors);
// Float; in the full profile also half, double and bfloat16.
Rules FloatUnlessFull(const Names& tensors);
// Float, half, double and bfloat16 in both profiles.
Rules AnyFloating(const Names& tensors);
Rules Int32(const Names& tensors);
// Int32; in the full profile also int64.
Rules Int32UnlessFull(const Names& tensors);
// Int32 or int64 in both profiles.
Rules IndexTypes(const Names& tensors);
Rules Bool(const Names& tensors);
Rules SameType(const Names& tensors, const std::string& other);
Rules Layouts(const Names& tensors, mluOpTensorLayout_t layout);
Rules Dense(const Names& tensors);
// Fewer than 2^31 elements, unless the profile is full, and fewer than 2^63 bytes.
Rules Counts(const Names& tensors);
Rules NotEmpty(const Names& tensors);
// Indices that are int32 can number the rows of the other tensor.
Rules CanNumber(const std::string& indices, const std::string& other);

// ---- shapes ----

// All axes as in the contract's table.
Rules Shapes(const Names& tensors);
Rules Axis(const std::string& tensor, size_t axis, const Dim& expected);

// ---- numbers ----

struct IntegerRule {
  std::function<bool(int64_t, const Call&)> allowed;
  std::string expectation;
  std::vector<int64_t> wrong;  // listed, and tried with some more that are always wrong or right
  BadClass bad_class = BadClass::kSizes;
};
// "<argument> is <value>, expected <expectation>."
Rules Integer(const std::string& argument, IntegerRule rule);
Rules Positive(const Names& arguments, const std::string& expectation = "a number above 0");
Rules Enumerator(const std::string& argument, int64_t least, int64_t most, const std::string& expectation);

// A number that the function takes as float: "<argument> is <value>, expected <expectation>."
struct FloatRule {
  std::function<bool(float, const Call&)> allowed;
  std::string expectation;
  std::vector<double> wrong;  // listed, and tried with some more
};
Rules Number(const std::string& argument, const FloatRule& rule);
Rules NotNan(const std::string& argument);

// A number that the function takes as float, or double: finite and above 0.
enum class Precision { kFloat, kDouble };
Rules FiniteAboveZero(const std::string& argument, Precision precision);

// ---- memory ----

// workspace is not NULL unless workspace_size is 0.
Rules WorkspacePointer();
Rules WorkspaceSize(std::function<int64_t(const Call&)> needed);
// int64 can count the bytes that a workspace for the rows of `tensor` needs; `needed` saturates.
Rules WorkspaceCounted(const std::string& tensor, std::function<int64_t(const Call&)> needed, Faults faults);

// `output` shares no byte with the others: tensors, "workspace", or a list of integers by its argument's name.
Rules Separate(const std::string& output, const Names& others);
// Each output from the inputs, the workspace and the outputs before it; then the workspace from the inputs.
Rules SeparateOutputs(const Names& outputs, const Names& inputs);

// ---- elements ----

// No NaN, no Inf. `owner` is what has such a number, as "a box".
Rules Finite(const std::string& tensor, const std::string& owner);

// Every element is allowed; the first that is not is named.
struct ElementRule {
  std::function<bool(double value, int64_t index, const Call&)> allowed;
  std::function<std::string(int64_t index, const Call&)> expectation;
  // Elements to try, and what to set them to.
  struct Trial {
    int64_t index;
    double value;
    std::string text;
  };
  std::function<std::vector<Trial>(const Call& good)> trials;
  BadClass bad_class = BadClass::kIndices;
  Checked checked = Checked::kUndefinedIfOff;
};
Rules Elements(const std::string& tensor, const ElementRule& rule);

// ---- an operator's own ----

struct OwnRule {
  std::string about;
  mluOpStatus_t status;
  std::function<std::optional<std::string>(Judgement&)> judge;
  Faults faults{};
  Checked checked = Checked::kAlways;
};
Rules Own(OwnRule rule);

// What no function can check, as the length of an array.
Rules Vouched(const std::string& about, std::function<bool(const Call&)> holds);

// The call ends here, and well, if the condition holds.
Rules Done(const std::string& about, std::function<bool(const Call&)> condition, Faults faults = {});

// ---- for the faults of own rules ----

// True if the tensor was left out.
bool IsAbsent(const Tensor& tensor);
bool AnyEmpty(const Call& call, const Names& tensors);
// Sets a named extent in all tensors of the call.
std::function<void(Call&)> WithDim(const std::string& dim, int64_t value);
std::function<void(Call&)> WithInteger(const std::string& argument, int64_t value);
std::function<void(Call&)> WithNumber(const std::string& argument, double value);
// Nothing happens if the tensor has no such element, or is left out.
std::function<void(Call&)> WithElement(const std::string& tensor, int64_t index, double value);

// printf into a string.
std::string Format(const char* format, ...) __attribute__((format(printf, 1, 2)));

inline constexpr char kFullProfileLifts[] = "; the full profile lifts this limit";

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_RULES_H_
