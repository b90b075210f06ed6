// Rows of cnrt.h. Its functions have no text: the last error of the thread names the code.
#include <cstdint>
#include <cstring>
#include <string>

#include "cnrt.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

struct Runtime {
  Runtime() {
    cnrtQueueCreate(&queue);
    for (cnrtNotifier_t* notifier : {&start, &end, &unplaced}) cnrtNotifierCreate(notifier);
    cnrtPlaceNotifier(start, queue);
    cnrtPlaceNotifier(end, queue);
    std::memset(target, 0x5A, sizeof(target));
    for (size_t i = 0; i < sizeof(source); ++i) source[i] = static_cast<unsigned char>(i);
  }
  ~Runtime() {
    for (cnrtNotifier_t notifier : {start, end, unplaced}) cnrtNotifierDestroy(notifier);
    cnrtQueueDestroy(queue);
  }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  std::string State(mluOpHandle_t /*handle*/) const {
    return std::string(reinterpret_cast<const char*>(target), sizeof(target)) +
           std::string(reinterpret_cast<const char*>(source), sizeof(source)) + (time == -7 ? "no time" : "a time") +
           (place == &place ? "no memory" : "memory") + std::to_string(number);
  }
  std::string Message(int status) const {
    const cnrtRet_t last = cnrtGetLastError();
    return status == cnrtSuccess && last == cnrtSuccess ? "" : cnrtGetErrorStr(last);
  }

  cnrtQueue_t queue = nullptr;
  cnrtNotifier_t start = nullptr, end = nullptr, unplaced = nullptr;
  unsigned char target[16], source[16];
  float time = -7;
  void* place = &place;  // a mark: no allocation gives this
  int number = -7;
};

using RuntimeRow = PlainRow<Runtime>;
constexpr char kInvalid[] = "cnrtErrorArgsInvalid";

class RuntimeTable {
 public:
  explicit RuntimeTable(Table& table) : table_(table) {}

  RuntimeRow Add(const std::string& function, const RuntimeRow::Call& good) {
    RuntimeRow row(table_, function, good);
    row.row().MessagesStart("cnrtError");
    return row;
  }
  template <class Object>
  void AddMaking(Making making, cnrtRet_t (*create)(Object*), cnrtRet_t (*destroy)(Object)) {
    making.text = kInvalid;
    making.create_refuses = making.destroy_refuses = cnrtErrorArgsInvalid;
    making.messages = "cnrtError";
    detops_test::AddMaking<Runtime>(table_, making, create, destroy);
  }
  // With a NULL argument.
  static void Null(RuntimeRow& row, const std::string& fault, const RuntimeRow::Call& call) {
    row.Refuses(BadClass::kNull, fault, cnrtErrorArgsInvalid, kInvalid, call);
  }

 private:
  Table& table_;
};

std::string Nothing(Runtime&) { return ""; }

void AddQueues(RuntimeTable& table) {
  table.AddMaking({"cnrtQueueCreate", "cnrtQueueDestroy", "queue"}, cnrtQueueCreate, cnrtQueueDestroy);
  const struct {
    const char* name;
    cnrtRet_t (*function)(cnrtQueue_t);
  } waits[] = {{"cnrtQueueSync", cnrtQueueSync}, {"cnrtQueueQuery", cnrtQueueQuery}, {"cnrtSyncQueue", cnrtSyncQueue}};
  for (const auto& wait : waits) {
    const auto function = wait.function;
    table.Add(wait.name, DETOPS_CALL(function(w.queue)))
        .Defines(BadClass::kNull, "NULL is the default queue", DETOPS_CALL(function(nullptr)), Nothing)
        .HasNothingElse(Row::Objects::kSome);
  }
  const struct {
    const char* name;
    cnrtRet_t (*function)();
  } plain[] = {{"cnrtSyncDevice", cnrtSyncDevice},
               {"cnrtGetLastError", cnrtGetLastError},
               {"cnrtPeekAtLastError", cnrtPeekAtLastError}};
  for (const auto& entry : plain) {
    table.Add(entry.name, DETOPS_CALL(entry.function())).row().TakesNoArgument();
  }
}

