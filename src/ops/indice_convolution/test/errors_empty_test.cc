// Convolutions with tensors without elements: a success that needs no data, and zeros where the result has elements (of
// the fused call: what bias, residual and activation make of zero).
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"

namespace detops_test {
namespace {

struct EmptyRow {
  const char* name;
  Spoil spoil;
};

// Numbers that are 0 here make at least one tensor empty.
const EmptyRow kEmptyRows[] = {{"no sites", [](BadCall& c) { c.sites = 0; }},
                               {"no rows", [](BadCall& c) { c.rows = 0; }},
                               {"no input channels", [](BadCall& c) { c.ci = 0; }},
                               {"no output channels", [](BadCall& c) { c.co = 0; }},
                               {"no offsets", [](BadCall& c) { c.space = {3, 0, 3}; }},
                               {"nothing", [](BadCall& c) {
                                  c.sites = c.rows = c.ci = c.co = 0;
                                  c.space = {0, 0, 0};
                                }}};

class IndiceConvolutionEmpty : public ConvolutionRefusals {
 protected:
  static std::vector<Function> FunctionsOnPairs() {
    std::vector<Function> functions = FunctionsOf(GetParam());
    std::erase_if(functions, [](const Function& f) { return f.entry == Entry::kRulebook; });
    return functions;
  }

