// The host runtime of cnrt.h.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>

#include "cnrt.h"
#include "core/platform.h"

struct cnrtQueueStruct {};

struct cnrtNotifierStruct {
  bool placed = false;
  std::chrono::steady_clock::time_point time;
};

namespace {

DETOPS_EARLY_THREAD_LOCAL cnrtRet_t t_last_error = cnrtSuccess;

cnrtRet_t Fail(cnrtRet_t code) {
  t_last_error = code;
  return code;
}

cnrtRet_t Require(bool condition) { return condition ? cnrtSuccess : Fail(cnrtErrorArgsInvalid); }

cnrtRet_t Allocate(void** pointer, size_t bytes) {
  constexpr size_t kCacheLine = 64;
  if (pointer == nullptr) return Fail(cnrtErrorArgsInvalid);
  if (bytes > SIZE_MAX / 2) return Fail(cnrtErrorNoMem);
  // Large tensors on huge pages: operators read them in jumps, and small pages cost most of the speed there.
  const size_t alignment = bytes >= 2 * detops::kHugePage ? detops::kHugePage : kCacheLine;
  const size_t size = (bytes / alignment + 1) * alignment;  // a whole multiple, at least one
  void* memory = detops::AllocateAligned(alignment, size);
  if (memory == nullptr) return Fail(cnrtErrorNoMem);
  if (alignment == detops::kHugePage) detops::WishHugePages(memory, size);
  *pointer = memory;
  return cnrtSuccess;
}

template <typename Object>
cnrtRet_t Create(Object** object) {
  if (object == nullptr) return Fail(cnrtErrorArgsInvalid);
  auto* made = new (std::nothrow) Object;
  if (made == nullptr) return Fail(cnrtErrorSysNoMem);
  *object = made;
  return cnrtSuccess;
}

template <typename Object>
cnrtRet_t Destroy(Object* object) {
  if (object == nullptr) return Fail(cnrtErrorArgsInvalid);
  delete object;
  return cnrtSuccess;
}

template <typename Unit>
cnrtRet_t TimeBetween(cnrtNotifier_t start, cnrtNotifier_t end, float* result) {
  if (start == nullptr || end == nullptr || result == nullptr || !start->placed || !end->placed) {
    return Fail(cnrtErrorArgsInvalid);
  }
  *result = std::chrono::duration<float, Unit>(end->time - start->time).count();
  return cnrtSuccess;
}

}  // namespace

cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue) { return Create(queue); }
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue) { return Destroy(queue); }
cnrtRet_t cnrtQueueSync(cnrtQueue_t /*queue*/) { return cnrtSuccess; }
cnrtRet_t cnrtQueueQuery(cnrtQueue_t /*queue*/) { return cnrtSuccess; }
cnrtRet_t cnrtSyncQueue(cnrtQueue_t queue) { return cnrtQueueSync(queue); }
cnrtRet_t cnrtSyncDevice(void) { return cnrtSuccess; }

cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier) { return Create(notifier); }
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier) { return Destroy(notifier); }

cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t /*queue*/) {
  if (notifier == nullptr) return Fail(cnrtErrorArgsInvalid);
  notifier->time = std::chrono::steady_clock::now();
  notifier->placed = true;
  return cnrtSuccess;
}

cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier) { return Require(notifier != nullptr); }
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier) { return Require(notifier != nullptr); }
cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t /*queue*/, unsigned int /*flags*/) {
  return Require(notifier != nullptr);
}

cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* us) {
  return TimeBetween<std::micro>(start, end, us);
}
cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* ms) {
  return TimeBetween<std::milli>(start, end, ms);
}

cnrtRet_t cnrtMalloc(void** pointer, size_t bytes) { return Allocate(pointer, bytes); }
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes) { return Allocate(pointer, bytes); }

cnrtRet_t cnrtFree(void* pointer) {
  detops::FreeAligned(pointer);
  return cnrtSuccess;
}
cnrtRet_t cnrtFreeHost(void* pointer) { return cnrtFree(pointer); }

cnrtRet_t cnrtMemcpy(void* dst, void* src, size_t bytes, cnrtMemTransDir_t direction) {
  const int number = static_cast<int>(direction);
  if (number < cnrtMemcpyHostToDev || number > cnrtMemcpyNoDirection) return Fail(cnrtErrorArgsInvalid);
  if (bytes == 0) return cnrtSuccess;
  if (dst == nullptr || src == nullptr) return Fail(cnrtErrorArgsInvalid);
  std::memmove(dst, src, bytes);
  return cnrtSuccess;
}
cnrtRet_t cnrtMemcpyAsync(void* dst, void* src, size_t bytes, cnrtQueue_t /*queue*/, cnrtMemTransDir_t direction) {
  return cnrtMemcpy(dst, src, bytes, direction);
}

cnrtRet_t cnrtMemset(void* dst, int value, size_t bytes) {
  if (bytes == 0) return cnrtSuccess;
  if (dst == nullptr) return Fail(cnrtErrorArgsInvalid);
  std::memset(dst, value, bytes);
  return cnrtSuccess;
}
cnrtRet_t cnrtMemsetAsync(void* dst, int value, size_t bytes, cnrtQueue_t /*queue*/) {
  return cnrtMemset(dst, value, bytes);
}

cnrtRet_t cnrtGetDeviceCount(unsigned int* count) {
  if (count == nullptr) return Fail(cnrtErrorArgsInvalid);
  *count = 1;
  return cnrtSuccess;
}
cnrtRet_t cnrtGetDevice(int* ordinal) {
  if (ordinal == nullptr) return Fail(cnrtErrorArgsInvalid);
  *ordinal = 0;
  return cnrtSuccess;
}
cnrtRet_t cnrtSetDevice(int ordinal) { return ordinal == 0 ? cnrtSuccess : Fail(cnrtErrorDeviceInvalid); }

cnrtRet_t cnrtDeviceGetAttribute(int* value, cnrtDeviceAttr_t attribute, int ordinal) {
  if (value == nullptr || (attribute != cnrtAttrClusterCount && attribute != cnrtAttrMcorePerCluster)) {
    return Fail(cnrtErrorArgsInvalid);
  }
  if (ordinal != 0) return Fail(cnrtErrorDeviceInvalid);
  *value = 1;
  return cnrtSuccess;
}

const char* cnrtGetErrorStr(cnrtRet_t code) {
  // clang-format off
  switch (code) {
    case cnrtSuccess:            return "cnrtSuccess";
    case cnrtErrorNotReady:      return "cnrtErrorNotReady";
    case cnrtErrorInit:          return "cnrtErrorInit";
    case cnrtErrorNoDevice:      return "cnrtErrorNoDevice";
    case cnrtErrorDeviceInvalid: return "cnrtErrorDeviceInvalid";
    case cnrtErrorArgsInvalid:   return "cnrtErrorArgsInvalid";
    case cnrtErrorSys:           return "cnrtErrorSys";
    case cnrtErrorSysNoMem:      return "cnrtErrorSysNoMem";
    case cnrtErrorNoMem:         return "cnrtErrorNoMem";
    default:                     return "cnrtErrorUnknown";
  }
  // clang-format on
}

cnrtRet_t cnrtGetLastError(void) {
  const cnrtRet_t last = t_last_error;
  t_last_error = cnrtSuccess;
  return last;
}
cnrtRet_t cnrtPeekAtLastError(void) { return t_last_error; }

void cnrtCheck(cnrtRet_t result, const char* /*expression*/, const char* /*file*/, int /*line*/) {
  if (result != cnrtSuccess) t_last_error = result;
}
