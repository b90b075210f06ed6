// Rows of the functions of the catalogue: the faults that their contracts list.
#include <memory>
#include <string>
#include <utility>

#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "reliability/bad_input_table.h"

namespace detops_test {
namespace {

using detops_harness::Answer;
using detops_harness::Call;
using detops_harness::Contract;
using detops_harness::Fault;
using detops_harness::Function;
using detops_harness::PlacedCall;
using detops_harness::Rule;

class CatalogueTrial : public Trial {
 public:
  explicit CatalogueTrial(Call call) : placed_(std::move(call)) {}
  int Run(Handle& handle) override { return placed_.Run(handle.get()); }
  int RunAlone(Handle& handle) override { return placed_.RunAlone(handle.get()); }
  std::string Text() const override { return placed_.text(); }
  std::string State(Handle& /*handle*/) const override { return placed_.State(); }
  bool SurroundingsIntact() const override { return placed_.SurroundingsIntact(); }
  const Call& call() const { return placed_.call(); }

 private:
  PlacedCall placed_;
};

MakeTrial With(const Function& function, const std::function<void(Call&)>& apply) {
  return [&function, apply] {
    Call call = function.Good();
    apply(call);
    return std::make_unique<CatalogueTrial>(std::move(call));
  };
}

// The part of the sentence that does not depend on where buffers lie.
std::string Stable(const std::string& text) {
  const std::string overlaps = " overlaps ";
  const size_t place = text.find(overlaps);
  return place == std::string::npos ? text : text.substr(0, place + overlaps.size());
}

void AddFaults(const Function& function, const Rule* rule, Row& row) {
  const Call good = function.Good();
  for (const Fault& fault : function.contract().FaultsOf(rule, good)) {
    if (!fault.listed) continue;
    Call call = good;
    fault.apply(call);
    const PlacedCall placed(std::move(call));
    const Answer answer = function.contract().Judge(placed.call());
    if (answer.status == MLUOP_STATUS_SUCCESS || (rule != nullptr && answer.rule != rule)) continue;
    row.Refuses(fault.bad_class, fault.text, answer.status, Stable(answer.text), With(function, fault.apply));
  }
}

}  // namespace

void AddCatalogue(Table& table) {
  for (const auto& entry : detops_harness::WholeCatalogue().functions()) {
    const Function& function = *entry;
    const Contract& contract = function.contract();
    Row& row = table.Add(function.name(), With(function, [](Call&) {}));
    row.MessagesStart(contract.messages() + ": ");
    for (const Rule& rule : contract.rules()) AddFaults(function, &rule, row);
    AddFaults(function, nullptr, row);
    for (const Contract::Definition& definition : contract.definitions()) {
      row.Defines(
          definition.bad_class, definition.text, With(function, definition.apply),
          [verdict = definition.verdict](Trial& trial) { return verdict(static_cast<CatalogueTrial&>(trial).call()); });
    }
    for (const auto& [bad_class, reason] : contract.absent()) {
      if (reason.empty()) {
        row.HasNone({bad_class});
      } else {
        row.CannotOccur({bad_class}, reason);
      }
    }
    row.HasNothingElse(Row::Objects::kSome);
  }
}

}  // namespace detops_test
