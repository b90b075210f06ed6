// Rows of names, versions and the recording of cases.
#include <cstdint>
#include <cstring>
#include <string>

#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

struct Names {
  std::string State(mluOpHandle_t /*handle*/) const {
    char directory[64] = {};
    mluOpGetGenCaseDirectory(directory, sizeof(directory), nullptr, nullptr);
    return std::string(directory) + " " + std::to_string(size) + " " + std::to_string(wide) + " " + buffer;
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  size_t size = 7;
  uint64_t wide = 7;
  char buffer[16] = "mark";
  std::string seen;
};

using NameRow = PlainRow<Names>;

constexpr char kOnlyWrites[] = "it only writes: of two results in one place the later stays";

int Same(const char* text, const char* expected) { return std::strcmp(text, expected); }
std::string Seen(Names& n) { return n.seen; }
std::string Nothing(Names&) { return ""; }

void AddNames(Table& table) {
  NameRow error(table, "mluOpGetErrorString",
                DETOPS_CALL(Same(mluOpGetErrorString(MLUOP_STATUS_BAD_PARAM), "MLUOP_STATUS_BAD_PARAM")));
  NameRow type(table, "mluOpGetNameOfDataType",
               DETOPS_CALL(Same(mluOpGetNameOfDataType(MLUOP_DTYPE_FLOAT), "DTYPE_FLOAT")));
  NameRow layout(table, "mluOpGetNameOfTensorLayout",
                 DETOPS_CALL(Same(mluOpGetNameOfTensorLayout(MLUOP_LAYOUT_NHWC), "LAYOUT_NHWC")));
  for (const int number : {-1, 1000, INT32_MAX, INT32_MIN}) {
    error.Defines(BadClass::kEnumerator, "other values have a text too",
                  DETOPS_CALL(Same(mluOpGetErrorString(static_cast<mluOpStatus_t>(number)), "MLUOP_STATUS_UNKNOWN")),
                  Nothing);
    type.Defines(BadClass::kEnumerator, "other values have a text too",
                 DETOPS_CALL(Same(mluOpGetNameOfDataType(static_cast<mluOpDataType_t>(number)), "DTYPE_INVALID")),
                 Nothing);
    layout.Defines(
        BadClass::kEnumerator, "other values have a text too",
        DETOPS_CALL(Same(mluOpGetNameOfTensorLayout(static_cast<mluOpTensorLayout_t>(number)), "LAYOUT_INVALID")),
        Nothing);
  }
  for (NameRow* row : {&error, &type, &layout}) row->HasNothingElse(Row::Objects::kNone);

  NameRow size(table, "mluOpGetSizeOfDataType", DETOPS_CALL(mluOpGetSizeOfDataType(MLUOP_DTYPE_HALF, &w.size)));
  size.Null("size", DETOPS_CALL(mluOpGetSizeOfDataType(MLUOP_DTYPE_HALF, nullptr)));
  size.BadParam(BadClass::kEnumerator, "data_type", "data_type is 0",
                DETOPS_CALL(mluOpGetSizeOfDataType(MLUOP_DTYPE_INVALID, &w.size)));
  for (const int number : {10, -1, INT32_MIN}) {
    size.Defines(BadClass::kEnumerator, std::to_string(number) + ", which names no type, has size 0",
                 DETOPS_CALL(mluOpGetSizeOfDataType(static_cast<mluOpDataType_t>(number), &w.size)),
                 [](Names& n) { return n.size == 0 ? "" : "the size is not 0"; });
  }
  size.HasNothingElse(Row::Objects::kNone);
}

void AddVersions(Table& table) {
  NameRow(table, "mluOpGetLibVersion",
          [](Names& n, mluOpHandle_t) {
            int major = 0, minor = 0, patch = 0;
            mluOpGetLibVersion(&major, &minor, &patch);
            n.size = static_cast<size_t>(major * 10000 + minor * 100 + patch);
            return n.size == 11101 ? 0 : 1;
          })
      .Defines(
          BadClass::kNull, "NULL pointers are skipped",
          [](Names& n, mluOpHandle_t) {
            int minor = 0;
            mluOpGetLibVersion(nullptr, &minor, nullptr);
            mluOpGetLibVersion(nullptr, nullptr, nullptr);
            n.seen = minor == MLUOP_MINOR ? "" : "another minor version";
            return 0;
          },
          Seen)
      .row()
      .CannotOccur({BadClass::kOverlap}, kOnlyWrites)
      .HasNothingElse(Row::Objects::kNone);
  NameRow(table, "mluOpGetVersion", DETOPS_CALL(mluOpGetVersion() == static_cast<size_t>(MLUOP_VERSION) ? 0 : 1))
      .row()
      .TakesNoArgument();
  NameRow(table, "mluOpGetReservedMemSize", DETOPS_CALL(mluOpGetReservedMemSize(&w.wide)))
      .Null("mem_size", DETOPS_CALL(mluOpGetReservedMemSize(nullptr)))
      .HasNothingElse(Row::Objects::kNone);
}

// ---- the recording of cases ----

void CountLine(void* opaque, detopsLogLevel_t /*level*/, const char* /*line*/) { ++*static_cast<int*>(opaque); }

// How many lines a call sends: in mode 3 one about itself. The operator has no choice to tell about.
int LinesOfACall() {
  int lines = 0;
  Handle handle;
  detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, CountLine, &lines);
  const char function[] = "mluOpRotatedFeatureAlignForward";
  Must(detops_harness::PlacedCall(detops_harness::WholeCatalogue().Find(function)->Good()).Run(handle.get()), function);
  return lines;
}

