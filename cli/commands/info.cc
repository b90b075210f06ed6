#include <fmt/format.h>

#include <memory>

#include "cases/operator.h"
#include "commands/commands.h"
#include "commands/option_checks.h"
#include "judge/accuracy.h"
#include "library/machine_info.h"
#include "text/errors.h"
#include "text/terminal_text.h"

namespace detops_cli {
namespace {

void Row(std::string_view name, const std::string& value) {
  if (!value.empty()) fmt::print("{:<22}{}\n", name, TerminalText(value));
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string TypesText(const std::vector<mluOpDataType_t>& types) {
  std::vector<std::string> names;
  for (const mluOpDataType_t type : types) names.push_back(TypeName(type));
  return Join(names);
}

void PrintInfo(const RunOptions& options) {
  const Library library(options.library);
  const LibraryResult about = DescribeLibrary(library);
  const int threads = ThreadsOf(library, 0);
  const MachineResult machine = DescribeMachine(threads);
  Row("library", about.path);
  Row("version", about.version);
  Row("contract", about.contract.empty() ? "" : "MLU-OPS " + about.contract);
  Row("SIMD targets", about.targets);
  Row("SIMD target in use", about.target);
  Row("threads", std::to_string(threads));
  Row("functions missing", Join(about.missing));
  Row("program built with", machine.compiler);
  fmt::print("\n");
  Row("processor", machine.cpu);
  Row("system", machine.system);
  Row("cores", std::to_string(machine.cores));
  const auto cache = [](int64_t bytes) { return bytes == 0 ? "unknown" : BytesText(bytes); };
  Row("caches",
      fmt::format("L1 {}, L2 {}, L3 {}", cache(machine.l1_bytes), cache(machine.l2_bytes), cache(machine.l3_bytes)));
  Row("memory", BytesText(machine.memory_bytes));
  Row("bandwidth, measured", fmt::format("{:.1f} GB/s with {} threads (triad)", machine.bandwidth_gbytes, threads));
  Row("peak, measured",
      fmt::format("{:.0f} GFLOP/s float, {:.0f} GFLOP/s double", machine.peak_gflops, machine.peak_gflops_double));
  fmt::print(
      "\n"
      "limits of the contract profile (the full profile has none of them)\n"
      "  tensors               fewer than 2^31 elements\n"
      "  types                 float and half; psroipool float\n"
      "  sparse convolution    3-D, not transposed, not inverse; stride and dilation not both above 1 on an axis\n"
      "  roiaware_pool3d       boxes and channels below 65536, boxes x points below 2^31, max_pts_each_voxel up to "
      "2976\n"
      "                        (half 2944) forward and 2048 backward\n");
}

void PrintOperator(const Operator& op, bool keys) {
  fmt::print("{}\n", op.name());
  const auto row = [](std::string_view name, std::string_view value) { fmt::print("  {:<16}{}\n", name, value); };
  row("function", op.function_name());
  if (!op.document().empty()) row("document", op.document());
  row("types", TypesText(op.contract_types()));
  row("layouts", op.layouts());
  const std::string types = TypesText(op.full_types());
  row("full profile", types.empty() ? op.profile_notes() : types + "; " + op.profile_notes());
  if (!keys) return;
  fmt::print("  keys of --shape\n");
  for (const ShapeKey& key : op.keys()) {
    fmt::print("    {:<12}{:<16}{}\n", key.name, key.fallback, key.help);
  }
}

}  // namespace

void AddInfoCommand(CLI::App& app, RunOptions& options) {
  CLI::App* info = app.add_subcommand("info", "Tell about the library, the machine and the limits of the profiles");
  info->add_option("--library", options.library, "Library; default: the one of this program")
      ->check(NoPipe())
      ->type_name("FILE");
  info->callback([&options] { PrintInfo(options); });
}

void AddListCommand(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  CLI::App* list = app.add_subcommand("list", "List the operators with types, layouts and what the full profile adds");
  list->add_option("--op", *name, "Only this one, with the keys of --shape")->type_name("NAME");
  list->callback([name] {
    if (!name->empty()) {
      const Operator* const op = FindOperator(*name);
      if (op == nullptr) throw UsageError(fmt::format("--op: no operator is called {}; see detops list", *name));
      PrintOperator(*op, true);
      return;
    }
    for (const Operator* op : AllOperators()) PrintOperator(*op, false);
  });
}

}  // namespace detops_cli
