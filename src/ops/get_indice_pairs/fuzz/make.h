// From a fuzzer's bytes to a call of get_indice_pairs.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_FUZZ_MAKE_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_FUZZ_MAKE_H_

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "ops/get_indice_pairs/fuzz/call.h"

namespace detops_fuzz {

// What can be wrong. kNone stands for all that is right.
enum class Fault {
  kNone,
  kNullHandle,
  kNullSparseDescriptor,
  kNullDescriptor,
  kNullResult,
  kNullData,
  kRank,
  kType,
  kStride,
  kExtent,
  kHugeExtent,
  kKernel,
  kSpace,
  kStep,
  kFlag,
  kWorkspace,
  kRows,
  kOverlap,
  kRunner,
  kCoordinate,
  kMaxValue = kCoordinate
};

// ---- geometry ----

// Mostly small, so that sites meet; sometimes where 32-bit arithmetic ends.
inline int64_t Space(FuzzedBytes& bytes) {
  constexpr int kLarge[] = {1000, 46341, 65536, 1 << 20, 1 << 30, INT_MAX - 1, INT_MAX};
  return OneIn(bytes, 4) ? OneOf(bytes, kLarge) : Number(bytes, 1, 9);
}

inline int64_t Step(FuzzedBytes& bytes, int low) {
  constexpr int kLarge[] = {100, 46341, 1 << 30, INT_MAX - 1, INT_MAX};
  if (OneIn(bytes, 20)) return OneOf(bytes, kLarge);
  return OneIn(bytes, 2) ? low : Number(bytes, low, 4);
}

// The output space of the formula, or another: nobody compares them.
inline int64_t OutputSpace(FuzzedBytes& bytes, const detops_reference::SparseConvolution& conv, size_t axis) {
  if (OneIn(bytes, 4)) return Space(bytes);
  const int64_t reach = conv.dilation[axis] * (conv.filter_space[axis] - 1);
  const int64_t in = conv.input_space[axis], pad = conv.pad[axis], stride = conv.stride[axis];
  const int64_t room = in + 2 * pad - reach - 1;
  const int64_t out = conv.transposed ? (in - 1) * stride - 2 * pad + reach + 1 : room < 0 ? 1 : room / stride + 1;
  return std::clamp<int64_t>(out, 1, INT_MAX);
}

inline void MakeGeometry(FuzzedBytes& bytes, Call& call) {
  auto& conv = call.conv;
  const bool full = call.profile == DETOPS_PROFILE_FULL;
  const int axes = full && OneIn(bytes, 2) ? Number(bytes, 1, 4) : 3;
  constexpr int kBatches[] = {1, 2, 3, 3, 1000, INT_MAX};
  conv.batch = OneOf(bytes, kBatches);
  conv.submanifold = bytes.Bool();
  conv.transposed = full && !conv.submanifold && OneIn(bytes, 4);
  call.inverse = full && OneIn(bytes, 8);
  int64_t volume = 1;
  for (int axis = 0; axis < axes; ++axis) {
    const int most = axes == 1 ? 125 : 5;
    const int64_t extent = std::max<int64_t>(1, std::min<int64_t>(Number(bytes, 1, most), 125 / volume));
    volume *= extent;
    conv.filter_space.push_back(extent);
    conv.input_space.push_back(Space(bytes));
    conv.pad.push_back(Step(bytes, 0));
    conv.stride.push_back(conv.submanifold ? 1 : Step(bytes, 1));
    const bool dilates = full || (!conv.submanifold && conv.stride.back() == 1);
    conv.dilation.push_back(dilates ? Step(bytes, 1) : 1);
    conv.output_space.push_back(conv.submanifold ? conv.input_space.back()
                                                 : OutputSpace(bytes, conv, static_cast<size_t>(axis)));
  }
}

// ---- sites ----

inline int32_t Coordinate(FuzzedBytes& bytes, int64_t extent, int64_t centre) {
  const auto last = static_cast<int32_t>(extent - 1);
  const int selector = Number(bytes, 0, 15);
  if (selector == 15) return last;
  if (selector == 14) return 0;
  if (selector == 13) return bytes.Between<int32_t>(0, last);
  return static_cast<int32_t>(std::min<int64_t>(last, centre + selector % 5));
}

inline void FillSites(FuzzedBytes& bytes, Call& call, bool bad) {
  auto* const indices = reinterpret_cast<int32_t*>(call.tensors[kIndices].data);
  const int64_t columns = call.axes() + 1, sites = call.sites();
  const auto extent = [&](int64_t column) {
    return column == 0 ? call.conv.batch : call.conv.input_space[static_cast<size_t>(column) - 1];
  };
  const int64_t centre = OneIn(bytes, 2) ? 0 : bytes.Between<int32_t>(0, INT_MAX - 8);
  for (int64_t row = 0; row < sites; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t near = centre % extent(column);
      indices[row * columns + column] =
          bytes.left() > 0 ? Coordinate(bytes, extent(column), near)
                           : static_cast<int32_t>((near + (row * 7 + column * 3) % 5) % extent(column));
    }
  }
  if (bytes.left() > 0 && OneIn(bytes, 3)) {  // ascending, as voxel generators give them
    std::vector<std::vector<int32_t>> rows;
    for (int64_t row = 0; row < sites; ++row) {
      rows.emplace_back(indices + row * columns, indices + (row + 1) * columns);
    }
    std::sort(rows.begin(), rows.end());
    for (int64_t row = 0; row < sites; ++row) {
      std::copy(rows[static_cast<size_t>(row)].begin(), rows[static_cast<size_t>(row)].end(), indices + row * columns);
    }
  }
  if (!bad || sites == 0) return;
  const int64_t column = Number(bytes, 0, static_cast<int>(columns) - 1);
  const int64_t wrong[] = {-1, std::min<int64_t>(extent(column), INT_MAX), INT_MIN, INT_MAX, -extent(column)};
  indices[bytes.Between<int64_t>(0, sites - 1) * columns + column] = static_cast<int32_t>(OneOf(bytes, wrong));
}

