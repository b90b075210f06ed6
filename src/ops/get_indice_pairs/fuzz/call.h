// A call of get_indice_pairs made of a fuzzer's bytes, right or wrong in one or two places, and the status that the
// documents foretell for it and for the two functions that share its checks.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_FUZZ_CALL_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_FUZZ_CALL_H_

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "ops/get_indice_pairs/reference/reference.h"

namespace detops_fuzz {

using Wide = unsigned __int128;

// ---- a call as plain data ----

struct TensorArgument : TensorFields {
  uint64_t bytes() const { return Times(elements(), sizeof(int32_t)); }  // whatever the type says
};

enum Tensors { kIndices, kPairs, kOut, kNum, kTensors };

struct Call {
  bool with_handle = true, with_descriptor = true, with_result = true;
  bool names_of_document = false;
  detopsProfile_t profile = DETOPS_PROFILE_CONTRACT;
  bool runner_fails = false;
  int target_for_threads = 0;  // the SIMD target on which numbers of threads are compared
  detops_reference::SparseConvolution conv;
  bool inverse = false;
  bool bad_set = false;  // a refused Set comes before the call
  TensorArgument tensors[kTensors];
  int workspace_change = 0;  // see WorkspaceSize
  bool has_workspace = true;
  size_t workspace_offset = 0;
  unsigned char workspace_byte = 0;
  int overlap = -1;            // a pair of buffers that share memory; see Buffers
  uint64_t overlap_shift = 0;  // how far behind the start of the other

  int64_t sites() const { return tensors[kIndices].extents[0]; }
  int64_t rows() const { return tensors[kOut].extents[0]; }
  int64_t axes() const { return static_cast<int64_t>(conv.filter_space.size()); }
  const int32_t* indices() const { return reinterpret_cast<const int32_t*>(tensors[kIndices].data); }

  // What the caller passes where `needed` is asked for.
  size_t WorkspaceSize(size_t needed) const {
    const size_t sizes[] = {needed, needed, needed == 0 ? 0 : needed - 1, 0, needed + 1, 1};
    return sizes[workspace_change];
  }
};

// ---- what the documents say of it ----

inline Wide Product(const std::vector<int64_t>& numbers) {
  Wide product = 1;
  for (const int64_t number : numbers) product = std::min<Wide>(product * static_cast<uint64_t>(number), Wide{1} << 90);
  return product;
}

inline Wide SitesOf(const Call& call, const std::vector<int64_t>& space) {
  return Product(space) * static_cast<uint64_t>(call.conv.batch);
}

inline bool IsDense(const TensorArgument& tensor) {
  if (tensor.strides.empty() || tensor.elements() == 0) return true;
  Wide dense = 1;
  for (size_t axis = tensor.extents.size(); axis-- > 0;) {
    const bool right = tensor.strides[axis] >= 0 && static_cast<uint64_t>(tensor.strides[axis]) == dense;
    if (tensor.extents[axis] != 1 && !right) return false;
    dense = std::min<Wide>(dense * static_cast<uint64_t>(tensor.extents[axis]), INT64_MAX);
  }
  return true;
}

constexpr mluOpStatus_t kGood = MLUOP_STATUS_SUCCESS, kBad = MLUOP_STATUS_BAD_PARAM,
                        kLimit = MLUOP_STATUS_NOT_SUPPORTED;

// The checks of one function: the tensors that are its arguments, in the order of the documents.
class Model {
 public:
  Model(const Call& call, bool count_only) : call_(call), count_only_(count_only) {}

  // All that comes before the data.
  mluOpStatus_t BeforeData() const {
    const mluOpStatus_t null = Nulls();
    if (null != kGood) return null;
    const auto& conv = call_.conv;
    if (contract() && (conv.transposed || call_.inverse || call_.axes() != 3)) return kLimit;
    if (!ShapesFit() || !GeometryFits()) return kBad;
    return Limits();
  }

  mluOpStatus_t Nulls() const {
    if (!call_.with_handle || !call_.with_descriptor) return kBad;
    return All([](const TensorArgument& tensor) { return tensor.described; }) ? kGood : kBad;
  }

 private:
  bool contract() const { return call_.profile == DETOPS_PROFILE_CONTRACT; }

  template <class Condition>
  bool All(Condition condition) const {
    return std::all_of(call_.tensors, call_.tensors + (count_only_ ? 1 : kTensors), condition);
  }

  bool ShapesFit() const {
    const TensorArgument* t = call_.tensors;
    const int64_t columns = call_.axes() + 1;
    if (t[kIndices].extents.size() != 2) return false;
    if (count_only_) return t[kIndices].extents[1] == columns;
    return t[kPairs].extents.size() == 3 && t[kOut].extents.size() == 2 && t[kNum].extents.size() == 1 &&
           t[kIndices].extents[1] == columns && t[kOut].extents[1] == columns && t[kPairs].extents[1] == 2 &&
           t[kPairs].extents[2] == call_.sites() && t[kPairs].extents[0] == t[kNum].extents[0];
  }