void AddNotifiers(RuntimeTable& table) {
  table.AddMaking({"cnrtNotifierCreate", "cnrtNotifierDestroy", "notifier"}, cnrtNotifierCreate, cnrtNotifierDestroy);
  const struct {
    const char* name;
    cnrtRet_t (*function)(cnrtNotifier_t, cnrtQueue_t);
  } entries[] = {
      {"cnrtPlaceNotifier", cnrtPlaceNotifier},
      {"cnrtWaitNotifier", [](cnrtNotifier_t n, cnrtQueue_t) { return cnrtWaitNotifier(n); }},
      {"cnrtQueryNotifier", [](cnrtNotifier_t n, cnrtQueue_t) { return cnrtQueryNotifier(n); }},
      {"cnrtQueueWaitNotifier", [](cnrtNotifier_t n, cnrtQueue_t q) { return cnrtQueueWaitNotifier(n, q, 0); }}};
  for (const auto& entry : entries) {
    const auto function = entry.function;
    RuntimeRow row = table.Add(entry.name, DETOPS_CALL(function(w.start, w.queue)));
    RuntimeTable::Null(row, "notifier", DETOPS_CALL(function(nullptr, w.queue)));
    row.HasNothingElse(Row::Objects::kSome);
  }

  const struct {
    const char* name;
    cnrtRet_t (*function)(cnrtNotifier_t, cnrtNotifier_t, float*);
  } times[] = {{"cnrtNotifierDuration", cnrtNotifierDuration}, {"cnrtNotifierElapsedTime", cnrtNotifierElapsedTime}};
  for (const auto& time : times) {
    const auto function = time.function;
    RuntimeRow row = table.Add(time.name, DETOPS_CALL(function(w.start, w.end, &w.time)));
    RuntimeTable::Null(row, "start", DETOPS_CALL(function(nullptr, w.end, &w.time)));
    RuntimeTable::Null(row, "end", DETOPS_CALL(function(w.start, nullptr, &w.time)));
    RuntimeTable::Null(row, "the place for the time", DETOPS_CALL(function(w.start, w.end, nullptr)));
    row.Refuses(BadClass::kEmpty, "a notifier that was never placed", cnrtErrorArgsInvalid, kInvalid,
                DETOPS_CALL(function(w.start, w.unplaced, &w.time)));
    row.HasNothingElse(Row::Objects::kSome);
  }
}

void AddMemory(RuntimeTable& table) {
  for (const bool host : {false, true}) {
    const auto allocate = host ? cnrtHostMalloc : cnrtMalloc;
    const auto release = host ? cnrtFreeHost : cnrtFree;
    const auto allocate_and_free = [=](size_t bytes) -> int {
      void* memory = nullptr;
      const cnrtRet_t status = allocate(&memory, bytes);
      if (status != cnrtSuccess) return status;
      return memory == nullptr ? cnrtErrorSys : release(memory);
    };
    RuntimeRow row = table.Add(host ? "cnrtHostMalloc" : "cnrtMalloc", DETOPS_CALL(allocate_and_free(100)));
    RuntimeTable::Null(row, "pointer", DETOPS_CALL(allocate(nullptr, 100)));
    row.Defines(BadClass::kEmpty, "0 bytes give a pointer that may be freed", DETOPS_CALL(allocate_and_free(0)),
                Nothing);
    for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2 + 1}) {
      row.Refuses(BadClass::kOverflow, "more bytes than can be counted", cnrtErrorNoMem, "cnrtErrorNoMem",
                  DETOPS_CALL(allocate(&w.place, bytes)));
    }
    row.HasNothingElse(Row::Objects::kNone);
    table.Add(host ? "cnrtFreeHost" : "cnrtFree", DETOPS_CALL(allocate_and_free(1)))
        .Defines(BadClass::kNull, "NULL is accepted", DETOPS_CALL(release(nullptr)),
                 Nothing)
        .HasNothingElse(Row::Objects::kSome);  // memory that was freed already
  }
  const auto copy = [](void* to, void* from, size_t bytes, int direction) {
    return cnrtMemcpy(to, from, bytes, static_cast<cnrtMemTransDir_t>(direction));
  };
  const auto copy_async = [](void* to, void* from, size_t bytes, int direction) {
    return cnrtMemcpyAsync(to, from, bytes, nullptr, static_cast<cnrtMemTransDir_t>(direction));
  };
  for (const bool async : {false, true}) {
    const std::function<int(void*, void*, size_t, int)> run = async ? +copy_async : +copy;
    RuntimeRow row = table.Add(async ? "cnrtMemcpyAsync" : "cnrtMemcpy", DETOPS_CALL(run(w.target, w.source, 16, 0)));
    RuntimeTable::Null(row, "dst", DETOPS_CALL(run(nullptr, w.source, 16, 0)));
    RuntimeTable::Null(row, "src", DETOPS_CALL(run(w.target, nullptr, 16, 0)));
    row.Defines(BadClass::kEmpty, "0 bytes need no memory", DETOPS_CALL(run(nullptr, nullptr, 0, 0)), Nothing);
    row.Defines(
        BadClass::kOverlap, "the two may overlap",
        [run](Runtime& r, mluOpHandle_t) {
          for (size_t i = 0; i < sizeof(r.source); ++i) r.source[i] = static_cast<unsigned char>(i);
          return run(r.source + 1, r.source, 15, 3);
        },
        [](Runtime& r) { return r.source[0] == 0 && r.source[1] == 0 && r.source[15] == 14 ? "" : "wrong bytes"; });
    for (const int direction : {-1, 6}) {
      row.Refuses(BadClass::kEnumerator, "direction", cnrtErrorArgsInvalid, kInvalid,
                  DETOPS_CALL(run(w.target, w.source, 16, direction)));
    }
    row.HasNothingElse(Row::Objects::kSome);

    const auto set = [async](void* to, size_t bytes) -> int {
      return async ? cnrtMemsetAsync(to, 7, bytes, nullptr) : cnrtMemset(to, 7, bytes);
    };
    RuntimeRow fill = table.Add(async ? "cnrtMemsetAsync" : "cnrtMemset", DETOPS_CALL(set(w.target, 16)));
    RuntimeTable::Null(fill, "dst", DETOPS_CALL(set(nullptr, 16)));
    fill.Defines(BadClass::kEmpty, "0 bytes need no memory", DETOPS_CALL(set(nullptr, 0)), Nothing);
    fill.HasNothingElse(Row::Objects::kSome);
  }
}

