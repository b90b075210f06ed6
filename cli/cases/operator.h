// The operators of the documents: what the program adds to the catalogue's functions, which are how to call them, what
// must come out and what must be refused.
#ifndef DETOPS_CLI_CASES_OPERATOR_H_
#define DETOPS_CLI_CASES_OPERATOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cases/case.h"
#include "harness/function.h"
#include "library/library.h"

namespace detops_cli {

using detops_harness::Shape;
using detops_harness::ShapeError;
using detops_harness::ShapeKey;

// What a refusal rests on: the operator's documented checks, or the promises that detops adds (values, overlap,
// workspace size).
enum class Basis { kDocument, kPromise };

// A call that a library must refuse: a good one with something spoilt.
struct BadCall {
  std::string what;  // as "points is 3"
  Basis basis;
  std::vector<mluOpStatus_t> expected;  // any of them
  std::function<void(detops_harness::Call&)> spoil;
};

// One row of the table in operators.cc.
class Operator {
 public:
  struct Row {
    std::string_view name;                    // as in case files
    std::vector<std::string_view> aliases;    // older and shorter spellings there
    std::string_view function;                // the C function
    std::string_view document;                // "000" ... "004"; empty: none, and so no suite has the operator
    std::string layouts, profile_notes;       // for `detops list`
    std::vector<std::string> inputs;          // the C parameters' names, in the order of case files
    std::vector<std::string> outputs;         // likewise
    const char* param;                        // the field of case files with the other arguments; nullptr: none
    std::vector<std::string> results{};       // numbers that the call writes
    std::vector<std::string> undocumented{};  // rules of the contract that the released header does not have
  };
  explicit Operator(Row row);

  std::string_view name() const { return row_.name; }
  std::string_view function_name() const { return row_.function; }
  std::string_view document() const { return row_.document; }
  const std::string& layouts() const { return row_.layouts; }
  const std::string& profile_notes() const { return row_.profile_notes; }
  const Row& row() const { return row_; }
  const detops_harness::Function& function() const { return *function_; }

  std::vector<mluOpDataType_t> contract_types() const { return function_->contract_types(); }
  std::vector<mluOpDataType_t> full_types() const;  // those that the contract has not
  std::vector<ShapeKey> keys() const;               // those that are offered

  // Inputs are the same for the same shape, type and seed on every machine. `shape` has all keys.
  Case Make(const Shape& shape, mluOpDataType_t type, bool full_profile, uint64_t seed) const;

  // The case as the catalogue has it, without places in memory.
  detops_harness::Call CallOf(const Case& the_case) const;
  Baseline Reference(const Case& the_case) const;

 private:
  Row row_;
  const detops_harness::Function* function_;
};

// All: first the ten of the documents, in their order.
std::span<const Operator* const> AllOperators();

// nullptr if there is none of that name. Takes the aliases of case files too.
const Operator* FindOperator(std::string_view name);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASES_OPERATOR_H_
