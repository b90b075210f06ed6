// The contract of one public function: its rules in the order in which they are checked, as data. It is written from
// the public header and apart from the library's own check table; everything that tests, fuzz targets, tables and the
// program know about refusals follows from it.
#ifndef DETOPS_HARNESS_CONTRACT_H_
#define DETOPS_HARNESS_CONTRACT_H_

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/call.h"

namespace detops_harness {

// The classes of bad input, in the order of docs/reliability_table.md.
enum class BadClass {
  kNull = 1,     // pointer, handle or descriptor is NULL
  kForm,         // rank, type, layout or stride of one tensor
  kShapes,       // shapes that do not fit each other
  kEmpty,        // zero size: refused, or a defined result
  kSizes,        // kernel, stride, dilation, pool size, limit or count that is negative or zero
  kOverflow,     // products of sizes that overflow, or exceed a declared limit
  kWorkspace,    // too small, misaligned or NULL
  kOverlap,      // an output in the memory of another argument
  kCoordinates,  // coordinates or batch ids outside the space
  kDuplicates,   // the same coordinates twice: refused, or a defined result
  kNotFinite,    // NaN, Inf, and finite numbers whose arithmetic overflows
  kBatchId,      // of a RoI: not whole, negative, too large, NaN
  kIndices,      // index tensors that are given back, with values out of range or too large counts
  kEnumerator,   // a value that no enumerator has
  kDestroyed,    // a handle or descriptor that has been destroyed
};
inline constexpr int kClasses = 15;

// A change of a good call. Most are faults; some are changes that no rule forbids.
struct Fault {
  BadClass bad_class;
  std::string text;  // what is changed, in a few words
  std::function<void(Call&)> apply;
  bool listed = true;  // in the tables for readers; not: one of many alike
};
using Faults = std::vector<Fault>;

class Contract;

// A call under judgement, and the extents that the rules so far have given names.
struct Judgement {
  struct Bound {
    int64_t value;
    std::string source;  // the tensor; empty: an argument
  };
  const Contract& contract;
  const Call& call;
  std::map<std::string, Bound> dims{};
};

// Who looks whether a call keeps a rule. Where nobody does, the caller vouches for it.
enum class Checked {
  kAlways,
  kHarmlessIfOff,   // not with value checks off: then the result is any, but nothing outside the tensors is touched
  kUndefinedIfOff,  // not with value checks off: then such a call may do anything, and is made by nobody
  kNever,           // such a call may always do anything
};

struct Rule {
  std::string about;     // as "rank of input"
  mluOpStatus_t status;  // of a refusal; SUCCESS: the call ends here, and well
  // The sentence if the call breaks the rule. All rules before this one hold.
  std::function<std::optional<std::string>(Judgement&)> judge;
  // Ways to break it, and changes that come close.
  std::function<Faults(const Contract&, const Call& good)> faults;
  // No call breaks this rule and none before it: it only says more than is needed.
  bool implied = false;
  Checked checked = Checked::kAlways;
};
using Rules = std::vector<Rule>;

// One axis of a shape: a number, or a name that is the same wherever it stands. A name that is also an integer argument
// has that argument's value.
struct Dim {
  Dim(const char* dim_name) : name(dim_name) {}             // NOLINT(google-explicit-constructor): reads as a shape
  Dim(std::string dim_name) : name(std::move(dim_name)) {}  // NOLINT(google-explicit-constructor)
  Dim(int dim_number) : number(dim_number) {}               // NOLINT(google-explicit-constructor)
  // Sentences call it otherwise: two extents may have the same words, as "rows of the rulebook".
  Dim(std::string dim_name, std::string dim_shown) : name(std::move(dim_name)), shown(std::move(dim_shown)) {}
  std::string name{};
  std::string shown{};
  int64_t number = 0;
};

// What a call gets.
struct Answer {
  mluOpStatus_t status = MLUOP_STATUS_SUCCESS;
  std::string text{};          // empty for success
  const Rule* rule = nullptr;  // the rule that decided; nullptr: none, the call is to be carried out
  bool undefined = false;      // the call breaks what nobody checks: it may do anything, so nobody makes it
};

class Contract {
 public:
  explicit Contract(std::string function) : function_(std::move(function)), messages_(function_) {}

