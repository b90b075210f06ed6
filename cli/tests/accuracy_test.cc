// The formulas of the accuracy standard against numbers worked out by hand.
#include "judge/accuracy.h"

#include <cfloat>
#include <cmath>
#include <limits>

#include "cases/operator.h"
#include "gtest/gtest.h"

namespace detops_cli {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

CriterionResult JudgeOne(Formula formula, double threshold, const Values& evaluated, const Values& baseline,
                         mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
  const HostTensor output = {.name = "output", .type = type, .extents = {static_cast<int64_t>(baseline.size())}};
  return JudgeOutput(output, evaluated, baseline, {{formula, threshold}}).criteria.at(0);
}

double Error(Formula formula, const Values& evaluated, const Values& baseline,
             mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
  return JudgeOne(formula, 1, evaluated, baseline, type).error;
}

TEST(JudgeOutputTest, Diff1) {
  // |1 - 2| + |-3 - -4| + 0 over 2 + 4 + 10
  EXPECT_NEAR(Error(Formula::kDiff1, {1, -3, 10}, {2, -4, 10}), 2.0 / 16, 1e-9);
  EXPECT_NEAR(Error(Formula::kDiff1, {1e-9}, {0}), 1, 1e-12);  // the addend 1e-9 keeps it finite
}

TEST(JudgeOutputTest, Diff2) {
  // sqrt((9 + 16) / (0 + 100))
  EXPECT_NEAR(Error(Formula::kDiff2, {3, 14}, {0, 10}), 0.5, 1e-9);
  EXPECT_NEAR(Error(Formula::kDiff2, {1}, {0}), std::sqrt(1e9), 1e-3);  // here it stands inside the root
}

TEST(JudgeOutputTest, Diff3) {
  EXPECT_NEAR(Error(Formula::kDiff3, {4.5, 98}, {4, 100}), 0.5 / 4, 1e-9);
  // Beside zero the error is absolute, and where that begins depends on the type.
  EXPECT_NEAR(Error(Formula::kDiff3, {5e-5 + 1e-6}, {5e-5}, MLUOP_DTYPE_HALF), 1e-6, 1e-12);
  EXPECT_NEAR(Error(Formula::kDiff3, {5e-5 + 1e-6}, {5e-5}, MLUOP_DTYPE_FLOAT), 1e-6 / (5e-5 + 1e-9), 1e-9);
  EXPECT_NEAR(Error(Formula::kDiff3, {5e-7 + 1e-8}, {5e-7}, MLUOP_DTYPE_FLOAT), 1e-8, 1e-14);
  EXPECT_NEAR(Error(Formula::kDiff3, {5e-7 + 1e-8}, {5e-7}, MLUOP_DTYPE_DOUBLE), 1e-8 / (5e-7 + 1e-9), 1e-9);
}

TEST(JudgeOutputTest, Diff3OfIntegersIsExact) {
  EXPECT_TRUE(JudgeOne(Formula::kDiff3, 0, {1, -1, 70000}, {1, -1, 70000}, MLUOP_DTYPE_INT32).pass);
  EXPECT_FALSE(JudgeOne(Formula::kDiff3, 0, {1, -1, 70001}, {1, -1, 70000}, MLUOP_DTYPE_INT32).pass);
  EXPECT_FALSE(JudgeOne(Formula::kDiff3, 0, {1}, {0}, MLUOP_DTYPE_INT32).pass);
}

TEST(JudgeOutputTest, Diff3_2) { EXPECT_EQ(Error(Formula::kDiff3_2, {4.5, 98}, {4, 100}), 2); }

// Distinct pairs e != b: `below` with e < b, the others with e > b, each `times` times.
void MakePairs(int count, int below, int times, Values* evaluated, Values* baseline) {
  for (int i = 0; i < count * times; ++i) {
    const int pair = i % count;
    baseline->push_back(pair);
    evaluated->push_back(pair + (pair < below ? -0.25 : 0.25));
  }
}

TEST(JudgeOutputTest, Diff4) {
  Values e, b;
  MakePairs(100, 40, 1, &e, &b);
  EXPECT_NEAR(Error(Formula::kDiff4, e, b), 0.4, 1e-12);
  EXPECT_TRUE(JudgeOne(Formula::kDiff4, 0, e, b).pass);
}

TEST(JudgeOutputTest, Diff4FailsOnlyWhenAllErrorsHaveOneSign) {
  for (const int below : {0, 1, 99, 100}) {
    Values e, b;
    MakePairs(100, below, 1, &e, &b);
    const CriterionResult result = JudgeOne(Formula::kDiff4, 0, e, b);
    EXPECT_NEAR(result.error, below / 100.0, 1e-12);
    EXPECT_EQ(result.pass, below == 1 || below == 99) << below;
    EXPECT_TRUE(JudgeOne(Formula::kDiff4, -1, e, b).pass);  // switched off
  }
}

TEST(JudgeOutputTest, Diff4CountsDistinctPairs) {
  Values e, b;
  MakePairs(99, 99, 5, &e, &b);
  const CriterionResult result = JudgeOne(Formula::kDiff4, 0, e, b);
  EXPECT_EQ(result.error, -1);
  EXPECT_TRUE(result.pass);
}

TEST(JudgeOutputTest, DiffKl) {
  // Symmetric: (KL(e, b) + KL(b, e)) / 2 of |e| = 2, |b| = 1 is log(2) / 2 for each element.
  const Values e(1000, -2), b(1000, 1);
  EXPECT_NEAR(Error(Formula::kDiffKl, e, b), 1000 * std::log(2) / 2, 1e-9);
  EXPECT_EQ(Error(Formula::kDiffKl, b, b), 0);
  // Zeros count as 1e-10.
  EXPECT_NEAR(Error(Formula::kDiffKl, Values(1000, 0), b), 1000 * (1 - 1e-10) * std::log(1e10) / 2, 1e-6);
}

TEST(JudgeOutputTest, DiffKlIsIgnoredBelow1000) {
  const CriterionResult result = JudgeOne(Formula::kDiffKl, 0, Values(999, 2), Values(999, 1));
  EXPECT_EQ(result.error, -1);
  EXPECT_TRUE(result.pass);
}

constexpr Formula kErrors[] = {Formula::kDiff1, Formula::kDiff2, Formula::kDiff3, Formula::kDiff3_2};

TEST(JudgeOutputTest, ThresholdsAreInclusive) {
  EXPECT_TRUE(JudgeOne(Formula::kDiff3_2, 0.5, {1.5}, {1}).pass);
  EXPECT_FALSE(JudgeOne(Formula::kDiff3_2, 0.49, {1.5}, {1}).pass);
  for (const Formula formula : kErrors) EXPECT_TRUE(JudgeOne(formula, 0, {1, 2, 3}, {1, 2, 3}).pass);
}

TEST(JudgeOutputTest, NanAndInfinityMustMatch) {
  const Values baseline = {1, kNaN, kInfinity, -kInfinity, 2};
  const std::vector<Values> wrong = {
      {1, 0, kInfinity, -kInfinity, 2},       {1, kInfinity, kInfinity, -kInfinity, 2},
      {1, kNaN, -kInfinity, -kInfinity, 2},   {1, kNaN, kInfinity, 1e300, 2},
      {kNaN, kNaN, kInfinity, -kInfinity, 2}, {1, kNaN, kInfinity, -kInfinity, kInfinity}};
  for (const Formula formula : kErrors) {
    EXPECT_EQ(JudgeOne(formula, 0, baseline, baseline).error, 0);
    EXPECT_TRUE(JudgeOne(formula, 0, baseline, baseline).pass);
    for (const Values& evaluated : wrong) {
      const CriterionResult result = JudgeOne(formula, 1e300, evaluated, baseline);
      EXPECT_FALSE(result.pass) << FormulaName(formula);
      EXPECT_EQ(result.error, DBL_MAX) << FormulaName(formula);
    }
  }
}

TEST(JudgeOutputTest, NanAndInfinityMustMatchForDiff4AndKlToo) {
  Values e, b;
  MakePairs(1000, 500, 1, &e, &b);
  b[7] = kNaN;
  EXPECT_FALSE(JudgeOne(Formula::kDiff4, 0, e, b).pass);
  EXPECT_FALSE(JudgeOne(Formula::kDiffKl, 1e300, e, b).pass);
  e[7] = kNaN;
  EXPECT_TRUE(JudgeOne(Formula::kDiff4, 0, e, b).pass);
  EXPECT_TRUE(JudgeOne(Formula::kDiffKl, 1e300, e, b).pass);
}

// Finite elements are compared, whatever stands next to them.
TEST(JudgeOutputTest, FiniteElementsBesideNanAreCompared) {
  for (const Formula formula : kErrors) {
    EXPECT_FALSE(JudgeOne(formula, 1e-3, {kNaN, kInfinity, 2}, {kNaN, kInfinity, 1}).pass) << FormulaName(formula);
  }
  EXPECT_NEAR(Error(Formula::kDiff1, {kNaN, 2}, {kNaN, 1}), 1, 1e-8);
}

TEST(JudgeOutputTest, OtherLengthsFail) {
  for (const Formula formula : kErrors) EXPECT_FALSE(JudgeOne(formula, 1e300, {1, 2}, {1, 2, 3}).pass);
}

TEST(JudgeOutputTest, TellsOfEveryCriterion) {
  const HostTensor output = {.name = "grad", .type = MLUOP_DTYPE_HALF, .extents = {2, 1}};
  const OutputResult result = JudgeOutput(output, {1, 2}, {1, 2.5}, {{Formula::kDiff1, 0.5}, {Formula::kDiff2, 0.1}});
  EXPECT_EQ(result.name, "grad");
  EXPECT_EQ(result.type, "half");
  EXPECT_EQ(result.elements, 2);
  ASSERT_EQ(result.criteria.size(), 2u);
  EXPECT_EQ(result.criteria[0].formula, "diff1");
  EXPECT_EQ(result.criteria[0].threshold, 0.5);
  EXPECT_TRUE(result.criteria[0].pass);
  EXPECT_EQ(result.criteria[1].formula, "diff2");
  EXPECT_FALSE(result.criteria[1].pass);
  const std::string why = WhyWrong(result, {1, 2}, {1, 2.5});
  for (const char* const part : {"grad", "diff2", "allowed 0.1", "element 1 is 2", "expected 2.5"}) {
    EXPECT_NE(why.find(part), std::string::npos) << why;
  }
  EXPECT_TRUE(JudgeOutput(output, {1, 2}, {1, 9}, {}).criteria.empty());
}

TEST(PromisedCriteriaTest, BarsOfTheTypes) {
  struct Bar {
    mluOpDataType_t type;
    double plain, convolution;
  };
  for (const Bar& bar : {Bar{MLUOP_DTYPE_FLOAT, 1e-5, 1e-5}, Bar{MLUOP_DTYPE_HALF, 1e-3, 3e-3},
                         Bar{MLUOP_DTYPE_DOUBLE, 1e-12, 1e-12}, Bar{MLUOP_DTYPE_BFLOAT16, 4e-3, 4e-3}}) {
    for (const bool convolution : {false, true}) {
      const std::vector<Criterion> criteria =
          PromisedCriteria(*FindOperator(convolution ? "indice_convolution_forward" : "psroipool_forward"), bar.type);
      ASSERT_EQ(criteria.size(), 3u);
      EXPECT_EQ(criteria[0].formula, Formula::kDiff1);
      EXPECT_EQ(criteria[1].formula, Formula::kDiff2);
      EXPECT_EQ(criteria[2].formula, Formula::kDiff4);
      EXPECT_EQ(criteria[0].threshold, convolution ? bar.convolution : bar.plain);
      EXPECT_EQ(criteria[1].threshold, convolution ? bar.convolution : bar.plain);
      EXPECT_GE(criteria[2].threshold, 0);
    }
  }
  const std::vector<Criterion> integers = PromisedCriteria(*FindOperator("get_indice_pairs"), MLUOP_DTYPE_INT32);
  ASSERT_EQ(integers.size(), 1u);
  EXPECT_EQ(integers[0].formula, Formula::kDiff3);
  EXPECT_EQ(integers[0].threshold, 0);
}

}  // namespace
}  // namespace detops_cli
