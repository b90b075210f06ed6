// From a fuzzer's bytes to a call of a sparse convolution.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_MAKE_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_MAKE_H_

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "ops/indice_convolution/fuzz/call.h"

namespace detops_fuzz {

// What can be wrong. kNone stands for all that is right.
enum class Fault {
  kNone,
  kNullHandle,
  kNullRulebook,
  kNullDescriptor,
  kNullNum,
  kNullResult,
  kNullData,
  kRank,
  kType,
  kOnChip,
  kLayout,
  kStride,
  kExtent,
  kHugeExtent,
  kFlag,
  kProfile,
  kRows,
  kEpilogue,
  kWorkspace,
  kOverlap,
  kRunner,
  kNumber,
  kIndex,
  kNoChecks,
  kMaxValue = kNoChecks
};

constexpr int64_t kMostOffsets = 4096;  // calls with more would read as many numbers

// Fills tensors faster than a fuzzer's bytes last.
class Mixer {
 public:
  explicit Mixer(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  int64_t Below(int64_t end) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(end)); }

 private:
  uint64_t state_;
};

// ---- a good call ----

inline int64_t Rows(FuzzedBytes& bytes) {
  if (OneIn(bytes, 20)) return 0;
  return OneIn(bytes, 12) ? Number(bytes, 1, 255) : Number(bytes, 1, 24);
}

// Many rows of many channels would take the reference seconds.
inline int64_t Channels(FuzzedBytes& bytes, int64_t rows) {
  if (OneIn(bytes, 40)) return 0;
  return rows <= 24 && OneIn(bytes, 6) ? Number(bytes, 1, 70) : Number(bytes, 1, 9);
}

inline void MakeFilters(FuzzedBytes& bytes, Call& call, int64_t ci, int64_t co) {
  constexpr int kFive[] = {MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_NDHWC, MLUOP_LAYOUT_NCDHW};
  constexpr int kFour[] = {MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_HWCN};
  const bool four = bytes.Bool() && (call.way != Way::kForward || !call.contract());
  TensorArgument& filters = call.tensors[kFilters];
  filters.layout = four ? OneOf(bytes, kFour) : OneOf(bytes, kFive);
  std::vector<int64_t> extents;
  for (int axis = four ? 1 : 0; axis < 3; ++axis) extents.push_back(OneIn(bytes, 60) ? 0 : Number(bytes, 1, 3));
  const int layout = call.filter_layout();
  const bool co_first = layout != MLUOP_LAYOUT_ARRAY && layout != MLUOP_LAYOUT_HWCN;
  const bool ci_second = layout == MLUOP_LAYOUT_NCDHW || layout == MLUOP_LAYOUT_NCHW;
  if (ci_second) extents.insert(extents.begin(), ci);
  if (co_first) extents.insert(extents.begin(), co);
  if (!ci_second) extents.push_back(ci);
  if (!co_first) extents.push_back(co);
  filters.extents = extents;
}

inline void MakeNumbers(FuzzedBytes& bytes, Call& call, int64_t offsets, int64_t sites, int64_t rows) {
  const int64_t most = rows == 0                                           ? 0
                       : call.contract() && call.way == Way::kBackwardData ? std::min(sites, rows)
                                                                           : sites;
  const bool full = OneIn(bytes, 4);
  Mixer mixer(bytes.Any<uint16_t>());
  call.num.resize(static_cast<size_t>(offsets));
  for (int64_t& number : call.num) number = full ? most : mixer.Below(most + 1);
  if (call.sub_m == 1 && !call.num.empty() && OneIn(bytes, 2)) call.num[call.num.size() / 2] = most;
}

inline void MakeShapes(FuzzedBytes& bytes, Call& call) {
  constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16};
  const mluOpDataType_t type = kTypes[Number(bytes, 0, call.contract() ? 1 : 3)];
  const int64_t sites = Rows(bytes), ci = Channels(bytes, sites), co = Channels(bytes, sites);
  call.sub_m = OneIn(bytes, 3) ? 1 : 0;
  const bool same_rows = call.sub_m == 1 && OneIn(bytes, 2);
  const int64_t rows = same_rows ? sites : Rows(bytes);
  call.inverse = !call.contract() && OneIn(bytes, 3) ? 1 : 0;
  MakeFilters(bytes, call, ci, co);
  const auto offsets = static_cast<int64_t>(FilterShape(call).offsets);
  const int64_t in_rows = call.inverse == 1 ? rows : sites, out_rows = call.inverse == 1 ? sites : rows;
  call.num_act_out = out_rows;
  call.book_in = sites;
  call.book_out = rows;
  call.tensors[kIn].extents = {in_rows, ci};
  call.tensors[kOut].extents = call.tensors[kResidual].extents = {out_rows, co};
  call.tensors[kBias].extents = {co};
  call.tensors[kPairs].extents = {offsets, 2, sites};
  for (TensorArgument& tensor : call.tensors) {
    tensor.type = &tensor == &call.tensors[kPairs] ? MLUOP_DTYPE_INT32 : type;
    if (&tensor != &call.tensors[kFilters]) tensor.layout = Number(bytes, 0, 12);
  }
  for (const Role role : {kBias, kResidual}) {
    call.tensors[role].described = call.way == Way::kForward && bytes.Bool();
  }
  call.activation = Number(bytes, 0, 2);
  call.negative_slope = static_cast<float>(Number(bytes, -16, 16)) * 0.125f;
  MakeNumbers(bytes, call, offsets, sites, rows);
}

