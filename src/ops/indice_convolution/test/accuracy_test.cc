// indice_convolution against the double-precision reference, element by element, where the library chooses another
// algorithm: few columns, wide panels, many rows, long rows, layouts that are transposed in pieces. The catalogue's
// samples have the rest.
#include <algorithm>
#include <string>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

class IndiceConvolutionAccuracy : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // In all ways. What the shape does not say takes turns.
  void Expect(const std::string& shape) {
    ++turn_;
    const std::string text = std::string("filter=3x1x1,layout=") + kLayouts[turn_ % std::size(kLayouts)] +
                             ",pairs=" + kKinds[turn_ % std::size(kKinds)] +
                             ",inverse=" + (turn_ % 4 == 0 ? "1," : "0,") + shape;
    for (const Way way : kWays) {
      SCOPED_TRACE(NameOf(way) + " " + text);
      ExpectAgreementEverywhere(CallOf(NameOf(way), text, GetParam(), turn_));
      if (HasFatalFailure()) return;
    }
  }
  static std::string Channels(int ci, int co) { return ",ci=" + std::to_string(ci) + ",co=" + std::to_string(co); }

 private:
  uint64_t turn_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionAccuracy, testing::ValuesIn(kTypes), TypeName);

// Sums of a thousand terms in one product, and more columns than any tile has.
TEST_P(IndiceConvolutionAccuracy, ManyChannels) {
  for (const char* shape : {"filter=1x1x1,ci=1024,co=1024", "filter=1x1x1,ci=1024,co=17", "filter=1x1x1,ci=1024,co=1",
                            "filter=1x1x2,ci=5,co=1024", "filter=1x1x2,ci=1,co=1024"}) {
    Expect(std::string("sites=5,outputs=4,pairs=crossed,inverse=0,") + shape);
  }
}

// Few columns, which some targets multiply with lanes along the channels: both sides of each limit.
TEST_P(IndiceConvolutionAccuracy, FewColumns) {
  bool forward = false;
  for (const int few : {1, 2, 3, 4, 5, 6, 7}) {
    for (const int many : {12, 16, 18, 20, 24, 28, 32, 36}) {
      forward = !forward;
      Expect("sites=61,outputs=57" + (forward ? Channels(few, many) : Channels(many, few)));
    }
  }
}

// Panels are wider for few rows of a matrix if none of its columns is left over: both sides of each limit, on every
// length of vectors.
TEST_P(IndiceConvolutionAccuracy, WidePanels) {
  for (const int ci : {63, 64, 65}) {
    for (const int co : {48, 64, 96, 97, 128}) Expect("sites=231,outputs=222" + Channels(ci, co));
  }
}

// Gradients of filters are summed up in segments of thousands of rows and, within them, in chunks of pairs, whose rows
// are copied or not; and some results are added up where they will be, a tile after the other.
TEST_P(IndiceConvolutionAccuracy, ManyRows) {
  for (const char* layer :
       {"sites=9001,outputs=8700,ci=33,co=40,pairs=ascending", "sites=8705,outputs=9001,ci=35,co=18,pairs=crossed",
        "sites=21001,outputs=21001,ci=3,co=16,pairs=submanifold", "sites=17003,outputs=9001,ci=7,co=16,pairs=ascending",
        "sites=13003,outputs=12001,ci=16,co=6,pairs=ascending"}) {
    Expect(std::string(layer) + ",inverse=0");
  }
}

// Rows so long that a segment of them is read in several parts for each gradient of a filter.
TEST_P(IndiceConvolutionAccuracy, LongRows) {
  ExpectAgreementEverywhere(CallOf(NameOf(Way::kBackwardFilter),
                                   "sites=4301,outputs=4300,ci=2,co=3000,filter=2x1x1,pairs=ascending", GetParam()));
}

// Channels that differ, that are one, and that fill vectors or blocks with and without a remainder; filters so large
// that they are cut for several threads and packed in parts.
TEST_P(IndiceConvolutionAccuracy, LayoutsOfFilters) {
  constexpr int kChannels[][2] = {{1, 1}, {5, 7}, {1, 33}, {33, 1}, {8, 16}, {16, 8}, {64, 64}, {65, 31}};
  constexpr const char* kFilters[] = {"1x1x1", "2x3x2", "1x1x5", "3x1x2"};
  for (const std::string layout : kLayouts) {
    for (const auto& [ci, co] : kChannels) {
      for (const std::string filter : kFilters) {
        Expect("sites=13,outputs=11,pairs=shuffled,filter=" + filter + ",layout=" + layout + Channels(ci, co));
      }
    }
    Expect("sites=19,outputs=23,pairs=random,filter=2x1x2,ci=129,co=130,layout=" + layout);
  }
}