  bool GeometryFits() const {
    const auto& conv = call_.conv;
    const auto sites = static_cast<uint64_t>(call_.sites());
    if (contract() && sites > SitesOf(call_, conv.input_space)) return false;
    for (size_t axis = 0; contract() && axis < conv.stride.size(); ++axis) {
      if (conv.stride[axis] > 1 && conv.dilation[axis] > 1) return false;
    }
    if (count_only_) return true;
    Wide most = SitesOf(call_, conv.output_space);
    if (!contract() && conv.submanifold) most = std::max<Wide>(most, sites);
    return static_cast<uint64_t>(call_.tensors[kPairs].extents[0]) == Product(conv.filter_space) &&
           static_cast<uint64_t>(call_.rows()) <= most;
  }

  mluOpStatus_t Limits() const {
    const auto& conv = call_.conv;
    const uint64_t limit = uint64_t{1} << (contract() ? 31 : 63);
    if (!All(IsDense)) return kLimit;
    if (!All([&](const TensorArgument& t) { return t.elements() < limit && t.bytes() < uint64_t{1} << 63; })) {
      return kLimit;
    }
    if (call_.sites() > INT32_MAX) return kLimit;
    const Wide most = INT64_MAX;
    if (SitesOf(call_, conv.input_space) > most || SitesOf(call_, conv.output_space) > most) return kLimit;
    if (!All([](const TensorArgument& t) { return t.type == MLUOP_DTYPE_INT32; })) return kBad;
    if (!conv.submanifold) return kGood;
    const auto is_one = [](int64_t number) { return number == 1; };
    const bool fits = conv.input_space == conv.output_space && std::ranges::all_of(conv.stride, is_one) &&
                      (!contract() || std::ranges::all_of(conv.dilation, is_one));
    return fits ? kGood : kBad;
  }

  const Call& call_;
  bool count_only_;
};

inline bool HasEmptyTensor(const Call& call) {
  return std::any_of(call.tensors, call.tensors + kTensors, [](const TensorArgument& t) { return t.elements() == 0; });
}

inline mluOpStatus_t ExpectedOfSize(const Call& call) {
  const Model model(call, false);
  if (model.Nulls() != kGood) return kBad;
  return HasEmptyTensor(call) ? kGood : model.BeforeData();
}

inline bool CoordinatesInside(const Call& call) {
  const int32_t* coordinate = call.indices();
  for (int64_t row = 0; row < call.sites(); ++row) {
    if (*coordinate < 0 || *coordinate >= call.conv.batch) return false;
    ++coordinate;
    for (const int64_t extent : call.conv.input_space) {
      if (*coordinate < 0 || *coordinate >= extent) return false;
      ++coordinate;
    }
  }
  return true;
}

inline mluOpStatus_t ExpectedOfCount(const Call& call) {
  if (!call.with_result) return kBad;
  const mluOpStatus_t status = Model(call, true).BeforeData();
  if (status != kGood || call.sites() == 0) return status;
  return call.tensors[kIndices].data != nullptr && CoordinatesInside(call) ? kGood : kBad;
}

// The memory of a call: the tensors and the workspace, as large as the caller says.
struct Buffers {
  unsigned char* data[kTensors + 1];
  uint64_t bytes[kTensors + 1];

  Buffers(const Call& call, unsigned char* workspace, size_t needed) {
    for (int i = 0; i < kTensors; ++i) {
      data[i] = call.tensors[i].data;
      bytes[i] = call.tensors[i].bytes();
    }
    data[kTensors] = call.has_workspace ? workspace : nullptr;
    bytes[kTensors] = call.WorkspaceSize(needed);
    if (call.overlap < 0 || HasEmptyTensor(call)) return;  // without work nobody looks, and both are written
    const int moved = call.overlap / (kTensors + 1), other = call.overlap % (kTensors + 1);
    if (data[moved] == nullptr || data[other] == nullptr || bytes[moved] == 0 || bytes[other] == 0) return;
    data[moved] = data[other] + (moved == other ? 0 : std::min(call.overlap_shift, bytes[other] - 1));
  }

  bool Overlap() const {
    for (int i = 0; i <= kTensors; ++i) {
      for (int j = 0; j < i; ++j) {
        if (bytes[i] == 0 || bytes[j] == 0) continue;
        const auto a = reinterpret_cast<uintptr_t>(data[i]), b = reinterpret_cast<uintptr_t>(data[j]);
        if (a < b + bytes[j] && b < a + bytes[i]) return true;
      }
    }
    return false;
  }
};

inline mluOpStatus_t ExpectedOfPairs(const Call& call, const Buffers& buffers, size_t needed) {
  const mluOpStatus_t status = Model(call, false).BeforeData();
  if (status != kGood || HasEmptyTensor(call)) return status;
  if (std::any_of(buffers.data, buffers.data + kTensors, [](const void* data) { return data == nullptr; })) return kBad;
  const size_t given = call.WorkspaceSize(needed);
  if ((buffers.data[kTensors] == nullptr && given != 0) || given < needed) return kBad;
  if (buffers.Overlap() || !CoordinatesInside(call)) return kBad;
  const int64_t outputs = detops_reference::GetIndicePairs(call.conv, call.sites(), call.indices()).num_act_out;
  return outputs <= call.rows() ? kGood : kBad;
}

// Where bytes beyond int64 and a wrong type meet, the size of that type decides between two refusals.
inline bool EitherRefusal(const Call& call) {
  return std::any_of(call.tensors, call.tensors + kTensors, [](const TensorArgument& t) {
    return t.type != MLUOP_DTYPE_INT32 && t.elements() >= uint64_t{1} << 59;
  });
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_FUZZ_CALL_H_