// ---- faults ----

inline void ApplyShapeFault(FuzzedBytes& bytes, Fault fault, TensorArgument& tensor) {
  const auto axis = static_cast<size_t>(Number(bytes, 0, 4));
  if (fault == Fault::kRank) {
    tensor.extents.resize(static_cast<size_t>(Number(bytes, 0, 9)), 1);
  } else if (fault == Fault::kStride) {
    tensor.strides.assign(tensor.extents.size(), 1);
    for (size_t i = tensor.extents.size(); i-- > 1;) {
      const Wide dense = Wide(static_cast<uint64_t>(tensor.strides[i])) * static_cast<uint64_t>(tensor.extents[i]);
      tensor.strides[i - 1] = static_cast<int64_t>(std::min<Wide>(dense, INT64_MAX));
    }
    const int64_t stride = OneIn(bytes, 4) ? ExtremeNumber(bytes) : Number(bytes, -100, 100);
    if (axis < tensor.strides.size()) tensor.strides[axis] = stride;
  } else if (axis < tensor.extents.size()) {
    tensor.extents[axis] = fault == Fault::kExtent ? Number(bytes, 0, 8) : ExtremeNumber(bytes);
  }
}

inline void ApplyNumberFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  const int64_t any = OneIn(bytes, 3) ? ExtremeNumber(bytes) : Number(bytes, -2, 30);
  if (fault == Fault::kFlag) (bytes.Bool() ? call.inverse : call.sub_m) = any;
  if (fault == Fault::kRows) {
    int64_t* const rows[] = {&call.num_act_out, &call.book_in, &call.book_out};
    // A rulebook of so many rows is made, but not quickly.
    *rows[Number(bytes, 0, 2)] = any > (1 << 20) && any <= INT32_MAX ? 1 << 20 : any;
  }
  if (fault == Fault::kEpilogue) {
    constexpr float kSlopes[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                                 -std::numeric_limits<float>::infinity(), 1e30f};
    call.activation = Number(bytes, -2, 4);
    call.negative_slope = OneOf(bytes, kSlopes);
  }
  if (fault == Fault::kNumber && !call.num.empty()) {
    call.num[bytes.Between<size_t>(0, call.num.size() - 1)] = OneIn(bytes, 4) ? -any : any;
  }
  if (fault == Fault::kWorkspace) {
    call.workspace_size = static_cast<size_t>(Number(bytes, 0, 64));
    call.has_workspace = bytes.Bool();
  }
  if (fault == Fault::kOverlap) {
    call.overlap = Number(bytes, 0, 2 * kRoles);
    call.overlap_shift = static_cast<size_t>(Number(bytes, 0, 255));
  }
}

inline void ApplyFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  TensorArgument& tensor = call.tensors[Number(bytes, 0, kRoles - 1)];
  switch (fault) {
    case Fault::kNullHandle:
      call.with_handle = false;
      break;
    case Fault::kNullRulebook:
      call.with_rulebook = false;
      break;
    case Fault::kNullDescriptor:
      tensor.described = false;
      break;
    case Fault::kNullNum:
      call.with_num = false;
      break;
    case Fault::kNullResult:
      call.with_result = false;
      break;
    case Fault::kNullData:
      tensor.has_data = false;
      break;
    case Fault::kType:
      tensor.type = static_cast<mluOpDataType_t>(Number(bytes, 0, 99));
      break;
    case Fault::kOnChip:
      tensor.onchip_type = static_cast<mluOpDataType_t>(Number(bytes, 0, 9));
      break;
    case Fault::kLayout:
      call.tensors[kFilters].layout = Number(bytes, 0, 12);
      break;
    case Fault::kProfile:
      call.profile = call.contract() ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
      break;
    case Fault::kRunner:
      call.runner_fails = true;
      break;
    case Fault::kNoChecks:
      call.value_checks = false;
      break;
    case Fault::kRank:
    case Fault::kStride:
    case Fault::kExtent:
    case Fault::kHugeExtent:
      ApplyShapeFault(bytes, fault, tensor);
      break;
    default:
      ApplyNumberFault(bytes, fault, call);
      break;
  }
}

// ---- memory ----

// Multiples of 1/8 between -2 and 2, whose sums of products are exact in double; now and then something special.
inline void FillNumbers(FuzzedBytes& bytes, TensorArgument& tensor, Mixer& mixer) {
  if (tensor.type == MLUOP_DTYPE_INT32 || tensor.type == MLUOP_DTYPE_INT64) return;  // refused, like those of size 0
  if (detops_test::ElementSize(tensor.type) == 0) return;
  const auto count = static_cast<int64_t>(tensor.elements());
  for (int64_t i = 0; i < count; ++i) {
    detops_test::WriteElement(tensor.type, tensor.data, i, static_cast<double>(mixer.Below(33) - 16) / 8);
  }
  constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 1e-42,
                                 -0.0,
                                 100.0};
  if (count > 0 && OneIn(bytes, 24)) {
    detops_test::WriteElement(tensor.type, tensor.data, mixer.Below(count), OneOf(bytes, kSpecial));
  }
}

