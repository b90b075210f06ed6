// Handles, queue, versions and names of mlu_op.h.
#include <new>

#include "core/call.h"
#include "core/context.h"
#include "core/data_type.h"
#include "core/thread_pool.h"

using detops::Call;

namespace {

// Writes *out after the checks every getter makes.
template <typename T>
mluOpStatus_t Get(const Call& call, const char* argument, T* out, T mluOpContext::* field) {
  if (call.handle() == nullptr) return call.NullHandle();
  if (out == nullptr) return call.NullResult(argument);
  *out = call.handle()->*field;
  return call.Succeed();
}

template <typename T>
mluOpStatus_t Set(const Call& call, T value, T mluOpContext::* field) {
  if (call.handle() == nullptr) return call.NullHandle();
  call.handle()->*field = value;
  return call.Succeed();
}

}  // namespace

mluOpStatus_t MLUOP_WIN_API mluOpCreate(mluOpHandle_t* handle) {
  const Call call("mluOpCreate", nullptr);
  if (handle == nullptr) return call.NullResult("handle");
  auto* context = new (std::nothrow) mluOpContext;
  if (context == nullptr) return call.Fail(MLUOP_STATUS_ALLOC_FAILED, "no memory for a handle.");
  if (!detops::ThreadPool::Shared().AddUser()) {
    delete context;
    return call.Fail(MLUOP_STATUS_ALLOC_FAILED, "no memory for a fork handler.");
  }
  *handle = context;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpUpdateContextInformation(mluOpHandle_t handle) {
  const Call call("mluOpUpdateContextInformation", handle);
  return handle != nullptr ? call.Succeed() : call.NullHandle();
}

mluOpStatus_t MLUOP_WIN_API mluOpDestroy(mluOpHandle_t handle) {
  const Call call("mluOpDestroy", nullptr);  // without the handle, which ends here
  if (handle == nullptr) return call.NullHandle();
  delete handle;
  detops::ThreadPool::Shared().RemoveUser();
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpSetQueue(mluOpHandle_t handle, cnrtQueue_t queue) {
  return Set(Call("mluOpSetQueue", handle), queue, &mluOpContext::queue);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetQueue(mluOpHandle_t handle, cnrtQueue_t* queue) {
  return Get(Call("mluOpGetQueue", handle), "queue", queue, &mluOpContext::queue);
}

const char* MLUOP_WIN_API mluOpGetErrorString(mluOpStatus_t status) {
  // clang-format off
  switch (status) {
    case MLUOP_STATUS_SUCCESS:            return "MLUOP_STATUS_SUCCESS";
    case MLUOP_STATUS_NOT_INITIALIZED:    return "MLUOP_STATUS_NOT_INITIALIZED";
    case MLUOP_STATUS_ALLOC_FAILED:       return "MLUOP_STATUS_ALLOC_FAILED";
    case MLUOP_STATUS_BAD_PARAM:          return "MLUOP_STATUS_BAD_PARAM";
    case MLUOP_STATUS_INTERNAL_ERROR:     return "MLUOP_STATUS_INTERNAL_ERROR";
    case MLUOP_STATUS_ARCH_MISMATCH:      return "MLUOP_STATUS_ARCH_MISMATCH";
    case MLUOP_STATUS_EXECUTION_FAILED:   return "MLUOP_STATUS_EXECUTION_FAILED";
    case MLUOP_STATUS_NOT_SUPPORTED:      return "MLUOP_STATUS_NOT_SUPPORTED";
    case MLUOP_STATUS_NUMERICAL_OVERFLOW: return "MLUOP_STATUS_NUMERICAL_OVERFLOW";
    default:                              return "MLUOP_STATUS_UNKNOWN";
  }
  // clang-format on
}

mluOpStatus_t MLUOP_WIN_API mluOpGetSizeOfDataType(mluOpDataType_t data_type, size_t* size) {
  const Call call("mluOpGetSizeOfDataType", nullptr);
  if (size == nullptr) return call.NullResult("size");
  if (data_type == MLUOP_DTYPE_INVALID) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "data_type is 0, MLUOP_DTYPE_INVALID, expected a type.");
  }
  *size = detops::SizeOfType(data_type);
  return call.Succeed();
}

void MLUOP_WIN_API mluOpGetLibVersion(int* major, int* minor, int* patch) {
  if (major != nullptr) *major = MLUOP_MAJOR;
  if (minor != nullptr) *minor = MLUOP_MINOR;
  if (patch != nullptr) *patch = MLUOP_PATCHLEVEL;
}

size_t MLUOP_WIN_API mluOpGetVersion(void) { return MLUOP_VERSION; }

mluOpStatus_t MLUOP_WIN_API mluOpSetQuantizeRoundMode(mluOpHandle_t handle, mluOpQuantizeRoundMode_t round_mode) {
  const Call call("mluOpSetQuantizeRoundMode", handle);
  if (call.handle() == nullptr) return call.NullHandle();
  if (round_mode != MLUOP_ROUND_HALF_TO_EVEN && round_mode != MLUOP_ROUND_HALF_UP &&
      round_mode != MLUOP_ROUND_HALF_OFF_ZERO) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "round_mode is %d, expected 0, 1 or 2.", static_cast<int>(round_mode));
  }
  return Set(call, round_mode, &mluOpContext::round_mode);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetQuantizeRoundMode(mluOpHandle_t handle, mluOpQuantizeRoundMode_t* round_mode) {
  return Get(Call("mluOpGetQuantizeRoundMode", handle), "round_mode", round_mode, &mluOpContext::round_mode);
}

mluOpStatus_t MLUOP_WIN_API mluOpSetAtomicsMode(mluOpHandle_t handle, mluOpAtomicsMode_t atomics_mode) {
  const Call call("mluOpSetAtomicsMode", handle);
  if (call.handle() == nullptr) return call.NullHandle();
  if (atomics_mode != MLUOP_ATOMICS_NOT_ALLOWED && atomics_mode != MLUOP_ATOMICS_ALLOWED) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "atomics_mode is %d, expected 1 or 2.", static_cast<int>(atomics_mode));
  }
  return Set(call, atomics_mode, &mluOpContext::atomics_mode);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetAtomicsMode(mluOpHandle_t handle, mluOpAtomicsMode_t* atomics_mode) {
  return Get(Call("mluOpGetAtomicsMode", handle), "atomics_mode", atomics_mode, &mluOpContext::atomics_mode);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetDevice(mluOpHandle_t handle, CNdev* device) {
  const Call call("mluOpGetDevice", handle);
  if (call.handle() == nullptr) return call.NullHandle();
  if (device == nullptr) return call.NullResult("device");
  *device = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpGetReservedMemSize(uint64_t* mem_size) {
  const Call call("mluOpGetReservedMemSize", nullptr);
  if (mem_size == nullptr) return call.NullResult("mem_size");
  *mem_size = 0;
  return call.Succeed();
}

const char* MLUOP_WIN_API mluOpGetNameOfDataType(mluOpDataType_t dtype) {
  const char* name = detops::FullTypeName(dtype);
  return name != nullptr ? name : "DTYPE_INVALID";
}

const char* MLUOP_WIN_API mluOpGetNameOfTensorLayout(mluOpTensorLayout_t layout) {
  const char* name = detops::FullLayoutName(layout);
  return name != nullptr ? name : "LAYOUT_INVALID";
}
