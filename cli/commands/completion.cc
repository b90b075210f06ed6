#include <fmt/format.h>

#include <memory>

#include "cases/operator.h"
#include "cases/suites.h"
#include "commands/commands.h"

namespace detops_cli {
namespace {

std::string Words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> OperatorNames() {
  std::vector<std::string> names;
  for (const Operator* op : AllOperators()) names.emplace_back(op->name());
  return names;
}

// One function that both shells understand: zsh runs bash's completions through bashcompinit.
std::string Script(const CLI::App& app) {
  std::vector<std::string> commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
    cases += fmt::format("    {}) options=\"{}\" ;;\n", command->get_name(), Words(OptionNames(*command)));
  }
  return fmt::format(
      R"(_detops() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case "$before" in
    --op) COMPREPLY=($(compgen -W "{}" -- "$word")); return ;;
    --suite) COMPREPLY=($(compgen -W "{}" -- "$word")); return ;;
    --dtype) COMPREPLY=($(compgen -W "float half double bfloat16 int32" -- "$word")); return ;;
    --profile) COMPREPLY=($(compgen -W "contract full" -- "$word")); return ;;
    completion) COMPREPLY=($(compgen -W "bash zsh" -- "$word")); return ;;
  esac
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _detops detops
)",
      Words(commands), Words(OperatorNames()), Words(SuiteNames()), cases);
}

}  // namespace

std::string CompletionScript(const CLI::App& app, const std::string& shell) {
  const std::string start =
      shell == "zsh" ? "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" : "";
  return start + Script(app);
}

void AddCompletionCommand(CLI::App& app) {
  const auto shell = std::make_shared<std::string>("bash");
  CLI::App* completion = app.add_subcommand(
      "completion", "Print a completion script: source <(detops completion bash), or zsh, in the shell's start file");
  completion->add_option("shell", *shell, "bash or zsh")->check(CLI::IsMember({"bash", "zsh"}))->capture_default_str();
  completion->callback([&app, shell] { fmt::print("{}", CompletionScript(app, *shell)); });
}

}  // namespace detops_cli
