// A sparse convolution made of a fuzzer's bytes, right or wrong in one or two places, and the status that the documents
// foretell for every function that takes it.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_CALL_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_CALL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "support/element.h"

namespace detops_fuzz {

using Wide = unsigned __int128;

// ---- a call as plain data ----

enum class Way { kForward, kBackwardData, kBackwardFilter };
enum class Entry { kCall, kSize, kFused, kRulebook };

struct TensorArgument : TensorFields {
  mluOpDataType_t onchip_type = MLUOP_DTYPE_INVALID;
  uint64_t bytes() const { return Times(elements(), detops_test::ElementSize(type)); }
  int rank() const { return static_cast<int>(extents.size()); }
};

// What a tensor is to a forward convolution. The backward ways have the same tensors under other names.
enum Role { kIn, kOut, kFilters, kPairs, kBias, kResidual, kRoles };

inline Role TargetOf(Way way) { return way == Way::kForward ? kOut : way == Way::kBackwardData ? kIn : kFilters; }

struct Call {
  Way way = Way::kForward;
  bool with_handle = true, with_num = true, with_result = true, with_rulebook = true;
  detopsProfile_t profile = DETOPS_PROFILE_CONTRACT;
  bool value_checks = true;
  bool runner_fails = false;
  int target_for_threads = 0;  // the SIMD target on which numbers of threads are compared
  TensorArgument tensors[kRoles];
  std::vector<int64_t> num;  // of its exact size
  int64_t num_act_out = 0, inverse = 0, sub_m = 0;
  int64_t book_in = 0, book_out = 0;  // the rows of the rulebook
  int activation = DETOPS_ACTIVATION_NONE;
  float negative_slope = 0;
  bool has_workspace = true;
  size_t workspace_size = 0;
  int overlap = -1;  // another role, whose memory the target shares
  size_t overlap_shift = 0;

  bool contract() const { return profile == DETOPS_PROFILE_CONTRACT; }
  bool floating(mluOpDataType_t type) const {
    if (type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_HALF) return true;
    return !contract() && (type == MLUOP_DTYPE_DOUBLE || type == MLUOP_DTYPE_BFLOAT16);
  }
  // In which the axes of the filters are read: the contract ignores what the filters' gradient is labelled.
  int filter_layout() const {
    return contract() && way == Way::kBackwardFilter ? MLUOP_LAYOUT_ARRAY : tensors[kFilters].layout;
  }
  bool AllData(Entry entry) const {
    for (int role = 0; role < kRoles; ++role) {
      if (Has(static_cast<Role>(role), entry) && tensors[role].data == nullptr) return false;
    }
    return true;
  }
  // Also true where nobody knows what they are compared with.
  bool NumbersAreInside() const {
    return tensors[kPairs].rank() != 3 || std::ranges::all_of(num, [&](int64_t number) {
             return number >= 0 && number <= tensors[kPairs].extents[2];
           });
  }
  bool Has(Role role, Entry entry) const {
    if (role == kBias || role == kResidual) {
      const bool extended = entry == Entry::kFused || entry == Entry::kRulebook;
      return way == Way::kForward && extended && tensors[role].described;
    }
    return role != kPairs || entry != Entry::kRulebook;
  }
};

// ---- what the documents say of it ----

inline bool IsDense(const TensorArgument& tensor) {
  if (tensor.strides.size() != tensor.extents.size() || tensor.elements() == 0) return true;
  Wide dense = 1;
  for (size_t axis = tensor.extents.size(); axis-- > 0;) {
    const bool right = tensor.strides[axis] >= 0 && static_cast<uint64_t>(tensor.strides[axis]) == dense;
    if (tensor.extents[axis] != 1 && !right) return false;
    dense = std::min<Wide>(dense * static_cast<uint64_t>(tensor.extents[axis]), INT64_MAX);
  }
  return true;
}

// The extents of filters; `fits` only if the layout is one of the six and right for the rank.
struct FilterShape {
  explicit FilterShape(const Call& call) {
    const TensorArgument& filters = call.tensors[kFilters];
    const int layout = call.filter_layout(), rank = filters.rank();
    known = layout >= MLUOP_LAYOUT_NCHW && layout <= MLUOP_LAYOUT_NCDHW;
    const bool five = layout == MLUOP_LAYOUT_NDHWC || layout == MLUOP_LAYOUT_NCDHW;
    of_rank_five = five || layout == MLUOP_LAYOUT_ARRAY;
    fits = known && (rank == 4 || rank == 5) && (layout == MLUOP_LAYOUT_ARRAY || five == (rank == 5));
    if (!fits) return;
    const std::vector<int64_t>& e = filters.extents;
    const bool co_first = layout != MLUOP_LAYOUT_ARRAY && layout != MLUOP_LAYOUT_HWCN;
    const bool ci_second = layout == MLUOP_LAYOUT_NCDHW || layout == MLUOP_LAYOUT_NCHW;
    const size_t begin = ci_second ? 2 : co_first ? 1 : 0, axes = static_cast<size_t>(rank) - 2;
    co = co_first ? e[0] : e.back();
    ci = ci_second ? e[1] : co_first ? e.back() : e[axes];
    for (size_t i = begin; i < begin + axes; ++i) {
      offsets = std::min<Wide>(offsets * static_cast<uint64_t>(e[i]), Wide{1} << 100);
      if (e[i] == 0) has_no_offsets = true;
    }
    if (has_no_offsets) offsets = 0;
  }
  bool known = false, of_rank_five = false, fits = false, has_no_offsets = false;
  int64_t ci = 0, co = 0;
  Wide offsets = 1;
};

constexpr mluOpStatus_t kGood = MLUOP_STATUS_SUCCESS, kBad = MLUOP_STATUS_BAD_PARAM,
                        kLimit = MLUOP_STATUS_NOT_SUPPORTED;

// The checks of one function in the order of the documents. Where these leave the order of two refusals open, `either`
// becomes true.
class Model {
 public:
  Model(const Call& call, Entry entry) : call_(call), entry_(entry), filter_(call) {}

