// The table of bad input: a row for every exported function, a column for every class of bad input. A cell holds cases,
// each a valid call in which one thing is broken, or says in words why the class cannot occur there.
#ifndef DETOPS_TESTS_RELIABILITY_BAD_INPUT_TABLE_H_
#define DETOPS_TESTS_RELIABILITY_BAD_INPUT_TABLE_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "detops.h"
#include "harness/contract.h"
#include "support/handle.h"

namespace detops_test {

using detops_harness::BadClass;
using detops_harness::kClasses;

// In a few words, for the head of the table.
const char* NameOf(BadClass bad_class);

// One call with everything it may read or write.
class Trial {
 public:
  virtual ~Trial() = default;
  // Makes the call and gives its status.
  virtual int Run(Handle& handle) = 0;
  // The same without a look at the text, and without memory of its own.
  virtual int RunAlone(Handle& handle) = 0;
  // What the library said about the last Run; empty after success.
  virtual std::string Text() const = 0;
  // All that a refused call must leave as it is: every byte of inputs and outputs, descriptors, settings.
  virtual std::string State(Handle& handle) const = 0;
  // False if a byte next to one of the buffers has changed.
  virtual bool SurroundingsIntact() const { return true; }
};

using MakeTrial = std::function<std::unique_ptr<Trial>()>;
// Looks at the trial after its call; what is wrong with the result, empty if nothing.
using Verdict = std::function<std::string(Trial&)>;

struct Case {
  BadClass bad_class;
  std::string fault;  // what is broken, in words
  int status;         // 0: the class has a defined result here, which `verdict` knows
  std::string text;   // must be part of the message
  MakeTrial make;
  Verdict verdict;
};

class Row {
 public:
  Row(std::string function, MakeTrial good) : function_(std::move(function)), good_(std::move(good)) {
    message_start_ = function_ + ": ";
  }

  Row& Refuses(BadClass bad_class, std::string fault, int status, std::string text, MakeTrial make) {
    cases_.push_back({bad_class, std::move(fault), status, std::move(text), std::move(make), nullptr});
    return *this;
  }
  // Success, with a result that the documentation defines.
  Row& Defines(BadClass bad_class, std::string what, MakeTrial make, Verdict verdict) {
    cases_.push_back({bad_class, std::move(what), 0, "", std::move(make), std::move(verdict)});
    return *this;
  }
  Row& CannotOccur(std::initializer_list<BadClass> classes, const std::string& reason);
  // With the reason that the function has no argument of the kind.
  Row& HasNone(std::initializer_list<BadClass> classes);
  // The same for every class that has neither cases nor a reason yet. `objects`: whether there are handles or
  // descriptors among the arguments, which might have been destroyed.
  enum class Objects { kNone, kSome };
  Row& HasNothingElse(Objects objects);
  Row& TakesNoArgument();
  // How messages begin, if not with the function's own name.
  Row& MessagesStart(std::string start) {
    message_start_ = std::move(start);
    return *this;
  }

  const std::string& function() const { return function_; }
  const std::string& message_start() const { return message_start_; }
  const std::vector<Case>& cases() const { return cases_; }
  const MakeTrial& good() const { return good_; }
  int Count(BadClass bad_class) const;
  // Why the class cannot occur; empty if nothing was said.
  const std::string& Reason(BadClass bad_class) const { return reasons_[static_cast<size_t>(bad_class) - 1]; }

 private:
  std::string function_, message_start_;
  MakeTrial good_;
  std::vector<Case> cases_;
  std::string reasons_[kClasses];
};

// Rows keep their place while more are added.
class Table {
 public:
  Row& Add(std::string function, MakeTrial good) {
    rows_.push_back(std::make_unique<Row>(std::move(function), std::move(good)));
    return *rows_.back();
  }
  const std::vector<std::unique_ptr<Row>>& rows() const { return rows_; }
  // By the names of the functions.
  void Sort();

  void PrintMatrix(std::ostream& out) const;
  void PrintMarkdown(std::ostream& out) const;
  // Every refusal: function, class and fault, status, and the sentence as the library says it.
  void PrintRefusals(std::ostream& out) const;

 private:
  int Total(BadClass bad_class) const;

  std::vector<std::unique_ptr<Row>> rows_;
};

inline constexpr char kCallerGuarantees[] =
    "the caller guarantees that handles, descriptors and other objects are alive (SECURITY.md): what was freed cannot "
    "be recognised without reading freed memory";

// Makes the call of the case and checks everything that is promised: status, message, that nothing has changed, that
// nothing leaks, and that the handle serves the valid call as before.
void Check(const Row& row, const Case& bad, Handle& handle);

// The families of functions, each in a file of its own.
void AddRuntime(Table& table);
void AddHandle(Table& table);
void AddExtensions(Table& table);
void AddNamesAndCases(Table& table);
void AddTensorDescriptors(Table& table);
void AddTensorFields(Table& table);
void AddNmsDescriptors(Table& table);
void AddSparseConvolutionDescriptors(Table& table);
void AddRulebooks(Table& table);
// The functions of the catalogue: their contracts say everything.
void AddCatalogue(Table& table);

// In the order of their names, as the list of exported symbols has them.
const Table& WholeTable();

}  // namespace detops_test

#endif  // DETOPS_TESTS_RELIABILITY_BAD_INPUT_TABLE_H_