  static void DropData(BadCall& call) {
    for (TensorArgument& tensor : call.tensors) tensor.data = nullptr;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, IndiceConvolutionEmpty, testing::ValuesIn(kWays), WayName);

TEST_P(IndiceConvolutionEmpty, ResultIsZero) {
  for (const Function& function : FunctionsOnPairs()) {
    for (const EmptyRow& row : kEmptyRows) {
      for (const bool with_inputs : {true, false}) {
        SCOPED_TRACE(NameOf(GetParam(), function) + ", " + row.name);
        BadCall call(GetParam());
        call.profile = function.profile;
        std::fill_n(call.num(), kOffsets, 0);
        call.tensors[kBias].described = call.tensors[kResidual].described = false;
        row.spoil(call);
        void* const target = call.target().data();
        if (!with_inputs) DropData(call);
        call.tensors[TargetOf(GetParam())].data = target;
        const Answer answer = call.Run(handle_, function.entry);
        EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
        EXPECT_EQ(answer.text, "");
        EXPECT_TRUE(call.SurroundingsIntact());
        if (function.entry == Entry::kSize) {
          EXPECT_EQ(call.size, 0u);
          EXPECT_TRUE(call.target().CanaryIntact());
          continue;
        }
        const std::vector<double> values = call.target().Values();
        const int64_t described = ElementsOf(call.Extents(TargetOf(GetParam())));
        for (size_t i = 0; i < values.size(); ++i) {
          const bool inside = static_cast<int64_t>(i) < described;
          ASSERT_TRUE(inside ? values[i] == 0 : values[i] != values[i]) << "element " << i << " is " << values[i];
        }
      }
    }
  }
}

TEST_P(IndiceConvolutionEmpty, NoDataIsNeeded) {
  for (const Function& function : FunctionsOnPairs()) {
    for (const EmptyRow& row : kEmptyRows) {
      SCOPED_TRACE(NameOf(GetParam(), function) + ", " + row.name);
      BadCall call(GetParam());
      call.profile = function.profile;
      std::fill_n(call.num(), kOffsets, 0);
      call.tensors[kBias].described = call.tensors[kResidual].described = false;
      row.spoil(call);
      DropData(call);
      call.workspace = nullptr;  // with a size: that is looked at later
      const Answer answer = call.Run(handle_, function.entry);
      EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
      EXPECT_TRUE(call.target().CanaryIntact());
    }
  }
}

// Indices of a convolution without channels are not looked at; backward filter does not even look at the numbers.
TEST_P(IndiceConvolutionEmpty, LaterFaultsAreNotNoticed) {
  for (const Function& function : FunctionsOnPairs()) {
    BadCall call(GetParam());
    call.profile = function.profile;
    call.ci = 0;
    for (int64_t k = 0; k < kOffsets; ++k) {
      for (int64_t column = 0; column < kSites; ++column) call.Pair(k, 0, column) = call.Pair(k, 1, column) = -1;
    }
    call.workspace = call.target().data();
    EXPECT_EQ(call.Run(handle_, function.entry).status, MLUOP_STATUS_SUCCESS);
    if (GetParam() != Way::kBackwardFilter) continue;
    call.num()[3] = -1;
    call.num()[5] = INT64_MAX;
    EXPECT_EQ(call.Run(handle_, function.entry).status, MLUOP_STATUS_SUCCESS);
  }
}

TEST_P(IndiceConvolutionEmpty, EarlierFaultsAreRefused) {
  const Way way = GetParam();
  struct Row {
    const char* said;
    Spoil spoil;
  };
  const Row rows[] = {{"indice_num is NULL", [](BadCall& c) { c.with_num = false; }},
                      {"indice_pairs has type", [](BadCall& c) { c.tensors[kPairs].type = MLUOP_DTYPE_INT64; }},
                      {"has type", [&](BadCall& c) { c.tensors[TargetOf(way)].type = MLUOP_DTYPE_INT8; }},
                      {"inverse is 3", [](BadCall& c) { c.inverse = 3; }},
                      {"indice_pairs has rank", [](BadCall& c) { c.tensors[kPairs].surplus_rank = 1; }},
                      {"|", [](BadCall& c) { c.tensors[kFilters].surplus[0] = 1; }},
                      {"indice_pairs", [](BadCall& c) { c.tensors[kPairs].surplus[1] = 1; }}};
  for (const Function& function : FunctionsOnPairs()) {
    for (const Row& row : rows) {
      for (const bool no_sites : {true, false}) {
        SCOPED_TRACE(NameOf(way, function) + ", " + row.said);
        BadCall call(way);
        call.profile = function.profile;
        std::fill_n(call.num(), kOffsets, 0);
        (no_sites ? call.sites : call.ci) = 0;
        row.spoil(call);
        Refuse(call, function.entry, kBad, row.said);
      }
    }
    // Numbers of pairs are arguments like others, except where they are looked at last.
    if (way == Way::kBackwardFilter) continue;
    for (const int64_t number : {-1, 1}) {
      BadCall call(way);
      call.profile = function.profile;
      std::fill_n(call.num(), kOffsets, 0);
      call.sites = 0;
      call.num()[7] = number;
      Refuse(call, function.entry, kBad, "indice_num[7] is " + std::to_string(number));
    }
  }
}

// ---- the fused call ----

TEST(IndiceConvolutionEmptyFused, ResultIsWhatBecomesOfZero) {
  Handle handle;
  for (const EmptyRow& row : kEmptyRows) {
    for (const bool bias : {true, false}) {
      for (const bool residual : {true, false}) {
        for (const detopsActivation_t activation :
             {DETOPS_ACTIVATION_NONE, DETOPS_ACTIVATION_RELU, DETOPS_ACTIVATION_LEAKY_RELU}) {
          SCOPED_TRACE(testing::Message()
                       << row.name << ", bias " << bias << ", residual " << residual << ", activation " << activation);
          BadCall call(Way::kForward);
          call.profile = DETOPS_PROFILE_FULL;
          std::fill_n(call.num(), kOffsets, 0);
          call.tensors[kBias].described = bias;
          call.tensors[kResidual].described = residual;
          call.activation = activation;
          for (const Role role : {kIn, kFilters, kPairs}) call.tensors[role].data = nullptr;
          row.spoil(call);
          const Answer answer = call.Run(handle, Entry::kFused);
          ASSERT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
          const int64_t described = ElementsOf(call.Extents(kOut));
          for (int64_t i = 0; i < described; ++i) {
            const double sum =
                (bias ? call.memory[kBias]->Get(i % kCo) : 0) + (residual ? call.memory[kResidual]->Get(i) : 0);
            const double expected = detops_reference::Activate(activation, 0.25, sum);
            ASSERT_EQ(call.target().Get(i), expected) << "element " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
