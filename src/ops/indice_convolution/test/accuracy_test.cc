// indice_convolution against the double-precision reference, element by element (ExpectAgreement), where the library
// chooses another algorithm: few columns, wide panels, many rows, long rows. The catalogue's samples have the rest.
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

}  // namespace
}  // namespace detops_test
