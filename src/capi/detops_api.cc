// The extensions of detops.h.
#include "core/call.h"
#include "core/context.h"
#include "core/simd_target.h"
#include "detops.h"

using detops::Call;

#define DETOPS_STRINGIFY_INNER(x) #x
#define DETOPS_STRINGIFY(x) DETOPS_STRINGIFY_INNER(x)

namespace {

constexpr int kArchitecture = 592;

}  // namespace

const char* detopsGetVersion(void) {
  return DETOPS_STRINGIFY(DETOPS_VERSION_MAJOR) "." DETOPS_STRINGIFY(DETOPS_VERSION_MINOR) "." DETOPS_STRINGIFY(
      DETOPS_VERSION_PATCH);
}

const char* detopsGetLastError(mluOpHandle_t handle) {
  return handle != nullptr ? handle->error_text : detops::ThreadErrorText();
}

mluOpStatus_t detopsSetProfile(mluOpHandle_t handle, detopsProfile_t profile) {
  const Call call("detopsSetProfile", handle);
  if (handle == nullptr) return call.NullHandle();
  if (profile != DETOPS_PROFILE_CONTRACT && profile != DETOPS_PROFILE_FULL) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "profile is %d, expected 0 or 1.", static_cast<int>(profile));
  }
  handle->profile = profile;
  return call.Succeed();
}

mluOpStatus_t detopsGetProfile(mluOpHandle_t handle, detopsProfile_t* profile) {
  const Call call("detopsGetProfile", handle);
  if (handle == nullptr) return call.NullHandle();
  if (profile == nullptr) return call.NullResult("profile");
  *profile = handle->profile;
  return call.Succeed();
}

mluOpStatus_t detopsSetValueChecks(mluOpHandle_t handle, int on) {
  const Call call("detopsSetValueChecks", handle);
  if (handle == nullptr) return call.NullHandle();
  handle->value_checks = on != 0;
  return call.Succeed();
}

mluOpStatus_t detopsGetValueChecks(mluOpHandle_t handle, int* on) {
  const Call call("detopsGetValueChecks", handle);
  if (handle == nullptr) return call.NullHandle();
  if (on == nullptr) return call.NullResult("on");
  *on = handle->value_checks ? 1 : 0;
  return call.Succeed();
}

mluOpStatus_t detopsSetExactThreshold(mluOpHandle_t handle, double threshold) {
  const Call call("detopsSetExactThreshold", handle);
  if (handle == nullptr) return call.NullHandle();
  handle->exact_threshold = threshold;
  return call.Succeed();
}

mluOpStatus_t detopsGetArchitecture(mluOpHandle_t handle, int* architecture) {
  const Call call("detopsGetArchitecture", handle);
  if (handle == nullptr) return call.NullHandle();
  if (architecture == nullptr) return call.NullResult("architecture");
  *architecture = kArchitecture;
  return call.Succeed();
}

mluOpStatus_t detopsSetNumThreads(mluOpHandle_t handle, int num_threads) {
  const Call call("detopsSetNumThreads", handle);
  if (handle == nullptr) return call.NullHandle();
  if (num_threads < 0) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "num_threads is %d, expected 0 or more.", num_threads);
  }
  handle->parallel.SetThreadCount(num_threads);
  return call.Succeed();
}

mluOpStatus_t detopsGetNumThreads(mluOpHandle_t handle, int* num_threads) {
  const Call call("detopsGetNumThreads", handle);
  if (handle == nullptr) return call.NullHandle();
  if (num_threads == nullptr) return call.NullResult("num_threads");
  *num_threads = handle->parallel.ThreadCount();
  return call.Succeed();
}

mluOpStatus_t detopsSetParallelRunner(mluOpHandle_t handle, detopsRunner_t runner, void* opaque) {
  const Call call("detopsSetParallelRunner", handle);
  if (handle == nullptr) return call.NullHandle();
  handle->parallel.SetRunner(runner, opaque);
  return call.Succeed();
}

mluOpStatus_t detopsSetLog(mluOpHandle_t handle, detopsLogLevel_t level, detopsLogSink_t sink, void* opaque) {
  const Call call("detopsSetLog", handle);
  if (handle == nullptr) return call.NullHandle();
  if (level != DETOPS_LOG_OFF && level != DETOPS_LOG_DISPATCH) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "level is %d, expected 0 or 1.", static_cast<int>(level));
  }
  handle->log = {level, level == DETOPS_LOG_OFF ? nullptr : sink, opaque};
  return call.Succeed();
}

const char* detopsGetTarget(void) { return detops::TargetName(); }

const char* detopsGetSupportedTargets(void) { return detops::SupportedTargetNames(); }

mluOpStatus_t detopsSetTarget(const char* name) {
  const Call call("detopsSetTarget", nullptr);
  if (!detops::ForceTarget(name)) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "name is \"%.40s\", expected one of %s.", name,
                     detops::SupportedTargetNames());
  }
  return call.Succeed();
}
