// A call of a sparse convolution whose every argument a test can spoil, and what a refused call must leave behind.
//
// The functions of one way (the call, its workspace size, the fused call, the call on a rulebook) share their checks,
// so one description serves all of them and a fault can be put to each.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_TEST_BAD_CALL_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_TEST_BAD_CALL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test::inline indice_convolution {  // one program may use several rooms

inline std::string WayName(const testing::TestParamInfo<Way>& info) {
  constexpr const char* kNames[] = {"Forward", "BackwardData", "BackwardFilter"};
  return kNames[static_cast<int>(info.param)];
}

enum class Entry { kCall, kSize, kFused, kRulebook, kCreate };

// Those that convolve, or tell what that takes.
inline std::vector<Entry> EntriesOf(Way way) {
  if (way == Way::kForward) return {Entry::kCall, Entry::kSize, Entry::kFused, Entry::kRulebook};
  return {Entry::kCall, Entry::kSize, Entry::kRulebook};
}

inline std::string NameOf(Way way, Entry entry) {
  constexpr const char* kWayNames[] = {"Forward", "BackwardData", "BackwardFilter"};
  const std::string name = kWayNames[static_cast<int>(way)];
  if (entry == Entry::kCreate) return "detopsCreateRulebook";
  if (entry == Entry::kSize) return "mluOpGetIndiceConvolution" + name + "WorkspaceSize";
  if (entry == Entry::kFused) return "detopsIndiceConvolution" + name + "Fused";
  return (entry == Entry::kCall ? "mluOpIndiceConvolution" : "detopsRulebookConvolution") + name;
}

// What a tensor is to a forward convolution. The backward ways have the same tensors under other names.
enum Role { kIn, kOut, kFilters, kPairs, kBias, kResidual, kRoles };
inline constexpr Role kNumbers[] = {kIn, kOut, kFilters};  // the tensors of floating numbers of every way
inline constexpr Role kInEveryWay[] = {kIn, kOut, kFilters, kPairs};

inline std::string NameOf(Way way, Role role) {
  constexpr const char* kNames[3][kRoles] = {
      {"features", "features_out", "filters", "indice_pairs", "bias", "residual"},
      {"input_grad", "output_grad", "filters", "indice_pairs", "", ""},
      {"features", "output_grad", "filters_grad", "indice_pairs", "", ""}};
  return kNames[static_cast<int>(way)][role];
}

inline Role TargetOf(Way way) { return way == Way::kForward ? kOut : way == Way::kBackwardData ? kIn : kFilters; }

// What the call says of one tensor. Extents follow from the call's numbers; here stands only what deviates from them,
// so that two faults in one tensor do not undo each other.
struct TensorArgument {
  void* data = nullptr;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t type = MLUOP_DTYPE_INT32;
  mluOpDataType_t onchip_type = MLUOP_DTYPE_INVALID;
  bool described = true;        // false: the descriptor is NULL
  int surplus_rank = 0;         // above 0: ones are appended; below: the last extents are missing
  int64_t surplus[5] = {};      // added to the extents
  int64_t odd_strides[5] = {};  // added to the dense strides
};

struct Answer {
  mluOpStatus_t status;
  std::string text;  // of the thread, the same as the handle's
};

inline constexpr size_t kSizeMark = 0xA5A5A5A5A5A5A5A5u;

// No extent of a good call equals another with which it could be confused.
inline constexpr int64_t kSites = 11, kRows = 13, kCi = 4, kCo = 7, kOffsets = 45;

class BadCall {
 public:
  // Memory is made for these; what a test changes afterwards must be refused before memory matters, or fit.
  struct Options {
    mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
    int64_t inverse = 0;
    int64_t rows = kRows;
  };

  explicit BadCall(Way of) : BadCall(of, Options{}) {}
  BadCall(Way of, const Options& options)
      : way(of),
        rows(options.rows),
        inverse(options.inverse),
        numbers(kOffsets * sizeof(int64_t)),
        workspace_memory(64) {
    for (int role = 0; role < kRoles; ++role) {
      const mluOpDataType_t type = role == kPairs ? MLUOP_DTYPE_INT32 : options.type;
      tensors[role].type = type;
      memory[role] = std::make_unique<Tensor>(MLUOP_LAYOUT_ARRAY, type, Extents(static_cast<Role>(role)));
      tensors[role].data = memory[role]->data();
      if (role != kPairs && role != TargetOf(way)) FillNumbers(*memory[role]);
    }
    tensors[kBias].described = tensors[kResidual].described = way == Way::kForward;
    FillPairs();
    std::memset(workspace_memory.data(), 0x5A, workspace_memory.size());
    workspace = workspace_memory.data();
    workspace_size = workspace_memory.size();
  }
  ~BadCall() {
    if (rulebook_ != nullptr) detopsDestroyRulebook(rulebook_);
    Forget();
  }
  BadCall(const BadCall&) = delete;
  BadCall& operator=(const BadCall&) = delete;

