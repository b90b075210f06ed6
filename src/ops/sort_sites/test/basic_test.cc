// sort_sites on numbers worked out by hand: the reference can share a misreading with the library, these cannot.
#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::Call;

void ExpectNumbers(const Call& done, const char* tensor, const std::vector<double>& numbers) {
  EXPECT_EQ(done[tensor].Values(), numbers) << tensor;
}

// Batches before coordinates, signs as they are, equal sites in their order.
TEST(SortSites, ByHand) {
  Call call = CallOf("detopsSortSites", "sites=5,columns=3", MLUOP_DTYPE_INT32);
  const double sites[] = {1, 0, 7, 0, 5, -2, 1, 0, 7, 0, 5, -3, -1, 9, 9};
  for (int64_t i = 0; i < 15; ++i) call["indices"].Set(i, sites[i]);
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    ExpectNumbers(done, "order", {4, 3, 1, 0, 2});
    ExpectNumbers(done, "out_indices", {-1, 9, 9, 0, 5, -3, 0, 5, -2, 1, 0, 7, 1, 0, 7});
  });
}

// Numbers from the least to the largest int32 need more bits than a word has.
TEST(SortSites, AnyNumbers) {
  Call call = CallOf("detopsSortSites", "sites=4,columns=5", MLUOP_DTYPE_INT32);
  const double most = 2147483647, least = -2147483648.0;
  const double sites[] = {most,  most, most,  most, most,  least, most, least, most, most,
                          least, most, least, most, least, 0,     0,    0,     0,    0};
  for (int64_t i = 0; i < 20; ++i) call["indices"].Set(i, sites[i]);
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) { ExpectNumbers(done, "order", {2, 1, 3, 0}); });
}

TEST(GatherRows, ByHand) {
  Call call = CallOf("detopsGatherRows", "rows=3,taken=4,channels=2");
  const double rows[] = {1, 2, 3, 4, 5, 6}, order[] = {2, 0, 2, 1};
  for (int64_t i = 0; i < 6; ++i) call["input"].Set(i, rows[i]);
  for (int64_t i = 0; i < 4; ++i) call["order"].Set(i, order[i]);
  ExpectAgreementEverywhere(call, {},
                            [&](const Call& done) { ExpectNumbers(done, "output", {5, 6, 1, 2, 5, 6, 3, 4}); });
}

}  // namespace
}  // namespace detops_test