// The lists of pairs: ascending, in any order, or with few different indices.
inline void FillPairs(FuzzedBytes& bytes, Call& call, Mixer& mixer, bool bad) {
  auto* const pairs = reinterpret_cast<int32_t*>(call.tensors[kPairs].data);
  const std::vector<int64_t>& extents = call.tensors[kPairs].extents;
  std::fill_n(pairs, call.tensors[kPairs].elements(), OneIn(bytes, 2) ? -1 : INT32_MIN);
  if (extents.size() != 3 || extents[1] != 2) return;
  const int64_t ends[] = {std::clamp<int64_t>(call.book_in, 1, INT32_MAX),
                          std::clamp<int64_t>(call.book_out, 1, INT32_MAX)};
  const int kind = Number(bytes, 0, 3);
  for (int64_t k = 0; k < std::min<int64_t>(extents[0], static_cast<int64_t>(call.num.size())); ++k) {
    const int64_t count = std::clamp<int64_t>(call.num[static_cast<size_t>(k)], 0, extents[2]);
    for (int64_t row = 0; row < 2; ++row) {
      int32_t* const list = pairs + (k * 2 + row) * extents[2];
      const int64_t end = kind == 3 ? std::min<int64_t>(ends[row], 2) : ends[row];
      for (int64_t i = 0; i < count; ++i) list[i] = static_cast<int32_t>(mixer.Below(end));
      if (kind == 0 || (kind == 1 && row == 0)) std::sort(list, list + count);
    }
    if (!bad || count == 0 || mixer.Below(3) != 0) continue;
    const int64_t row = mixer.Below(2);
    const int64_t wrong[] = {-1, ends[row], std::min<int64_t>(ends[row] + mixer.Below(300), INT32_MAX), INT32_MIN,
                             INT32_MAX};
    pairs[(k * 2 + row) * extents[2] + mixer.Below(count)] = static_cast<int32_t>(wrong[mixer.Below(5)]);
  }
}

// Heap blocks of the exact size the tensors describe, so that the address sanitizer sees every step beside them.
inline void Place(FuzzedBytes& bytes, Call& call, bool bad_index) {
  Mixer mixer(bytes.Any<uint32_t>());
  for (TensorArgument& tensor : call.tensors) {
    if (!tensor.has_data || tensor.bytes() > kMostBytes) continue;
    const bool is_pairs = &tensor == &call.tensors[kPairs];
    constexpr size_t kOffsets[] = {0, 0, 0, 1, 2, 4, 8, 12};
    // The pairs are read here too, as int32; the others may be misaligned.
    const size_t offset = is_pairs ? OneOf(bytes, kOffsets) / 4 * 4 : OneOf(bytes, kOffsets);
    tensor.memory = std::vector<unsigned char>(static_cast<size_t>(tensor.bytes()) + offset, 0xA5);
    tensor.memory.shrink_to_fit();
    tensor.data = tensor.memory.data() + offset;
    if (is_pairs && tensor.type == MLUOP_DTYPE_INT32) FillPairs(bytes, call, mixer, bad_index);
    if (!is_pairs) FillNumbers(bytes, tensor, mixer);
  }
}

// False if the call must not be made: it would read more numbers than there are.
inline bool MakeCall(FuzzedBytes& bytes, Call& call) {
  constexpr Way kWays[] = {Way::kForward, Way::kBackwardData, Way::kBackwardFilter};
  call.profile = bytes.Bool() ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  call.way = OneOf(bytes, kWays);
  call.target_for_threads = Number(bytes, 0, 15);
  call.workspace_size = static_cast<size_t>(OneIn(bytes, 2) ? 0 : Number(bytes, 0, 64));
  MakeShapes(bytes, call);
  bool bad_index = OneIn(bytes, 6);  // the fault by which memory would be lost
  for (int count = std::max(0, Number(bytes, 0, 5) - 3); count > 0; --count) {
    const Fault fault = bytes.AnyOf<Fault>();
    bad_index = bad_index || fault == Fault::kIndex;
    ApplyFault(bytes, fault, call);
  }
  // As many numbers as both the kernel and the pairs say, or far too few where they differ: nobody may read them then.
  const TensorArgument& pairs = call.tensors[kPairs];
  const FilterShape filter(call);
  const int64_t offsets = pairs.rank() > 0 ? pairs.extents[0] : 0;
  if (filter.fits && filter.offsets == static_cast<uint64_t>(offsets)) {
    if (offsets > kMostOffsets) return false;
    call.num.resize(static_cast<size_t>(offsets), 0);
  } else if (call.num.size() > 1) {
    call.num.resize(1);
  }
  call.num.shrink_to_fit();
  Place(bytes, call, bad_index);
  return true;
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_MAKE_H_
