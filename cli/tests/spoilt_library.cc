// A library with one planted defect. It defines the function of one operator (SPOIL_...), calls the real one of
// libdetops, with which it is linked, and spoils what that did (DEFECT). Everything else is found in libdetops.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "detops.h"

namespace {

enum class Defect {
  kNone,
  kAcceptsNan,             // in the first value of the second input
  kAddsToOutput,           // instead of overwriting it
  kChangesInput,           // the last integer of the last one
  kChangesInputOnError,    // the same in the marked bad call
  kCrashes,                // in any call
  kCrashesOnBadCall,       // in the marked one
  kExits,                  // ends the process as if all were well
  kExitsWithCode,          // ends the process as if something were wrong
  kFarEdgeOutside,         // zeros in the last row of the map
  kFloods,                 // the pipe to the program with steps that never end, from a thread
  kForksAndCrashes,        // leaves a process behind that keeps all descriptors, then crashes
  kForksAndGoesOn,         // leaves a process behind that keeps all descriptors
  kForksTwin,              // both processes go on with the run
  kHangs,                  // in any call
  kLastChannelUnwritten,   // in every row
  kOffByOne,               // the first integer
  kRoundsDown,             // every half
  kRunDependent,           // another last bit in every second call
  kSendsDeep,              // one million brackets into the pipe
  kSendsLong,              // a line without an end into the pipe
  kSendsProblem,           // into the pipe that nothing can be judged
  kSendsResults,           // sixteen results of its own into the pipe
  kShareSkipped,           // with several threads, the second half of the rows
  kSwapsIntegers,          // two neighbours
  kThreadDependent,        // another last bit with several threads
  kTouchesOnError,         // one byte of an output of a refused call
  kUnusableAfterError,     // all good calls after a refused one fail
  kWritesBefore,           // one byte before an output
  kWritesPastEnd,          // one byte past an output
  kWrongAfterError,        // a wrong number in all good calls after a refused one
  kWrongNumActOut,         // one too many
  kWrongNumActOutOnError,  // forgotten in a refused call
  kWrongStatus,            // for the marked bad call
  kWrongUnlessAligned,     // a wrong number in an output that does not begin at a multiple of 64 bytes
};
constexpr Defect kDefect = Defect::DEFECT;

struct Tensor {
  mluOpTensorDescriptor_t desc;
  void* data;

  std::vector<int64_t> extents() const { return Describe().second; }
  mluOpDataType_t type() const { return Describe().first; }
  size_t element_bytes() const {
    size_t bytes = 0;
    mluOpGetSizeOfDataType(type(), &bytes);
    return bytes;
  }
  size_t elements() const { return mluOpGetTensorElementNum(desc); }
  size_t bytes() const { return elements() * element_bytes(); }
  size_t row_bytes() const { return static_cast<size_t>(extents().back()) * element_bytes(); }
  char* begin() const { return static_cast<char*>(data); }
  float* floats() const { return static_cast<float*>(data); }
  int32_t* integers() const { return static_cast<int32_t*>(data); }

 private:
  std::pair<mluOpDataType_t, std::vector<int64_t>> Describe() const {
    mluOpTensorLayout_t layout;
    mluOpDataType_t type = MLUOP_DTYPE_INVALID;
    int rank = 0;
    std::vector<int64_t> extents(MLUOP_DIM_MAX);
    mluOpGetTensorDescriptor_v2(desc, &layout, &type, &rank, extents.data());
    extents.resize(static_cast<size_t>(rank));
    return {type, extents};
  }
};

struct Call {
  mluOpHandle_t handle;
  std::vector<Tensor> inputs, outputs;  // the first output is the one that suffers
  bool marked;                          // one bad call that the operator's document lists
};

int Threads(const Call& call) {
  int threads = 1;
  detopsGetNumThreads(call.handle, &threads);
  return threads;
}

const Tensor& FirstIntegers(const Call& call) {
  for (const Tensor& output : call.outputs) {
    if (output.type() == MLUOP_DTYPE_INT32) return output;
  }
  return call.outputs[0];
}

void ZeroLast(const Tensor& tensor) { tensor.integers()[tensor.elements() - 1] = 0; }

void NudgeFirst(const Tensor& tensor) { tensor.floats()[0] = std::nextafter(tensor.floats()[0], 10.0f); }

void ZeroFarEdge(const Tensor& map) {
  const std::vector<int64_t> extents = map.extents();
  const auto edge = static_cast<size_t>(std::accumulate(
      extents.begin() + 2, extents.end(), static_cast<int64_t>(map.element_bytes()), std::multiplies<>()));
  const size_t image = edge * static_cast<size_t>(extents[1]);
  for (size_t end = image; end <= map.bytes(); end += image) std::memset(map.begin() + end - edge, 0, edge);
}

void RestoreLastChannel(const Tensor& tensor, const std::vector<char>& before) {
  const size_t size = tensor.element_bytes();
  for (size_t end = tensor.row_bytes(); end <= tensor.bytes(); end += tensor.row_bytes()) {
    std::memcpy(tensor.begin() + end - size, before.data() + end - size, size);
  }
}

void RestoreSecondHalf(const Tensor& tensor, const std::vector<char>& before) {
  const size_t half = tensor.bytes() / tensor.row_bytes() / 2 * tensor.row_bytes();
  std::memcpy(tensor.begin() + half, before.data() + half, tensor.bytes() - half);
}

// To the neighbour below: beneath the exact result, whichever way that was rounded.
void RoundDown(const Tensor& tensor) {
  auto* const bits = static_cast<uint16_t*>(tensor.data);
  for (size_t i = 0; i < tensor.elements(); ++i) {
    const bool negative = (bits[i] & 0x8000) != 0, zero = (bits[i] & 0x7FFF) == 0;
    if (!zero) bits[i] = static_cast<uint16_t>(bits[i] + (negative ? 1 : -1));
  }
}

void SwapNeighbours(const Tensor& tensor) {
  for (size_t i = 0; i + 1 < tensor.elements(); ++i) {
    if (tensor.integers()[i] == tensor.integers()[i + 1]) continue;
    std::swap(tensor.integers()[i], tensor.integers()[i + 1]);
    return;
  }
}

// By the signal itself: a handler that a sanitizer has set must not turn it into an exit.
[[noreturn]] void Crash() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::abort();
}

