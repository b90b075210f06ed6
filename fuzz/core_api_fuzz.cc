// Fuzzes the core of the C API: the bytes are a sequence of calls on a few handles, descriptors, queues and notifiers,
// with good and bad arguments.
//
// A model of every object predicts the statuses and what the getters give; it is compared after each call, so a Set
// that fails half-way, or a call that changes another object, is noticed at once. Arrays are heap blocks of exactly the
// length that the call announces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "detops.h"
#include "fuzz/descriptor_world.h"
#include "fuzz/fuzz_support.h"

namespace detops_fuzz {
namespace {

struct HandleModel {
  mluOpHandle_t handle = nullptr;
  cnrtQueue_t queue = nullptr;
  int round_mode = MLUOP_ROUND_HALF_TO_EVEN;
  int atomics_mode = MLUOP_ATOMICS_NOT_ALLOWED;
  int profile = DETOPS_PROFILE_CONTRACT;
  int value_checks = 1;
  int threads = 0;
};

struct NotifierModel {
  cnrtNotifier_t notifier = nullptr;
  bool placed = false;
};

class World {
 public:
  explicit World(FuzzedBytes& bytes) : bytes_(bytes), descriptors_(bytes) {
    cnrtGetLastError();  // forgets that of the input before
  }
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void Step();

 private:
  void ExpectCnrt(cnrtRet_t status, cnrtRet_t expected, const char* function);
  void CallDescriptors();
  void CallHandle();
  void CreateOrDestroyHandle();
  void CallOperator();
  void CallNames();
  void CallQueues();
  void CallMemory();
  void Compare(const HandleModel& model);

