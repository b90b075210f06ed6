// The rulebook: bit for bit what the functions that take indice_pairs give; shared between layers and threads; and no
// larger than the header says.
#include "ops/indice_convolution/test/rulebook.h"

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

using detops_harness::Function;
using detops_harness::Sample;

// On every sample of the catalogue. (A rulebook there is made of pairs that are gone, by a handle that is gone.)
TEST(IndiceConvolutionRulebook, SameBitsAsOnPairs) {
  for (const Way way : kWays) {
    const Function& plain = FunctionOf(way == Way::kForward ? kFused : NameOf(way));
    for (const Sample& sample : FunctionOf(OnRulebook(way)).samples()) {
      for (const mluOpDataType_t type : kTypes) {
        SCOPED_TRACE(OnRulebook(way) + " " + sample.shape);
        ExpectSameBits(CallOf(plain.name(), sample.shape, type), CallOf(OnRulebook(way), sample.shape, type));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// A forward layer on a rulebook and on the pairs it was made of.
class Layer {
 public:
  Layer(const RulebookPairs& pairs, mluOpDataType_t type, int64_t ci, int64_t co)
      : pairs_(pairs),
        features_(MLUOP_LAYOUT_ARRAY, type, {pairs.in_rows, ci}),
        filters_(MLUOP_LAYOUT_ARRAY, type, {pairs.tensor->extents()[0], 1, 1, ci, co}),
        plain_(MLUOP_LAYOUT_ARRAY, type, {pairs.out_rows, co}),
        result_(MLUOP_LAYOUT_ARRAY, type, {pairs.out_rows, co}) {
    features_.FillUniform(-1, 1, 1);
    filters_.FillUniform(-1, 1, 2);
  }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  void ExpectSameBits(const Handle& handle, detopsRulebook_t rulebook) {
    ASSERT_EQ(mluOpIndiceConvolutionForward(handle.get(), features_.desc(), features_.data(), filters_.desc(),
                                            filters_.data(), pairs_.tensor->desc(), pairs_.tensor->data(),
                                            pairs_.counts.data(), pairs_.out_rows, 0, 0, nullptr, 0, plain_.desc(),
                                            plain_.data()),
              MLUOP_STATUS_SUCCESS)
        << handle.LastError();
    ASSERT_EQ(detopsRulebookConvolutionForward(handle.get(), rulebook, 0, features_.desc(), features_.data(),
                                               filters_.desc(), filters_.data(), nullptr, nullptr, nullptr, nullptr,
                                               DETOPS_ACTIVATION_NONE, 0, result_.desc(), result_.data()),
              MLUOP_STATUS_SUCCESS)
        << handle.LastError();
    ASSERT_TRUE(result_.SameBytes(plain_));
  }

 private:
  const RulebookPairs& pairs_;
  Tensor features_, filters_, plain_, result_;
};

// One rulebook, layers of different channels and types, one after the other; columns of the pairs that do not count.
TEST(IndiceConvolutionRulebook, ServesLayersOfAnyChannels) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  const RulebookPairs pairs("sites=210,outputs=190,columns=210,offsets=3,pairs=crossed");
  const Rulebook rulebook(handle, pairs);
  for (const int64_t channels : {5, 16, 33, 4, 64}) {
    for (const mluOpDataType_t type : kTypes) {
      Layer(pairs, type, channels, 2 * channels).ExpectSameBits(handle, rulebook.get());
    }
  }
}

TEST(IndiceConvolutionRulebook, SharedByThreads) {
  const Handle maker(DETOPS_PROFILE_FULL, 2);
  const RulebookPairs pairs("sites=800,outputs=700,columns=800,offsets=9,pairs=crossed");
  const Rulebook rulebook(maker, pairs);
  std::vector<std::thread> callers;
  callers.reserve(4);
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      const Handle handle(DETOPS_PROFILE_FULL, 1 + caller % 3);
      Layer layer(pairs, kTypes[caller], 16, 24);
      for (int run = 0; run < 5; ++run) layer.ExpectSameBits(handle, rulebook.get());
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// Threads share a list; a wrong index beside any cut is found, named as it is, and only once.
TEST(IndiceConvolutionRulebook, WrongIndexBesideACut) {
  constexpr int64_t kPairs = 140000;
  const RulebookPairs pairs("sites=140000,outputs=140000,columns=140000,offsets=1,pairs=submanifold");
  ASSERT_EQ(pairs.counts[0], kPairs);
  auto* const index = static_cast<int32_t*>(pairs.tensor->data());
  Handle handle(DETOPS_PROFILE_FULL, 1);
  for (const int threads : {1, 2, 3}) {
    handle.SetThreads(threads);
    for (int64_t pieces = 2; pieces <= 5; ++pieces) {
      for (int64_t at = kPairs / pieces - 2; at <= kPairs / pieces + 1; ++at) {
        for (const int column : {0, 1}) {
          for (const int32_t wrong : {-1, static_cast<int32_t>(kPairs)}) {
            const int32_t right = std::exchange(index[column * kPairs + at], wrong);
            auto* const mark = reinterpret_cast<detopsRulebook_t>(&handle);
            detopsRulebook_t none = mark;
            EXPECT_EQ(pairs.Create(handle, &none), MLUOP_STATUS_BAD_PARAM);
            EXPECT_EQ(std::string(handle.LastError()),
                      "detopsCreateRulebook: indice_pairs[0, " + std::to_string(column) + ", " + std::to_string(at) +
                          "] is " + std::to_string(wrong) + ", expected an index in [0, 140000).");
            EXPECT_EQ(none, mark);
            index[column * kPairs + at] = right;
          }
        }
      }
    }
  }
}

// ---- size ----

TEST(IndiceConvolutionRulebookSize, IsAsTheHeaderSays) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const std::string kind : kKinds) {
    const bool ascending = kind == "ascending" || kind == "holes" || kind == "submanifold";
    for (const int64_t rows : {1, 50, 3000, 40000}) {
      for (const std::string offsets : {"1", "27"}) {
        const std::string count = std::to_string(rows);
        const RulebookPairs pairs("sites=" + count + ",columns=" + count + ",outputs=" +
                                  std::to_string(rows + rows / 3) + ",offsets=" + offsets + ",pairs=" + kind);
        const int64_t size = SizeOf(Rulebook(handle, pairs).get());
        EXPECT_LE(size, pairs.LargestSize(ascending)) << kind << ", " << rows << " rows";
        EXPECT_GT(size, 0);
      }
    }
  }
}

// Rows cost something without offsets too; the first number of rows is just below a large page. Columns that do not
// count cost nothing.
TEST(IndiceConvolutionRulebookSize, OfFewPairs) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const char* shape :
       {"sites=268409856,outputs=0,columns=5,offsets=0", "sites=0,outputs=0,columns=5,offsets=0",
        "sites=2147483647,outputs=2147483647,columns=5,offsets=0", "sites=2,outputs=100,columns=1000000,offsets=1"}) {
    const RulebookPairs pairs(shape);
    EXPECT_LE(SizeOf(Rulebook(handle, pairs).get()), pairs.LargestSize(true)) << shape;
  }
}

}  // namespace
}  // namespace detops_test