bool refused_before = false, refused_last = false;

// Into every pipe that the process has open besides the standard descriptors: one of them leads to the program.
void Send(const std::string& text) {
  for (int file = 3; file < 64; ++file) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISFIFO(status.st_mode)) continue;
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = write(file, text.data() + done, text.size() - done);
      if (count <= 0) break;
      done += static_cast<size_t>(count);
    }
  }
}

// What no operator of this process asked for, once.
void Misbehave() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  switch (kDefect) {
    case Defect::kFloods:
      std::thread([] {
        while (true)
          Send(R"({"kind":1,"text":"still busy"})"
               "\n");
      }).detach();
      while (true) pause();
    case Defect::kForksAndCrashes:
    case Defect::kForksAndGoesOn:
      if (fork() == 0) {
        while (true) pause();
      }
      if (kDefect == Defect::kForksAndCrashes) Crash();
      break;
    case Defect::kForksTwin:
      if (fork() < 0) Crash();
      break;
    case Defect::kSendsDeep:
      Send(std::string(1'000'000, '[') + "\n");
      break;
    case Defect::kSendsLong:
      Send(R"({"kind":1,"text":")" + std::string(40 << 20, 'x') + "\"}\n");
      break;
    case Defect::kSendsProblem:
      Send(R"({"kind":3,"text":"nothing can be judged"})"
           "\n");
      break;
    case Defect::kSendsResults:
      for (int i = 0; i < 16; ++i)
        Send(R"({"kind":2,"text":"","result":{"id":"forged","verdict":"pass"}})"
             "\n");
      break;
    default:
      break;
  }
}

void SpoilStart(const Call& call) {
  Misbehave();
  if (kDefect == Defect::kCrashes || (kDefect == Defect::kCrashesOnBadCall && call.marked)) Crash();
  if (kDefect == Defect::kExits) std::_Exit(0);
  if (kDefect == Defect::kExitsWithCode) std::_Exit(3);
  while (kDefect == Defect::kHangs) pause();
}

mluOpStatus_t SpoilRefusal(const Call& call, mluOpStatus_t status) {
  refused_before = refused_last = true;
  if (kDefect == Defect::kTouchesOnError && call.outputs[0].data != nullptr) call.outputs[0].begin()[0] = 0;
  if (kDefect == Defect::kChangesInputOnError && call.marked) ZeroLast(call.inputs.back());
  if (kDefect == Defect::kWrongStatus && call.marked) return MLUOP_STATUS_NOT_SUPPORTED;
  if (kDefect == Defect::kAcceptsNan && call.inputs[1].data != nullptr && std::isnan(call.inputs[1].floats()[0])) {
    return MLUOP_STATUS_SUCCESS;
  }
  return status;
}