  FuzzedBytes& bytes_;
  DescriptorWorld descriptors_;
  HandleModel handles_[2];
  cnrtQueue_t queues_[2] = {};
  NotifierModel notifiers_[2];
  int default_threads_ = 0;
  int number_of_checks_ = 0;
  cnrtRet_t last_cnrt_error_ = cnrtSuccess;
};

void World::CallDescriptors() {
  constexpr void (DescriptorWorld::* kCalls[])() = {
      &DescriptorWorld::CreateOrDestroy, &DescriptorWorld::CreateOrDestroy,
      &DescriptorWorld::SetShape,        &DescriptorWorld::SetShape,
      &DescriptorWorld::SetShape,        &DescriptorWorld::SetField,
      &DescriptorWorld::SetField,        &DescriptorWorld::ReadWithNulls,
      &DescriptorWorld::Group,           &DescriptorWorld::Group};
  (descriptors_.*OneOf(bytes_, kCalls))();
}

// ---- handles ----

void World::CreateOrDestroyHandle() {
  HandleModel& model = handles_[Number(bytes_, 0, 1)];
  if (Rarely(bytes_)) {
    ExpectStatus(mluOpCreate(nullptr), false, "mluOpCreate");
    ExpectStatus(mluOpDestroy(nullptr), false, "mluOpDestroy");
  } else if (model.handle == nullptr) {
    model = {};
    ExpectStatus(mluOpCreate(&model.handle), true, "mluOpCreate");  // called without it: the thread's text stays
    if (detopsGetLastError(model.handle)[0] != '\0') Broken("a new handle has a text");
  } else if (OneIn(bytes_, 3)) {
    ExpectStatus(mluOpDestroy(model.handle), true, "mluOpDestroy");
    model = {};
  } else {
    ExpectStatus(mluOpUpdateContextInformation(model.handle), true, "mluOpUpdateContextInformation", model.handle);
  }
}

int NeverCalled(void* /*opaque*/, detopsTask_t /*task*/, void* /*context*/, int /*count*/) {
  Broken("the runner was called, though no operator ran");
}

void World::CallHandle() {
  HandleModel& model = handles_[Number(bytes_, 0, 1)];
  const mluOpHandle_t handle = OrNull(bytes_, model.handle);
  const bool there = handle != nullptr;
  const int number = Number(bytes_, -2, 4);
  // Sets the field of the model when the call was good.
  const auto expect = [&](mluOpStatus_t status, bool argument_good, const char* function, int* field) {
    ExpectStatus(status, there && argument_good, function, handle);
    if (there && argument_good && field != nullptr) *field = number;
  };
  switch (Number(bytes_, 0, 7)) {
    case 0: {
      const cnrtQueue_t queue = OrNull(bytes_, queues_[0]);
      expect(mluOpSetQueue(handle, queue), true, "mluOpSetQueue", nullptr);
      if (there) model.queue = queue;
      break;
    }
    case 1:
      expect(mluOpSetQuantizeRoundMode(handle, static_cast<mluOpQuantizeRoundMode_t>(number)),
             number >= 0 && number <= 2, "mluOpSetQuantizeRoundMode", &model.round_mode);
      break;
    case 2:
      expect(mluOpSetAtomicsMode(handle, static_cast<mluOpAtomicsMode_t>(number)), number == 1 || number == 2,
             "mluOpSetAtomicsMode", &model.atomics_mode);
      break;
    case 3:
      expect(detopsSetProfile(handle, static_cast<detopsProfile_t>(number)), number == 0 || number == 1,
             "detopsSetProfile", &model.profile);
      break;
    case 4:
      expect(detopsSetValueChecks(handle, number), true, "detopsSetValueChecks", &model.value_checks);
      if (there) model.value_checks = number != 0 ? 1 : 0;
      break;
    case 5:
      expect(detopsSetNumThreads(handle, number), number >= 0, "detopsSetNumThreads", &model.threads);
      break;
    case 6:
      expect(detopsSetParallelRunner(handle, bytes_.Bool() ? &NeverCalled : nullptr, &model), true,
             "detopsSetParallelRunner", nullptr);
      break;
    default: {
      // Nothing reads it back: its status is all there is to see.
      expect(detopsSetExactThreshold(handle, 0.1 * number), true, "detopsSetExactThreshold", nullptr);
      CNdev device = 7;
      int architecture = 7;
      CNdev* const to_device = OrNull(bytes_, &device);
      int* const to_architecture = OrNull(bytes_, &architecture);
      expect(mluOpGetDevice(handle, to_device), to_device != nullptr, "mluOpGetDevice", nullptr);
      expect(detopsGetArchitecture(handle, to_architecture), to_architecture != nullptr, "detopsGetArchitecture",
             nullptr);
      if (device != (there && to_device != nullptr ? 0 : 7)) Broken("device is %d", device);
      if (architecture != (there && to_architecture != nullptr ? 592 : 7)) Broken("architecture is %d", architecture);
      break;
    }
  }
}

void World::Compare(const HandleModel& model) {
  if (model.handle == nullptr) return;
  cnrtQueue_t queue = nullptr;
  mluOpQuantizeRoundMode_t round_mode;
  mluOpAtomicsMode_t atomics_mode;
  detopsProfile_t profile;
  int value_checks = -1, threads = -1;
  if (mluOpGetQueue(model.handle, &queue) != MLUOP_STATUS_SUCCESS ||
      mluOpGetQuantizeRoundMode(model.handle, &round_mode) != MLUOP_STATUS_SUCCESS ||
      mluOpGetAtomicsMode(model.handle, &atomics_mode) != MLUOP_STATUS_SUCCESS ||
      detopsGetProfile(model.handle, &profile) != MLUOP_STATUS_SUCCESS ||
      detopsGetValueChecks(model.handle, &value_checks) != MLUOP_STATUS_SUCCESS ||
      detopsGetNumThreads(model.handle, &threads) != MLUOP_STATUS_SUCCESS) {
    Broken("cannot read a handle");
  }
  if (queue != model.queue) Broken("the queue is not the one that was set");
  if (static_cast<int>(round_mode) != model.round_mode) Broken("round mode is %d", static_cast<int>(round_mode));
  if (static_cast<int>(atomics_mode) != model.atomics_mode) Broken("atomics mode %d", static_cast<int>(atomics_mode));
  if (static_cast<int>(profile) != model.profile) Broken("profile is %d", static_cast<int>(profile));
  if (value_checks != model.value_checks) Broken("value checks are %d", value_checks);
  if (model.threads == 0 && default_threads_ == 0) default_threads_ = threads;
  const int expected = model.threads == 0 ? default_threads_ : model.threads;
  if (threads != expected || threads < 1) Broken("%d threads, expected %d", threads, expected);
}

// Any descriptors, but no data: whatever they say, the operator has to find a reason, and a status of its contract.
void World::CallOperator() {
  const mluOpHandle_t handle = OrNull(bytes_, handles_[0].handle);
  const bool forward = bytes_.Bool();
  const auto align = forward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward;
  const char* const name = forward ? "mluOpRotatedFeatureAlignForward: " : "mluOpRotatedFeatureAlignBackward: ";
  const mluOpStatus_t status = align(handle, descriptors_.Any(), nullptr, descriptors_.Any(), nullptr,
                                     bytes_.AnyFloat(), Number(bytes_, -1, 6), descriptors_.Any(), nullptr);
  if (status != MLUOP_STATUS_BAD_PARAM && status != MLUOP_STATUS_NOT_SUPPORTED) {
    Broken("%sgave %s without data", name, mluOpGetErrorString(status));
  }
  const std::string text = detopsGetLastError(nullptr);
  if (text.rfind(name, 0) != 0 || text.back() != '.') Broken("%sfailed with the text \"%s\"", name, text.c_str());
  if (handle != nullptr && text != detopsGetLastError(handle)) Broken("texts of handle and thread differ");
}

// ---- names, targets and the runtime ----

void World::ExpectCnrt(cnrtRet_t status, cnrtRet_t expected, const char* function) {
  if (status != expected) {
    Broken("%s gave %s, expected %s", function, cnrtGetErrorStr(status), cnrtGetErrorStr(expected));
  }
  if (expected != cnrtSuccess) last_cnrt_error_ = expected;
  if (cnrtPeekAtLastError() != last_cnrt_error_) Broken("%s: last error is not kept", function);
}

void World::CallNames() {
  const int number = OneIn(bytes_, 2) ? Number(bytes_, -2, 30) : bytes_.Any<int>();
  const auto type = static_cast<mluOpDataType_t>(number);
  for (const char* name : {mluOpGetErrorString(static_cast<mluOpStatus_t>(number)), mluOpGetNameOfDataType(type),
                           mluOpGetNameOfTensorLayout(static_cast<mluOpTensorLayout_t>(number)),
                           cnrtGetErrorStr(static_cast<cnrtRet_t>(number)), detopsGetVersion(), detopsGetTarget()}) {
    if (name == nullptr || *name == '\0') Broken("a name of %d is missing", number);
  }
  int major = 0, minor = 0, patch = 0;
  mluOpGetLibVersion(OrNull(bytes_, &major), OrNull(bytes_, &minor), OrNull(bytes_, &patch));
  if (major < 0 || minor < 0 || patch < 0 || mluOpGetVersion() == 0) Broken("a version is wrong");
  uint64_t reserved = 7;
  uint64_t* const to_reserved = OrNull(bytes_, &reserved);
  ExpectStatus(mluOpGetReservedMemSize(to_reserved), to_reserved != nullptr, "mluOpGetReservedMemSize");
  if (reserved != (to_reserved != nullptr ? 0u : 7u)) Broken("reserved memory is wrong");
  size_t size = 77;
  size_t* const to_size = OrNull(bytes_, &size);
  const bool good = number != MLUOP_DTYPE_INVALID && to_size != nullptr;
  ExpectStatus(mluOpGetSizeOfDataType(type, to_size), good, "mluOpGetSizeOfDataType");
  const bool sensible = size == 0 || size == 1 || size == 2 || size == 4 || size == 8;
  if (good ? !sensible : size != 77) Broken("size of type %d is %zu", number, size);

  const std::string before = detopsGetTarget();
  const std::string wish = OneIn(bytes_, 2) ? "scalar" : bytes_.Text(50);
  if (detopsSetTarget(wish.c_str()) != MLUOP_STATUS_SUCCESS) {
    if (before != detopsGetTarget()) Broken("a refused target changed the one in use");
    if (detopsGetLastError(nullptr)[0] == '\0') Broken("detopsSetTarget failed without a text");
  }
  ExpectStatus(detopsSetTarget(nullptr), true, "detopsSetTarget");
}

void World::CallQueues() {
  cnrtQueue_t& queue = queues_[Number(bytes_, 0, 1)];
  NotifierModel& first = notifiers_[0];
  NotifierModel& second = notifiers_[Number(bytes_, 0, 1)];
  constexpr cnrtRet_t kBad = cnrtErrorArgsInvalid;
  const auto if_there = [](const void* object) { return object != nullptr ? cnrtSuccess : kBad; };
  switch (Number(bytes_, 0, 4)) {
    case 0:
      if (queue == nullptr) {
        ExpectCnrt(cnrtQueueCreate(&queue), cnrtSuccess, "cnrtQueueCreate");
        ExpectCnrt(cnrtQueueCreate(nullptr), kBad, "cnrtQueueCreate");
      } else {
        for (HandleModel& model : handles_) {  // a handle must not keep a queue that is gone
          if (model.handle != nullptr && mluOpSetQueue(model.handle, nullptr) != MLUOP_STATUS_SUCCESS) Broken("queue");
          model.queue = nullptr;
        }
        ExpectCnrt(cnrtQueueDestroy(queue), cnrtSuccess, "cnrtQueueDestroy");
        queue = nullptr;
      }
      break;
    case 1:
      ExpectCnrt(cnrtQueueSync(queue), cnrtSuccess, "cnrtQueueSync");
      ExpectCnrt(cnrtSyncQueue(queue), cnrtSuccess, "cnrtSyncQueue");
      ExpectCnrt(cnrtQueueQuery(queue), cnrtSuccess, "cnrtQueueQuery");
      ExpectCnrt(cnrtSyncDevice(), cnrtSuccess, "cnrtSyncDevice");
      if (queue == nullptr) ExpectCnrt(cnrtQueueDestroy(queue), kBad, "cnrtQueueDestroy");
      break;
    case 2:
      if (second.notifier == nullptr) {
        ExpectCnrt(cnrtNotifierDestroy(nullptr), kBad, "cnrtNotifierDestroy");
        ExpectCnrt(cnrtNotifierCreate(&second.notifier), cnrtSuccess, "cnrtNotifierCreate");
      } else {
        ExpectCnrt(cnrtNotifierDestroy(second.notifier), cnrtSuccess, "cnrtNotifierDestroy");
        second = {};
      }
      break;
    case 3:
      ExpectCnrt(cnrtPlaceNotifier(second.notifier, queue), if_there(second.notifier), "cnrtPlaceNotifier");
      second.placed = second.notifier != nullptr;
      ExpectCnrt(cnrtWaitNotifier(second.notifier), if_there(second.notifier), "cnrtWaitNotifier");
      ExpectCnrt(cnrtQueryNotifier(second.notifier), if_there(second.notifier), "cnrtQueryNotifier");
      ExpectCnrt(cnrtQueueWaitNotifier(second.notifier, queue, 0), if_there(second.notifier), "cnrtQueueWaitNotifier");
      break;
    default: {
      float us = -1, ms = -1;
      float* const to_us = OrNull(bytes_, &us);
      const bool good = first.placed && second.placed;
      const cnrtRet_t expected = good ? cnrtSuccess : kBad;
      ExpectCnrt(cnrtNotifierDuration(first.notifier, second.notifier, to_us), to_us != nullptr ? expected : kBad,
                 "cnrtNotifierDuration");
      ExpectCnrt(cnrtNotifierElapsedTime(first.notifier, second.notifier, &ms), expected, "cnrtNotifierElapsedTime");
      break;
    }
  }
}

void World::CallMemory() {
  constexpr cnrtRet_t kBad = cnrtErrorArgsInvalid;
  const auto size = static_cast<size_t>(bytes_.Between<int>(0, 5000));
  const int value = bytes_.Any<int16_t>(), direction = Number(bytes_, -1, 6);
  void* from = nullptr;
  void* to = nullptr;
  ExpectCnrt(cnrtMalloc(nullptr, size), kBad, "cnrtMalloc");
  ExpectCnrt(cnrtMalloc(&to, SIZE_MAX), cnrtErrorNoMem, "cnrtMalloc");
  if (to != nullptr) Broken("a failed cnrtMalloc changed the pointer");
  ExpectCnrt(cnrtMalloc(&from, size), cnrtSuccess, "cnrtMalloc");
  ExpectCnrt(cnrtHostMalloc(&to, size), cnrtSuccess, "cnrtHostMalloc");
  if (from == nullptr || reinterpret_cast<uintptr_t>(from) % 64 != 0) Broken("cnrtMalloc gave %p", from);
  ExpectCnrt(cnrtMemset(from, value, size), cnrtSuccess, "cnrtMemset");
  ExpectCnrt(cnrtMemsetAsync(to, value + 1, size, queues_[0]), cnrtSuccess, "cnrtMemsetAsync");
  void* const copy_to = OrNull(bytes_, to);
  const bool known = direction >= 0 && direction <= 5;
  const bool good = known && (size == 0 || copy_to != nullptr);
  const auto way = static_cast<cnrtMemTransDir_t>(direction);
  const bool later = bytes_.Bool();
  ExpectCnrt(later ? cnrtMemcpyAsync(copy_to, from, size, queues_[0], way) : cnrtMemcpy(copy_to, from, size, way),
             good ? cnrtSuccess : kBad, "cnrtMemcpy");
  const auto* bytes = static_cast<const unsigned char*>(to);
  const auto expected = static_cast<unsigned char>(good && copy_to != nullptr ? value : value + 1);
  if (!std::all_of(bytes, bytes + size, [=](unsigned char byte) { return byte == expected; })) Broken("wrong copy");
  ExpectCnrt(cnrtFree(from), cnrtSuccess, "cnrtFree");
  ExpectCnrt(cnrtFreeHost(to), cnrtSuccess, "cnrtFreeHost");
  ExpectCnrt(cnrtSetDevice(direction), direction == 0 ? cnrtSuccess : cnrtErrorDeviceInvalid, "cnrtSetDevice");
  int device = 7;
  unsigned int devices = 7;
  int* const to_device = OrNull(bytes_, &device);
  unsigned int* const to_devices = OrNull(bytes_, &devices);
  ExpectCnrt(cnrtGetDevice(to_device), to_device != nullptr ? cnrtSuccess : kBad, "cnrtGetDevice");
  int attribute = 7;
  int* const to_attribute = OrNull(bytes_, &attribute);
  const bool asked = to_attribute != nullptr && (direction == 0 || direction == 1);
  const auto which = static_cast<cnrtDeviceAttr_t>(cnrtAttrClusterCount + direction);
  ExpectCnrt(cnrtDeviceGetAttribute(to_attribute, which, 0), asked ? cnrtSuccess : kBad, "cnrtDeviceGetAttribute");
  if (attribute != (asked ? 1 : 7)) Broken("wrong attribute");
  ExpectCnrt(cnrtGetDeviceCount(to_devices), to_devices != nullptr ? cnrtSuccess : kBad, "cnrtGetDeviceCount");
  if (device != (to_device != nullptr ? 0 : 7) || devices != (to_devices != nullptr ? 1u : 7u)) Broken("wrong device");
  const cnrtRet_t result = bytes_.Bool() ? cnrtSuccess : cnrtErrorSys;
  cnrtCheck(result, "expression", "file", number_of_checks_++);
  ExpectCnrt(result, result, "cnrtCheck");
  if (cnrtGetLastError() != last_cnrt_error_) Broken("cnrtGetLastError forgot");
  last_cnrt_error_ = cnrtSuccess;
  if (cnrtPeekAtLastError() != cnrtSuccess) Broken("cnrtGetLastError left the error");
}

// ---- one input ----

void World::Step() {
  constexpr void (World::* kCalls[])() = {&World::CallDescriptors,
                                          &World::CallDescriptors,
                                          &World::CallDescriptors,
                                          &World::CallDescriptors,
                                          &World::CallDescriptors,
                                          &World::CallHandle,
                                          &World::CreateOrDestroyHandle,
                                          &World::CallOperator,
                                          &World::CallNames,
                                          &World::CallQueues,
                                          &World::CallMemory};
  (this->*OneOf(bytes_, kCalls))();
  descriptors_.Compare();
  for (const HandleModel& model : handles_) Compare(model);
}

World::~World() {
  for (const HandleModel& model : handles_) {
    if (model.handle != nullptr) mluOpDestroy(model.handle);
  }
  for (const cnrtQueue_t queue : queues_) {
    if (queue != nullptr) cnrtQueueDestroy(queue);
  }
  for (const NotifierModel& model : notifiers_) {
    if (model.notifier != nullptr) cnrtNotifierDestroy(model.notifier);
  }
}

}  // namespace
}  // namespace detops_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops_fuzz::FuzzedBytes bytes(data, size);
  detops_fuzz::World world(bytes);
  for (int steps = 0; steps < 100 && bytes.left() > 0; ++steps) world.Step();
  return 0;
}
