// Bugs of other libraries in sparse indices, put to get_indice_pairs.
#include <climits>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/get_indice_pairs/test/bad_call.h"
#include "reliability/peer_case.h"

namespace detops_test {
namespace {

void ExpectRefused(BadCall& call, mluOpStatus_t status, const std::string& text, Function function = Function::kPairs) {
  ExpectRefusedEverywhere(
      call,
      [function](BadCall& c, Handle& handle) {
        const Answer answer = c.Run(handle, function);
        return std::pair(answer.status, answer.text);
      },
      status, text);
  EXPECT_EQ(call.descriptor.NumActOut(), call.mark);
}

// One image of 4 x 4 x 4 sites, in which the third input site has the given place.
void ExpectSiteRefused(Mode mode, const Site& site, const std::string& text) {
  BadCall call(mode);
  call.conv().batch = 1;
  call.conv().input_space = {4, 4, 4};
  if (mode == Mode::kSubmanifold) call.conv().output_space = {4, 4, 4};
  call.indices_tensor.Fill(0);
  for (int64_t column = 0; column < 4; ++column) {
    call.indices_tensor.Set(2 * 4 + column, site[static_cast<size_t>(column)]);
  }
  ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, text);
}

TEST(PeerGetIndicePairs, MmcvSubmanifoldCoordinate9Of4) {
  ExpectSiteRefused(Mode::kSubmanifold, {0, 1, 9, 1}, "indices[2, 2] is 9");
}
TEST(PeerGetIndicePairs, MmcvSubmanifoldCoordinateMinusOne) {
  ExpectSiteRefused(Mode::kSubmanifold, {0, 1, 1, -1}, "indices[2, 3] is -1");
}
TEST(PeerGetIndicePairs, MmcvSubmanifoldBatchMinusOne) {
  ExpectSiteRefused(Mode::kSubmanifold, {-1, 1, 1, 1}, "indices[2, 0] is -1");
}
// There the write lands in the neighbouring block, unseen.
TEST(PeerGetIndicePairs, MmcvSubmanifoldBatchOneOfOne) {
  ExpectSiteRefused(Mode::kSubmanifold, {1, 1, 1, 1}, "indices[2, 0] is 1");
}
TEST(PeerGetIndicePairs, MmcvRegularBatchOneOfOne) {
  ExpectSiteRefused(Mode::kRegular, {1, 1, 1, 1}, "indices[2, 0] is 1");
}
TEST(PeerGetIndicePairs, MmcvRegularBatchMinusOne) {
  ExpectSiteRefused(Mode::kRegular, {-1, 1, 1, 1}, "indices[2, 0] is -1");
}
// The same store without a check in the code for graphics cards: every extreme, on both modes.
TEST(PeerGetIndicePairs, MmcvCudaTwinExtremes) {
  for (const Mode mode : kModes) {
    for (size_t column = 0; column < 4; ++column) {
      for (const int32_t number : {INT_MIN, -2, 4, INT_MAX}) {
        Site site = {0, 1, 1, 1};
        site[column] = number;
        ExpectSiteRefused(mode, site, "indices[2, " + std::to_string(column) + "] is " + std::to_string(number));
      }
    }
  }
}
// There x = W is the same key as (y + 1, x = 0).
TEST(PeerGetIndicePairs, SpconvCoordinateAtTheEndAliasesAnotherSite) {
  ExpectSiteRefused(Mode::kSubmanifold, {0, 1, 1, 4}, "indices[2, 3] is 4");
}
// All points out of range.
TEST(PeerGetIndicePairs, SpconvIssue406AllPointsOutOfRange) {
  BadCall call(Mode::kRegular);
  call.indices_tensor.Fill(1000);
  ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "indices[0, 0] is 1000");
}

// ---- keys of 32 bits, where the answer must be right ----

