// indice_convolution against the double-precision reference: three ways, four types, on every target with 1, 2, 3 and 7
// threads (ExpectAgreement). Not the full product of all parameters: each test varies one of channels, offsets, rows
// and lists, and takes turns through the others meanwhile; the last one draws everything.
#include <cstdint>
#include <iterator>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

class IndiceConvolutionAccuracy : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionAccuracy, testing::ValuesIn(kTypes), TypeName);

ListKind InTurn(uint64_t turn) { return kListKinds[turn % std::size(kListKinds)]; }
FilterForm FormInTurn(uint64_t turn) { return kFilterForms[turn % std::size(kFilterForms)]; }

// Below, at and above the lane counts of all targets and types and the tiles made of them.
TEST_P(IndiceConvolutionAccuracy, Channels) {
  constexpr int64_t kChannels[] = {1, 3, 5, 7, 8, 16, 17, 32, 33, 64, 129};
  uint64_t turn = 0;
  for (const int64_t ci : kChannels) {
    for (const int64_t co : kChannels) {
      ++turn;
      const Shape shape = {.in_rows = 21,
                           .out_rows = 19,
                           .ci = ci,
                           .co = co,
                           .kernel = {3, 1, 1},
                           .form = FormInTurn(turn),
                           .inverse = turn % 4 == 0};
      ExpectAgreementAllWays(Problem(GetParam(), shape, InTurn(turn), turn));
    }
  }
}

// Sums of a thousand terms in one product, and more columns than any tile has.
TEST_P(IndiceConvolutionAccuracy, ManyChannels) {
  const struct {
    int64_t ci, co;
  } channels[] = {{1024, 1024}, {1024, 17}, {1024, 1}, {5, 1024}, {1, 1024}};
  uint64_t turn = 0;
  for (const auto& channel : channels) {
    const Shape shape = {.in_rows = 5,
                         .out_rows = 4,
                         .ci = channel.ci,
                         .co = channel.co,
                         .kernel = {1, 1, channel.ci < channel.co ? 2 : 1},
                         .form = FormInTurn(++turn)};
    ExpectAgreementAllWays(Problem(GetParam(), shape, ListKind::kCrossed, turn));
  }
}

// Few columns, which some targets multiply with lanes along the channels: both sides of each limit.
TEST_P(IndiceConvolutionAccuracy, FewColumns) {
  uint64_t turn = 0;
  for (const int64_t few : {1, 2, 3, 4, 5, 6, 7}) {
    for (const int64_t many : {12, 16, 18, 20, 24, 28, 32, 36}) {
      const bool forward = ++turn % 2 == 0;
      const Shape shape = {.in_rows = 61,
                           .out_rows = 57,
                           .ci = forward ? many : few,
                           .co = forward ? few : many,
                           .kernel = {3, 1, 1},
                           .form = FormInTurn(turn),
                           .inverse = turn % 4 == 0};
      ExpectAgreementAllWays(Problem(GetParam(), shape, InTurn(turn), turn));
    }
  }
}

TEST_P(IndiceConvolutionAccuracy, Offsets) {
  const std::vector<int64_t> kernels[] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {5, 5, 5}};
  uint64_t turn = 0;
  for (const std::vector<int64_t>& kernel : kernels) {
    for (const ListKind kind : kListKinds) {
      ++turn;
      const bool even = turn % 2 == 0;
      const Shape shape = {.in_rows = 40,
                           .out_rows = 33,
                           .ci = even ? 5 : 16,
                           .co = even ? 9 : 16,
                           .kernel = kernel,
                           .form = FormInTurn(turn)};
      ExpectAgreementAllWays(Problem(GetParam(), shape, kind, turn));
    }
  }
}

// From one row to thousands, odd and around powers of two: tiles of rows with every remainder, fewer rows than threads,
// far more inputs than outputs and the other way round.
TEST_P(IndiceConvolutionAccuracy, Rows) {
  uint64_t turn = 0;
  for (const int64_t in_rows : {1, 2, 3, 31, 33, 64, 127, 129, 257, 1000, 3001}) {
    for (const int64_t out_rows : {1, 2, 5, 32, 63, 128, 511, 2003}) {
      ++turn;
      const bool even = turn % 2 == 0;
      const Shape shape = {.in_rows = in_rows,
                           .out_rows = out_rows,
                           .ci = even ? 4 : 17,
                           .co = even ? 6 : 8,
                           .kernel = {1, 3, 1},
                           .inverse = turn % 5 == 0};
      ExpectAgreementAllWays(Problem(GetParam(), shape, InTurn(turn), turn));
    }
  }
}

