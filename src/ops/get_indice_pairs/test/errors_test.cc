// Every argument of get_indice_pairs wrong in every way, except for limits and values: status and sentence, nothing
// written, and the handle works on. Each sentence is checked because it is all that a user of a C library gets to see.
#include <sys/mman.h>

#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/bad_call.h"

namespace detops_test {
namespace {

constexpr auto kBad = MLUOP_STATUS_BAD_PARAM;

class GetIndicePairsErrors : public GetIndicePairsRefusals {};
INSTANTIATE_TEST_SUITE_P(Modes, GetIndicePairsErrors, testing::ValuesIn(kModes), ModeName);

// A tensor of the call by its name in the sentences.
struct NamedTensor {
  std::string name;
  TensorArgument BadCall::* tensor;
  std::vector<int64_t> extents;  // of a good call
  bool counted;                  // an argument of detopsCountIndicePairOutputs too

  Reach ReachOfDescriptor() const { return counted ? kEverywhere : kNotInCount; }
  Reach ReachOfData() const { return counted ? kNotInSize : kInPairsAlone; }
};

std::vector<NamedTensor> NamedTensors(Mode mode) {
  const int64_t rows = GoodProblem(mode).Expected().num_act_out;
  return {{"indices", &BadCall::indices, {11, 4}, true},
          {"indice_pairs", &BadCall::indice_pairs, {6, 2, 11}, false},
          {"out_indices", &BadCall::out_indices, {rows, 4}, false},
          {"indice_num", &BadCall::indice_num, {6}, false}};
}

std::string ShapeText(const std::vector<int64_t>& extents) {
  std::string text;
  for (int64_t extent : extents) text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text + "]";
}

// ---- pointers ----

TEST_P(GetIndicePairsErrors, NullHandle) {
  ExpectBadParam("handle is NULL, expected a handle of mluOpCreate.", kEverywhere,
                 [](BadCall& call) { call.with_handle = false; });
}

TEST_P(GetIndicePairsErrors, NullDescriptor) {
  ExpectBadParam("the descriptor of sparse_conv is NULL, expected a sparse-convolution descriptor.", kEverywhere,
                 [](BadCall& call) { call.with_descriptor = false; });
  for (const NamedTensor& which : NamedTensors(GetParam())) {
    ExpectBadParam("the descriptor of " + which.name + " is NULL, expected a tensor descriptor.",
                   which.ReachOfDescriptor(), [&](BadCall& call) { (call.*which.tensor).described = false; });
  }
}

// Before everything else: nothing else may be looked at for a caller who cannot be answered.
TEST_P(GetIndicePairsErrors, NullResult) {
  for (const bool with_handle : {true, false}) {
    BadCall call(GetParam());
    call.with_result = false;
    call.with_handle = with_handle;
    if (!with_handle) call.with_descriptor = call.indices.described = call.indice_num.described = false;
    Refuse(call, Function::kSize, kBad, "workspace_size is NULL, expected a place for the result.");
    Refuse(call, Function::kSizeOfTheDocument, kBad, "workspace_size is NULL, expected a place for the result.");
    Refuse(call, Function::kCount, kBad, "count is NULL, expected a place for the result.");
  }
}

TEST_P(GetIndicePairsErrors, NullData) {
  for (const NamedTensor& which : NamedTensors(GetParam())) {
    int64_t elements = 1;
    for (const int64_t extent : which.extents) elements *= extent;
    for (const bool value_checks : {true, false}) {
      ExpectBadParam(
          "the data pointer of " + which.name + " is NULL, expected " + std::to_string(elements) + " elements.",
          which.ReachOfData(), [&](BadCall& call) {
            call.value_checks = value_checks;
            (call.*which.tensor).data = nullptr;
          });
    }
  }
}

TEST_P(GetIndicePairsErrors, NullWorkspace) {
  for (const size_t size : {good_.workspace_size, good_.workspace_size + 1, size_t{1}, SIZE_MAX}) {
    if (size == 0) continue;
    ExpectBadParam("workspace is NULL, expected " + std::to_string(size) + " bytes as workspace_size says.",
                   kInPairsAlone, [&](BadCall& call) {
                     call.workspace = nullptr;
                     call.workspace_size = size;
                   });
  }
}

TEST_P(GetIndicePairsErrors, SmallWorkspace) {
  const size_t needed = good_.workspace_size;
  ASSERT_GT(needed, 0u) << "an algorithm without workspace: then this test has no object";
  for (const size_t size : {needed - 1, needed / 2, size_t{1}, size_t{0}}) {
    for (const bool value_checks : {true, false}) {
      ExpectBadParam(
          "workspace_size is " + std::to_string(size) + ", expected at least " + std::to_string(needed) + " bytes.",
          kInPairsAlone, [&](BadCall& call) {
            call.value_checks = value_checks;
            call.workspace_size = size;
          });
    }
  }
  ExpectBadParam("workspace_size is 0, expected at least " + std::to_string(needed) + " bytes.", kInPairsAlone,
                 [&](BadCall& call) {
                   call.workspace = nullptr;
                   call.workspace_size = 0;
                 });
}

// More than is needed, most of it without memory: nobody may touch what the size function did not ask for.
TEST_P(GetIndicePairsErrors, LargeWorkspaceIsAccepted) {
  constexpr size_t kReserved = size_t{1} << 36;
  const auto unmap = [](void* memory) { munmap(memory, kReserved); };
  std::unique_ptr<void, decltype(unmap)> memory(
      mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), unmap);
  ASSERT_NE(memory.get(), MAP_FAILED);
  ASSERT_EQ(mprotect(memory.get(), good_.workspace_size, PROT_READ | PROT_WRITE), 0);  // whole pages
  for (const size_t size : {good_.workspace_size + 1, size_t{1} << 32, kReserved}) {
    ExpectAccepted("workspace_size " + std::to_string(size), [&](BadCall& call) {
      call.workspace = memory.get();
      call.workspace_size = size;
    });
  }
}

// ---- ranks and extents ----

TEST_P(GetIndicePairsErrors, Rank) {
  for (const NamedTensor& which : NamedTensors(GetParam())) {
    const auto good = static_cast<int>(which.extents.size());
    for (const int rank : {0, 1, 2, 3, 4, 8, 9, 100}) {
      if (rank == good) continue;
      ExpectBadParam(which.name + " has rank " + std::to_string(rank) + ", expected " + std::to_string(good) + ".",
                     which.ReachOfDescriptor(),
                     [&](BadCall& call) { (call.*which.tensor).surplus_rank = rank - good; });
    }
  }
}

struct ExtentRow {
  int tensor;  // in the order of NamedTensors
  size_t axis;
  int64_t extent;
  std::string expected;
};

TEST_P(GetIndicePairsErrors, Extents) {
  const std::vector<NamedTensor> tensors = NamedTensors(GetParam());
  std::vector<ExtentRow> rows;
  for (const int64_t extent : {1, 3, 5, 1000}) {
    for (const int tensor : {0, 2}) rows.push_back({tensor, 1, extent, "D + 1 = 4"});
  }
  for (const int64_t extent : {1, 3, 4}) rows.push_back({1, 1, extent, "2"});
  for (const int64_t extent : {1, 10, 12, 1000}) rows.push_back({1, 2, extent, "L = 11 as in indices"});
  for (const int64_t extent : {1, 5, 7, 1000}) rows.push_back({3, 0, extent, "K = 6 as in indice_pairs"});
  for (const ExtentRow& row : rows) {
    const NamedTensor& which = tensors[static_cast<size_t>(row.tensor)];
    std::vector<int64_t> extents = which.extents;
    const int64_t surplus = row.extent - extents[row.axis];
    extents[row.axis] = row.extent;
    ExpectBadParam(which.name + " has extent " + std::to_string(row.extent) + " on axis " + std::to_string(row.axis) +
                       ", expected " + row.expected + "; its shape is " + ShapeText(extents) + ".",
                   which.ReachOfDescriptor(), [&](BadCall& call) { (call.*which.tensor).surplus[row.axis] = surplus; });
  }
}

// The two tensors with one list per offset may agree with each other and not with the kernel.
TEST_P(GetIndicePairsErrors, KernelVolume) {
  ExpectBadParam("indice_num has extent 6 on axis 0, expected K = 7 as in indice_pairs; its shape is [6].", kNotInCount,
                 [](BadCall& call) { call.indice_pairs.surplus[0] = 1; });
  for (const int64_t surplus : {-5, -1, 1, 994}) {
    const std::string extent = std::to_string(6 + surplus);
    ExpectBadParam("indice_pairs has extent " + extent + " on axis 0, expected the 6 offsets of filter_space.",
                   kNotInCount,
                   [&](BadCall& call) { call.indice_pairs.surplus[0] = call.indice_num.surplus[0] = surplus; });
  }
}

// Extents of 0 where the others have none: for the call a difference like any other, while the size function answers 0
// for a tensor without elements before it looks at anything.
TEST_P(GetIndicePairsErrors, ZeroExtents) {
  struct Row {
    std::string sentence;
    TensorArgument BadCall::* tensor;
    size_t axis;
  };
  const Row rows[] = {
      {"indices has extent 0 on axis 1, expected D + 1 = 4; its shape is [11, 0].", &BadCall::indices, 1},
      {"out_indices has extent 0 on axis 1, expected D + 1 = 4; its shape is [*, 0].", &BadCall::out_indices, 1},
      {"indice_pairs has extent 0 on axis 1, expected 2; its shape is [6, 0, 11].", &BadCall::indice_pairs, 1},
      {"indice_pairs has extent 0 on axis 2, expected L = 11 as in indices; its shape is [6, 2, 0].",
       &BadCall::indice_pairs, 2},
      {"indice_num has extent 6 on axis 0, expected K = 0 as in indice_pairs; its shape is [6].",
       &BadCall::indice_pairs, 0},
      {"indice_num has extent 0 on axis 0, expected K = 6 as in indice_pairs; its shape is [0].", &BadCall::indice_num,
       0}};
  const std::vector<NamedTensor> tensors = NamedTensors(GetParam());
  for (const Row& row : rows) {
    SCOPED_TRACE(row.sentence);
    const NamedTensor& which =
        *std::ranges::find_if(tensors, [&](const NamedTensor& tensor) { return tensor.tensor == row.tensor; });
    BadCall call(GetParam());
    (call.*row.tensor).surplus[row.axis] = -which.extents[row.axis];
    Refuse(call, Function::kPairs, kBad, row.sentence);
    for (const Function function : {Function::kSize, Function::kSizeOfTheDocument}) {
      const Answer answer = call.Run(handle_, function);
      EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
      EXPECT_EQ(call.size, 0u);
    }
  }
}

// ---- strides, types, layouts ----

TEST_P(GetIndicePairsErrors, Strides) {
  for (const NamedTensor& which : NamedTensors(GetParam())) {
    int64_t dense = 1;
    for (size_t axis = which.extents.size(); axis-- > 0; dense *= which.extents[axis]) {
      for (const int64_t stride : {dense + 1, dense - 1, int64_t{0}, -dense, INT64_MAX - 1000, INT64_MIN + 1000}) {
        ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                      which.name + " has stride " + std::to_string(stride) + " on axis " + std::to_string(axis) +
                          ", expected " + std::to_string(dense) + ": only dense tensors are supported.",
                      which.ReachOfDescriptor(),
                      [&](BadCall& call) { (call.*which.tensor).odd_strides[axis] = stride - dense; });
      }
    }
  }
}

