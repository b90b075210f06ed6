// detops: acceptance test, case files, benchmark and report for libraries of detection operators.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "case_file/run_command.h"
#include "commands/commands.h"
#include "text/errors.h"
#include "text/shell_quote.h"
#include "text/terminal_text.h"
#include "version.h"

namespace {

constexpr char kDescription[] =
    "Judges and measures libraries that implement mlu_op.h, libdetops first of all.\n"
    "\n"
    "  detops accept                          a few seconds: every operator, type and mode on small shapes\n"
    "  detops accept --suite documents --report report.html\n"
    "  detops accept --library libother.so    somebody else's library against the same references\n"
    "  detops run case.prototxt               a case file, also one recorded with MLUOP_GEN_CASE=2\n"
    "  detops bench --op psroipool_forward --shape height=64,width=64 --threads 1,2\n";

constexpr char kFooter[] =
    "Exit codes: 0 everything passed, 1 something failed, 2 wrong usage or a broken file, 130 interrupted.\n"
    "NO_COLOR=1 switches colours off. `detops COMMAND --help` tells the options of a command.";

std::string CommandLine(int argc, char** argv) {
  std::string line = "detops";
  for (int i = 1; i < argc; ++i) line += " " + detops_cli::ShellQuoted(argv[i]);
  return line;
}

// Not by fmt, which throws if it cannot write.
int Complain(const std::string& text) {
  std::fputs(("detops: " + detops_cli::TerminalText(text) + "\n").c_str(), stderr);
  return detops_cli::kExitUsage;
}

// A descriptor that the caller has closed would be given to the next file that is opened, a report for example, and
// everything that is printed would go there. What takes its place cannot be written to.
void OccupyStandardDescriptors() {
  int descriptor;
  do {
    descriptor = open("/dev/null", O_RDONLY);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) close(descriptor);
}

bool OutputIsWritten() {
  std::cout.flush();
  return std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int Run(int argc, char** argv) {
  detops_cli::RunOptions options;
  int exit_code = detops_cli::kExitPass;
  CLI::App app(kDescription, "detops");
  app.footer(kFooter);
  app.set_version_flag("--version", "detops " DETOPS_CLI_VERSION);
  app.require_subcommand(1);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  detops_cli::AddAcceptCommand(app, options, exit_code);
  detops_cli::AddRunCommand(app, options, exit_code);
  detops_cli::AddConvertCommand(app);
  detops_cli::AddBenchCommand(app, options, exit_code);
  detops_cli::AddInfoCommand(app, options);
  detops_cli::AddListCommand(app);
  detops_cli::AddCompletionCommand(app);
  options.command = CommandLine(argc, argv);
  std::signal(SIGPIPE, SIG_IGN);  // writing fails instead
  try {
    app.parse(argc, argv);
    // Everything has been done, and the output may be what the program was stuck in.
    if (exit_code == detops_cli::kExitInterrupted) std::_Exit(exit_code);
    return OutputIsWritten() ? exit_code : Complain("the output could not be written");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return OutputIsWritten() ? detops_cli::kExitPass : Complain("the output could not be written");
    }
    const std::string first = argc > 1 ? argv[1] : "";
    const auto commands = app.get_subcommands([&](const CLI::App* command) { return command->check_name(first); });
    if (!first.empty() && first[0] != '-' && commands.empty()) {
      return Complain(first + " is no command; see detops --help");
    }
    return Complain(error.what() + std::string("; see detops --help"));
  } catch (const std::exception& error) {
    return Complain(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  OccupyStandardDescriptors();
  try {
    return Run(argc, argv);
  } catch (...) {  // no memory for a complaint
    return detops_cli::kExitUsage;
  }
}
