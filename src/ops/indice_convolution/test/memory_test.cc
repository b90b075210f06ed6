// indice_convolution and memory: no byte outside the tensors is touched, any alignment works, inputs and a workspace
// stay as they were, tensors without elements are served.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ops/indice_convolution/test/problem.h"
#include "support/guarded_buffer.h"

namespace detops_test {
namespace {

class IndiceConvolutionMemory : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  static constexpr Placement kPlacements[] = {Placement::kAgainstEnd, Placement::kAgainstFront};

  static std::vector<const Tensor*> Inputs(const Problem& problem) {
    return {&problem.features, &problem.filters, &problem.output_grad, &problem.indice_pairs};
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionMemory, testing::ValuesIn(kTypes), TypeName);

// The tensors of a problem lie flush against a page that may not be touched, first at their end, then at their front;
// or 1 to 4 bytes beside it, which misaligns them and leaves the distance to be checked byte for byte. Channel counts
// leave every remainder; the first and the last row are used.
TEST_P(IndiceConvolutionMemory, StaysInsideAtAnyAlignment) {
  uint64_t turn = 0;
  for (const Placement placement : kPlacements) {
    for (const size_t misalignment : {0u, 1u, 2u, 4u}) {
      for (const int64_t channels : {1, 2, 3, 5, 8, 13, 16, 31, 33}) {
        SCOPED_TRACE(testing::Message() << (placement == Placement::kAgainstEnd ? "end" : "front") << ", "
                                        << misalignment << " bytes away");
        const Shape shape = {.in_rows = 9,
                             .out_rows = 9,
                             .ci = channels,
                             .co = 34 - channels,
                             .kernel = {3, 1, 1},
                             .form = kFilterForms[++turn % std::size(kFilterForms)],
                             .inverse = turn % 2 == 0,
                             .placement = placement,
                             .misalignment = misalignment};
        const Problem problem(GetParam(), shape, ListKind::kSubmanifold, turn);
        ExpectAgreementAllWays(problem);
        for (const Tensor* tensor : Inputs(problem)) EXPECT_TRUE(tensor->SurroundingsIntact());
      }
    }
  }
}

// One tensor aligned, another not: a kernel that peels to align its output must not align its input too.
TEST_P(IndiceConvolutionMemory, AlignmentsMayDiffer) {
  Shape shape = {.in_rows = 31, .out_rows = 29, .ci = 17, .co = 33, .kernel = {1, 3, 1}};
  const Problem even(GetParam(), shape, ListKind::kCrossed, 61);
  shape.placement = Placement::kAgainstFront;
  shape.misalignment = 1;
  const Problem odd(GetParam(), shape, ListKind::kCrossed, 61);
  for (const Way way : kWays) {
    ForEachConfiguration(even.Profile(way), [&](const Handle& handle) {
      Tensor expected = even.NewResult(way), of_even = odd.NewResult(way), of_odd = even.NewResult(way);
      ASSERT_EQ(even.Run(handle, way, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(even.Run(handle, way, of_even), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(odd.Run(handle, way, of_odd), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(of_even.SameBytes(expected));
      ASSERT_TRUE(of_odd.SameBytes(expected));
    });
  }
}

TEST_P(IndiceConvolutionMemory, InputsStayAsTheyWere) {
  const Shape shape = {.in_rows = 70, .out_rows = 64, .ci = 16, .co = 9, .kernel = {3, 3, 1}};
  const Problem problem(GetParam(), shape, ListKind::kRandom, 62), same(GetParam(), shape, ListKind::kRandom, 62);
  for (const Way way : kWays) {
    ForEachConfiguration(problem.Profile(way), [&](const Handle& handle) {
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      for (size_t i = 0; i < Inputs(problem).size(); ++i) {
        ASSERT_TRUE(Inputs(problem)[i]->SameBytes(*Inputs(same)[i])) << "tensor " << i;
      }
      ASSERT_EQ(problem.pairs().counts, same.pairs().counts);
    });
  }
}

// ---- workspace ----

mluOpStatus_t WorkspaceSize(const Handle& handle, const Problem& problem, Way way, const Tensor& result, size_t* size) {
  const int64_t inverse = problem.shape().inverse ? 1 : 0, sub_m = problem.shape().sub_m;
  if (way == Way::kForward) {
    return mluOpGetIndiceConvolutionForwardWorkspaceSize(handle.get(), problem.features.desc(), problem.filters.desc(),
                                                         problem.indice_pairs.desc(), result.desc(), problem.counts(),
                                                         problem.shape().target_rows(), inverse, sub_m, size);
  }
  if (way == Way::kBackwardData) {
    return mluOpGetIndiceConvolutionBackwardDataWorkspaceSize(handle.get(), problem.output_grad.desc(),
                                                              problem.filters.desc(), problem.indice_pairs.desc(),
                                                              result.desc(), problem.counts(), inverse, size);
  }
  return mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(handle.get(), problem.features.desc(),
                                                              problem.output_grad.desc(), problem.indice_pairs.desc(),
                                                              result.desc(), problem.counts(), inverse, sub_m, size);
}

// None is needed; one that is passed all the same, of any size, is not touched and changes no bit.
TEST_P(IndiceConvolutionMemory, WorkspaceIsNotTouched) {
  for (const bool inverse : {false, true}) {
    const Problem problem(
        GetParam(), {.in_rows = 400, .out_rows = 390, .ci = 24, .co = 16, .kernel = {3, 1, 1}, .inverse = inverse},
        ListKind::kShuffled, 63);
    for (const Way way : kWays) {
      SCOPED_TRACE(NameOf(way));
      ForEachConfiguration(problem.Profile(way), [&](const Handle& handle) {
        Tensor expected = problem.NewResult(way), result = problem.NewResult(way);
        size_t size = 1;
        ASSERT_EQ(WorkspaceSize(handle, problem, way, expected, &size), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(size, 0u);
        ASSERT_EQ(problem.Run(handle, way, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
        for (const size_t bytes : {size_t{1}, size_t{1} << 20}) {
          const GuardedBuffer workspace(bytes, Placement::kAgainstEnd, 1);
          auto* begin = static_cast<unsigned char*>(workspace.data());
          std::fill(begin, begin + bytes, 0x5C);
          ASSERT_EQ(problem.Run(handle, way, result, begin, bytes), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_TRUE(result.SameBytes(expected));
          ASSERT_TRUE(std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0x5C; }));
          ASSERT_TRUE(workspace.SlackIntact());
        }
        // A pointer without a size is no workspace.
        ASSERT_EQ(problem.Run(handle, way, result, expected.data(), 0), MLUOP_STATUS_SUCCESS) << handle.LastError();
      });
    }
  }
}

// ---- columns that do not count ----

// Whatever stands behind indice_num[k]: indices of rows, or of no row.
TEST_P(IndiceConvolutionMemory, ColumnsThatDoNotCountHaveNoEffect) {
  const Shape shape = {.in_rows = 50, .out_rows = 55, .ci = 5, .co = 6, .kernel = {3, 1, 1}};
  Problem problem(GetParam(), shape, ListKind::kAscending, 64);
  for (const Way way : kWays) {
    Tensor expected = problem.NewResult(way);
    {
      const Handle handle(problem.Profile(way), 1);
      ASSERT_EQ(problem.Run(handle, way, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
    }
    for (const double garbage : {0.0, 3.0, -1.0, 2147483647.0}) {
      for (int64_t row = 0; row < 6; ++row) {
        for (int64_t column = problem.counts()[row / 2]; column < shape.in_rows; ++column) {
          problem.indice_pairs.Set(row * shape.in_rows + column, garbage);
        }
      }
      ForEachTarget(problem.Profile(way), [&](Handle& handle) {
        for (const bool checks : {true, false}) {
          handle.SetValueChecks(checks);
          Tensor result = problem.NewResult(way);
          ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_EQ(Complaint(result, problem.Expected(way)), "");
        }
      });
      const Handle handle(problem.Profile(way), 1);
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(result.SameBytes(expected));
    }
  }
}

// ---- no elements ----

// Wherever an input has no elements the sums are empty: what has elements becomes 0. NULL is fine for data that is not
// there, and for results that nobody wants.
TEST_P(IndiceConvolutionMemory, TensorsWithoutElements) {
  const Shape shapes[] = {{.in_rows = 0, .out_rows = 7, .ci = 3, .co = 4, .kernel = {3, 1, 1}},
                          {.in_rows = 7, .out_rows = 0, .ci = 3, .co = 4, .kernel = {3, 1, 1}},
                          {.in_rows = 0, .out_rows = 0, .ci = 3, .co = 4, .kernel = {3, 1, 1}},
                          {.in_rows = 7, .out_rows = 6, .ci = 0, .co = 4, .kernel = {3, 1, 1}},
                          {.in_rows = 7, .out_rows = 6, .ci = 3, .co = 0, .kernel = {3, 1, 1}},
                          {.in_rows = 7, .out_rows = 6, .ci = 3, .co = 4, .kernel = {1, 0, 1}}};
  for (const Shape& shape : shapes) {
    for (const FilterForm& form : kFilterForms) {
      Shape formed = shape;
      formed.form = form;
      const Problem problem(GetParam(), formed, NoPairs(shape.offsets(), shape.in_rows));
      for (const Way way : kWays) {
        SCOPED_TRACE(Describe(problem) + ", " + NameOf(way));
        ForEachTarget(problem.Profile(way), [&](const Handle& handle) {
          Tensor result = problem.NewResult(way);
          size_t size = 1;
          ASSERT_EQ(WorkspaceSize(handle, problem, way, result, &size), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_EQ(size, 0u);
          ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_EQ(result.Values(), std::vector<double>(static_cast<size_t>(result.elements())));
          ASSERT_TRUE(result.SurroundingsIntact());
        });
      }
    }
  }
}

TEST_P(IndiceConvolutionMemory, TensorsWithoutElementsMayBeNull) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  const Problem problem(GetParam(), {.in_rows = 0, .out_rows = 2, .ci = 3, .co = 4}, NoPairs(1, 0));
  const mluOpTensorDescriptor_t features = problem.features.desc(), filters = problem.filters.desc(),
                                pairs = problem.indice_pairs.desc(), grad = problem.output_grad.desc();
  Tensor output = problem.NewResult(Way::kForward), filters_grad = problem.NewResult(Way::kBackwardFilter);
  Tensor input_grad = problem.NewResult(Way::kBackwardData);
  for (const bool wanted : {false, true}) {
    EXPECT_EQ(mluOpIndiceConvolutionForward(handle.get(), features, nullptr, filters, nullptr, pairs, nullptr,
                                            problem.counts(), 2, 0, 0, nullptr, 0, output.desc(),
                                            wanted ? output.data() : nullptr),
              MLUOP_STATUS_SUCCESS)
        << handle.LastError();
    EXPECT_EQ(mluOpIndiceConvolutionBackwardData(handle.get(), grad, nullptr, filters, nullptr, pairs, nullptr,
                                                 problem.counts(), 0, 0, nullptr, 0, input_grad.desc(), nullptr),
              MLUOP_STATUS_SUCCESS)
        << handle.LastError();
    EXPECT_EQ(mluOpIndiceConvolutionBackwardFilter(handle.get(), features, nullptr, grad, nullptr, pairs, nullptr,
                                                   problem.counts(), 0, 0, nullptr, 0, filters_grad.desc(),
                                                   wanted ? filters_grad.data() : nullptr),
              MLUOP_STATUS_SUCCESS)
        << handle.LastError();
  }
  EXPECT_EQ(output.Values(), std::vector<double>(8));
  EXPECT_EQ(filters_grad.Values(), std::vector<double>(12));
}

}  // namespace
}  // namespace detops_test