TEST_P(GetIndicePairsErrors, StrideOfAnAxisOfExtentOneIsFree) {
  for (const int64_t surplus : {-1, 1, 1000}) {
    ExpectAccepted("one site", [&](BadCall& call) {
      call.sites = 1;
      call.indices.odd_strides[0] = surplus;
      call.indice_pairs.odd_strides[2] = surplus;
    });
  }
}

struct TypeRow {
  int number;
  const char* name;
};
constexpr TypeRow kWrongTypes[] = {{0, "invalid"},   {1, "half"},     {2, "float"},         {3, "int8"},
                                   {4, "int16"},     {5, "int31"},    {7, "uint8"},         {8, "bool"},
                                   {9, "int64"},     {10, "unknown"}, {11, "uint32"},       {12, "uint64"},
                                   {13, "uint16"},   {14, "double"},  {15, "complex_half"}, {16, "complex_float"},
                                   {17, "bfloat16"}, {18, "unknown"}, {99, "unknown"},      {INT_MAX, "unknown"}};

TEST_P(GetIndicePairsErrors, Type) {
  for (const NamedTensor& which : NamedTensors(GetParam())) {
    for (const TypeRow& wrong : kWrongTypes) {
      for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
        ExpectBadParam(which.name + " has type " + wrong.name + ", expected int32.", which.ReachOfDescriptor(),
                       [&](BadCall& call) {
                         call.profile = profile;
                         (call.*which.tensor).type = static_cast<mluOpDataType_t>(wrong.number);
                       });
      }
    }
  }
}

