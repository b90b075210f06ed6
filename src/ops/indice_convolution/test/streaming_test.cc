// Results that are written past the caches: many rows of whole cache lines. A tensor that does not begin with a line
// gets its rows in the usual way, and must get the same ones.
#include <cstdint>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

constexpr int64_t kStreamedBytes = 8 << 20;

class IndiceConvolutionStreaming : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionStreaming, testing::ValuesIn(kTypes), TypeName);

TEST_P(IndiceConvolutionStreaming, SameRowsWhereverTheyBegin) {
  constexpr int64_t kRowBytes = 256;
  constexpr int64_t kRows = kStreamedBytes / kRowBytes + 1;  // the last tile is not whole
  const auto element = static_cast<int64_t>(ElementSize(GetParam()));
  const Epilogue epilogue = {.bias = true, .residual = true, .activation = DETOPS_ACTIVATION_RELU};
  Shape shape = {.in_rows = kRows, .out_rows = kRows, .ci = 2, .co = kRowBytes / element, .kernel = {3, 1, 1}};
  const Problem lines(GetParam(), shape, ListKind::kSubmanifold);
  shape.misalignment = static_cast<size_t>(element);
  const Problem beside(GetParam(), shape, ListKind::kSubmanifold);
  const Sums expected = lines.Expected(Way::kForward, epilogue);
  Tensor in_lines = lines.NewResult(Way::kForward), elsewhere = beside.NewResult(Way::kForward);
  ASSERT_EQ(reinterpret_cast<uintptr_t>(in_lines.data()) % 64, 0u);
  ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
    for (const int threads : {1, 3}) {
      handle.SetThreads(threads);
      in_lines.FillCanary();
      elsewhere.FillCanary();
      ASSERT_EQ(lines.RunFused(handle, epilogue, in_lines), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(beside.RunFused(handle, epilogue, elsewhere), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(in_lines.SameBytes(elsewhere));
      ASSERT_TRUE(in_lines.SurroundingsIntact() && elsewhere.SurroundingsIntact());
    }
    ASSERT_EQ(Complaint(in_lines, expected, epilogue), "");
  });
}

}  // namespace
}  // namespace detops_test
