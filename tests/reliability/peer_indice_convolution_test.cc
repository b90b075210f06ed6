// Bugs of other libraries in sparse and gathering kernels, put to indice_convolution.
#include <climits>
#include <cstdint>
#include <limits>
#include <string>

#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;

constexpr const char* kFunctions[] = {"mluOpIndiceConvolutionForward", "mluOpIndiceConvolutionBackwardData",
                                      "mluOpIndiceConvolutionBackwardFilter", "detopsIndiceConvolutionForwardFused"};

// The sizes of the good call: 45 offsets of 11 columns, 11 inputs of 4 channels, 13 outputs of 7.
void SetPair(Call& call, int64_t offset, int64_t row, int64_t column, int32_t index) {
  call["indice_pairs"].Set((offset * 2 + row) * 11 + column, index);
}

// In every way.
template <class Spoil>
void ExpectRefused(const std::string& text, const Spoil& spoil) {
  for (const char* function : kFunctions) {
    SCOPED_TRACE(function);
    Call call = GoodCall(function);
    spoil(call);
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, text);
  }
}

// ---- spconv 2.3.8 on a CPU ----

// 20,000 rows with two threads: there about one row in a hundred is another one in the next run.
TEST(PeerIndiceConvolution, SpconvTwoThreadsGiveOtherValues) {
  for (const char* function : kFunctions) {
    PlacedCall placed(CallOf(function, "sites=20000,outputs=20000,ci=16,co=16,filter=3x3x3,pairs=submanifold"));
    Handle handle(DETOPS_PROFILE_FULL, 1);
    ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
    const std::string alone = placed.Outputs();
    for (const int threads : {2, 2, 2, 2, 2, 3, 8}) {
      handle.SetThreads(threads);
      placed.Reset(0xFF);
      ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
      ASSERT_TRUE(placed.Outputs() == alone) << function << ", " << threads << " threads";
    }
  }
}

void ExpectRight(const std::string& shape) {
  for (const char* function : kFunctions) ExpectAgreementEverywhere(CallOf(function, shape));
}

// [co, 1, 1, 1, ci] is read as [ci, co] there. The extents differ, so that a confusion shows.
TEST(PeerIndiceConvolution, SpconvKernelOfOneReadsItsWeightTransposed) {
  ExpectRight("sites=37,outputs=37,ci=5,co=9,filter=1x1x1,layout=NDHWC");
}
// And with equal extents, where nothing but the values can tell.
TEST(PeerIndiceConvolution, SpconvKernelOfOneWithSquareWeight) {
  ExpectRight("sites=37,outputs=37,ci=8,co=8,filter=1x1x1,layout=NDHWC");
}
// The backward pass asks for a device of another kind there.
TEST(PeerIndiceConvolution, SpconvBackwardOnACpu) {
  ExpectRight("sites=40,outputs=31,ci=7,co=6,filter=3x1x3,pairs=random");
}
// Tensors of different kinds: an error instead of a fault.
TEST(PeerIndiceConvolution, SpconvIssue727TensorsOfDifferentKinds) {
  for (const size_t tensor : {0, 1, 3}) {  // between them are the pairs
    ExpectRefused("has type", [tensor](Call& call) {
      if (call.tensors[tensor].type == MLUOP_DTYPE_FLOAT) call.tensors[tensor].type = MLUOP_DTYPE_HALF;
    });
  }
}

// ---- indices that are given back ----

// An index of an index: both rows of every pair are used as rows of tensors.
TEST(PeerIndiceConvolution, Cve2020Nr15195DoubleIndexing) {
  for (const int row : {0, 1}) {
    for (const int32_t index : {INT_MIN, -1, INT_MAX}) {
      ExpectRefused("indice_pairs[0, " + std::to_string(row) + ", 2] is " + std::to_string(index),
                    [=](Call& call) { SetPair(call, 0, row, 2, index); });
    }
  }
}
// One past the end.
TEST(PeerIndiceConvolution, Cve2021Nr37641GatherPastTheEnd) {
  ExpectRefused("indice_pairs[0, 0, 1] is 11", [](Call& call) { SetPair(call, 0, 0, 1, 11); });
}
TEST(PeerIndiceConvolution, Cve2021Nr37635ScatterPastTheEnd) {
  ExpectRefused("indice_pairs[0, 1, 1] is 13", [](Call& call) { SetPair(call, 0, 1, 1, 13); });
}
// The index fits one of the two arrays that it is used on: 11 rows on one side, 13 on the other.
TEST(PeerIndiceConvolution, Cve2021Nr29570OneIndexForTwoArrays) {
  ExpectRefused("indice_pairs[4, 0, 0] is 12", [](Call& call) { SetPair(call, 4, 0, 0, 12); });
}
TEST(PeerIndiceConvolution, OnnxRuntime27903IndicesAsOffsets) {
  for (const int32_t index : {-11 * 4, 13 * 7}) {
    ExpectRefused("indice_pairs[44, 1, 0] is " + std::to_string(index),
                  [index](Call& call) { SetPair(call, 44, 1, 0, index); });
  }
}
// Lengths that the caller tells, larger than what there is, or negative.
TEST(PeerIndiceConvolution, Cve2025Nr2998LengthsBeyondTheData) {
  for (const int64_t length : {int64_t{-1}, int64_t{12}, int64_t{1} << 32, std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()}) {
    ExpectRefused("indice_num[1] is " + std::to_string(length),
                  [length](Call& call) { call.integer_lists.at("indice_num")[1] = length; });
  }
}

// ---- shapes ----

TEST(PeerIndiceConvolution, Cve2021Nr29607ChannelsThatDiffer) {
  for (const char* name : {"features", "features_out", "input_grad", "output_grad"}) {
    for (const char* function : kFunctions) {
      Call call = GoodCall(function);
      for (detops_harness::Tensor& tensor : call.tensors) {
        if (tensor.name != name) continue;
        tensor.extents[1] -= 1;
        ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "has");
        break;
      }
    }
  }
}
// An output smaller than what the kernel believes it to be.
TEST(PeerIndiceConvolution, Cve2025Nr55558OutputSmallerThanTold) {
  Call call = GoodCall(kFunctions[0]);
  call.integers.at("num_act_out") = 14;
  ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "num_act_out");
}
// An index in what was stored and is read back: a rulebook is made of checked pairs only.
TEST(PeerIndiceConvolution, Cve2024Nr31584StoredIndicesAreChecked) {
  for (const bool value_checks : {true, false}) {
    Call call = GoodCall("detopsCreateRulebook");
    call.value_checks = value_checks;
    SetPair(call, 4, 1, 2, INT_MAX);
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "indice_pairs[4, 1, 2] is 2147483647");
  }
}

}  // namespace
}  // namespace detops_test
