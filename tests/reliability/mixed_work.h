// Calls of every operator on inputs that any number of threads may share, for tests of what surrounds the operators:
// threads, processes, memory.
#ifndef DETOPS_TESTS_RELIABILITY_MIXED_WORK_H_
#define DETOPS_TESTS_RELIABILITY_MIXED_WORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "detops.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_test {

// Read only once it is made: descriptors, data and a rulebook.
class MixedInputs {
 public:
  MixedInputs();
  ~MixedInputs();
  MixedInputs(const MixedInputs&) = delete;
  MixedInputs& operator=(const MixedInputs&) = delete;

  Tensor map, boxes;                          // rotated_feature_align
  Tensor ps_map, ps_rois, ps_top, ps_choice;  // psroipool; the last is mapping_channel
  Tensor rois, points, features;              // roiaware_pool3d
  Tensor argmax, lists, voxel_grad;           // its backward pass
  Tensor sites, pairs, rows, filters, bias;   // sparse convolution
  std::vector<int64_t> counts;                // indice_num
  detopsRulebook_t rulebook = nullptr;
  Tensor cloud;  // point_to_voxel
};

// What one caller has for himself: a handle in the full profile, places for all results, and a descriptor of a
// convolution, which the search for pairs writes to.
class MixedUser {
 public:
  explicit MixedUser(const MixedInputs& inputs, int threads = 1);
  ~MixedUser();
  MixedUser(const MixedUser&) = delete;
  MixedUser& operator=(const MixedUser&) = delete;

  static size_t Calls();
  static std::string NameOf(size_t call);
  // Makes the call over canaries. Nothing that it allocates is left, except the handle's own scratch.
  mluOpStatus_t Run(size_t call);
  // The results have the same bits as those of the other's last run.
  bool Same(size_t call, const MixedUser& other) const;
  // All calls in turn; how many fail or differ from those of `expected`.
  int WrongCalls(const MixedUser& expected);

  const MixedInputs& inputs;
  Handle handle;

 private:
  friend struct MixedCalls;
  using Results = std::vector<std::unique_ptr<Tensor>>;

  std::vector<Results> results_;  // by call
  std::vector<int64_t> numbers_;  // results that are no tensors, by call
  std::vector<unsigned char> workspace_;
  mluOpSparseConvolutionDescriptor_t convolution_ = nullptr;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_RELIABILITY_MIXED_WORK_H_
