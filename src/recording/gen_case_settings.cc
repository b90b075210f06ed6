#include "recording/gen_case_settings.h"

#include <cstring>
#include <string_view>

#include "core/mutex.h"
#include "core/platform.h"

namespace detops {

constinit std::atomic<int> g_gen_case_mode{kGenCaseUnread};

namespace {

constexpr size_t kFilterSize = 2048;  // all names of operators take some 300 bytes

struct State {
  Mutex mutex;  // guards what follows, and the first write of the mode
  bool fork_handlers_registered = false;
  int inputs = kDumpNone;
  int outputs = kDumpNone;
  bool data_files = false;
  char filter[kFilterSize] = "";
  char directory[kGenCaseDirectorySize] = ".";
};

// Never destroyed: a program may end while its threads still run.
constinit State g_state;

void Lock() { g_state.mutex.Lock(); }
void Unlock() { g_state.mutex.Unlock(); }

// 0 unless the variable is a single digit up to `most`.
int DigitOf(const char* variable, int most) {
  const char* const text = EnvironmentText(variable);
  if (text == nullptr || text[0] < '0' || text[0] > '0' + most || text[1] != '\0') return 0;
  return text[0] - '0';
}

// Copies a variable that is there and fits.
template <size_t kSize>
void CopyText(const char* variable, char (&target)[kSize]) {
  const char* const text = EnvironmentText(variable);
  if (text == nullptr || text[0] == '\0') return;
  const size_t length = std::strlen(text);
  if (length < kSize) std::memcpy(target, text, length + 1);
}

// Reads the environment at the first use. The mutex is held.
void ReadOnce() {
  if (g_gen_case_mode.load(std::memory_order_relaxed) != kGenCaseUnread) return;
  g_state.inputs = DigitOf("MLUOP_GEN_CASE_DUMP_DATA", kDumpHex);
  g_state.outputs = DigitOf("MLUOP_GEN_CASE_DUMP_DATA_OUTPUT", kDumpHex);
  g_state.data_files = DigitOf("MLUOP_GEN_CASE_DUMP_DATA_FILE", 1) == 1;
  CopyText("MLUOP_GEN_CASE_OP_NAME", g_state.filter);
  CopyText("MLUOP_GEN_CASE_DIR", g_state.directory);
  g_gen_case_mode.store(DigitOf("MLUOP_GEN_CASE", kGenCasePrint), std::memory_order_relaxed);
}

// Holds the mutex; everything has been read from the environment.
class Locked {
 public:
  Locked() {
    Lock();
    ReadOnce();
  }
  ~Locked() { Unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

// Another thread may hold the mutex while this one forks; then the child could never take it. Only programs that record
// or set something pay for the handlers. If there is no memory for them, the next call tries again.
void RegisterForkHandlers() {
  if (g_state.fork_handlers_registered) return;
  g_state.fork_handlers_registered = CallAtFork(Lock, Unlock, Unlock);
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Whether a list as "a;b" or "-a;-b" lets the name pass. A name that is in no entry passes if the list excludes.
bool Passes(std::string_view list, std::string_view name) {
  bool excludes = false, empty = true;
  while (!list.empty()) {
    const size_t end = list.find(';');
    std::string_view entry = Trimmed(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    if (entry.empty()) continue;
    empty = false;
    const bool minus = entry.front() == '-';
    if (minus) entry = Trimmed(entry.substr(1));
    if (entry == name) return !minus;
    if (!minus && entry == "all") return true;
    excludes = excludes || minus;
  }
  return empty || excludes;
}

}  // namespace

bool GetGenCaseSettings(const char* op_name, GenCaseSettings* settings) {
  const Locked locked;
  settings->mode = g_gen_case_mode.load(std::memory_order_relaxed);
  if (settings->mode == kGenCaseOff || !Passes(g_state.filter, op_name)) return false;
  RegisterForkHandlers();
  settings->inputs = g_state.inputs;
  settings->outputs = g_state.outputs;
  settings->data_files = g_state.data_files;
  std::memcpy(settings->directory, g_state.directory, kGenCaseDirectorySize);
  return true;
}

bool SetGenCaseMode(int mode) {
  const Locked locked;
  if (mode < kGenCaseOff || mode > kGenCasePrint) return false;
  g_gen_case_mode.store(mode, std::memory_order_relaxed);
  return true;
}

bool SetGenCaseDirectory(const char* path) {
  size_t length = 0;
  while (length < kGenCaseDirectorySize && path[length] != '\0') ++length;
  if (length == 0 || length == kGenCaseDirectorySize) return false;
  const Locked locked;
  RegisterForkHandlers();
  std::memcpy(g_state.directory, path, length + 1);
  return true;
}

void GetGenCaseDirectory(char (&path)[kGenCaseDirectorySize]) {
  const Locked locked;
  std::memcpy(path, g_state.directory, kGenCaseDirectorySize);
}

}  // namespace detops
