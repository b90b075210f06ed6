// What the functions promise that make a rulebook from coordinates: include/detops/rulebook.h.
#include "harness/compare.h"
#include "ops/get_indice_pairs/contract/convolution.h"
#include "ops/get_indice_pairs/contract/own_rules.h"

namespace detops_harness::get_indice_pairs {
namespace {

const Names kTensors = {"indices", "out_indices", "indice_num"};

std::string AgreesWithTheReference(const Call& call) { return Disagreement(call, call.function->Reference(call)); }

// Output sites of a submanifold convolution may be left out.
bool HasOutputs(const Call& call) { return call.integer("sub_m") == 0; }

void CheckForm(Contract& contract) {
  contract.Check("ranks are not 2, 2, 1", {Ranks(kTensors)})
      .Check("indices or out_indices have not D + 1 columns", {Shapes({"indices"}), Shapes({"out_indices"})})
      .Check("filter_space has 2^24 offsets or more", {KernelOfRulebook()})
      .Check("indice_num has not K elements", {Shapes({"indice_num"})})
      .Check("a tensor is not dense", {Dense(kTensors)})
      .Check("int64 cannot count the bytes of a tensor",
             {CountOf("indices"), CountOf("out_indices"), Implied(Counts({"indice_num"}))})
      .Check("L does not fit int32", {SitesInInt32()})
      .Check("the batch times the input or the output space has 2^63 - 1 sites or more", {InputSpace(), OutputSpace()})
      .Check("a type is not int32", {Int32(kTensors)})
      .Check("submanifold: on an axis the spaces differ or stride is not 1", {Submanifold()});
}

}  // namespace

Contract MakeRulebookContract(Kind kind, const std::string& function) {
  Contract contract(function);
  contract.Shape("indices", {"L", "D + 1"})
      .Shape("out_indices", {"rows", "D + 1"})
      .Shape("indice_num", {"K"})
      .Computed("D + 1", [](const Call& call) { return static_cast<int64_t>(call.integer_lists.at("pad").size()) + 1; })
      .Computed("K", KernelOffsets);
  contract.Check(
      "count or rulebook is NULL",
      {PlaceForResult({"count"}), kind == Kind::kBuild ? PlaceForResult({"rulebook"})
                                                       : NotNull({"rulebook"}, "a rulebook of detopsBuildRulebook")});
  contract.Check("handle or a descriptor is NULL", {Handle(), SparseDescriptor(), Descriptors({"indices"}),
                                                    When(HasOutputs, Descriptors({"out_indices"}))});
  contract.Check("contract profile", {FullProfile()});
  CheckForm(contract);
  contract.Check("a tensor has elements, but its data pointer is NULL", {DataOfElements(kTensors)})
      .Check("an output overlaps another buffer",
             {Separate("out_indices", {"indices", "indice_num"}), Separate("indice_num", {"indices"})})
      .Check("a batch id is outside the batch or a coordinate outside the input space", {SitesInside()})
      .Check("out_indices has fewer rows than there are output sites", {RowsForAll()})
      .Fails(MLUOP_STATUS_NOT_SUPPORTED, "there are 2^31 output sites or more")
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch or the rulebook")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract.Try(BadClass::kNull, "the place for the count", [](Call& call) { call.nulls.insert("count"); })
      .Try(BadClass::kOverflow, "the contract profile", [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; })
      .Defines(BadClass::kEmpty, "no input sites", WithDim("L", 0), AgreesWithTheReference)
      .Defines(
          BadClass::kDuplicates, "an input site occurs twice",
          [](Call& call) {
            for (int64_t column = 0; column < 4; ++column) call["indices"].Set(4 + column, call["indices"].Get(column));
          },
          AgreesWithTheReference)
      .CannotOccur({BadClass::kNotFinite, BadClass::kBatchId, BadClass::kIndices, BadClass::kWorkspace});
  return contract;
}

}  // namespace detops_harness::get_indice_pairs