void AddRecording(Table& table) {
  NameRow mode(table, "mluOpSetGenCaseMode", [](Names&, mluOpHandle_t) {
    mluOpSetGenCaseMode(3);
    const int lines = LinesOfACall();
    mluOpSetGenCaseMode(0);
    return lines > 0 && LinesOfACall() == 0 ? 0 : 1;
  });
  for (const int number : {-1, 4, INT32_MAX, INT32_MIN}) {
    mode.Defines(
        BadClass::kEnumerator, "another number changes nothing",
        [number](Names& n, mluOpHandle_t) {
          mluOpSetGenCaseMode(3);
          mluOpSetGenCaseMode(number);
          const int on = LinesOfACall();
          mluOpSetGenCaseMode(0);
          mluOpSetGenCaseMode(number);
          n.seen = on > 0 && LinesOfACall() == 0 ? "" : "the mode has changed";
          return 0;
        },
        Seen);
  }
  mode.HasNothingElse(Row::Objects::kNone);

  const auto set = [](const std::string& path) -> int { return mluOpSetGenCaseDirectory(path.c_str()); };
  NameRow(table, "mluOpSetGenCaseDirectory", DETOPS_CALL(set(".")))
      .Null("path", DETOPS_CALL(mluOpSetGenCaseDirectory(nullptr)))
      .BadParam(BadClass::kEmpty, "an empty path", "path", DETOPS_CALL(set("")))
      .BadParam(BadClass::kOverflow, "a path of 2048 bytes", "path", DETOPS_CALL(set(std::string(2048, 'a'))))
      .HasNothingElse(Row::Objects::kNone);

  const auto get = [](char* buffer, size_t bytes, size_t* length) -> int {
    mluOpStatus_t status = MLUOP_STATUS_INTERNAL_ERROR;
    const char* given = mluOpGetGenCaseDirectory(buffer, bytes, length, &status);
    return given != (status == MLUOP_STATUS_SUCCESS ? buffer : nullptr) ? MLUOP_STATUS_INTERNAL_ERROR : status;
  };
  NameRow(table, "mluOpGetGenCaseDirectory", DETOPS_CALL(get(w.buffer, sizeof(w.buffer), &w.size)))
      .Null("buffer",
            [get](Names&, mluOpHandle_t) {
              size_t length = 0;
              const int status = get(nullptr, 16, &length);
              return length == 1 ? status : 0;  // it tells the length all the same
            })
      .Defines(
          BadClass::kNull, "pathLen and status may be NULL",
          [](Names& n, mluOpHandle_t) {
            n.seen = mluOpGetGenCaseDirectory(n.buffer, sizeof(n.buffer), nullptr, nullptr) == n.buffer ? "" : "NULL";
            return 0;
          },
          Seen)
      .BadParam(BadClass::kEmpty, "a buffer of no bytes", "bufferSize is 0", DETOPS_CALL(get(w.buffer, 0, nullptr)))
      .BadParam(BadClass::kSizes, "no room for the closing zero byte", "bufferSize is 1",
                DETOPS_CALL(get(w.buffer, 1, nullptr)))
      .row()
      .CannotOccur({BadClass::kOverlap}, kOnlyWrites)
      .HasNothingElse(Row::Objects::kNone);
}

}  // namespace

void AddNamesAndCases(Table& table) {
  AddNames(table);
  AddVersions(table);
  AddRecording(table);
}

}  // namespace detops_test