// ---- faults ----

inline void ApplyShapeFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  TensorArgument& tensor = call.tensors[Number(bytes, 0, kTensors - 1)];
  const auto axis = static_cast<size_t>(Number(bytes, 0, 2));
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

inline void ApplyGeometryFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  auto& conv = call.conv;
  const size_t axis = static_cast<size_t>(Number(bytes, 0, 3)) % conv.pad.size();
  constexpr int kNumbers[] = {1, 2, 3, 200, 65536, INT_MAX};
  const int number = OneOf(bytes, kNumbers);
  if (fault == Fault::kKernel) conv.filter_space[axis] = number;
  if (fault == Fault::kSpace) (bytes.Bool() ? conv.input_space : conv.output_space)[axis] = number;
  if (fault == Fault::kStep) (bytes.Bool() ? conv.stride : conv.dilation)[axis] = number;
  if (fault != Fault::kFlag) return;
  constexpr detopsProfile_t kProfiles[] = {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL};
  call.profile = OneOf(bytes, kProfiles);
  if (bytes.Bool()) conv.submanifold = !conv.submanifold;
  conv.transposed = !conv.submanifold && bytes.Bool();
}

inline void ApplyFault(FuzzedBytes& bytes, Fault fault, Call& call) {
  TensorArgument& tensor = call.tensors[Number(bytes, 0, kTensors - 1)];
  switch (fault) {
    case Fault::kNone:
    case Fault::kRows:        // needs the number of outputs, see MakeCall
    case Fault::kCoordinate:  // needs the memory
      break;
    case Fault::kNullHandle:
      call.with_handle = false;
      break;
    case Fault::kNullSparseDescriptor:
      call.with_descriptor = false;
      break;
    case Fault::kNullDescriptor:
      tensor.described = false;
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
    case Fault::kWorkspace:
      call.workspace_change = Number(bytes, 0, 5);
      call.has_workspace = !OneIn(bytes, 3);
      break;
    case Fault::kOverlap:
      call.overlap = Number(bytes, 0, (kTensors + 1) * (kTensors + 1) - 1);
      call.overlap_shift = static_cast<uint64_t>(Number(bytes, 0, 200));
      break;
    case Fault::kRunner:
      call.runner_fails = true;
      break;
    case Fault::kRank:
    case Fault::kStride:
    case Fault::kExtent:
    case Fault::kHugeExtent:
      ApplyShapeFault(bytes, fault, call);
      break;
    default:
      ApplyGeometryFault(bytes, fault, call);
      break;
  }
}

