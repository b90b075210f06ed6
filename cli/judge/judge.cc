#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "cases/operator.h"
#include "judge/accuracy.h"
#include "judge/bad_input.h"
#include "judge/timing.h"
#include "library/session.h"
#include "text/errors.h"

namespace detops_cli {
namespace {

// Two fills, so that what a call leaves unwritten, or adds to, differs between runs. The first is NaN in every type.
constexpr unsigned char kFirstFill = 0xFF, kSecondFill = 0x5A;

using Contents = std::vector<std::vector<std::byte>>;

// "" if equal; otherwise where they part.
std::string FirstDifference(const Case& c, const Contents& a, const Contents& b) {
  for (size_t output = 0; output < a.size(); ++output) {
    if (a[output].empty() || std::memcmp(a[output].data(), b[output].data(), a[output].size()) == 0) continue;
    const auto [x, y] = std::mismatch(a[output].begin(), a[output].end(), b[output].begin());
    const auto element = (x - a[output].begin()) * std::max<int64_t>(c.outputs[output].span(), 1) /
                         static_cast<int64_t>(a[output].size());
    return fmt::format("{} from element {} on", c.outputs[output].name, element);
  }
  return "";
}

class Judge {
 public:
  // `threads` > 0 wins over the options.
  Judge(const Library& library, const RunOptions& options, int threads, const StepListener& step, CaseResult& result)
      : library_(library), options_(options), threads_(threads), step_(step), result_(result) {}

  void Run(const Case& c) {
    step_("setting up");
    Session session(library_, c, Placement::kAligned);
    const int threads = threads_ > 0 ? threads_ : options_.threads;
    if (threads > 0) session.SetThreads(threads);
    const Contents first = FirstCall(session);
    if (Failed()) return;
    if (options_.accuracy) CheckAccuracy(c, session, first);
    if (options_.repeat) CheckRepetition(c, session, first);
    if (options_.repeat) CheckThreads(c, session, first);
    CheckMemory(session);
    // A defect that the checks above have found would only be found once more.
    if (options_.repeat && !Failed()) CheckAlignment(c, session.Threads(), first);
    if (options_.bad_input) {
      step_("bad input");
      result_.checks.push_back(CheckBadInput(session, first, options_.documented_bad_input_only,
                                             [this](const std::string& what) { step_("bad input: " + what); }));
    }
    if (options_.timing && !Failed()) Time(c, session, first);
  }

 private:
  bool Failed() const {
    return std::any_of(result_.checks.begin(), result_.checks.end(),
                       [](const CheckResult& check) { return check.verdict == "fail"; });
  }
  void Add(const char* name, bool pass, std::string detail) {
    result_.checks.push_back({name, pass ? "pass" : "fail", std::move(detail)});
  }

  Contents FirstCall(Session& session) {
    step_("first call");
    const mluOpStatus_t status = session.Prepare();
    if (status != MLUOP_STATUS_SUCCESS) {
      Add("call", false, "workspace size: " + session.Explain(status));
      return {};
    }
    session.FillOutputs(kFirstFill);
    std::string failure;
    result_.timing.algorithm = session.FirstCall(&failure);
    Add("call", failure.empty(), failure);
    return failure.empty() ? session.Outputs() : Contents{};
  }