  // All that comes before the data.
  mluOpStatus_t BeforeData() {
    if (!call_.with_handle || (rulebook() && !call_.with_rulebook)) return kBad;
    bool null = !t(kOut).described || !t(kIn).described || !t(kFilters).described;
    if (!rulebook()) null = null || !t(kPairs).described || !call_.with_num;
    if (extended() && call_.contract()) {
      either = null;
      return kLimit;
    }
    if (null) return kBad;
    if (call_.way == Way::kForward) return Forward();
    return call_.way == Way::kBackwardData ? BackwardData() : BackwardFilter();
  }

  bool either = false;

 private:
  bool rulebook() const { return entry_ == Entry::kRulebook; }
  bool extended() const { return rulebook() || entry_ == Entry::kFused; }
  const TensorArgument& t(Role role) const { return call_.tensors[role]; }

  template <class Condition>
  bool All(Condition condition) const {
    for (int role = 0; role < kRoles; ++role) {
      if (call_.Has(static_cast<Role>(role), entry_) && !condition(call_.tensors[role])) return false;
    }
    return true;
  }

  bool TypesAreFloating() const {
    return call_.floating(t(kIn).type) && call_.floating(t(kOut).type) && call_.floating(t(kFilters).type) &&
           (rulebook() || t(kPairs).type == MLUOP_DTYPE_INT32);
  }
  bool TypesAreEqual() const {
    return All([&](const TensorArgument& tensor) { return &tensor == &t(kPairs) || tensor.type == t(kIn).type; });
  }
  bool IsFlag(int64_t number) const { return number == 0 || number == 1; }
  bool HasSubM() const { return !rulebook() && !(call_.way == Way::kBackwardData && entry_ == Entry::kSize); }

  bool CountsFit() const {
    const uint64_t most = uint64_t{1} << (call_.contract() ? 31 : 63);
    return All(
        [&](const TensorArgument& tensor) { return tensor.elements() < most && tensor.bytes() < uint64_t{1} << 63; });
  }

  // Whether rows, channels and offsets agree. Ranks do.
  bool ShapesFit() {
    const bool inverse = call_.inverse == 1;
    const int64_t in_rows = t(kIn).extents[0], out_rows = t(kOut).extents[0];
    if (t(kIn).extents[1] != filter_.ci || t(kOut).extents[1] != filter_.co) return false;
    if (rulebook()) {
      return filter_.offsets == static_cast<uint64_t>(t(kPairs).extents[0]) &&
             in_rows == (inverse ? call_.book_out : call_.book_in) &&
             out_rows == (inverse ? call_.book_in : call_.book_out);
    }
    const std::vector<int64_t>& pairs = t(kPairs).extents;
    return pairs[1] == 2 && (inverse ? out_rows : in_rows) == pairs[2] && KernelFits();
  }
  bool KernelFits() {
    if (filter_.offsets > static_cast<uint64_t>(INT64_MAX))
      either = true;  // a product that does not fit: which refusal?
    return filter_.offsets == static_cast<uint64_t>(t(kPairs).extents[0]);
  }
  bool RanksFit() const { return t(kIn).rank() == 2 && t(kOut).rank() == 2 && (rulebook() || t(kPairs).rank() == 3); }