// Rows of half that several pairs use are converted before, if there are few channels.
TEST_P(IndiceConvolutionAccuracy, RowsOfManyPairs) {
  for (const int channels : {16, 32, 33}) {
    Expect("sites=600,outputs=600,filter=3x3x1,pairs=submanifold,inverse=0" + Channels(channels, channels));
  }
}

// The case table of the design document, section 3.7, with fewer rows, as the reference is slow. Its case 3 has
// indice_pairs [3, 2, 58838], which fits neither the 3 x 3 x 3 filter nor the 248,636 rows: a slip, it must be
// [27, 2, 248636]. That one at full size too.
TEST_P(IndiceConvolutionAccuracy, CasesOfTheDocument) {
  for (const char* shape : {"sites=459,outputs=354,ci=128,co=128,filter=3x1x1,pairs=ascending",
                            "sites=291,outputs=114,ci=64,co=128,filter=3x3x3,pairs=ascending",
                            "sites=114,outputs=114,ci=128,co=128,filter=3x3x3,pairs=submanifold,subm=1",
                            "sites=3884,outputs=3884,ci=5,co=16,filter=3x3x3,pairs=submanifold,subm=1"}) {
    Expect(std::string(shape) + ",layout=ARRAY,inverse=0");
  }
}

TEST(IndiceConvolutionDocument, CaseThreeIsRefusedAsPrinted) {
  Call call = GoodCall(NameOf(Way::kBackwardData));
  call["output_grad"].extents = {248636, 16};
  call["filters"].extents = {3, 3, 3, 5, 16};
  call["indice_pairs"].extents = {3, 2, 58838};
  call["input_grad"].extents = {248636, 5};
  ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "indice_pairs has extent 3 on axis 0, expected K = 27");
}

TEST(IndiceConvolutionDocument, CaseThreeAtFullSize) {
  for (const Way way : kWays) {
    const Call call =
        CallOf(NameOf(way), "sites=248636,outputs=248636,ci=5,co=16,filter=3x3x3,pairs=submanifold,subm=1");
    PlacedCall placed(call);
    ASSERT_EQ(placed.Run(Handle(DETOPS_PROFILE_CONTRACT, 2).get()), MLUOP_STATUS_SUCCESS) << placed.text();
    ASSERT_EQ(Disagreement(placed.call(), call.function->Reference(placed.call())), "");
  }
}

// Results that are written past the caches: many rows of whole cache lines. A tensor that does not begin with a line
// gets its rows in the usual way, and must get the same ones. From 8 MiB on; the last tile is not whole.
TEST(IndiceConvolutionStreaming, SameRowsWhereverTheyBegin) {
  for (const mluOpDataType_t type : kTypes) {
    const std::string shape = "sites=32769,outputs=32769,ci=2,filter=3x1x1,pairs=submanifold,activation=relu,co=";
    ExpectSameBitsOffTheCacheLines(CallOf(kFused, shape + std::to_string(256 / ElementSize(type)), type));
  }
}

// It needs no workspace; one that is passed all the same, of any size, is not touched and changes no bit.
TEST(IndiceConvolutionWorkspace, IsNotTouched) {
  for (const Way way : kWays) {
    for (const char* inverse : {"0", "1"}) {
      Call call = CallOf(
          NameOf(way), std::string("sites=400,outputs=390,ci=24,co=16,filter=3x1x1,pairs=shuffled,inverse=") + inverse);
      std::string expected;
      for (const size_t bytes : {size_t{0}, size_t{1}, size_t{1} << 20}) {
        SCOPED_TRACE(testing::Message() << NameOf(way) << ", " << bytes << " bytes");
        call.workspace.bytes = bytes;
        call.integers.at("workspace_size") = static_cast<int64_t>(bytes);
        PlacedCall placed(call);
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
          placed.Reset(0x5C);
          ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
          const auto* const begin = static_cast<const unsigned char*>(placed.call().workspace.address);
          ASSERT_TRUE(std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0x5C; }));
          ASSERT_TRUE(placed.SurroundingsIntact());
          if (handle.Threads() == 1) expected = placed.Outputs();
          ASSERT_TRUE(placed.Outputs() == expected);
        });
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
