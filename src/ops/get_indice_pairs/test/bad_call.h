// A call of get_indice_pairs whose every argument a test can spoil, and what a refused call must leave behind.
//
// mluOpGetIndicePairs, its workspace-size function and detopsCountIndicePairOutputs share their checks, so a fault is
// put to all three: those it concerns must refuse with the same sentence, the others must not notice.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_TEST_BAD_CALL_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_TEST_BAD_CALL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test::inline get_indice_pairs {  // one program may use several rooms

enum class Mode { kRegular, kSubmanifold };
inline constexpr Mode kModes[] = {Mode::kRegular, Mode::kSubmanifold};

inline std::string ModeName(const testing::TestParamInfo<Mode>& info) {
  return info.param == Mode::kRegular ? "Regular" : "Submanifold";
}

// Whether the text is the pattern, in which "*" stands for any characters.
inline bool Matches(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  for (size_t rest = star; rest <= text.size(); ++rest) {
    if (Matches(pattern.substr(star + 1), text.substr(rest))) return true;
  }
  return false;
}

// What the call says of one tensor. Extents follow from the geometry; here stands only what deviates from it, so that
// two faults in one tensor do not undo each other.
struct TensorArgument {
  void* data;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t type = MLUOP_DTYPE_INT32;
  bool described = true;        // false: the descriptor is NULL
  int surplus_rank = 0;         // above 0: ones are appended; below: the last extents are missing
  int64_t surplus[3] = {};      // added to the extents
  int64_t odd_strides[3] = {};  // added to the dense strides
};

// No extent or count of it equals another that it could be confused with.
inline PairProblem GoodProblem(Mode mode) {
  const std::vector<Site> sites = {{1, 3, 4, 6}, {0, 0, 0, 0}, {1, 2, 2, 1}, {0, 1, 1, 3}, {0, 1, 2, 3}, {1, 0, 4, 0},
                                   {0, 3, 0, 6}, {1, 3, 3, 6}, {0, 2, 3, 5}, {1, 1, 1, 1}, {0, 1, 2, 4}};
  if (mode == Mode::kRegular) {
    return {{2, {4, 5, 7}, {1, 3, 2}, {4, 3, 7}, {0, 1, 1}, {1, 2, 1}, {1, 1, 2}}, sites};
  }
  return {{2, {4, 5, 7}, {1, 3, 2}, {4, 5, 7}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}, true}, sites};
}

enum class Function { kPairs, kPairsOfTheDocument, kSize, kSizeOfTheDocument, kCount };

// As the sentences call it: the names of the document are the same functions.
inline const char* NameOf(Function function) {
  constexpr const char* kNames[] = {"mluOpGetIndicePairs", "mluOpGetIndicePairs", "mluOpGetIndicePairsWorkspaceSize",
                                    "mluOpGetIndicePairsWorkspaceSize", "detopsCountIndicePairOutputs"};
  return kNames[static_cast<int>(function)];
}

struct Answer {
  mluOpStatus_t status;
  std::string text;  // of the thread, the same as the handle's
};

// Space for the answers of the two small functions.
inline constexpr size_t kSizeMark = 0xA5A5A5A5A5A5A5A5u;
inline constexpr int64_t kCountMark = -77;

class BadCall {
 public:
  explicit BadCall(Mode mode)
      : problem(GoodProblem(mode)),
        sites(problem.count()),
        needed_rows(problem.Expected().num_act_out),
        rows(needed_rows),
        indices_tensor(Int32({sites, 4})),
        pairs_tensor(Int32({conv().KernelVolume(), 2, sites})),
        out_tensor(Int32({rows, 4})),
        num_tensor(Int32({conv().KernelVolume()})),
        workspace_memory(NeededSize()),
        indices{indices_tensor.data()},
        indice_pairs{pairs_tensor.data()},
        out_indices{out_tensor.data()},
        indice_num{num_tensor.data()},
        workspace(workspace_memory.data()),
        workspace_size(workspace_memory.size()) {
    const std::vector<int32_t> flat = problem.Flat();
    std::memcpy(indices_tensor.data(), flat.data(), indices_tensor.bytes());
    LeaveAMark();
  }

  Answer Run(Handle& handle, Function function) {
    handle.SetProfile(profile);
    handle.SetValueChecks(value_checks);
    descriptor.SetAsExtension(problem);
    return Call(with_handle ? handle.get() : nullptr, function);
  }

  SparseConvolution& conv() { return problem.convolution; }

  std::vector<unsigned char> Bytes() const {
    std::vector<unsigned char> bytes;
    for (const Tensor* tensor : Tensors()) {
      const auto* begin = static_cast<const unsigned char*>(tensor->data());
      bytes.insert(bytes.end(), begin, begin + tensor->bytes());
    }
    return bytes;
  }

  bool SurroundingsIntact() const {
    return workspace_memory.SlackIntact() && std::ranges::all_of(Tensors(), &Tensor::SurroundingsIntact);
  }

