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
    table.Add(wait.name, [function](Runtime& r, mluOpHandle_t) -> int { return function(r.queue); })
        .Defines(
            BadClass::kNull, "NULL is the default queue",
            [function](Runtime&, mluOpHandle_t) -> int { return function(nullptr); }, Nothing)
        .HasNothingElse(Row::Objects::kSome);
  }
  const struct {
    const char* name;
    cnrtRet_t (*function)();
  } plain[] = {{"cnrtSyncDevice", cnrtSyncDevice},
               {"cnrtGetLastError", cnrtGetLastError},
               {"cnrtPeekAtLastError", cnrtPeekAtLastError}};
  for (const auto& entry : plain) {
    table.Add(entry.name, [function = entry.function](Runtime&, mluOpHandle_t) -> int { return function(); })
        .row()
        .TakesNoArgument();
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
    RuntimeRow row =
        table.Add(entry.name, [function](Runtime& r, mluOpHandle_t) -> int { return function(r.start, r.queue); });
    RuntimeTable::Null(row, "notifier",
                       [function](Runtime& r, mluOpHandle_t) -> int { return function(nullptr, r.queue); });
    row.HasNothingElse(Row::Objects::kSome);
  }

  const struct {
    const char* name;
    cnrtRet_t (*function)(cnrtNotifier_t, cnrtNotifier_t, float*);
  } times[] = {{"cnrtNotifierDuration", cnrtNotifierDuration}, {"cnrtNotifierElapsedTime", cnrtNotifierElapsedTime}};
  for (const auto& time : times) {
    const auto function = time.function;
    RuntimeRow row = table.Add(
        time.name, [function](Runtime& r, mluOpHandle_t) -> int { return function(r.start, r.end, &r.time); });
    RuntimeTable::Null(row, "start",
                       [function](Runtime& r, mluOpHandle_t) -> int { return function(nullptr, r.end, &r.time); });
    RuntimeTable::Null(row, "end",
                       [function](Runtime& r, mluOpHandle_t) -> int { return function(r.start, nullptr, &r.time); });
    RuntimeTable::Null(row, "the place for the time",
                       [function](Runtime& r, mluOpHandle_t) -> int { return function(r.start, r.end, nullptr); });
    row.Refuses(BadClass::kEmpty, "a notifier that was never placed", cnrtErrorArgsInvalid, kInvalid,
                [function](Runtime& r, mluOpHandle_t) -> int { return function(r.start, r.unplaced, &r.time); });
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
    RuntimeRow row = table.Add(host ? "cnrtHostMalloc" : "cnrtMalloc",
                               [=](Runtime&, mluOpHandle_t) -> int { return allocate_and_free(100); });
    RuntimeTable::Null(row, "pointer", [=](Runtime&, mluOpHandle_t) -> int { return allocate(nullptr, 100); });
    row.Defines(
        BadClass::kEmpty, "0 bytes give a pointer that may be freed",
        [=](Runtime&, mluOpHandle_t) -> int { return allocate_and_free(0); }, Nothing);
    for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2 + 1}) {
      row.Refuses(BadClass::kOverflow, "more bytes than can be counted", cnrtErrorNoMem, "cnrtErrorNoMem",
                  [=](Runtime& r, mluOpHandle_t) -> int { return allocate(&r.place, bytes); });
    }
    row.HasNothingElse(Row::Objects::kNone);
    table.Add(host ? "cnrtFreeHost" : "cnrtFree", [=](Runtime&, mluOpHandle_t) -> int { return allocate_and_free(1); })
        .Defines(
            BadClass::kNull, "NULL is accepted", [=](Runtime&, mluOpHandle_t) -> int { return release(nullptr); },
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
    RuntimeRow row = table.Add(async ? "cnrtMemcpyAsync" : "cnrtMemcpy",
                               [run](Runtime& r, mluOpHandle_t) { return run(r.target, r.source, 16, 0); });
    RuntimeTable::Null(row, "dst", [run](Runtime& r, mluOpHandle_t) { return run(nullptr, r.source, 16, 0); });
    RuntimeTable::Null(row, "src", [run](Runtime& r, mluOpHandle_t) { return run(r.target, nullptr, 16, 0); });
    row.Defines(
        BadClass::kEmpty, "0 bytes need no memory",
        [run](Runtime&, mluOpHandle_t) { return run(nullptr, nullptr, 0, 0); }, Nothing);
    row.Defines(
        BadClass::kOverlap, "the two may overlap",
        [run](Runtime& r, mluOpHandle_t) {
          for (size_t i = 0; i < sizeof(r.source); ++i) r.source[i] = static_cast<unsigned char>(i);
          return run(r.source + 1, r.source, 15, 3);
        },
        [](Runtime& r) { return r.source[0] == 0 && r.source[1] == 0 && r.source[15] == 14 ? "" : "wrong bytes"; });
    for (const int direction : {-1, 6}) {
      row.Refuses(BadClass::kEnumerator, "direction", cnrtErrorArgsInvalid, kInvalid,
                  [=](Runtime& r, mluOpHandle_t) { return run(r.target, r.source, 16, direction); });
    }
    row.HasNothingElse(Row::Objects::kSome);

    const auto set = [async](void* to, size_t bytes) -> int {
      return async ? cnrtMemsetAsync(to, 7, bytes, nullptr) : cnrtMemset(to, 7, bytes);
    };
    RuntimeRow fill = table.Add(async ? "cnrtMemsetAsync" : "cnrtMemset",
                                [set](Runtime& r, mluOpHandle_t) { return set(r.target, 16); });
    RuntimeTable::Null(fill, "dst", [set](Runtime&, mluOpHandle_t) { return set(nullptr, 16); });
    fill.Defines(
        BadClass::kEmpty, "0 bytes need no memory", [set](Runtime&, mluOpHandle_t) { return set(nullptr, 0); },
        Nothing);
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
  RuntimeTable::Null(count, "count", [](Runtime&, mluOpHandle_t) -> int { return cnrtGetDeviceCount(nullptr); });
  count.HasNothingElse(Row::Objects::kNone);

  RuntimeRow get =
      table.Add("cnrtGetDevice", [](Runtime& r, mluOpHandle_t) -> int { return cnrtGetDevice(&r.number); });
  RuntimeTable::Null(get, "ordinal", [](Runtime&, mluOpHandle_t) -> int { return cnrtGetDevice(nullptr); });
  get.HasNothingElse(Row::Objects::kNone);

  RuntimeRow set = table.Add("cnrtSetDevice", [](Runtime&, mluOpHandle_t) -> int { return cnrtSetDevice(0); });
  for (const int ordinal : {-1, 1}) {
    set.Refuses(BadClass::kEnumerator, "no device has this number", cnrtErrorDeviceInvalid, "cnrtErrorDeviceInvalid",
                [ordinal](Runtime&, mluOpHandle_t) -> int { return cnrtSetDevice(ordinal); });
  }
  set.HasNothingElse(Row::Objects::kNone);

  RuntimeRow attribute = table.Add("cnrtDeviceGetAttribute", [](Runtime& r, mluOpHandle_t) -> int {
    return cnrtDeviceGetAttribute(&r.number, cnrtAttrClusterCount, 0);
  });
  RuntimeTable::Null(attribute, "value", [](Runtime&, mluOpHandle_t) -> int {
    return cnrtDeviceGetAttribute(nullptr, cnrtAttrClusterCount, 0);
  });
  attribute.Refuses(BadClass::kEnumerator, "no attribute has this number", cnrtErrorArgsInvalid, "cnrtErrorArgsInvalid",
                    [](Runtime& r, mluOpHandle_t) -> int {
                      return cnrtDeviceGetAttribute(&r.number, static_cast<cnrtDeviceAttr_t>(1), 0);
                    });
  attribute.Refuses(
      BadClass::kEnumerator, "no device has this number", cnrtErrorDeviceInvalid, "cnrtErrorDeviceInvalid",
      [](Runtime& r, mluOpHandle_t) -> int { return cnrtDeviceGetAttribute(&r.number, cnrtAttrClusterCount, 1); });
  attribute.HasNothingElse(Row::Objects::kNone);

  RuntimeRow text = table.Add("cnrtGetErrorStr", [](Runtime&, mluOpHandle_t) {
    return std::strcmp(cnrtGetErrorStr(cnrtErrorNoMem), "cnrtErrorNoMem");
  });
  for (const int code : {-1, 2, 100101}) {
    text.Defines(
        BadClass::kEnumerator, "unknown codes have a text too",
        [code](Runtime&, mluOpHandle_t) {
          return std::strcmp(cnrtGetErrorStr(static_cast<cnrtRet_t>(code)), "cnrtErrorUnknown");
        },
        Nothing);
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
  check
      .Defines(
          BadClass::kNull, "texts are not looked at",
          [remembers](Runtime&, mluOpHandle_t) { return remembers(cnrtErrorNoMem); }, Nothing)
      .Defines(
          BadClass::kEnumerator, "any failed result is remembered",
          [remembers](Runtime&, mluOpHandle_t) { return remembers(-1); }, Nothing)
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