// Heap blocks of the exact size the tensors describe, so that the address sanitizer sees every step beside them.
inline void Place(FuzzedBytes& bytes, Call& call) {
  for (TensorArgument& tensor : call.tensors) {
    if (!tensor.has_data || tensor.bytes() > kMostBytes) continue;
    // The sites are read here too, as int32; the others may be misaligned.
    constexpr size_t kOffsets[] = {0, 0, 0, 1, 2, 4, 8, 12};
    const size_t offset = &tensor == &call.tensors[kIndices] ? OneOf(bytes, kOffsets) / 4 * 4 : OneOf(bytes, kOffsets);
    tensor.memory = std::vector<unsigned char>(static_cast<size_t>(tensor.bytes()) + offset, 0xA5);
    tensor.memory.shrink_to_fit();
    tensor.data = tensor.memory.data() + offset;
  }
}

inline Call MakeCall(FuzzedBytes& bytes) {
  Call call;
  call.profile = bytes.Bool() ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  call.target_for_threads = Number(bytes, 0, 15);
  call.names_of_document = OneIn(bytes, 8);
  call.bad_set = OneIn(bytes, 4);
  call.workspace_offset = static_cast<size_t>(Number(bytes, 0, 3));
  call.workspace_byte = bytes.Any<uint8_t>();
  MakeGeometry(bytes, call);
  const int64_t columns = call.axes() + 1, offsets = call.conv.KernelVolume();
  int64_t sites = OneIn(bytes, 16) ? 0 : Number(bytes, 1, 64);
  if (call.profile == DETOPS_PROFILE_CONTRACT) {  // more sites than the space has are a fault there
    sites = static_cast<int64_t>(std::min<Wide>(static_cast<uint64_t>(sites), SitesOf(call, call.conv.input_space)));
  }
  call.tensors[kIndices].extents = {sites, columns};
  call.tensors[kPairs].extents = {offsets, 2, sites};
  call.tensors[kNum].extents = {offsets};
  call.tensors[kOut].extents = {1, columns};
  for (TensorArgument& tensor : call.tensors) tensor.layout = Number(bytes, 0, 12);

  bool bad_coordinate = false, bad_rows = false;
  std::vector<Fault> faults;
  for (int count = std::max(0, Number(bytes, 0, 5) - 3); count > 0; --count) faults.push_back(bytes.AnyOf<Fault>());
  for (const Fault fault : faults) {
    bad_coordinate = bad_coordinate || fault == Fault::kCoordinate;
    bad_rows = bad_rows || fault == Fault::kRows;
    if (fault == Fault::kKernel || fault == Fault::kSpace || fault == Fault::kStep || fault == Fault::kFlag) {
      ApplyFault(bytes, fault, call);
    }
  }
  // The sites first, because they decide how many rows are needed.
  TensorArgument& indices = call.tensors[kIndices];
  std::vector<int32_t> flat(static_cast<size_t>(sites * columns));
  indices.data = reinterpret_cast<unsigned char*>(flat.data());
  FillSites(bytes, call, bad_coordinate);
  int64_t rows = 1;
  if (Product(call.conv.filter_space) <= 4096 && CoordinatesInside(call)) {
    rows = detops_reference::GetIndicePairs(call.conv, sites, flat.data()).num_act_out;
  }
  if (bad_rows) rows += Number(bytes, -2, 200);
  if (OneIn(bytes, 4)) rows += Number(bytes, 0, 5);
  const Wide most = call.conv.submanifold ? std::max<Wide>(SitesOf(call, call.conv.output_space), Wide(sites))
                                          : SitesOf(call, call.conv.output_space);
  if (!bad_rows && Wide(rows) > most) rows = static_cast<int64_t>(most);
  call.tensors[kOut].extents[0] = std::max<int64_t>(0, rows);
  indices.data = nullptr;

  for (const Fault fault : faults) {
    if (fault != Fault::kKernel && fault != Fault::kSpace && fault != Fault::kStep && fault != Fault::kFlag) {
      ApplyFault(bytes, fault, call);
    }
  }
  Place(bytes, call);
  if (indices.data != nullptr && !flat.empty()) {
    std::memcpy(indices.data, flat.data(), std::min<size_t>(flat.size() * 4, static_cast<size_t>(indices.bytes())));
  }
  return call;
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_FUZZ_MAKE_H_
