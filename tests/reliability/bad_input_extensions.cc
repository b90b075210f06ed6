// Rows of what detops.h sets for a handle or the process: log, runner, targets, last error.
#include <cstdint>
#include <string>

#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "reliability/bad_input_plain.h"
#include "support/runner.h"

namespace detops_test {
namespace {

int g_lines = 0, g_runs = 0;  // handles keep pointers to them

void CountLine(void* opaque, detopsLogLevel_t /*level*/, const char* /*line*/) { ++*static_cast<int*>(opaque); }

int CountRun(void* opaque, detopsTask_t task, void* context, int count) {
  ++*static_cast<int*>(opaque);
  return RunBackwards(nullptr, task, context, count);
}

// Large enough to be worth a choice of algorithm, and threads.
void RunConvolution(mluOpHandle_t handle) {
  const char function[] = "mluOpIndiceConvolutionForward";
  detops_harness::PlacedCall placed(detops_harness::WholeCatalogue().Find(function)->MakeSample(
      "sites=64,outputs=64,ci=16,co=16,filter=1x1x1,pairs=submanifold", MLUOP_DTYPE_FLOAT, DETOPS_PROFILE_CONTRACT, 1));
  Must(placed.RunAlone(handle), function);
}

// What a call on the handle sends to the sink and the runner, and the target.
struct Callbacks {
  std::string State(mluOpHandle_t handle) const {
    g_lines = g_runs = 0;
    RunConvolution(handle);
    return std::to_string(g_lines) + " lines, " + (g_runs > 0 ? "own" : "library's") + " threads, " + detopsGetTarget();
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  std::string seen;
};

using CallbackRow = PlainRow<Callbacks>;

void AddLog(Table& table) {
  CallbackRow row(table, "detopsSetLog", DETOPS_CALL(detopsSetLog(handle, DETOPS_LOG_DISPATCH, CountLine, &g_lines)));
  row.Null("handle", DETOPS_CALL(detopsSetLog(nullptr, DETOPS_LOG_DISPATCH, CountLine, &g_lines)));
  const auto silent = [](Callbacks& c) { return c.seen.rfind("0 lines", 0) == 0 ? "" : "lines are still sent"; };
  row.Defines(
      BadClass::kNull, "a NULL sink stops it",
      [](Callbacks& c, mluOpHandle_t handle) -> int {
        const mluOpStatus_t status = detopsSetLog(handle, DETOPS_LOG_DISPATCH, nullptr, nullptr);
        c.seen = c.State(handle);
        return status;
      },
      silent);
  for (const int level : {-1, 2, INT32_MAX}) {
    row.BadParam(BadClass::kEnumerator, "level", "level is " + std::to_string(level),
                 DETOPS_CALL(detopsSetLog(handle, static_cast<detopsLogLevel_t>(level), nullptr, nullptr)));
  }
  row.HasNothingElse(Row::Objects::kSome);
}

void AddRunner(Table& table) {
  CallbackRow(table, "detopsSetParallelRunner", DETOPS_CALL(detopsSetParallelRunner(handle, CountRun, &g_runs)))
      .Null("handle", DETOPS_CALL(detopsSetParallelRunner(nullptr, CountRun, &g_runs)))
      .Defines(
          BadClass::kNull, "a NULL runner restores the library's threads",
          [](Callbacks& c, mluOpHandle_t handle) -> int {
            const mluOpStatus_t status = detopsSetParallelRunner(handle, nullptr, nullptr);
            c.seen = c.State(handle);
            return status;
          },
          [](Callbacks& c) { return c.seen.find("library's") != std::string::npos ? "" : "the runner is still used"; })
      .HasNothingElse(Row::Objects::kSome);
}

void AddTargets(Table& table) {
  CallbackRow row(table, "detopsSetTarget", [](Callbacks&, mluOpHandle_t) -> int {
    const mluOpStatus_t status = detopsSetTarget("scalar");
    return status != MLUOP_STATUS_SUCCESS ? status : detopsSetTarget(nullptr);
  });
  row.Defines(
      BadClass::kNull, "NULL restores the automatic choice",
      [](Callbacks& c, mluOpHandle_t) -> int {
        const std::string best = detopsGetTarget();
        detopsSetTarget("scalar");
        const mluOpStatus_t status = detopsSetTarget(nullptr);
        if (best != detopsGetTarget()) c.seen = "another target than at first";
        return status;
      },
      [](Callbacks& c) { return c.seen; });
  row.BadParam(BadClass::kEmpty, "an empty name", "name is \"\"", DETOPS_CALL(detopsSetTarget("")));
  for (const char* name : {"no such target", "avx2 ", "scalar,scalar"}) {
    row.BadParam(BadClass::kEnumerator, "an unknown name", name, DETOPS_CALL(detopsSetTarget(name)));
  }
  row.HasNothingElse(Row::Objects::kNone);

  const struct {
    const char* name;
    const char* (*function)();
  } plain[] = {{"detopsGetVersion", detopsGetVersion},
               {"detopsGetTarget", detopsGetTarget},
               {"detopsGetSupportedTargets", detopsGetSupportedTargets}};
  for (const auto& entry : plain) {
    CallbackRow(table, entry.name, DETOPS_CALL(entry.function()[0] != '\0' ? 0 : 1)).row().TakesNoArgument();
  }
}

void AddLastError(Table& table) {
  CallbackRow row(
      table, "detopsGetLastError",
      DETOPS_CALL(detopsSetNumThreads(handle, 2) == MLUOP_STATUS_SUCCESS && detopsGetLastError(handle)[0] == '\0' ? 0
                                                                                                                  : 1));
  row.Defines(
      BadClass::kNull, "NULL gives the text of the thread",
      [](Callbacks& c, mluOpHandle_t handle) {
        detopsSetNumThreads(handle, -1);
        c.seen = detopsGetLastError(nullptr);
        return detopsSetNumThreads(handle, 2) == MLUOP_STATUS_SUCCESS ? 0 : 1;
      },
      [](Callbacks& c) -> std::string {
        return c.seen.rfind("detopsSetNumThreads: num_threads is -1", 0) == 0 ? "" : c.seen;
      });
  row.HasNothingElse(Row::Objects::kSome);
}

}  // namespace

void AddExtensions(Table& table) {
  AddLog(table);
  AddRunner(table);
  AddTargets(table);
  AddLastError(table);
}

}  // namespace detops_test