  void CheckAccuracy(const Case& c, const Session& session, const Contents& outputs) {
    step_("reference");
    const Baseline baseline = c.baseline.has_value() ? *c.baseline : c.op->Reference(c);
    step_("comparing");
    std::string reasons;
    for (size_t i = 0; i < c.outputs.size(); ++i) {
      HostTensor output = c.outputs[i];
      output.data = outputs[i];
      const std::vector<double> evaluated = output.Values();
      result_.outputs.push_back(JudgeOutput(output, evaluated, baseline.outputs.at(i), c.criteria.at(i)));
      const std::string reason = WhyWrong(result_.outputs.back(), evaluated, baseline.outputs[i]);
      if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    for (const auto& [name, expected] : baseline.results) {
      const int64_t result = session.call().results.at(name);
      if (result == expected) continue;
      reasons += fmt::format("{}{} is {}, expected {}", reasons.empty() ? "" : "; ", name, result, expected);
    }
    Add("accuracy", reasons.empty(), reasons);
  }

  // "" if a call on outputs filled otherwise gives the same bytes.
  std::string Repeat(const Case& c, Session& session, const Contents& first, unsigned char fill) {
    session.FillOutputs(fill);
    const mluOpStatus_t status = session.Call();
    if (status != MLUOP_STATUS_SUCCESS) return session.Explain(status);
    const std::string difference = FirstDifference(c, first, session.Outputs());
    return difference.empty() ? "" : "other bits in " + difference;
  }

  void CheckRepetition(const Case& c, Session& session, const Contents& first) {
    step_("second run");
    const std::string reason = Repeat(c, session, first, kSecondFill);
    Add("repeat", reason.empty(), reason.empty() ? "" : "second run: " + reason);
  }

  void CheckThreads(const Case& c, Session& session, const Contents& first) {
    const int before = session.Threads();
    std::string tried;
    for (const int threads : {1, 2, 3, 7}) {
      if (!session.SetThreads(threads)) {
        result_.checks.push_back({"threads", "none", "the library has no detopsSetNumThreads"});
        return;
      }
      step_(fmt::format("{} threads", threads));
      const std::string reason = Repeat(c, session, first, kFirstFill);
      tried += (tried.empty() ? "" : ", ") + std::to_string(threads);
      if (!reason.empty()) {
        Add("threads", false, fmt::format("{} threads: {}", threads, reason));
        session.SetThreads(before);
        return;
      }
    }
    session.SetThreads(before);
    Add("threads", true, "same bits with " + tried);
  }

  // Tensors that begin one element further than the runtime aligns memory.
  void CheckAlignment(const Case& c, int threads, const Contents& first) {
    step_("other alignment");
    Session session(library_, c, Placement::kShifted);
    session.SetThreads(threads);
    std::string reason;
    if (session.Prepare() != MLUOP_STATUS_SUCCESS) {
      reason = "the workspace function fails";
    } else {
      reason = Repeat(c, session, first, kSecondFill);
    }
    const std::string guard = session.DamagedGuard();
    if (reason.empty() && !guard.empty()) reason = "bytes beside " + guard + " were written";
    Add("alignment", reason.empty(), reason.empty() ? "" : "tensors shifted by one element: " + reason);
  }

  void CheckMemory(const Session& session) {
    step_("guards");
    const std::string guard = session.DamagedGuard(), input = session.ChangedInput();
    Add("guards", guard.empty(), guard.empty() ? "" : "bytes beside " + guard + " were written");
    Add("inputs", input.empty(), input.empty() ? "" : input + " was changed");
  }

  void Time(const Case& c, Session& session, const Contents& first) {
    step_("timing");
    const detops_harness::Function& function = c.op->function();
    detops_harness::Theory theory = function.TheoryOf(session.call());
    theory.operations = c.theory_operations.value_or(theory.operations);
    theory.io_bytes = c.theory_io_bytes.value_or(theory.io_bytes);
    const std::string algorithm = result_.timing.algorithm;
    result_.timing = TimeCase(session, theory, function.WorkOf(session.call()), options_);
    result_.timing.algorithm = algorithm;
    if (library_->detopsGetTarget != nullptr) result_.timing.target = library_->detopsGetTarget();
    result_.timed = true;
    const std::string difference = FirstDifference(c, first, session.Outputs());
    if (!difference.empty()) Add("repeat", false, "after the timed calls: other bits in " + difference);
  }

  const Library& library_;
  const RunOptions& options_;
  const int threads_;
  const StepListener& step_;
  CaseResult& result_;
};

// What cannot be made is no fault of the library.
Case MakeCase(const Recipe& recipe) {
  try {
    return recipe.make();
  } catch (const std::bad_alloc&) {
    throw UsageError("no memory for tensors of this size");
  } catch (const std::length_error&) {
    throw UsageError("tensors of this size cannot exist");
  }
}

}  // namespace

CaseResult JudgeCase(const Library& library, const Recipe& recipe, const RunOptions& options,
                     const StepListener& step) {
  const auto start = std::chrono::steady_clock::now();
  CaseResult result = recipe.about;
  try {
    step(kMakingInputs);
    const Case the_case = MakeCase(recipe);
    if (result.shape.empty()) {  // of a file, about which nothing is known before it has been read
      const CaseDescription description = Describe(the_case);
      result.op = description.op;
      result.type = description.type;
      result.shape = description.shape;
      result.layout = description.layout;
    }
    if (!the_case.op->function().IsIn(library.functions())) {
      result.verdict = "missing";
      result.detail = fmt::format("the library lacks {} or what it needs", the_case.op->function_name());
    } else {
      Judge(library, options, recipe.threads, step, result).Run(the_case);
      result.verdict = "pass";
      for (const CheckResult& check : result.checks) {
        if (check.verdict != "fail" || result.verdict == "fail") continue;
        result.verdict = "fail";
        result.detail = check.name + ": " + check.detail;
      }
    }
  } catch (const FileError& error) {
    if (result.shape.empty()) result.shape = "unreadable";
    result.verdict = "error";
    result.detail = error.what();
  } catch (const UsageError& error) {
    result.verdict = "error";
    result.detail = error.what();
  } catch (const ShapeError& error) {
    result.verdict = "error";
    result.detail = error.what();
  } catch (const std::exception& error) {
    result.verdict = "fail";
    result.detail = error.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace detops_cli
