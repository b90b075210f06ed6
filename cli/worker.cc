#include "worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "errors.h"
#include "judge.h"
#include "machine_info.h"
#include "report/report.h"

namespace detops_cli {
namespace {

using nlohmann::json;

volatile std::sig_atomic_t interrupted = 0;

// Texts of a library may hold bytes that are no UTF-8.
std::string Dump(json value) {
  MakeNumbersFinite(value);
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string Encode(const Message& message) {
  json line = {{"kind", static_cast<int>(message.kind)}, {"text", message.text}};
  if (message.kind == Message::Kind::kLibrary) {
    line["library"] = message.library;
    line["machine"] = message.machine;
    line["threads"] = message.threads;
  }
  if (message.kind == Message::Kind::kResult) line["result"] = message.result;
  return Dump(std::move(line)) + "\n";
}

Message Decode(const std::string& text) {
  const json line = json::parse(text);
  Message message;
  message.kind = static_cast<Message::Kind>(line.at("kind").get<int>());
  message.text = line.at("text").get<std::string>();
  if (line.contains("library")) message.library = line["library"].get<LibraryResult>();
  if (line.contains("machine")) message.machine = line["machine"].get<MachineResult>();
  if (line.contains("threads")) message.threads = line["threads"].get<int>();
  if (line.contains("result")) message.result = line["result"].get<CaseResult>();
  return message;
}

void WriteAll(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) _exit(kExitUsage);  // nobody listens
    if (count > 0) done += static_cast<size_t>(count);
  }
}

}  // namespace

void JudgeAll(const std::vector<Recipe>& recipes, size_t first, const RunOptions& options,
              const std::function<void(const Message&)>& tell) {
  const auto problem = [&](const char* text) { tell({.kind = Message::Kind::kProblem, .text = text}); };
  try {
    const Library library(options.library);
    const int threads = ThreadsOf(library, options.threads);
    tell({.kind = Message::Kind::kLibrary,
          .library = DescribeLibrary(library),
          .machine = DescribeMachine(options.timing ? threads : 0),
          .threads = threads});
    for (size_t i = first; i < recipes.size(); ++i) {
      const CaseResult result = JudgeCase(library, recipes[i], options, [&](const std::string& step) {
        tell({.kind = Message::Kind::kStep, .text = step});
      });
      tell({.kind = Message::Kind::kResult, .result = result});
    }
  } catch (const std::exception& error) {
    problem(error.what());
  }
}

Worker::Worker(const std::vector<Recipe>& recipes, size_t first, const RunOptions& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw UsageError(std::string("pipe: ") + std::strerror(errno));
  std::fflush(nullptr);  // or both processes would print what is in the buffers
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw UsageError(std::string("fork: ") + std::strerror(errno));
  if (pid_ == 0) {
    std::signal(SIGINT, SIG_IGN);  // the parent decides
    std::signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // no child outlives the program
    if (getppid() != parent) _exit(kExitUsage);
    close(ends[0]);
    JudgeAll(recipes, first, options, [&](const Message& message) { WriteAll(ends[1], Encode(message)); });
    // Not exit: destructors of a foreign library may crash, and nothing of ours waits for them.
    std::fflush(nullptr);
    _exit(0);
  }
  close(ends[1]);
  pipe_ = ends[0];
}

Worker::~Worker() {
  Kill();
  close(pipe_);
}

Worker::Event Worker::Next(double timeout_seconds, Message* message) {
  for (;;) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      const std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      try {
        *message = Decode(line);
        return Event::kMessage;
      } catch (const json::exception&) {
        return Event::kGarbage;  // the library writes into files it has not opened
      }
    }
    if (Interrupted()) return Event::kInterrupted;
    pollfd wait = {pipe_, POLLIN, 0};
    const double limited = std::min(timeout_seconds, 1e9);
    const auto whole = static_cast<time_t>(limited);
    const timespec timeout = {whole, static_cast<long>((limited - static_cast<double>(whole)) * 1e9)};
    // Signals come only here, so that none is missed between the question above and the waiting.
    sigset_t none;
    sigemptyset(&none);
    const int ready = ppoll(&wait, 1, &timeout, &none);
    if (ready == 0) return Event::kTimeout;
    if (ready < 0) continue;  // EINTR
    char piece[65536];
    const ssize_t count = read(pipe_, piece, sizeof(piece));
    if (count == 0) return Event::kEnd;
    if (count > 0) buffer_.append(piece, static_cast<size_t>(count));
  }
}

std::string Worker::Death() {
  if (!death_.has_value()) {
    int status = 0;
    // A library may close the pipe and go on.
    constexpr int kTries = 200;
    pid_t ended = 0;
    for (int i = 0; i < kTries && ended == 0; ++i) {
      ended = waitpid(pid_, &status, WNOHANG);
      if (ended == 0) usleep(10'000);
    }
    if (ended == 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, &status, 0);
      death_ = "it closed the pipe to this program and did not end";
    } else if (WIFSIGNALED(status)) {
      death_ = strsignal(WTERMSIG(status));
    } else {
      death_ = "it ended the process with code " + std::to_string(WEXITSTATUS(status));
    }
  }
  return *death_;
}

void Worker::Kill() {
  if (death_.has_value()) return;
  kill(pid_, SIGKILL);
  Death();
}

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  sigprocmask(SIG_BLOCK, &both, nullptr);
}

bool Interrupted() { return interrupted != 0; }

}  // namespace detops_cli