  int64_t offsets() const {
    int64_t product = 1;
    for (const int64_t extent : space) product = SaturatedProduct(product, extent);
    return product;
  }
  int64_t* num() const { return static_cast<int64_t*>(numbers.data()); }
  int32_t& Pair(int64_t offset, int64_t row, int64_t column) {
    return static_cast<int32_t*>(memory[kPairs]->data())[(offset * 2 + row) * kSites + column];
  }
  Tensor& target() { return *memory[TargetOf(way)]; }

  // Whether nothing was written to the places for results of the small functions.
  bool PlacesIntact() const { return size == kSizeMark && made == RulebookMark(); }

  // Frees what detopsCreateRulebook has made, and marks both places.
  void Forget() {
    if (made != RulebookMark()) detopsDestroyRulebook(made);
    made = RulebookMark();
    size = kSizeMark;
  }

  Answer Run(Handle& handle, Entry entry) {
    if (entry == Entry::kRulebook && with_rulebook && rulebook_ == nullptr) MakeRulebook();
    handle.SetProfile(profile);
    handle.SetValueChecks(value_checks);
    const mluOpHandle_t passed = with_handle ? handle.get() : nullptr;
    return Call(passed, entry);
  }

  // All memory that belongs to the call.
  std::vector<unsigned char> Bytes() const {
    std::vector<unsigned char> bytes;
    const auto append = [&](const void* data, size_t count) {
      const auto* begin = static_cast<const unsigned char*>(data);
      bytes.insert(bytes.end(), begin, begin + count);
    };
    for (const std::unique_ptr<Tensor>& tensor : memory) append(tensor->data(), tensor->bytes());
    append(numbers.data(), numbers.size());
    append(workspace_memory.data(), workspace_memory.size());
    return bytes;
  }

  bool SurroundingsIntact() const {
    return numbers.SlackIntact() && workspace_memory.SlackIntact() &&
           std::all_of(std::begin(memory), std::end(memory), [](const auto& t) { return t->SurroundingsIntact(); });
  }

  std::vector<int64_t> Extents(Role role) const {
    const int64_t in_rows = inverse == 1 ? rows : sites, out_rows = inverse == 1 ? sites : rows;
    switch (role) {
      case kIn:
        return {in_rows, ci};
      case kOut:
      case kResidual:
        return {out_rows, co};
      case kPairs:
        return {offsets(), 2, sites};
      case kBias:
        return {co};
      default:
        return Shape{.in_rows = sites,
                     .out_rows = rows,
                     .ci = ci,
                     .co = co,
                     .kernel = space,
                     .form = {ReadLayout(), filter_rank}}
            .FilterExtents();
    }
  }

  // In which the filters' axes are read: the contract ignores what their gradient is labelled.
  mluOpTensorLayout_t ReadLayout() const {
    const bool ignored = way == Way::kBackwardFilter && profile == DETOPS_PROFILE_CONTRACT;
    return ignored ? MLUOP_LAYOUT_ARRAY : tensors[kFilters].layout;
  }

  Way way;
  bool with_handle = true, with_rulebook = true, with_result = true, with_num = true;
  detopsProfile_t profile = DETOPS_PROFILE_CONTRACT;
  bool value_checks = true;
  std::vector<int64_t> space = {3, 5, 3};  // of the kernel; in filters of rank 4 the first two are one axis
  int filter_rank = 5;
  int64_t ci = kCi, co = kCo, sites = kSites, rows;
  int64_t inverse, sub_m = 0;
  std::optional<int64_t> num_act_out = {};  // the rows of features_out unless set
  detopsActivation_t activation = DETOPS_ACTIVATION_NONE;
  float negative_slope = 0.25f;
  std::unique_ptr<Tensor> memory[kRoles];  // of a good call
  TensorArgument tensors[kRoles];
  GuardedBuffer numbers;               // indice_num, against a page that may not be read
  const int64_t* other_num = nullptr;  // what is passed instead
  GuardedBuffer workspace_memory;
  void* workspace;
  size_t workspace_size;
  size_t size = kSizeMark;                 // the result of the size function
  detopsRulebook_t made = RulebookMark();  // the result of detopsCreateRulebook
  std::optional<int64_t> num_act_in = {};  // its argument; kSites unless set