void ExpectRight(const SparseConvolution& convolution, const std::vector<Site>& sites) {
  const PairProblem problem = {.convolution = Completed(convolution), .sites = sites};
  const IndicePairs expected = problem.Expected();
  ConvolutionDescriptor desc;
  ForEachConfiguration(DETOPS_PROFILE_FULL,
                       [&](const Handle& handle) { ExpectPairs(handle, desc, problem, expected); });
}

// Sites whose numbers agree in the lower 32 bits: 2048 x 2048 x 1024 = 2^32.
TEST(PeerGetIndicePairs, SpconvKeysOf32Bits) {
  const std::vector<Site> sites = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {2, 0, 0, 0}, {2, 2047, 2047, 1023}};
  for (const bool submanifold : {false, true}) {
    ExpectRight({.batch = 3,
                 .input_space = {2048, 2048, 1024},
                 .filter_space = {3, 3, 3},
                 .pad = {1, 1, 1},
                 .submanifold = submanifold},
                sites);
  }
}
// batch x volume is 2^31 and a bit more; the sign of a 32-bit number changes between these sites.
TEST(PeerGetIndicePairs, SpconvIssue607SilentOverflow) {
  const std::vector<Site> sites = {{0, 0, 0, 0}, {0, 1023, 1023, 2047}, {0, 1024, 0, 0}, {0, 1024, 0, 1}};
  for (const bool submanifold : {false, true}) {
    ExpectRight({.batch = 1,
                 .input_space = {1025, 1024, 2048},
                 .filter_space = {3, 1, 3},
                 .pad = {1, 0, 1},
                 .submanifold = submanifold},
                sites);
  }
}

// ---- shapes and counts ----

TEST(PeerGetIndicePairs, Cve2020Nr15197RankOfIndices) {
  for (const int surplus : {-1, 1}) {
    BadCall call(Mode::kSubmanifold);
    call.indices.surplus_rank = surplus;
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "indices has rank");
  }
}
TEST(PeerGetIndicePairs, Cve2020Nr15198ShapeOfIndices) {
  for (const int64_t surplus : {-1, 1}) {
    BadCall call(Mode::kSubmanifold);
    call.indices.surplus[1] = surplus;
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "indices has extent " + std::to_string(4 + surplus) + " on axis 1");
  }
}
// Room for fewer results than there are.
TEST(PeerGetIndicePairs, Cve2021Nr29607RoomForTheSum) {
  BadCall call(Mode::kRegular);
  --call.rows;
  ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "out_indices has");
}
TEST(PeerGetIndicePairs, Cve2021Nr29609ShapesOfTwoSparseTensors) {
  BadCall call(Mode::kRegular);
  call.indice_pairs.surplus[2] = -1;
  ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "has extent");
}
// Counters for fewer values than the data have.
TEST(PeerGetIndicePairs, Cve2021Nr29514RoomForTheCounters) {
  for (const int64_t surplus : {-1, -5, 1}) {
    BadCall call(Mode::kRegular);
    call.indice_num.surplus[0] = surplus;
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "has extent");
  }
}
// A count that is cut to 32 bits becomes small, or negative.
TEST(PeerGetIndicePairs, Cve2020Nr15202CountsOf64Bits) {
  for (const int64_t sites : {int64_t{1} << 31, (int64_t{1} << 32) + 11}) {
    BadCall call(Mode::kSubmanifold);
    call.profile = DETOPS_PROFILE_FULL;
    call.sites = call.rows = sites;
    ExpectRefused(call, MLUOP_STATUS_NOT_SUPPORTED, "indices has");
  }
}
// Element 0 of a tensor without elements.
TEST(PeerGetIndicePairs, Cve2021Nr29569FirstElementOfNothing) {
  for (const bool submanifold : {false, true}) {
    ExpectRight(
        {.batch = 2, .input_space = {4, 5, 6}, .filter_space = {3, 3, 3}, .pad = {1, 1, 1}, .submanifold = submanifold},
        {});
  }
}

}  // namespace
}  // namespace detops_test