// Panels are wider for few rows of a matrix if none of its columns is left over: both sides of each limit, on every
// length of vectors.
TEST_P(IndiceConvolutionAccuracy, WidePanels) {
  uint64_t turn = 0;
  for (const int64_t ci : {63, 64, 65}) {
    for (const int64_t co : {48, 64, 96, 97, 128}) {
      const Shape shape = {.in_rows = 231,
                           .out_rows = 222,
                           .ci = ci,
                           .co = co,
                           .kernel = {3, 1, 1},
                           .form = FormInTurn(++turn),
                           .inverse = turn % 4 == 0};
      ExpectAgreementAllWays(Problem(GetParam(), shape, InTurn(turn), turn));
    }
  }
}

// Gradients of filters are summed up in segments of thousands of rows and, within them, in chunks of pairs, whose rows
// are copied or not; and some results are added up where they will be, a tile after the other.
TEST_P(IndiceConvolutionAccuracy, ManyRows) {
  const struct {
    int64_t in_rows, out_rows, ci, co;
    ListKind kind;
  } layers[] = {{9001, 8700, 33, 40, ListKind::kAscending},
                {8705, 9001, 35, 18, ListKind::kCrossed},
                {21001, 21001, 3, 16, ListKind::kSubmanifold},
                {13003, 12001, 16, 6, ListKind::kAscending}};
  uint64_t turn = 0;
  for (const auto& layer : layers) {
    const Shape shape = {.in_rows = layer.in_rows,
                         .out_rows = layer.out_rows,
                         .ci = layer.ci,
                         .co = layer.co,
                         .kernel = {3, 1, 1},
                         .form = FormInTurn(++turn)};
    ExpectAgreementAllWays(Problem(GetParam(), shape, layer.kind, turn));
  }
}

// Rows so long that a segment of them is read in several parts for each gradient of a filter.
TEST_P(IndiceConvolutionAccuracy, LongRows) {
  const Shape shape = {.in_rows = 4301, .out_rows = 4300, .ci = 2, .co = 3000, .kernel = {3, 1, 1}};
  ExpectAgreement(Problem(GetParam(), shape, ListKind::kAscending, 9), Way::kBackwardFilter);
}

// Both directions of every kind of list, with enough rows for all threads.
TEST_P(IndiceConvolutionAccuracy, Lists) {
  for (const ListKind kind : kListKinds) {
    for (const bool inverse : {false, true}) {
      SCOPED_TRACE(testing::Message() << "lists of kind " << static_cast<int>(kind));
      const Shape shape = {
          .in_rows = 301, .out_rows = 280, .ci = 32, .co = 33, .kernel = {3, 2, 1}, .inverse = inverse};
      ExpectAgreementAllWays(Problem(GetParam(), shape, kind, 7));
    }
  }
}

// The sizes of a network's layers, with more rows than a block of any cut.
TEST_P(IndiceConvolutionAccuracy, NetworkLayers) {
  const struct {
    int64_t in_rows, out_rows, ci, co;
    ListKind kind;
  } layers[] = {{2001, 2001, 5, 16, ListKind::kSubmanifold},
                {1201, 1201, 16, 16, ListKind::kSubmanifold},
                {1201, 601, 16, 32, ListKind::kAscending},
                {601, 601, 32, 32, ListKind::kCrossed}};
  for (const auto& layer : layers) {
    const Shape shape = {
        .in_rows = layer.in_rows, .out_rows = layer.out_rows, .ci = layer.ci, .co = layer.co, .kernel = {3, 3, 3}};
    ExpectAgreementAllWays(Problem(GetParam(), shape, layer.kind, 8));
  }
}

// Everything drawn, also where the tensors lie; a failure names the seed.
TEST_P(IndiceConvolutionAccuracy, RandomProblems) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed * 1000 + static_cast<uint64_t>(GetParam()));
    const int64_t most_channels = random.Pick(std::vector<int64_t>{4, 20, 70}), most_rows = 6000 / most_channels;
    Shape shape = {.in_rows = random.Between(1, most_rows),
                   .out_rows = random.Between(1, most_rows),
                   .ci = random.Between(1, most_channels),
                   .co = random.Between(1, most_channels)};
    for (int64_t& axis : shape.kernel) axis = random.Between(1, 3);
    shape.form = random.Pick(kFilterForms);
    shape.inverse = random.Between(1, 3) == 1;
    shape.placement = random.Between(0, 1) == 0 ? Placement::kAgainstEnd : Placement::kAgainstFront;
    shape.misalignment = static_cast<size_t>(random.Between(0, 5));
    ExpectAgreementAllWays(Problem(GetParam(), shape, random.Pick(kListKinds), seed));
  }
}

}  // namespace
}  // namespace detops_test