mluOpStatus_t SpoilSuccess(const Call& call, const std::vector<char>& before) {
  static int calls = 0;
  ++calls;
  refused_last = false;
  const Tensor& output = call.outputs[0];
  switch (kDefect) {
    case Defect::kAddsToOutput:
      for (size_t i = 0; i < output.elements(); ++i) {
        output.floats()[i] += reinterpret_cast<const float*>(before.data())[i];
      }
      break;
    case Defect::kChangesInput:
      ZeroLast(call.inputs.back());
      break;
    case Defect::kFarEdgeOutside:
      ZeroFarEdge(output);
      break;
    case Defect::kLastChannelUnwritten:
      RestoreLastChannel(output, before);
      break;
    case Defect::kOffByOne:
      FirstIntegers(call).integers()[0] += 1;
      break;
    case Defect::kRoundsDown:
      RoundDown(output);
      break;
    case Defect::kRunDependent:
      if (calls % 2 == 0) NudgeFirst(output);
      break;
    case Defect::kShareSkipped:
      if (Threads(call) > 1) RestoreSecondHalf(output, before);
      break;
    case Defect::kSwapsIntegers:
      SwapNeighbours(FirstIntegers(call));
      break;
    case Defect::kThreadDependent:
      if (Threads(call) > 1) NudgeFirst(output);
      break;
    case Defect::kUnusableAfterError:
      if (refused_before) return MLUOP_STATUS_EXECUTION_FAILED;
      break;
    case Defect::kWritesBefore:
      output.begin()[-1] = 0;
      break;
    case Defect::kWritesPastEnd:
      output.begin()[output.bytes()] = 0;
      break;
    case Defect::kWrongUnlessAligned:
      if (reinterpret_cast<uintptr_t>(output.data) % 64 != 0) output.floats()[0] = 1 - output.floats()[0];
      break;
    case Defect::kWrongAfterError:
      if (refused_before) output.floats()[0] = 1 - output.floats()[0];
      break;
    default:
      break;
  }
  return MLUOP_STATUS_SUCCESS;
}

// Reads what the output holds before the call as its descriptor says, so these defects are for good calls only.
bool NeedsOldOutput() {
  return kDefect == Defect::kAddsToOutput || kDefect == Defect::kLastChannelUnwritten ||
         kDefect == Defect::kShareSkipped;
}

template <class Real>
mluOpStatus_t Spoil(const Call& call, Real real) {
  SpoilStart(call);
  std::vector<char> before;
  if (NeedsOldOutput()) before.assign(call.outputs[0].begin(), call.outputs[0].begin() + call.outputs[0].bytes());
  const mluOpStatus_t status = real();
  return status == MLUOP_STATUS_SUCCESS ? SpoilSuccess(call, before) : SpoilRefusal(call, status);
}

Tensor Input(mluOpTensorDescriptor_t desc, const void* data) { return {desc, const_cast<void*>(data)}; }

template <class Function>
Function Next(const char* name, Function) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#ifdef SPOIL_ROTATED_FEATURE_ALIGN
mluOpStatus_t mluOpRotatedFeatureAlignForward(const mluOpHandle_t handle, const mluOpTensorDescriptor_t input_desc,
                                              const void* input, const mluOpTensorDescriptor_t bboxes_desc,
                                              const void* bboxes, const float spatial_scale, const int points,
                                              const mluOpTensorDescriptor_t output_desc, void* output) {
  static const auto real = Next("mluOpRotatedFeatureAlignForward", &mluOpRotatedFeatureAlignForward);
  return Spoil(
      {handle, {Input(input_desc, input), Input(bboxes_desc, bboxes)}, {{output_desc, output}}, points == 3},
      [&] { return real(handle, input_desc, input, bboxes_desc, bboxes, spatial_scale, points, output_desc, output); });
}
#endif

#ifdef SPOIL_PSROIPOOL
mluOpStatus_t mluOpPsRoiPoolForward(mluOpHandle_t handle, const int pooled_height, const int pooled_width,
                                    const float spatial_scale, const int group_size, const int output_dim,
                                    const mluOpTensorDescriptor_t input_desc, const void* input,
                                    const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                    const mluOpTensorDescriptor_t output_desc, void* output,
                                    const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel) {
  // The header's other form has the same name.
  using Function = mluOpStatus_t (*)(mluOpHandle_t, int, int, float, int, int, mluOpTensorDescriptor_t, const void*,
                                     mluOpTensorDescriptor_t, const void*, mluOpTensorDescriptor_t, void*,
                                     mluOpTensorDescriptor_t, void*);
  static const auto real = Next("mluOpPsRoiPoolForward", Function{});
  return Spoil({handle,
                {Input(input_desc, input), Input(rois_desc, rois)},
                {{output_desc, output}, {mapping_channel_desc, mapping_channel}},
                group_size == pooled_height + 1},
               [&] {
                 return real(handle, pooled_height, pooled_width, spatial_scale, group_size, output_dim, input_desc,
                             input, rois_desc, rois, output_desc, output, mapping_channel_desc, mapping_channel);
               });
}
#endif