  mluOpStatus_t Forward() {
    if (!TypesAreFloating() || !TypesAreEqual() || (!rulebook() && !IsFlag(call_.sub_m))) return kBad;
    if (!IsFlag(call_.inverse)) return kBad;
    if (extended()) {
      if (call_.activation < DETOPS_ACTIVATION_NONE || call_.activation > DETOPS_ACTIVATION_LEAKY_RELU) return kBad;
      if (call_.activation == DETOPS_ACTIVATION_LEAKY_RELU && !std::isfinite(call_.negative_slope)) return kBad;
    }
    if (call_.contract() && call_.inverse == 1) return kLimit;
    if (!(call_.contract() ? filter_.of_rank_five : filter_.known)) return kLimit;
    if (!RanksFit()) return kBad;
    const bool extra = (!call_.Has(kBias, entry_) || t(kBias).rank() == 1) &&
                       (!call_.Has(kResidual, entry_) || t(kResidual).rank() == 2);
    const int rank = t(kFilters).rank();
    const bool filter_rank = rank == 5 || (rank == 4 && !call_.contract());
    if (!extra || !filter_rank) {
      either = !extra && !filter_rank;
      return extra ? kLimit : kBad;
    }
    if (!filter_.fits) return kBad;
    if (!All(IsDense) || !CountsFit()) return kLimit;
    if (!ShapesFit()) return kBad;
    if (!rulebook() && (t(kOut).extents[0] != call_.num_act_out || !call_.NumbersAreInside())) return kBad;
    if (call_.Has(kBias, entry_) && t(kBias).extents[0] != filter_.co) return kBad;
    return call_.Has(kResidual, entry_) && t(kResidual).extents != t(kOut).extents ? kBad : kGood;
  }

  mluOpStatus_t BackwardData() {
    const int rank = t(kFilters).rank();
    if (!RanksFit() || (rank != 4 && rank != 5)) return kBad;
    if (!rulebook() && t(kPairs).extents[1] != 2) return kBad;
    if (!TypesAreFloating() || !filter_.fits) return kBad;
    if (!All(IsDense)) return kLimit;
    if (!IsFlag(call_.inverse) || (HasSubM() && !IsFlag(call_.sub_m))) return kBad;
    const auto is_negative = [](int64_t number) { return number < 0; };
    if (!rulebook() && KernelFits() && std::ranges::any_of(call_.num, is_negative)) return kBad;
    if (call_.contract() && call_.inverse == 1) return kLimit;
    if (!ShapesFit() || (!rulebook() && (!call_.NumbersAreInside() || !NumbersFitRows())) || !TypesAreEqual())
      return kBad;
    return CountsFit() ? kGood : kLimit;
  }
  bool NumbersFitRows() const {
    const int64_t most = call_.num.empty() ? 0 : *std::ranges::max_element(call_.num);
    if (call_.contract() && t(kOut).extents[0] < most) return false;
    if (!HasSubM() || call_.sub_m == 0) return true;
    return t(kIn).extents[0] == t(kOut).extents[0] && call_.num.size() % 2 == 1 &&
           call_.num[call_.num.size() / 2] == most;
  }

  mluOpStatus_t BackwardFilter() {
    if (call_.contract() ? call_.inverse != 0 : !IsFlag(call_.inverse)) return kBad;
    if (HasSubM() && !IsFlag(call_.sub_m)) return kBad;
    if (!All(IsDense)) return kLimit;
    if (!TypesAreFloating() || !TypesAreEqual()) return kBad;
    for (const Role role : {kIn, kOut, kFilters}) {
      const mluOpDataType_t chip = t(role).onchip_type, type = t(role).type;
      if (chip == MLUOP_DTYPE_INVALID || chip == type) continue;
      const bool floating = chip == MLUOP_DTYPE_HALF || chip == MLUOP_DTYPE_FLOAT;  // of those that are drawn
      const bool wide = detops_test::ElementSize(chip) >= detops_test::ElementSize(type);
      if (role != kFilters || !floating || !wide) return kBad;
    }
    if (!CountsFit()) return kLimit;
    return RanksFit() && filter_.fits && ShapesFit() ? kGood : kBad;
  }

  const Call& call_;
  Entry entry_;
  FilterShape filter_;
};

inline bool HasEmptyTensor(const Call& call, Entry entry) {
  for (int role = kIn; role <= kPairs; ++role) {
    // Of a rulebook without offsets or pairs the documents say nothing but the sums.
    if (call.Has(static_cast<Role>(role), entry) && call.tensors[role].elements() == 0) return true;
  }
  return false;
}

// ---- values ----

inline bool IndicesAreInside(const Call& call, int64_t in_rows, int64_t out_rows) {
  const auto* pairs = reinterpret_cast<const int32_t*>(call.tensors[kPairs].data);
  const int64_t columns = call.tensors[kPairs].extents[2];
  for (size_t k = 0; k < call.num.size(); ++k) {
    for (int64_t column = 0; column < call.num[k]; ++column) {
      const int64_t in = pairs[static_cast<int64_t>(2 * k) * columns + column];
      const int64_t out = pairs[static_cast<int64_t>(2 * k + 1) * columns + column];
      if (in < 0 || in >= in_rows || out < 0 || out >= out_rows) return false;
    }
  }
  return true;
}

inline bool ValuesAreGood(const Call& call) {
  if (!call.NumbersAreInside()) return false;
  const int64_t rows[] = {call.tensors[kIn].extents[0], call.tensors[kOut].extents[0]};
  return IndicesAreInside(call, rows[call.inverse == 1 ? 1 : 0], rows[call.inverse == 1 ? 0 : 1]);
}

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_CALL_H_