  bool with_handle = true, with_descriptor = true, with_result = true;
  detopsProfile_t profile = DETOPS_PROFILE_CONTRACT;
  bool value_checks = true;
  PairProblem problem;
  int64_t sites;
  int64_t needed_rows;
  int64_t rows;
  Tensor indices_tensor, pairs_tensor, out_tensor, num_tensor;  // memory of a good call
  GuardedBuffer workspace_memory;
  TensorArgument indices, indice_pairs, out_indices, indice_num;
  void* workspace;
  size_t workspace_size;
  ConvolutionDescriptor descriptor;
  int mark = 0;             // the number of outputs that the descriptor holds before the call
  size_t size = kSizeMark;  // results of the small functions
  int64_t count = kCountMark;

 private:
  struct Destroy {
    void operator()(mluOpTensorDescriptor_t desc) const { mluOpDestroyTensorDescriptor(desc); }
  };
  using OwnedDescriptor = std::unique_ptr<std::remove_pointer_t<mluOpTensorDescriptor_t>, Destroy>;

  static Tensor Int32(const std::vector<int64_t>& extents) {
    return Tensor(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, extents);
  }

  std::vector<const Tensor*> Tensors() const { return {&indices_tensor, &pairs_tensor, &out_tensor, &num_tensor}; }

  size_t NeededSize() {
    const Handle handle;
    const ConvolutionDescriptor good(problem);
    size_t needed = 0;
    Must(mluOpGetIndicePairsWorkspaceSize(handle.get(), good.get(), indices_tensor.desc(), pairs_tensor.desc(),
                                          out_tensor.desc(), num_tensor.desc(), &needed),
         "mluOpGetIndicePairsWorkspaceSize");
    return needed;
  }

  // A good call with this descriptor, so that a refused one has a number of outputs to leave alone.
  void LeaveAMark() {
    Handle handle;
    const Answer answer = Run(handle, Function::kPairs);
    Must(answer.status, "the good call");
    mark = descriptor.NumActOut();
    for (Tensor* tensor : {&pairs_tensor, &out_tensor, &num_tensor}) tensor->FillCanary();
  }

  Answer Call(mluOpHandle_t handle, Function function) {
    const auto columns = static_cast<int64_t>(problem.columns());
    const int64_t offsets = conv().KernelVolume();
    const OwnedDescriptor indices_desc = Describe(indices, {sites, columns});
    const OwnedDescriptor pairs_desc = Describe(indice_pairs, {offsets, 2, sites});
    const OwnedDescriptor out_desc = Describe(out_indices, {rows, columns});
    const OwnedDescriptor num_desc = Describe(indice_num, {offsets});
    const mluOpSparseConvolutionDescriptor_t sparse = with_descriptor ? descriptor.get() : nullptr;
    mluOpStatus_t status = MLUOP_STATUS_INTERNAL_ERROR;
    if (function == Function::kCount) {
      status = detopsCountIndicePairOutputs(handle, sparse, indices_desc.get(), indices.data,
                                            with_result ? &count : nullptr);
    } else if (function == Function::kSize || function == Function::kSizeOfTheDocument) {
      const auto get_size =
          function == Function::kSize ? mluOpGetIndicePairsWorkspaceSize : mluopGetIndicePairsWorkspaceSize;
      status = get_size(handle, sparse, indices_desc.get(), pairs_desc.get(), out_desc.get(), num_desc.get(),
                        with_result ? &size : nullptr);
    } else {
      const auto get_pairs = function == Function::kPairs ? mluOpGetIndicePairs : mluopGetIndicePairs;
      status = get_pairs(handle, sparse, indices_desc.get(), indices.data, workspace, workspace_size, pairs_desc.get(),
                         indice_pairs.data, out_desc.get(), out_indices.data, num_desc.get(), indice_num.data);
    }
    const std::string text = detopsGetLastError(nullptr);
    if (handle != nullptr) {
      EXPECT_EQ(detopsGetLastError(handle), text);
    }
    return {status, text};
  }

  static OwnedDescriptor Describe(const TensorArgument& tensor, std::vector<int64_t> extents) {
    if (!tensor.described) return nullptr;
    for (size_t axis = 0; axis < extents.size(); ++axis) extents[axis] += tensor.surplus[axis];
    extents.resize(static_cast<size_t>(std::max(0, static_cast<int>(extents.size()) + tensor.surplus_rank)), 1);
    mluOpTensorDescriptor_t desc = nullptr;
    Must(mluOpCreateTensorDescriptor(&desc), "mluOpCreateTensorDescriptor");
    OwnedDescriptor owned(desc);
    if (extents.empty()) {
      Must(mluOpSetTensorDescriptorPointerMode(desc, MLUOP_POINTER_MODE_HOST), "mluOpSetTensorDescriptorPointerMode");
    }
    const auto rank = static_cast<int>(extents.size());
    std::vector<int64_t> strides(extents.size(), 1);
    for (size_t axis = extents.size(); axis-- > 1;) {
      // Shapes that nobody can count have strides that nobody reads.
      if (__builtin_mul_overflow(strides[axis], extents[axis], &strides[axis - 1])) strides[axis - 1] = INT64_MAX;
    }
    const bool odd = std::ranges::any_of(tensor.odd_strides, [](int64_t surplus) { return surplus != 0; });
    for (size_t axis = 0; axis < std::min<size_t>(3, extents.size()); ++axis) strides[axis] += tensor.odd_strides[axis];
    Must(odd && rank > 0
             ? mluOpSetTensorDescriptorEx_v2(desc, tensor.layout, tensor.type, rank, extents.data(), strides.data())
             : mluOpSetTensorDescriptor_v2(desc, tensor.layout, tensor.type, rank, extents.data()),
         "mluOpSetTensorDescriptor");
    return owned;
  }
};