#ifdef SPOIL_ROIAWARE_POOL3D
mluOpStatus_t mluOpRoiAwarePool3dForward(mluOpHandle_t handle, const int pool_method, const int boxes_num,
                                         const int pts_num, const int channels, const mluOpTensorDescriptor_t rois_desc,
                                         const void* rois, const mluOpTensorDescriptor_t pts_desc, const void* pts,
                                         const mluOpTensorDescriptor_t pts_feature_desc, const void* pts_feature,
                                         void* workspace, size_t workspace_size, const int max_pts_each_voxel,
                                         const int out_x, const int out_y, const int out_z,
                                         const mluOpTensorDescriptor_t argmax_desc, void* argmax,
                                         const mluOpTensorDescriptor_t pts_idx_of_voxels_desc, void* pts_idx_of_voxels,
                                         const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features) {
  static const auto real = Next("mluOpRoiAwarePool3dForward", &mluOpRoiAwarePool3dForward);
  return Spoil(
      {handle,
       {Input(rois_desc, rois), Input(pts_desc, pts), Input(pts_feature_desc, pts_feature)},
       {{pooled_features_desc, pooled_features}, {argmax_desc, argmax}, {pts_idx_of_voxels_desc, pts_idx_of_voxels}},
       pool_method == 2},
      [&] {
        return real(handle, pool_method, boxes_num, pts_num, channels, rois_desc, rois, pts_desc, pts, pts_feature_desc,
                    pts_feature, workspace, workspace_size, max_pts_each_voxel, out_x, out_y, out_z, argmax_desc,
                    argmax, pts_idx_of_voxels_desc, pts_idx_of_voxels, pooled_features_desc, pooled_features);
      });
}
#endif

#ifdef SPOIL_GET_INDICE_PAIRS
mluOpStatus_t mluOpGetIndicePairs(mluOpHandle_t handle, const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                  const mluOpTensorDescriptor_t indices_desc, const void* indices, void* workspace,
                                  const size_t workspace_size, const mluOpTensorDescriptor_t indice_pairs_desc,
                                  void* indice_pairs, const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                  const mluOpTensorDescriptor_t indice_num_desc, void* indice_num) {
  static const auto real = Next("mluOpGetIndicePairs", &mluOpGetIndicePairs);
  return Spoil({handle,
                {Input(indices_desc, indices)},
                {{indice_pairs_desc, indice_pairs}, {out_indices_desc, out_indices}, {indice_num_desc, indice_num}},
                sparse_conv_desc == nullptr},
               [&] {
                 return real(handle, sparse_conv_desc, indices_desc, indices, workspace, workspace_size,
                             indice_pairs_desc, indice_pairs, out_indices_desc, out_indices, indice_num_desc,
                             indice_num);
               });
}

mluOpStatus_t mluOpGetSparseConvolutionNumActOut(mluOpSparseConvolutionDescriptor_t desc, int* num_act_out) {
  static const auto real = Next("mluOpGetSparseConvolutionNumActOut", &mluOpGetSparseConvolutionNumActOut);
  const mluOpStatus_t status = real(desc, num_act_out);
  if (kDefect == Defect::kWrongNumActOut && status == MLUOP_STATUS_SUCCESS) *num_act_out += 1;
  if (kDefect == Defect::kWrongNumActOutOnError && refused_last) *num_act_out = 0;
  return status;
}
#endif

#ifdef SPOIL_INDICE_CONVOLUTION
mluOpStatus_t mluOpIndiceConvolutionForward(mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc,
                                            const void* features, const mluOpTensorDescriptor_t filters_desc,
                                            const void* filters, const mluOpTensorDescriptor_t indice_pairs_desc,
                                            const void* indice_pairs, const int64_t indice_num[],
                                            const int64_t num_act_out, const int64_t inverse, const int64_t sub_m,
                                            void* workspace, size_t workspace_size,
                                            const mluOpTensorDescriptor_t features_out_desc, void* features_out) {
  static const auto real = Next("mluOpIndiceConvolutionForward", &mluOpIndiceConvolutionForward);
  return Spoil({handle,
                {Input(features_desc, features), Input(filters_desc, filters), Input(indice_pairs_desc, indice_pairs)},
                {{features_out_desc, features_out}},
                sub_m == 2},
               [&] {
                 return real(handle, features_desc, features, filters_desc, filters, indice_pairs_desc, indice_pairs,
                             indice_num, num_act_out, inverse, sub_m, workspace, workspace_size, features_out_desc,
                             features_out);
               });
}
#endif

#ifdef SPOIL_TEXTS
// A version that clears a terminal, renames its window, and is longer than any.
const char* detopsGetVersion(void) {
  static const std::string version = "\x1b[2J\x1b]0;owned\x07\x9b\r\n" + std::string(40 << 20, 'x');
  return version.c_str();
}
#endif