TEST_P(GetIndicePairsErrors, AnyLayoutIsAccepted) {
  for (const int layout : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99, INT_MAX}) {
    ExpectAccepted("layout " + std::to_string(layout), [&](BadCall& call) {
      for (const NamedTensor& which : NamedTensors(GetParam())) {
        (call.*which.tensor).layout = static_cast<mluOpTensorLayout_t>(layout);
      }
    });
  }
}

// ---- the geometry of a submanifold convolution ----

class GetIndicePairsSubmanifoldErrors : public GetIndicePairsRefusals {};
INSTANTIATE_TEST_SUITE_P(Modes, GetIndicePairsSubmanifoldErrors, testing::Values(Mode::kSubmanifold), ModeName);

TEST_P(GetIndicePairsSubmanifoldErrors, SpacesMustBeEqual) {
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const int64_t surplus : {-1, 1, 1000}) {
      const int64_t in = good_.conv().input_space[axis], out = in + surplus;
      for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
        ExpectBadParam("sparse_conv has output_space " + std::to_string(out) + " on axis " + std::to_string(axis) +
                           ", expected input_space = " + std::to_string(in) + " as sub_m is set.",
                       kEverywhere, [&](BadCall& call) {
                         call.profile = profile;
                         call.conv().output_space[axis] = out;
                       });
      }
    }
  }
}