using Spoil = std::function<void(BadCall&)>;

// What a fault in mluOpGetIndicePairs means for another function.
enum class Effect { kRefuses, kAccepts, kNotAsked };

struct Reach {
  Effect size, count;
};
inline constexpr Reach kEverywhere = {Effect::kRefuses, Effect::kRefuses};
inline constexpr Reach kNotInCount = {Effect::kRefuses, Effect::kAccepts};
inline constexpr Reach kNotInSize = {Effect::kAccepts, Effect::kRefuses};
inline constexpr Reach kInPairsAlone = {Effect::kAccepts, Effect::kAccepts};

// All tests of a suite share one handle per test: it has to survive every refusal before.
class GetIndicePairsRefusals : public testing::TestWithParam<Mode> {
 protected:
  // Runs the function and expects a refusal with the sentence, no changed byte and a handle that works on.
  void Refuse(BadCall& call, Function function, mluOpStatus_t status, const std::string& sentence) {
    const std::vector<unsigned char> before = call.Bytes();
    const Answer answer = call.Run(handle_, function);
    EXPECT_EQ(answer.status, status) << NameOf(function) << ", " << answer.text;
    EXPECT_TRUE(Matches(NameOf(function) + (": " + sentence), answer.text)) << answer.text;
    EXPECT_TRUE(call.Bytes() == before) << "a refused call changed a tensor";
    EXPECT_TRUE(call.SurroundingsIntact());
    EXPECT_EQ(call.descriptor.NumActOut(), call.mark);
    EXPECT_EQ(call.size, kSizeMark);
    EXPECT_EQ(call.count, kCountMark);
    ExpectGoodCall();
  }

  void Accept(BadCall& call, Function function) {
    const Answer answer = call.Run(handle_, function);
    EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << NameOf(function) << ", " << answer.text;
    EXPECT_EQ(answer.text, "");
    EXPECT_TRUE(call.SurroundingsIntact());
    call.size = kSizeMark;
    call.count = kCountMark;
  }

  void Ask(BadCall& call, Function function, Effect effect, mluOpStatus_t status, const std::string& sentence) {
    if (effect == Effect::kRefuses) Refuse(call, function, status, sentence);
    if (effect == Effect::kAccepts) Accept(call, function);
  }

  // "*" in the sentence stands for any characters.
  void ExpectRefused(mluOpStatus_t status, const std::string& sentence, Reach reach, const Spoil& spoil) {
    SCOPED_TRACE(sentence);
    BadCall call(GetParam());
    spoil(call);
    Refuse(call, Function::kPairs, status, sentence);
    Ask(call, Function::kSize, reach.size, status, sentence);
    Ask(call, Function::kCount, reach.count, status, sentence);
  }

  void ExpectBadParam(const std::string& sentence, Reach reach, const Spoil& spoil) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, sentence, reach, spoil);
  }

  void ExpectNotSupported(const std::string& sentence, Reach reach, const Spoil& spoil) {
    ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED, sentence, reach, spoil);
  }

  void ExpectAccepted(const std::string& what, const Spoil& spoil) {
    SCOPED_TRACE(what);
    BadCall call(GetParam());
    spoil(call);
    for (const Function function : {Function::kPairs, Function::kSize, Function::kCount}) Accept(call, function);
  }

  // The result, not only the status: a refused call may have left something in the handle's scratch.
  void ExpectGoodCall() {
    for (Tensor* tensor : {&good_.pairs_tensor, &good_.out_tensor, &good_.num_tensor}) tensor->FillCanary();
    const Answer answer = good_.Run(handle_, Function::kPairs);
    EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
    EXPECT_EQ(answer.text, "");
    EXPECT_EQ(Difference(good_.pairs_tensor, expected_.pairs), "") << "indice_pairs after a refusal";
    EXPECT_EQ(Difference(good_.out_tensor, expected_.out_indices), "") << "out_indices after a refusal";
    EXPECT_EQ(Difference(good_.num_tensor, expected_.indice_num), "") << "indice_num after a refusal";
    EXPECT_EQ(good_.descriptor.NumActOut(), expected_.num_act_out);
  }

  Handle handle_;
  BadCall good_{GetParam()};
  IndicePairs expected_ = good_.problem.Expected();
};

}  // namespace detops_test::inline get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_TEST_BAD_CALL_H_
