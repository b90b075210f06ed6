// Rows of what detops.h sets for a handle or the process: log, runner, targets, last error.
#include <cstdint>
#include <string>
#include <vector>

#include "reliability/bad_input_plain.h"
#include "support/runner.h"
#include "support/tensor.h"

namespace detops_test {
namespace {

int g_lines = 0, g_runs = 0;  // handles keep pointers to them

void CountLine(void* opaque, detopsLogLevel_t /*level*/, const char* /*line*/) { ++*static_cast<int*>(opaque); }

int CountRun(void* opaque, detopsTask_t task, void* context, int count) {
  ++*static_cast<int*>(opaque);
  return RunBackwards(nullptr, task, context, count);
}

// Large enough to be worth a choice of algorithm, and threads.
struct Convolution {
  static constexpr int64_t kRows = 64, kChannels = 16;
  Tensor features{MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {kRows, kChannels}};
  Tensor filters{MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {1, 1, 1, kChannels, kChannels}};
  Tensor pairs{MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 2, kRows}};
  Tensor result{MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {kRows, kChannels}};

  void Run(mluOpHandle_t handle) {
    features.Fill(1);
    filters.Fill(0.5);
    for (int64_t i = 0; i < 2 * kRows; ++i) pairs.Set(i, static_cast<double>(i % kRows));
    const int64_t numbers[] = {kRows};
    Must(mluOpIndiceConvolutionForward(handle, features.desc(), features.data(), filters.desc(), filters.data(),
                                       pairs.desc(), pairs.data(), numbers, kRows, 0, 0, nullptr, 0, result.desc(),
                                       result.data()),
         "mluOpIndiceConvolutionForward");
    if (result.Get(kRows * kChannels - 1) != 8) throw std::runtime_error("the convolution is wrong");
  }
};

// What a call on the handle sends to the sink and the runner, and the target.
struct Callbacks {
  std::string State(mluOpHandle_t handle) const {
    g_lines = g_runs = 0;
    Convolution().Run(handle);
    return std::to_string(g_lines) + " lines, " + (g_runs > 0 ? "own" : "library's") + " threads, " + detopsGetTarget();
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  std::string seen;
};

using CallbackRow = PlainRow<Callbacks>;

void AddLog(Table& table) {
  CallbackRow row(table, "detopsSetLog", [](Callbacks&, mluOpHandle_t handle) -> int {
    return detopsSetLog(handle, DETOPS_LOG_DISPATCH, CountLine, &g_lines);
  });
  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](Callbacks&, mluOpHandle_t) -> int {
    return detopsSetLog(nullptr, DETOPS_LOG_DISPATCH, CountLine, &g_lines);
  });
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
                 [level](Callbacks&, mluOpHandle_t handle) -> int {
                   return detopsSetLog(handle, static_cast<detopsLogLevel_t>(level), nullptr, nullptr);
                 });
  }
  row.HasNothingElse(Row::Objects::kSome);
}

void AddRunner(Table& table) {
  CallbackRow(
      table, "detopsSetParallelRunner",
      [](Callbacks&, mluOpHandle_t handle) -> int { return detopsSetParallelRunner(handle, CountRun, &g_runs); })
      .BadParam(BadClass::kNull, "handle", "handle is NULL",
                [](Callbacks&, mluOpHandle_t) -> int { return detopsSetParallelRunner(nullptr, CountRun, &g_runs); })
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
  row.BadParam(BadClass::kEmpty, "an empty name", "name is \"\"",
               [](Callbacks&, mluOpHandle_t) -> int { return detopsSetTarget(""); });
  for (const char* name : {"no such target", "avx2 ", "scalar,scalar"}) {
    row.BadParam(BadClass::kEnumerator, "an unknown name", name,
                 [name](Callbacks&, mluOpHandle_t) -> int { return detopsSetTarget(name); });
  }
  row.HasNothingElse(Row::Objects::kNone);

  const struct {
    const char* name;
    const char* (*function)();
  } plain[] = {{"detopsGetVersion", detopsGetVersion},
               {"detopsGetTarget", detopsGetTarget},
               {"detopsGetSupportedTargets", detopsGetSupportedTargets}};
  for (const auto& entry : plain) {
    CallbackRow(table, entry.name,
                [function = entry.function](Callbacks&, mluOpHandle_t) { return function()[0] != '\0' ? 0 : 1; })
        .row()
        .TakesNoArgument();
  }
}

void AddLastError(Table& table) {
  CallbackRow row(table, "detopsGetLastError", [](Callbacks&, mluOpHandle_t handle) {
    return detopsSetNumThreads(handle, 2) == MLUOP_STATUS_SUCCESS && detopsGetLastError(handle)[0] == '\0' ? 0 : 1;
  });
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
