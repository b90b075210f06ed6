// A call of a fuzzer with the descriptors and buffers that the C functions take, and the functions themselves.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_RUN_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_RUN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "detops.h"
#include "fuzz/fuzz_support.h"
#include "fuzz/operator_call.h"
#include "ops/indice_convolution/fuzz/call.h"
#include "support/status.h"

namespace detops_fuzz {

class Arguments {
 public:
  Arguments(const Call& call, mluOpHandle_t handle)
      : call_(call), handle_(handle), num_(new int64_t[call.num.size()]), workspace_(call.workspace_size) {
    std::copy(call.num.begin(), call.num.end(), num_.get());
    for (int role = 0; role < kRoles; ++role) {
      data[role] = call.tensors[role].data;
      descs_.push_back(std::make_unique<Descriptor>(call.tensors[role]));
      const mluOpDataType_t chip = call.tensors[role].onchip_type;
      if (descs_.back()->get() != nullptr && chip != MLUOP_DTYPE_INVALID) {
        detops_test::Must(mluOpSetTensorDescriptorOnchipDataType(descs_.back()->get(), chip), "OnchipDataType");
      }
    }
    workspace_at_ = call.has_workspace ? workspace_.data() : nullptr;
    Share();
    detops_test::Must(detopsSetProfile(handle, call.profile), "detopsSetProfile");
    detops_test::Must(detopsSetValueChecks(handle, call.value_checks ? 1 : 0), "detopsSetValueChecks");
  }
  ~Arguments() {
    if (owns_rulebook_) detops_test::Must(detopsDestroyRulebook(rulebook_), "detopsDestroyRulebook");
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  mluOpStatus_t Size(size_t* size) const {
    if (call_.way == Way::kForward) {
      return Said(mluOpGetIndiceConvolutionForwardWorkspaceSize(handle(), d(kIn), d(kFilters), d(kPairs), d(kOut),
                                                                num(), call_.num_act_out, call_.inverse, call_.sub_m,
                                                                size));
    }
    if (call_.way == Way::kBackwardData) {
      return Said(mluOpGetIndiceConvolutionBackwardDataWorkspaceSize(handle(), d(kOut), d(kFilters), d(kPairs), d(kIn),
                                                                     num(), call_.inverse, size));
    }
    return Said(mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(handle(), d(kIn), d(kOut), d(kPairs), d(kFilters),
                                                                     num(), call_.inverse, call_.sub_m, size));
  }

  mluOpStatus_t Create(detopsRulebook_t* place) const {
    return Said(detopsCreateRulebook(handle(), d(kPairs), data[kPairs], num(), call_.book_in, call_.book_out, place));
  }

  mluOpStatus_t Run(Entry entry) const {
    const auto activation = static_cast<detopsActivation_t>(call_.activation);
    const detopsRulebook_t passed = call_.with_rulebook ? rulebook_ : nullptr;
    if (entry == Entry::kFused) {
      return Said(detopsIndiceConvolutionForwardFused(handle(), d(kIn), data[kIn], d(kFilters), data[kFilters],
                                                      d(kPairs), data[kPairs], num(), call_.num_act_out, call_.inverse,
                                                      call_.sub_m, d(kBias), data[kBias], d(kResidual), data[kResidual],
                                                      activation, call_.negative_slope, d(kOut), data[kOut]));
    }
    const bool book = entry == Entry::kRulebook;
    if (call_.way == Way::kForward) {
      return Said(
          book ? detopsRulebookConvolutionForward(handle(), passed, call_.inverse, d(kIn), data[kIn], d(kFilters),
                                                  data[kFilters], d(kBias), data[kBias], d(kResidual), data[kResidual],
                                                  activation, call_.negative_slope, d(kOut), data[kOut])
               : mluOpIndiceConvolutionForward(handle(), d(kIn), data[kIn], d(kFilters), data[kFilters], d(kPairs),
                                               data[kPairs], num(), call_.num_act_out, call_.inverse, call_.sub_m,
                                               workspace_at_, call_.workspace_size, d(kOut), data[kOut]));
    }
    if (call_.way == Way::kBackwardData) {
      return Said(book ? detopsRulebookConvolutionBackwardData(handle(), passed, call_.inverse, d(kOut), data[kOut],
                                                               d(kFilters), data[kFilters], d(kIn), data[kIn])
                       : mluOpIndiceConvolutionBackwardData(handle(), d(kOut), data[kOut], d(kFilters), data[kFilters],
                                                            d(kPairs), data[kPairs], num(), call_.inverse, call_.sub_m,
                                                            workspace_at_, call_.workspace_size, d(kIn), data[kIn]));
    }
    return Said(book ? detopsRulebookConvolutionBackwardFilter(handle(), passed, call_.inverse, d(kIn), data[kIn],
                                                               d(kOut), data[kOut], d(kFilters), data[kFilters])
                     : mluOpIndiceConvolutionBackwardFilter(handle(), d(kIn), data[kIn], d(kOut), data[kOut], d(kPairs),
                                                            data[kPairs], num(), call_.inverse, call_.sub_m,
                                                            workspace_at_, call_.workspace_size, d(kFilters),
                                                            data[kFilters]));
  }

  // What comes behind a good description.
  mluOpStatus_t OfData(Entry entry) const {
    for (int role = 0; role < kRoles; ++role) {
      if (call_.Has(static_cast<Role>(role), entry) && data[role] == nullptr) return kBad;
    }
    if (entry == Entry::kCall && workspace_at_ == nullptr && call_.workspace_size != 0) return kBad;
    if (Overlaps(entry)) return kBad;
    return entry == Entry::kRulebook || ValuesAreGood(call_) ? kGood : kBad;
  }

  bool NumbersIntact() const { return std::equal(call_.num.begin(), call_.num.end(), num_.get()); }

  detopsRulebook_t rulebook() const { return rulebook_; }
  void SetRulebook(detopsRulebook_t rulebook, bool owned) {
    rulebook_ = rulebook;
    owns_rulebook_ = owned;
  }

  unsigned char* data[kRoles];

 private:
  mluOpHandle_t handle() const { return call_.with_handle ? handle_ : nullptr; }
  mluOpTensorDescriptor_t d(Role role) const { return descs_[static_cast<size_t>(role)]->get(); }
  const int64_t* num() const { return call_.with_num ? num_.get() : nullptr; }

  // Lets the target or the workspace lie in another buffer.
  void Share() {
    if (call_.overlap < 0) return;
    const Role target = TargetOf(call_.way), other = static_cast<Role>(call_.overlap % kRoles);
    if (call_.overlap == 2 * kRoles) {
      if (!call_.num.empty()) data[target] = reinterpret_cast<unsigned char*>(num_.get());
    } else if (data[other] != nullptr && call_.overlap_shift < call_.tensors[other].bytes()) {
      if (call_.overlap >= kRoles && call_.has_workspace) workspace_at_ = data[other] + call_.overlap_shift;
      if (call_.overlap < kRoles && other != target) data[target] = data[other] + call_.overlap_shift;
    }
  }

  bool Overlaps(Entry entry) const {
    struct Block {
      uintptr_t begin;
      uint64_t bytes;
      bool written;
    };
    std::vector<Block> blocks;
    for (int role = 0; role < kRoles; ++role) {
      if (!call_.Has(static_cast<Role>(role), entry)) continue;
      blocks.push_back(
          {reinterpret_cast<uintptr_t>(data[role]), call_.tensors[role].bytes(), role == TargetOf(call_.way)});
    }
    if (entry != Entry::kRulebook) {
      blocks.push_back({reinterpret_cast<uintptr_t>(num_.get()), call_.num.size() * sizeof(int64_t), false});
    }
    if (entry == Entry::kCall) {
      blocks.push_back({reinterpret_cast<uintptr_t>(workspace_at_), call_.workspace_size, true});
    }
    for (const Block& a : blocks) {
      for (const Block& b : blocks) {
        if (&a == &b || !a.written || a.bytes == 0 || b.bytes == 0) continue;
        if (a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes) return true;
      }
    }
    return false;
  }

  mluOpStatus_t Said(mluOpStatus_t status) const {
    const std::string text = detopsGetLastError(nullptr);
    if (call_.with_handle && text != detopsGetLastError(handle_)) Broken("texts of handle and thread differ");
    if (text.empty() != (status == kGood)) Broken("%s with the text \"%s\"", mluOpGetErrorString(status), text.c_str());
    if (!text.empty() && (text.find(": ") == std::string::npos || text.back() != '.')) {
      Broken("not a sentence: \"%s\"", text.c_str());
    }
    return status;
  }

  const Call& call_;
  mluOpHandle_t handle_;
  std::vector<std::unique_ptr<Descriptor>> descs_;
  std::unique_ptr<int64_t[]> num_;
  std::vector<unsigned char> workspace_;
  unsigned char* workspace_at_;
  detopsRulebook_t rulebook_ = nullptr;
  bool owns_rulebook_ = false;
};

}  // namespace detops_fuzz

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_FUZZ_RUN_H_
