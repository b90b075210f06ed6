// What the functions of get_indice_pairs promise: include/mlu_op/get_indice_pairs.h, include/detops.h.
#include "harness/compare.h"
#include "ops/get_indice_pairs/contract/convolution.h"
#include "ops/get_indice_pairs/contract/own_rules.h"

namespace detops_harness::get_indice_pairs {
namespace {

const Names kTensors = {"indices", "indice_pairs", "out_indices", "indice_num"};

std::string AgreesWithTheReference(const Call& call) { return Disagreement(call, call.function->Reference(call)); }

// ---- the checks, in their order ----

void CheckForm(Contract& contract) {
  contract
      .Check("contract profile: sparse_conv_desc is transposed, inverse or not 3-dimensional", {KindOfConvolution()})
      .Check("ranks are not 2, 3, 2, 1", {Ranks(kTensors)})
      .Check("indices or out_indices have not D + 1 columns", {Shapes({"indices"}), Shapes({"out_indices"})})
      .Check("indice_pairs has not 2 rows and L columns", {Shapes({"indice_pairs"})})
      .Check("indice_num has not the first extent of indice_pairs", {Shapes({"indice_num"})})
      .Check("contract profile: more input sites than batch times input space has", {SitesOfTheSpace()})
      .Check("contract profile: stride and dilation of an axis are both above 1", {StrideAndDilation()})
      .Check("indice_pairs has not K first", {OffsetsOfTheKernel()})
      .Check(
          "out_indices has more rows than batch times output space has sites (full profile, submanifold: and more than "
          "L too)",
          {RowsOfTheSpace()})
      .Check("a tensor is not dense", {Dense(kTensors)});
}

void CheckSizes(Contract& contract, bool only_with_elements) {
  // Without elements the size function has ended, and with them indice_pairs has more than indice_num.
  const Rules counts = CountOf("indice_num");
  contract
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {CountOf("indices"), CountOf("indice_pairs"), CountOf("out_indices"),
              only_with_elements ? Implied(counts) : counts})
      .Check("L does not fit int32", {SitesInInt32()})
      .Check("the batch times the input or the output space has 2^63 - 1 sites or more", {InputSpace(), OutputSpace()})
      .Check("a type is not int32", {Int32(kTensors)});
}

void CheckSubmanifold(Contract& contract) {
  contract.Check("submanifold: on an axis the spaces differ, stride is not 1, or, contract profile, dilation is not 1",
                 {Submanifold()});
}

void CheckMemory(Contract& contract) {
  contract.Check("a data pointer is NULL", {Data(kTensors)})
      .Check("workspace is NULL but workspace_size is not 0", {WorkspacePointer()})
      .Check("workspace_size is below mluOpGetIndicePairsWorkspaceSize", {WorkspaceSize(WorkspaceBytes)})
      .Check("an output or the workspace overlaps another buffer",
             {Separate("indice_pairs", {"indices", "out_indices", "indice_num", "workspace"}),
              Separate("out_indices", {"indices", "indice_num", "workspace"}),
              Separate("indice_num", {"indices", "workspace"}), Separate("workspace", {"indices"})})
      .Check("a batch id is outside the batch or a coordinate outside the input space", {SitesInside()})
      .Check("out_indices has fewer rows than there are output sites", {RowsForAll()})
      .Fails(MLUOP_STATUS_NOT_SUPPORTED, "there are 2^31 output sites or more");
}

// Where there is nothing: L or rows 0, with and without data pointers.
Faults EmptyFaults() {
  const auto no_data = [](Call& call) {
    for (Tensor& tensor : call.tensors) tensor.has_data = false;
  };
  const BadClass kEmpty = BadClass::kEmpty;
  return {{kEmpty, "no input sites", WithDim("L", 0)},
          {kEmpty, "no rows", WithDim("rows", 0)},
          {kEmpty, "nothing", All({WithDim("L", 0), WithDim("rows", 0)})},
          {kEmpty, "no input sites, no data", All({WithDim("L", 0), no_data})},
          {kEmpty, "no rows, no data", All({WithDim("rows", 0), no_data})}};
}

Contract MakePairs(const std::string& function) {
  Contract contract(function);
  contract.Check("handle or a descriptor is NULL", {Handle(), SparseDescriptor(), Descriptors(kTensors)});
  CheckForm(contract);
  CheckSizes(contract, false);
  CheckSubmanifold(contract);
  contract.Check(
      "a tensor has no elements: indice_num becomes 0, the other outputs -1, where they have elements and a data "
      "pointer (overlap is not looked at); the number of output sites becomes 0",
      {Done("no elements", [](const Call& call) { return AnyEmpty(call, kTensors); }, EmptyFaults())});
  CheckMemory(contract);
  return contract;
}

Contract MakeSize(const std::string& function) {
  Contract contract(function);
  contract.Check("workspace_size is NULL", {PlaceForResult({"workspace_size"})})
      .Check("handle or a descriptor is NULL", {Handle(), SparseDescriptor(), Descriptors(kTensors)})
      .Check("a tensor has no elements: the size is 0",
             {Done("no elements", [](const Call& call) { return AnyEmpty(call, kTensors); }, EmptyFaults())});
  CheckForm(contract);
  CheckSizes(contract, true);
  CheckSubmanifold(contract);
  return contract;
}

Contract MakeCount(const std::string& function) {
  Contract contract(function);
  contract.Check("count is NULL", {PlaceForResult({"count"})})
      .Check("handle or a descriptor is NULL", {Handle(), SparseDescriptor(), Descriptors({"indices"})})
      .Check("contract profile: sparse_conv_desc is transposed, inverse or not 3-dimensional", {KindOfConvolution()})
      .Check("rank is not 2", {Ranks({"indices"})})
      .Check("indices has not D + 1 columns", {Shapes({"indices"})})
      .Check("contract profile: more input sites than batch times input space has", {SitesOfTheSpace()})
      .Check("contract profile: stride and dilation of an axis are both above 1", {StrideAndDilation()})
      .Check("indices is not dense", {Dense({"indices"})})
      .Check("indices has 2^31 elements or more (full profile: more than int64 bytes can count)", {CountOf("indices")})
      .Check("L does not fit int32", {SitesInInt32()})
      .Check("the batch times the input or the output space has 2^63 - 1 sites or more", {InputSpace(), OutputSpace()})
      .Check("filter_space has 2^63 - 1 offsets or more", {Kernel()})
      .Check("the type is not int32", {Int32({"indices"})});
  CheckSubmanifold(contract);
  contract
      .Check("indices has no elements: the count is 0",
             {Done("no elements", [](const Call& call) { return call["indices"].elements() == 0; },
                   {{BadClass::kEmpty, "no input sites", WithDim("L", 0)},
                    {BadClass::kEmpty, "no input sites, no data",
                     All({WithDim("L", 0), [](Call& call) { call["indices"].has_data = false; }})}})})
      .Check("the data pointer is NULL", {Data({"indices"})})
      .Check("a batch id is outside the batch or a coordinate outside the input space", {SitesInside()});
  return contract;
}

// ---- the table of bad input ----

void TryMore(Kind kind, Contract& contract) {
  const auto longer = [](const char* tensor, size_t axis) {
    return [=](Call& call) { ++call[tensor].extents.at(axis); };
  };
  if (kind != Kind::kCount) {
    contract.Try(BadClass::kShapes, "extent of indices on axis 0", longer("indices", 0))
        .Try(BadClass::kShapes, "extent of indice_pairs on axis 0", longer("indice_pairs", 0));
  }
  if (kind != Kind::kPairs) {
    const std::string result = kind == Kind::kCount ? "count" : "workspace_size";
    contract.Try(BadClass::kNull, "the place for the result", [=](Call& call) { call.nulls.insert(result); });
    return;
  }
  const auto inside = [](const std::string& output, const std::string& other) {
    return [=](Call& call) { call[output].inside = other; };
  };
  const BadClass kWorkspace = BadClass::kWorkspace, kOverlap = BadClass::kOverlap;
  contract.Try(kWorkspace, "one byte too small", [](Call& call) { --call.integers.at("workspace_size"); })
      .Try(kWorkspace, "size 0", WithInteger("workspace_size", 0))
      .Try(kWorkspace, "NULL with a size", [](Call& call) { call.workspace.has_data = false; })
      .Try(kOverlap, "indice_pairs in the workspace", inside("indice_pairs", "workspace"))
      .Try(kOverlap, "out_indices in the workspace", inside("out_indices", "workspace"))
      .Try(kOverlap, "indice_num in the workspace", inside("indice_num", "workspace"))
      .Try(kOverlap, "the workspace in indices", inside("workspace", "indices"))
      .Try(kOverlap, "two outputs in one place", inside("out_indices", "indice_pairs"));
}

void Define(Kind kind, Contract& contract) {
  const bool pairs = kind == Kind::kPairs;
  contract
      .Defines(BadClass::kEmpty, pairs ? "no rows in out_indices" : "no input sites", WithDim(pairs ? "rows" : "L", 0),
               AgreesWithTheReference)
      .CannotOccur({BadClass::kNotFinite, BadClass::kBatchId, BadClass::kIndices})
      .CannotOccur({BadClass::kEnumerator}, "modes are in the descriptor, where they are checked when it is set");
  if (!pairs) {
    contract.CannotOccur({BadClass::kWorkspace})
        .CannotOccur({BadClass::kOverlap}, "its results are numbers, written when everything has been read");
  }
  if (kind == Kind::kSize) {
    contract.CannotOccur({BadClass::kCoordinates, BadClass::kDuplicates}, "it looks at descriptors only, at no values");
    return;
  }
  // A site that occurs again meets the same outputs again, so their number stays.
  contract.Defines(
      BadClass::kDuplicates, "an input site occurs twice",
      [](Call& call) {
        for (int64_t column = 0; column < 4; ++column) call["indices"].Set(4 + column, call["indices"].Get(column));
      },
      AgreesWithTheReference);
}

}  // namespace

Contract MakeContract(Kind kind, const std::string& function) {
  if (MakesRulebook(kind)) return MakeRulebookContract(kind, function);
  Contract contract = kind == Kind::kPairs  ? MakePairs(function)
                      : kind == Kind::kSize ? MakeSize(function)
                                            : MakeCount(function);
  contract.Shape("indices", {"L", "D + 1"})
      .Shape("indice_pairs", {"K", 2, "L"})
      .Shape("out_indices", {"rows", "D + 1"})
      .Shape("indice_num", {"K"})
      .Computed("D + 1",
                [](const Call& call) { return static_cast<int64_t>(call.integer_lists.at("pad").size()) + 1; });
  if (kind != Kind::kSize) {
    contract.Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
        .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  }
  TryMore(kind, contract);
  Define(kind, contract);
  return contract;
}

}  // namespace detops_harness::get_indice_pairs
