// Bugs of other libraries in sparse indices, put to get_indice_pairs.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::Call;

using Sites = std::vector<std::vector<int64_t>>;

constexpr char kPairs[] = "mluOpGetIndicePairs";

Call Int32CallOf(const std::string& shape) { return CallOf(kPairs, shape, MLUOP_DTYPE_INT32); }

// A call on sites of our own.
Call WithSites(const std::string& shape, const Sites& sites) {
  Call call = Int32CallOf("sites=" + std::to_string(sites.size()) + "," + shape);
  for (size_t i = 0; i < sites.size(); ++i) {
    for (size_t column = 0; column < 4; ++column) {
      call["indices"].Set(static_cast<int64_t>(i * 4 + column), static_cast<double>(sites[i][column]));
    }
  }
  return call;
}

// One image of 4 x 4 x 4 sites, in which the third input site has the given place.
void ExpectSiteRefused(bool submanifold, const std::vector<int64_t>& site, const std::string& text) {
  Call call = WithSites(std::string("batch=1,space=4,filter=1x3x2,pad=0x1x1,subm=") + (submanifold ? "1" : "0"),
                        {{0, 0, 0, 0}, {0, 0, 0, 0}, site, {0, 0, 0, 0}});
  call.profile = DETOPS_PROFILE_CONTRACT;
  ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, text);
}

TEST(PeerGetIndicePairs, MmcvSubmanifoldCoordinate9Of4) { ExpectSiteRefused(true, {0, 1, 9, 1}, "indices[2, 2] is 9"); }
TEST(PeerGetIndicePairs, MmcvSubmanifoldCoordinateMinusOne) {
  ExpectSiteRefused(true, {0, 1, 1, -1}, "indices[2, 3] is -1");
}
TEST(PeerGetIndicePairs, MmcvSubmanifoldBatchMinusOne) {
  ExpectSiteRefused(true, {-1, 1, 1, 1}, "indices[2, 0] is -1");
}
// There the write lands in the neighbouring block, unseen.
TEST(PeerGetIndicePairs, MmcvSubmanifoldBatchOneOfOne) { ExpectSiteRefused(true, {1, 1, 1, 1}, "indices[2, 0] is 1"); }
TEST(PeerGetIndicePairs, MmcvRegularBatchOneOfOne) { ExpectSiteRefused(false, {1, 1, 1, 1}, "indices[2, 0] is 1"); }
TEST(PeerGetIndicePairs, MmcvRegularBatchMinusOne) { ExpectSiteRefused(false, {-1, 1, 1, 1}, "indices[2, 0] is -1"); }
// The same store without a check in the code for graphics cards: every extreme, on both modes.
TEST(PeerGetIndicePairs, MmcvCudaTwinExtremes) {
  for (const bool submanifold : {false, true}) {
    for (size_t column = 0; column < 4; ++column) {
      for (const int64_t number : {INT_MIN, -2, 4, INT_MAX}) {
        std::vector<int64_t> site = {0, 1, 1, 1};
        site[column] = number;
        ExpectSiteRefused(submanifold, site, "indices[2, " + std::to_string(column) + "] is " + std::to_string(number));
      }
    }
  }
}
// There x = W is the same key as (y + 1, x = 0).
TEST(PeerGetIndicePairs, SpconvCoordinateAtTheEndAliasesAnotherSite) {
  ExpectSiteRefused(true, {0, 1, 1, 4}, "indices[2, 3] is 4");
}
TEST(PeerGetIndicePairs, SpconvIssue406AllPointsOutOfRange) {
  Call call = GoodCall(kPairs);
  for (int64_t i = 0; i < call["indices"].elements(); ++i) call["indices"].Set(i, 1000);
  ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "indices[0, 0] is 1000");
}

// ---- keys of 32 bits, where the answer must be right ----

// Rows for all that the sites may reach: more than needed are filled.
void ExpectRight(const std::string& shape, const Sites& sites) {
  for (const char* mode : {",subm=0", ",subm=1"}) {
    Call call = WithSites(shape + mode, sites);
    const detops_harness::Tensor before = call["out_indices"];
    const int64_t rows = 27 * static_cast<int64_t>(sites.size());
    call["out_indices"] = detops_harness::Output(before.name, before.layout, before.type, {rows, 4});
    ExpectAgreementEverywhere(call);
  }
}

// Sites whose numbers agree in the lower 32 bits: 2048 x 2048 x 1024 = 2^32.
TEST(PeerGetIndicePairs, SpconvKeysOf32Bits) {
  ExpectRight("batch=3,space=2048x2048x1024,filter=3,pad=1",
              {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {2, 0, 0, 0}, {2, 2047, 2047, 1023}});
}
// batch x volume is 2^31 and a bit more; the sign of a 32-bit number changes between these sites.
TEST(PeerGetIndicePairs, SpconvIssue607SilentOverflow) {
  ExpectRight("batch=1,space=1025x1024x2048,filter=3x1x3,pad=1x0x1",
              {{0, 0, 0, 0}, {0, 1023, 1023, 2047}, {0, 1024, 0, 0}, {0, 1024, 0, 1}});
}

// ---- shapes and counts ----

TEST(PeerGetIndicePairs, Cve2020Nr15197RankOfIndices) {
  for (const size_t rank : {1, 3}) {
    Call call = GoodCall(kPairs);
    call["indices"].extents.resize(rank, 1);
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "indices has rank");
  }
}
void ExpectExtentRefused(const char* tensor, size_t axis, int64_t surplus, const std::string& text) {
  Call call = GoodCall(kPairs);
  call[tensor].extents[axis] += surplus;
  ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, text);
}
TEST(PeerGetIndicePairs, Cve2020Nr15198ShapeOfIndices) {
  ExpectExtentRefused("indices", 1, -1, "indices has extent 3 on axis 1");
  ExpectExtentRefused("indices", 1, 1, "indices has extent 5 on axis 1");
}
// Room for fewer results than there are.
TEST(PeerGetIndicePairs, Cve2021Nr29607RoomForTheSum) { ExpectExtentRefused("out_indices", 0, -1, "out_indices has"); }
TEST(PeerGetIndicePairs, Cve2021Nr29609ShapesOfTwoSparseTensors) {
  ExpectExtentRefused("indice_pairs", 2, -1, "has extent");
}
// Counters for fewer values than the data have.
TEST(PeerGetIndicePairs, Cve2021Nr29514RoomForTheCounters) {
  for (const int64_t surplus : {-1, -5, 1}) ExpectExtentRefused("indice_num", 0, surplus, "has extent");
}
// A count that is cut to 32 bits becomes small, or negative.
TEST(PeerGetIndicePairs, Cve2020Nr15202CountsOf64Bits) {
  for (const int64_t sites : {int64_t{1} << 31, (int64_t{1} << 32) + 11}) {
    Call call = Int32CallOf("sites=11,batch=2,space=9,filter=3,subm=1");
    for (const auto& [tensor, axis] : {std::pair("indices", 0), {"indice_pairs", 2}, {"out_indices", 0}}) {
      call[tensor].extents[static_cast<size_t>(axis)] = sites;
    }
    ExpectRefusedEverywhere(call, MLUOP_STATUS_NOT_SUPPORTED, "indices has");
  }
}
// Element 0 of a tensor without elements.
TEST(PeerGetIndicePairs, Cve2021Nr29569FirstElementOfNothing) {
  for (const char* mode : {"0", "1"}) {
    ExpectAgreementEverywhere(Int32CallOf(std::string("sites=0,batch=2,space=4x5x6,filter=3,subm=") + mode));
  }
}

}  // namespace
}  // namespace detops_test
