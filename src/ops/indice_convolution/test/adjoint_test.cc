// indice_convolution: both backward passes are the gradients of forward, shown without any reference. Forward is linear
// in its features and in its filters, so each gradient is the adjoint of a linear map A: <A x, g> = <x, A' g>.
#include <cmath>
#include <cstdint>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

long double InnerProduct(const Tensor& a, const Tensor& b) {
  long double sum = 0;
  for (int64_t i = 0; i < a.elements(); ++i) sum += static_cast<long double>(a.Get(i)) * b.Get(i);
  return sum;
}

// All three products are the sum of x * w * g over pairs and channels, so they are the same number. Positive factors:
// nothing cancels, the error is relative.
void ExpectAdjoint(const Shape& shape, ListKind kind, uint64_t seed) {
  Problem problem(MLUOP_DTYPE_DOUBLE, shape, kind, seed);
  for (Tensor* tensor : {&problem.features, &problem.filters, &problem.output_grad}) {
    tensor->FillUniform(0, 1, ++seed);
  }
  SCOPED_TRACE(Describe(problem));
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Tensor output = problem.NewResult(Way::kForward), input_grad = problem.NewResult(Way::kBackwardData);
    Tensor filters_grad = problem.NewResult(Way::kBackwardFilter);
    ASSERT_EQ(problem.Run(handle, Way::kForward, output), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(problem.Run(handle, Way::kBackwardData, input_grad), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(problem.Run(handle, Way::kBackwardFilter, filters_grad), MLUOP_STATUS_SUCCESS) << handle.LastError();
    const long double forward = InnerProduct(output, problem.output_grad);
    ASSERT_GT(forward, 0) << "nothing was multiplied";
    const double data = static_cast<double>(std::fabs(InnerProduct(problem.features, input_grad) - forward) / forward);
    const double filter =
        static_cast<double>(std::fabs(InnerProduct(problem.filters, filters_grad) - forward) / forward);
    ASSERT_LE(data, 1e-12);
    ASSERT_LE(filter, 1e-12);
  });
}

TEST(IndiceConvolutionAdjoint, EveryKindOfList) {
  for (const ListKind kind : kListKinds) {
    for (const bool inverse : {false, true}) {
      SCOPED_TRACE(testing::Message() << "lists of kind " << static_cast<int>(kind));
      ExpectAdjoint({.in_rows = 203, .out_rows = 170, .ci = 19, .co = 24, .kernel = {3, 1, 3}, .inverse = inverse},
                    kind, 11);
    }
  }
}

TEST(IndiceConvolutionAdjoint, EveryLayout) {
  for (const FilterForm& form : kFilterForms) {
    ExpectAdjoint({.in_rows = 90, .out_rows = 101, .ci = 21, .co = 10, .kernel = {2, 3, 2}, .form = form},
                  ListKind::kCrossed, 12);
  }
}

TEST(IndiceConvolutionAdjoint, EveryNumberOfChannels) {
  constexpr int64_t kChannels[] = {1, 2, 3, 4, 5, 8, 9, 16, 31, 64, 100};
  for (const int64_t ci : kChannels) {
    for (const int64_t co : kChannels) {
      ExpectAdjoint({.in_rows = 33, .out_rows = 27, .ci = ci, .co = co, .kernel = {1, 1, 3}}, ListKind::kShuffled, 13);
    }
  }
}

}  // namespace
}  // namespace detops_test
