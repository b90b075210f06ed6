// What indice_pool promises.
#include "ops/indice_pool/contract/rules.h"

#include "sparse/contract/pairs.h"

namespace detops_harness::indice_pool {
namespace {

constexpr int64_t kHuge = int64_t{1} << 62;

bool IsMaximum(const Call& call) { return call.integer("method") == DETOPS_POOL_MAXIMUM; }

// The functions of one direction share everything but where the pairs come from.
class Maker {
 public:
  Maker(bool backward, bool on_rulebook)
      : backward_(backward),
        on_rulebook_(on_rulebook),
        target_(backward ? "input_grad" : "features_out"),
        contract_(std::string(on_rulebook ? "detopsRulebookPool" : "detopsIndicePool") +
                  (backward ? "Backward" : "Forward")) {}

  Contract Make() {
    SetShapes();
    Pointers();
    contract_.Check("contract profile", {FullProfile()});
    Numbers();
    Forms();
    CheckShapes();
    Memory();
    Faults done = {{BadClass::kEmpty, "no channels", WithDim("C", 0)}};
    if (!on_rulebook_) AddWithoutRows(done);
    contract_.Check(
        target_ + " has no elements" + (on_rulebook_ ? "" : ": indices are not looked at"),
        {Done("no elements", [target = target_](const Call& c) { return c[target].elements() == 0; }, done)});
    if (!on_rulebook_) Indices();
    contract_.Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
        .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
    ForTheTable();
    return contract_;
  }

 private:
  // The tensors of numbers, and with the pairs all tensors, in the order of the arguments.
  Names Floats() const {
    return backward_ ? Names{"features", "features_out", "output_grad", "input_grad"}
                     : Names{"features", "features_out"};
  }
  Names Inputs() const {
    Names names = backward_ ? Names{"features", "features_out", "output_grad"} : Names{"features"};
    if (!on_rulebook_) names.emplace_back("indice_pairs");
    return names;
  }
  // Of the gradient of an average these are not looked at.
  bool OfMaximum(const std::string& tensor) const { return backward_ && tensor.rfind("features", 0) == 0; }
  Rules Guarded(const std::string& tensor, Rules rules) const {
    return OfMaximum(tensor) ? When(IsMaximum, std::move(rules)) : rules;
  }
  // The rules of each of the tensors, in the order of the arguments.
  template <class Make>
  Rules ForAll(const Make& make) const {
    Rules all;
    Names names = Inputs();
    names.push_back(target_);
    for (const std::string& name : names) {
      for (Rule& rule : Guarded(name, make(name))) all.push_back(std::move(rule));
    }
    return all;
  }

  void SetShapes() {
    const char* const shown = "rows of the rulebook";
    const Dim in = on_rulebook_ ? Dim("inputs of the rulebook", shown) : Dim("N");
    const Dim out = on_rulebook_ ? Dim("outputs of the rulebook", shown) : Dim(backward_ ? "Y" : "num_act_out");
    contract_.Shape("features", {in, "C"}).Shape("features_out", {out, "C"});
    if (backward_) contract_.Shape("input_grad", {in, "C"}).Shape("output_grad", {out, "C"});
    if (!on_rulebook_) contract_.Shape("indice_pairs", {"K", 2, "L"});
    if (!on_rulebook_) return;
    contract_.Computed("inputs of the rulebook", [](const Call& call) { return sparse::RulebookRows(call, 0); })
        .Computed("outputs of the rulebook", [](const Call& call) { return sparse::RulebookRows(call, 1); });
  }

  void Pointers() {
    const Rules descriptors = ForAll([](const std::string& name) { return Descriptors({name}); });
    if (on_rulebook_) {
      contract_.Check(backward_ ? "handle, rulebook, with maximum the descriptor of features or features_out, or "
                                  "another descriptor is NULL"
                                : "handle, rulebook or a descriptor is NULL",
                      {Handle(), sparse::RulebookPointer(), descriptors});
    } else {
      contract_.Check(backward_ ? "handle, with maximum the descriptor of features or features_out, another "
                                  "descriptor, or indice_num is NULL"
                                : "handle, a descriptor or indice_num is NULL",
                      {Handle(), descriptors, sparse::CountsPointer()});
    }
  }

