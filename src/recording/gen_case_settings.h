// What is recorded and where: the environment variables MLUOP_GEN_CASE... and the functions that override them. Said in
// mlu_op/gen_case.h.
#ifndef DETOPS_RECORDING_GEN_CASE_SETTINGS_H_
#define DETOPS_RECORDING_GEN_CASE_SETTINGS_H_

#include <atomic>
#include <cstddef>

namespace detops {

enum GenCaseMode { kGenCaseUnread = -1, kGenCaseOff = 0, kGenCaseShapes = 1, kGenCaseData = 2, kGenCasePrint = 3 };

// Values of the variables about data.
enum GenCaseDump { kDumpNone = 0, kDumpText = 1, kDumpHex = 2 };

inline constexpr size_t kGenCaseDirectorySize = 2048;

struct GenCaseSettings {
  int mode = kGenCaseOff;
  int inputs = kDumpNone;
  int outputs = kDumpNone;
  bool data_files = false;
  char directory[kGenCaseDirectorySize] = ".";
};

extern std::atomic<int> g_gen_case_mode;

// False if nothing is recorded: all that a call pays then. True also before the environment has been read.
inline bool GenCaseMayBeOn() { return g_gen_case_mode.load(std::memory_order_relaxed) != kGenCaseOff; }

// False if calls of this operator are not recorded.
bool GetGenCaseSettings(const char* op_name, GenCaseSettings* settings);

// False, and nothing changes, if the mode does not exist.
bool SetGenCaseMode(int mode);

// False, and nothing changes, if it is empty or too long.
bool SetGenCaseDirectory(const char* path);
void GetGenCaseDirectory(char (&path)[kGenCaseDirectorySize]);

}  // namespace detops

#endif  // DETOPS_RECORDING_GEN_CASE_SETTINGS_H_
