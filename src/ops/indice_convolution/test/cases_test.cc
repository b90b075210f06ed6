// The case table of the design document, section 3.7.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

struct DocumentCase {
  const char* name;
  int64_t in_rows, out_rows, ci, co;
  std::vector<int64_t> kernel;
  bool submanifold;
  int64_t scale;  // the test has this many times fewer rows: the reference is slow
};

// Case 3 of the table has indice_pairs [3, 2, 58838], which fits neither its 3 x 3 x 3 filter nor its 248,636 rows: a
// slip, it must be [27, 2, 248636].
const std::vector<DocumentCase>& DocumentCases() {
  static const std::vector<DocumentCase> cases = {{"case0", 58838, 45406, 128, 128, {3, 1, 1}, false, 128},
                                                  {"case1", 149100, 58838, 64, 128, {3, 3, 3}, false, 512},
                                                  {"case2", 58838, 58838, 128, 128, {3, 3, 3}, true, 512},
                                                  {"case3", 248636, 248636, 5, 16, {3, 3, 3}, true, 64}};
  return cases;
}

// "case1_float"
std::string CaseName(const testing::TestParamInfo<std::tuple<DocumentCase, mluOpDataType_t>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + ElementName(std::get<1>(info.param));
}

class IndiceConvolutionDocument : public testing::TestWithParam<std::tuple<DocumentCase, mluOpDataType_t>> {};

INSTANTIATE_TEST_SUITE_P(Shapes, IndiceConvolutionDocument,
                         testing::Combine(testing::ValuesIn(DocumentCases()),
                                          testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF)),
                         CaseName);

TEST_P(IndiceConvolutionDocument, AgreesWithReference) {
  const auto& [test, type] = GetParam();
  const Shape shape = {.in_rows = test.in_rows / test.scale,
                       .out_rows = test.out_rows / test.scale,
                       .ci = test.ci,
                       .co = test.co,
                       .kernel = test.kernel,
                       .sub_m = test.submanifold ? 1 : 0};
  const ListKind kind = test.submanifold ? ListKind::kSubmanifold : ListKind::kAscending;
  ExpectAgreementAllWays(Problem(type, shape, kind, 51));
}

// Every row and column of the tensors of case 3, as large as they are: 248,636 pairs at the middle offset, 2,000 at
// each other.
TEST(IndiceConvolutionDocument, CaseThreeAtFullSize) {
  constexpr int64_t kRows = 248636;
  ConvolutionPairs pairs = NoPairs(27, kRows);
  Random random(52);
  for (int64_t k = 0; k < 27; ++k) {
    const int64_t count = k == 13 ? kRows : 2000;
    SetList(pairs, k, random.Subset(kRows, count), random.Subset(kRows, count));
  }
  const Shape shape = {.in_rows = kRows, .out_rows = kRows, .ci = 5, .co = 16, .kernel = {3, 3, 3}, .sub_m = 1};
  const Problem problem(MLUOP_DTYPE_FLOAT, shape, pairs, 52);
  const Handle handle(DETOPS_PROFILE_CONTRACT, 2);
  for (const Way way : kWays) {
    SCOPED_TRACE(NameOf(way));
    Tensor result = problem.NewResult(way);
    ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(Complaint(result, problem.Expected(way)), "");
  }
}

// The table's own line is refused, before any data is looked at.
TEST(IndiceConvolutionDocument, CaseThreeAsPrintedIsRefused) {
  const Descriptor output_grad(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {248636, 16});
  const Descriptor filters(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {3, 3, 3, 5, 16});
  const Descriptor pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {3, 2, 58838});
  const Descriptor input_grad(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {248636, 5});
  const std::vector<int64_t> counts(27, 100);
  for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    const Handle handle(profile, 1);
    EXPECT_EQ(mluOpIndiceConvolutionBackwardData(handle.get(), output_grad.get(), nullptr, filters.get(), nullptr,
                                                 pairs.get(), nullptr, counts.data(), 0, 0, nullptr, 0,
                                                 input_grad.get(), nullptr),
              MLUOP_STATUS_BAD_PARAM);
    EXPECT_NE(std::string(handle.LastError()).find("indice_pairs"), std::string::npos) << handle.LastError();
  }
}

}  // namespace
}  // namespace detops_test
