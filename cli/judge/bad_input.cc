#include "judge/bad_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "harness/function.h"

namespace detops_cli {
namespace {

using detops_harness::Answer;
using detops_harness::BadClass;
using detops_harness::Checked;
using detops_harness::Contract;
using detops_harness::Fault;
using detops_harness::Rule;

constexpr unsigned char kCanary = 0x5A;
constexpr size_t kReasonsShown = 3;

// Whether the documents, or the released header, refuse it too.
Basis BasisOf(const Operator& op, const Fault& fault, const Rule& broken, const detops_harness::Call& good,
              const detops_harness::Call& spoilt) {
  const std::vector<std::string>& undocumented = op.row().undocumented;
  if (std::find(undocumented.begin(), undocumented.end(), broken.about) != undocumented.end()) return Basis::kPromise;
  // Settings that other libraries have not, and numbers that no document speaks of.
  if (spoilt.profile != good.profile || !spoilt.value_checks || broken.checked != Checked::kAlways)
    return Basis::kPromise;
  if (spoilt.integer_lists != good.integer_lists) return Basis::kPromise;
  for (const detops_harness::Tensor& tensor : spoilt.tensors) {
    if (tensor.onchip_type != MLUOP_DTYPE_INVALID) return Basis::kPromise;
  }
  for (const auto& [name, number] : spoilt.numbers) {
    if (!std::isfinite(number)) return Basis::kPromise;
  }
  switch (fault.bad_class) {
    case BadClass::kNull:
    case BadClass::kForm:
    case BadClass::kShapes:
    case BadClass::kSizes:
    case BadClass::kEnumerator:
    case BadClass::kNotFinite:
      return Basis::kDocument;
    case BadClass::kWorkspace:
      return broken.about == "workspace" ? Basis::kDocument : Basis::kPromise;
    default:
      return Basis::kPromise;
  }
}

// "input has rank 5" of "mluOpX: input has rank 5, expected 4." An extent alone does not say which argument is wrong.
std::string ShortOf(const std::string& sentence) {
  const size_t begin = sentence.find(": "), from = begin == std::string::npos ? 0 : begin + 2;
  const bool extent = sentence.find(" has extent ", from) != std::string::npos;
  return sentence.substr(from, sentence.find(extent ? ";" : ", expected", from) - from);
}

// The faults that the contract lists, each with the status that it says.
std::vector<BadCall> CallsOf(const Session& session) {
  const detops_harness::Call& good = session.call();
  const Contract& contract = good.function->contract();
  std::vector<BadCall> calls;
  std::set<std::string> known;
  const auto add = [&](const Rule* rule) {
    for (const Fault& fault : contract.FaultsOf(rule, good)) {
      if (!fault.listed) continue;
      detops_harness::Call spoilt = good;
      try {
        fault.apply(spoilt);
      } catch (const std::out_of_range&) {
        continue;  // of an axis that the contract's own good call has, and this case has not
      }
      if (!session.Place(spoilt)) continue;
      const Answer answer = contract.Judge(spoilt);
      // What a buffer in another one overlaps besides is a matter of the places that the library chose.
      const std::string what = fault.bad_class == BadClass::kOverlap ? fault.text : ShortOf(answer.text);
      // Some faults only come close; some break another rule, whose own faults say the same.
      if (answer.status == MLUOP_STATUS_SUCCESS || !known.insert(what).second) continue;
      std::vector<mluOpStatus_t> expected = {answer.status};
      // The documents leave it open which of the two a wrong rank gets.
      if (answer.rule->about.find("rank of ") == 0) expected = {MLUOP_STATUS_BAD_PARAM, MLUOP_STATUS_NOT_SUPPORTED};
      calls.push_back(
          {what, BasisOf(*session.the_case().op, fault, *answer.rule, good, spoilt), std::move(expected), fault.apply});
    }
  };
  for (const Rule& rule : contract.rules()) add(&rule);
  add(nullptr);
  return calls;
}

std::string StatusName(const Library& library, mluOpStatus_t status) {
  if (library->mluOpGetErrorString != nullptr) return library->mluOpGetErrorString(status);
  return std::to_string(static_cast<int>(status));
}

// "" if the call was refused as it must be. `look`: also at the outputs, which takes longer than the call.
std::string TryCall(Session& session, const BadCall& bad, bool look) {
  detops_harness::Call spoilt = session.call();
  bad.spoil(spoilt);
  mluOpStatus_t status = MLUOP_STATUS_SUCCESS;
  if (!session.Place(spoilt) || !session.TrySpoilt(spoilt, &status)) return "";
  std::string reason;
  if (std::find(bad.expected.begin(), bad.expected.end(), status) == bad.expected.end()) {
    reason = fmt::format("{} gave {}", bad.what, StatusName(session.library(), status));
  }
  for (const auto& [name, value] : session.call().results) {
    if (spoilt.results.at(name) == value) continue;
    reason += fmt::format("{} changed {}", reason.empty() ? bad.what : " and", name);
  }
  if (look && !session.OutputsAre(kCanary)) {
    reason += fmt::format("{} touched the outputs", reason.empty() ? bad.what : " and");
    session.FillOutputs(kCanary);
  }
  return reason;
}

}  // namespace

CheckResult CheckBadInput(Session& session, const std::vector<std::vector<std::byte>>& good, bool documented_only,
                          const std::function<void(const std::string&)>& before) {
  const std::vector<BadCall> calls = CallsOf(session);
  session.FillOutputs(kCanary);
  size_t tried = 0;
  std::vector<std::string> reasons;
  const auto try_all = [&](bool look) {
    tried = 0;
    reasons.clear();
    for (const BadCall& bad : calls) {
      if (documented_only && bad.basis == Basis::kPromise) continue;
      before(bad.what);
      ++tried;
      std::string reason = TryCall(session, bad, look);
      if (!reason.empty()) reasons.push_back(std::move(reason));
    }
  };
  try_all(false);
  if (!session.OutputsAre(kCanary)) {
    // Once more, to find out which call it was.
    session.FillOutputs(kCanary);
    try_all(true);
  }
  const std::string guard = session.DamagedGuard();
  if (!guard.empty()) reasons.push_back("bytes beside " + guard + " were written");
  const std::string input = session.ChangedInput();
  if (!input.empty()) reasons.push_back(input + " was changed");
  const mluOpStatus_t after = session.Call();
  if (after != MLUOP_STATUS_SUCCESS) {
    reasons.push_back("afterwards a good call fails: " + session.Explain(after));
  } else if (session.Outputs() != good) {
    reasons.emplace_back("afterwards a good call gives other bits in its outputs");
  }
  if (reasons.empty()) return {"bad input", "pass", fmt::format("{} calls refused", tried)};
  std::string detail = fmt::format("{} of {} bad calls: ", reasons.size(), tried);
  for (size_t i = 0; i < std::min(reasons.size(), kReasonsShown); ++i) detail += (i == 0 ? "" : "; ") + reasons[i];
  if (reasons.size() > kReasonsShown) detail += "; ...";
  return {"bad input", "fail", detail};
}

}  // namespace detops_cli
