#include "program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

extern char** environ;

namespace detops_cli {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// This process's environment without what would change the program's output, and with `variables`.
std::vector<std::string> Environment(const Variables& variables) {
  std::vector<std::string> texts;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable, name = text.substr(0, text.find('='));
    if (name != "NO_COLOR" && variables.count(name) == 0) texts.push_back(text);
  }
  for (const auto& [name, value] : variables) texts.push_back(name + "=" + value);
  return texts;
}

}  // namespace

RunningProgram::RunningProgram(const Arguments& arguments, const std::string& out, const std::string& err,
                               const Variables& variables, Signals signals) {
  std::vector<std::string> words = {DETOPS_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = Environment(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const auto& [descriptor, path] : {std::pair(STDOUT_FILENO, &out), std::pair(STDERR_FILENO, &err)}) {
    if (*path == "-") {
      posix_spawn_file_actions_addclose(&actions, descriptor);
    } else {
      posix_spawn_file_actions_addopen(&actions, descriptor, path->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | (signals == Signals::kUsual ? POSIX_SPAWN_SETSIGDEF : 0));
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  const int error =
      posix_spawn(&pid_, DETOPS_PROGRAM, &actions, &attributes, Pointers(words).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " DETOPS_PROGRAM);
}

int RunningProgram::Wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ProgramTest::ProgramTest() {
  std::string pattern = testing::TempDir() + "/detops_program_XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for files");
  folder_ = pattern;
}

ProgramTest::~ProgramTest() { std::filesystem::remove_all(folder_); }

std::string ProgramTest::Write(const std::string& name, const std::string& content) const {
  std::ofstream(Path(name), std::ios::binary) << content;
  return Path(name);
}

Outcome ProgramTest::Run(const Arguments& arguments, const Variables& variables) const {
  const std::string out = Path("stdout"), err = Path("stderr");
  Outcome outcome;
  outcome.exit_code = RunningProgram(arguments, out, err, variables).Wait();
  outcome.out = ReadFile(out);
  outcome.err = ReadFile(err);
  return outcome;
}

Outcome ProgramTest::Accept(const Arguments& arguments, RunResultFile* results) const {
  const std::string json = Path("results.json");
  Arguments all = {"accept", "--no-timing", "--json", json};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = Run(all);
  if (std::filesystem::exists(json)) *results = nlohmann::json::parse(ReadFile(json)).get<RunResultFile>();
  return outcome;
}

testing::AssertionResult IsOneComplaint(const std::string& err) {
  if (err.rfind("detops: ", 0) != 0 || std::count(err.begin(), err.end(), '\n') != 1 || err.back() != '\n') {
    return testing::AssertionFailure() << "not one line of the program: " << err;
  }
  return testing::AssertionSuccess();
}

const CheckResult* FindCheck(const CaseResult& result, const std::string& name) {
  for (const CheckResult& check : result.checks) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

void PrintTo(const TinyShape& shape, std::ostream* out) { *out << shape.op << " " << shape.shape; }

const std::vector<TinyShape>& TinyShapes() {
  static const std::string align = "batch=1,height=5,width=7,channels=9,scale=0.5,points=5";
  static const std::string psroi = "batch=2,height=9,width=11,rois=13,pooled=3,dim=5,scale=0.5";
  static const std::string roiaware = "boxes=3,points=301,channels=5,out=2x3x2,max_pts=9";
  static const std::string pairs = "sites=301,batch=1,space=9x31x33";
  static const std::string convolution = "ci=5,co=7,sites=201,batch=1,space=9x31x33";
  static const std::vector<TinyShape> shapes = {
      {"roiaware_pool3d_forward", "float", roiaware},
      {"roiaware_pool3d_backward", "float", roiaware},
      {"psroipool_forward", "float", psroi},
      {"psroipool_backward", "float", psroi},
      {"get_indice_pairs", "int32", pairs},
      {"indice_convolution_forward", "float", convolution},
      {"indice_convolution_backward_data", "float", convolution},
      {"indice_convolution_backward_filter", "float", convolution},
      {"rotated_feature_align_forward", "float", align},
      {"rotated_feature_align_backward", "float", align},
  };
  return shapes;
}

const TinyShape& TinyShapeOf(const std::string& op) {
  for (const TinyShape& shape : TinyShapes()) {
    if (shape.op == op) return shape;
  }
  throw std::runtime_error("no shape of " + op);
}

}  // namespace detops_cli