TEST_P(GetIndicePairsSubmanifoldErrors, StrideMustBeOne) {
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const int64_t stride : {2, INT_MAX}) {
      for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
        ExpectBadParam("sparse_conv has stride " + std::to_string(stride) + " on axis " + std::to_string(axis) +
                           ", expected 1 as sub_m is set.",
                       kEverywhere, [&](BadCall& call) {
                         call.profile = profile;
                         call.conv().stride[axis] = stride;
                       });
      }
    }
  }
}

TEST_P(GetIndicePairsSubmanifoldErrors, DilationMustBeOneInTheContract) {
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const int64_t dilation : {2, INT_MAX}) {
      ExpectBadParam("sparse_conv has dilation " + std::to_string(dilation) + " on axis " + std::to_string(axis) +
                         ", expected 1 as sub_m is set; the full profile lifts this limit.",
                     kEverywhere, [&](BadCall& call) { call.conv().dilation[axis] = dilation; });
      ExpectAccepted("dilation in the full profile", [&](BadCall& call) {
        call.profile = DETOPS_PROFILE_FULL;
        call.conv().dilation[axis] = dilation;
      });
    }
  }
}

// Axis by axis, and on each the spaces before the stride before the dilation.
TEST_P(GetIndicePairsSubmanifoldErrors, AxisByAxis) {
  struct Fault {
    std::string name;
    Spoil spoil;
  };
  std::vector<Fault> faults;
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::string on_axis = " * on axis " + std::to_string(axis) + ", *";
    faults.push_back({"output_space" + on_axis, [axis](BadCall& call) { call.conv().output_space[axis] = 17; }});
    faults.push_back({"stride" + on_axis, [axis](BadCall& call) { call.conv().stride[axis] = 19; }});
    // Not the stride's axis: that pair is refused earlier, for every convolution.
    faults.push_back({"dilation" + on_axis, [axis](BadCall& call) { call.conv().dilation[axis] = 23; }});
  }
  for (size_t first = 0; first < faults.size(); ++first) {
    for (size_t second = first + 1; second < faults.size(); ++second) {
      if (first % 3 == 1 && second == first + 1) continue;
      ExpectBadParam("sparse_conv has " + faults[first].name, kEverywhere, [&](BadCall& call) {
        faults[second].spoil(call);
        faults[first].spoil(call);
      });
    }
  }
}

// ---- the names of the design document ----

TEST_P(GetIndicePairsErrors, NamesOfTheDocument) {
  BadCall call(GetParam());
  Accept(call, Function::kPairsOfTheDocument);
  EXPECT_EQ(Difference(call.pairs_tensor, expected_.pairs), "");
  EXPECT_EQ(Difference(call.out_tensor, expected_.out_indices), "");
  EXPECT_EQ(Difference(call.num_tensor, expected_.indice_num), "");
  EXPECT_EQ(call.Run(handle_, Function::kSizeOfTheDocument).status, MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(call.size, call.workspace_memory.size());
  call.size = kSizeMark;
  call.indices.surplus_rank = 1;
  Refuse(call, Function::kPairsOfTheDocument, kBad, "indices has rank 3, expected 2.");
  Refuse(call, Function::kSizeOfTheDocument, kBad, "indices has rank 3, expected 2.");
}

}  // namespace
}  // namespace detops_test
