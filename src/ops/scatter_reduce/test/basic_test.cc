// scatter_reduce by hand.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Row = std::vector<double>;

class ScatterReduce : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, ScatterReduce, testing::ValuesIn(kTypes), TypeName);

Call Of(const Row& src, const Row& index, int64_t groups, const std::string& reduce, mluOpDataType_t type,
        const std::string& integer = "int32") {
  Call call = CallOf("detopsScatterReduceForward",
                     "columns=1,rows=" + std::to_string(src.size()) + ",groups=" + std::to_string(groups) +
                         ",reduce=" + reduce + ",index=" + integer,
                     type);
  Assign(call, "src", src);
  Assign(call, "index", index);
  return call;
}

// S1: of equal numbers the first; a group without rows is 0, and nobody's.
TEST_P(ScatterReduce, ThreeGroups) {
  for (const char* integer : {"int32", "int64"}) {
    ExpectNumbersEverywhere(Of({3, 1, 3, 2}, {0, 0, 0, 2}, 3, "max", GetParam(), integer),
                            {{"out", {3, 0, 2}}, {"count", {3, 0, 1}}, {"argmax", {0, 4, 3}}});
    ExpectNumbersEverywhere(Of({3, 1, 5, 2}, {0, 0, 0, 2}, 3, "mean", GetParam(), integer),
                            {{"out", {3, 0, 2}}, {"count", {3, 0, 1}}, {"argmax", {4, 4, 4}}});
    ExpectNumbersEverywhere(Of({3, 1, 3, 2}, {0, 0, 0, 2}, 3, "sum", GetParam(), integer),
                            {{"out", {7, 0, 2}}, {"count", {3, 0, 1}}, {"argmax", {4, 4, 4}}});
  }
}

// Neither NaN nor -inf is a maximum; a sum has both. Rows of -1 count nowhere.
TEST_P(ScatterReduce, SpecialNumbers) {
  ExpectNumbersEverywhere(Of({kNan, -kInf, kNan, -2, 9}, {0, 0, 1, 1, -1}, 2, "max", GetParam()),
                          {{"out", {0, -2}}, {"count", {2, 2}}, {"argmax", {5, 3}}});
  ExpectNumbersEverywhere(Of({kInf, 1, 1, -2, 9}, {0, 0, 1, 1, -1}, 2, "sum", GetParam()),
                          {{"out", {kInf, -1}}, {"count", {2, 2}}, {"argmax", {5, 5}}});
}

// Numbers that no double holds.
TEST(ScatterReduceRefusals, LargeIndexIsNamedAsItIs) {
  for (const int64_t index : {(int64_t{1} << 53) + 1, INT64_MAX, INT64_MIN}) {
    Call call = Of({3, 1, 3}, {0, 0, 0}, 3, "sum", MLUOP_DTYPE_FLOAT, "int64");
    std::memcpy(call["index"].contents.data() + sizeof(index), &index, sizeof(index));
    detops_harness::PlacedCall placed(call);
    const Handle handle(DETOPS_PROFILE_FULL);
    EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(detopsGetLastError(handle.get()), "detopsScatterReduceForward: index[1] is " + std::to_string(index) +
                                                    ", expected -1 or the number of a group.");
  }
}

// Each row has the gradient of its group, one without a group 0.
Call Back(const std::string& reduce, mluOpDataType_t type) {
  Call call = CallOf("detopsScatterReduceBackward", "columns=2,rows=4,groups=3,reduce=" + reduce, type);
  Assign(call, "grad_out", {1, 2, 3, 4, 5, 6});
  Assign(call, "index", {0, -1, 0, 2});
  Assign(call, "count", {2, 0, 1});
  Assign(call, "argmax", {2, 0, 4, 4, 3, 4});
  return call;
}

TEST_P(ScatterReduce, Gradients) {
  ExpectNumbersEverywhere(Back("sum", GetParam()), {{"grad_src", {1, 2, 0, 0, 1, 2, 5, 6}}});
  ExpectNumbersEverywhere(Back("mean", GetParam()), {{"grad_src", {0.5, 1, 0, 0, 0.5, 1, 5, 6}}});
  ExpectNumbersEverywhere(Back("max", GetParam()), {{"grad_src", {0, 2, 0, 0, 1, 0, 5, 0}}});
}

// A count of 0 divides as 1 would.
TEST_P(ScatterReduce, CountsBelowOne) {
  Call call = Back("mean", GetParam());
  Assign(call, "count", {0, 0, -3});
  ExpectNumbersEverywhere(call, {{"grad_src", {1, 2, 0, 0, 1, 2, 5, 6}}});
}

// With value checks off an index that is none of a group's counts nowhere, and nothing outside is touched.
TEST_P(ScatterReduce, UncheckedIndices) {
  Call call = Of({3, 1, 5, 2}, {-9, 1, 3, 2147483647}, 3, "sum", GetParam());
  call.value_checks = false;
  ExpectNumbersEverywhere(call, {{"out", {0, 1, 0}}, {"count", {0, 1, 0}}});
  Call back = Back("max", GetParam());
  back.value_checks = false;
  Assign(back, "index", {0, 77, -5, 2});
  Assign(back, "argmax", {-4, 0, 4, 4, 3, 99});
  ExpectNumbersEverywhere(back, {{"grad_src", {0, 2, 0, 0, 0, 0, 5, 0}}});
}

}  // namespace
}  // namespace detops_test