void AddDevices(RuntimeTable& table) {
  RuntimeRow count = table.Add("cnrtGetDeviceCount", [](Runtime& r, mluOpHandle_t) -> int {
    unsigned int devices = 0;
    const cnrtRet_t status = cnrtGetDeviceCount(&devices);
    r.number = static_cast<int>(devices);
    return status;
  });
  RuntimeTable::Null(count, "count", DETOPS_CALL(cnrtGetDeviceCount(nullptr)));
  count.HasNothingElse(Row::Objects::kNone);

  RuntimeRow get = table.Add("cnrtGetDevice", DETOPS_CALL(cnrtGetDevice(&w.number)));
  RuntimeTable::Null(get, "ordinal", DETOPS_CALL(cnrtGetDevice(nullptr)));
  get.HasNothingElse(Row::Objects::kNone);

  RuntimeRow set = table.Add("cnrtSetDevice", DETOPS_CALL(cnrtSetDevice(0)));
  for (const int ordinal : {-1, 1}) {
    set.Refuses(BadClass::kEnumerator, "no device has this number", cnrtErrorDeviceInvalid, "cnrtErrorDeviceInvalid",
                DETOPS_CALL(cnrtSetDevice(ordinal)));
  }
  set.HasNothingElse(Row::Objects::kNone);

  RuntimeRow attribute =
      table.Add("cnrtDeviceGetAttribute", DETOPS_CALL(cnrtDeviceGetAttribute(&w.number, cnrtAttrClusterCount, 0)));
  RuntimeTable::Null(attribute, "value", DETOPS_CALL(cnrtDeviceGetAttribute(nullptr, cnrtAttrClusterCount, 0)));
  attribute.Refuses(BadClass::kEnumerator, "no attribute has this number", cnrtErrorArgsInvalid, "cnrtErrorArgsInvalid",
                    DETOPS_CALL(cnrtDeviceGetAttribute(&w.number, static_cast<cnrtDeviceAttr_t>(1), 0)));
  attribute.Refuses(BadClass::kEnumerator, "no device has this number", cnrtErrorDeviceInvalid,
                    "cnrtErrorDeviceInvalid", DETOPS_CALL(cnrtDeviceGetAttribute(&w.number, cnrtAttrClusterCount, 1)));
  attribute.HasNothingElse(Row::Objects::kNone);

  RuntimeRow text =
      table.Add("cnrtGetErrorStr", DETOPS_CALL(std::strcmp(cnrtGetErrorStr(cnrtErrorNoMem), "cnrtErrorNoMem")));
  for (const int code : {-1, 2, 100101}) {
    text.Defines(BadClass::kEnumerator, "unknown codes have a text too",
                 DETOPS_CALL(std::strcmp(cnrtGetErrorStr(static_cast<cnrtRet_t>(code)), "cnrtErrorUnknown")), Nothing);
  }
  text.HasNothingElse(Row::Objects::kNone);

  RuntimeRow check = table.Add("cnrtCheck", [](Runtime&, mluOpHandle_t) {
    cnrtCheck(cnrtSuccess, "call()", "file.c", 1);
    return 0;
  });
  const auto remembers = [](int code) {
    cnrtCheck(static_cast<cnrtRet_t>(code), nullptr, nullptr, -1);
    return cnrtGetLastError() == static_cast<cnrtRet_t>(code) ? 0 : 1;
  };
  check.Defines(BadClass::kNull, "texts are not looked at", DETOPS_CALL(remembers(cnrtErrorNoMem)), Nothing)
      .Defines(BadClass::kEnumerator, "any failed result is remembered", DETOPS_CALL(remembers(-1)), Nothing)
      .HasNothingElse(Row::Objects::kNone);
}

}  // namespace

void AddRuntime(Table& table) {
  RuntimeTable runtime(table);
  AddQueues(runtime);
  AddNotifiers(runtime);
  AddMemory(runtime);
  AddDevices(runtime);
}

}  // namespace detops_test