 private:
  struct Destroy {
    void operator()(mluOpTensorDescriptor_t desc) const { mluOpDestroyTensorDescriptor(desc); }
  };
  using OwnedDescriptor = std::unique_ptr<std::remove_pointer_t<mluOpTensorDescriptor_t>, Destroy>;

  static detopsRulebook_t RulebookMark() {
    static int mark;
    return reinterpret_cast<detopsRulebook_t>(&mark);
  }

  static int64_t SaturatedProduct(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
  }

  // Small whole numbers: every sum of their products is exact in every type, so results can be compared bit by bit.
  static void FillNumbers(Tensor& tensor) {
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(i * 7 % 5 - 2));
  }

  // The middle offset has the most pairs, as a submanifold convolution has; some have none. What is not counted must
  // not be read.
  void FillPairs() {
    for (int64_t k = 0; k < kOffsets; ++k) {
      num()[k] = k == kOffsets / 2 ? std::min(kSites, rows) : k % 4 == 3 ? 0 : 3 + k % 3;
      for (int64_t column = 0; column < kSites; ++column) {
        const bool counted = column < num()[k];
        Pair(k, 0, column) = counted ? static_cast<int32_t>((column * 3 + k) % kSites) : INT32_MIN;
        Pair(k, 1, column) = counted ? static_cast<int32_t>((column * 5 + k) % rows) : INT32_MAX;
      }
    }
  }

  void MakeRulebook() {
    const Handle full(DETOPS_PROFILE_FULL, 1);
    Must(detopsCreateRulebook(full.get(), memory[kPairs]->desc(), memory[kPairs]->data(), num(), kSites, rows,
                              &rulebook_),
         "detopsCreateRulebook");
  }

  OwnedDescriptor Describe(Role role) const {
    const TensorArgument& tensor = tensors[role];
    if (!tensor.described) return nullptr;
    std::vector<int64_t> extents = Extents(role);
    for (size_t axis = 0; axis < std::min<size_t>(5, extents.size()); ++axis) extents[axis] += tensor.surplus[axis];
    extents.resize(static_cast<size_t>(std::max(0, static_cast<int>(extents.size()) + tensor.surplus_rank)), 1);
    mluOpTensorDescriptor_t desc = nullptr;
    Must(mluOpCreateTensorDescriptor(&desc), "mluOpCreateTensorDescriptor");
    OwnedDescriptor owned(desc);
    const auto rank = static_cast<int>(extents.size());
    if (rank == 0) Must(mluOpSetTensorDescriptorPointerMode(desc, MLUOP_POINTER_MODE_HOST), "PointerMode");
    std::vector<int64_t> strides(extents.size(), 1);
    for (size_t axis = extents.size(); axis-- > 1;) {
      // Shapes that nobody can count have strides that nobody reads.
      strides[axis - 1] = SaturatedProduct(strides[axis], extents[axis]);
    }
    bool odd = false;
    for (size_t axis = 0; axis < std::min<size_t>(5, extents.size()); ++axis) {
      odd = odd || tensor.odd_strides[axis] != 0;
      if (strides[axis] != INT64_MAX) strides[axis] += tensor.odd_strides[axis];
    }
    Must(odd ? mluOpSetTensorDescriptorEx_v2(desc, tensor.layout, tensor.type, rank, extents.data(), strides.data())
             : mluOpSetTensorDescriptor_v2(desc, tensor.layout, tensor.type, rank, extents.data()),
         "mluOpSetTensorDescriptor");
    if (tensor.onchip_type != MLUOP_DTYPE_INVALID) {
      Must(mluOpSetTensorDescriptorOnchipDataType(desc, tensor.onchip_type), "OnchipDataType");
    }
    return owned;
  }

  Answer Call(mluOpHandle_t handle, Entry entry) {
    OwnedDescriptor descs[kRoles];
    for (int role = 0; role < kRoles; ++role) descs[role] = Describe(static_cast<Role>(role));
    const mluOpStatus_t status = way == Way::kForward        ? CallForward(handle, entry, descs)
                                 : way == Way::kBackwardData ? CallBackwardData(handle, entry, descs)
                                                             : CallBackwardFilter(handle, entry, descs);
    const std::string text = detopsGetLastError(nullptr);
    if (handle != nullptr) {
      EXPECT_EQ(detopsGetLastError(handle), text);
    }
    return {status, text};
  }

  const int64_t* PassedNum() const { return with_num ? (other_num != nullptr ? other_num : num()) : nullptr; }
  size_t* Place() { return with_result ? &size : nullptr; }
  detopsRulebook_t PassedRulebook() const { return with_rulebook ? rulebook_ : nullptr; }

  mluOpStatus_t CallForward(mluOpHandle_t handle, Entry entry, const OwnedDescriptor* d) {
    const int64_t rows_out = num_act_out.value_or(Extents(kOut)[0]);
    if (entry == Entry::kCreate) {
      return detopsCreateRulebook(handle, d[kPairs].get(), tensors[kPairs].data, PassedNum(),
                                  num_act_in.value_or(kSites), rows_out, with_result ? &made : nullptr);
    }
    if (entry == Entry::kSize) {
      return mluOpGetIndiceConvolutionForwardWorkspaceSize(handle, d[kIn].get(), d[kFilters].get(), d[kPairs].get(),
                                                           d[kOut].get(), PassedNum(), rows_out, inverse, sub_m,
                                                           Place());
    }
    if (entry == Entry::kCall) {
      return mluOpIndiceConvolutionForward(handle, d[kIn].get(), tensors[kIn].data, d[kFilters].get(),
                                           tensors[kFilters].data, d[kPairs].get(), tensors[kPairs].data, PassedNum(),
                                           rows_out, inverse, sub_m, workspace, workspace_size, d[kOut].get(),
                                           tensors[kOut].data);
    }
    if (entry == Entry::kFused) {
      return detopsIndiceConvolutionForwardFused(
          handle, d[kIn].get(), tensors[kIn].data, d[kFilters].get(), tensors[kFilters].data, d[kPairs].get(),
          tensors[kPairs].data, PassedNum(), rows_out, inverse, sub_m, d[kBias].get(), tensors[kBias].data,
          d[kResidual].get(), tensors[kResidual].data, activation, negative_slope, d[kOut].get(), tensors[kOut].data);
    }
    return detopsRulebookConvolutionForward(handle, PassedRulebook(), inverse, d[kIn].get(), tensors[kIn].data,
                                            d[kFilters].get(), tensors[kFilters].data, d[kBias].get(),
                                            tensors[kBias].data, d[kResidual].get(), tensors[kResidual].data,
                                            activation, negative_slope, d[kOut].get(), tensors[kOut].data);
  }

  mluOpStatus_t CallBackwardData(mluOpHandle_t handle, Entry entry, const OwnedDescriptor* d) {
    if (entry == Entry::kSize) {
      return mluOpGetIndiceConvolutionBackwardDataWorkspaceSize(
          handle, d[kOut].get(), d[kFilters].get(), d[kPairs].get(), d[kIn].get(), PassedNum(), inverse, Place());
    }
    if (entry == Entry::kCall) {
      return mluOpIndiceConvolutionBackwardData(handle, d[kOut].get(), tensors[kOut].data, d[kFilters].get(),
                                                tensors[kFilters].data, d[kPairs].get(), tensors[kPairs].data,
                                                PassedNum(), inverse, sub_m, workspace, workspace_size, d[kIn].get(),
                                                tensors[kIn].data);
    }
    return detopsRulebookConvolutionBackwardData(handle, PassedRulebook(), inverse, d[kOut].get(), tensors[kOut].data,
                                                 d[kFilters].get(), tensors[kFilters].data, d[kIn].get(),
                                                 tensors[kIn].data);
  }

  mluOpStatus_t CallBackwardFilter(mluOpHandle_t handle, Entry entry, const OwnedDescriptor* d) {
    if (entry == Entry::kSize) {
      return mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(handle, d[kIn].get(), d[kOut].get(), d[kPairs].get(),
                                                                  d[kFilters].get(), PassedNum(), inverse, sub_m,
                                                                  Place());
    }
    if (entry == Entry::kCall) {
      return mluOpIndiceConvolutionBackwardFilter(handle, d[kIn].get(), tensors[kIn].data, d[kOut].get(),
                                                  tensors[kOut].data, d[kPairs].get(), tensors[kPairs].data,
                                                  PassedNum(), inverse, sub_m, workspace, workspace_size,
                                                  d[kFilters].get(), tensors[kFilters].data);
    }
    return detopsRulebookConvolutionBackwardFilter(handle, PassedRulebook(), inverse, d[kIn].get(), tensors[kIn].data,
                                                   d[kOut].get(), tensors[kOut].data, d[kFilters].get(),
                                                   tensors[kFilters].data);
  }

  detopsRulebook_t rulebook_ = nullptr;
};

using Spoil = std::function<void(BadCall&)>;

}  // namespace detops_test::inline indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_TEST_BAD_CALL_H_
