// The sparse-convolution descriptor of a call.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_DESCRIPTOR_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_DESCRIPTOR_H_

#include <cstdint>
#include <vector>

#include "harness/library.h"
#include "harness/require.h"
#include "ops/get_indice_pairs/contract/convolution.h"

namespace detops_harness::get_indice_pairs {

// What a descriptor holds as number of output sites before the call, if the call says so and our library is under test:
// another one's memory may not be ours.
inline constexpr int64_t kMark = 3;

class Descriptor {
 public:
  Descriptor(const Functions& library, const Call& call)
      : library_(library), is_null_(call.nulls.count("sparse_conv_desc") != 0) {
    Require(library.mluOpCreateSparseConvolutionDescriptor(&desc_), "mluOpCreateSparseConvolutionDescriptor");
    if (call.results.find("num_act_out")->second == kMark && !call.asked_workspace.has_value()) LeaveAMark();
    Set(call);
  }
  ~Descriptor() { library_.mluOpDestroySparseConvolutionDescriptor(desc_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  mluOpSparseConvolutionDescriptor_t get() const { return is_null_ ? nullptr : desc_; }

  // Carries the call out; the number of outputs that it leaves in the descriptor goes into the results.
  template <class Function>
  mluOpStatus_t Run(Call& call, const Function& function) const {
    const int before = Outputs();
    const mluOpStatus_t status = function();
    const int after = Outputs();
    if (status == MLUOP_STATUS_SUCCESS || after != before) call.results.find("num_act_out")->second = after;
    return status;
  }

 private:
  // Only a call that ends well writes the number, and setting the geometry keeps it: three sites meet themselves. So
  // one sees whether a refused call leaves it alone, and whether an empty one does not.
  void LeaveAMark() {
    constexpr int kZeros[] = {0, 0, 0}, kOnes[] = {1, 1, 1}, kSpace[] = {1, 1, 3};
    constexpr int kSites[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2};
    static_assert(sizeof(kSites) == kMark * 4 * sizeof(int));
    int pairs[2 * kMark], outputs[4 * kMark], counts[1];
    char workspace[1024];
    mluOpHandle_t handle = nullptr;
    Require(library_.mluOpCreate(&handle), "mluOpCreate");
    mluOpTensorDescriptor_t sites = nullptr, list = nullptr, count = nullptr;
    const auto describe = [&](mluOpTensorDescriptor_t& desc, const std::vector<int64_t>& extents) {
      Require(library_.mluOpCreateTensorDescriptor(&desc), "mluOpCreateTensorDescriptor");
      Require(library_.mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32,
                                                   static_cast<int>(extents.size()), extents.data()),
              "mluOpSetTensorDescriptor_v2");
    };
    describe(sites, {kMark, 4});
    describe(list, {1, 2, kMark});
    describe(count, {1});
    Require(
        library_.mluOpSetSparseConvolutionDescriptor(desc_, 5, 1, kZeros, kOnes, kOnes, kSpace, kOnes, kSpace, 0, 0, 0),
        "mluOpSetSparseConvolutionDescriptor");
    Require(library_.mluOpGetIndicePairs(handle, desc_, sites, kSites, workspace, sizeof(workspace), list, pairs, sites,
                                         outputs, count, counts),
            "mluOpGetIndicePairs");
    for (const mluOpTensorDescriptor_t desc : {sites, list, count}) library_.mluOpDestroyTensorDescriptor(desc);
    library_.mluOpDestroy(handle);
  }

  // Through the contract's function where that can say it.
  void Set(const Call& call) {
    const detops_reference::SparseConvolution c = ConvolutionOf(call);
    const auto ints = [](const std::vector<int64_t>& list) { return std::vector<int>(list.begin(), list.end()); };
    const auto batch = static_cast<int>(c.batch), axes = static_cast<int>(c.pad.size());
    const std::vector<int> pad = ints(c.pad), stride = ints(c.stride), dilation = ints(c.dilation);
    const std::vector<int> input = ints(c.input_space), filter = ints(c.filter_space), output = ints(c.output_space);
    const auto padding = call.integer_lists.find("output_padding");  // no case file has it
    std::vector<int> more = padding == call.integer_lists.end() ? std::vector<int>{} : ints(padding->second);
    if (!more.empty()) more.resize(c.pad.size(), 0);
    if (axes == 3 && !c.transposed && !IsInverse(call)) {
      Require(library_.mluOpSetSparseConvolutionDescriptor(desc_, 5, batch, pad.data(), stride.data(), dilation.data(),
                                                           input.data(), filter.data(), output.data(),
                                                           c.submanifold ? 1 : 0, 0, 0),
              "mluOpSetSparseConvolutionDescriptor");
    } else {
      if (library_.detopsSetSparseConvolutionDescriptor == nullptr) {
        Require(MLUOP_STATUS_NOT_SUPPORTED, "a library without detopsSetSparseConvolutionDescriptor");
      }
      Require(library_.detopsSetSparseConvolutionDescriptor(
                  desc_, axes, batch, pad.data(), stride.data(), dilation.data(), more.empty() ? nullptr : more.data(),
                  input.data(), filter.data(), output.data(), c.submanifold ? 1 : 0, c.transposed ? 1 : 0,
                  IsInverse(call) ? 1 : 0),
              "detopsSetSparseConvolutionDescriptor");
    }
  }

  int Outputs() const {
    int outputs = -1;
    library_.mluOpGetSparseConvolutionNumActOut(desc_, &outputs);
    return outputs;
  }

  const Functions& library_;
  bool is_null_;
  mluOpSparseConvolutionDescriptor_t desc_ = nullptr;
};

}  // namespace detops_harness::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_CONTRACT_DESCRIPTOR_H_