  void Numbers() {
    const BadClass kEnumerator = BadClass::kEnumerator;
    Faults averages;
    if (backward_) {
      averages = {{kEnumerator, "average without features",
                   [](Call& call) {
                     call.integers.at("method") = DETOPS_POOL_AVERAGE;
                     for (const char* name : {"features", "features_out"}) call[name] = Absent(name, Access::kRead);
                   },
                   false},
                  {kEnumerator, "average with other features",
                   [](Call& call) {
                     call.integers.at("method") = DETOPS_POOL_AVERAGE;
                     for (const char* name : {"features", "features_out"}) {
                       call[name].type = MLUOP_DTYPE_INT8;
                       call[name].extents = {7};
                       call[name].has_data = false;
                     }
                   },
                   false}};
      // What an average does look at is refused all the same.
      for (const char* name : {"output_grad", "input_grad"}) {
        averages.push_back({kEnumerator, "average with another type",
                            [name](Call& call) {
                              call.integers.at("method") = DETOPS_POOL_AVERAGE;
                              call[name].type = MLUOP_DTYPE_INT8;
                            },
                            false});
      }
    }
    contract_.Check("method is none of its values",
                    {WithFaults(Enumerator("method", 0, 1, "a value of detopsPoolMethod_t"), averages)});
    if (backward_) return;
    const Rules start = When([](const Call& call) { return call.integer("method") != DETOPS_POOL_AVERAGE; },
                             Enumerator("start", 0, 1, "a value of detopsMaximumStart_t"));
    contract_.Check("with maximum: start is none of its values",
                    {WithFaults(start, {{kEnumerator, "average with any start",
                                         [](Call& call) {
                                           call.integers.at("method") = DETOPS_POOL_AVERAGE;
                                           call.integers.at("start") = 77;
                                         },
                                         false}})});
  }

  void Forms() {
    const std::string first = backward_ ? "output_grad" : "features";
    std::string ranks = backward_ ? "ranks of features, features_out, output_grad" : "ranks of features";
    ranks += std::string(on_rulebook_ ? "" : ", indice_pairs") + " and " + target_ + " are not " +
             (backward_ ? "2, 2, 2" : "2") + (on_rulebook_ ? "" : ", 3") + ", 2";
    contract_.Check(ranks, {ForAll([](const std::string& name) { return Ranks({name}); })});
    std::string types = first + " has none of the types above";
    if (!on_rulebook_) types += ", indice_pairs is not int32";
    types += backward_ ? ", or another tensor has not the type of output_grad" : ", or features_out has not its type";
    Rules same;
    if (backward_) same = When(IsMaximum, SameType({"features", "features_out"}, first));
    contract_.Check(
        types, {Floating({first}), same, on_rulebook_ ? Rules{} : Int32({"indice_pairs"}), SameType({target_}, first)});
    contract_.Check("a tensor is not dense, or int64 cannot count its bytes", {ForAll([](const std::string& name) {
                      Rules rules = Dense({name});
                      for (Rule& rule : Counts({name})) rules.push_back(std::move(rule));
                      return rules;
                    })});
  }

  void CheckShapes() {
    if (!on_rulebook_) contract_.Check("indice_pairs is not [K, 2, L]", {Shapes({"indice_pairs"})});
    if (!backward_) {
      const Rules of_features = Shapes({"features"});
      if (on_rulebook_) {
        contract_.Check("features is not [rows of the inputs, C]", {of_features})
            .Check("features_out is not [rows of the outputs, C]", {Shapes({"features_out"})});
      } else {
        contract_.Check("features_out is not [num_act_out, C]", {Implied(of_features), Shapes({"features_out"})});
      }
      return;
    }
    const Rules of_grad = Shapes({"output_grad"});
    if (on_rulebook_) {
      contract_.Check("output_grad is not [rows of the outputs, C]", {of_grad})
          .Check("input_grad is not [rows of the inputs, C]", {Shapes({"input_grad"})});
    } else {
      contract_.Check("input_grad is not [N, C] for output_grad [Y, C]", {Implied(of_grad), Shapes({"input_grad"})});
    }
    contract_.Check("with maximum: features has not the shape of input_grad, or features_out not that of output_grad",
                    {When(IsMaximum, Shapes({"features", "features_out"}))});
  }