  // ---- the tables ----

  Contract& Shape(const std::string& tensor, std::vector<Dim> extents) {
    shapes_[tensor] = std::move(extents);
    return *this;
  }
  // An extent that follows from other arguments.
  Contract& Computed(const std::string& dim, std::function<int64_t(const Call&)> value) {
    computed_[dim] = std::move(value);
    return *this;
  }
  // The next rules, as one clause of the header's "Checked in this order".
  Contract& Check(std::string clause, std::initializer_list<Rules> rules);
  // How a call may fail that breaks no rule, as "no memory for the scratch".
  Contract& Fails(mluOpStatus_t status, std::string clause) {
    failures_.emplace_back(status, std::move(clause));
    return *this;
  }
  // The name with which messages begin, if not the function's own.
  Contract& Says(std::string name) {
    messages_ = std::move(name);
    return *this;
  }

  // The function whose comment in the header holds for this one too.
  Contract& DocumentedAs(std::string function) {
    documented_as_ = std::move(function);
    return *this;
  }

  // ---- for the table of bad input ----

  // More faults than the rules themselves know; the rules say what a call with one of them gets.
  Contract& Try(BadClass bad_class, std::string text, std::function<void(Call&)> apply) {
    more_.push_back({bad_class, std::move(text), std::move(apply)});
    return *this;
  }
  // Success, with a result that the documentation defines. The verdict says what is wrong with it.
  using Verdict = std::function<std::string(const Call&)>;
  struct Definition {
    BadClass bad_class;
    std::string text;
    std::function<void(Call&)> apply;
    Verdict verdict;
  };
  Contract& Defines(BadClass bad_class, std::string text, std::function<void(Call&)> apply, Verdict verdict) {
    definitions_.push_back({bad_class, std::move(text), std::move(apply), std::move(verdict)});
    return *this;
  }
  // Why a class cannot occur. Without a reason: there is no argument of the kind.
  Contract& CannotOccur(std::initializer_list<BadClass> classes, const std::string& reason = "") {
    for (const BadClass bad_class : classes) absent_[bad_class] = reason;
    return *this;
  }

  // ---- what follows from them ----

  const std::string& function() const { return function_; }
  const std::string& messages() const { return messages_; }
  const std::string& documented_as() const { return documented_as_.empty() ? function_ : documented_as_; }
  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<Definition>& definitions() const { return definitions_; }
  const std::map<BadClass, std::string>& absent() const { return absent_; }
  const std::map<std::string, std::vector<Dim>>& shapes() const { return shapes_; }
  const std::vector<Dim>& shape(const std::string& tensor) const;

  // The call has been placed in memory.
  Answer Judge(const Call& call) const;
  // All faults of a rule; those of no rule for nullptr.
  Faults FaultsOf(const Rule* rule, const Call& good) const;
  // Gives a named extent another value in all tensors, and in the argument of the same name.
  void SetDim(Call& call, const std::string& dim, int64_t value) const;
  // The value that the judgement, an argument or a computation gives the name; nothing if it is not bound yet.
  std::optional<Judgement::Bound> BoundOf(const Judgement& judgement, const std::string& dim) const;

  // The lines of the header below "Checked in this order:", without the comment's stars and not wrapped:
  // "BAD_PARAM  handle is NULL; ..."
  std::vector<std::string> Order() const;

 private:
  std::string function_, messages_, documented_as_;
  std::map<std::string, std::vector<Dim>> shapes_;
  std::map<std::string, std::function<int64_t(const Call&)>> computed_;
  std::vector<Rule> rules_;
  std::vector<std::pair<mluOpStatus_t, std::string>> clauses_, failures_;
  Faults more_;
  std::vector<Definition> definitions_;
  std::map<BadClass, std::string> absent_;
};

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_CONTRACT_H_
