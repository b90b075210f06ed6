#include "run/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

#include "judge/judge.h"
#include "library/machine_info.h"
#include "run/interrupts.h"
#include "text/errors.h"

namespace detops_cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Question {
  uint64_t index, secret;
};

uint64_t NewSecret() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

void WriteAll(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) _exit(kExitUsage);  // nobody listens
    if (count > 0) done += static_cast<size_t>(count);
  }
}

// Questions are shorter than what a pipe takes at once.
std::optional<Question> ReadQuestion(int file) {
  Question question;
  ssize_t count;
  do {
    count = read(file, &question, sizeof(question));
  } while (count < 0 && errno == EINTR);
  if (count != sizeof(question)) return std::nullopt;
  return question;
}

// The processes whose parent this one is. Not every system lists them in one place.
std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    // "pid (name) state parent ...", and the name may be anything.
    const size_t end = line.rfind(')');
    if (end == std::string::npos || end + 4 > line.size()) continue;
    if (std::atoi(line.c_str() + end + 4) == getpid()) children.push_back(std::atoi(name.c_str()));
  }
  return children;
}

// What the library has forked came to this process when its own parent ended. No child of it outlives a case.
void EndOrphans() {
  for (std::vector<pid_t> left = Children(); !left.empty(); left = Children()) {
    for (const pid_t child : left) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
}

}  // namespace

void JudgeAll(const std::vector<Recipe>& recipes, const RunOptions& options,
              const std::function<std::optional<size_t>()>& next, const std::function<void(const Message&)>& tell) {
  const pid_t self = getpid();
  const auto tell_once = [&](const Message& message) {
    if (getpid() != self) _exit(kExitUsage);  // a twin, which the library has forked
    tell(message);
  };
  try {
    const Library library(options.library);
    const int threads = ThreadsOf(library, options.threads);
    tell_once({.kind = Message::Kind::kLibrary,
               .library = DescribeLibrary(library),
               .machine = DescribeMachine(options.timing ? threads : 0),
               .threads = threads});
    while (const std::optional<size_t> index = next()) {
      CaseResult result = JudgeCase(library, recipes[*index], options, [&](const std::string& step) {
        tell_once({.kind = Message::Kind::kStep, .text = step});
      });
      ShortenTexts(result);
      tell_once({.kind = Message::Kind::kResult, .result = std::move(result)});
    }
  } catch (const std::exception& error) {
    tell_once({.kind = Message::Kind::kProblem, .text = error.what()});
  }
}

Worker::Worker(const std::vector<Recipe>& recipes, const RunOptions& options) : secret_(NewSecret()) {
  int questions[2], answers[2];
  if (pipe2(questions, O_CLOEXEC) != 0) throw UsageError(std::string("pipe: ") + std::strerror(errno));
  if (pipe2(answers, O_CLOEXEC) != 0) throw UsageError(std::string("pipe: ") + std::strerror(errno));
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::fflush(nullptr);  // or both processes would print what is in the buffers
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw UsageError(std::string("fork: ") + std::strerror(errno));
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // no child outlives the program
    if (getppid() != parent) _exit(kExitUsage);
    close(questions[1]);
    close(answers[0]);
    BeChild(recipes, options, questions[0], answers[1]);
  }
  close(questions[0]);
  close(answers[1]);
  questions_ = questions[1];
  answers_ = answers[0];
  fcntl(answers_, F_SETFL, O_NONBLOCK);
}

void Worker::BeChild(const std::vector<Recipe>& recipes, const RunOptions& options, int questions, int answers) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);  // the parent decides
  std::signal(SIGALRM, SIG_DFL);
  // If memory runs out, it is because of a case: this process must go, not the one that writes the reports.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  const auto next = [&]() -> std::optional<size_t> {
    const std::optional<Question> question = ReadQuestion(questions);
    if (!question.has_value()) return std::nullopt;
    secret_ = question->secret;
    return question->index;
  };
  JudgeAll(recipes, options, next, [&](const Message& message) { WriteAll(answers, Encode(message, secret_)); });
  // Not exit: destructors of a foreign library may crash, and nothing of ours waits for them.
  std::fflush(nullptr);
  _exit(0);
}

Worker::~Worker() {
  close(questions_);
  // A child that has answered everything ends by itself, with what the library has printed.
  if (!status_.has_value() && answered_) ExitReason();
  if (!status_.has_value()) {
    kill(pid_, SIGKILL);
    ExitReason();
  }
  close(answers_);
  EndOrphans();
}

void Worker::Ask(size_t index) {
  const Question question = {index, secret_ = NewSecret()};
  answered_ = false;
  // If it cannot be written, the child is gone, and Next will tell.
  if (write(questions_, &question, sizeof(question)) < 0) return;
}

bool Worker::TakeLine(std::string* line) {
  const size_t end = buffer_.find('\n', searched_);
  if (end == std::string::npos) {
    buffer_.erase(0, taken_);
    taken_ = 0;
    searched_ = buffer_.size();
    return false;
  }
  *line = buffer_.substr(taken_, end - taken_);
  taken_ = searched_ = end + 1;
  return true;
}

void Worker::Read() {
  // Asked first: what the child has written before its end is in the pipe now. A process that the library has forked
  // may keep the pipe open for ever.
  const bool ended = HasEnded();
  char piece[65536];
  const ssize_t count = read(answers_, piece, sizeof(piece));
  if (count > 0) buffer_.append(piece, static_cast<size_t>(count));
  closed_ = count == 0 || (count < 0 && errno != EINTR && (errno != EAGAIN || ended));
}

bool Worker::HasEnded() {
  int status = 0;
  if (!status_.has_value() && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_.has_value();
}

Worker::Event Worker::Next(double timeout_seconds, Message* message) {
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_seconds));
  for (std::string line;;) {
    if (Interrupted()) return Event::kInterrupted;
    if (TakeLine(&line)) {
      try {
        if (answered_) return Event::kGarbage;
        *message = Decode(line, secret_);
        answered_ = message->kind != Message::Kind::kStep;
        return Event::kMessage;
      } catch (const std::exception&) {
        return Event::kGarbage;  // the library writes into files it has not opened
      }
    }
    if (buffer_.size() > kMostMessageBytes) return Event::kGarbage;
    if (closed_) return Event::kEnd;
    if (Clock::now() >= deadline) return Event::kTimeout;
    // Not for long: neither a signal nor the end of the child may be overlooked.
    constexpr int kMilliseconds = 50;
    pollfd wait = {answers_, POLLIN, 0};
    poll(&wait, 1, kMilliseconds);
    Read();
  }
}

std::string Worker::ExitReason() {
  // A library may close the pipe and go on.
  constexpr int kTries = 200;
  for (int i = 0; i < kTries && !HasEnded(); ++i) usleep(10'000);
  if (!status_.has_value()) {
    kill(pid_, SIGKILL);
    int status = 0;
    waitpid(pid_, &status, 0);
    status_ = status;
    return "it closed the pipe to this program and did not end";
  }
  if (WIFSIGNALED(*status_)) return strsignal(WTERMSIG(*status_));
  return "it ended the process with code " + std::to_string(WEXITSTATUS(*status_));
}

}  // namespace detops_cli