  void Memory() {
    if (!on_rulebook_) contract_.Check("a number in indice_num is not in [0, L]", {sparse::CountsInRange()});
    contract_.Check("the data pointer of a tensor that has elements is NULL",
                    {ForAll([](const std::string& name) { return DataOfElements({name}); })});
    Rules separate;
    for (const std::string& name : Inputs()) {
      for (Rule& rule : Guarded(name, Separate(target_, {name}))) separate.push_back(std::move(rule));
    }
    if (!on_rulebook_) separate.push_back(Separate(target_, {"indice_num"})[0]);
    contract_.Check(target_ + " overlaps another tensor" + (on_rulebook_ ? "" : " or indice_num"), {separate});
  }

  // Extents that only an extent of 0 makes countable.
  void AddWithoutRows(Faults& faults) const {
    const std::string outputs = backward_ ? "Y" : "num_act_out";
    for (const bool rows : {false, true}) {
      faults.push_back({BadClass::kEmpty, rows ? "no channels of enormous rows" : "no rows of enormous channels",
                        [=](Call& call) {
                          WithDim("N", rows ? kHuge : 0)(call);
                          WithDim(outputs, rows ? kHuge : 0)(call);
                          WithDim("C", rows ? 0 : kHuge)(call);
                          for (int64_t& count : call.integer_lists.at("indice_num")) count = 0;
                          for (Tensor& tensor : call.tensors) tensor.has_data = tensor.name == "indice_pairs";
                        },
                        false});
    }
  }

  void Indices() {
    const std::string inputs = backward_ ? "input_grad" : "features", outputs = backward_ ? "output_grad" : target_;
    const Rules rule = sparse::IndicesAreRows(
        [=](const Call& call, int side) { return call[side == 0 ? inputs : outputs].extents[0]; }, 2);
    // An index of a tensor without rows; if it is the target, nobody looks.
    contract_.Check(
        "a counted index is not a row of its tensor, also if value checks are off",
        {WithFaults(rule, {{BadClass::kIndices, "no inputs", WithDim("N", 0), false},
                           {BadClass::kIndices, "no outputs", WithDim(backward_ ? "Y" : "num_act_out", 0), false}})});
  }

  void ForTheTable() {
    sparse::TryContractProfile(contract_);
    sparse::TryEnumerator(contract_, "method", {-1, 2});
    if (!backward_) sparse::TryEnumerator(contract_, "start", {-1, 2});
    sparse::TryExtent(contract_, backward_ ? "output_grad" : "features", 1);
    if (backward_) sparse::TryExtent(contract_, "input_grad", 0);
    contract_
        .Try(BadClass::kOverflow, "bytes that int64 cannot count",
             [](Call& call) { WithDim("C", call["features"].extents[1] + (int64_t{1} << 60))(call); })
        .Defines(BadClass::kEmpty, "no channels", WithDim("C", 0),
                 [target = target_](const Call& call) { return sparse::Untouched(call[target]); })
        .CannotOccur({BadClass::kWorkspace, BadClass::kCoordinates, BadClass::kDuplicates, BadClass::kBatchId})
        .CannotOccur({BadClass::kSizes}, "offsets are counted by indice_pairs; there is no stride or window")
        .CannotOccur({BadClass::kNotFinite}, "features and gradients may hold any number; what NaN does is documented");
    if (!on_rulebook_) return;
    contract_.CannotOccur({BadClass::kIndices},
                          "the pairs were checked when the rulebook was made, where these cases are counted");
  }

  const bool backward_, on_rulebook_;
  const std::string target_;
  Contract contract_;
};

}  // namespace

Contract MakeContract(bool backward, bool on_rulebook) { return Maker(backward, on_rulebook).Make(); }

}  // namespace detops_harness::indice_pool
