// How the matrix of an offset lies in memory while it is worked on.
//
// As panels: two vectors of columns each (the last one: one vector, if that is enough), row after row, in the type of
// the sums. Columns are filled up with zeros to whole vectors. The panel of column c begins at
// (c - c % two vectors) * rows.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_PANELS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_PANELS_H_

#include <cstdint>

namespace detops {

inline int64_t PaddedColumns(int64_t columns, int64_t lanes) { return (columns + lanes - 1) / lanes * lanes; }

// Rows, or channels, that are multiplied together: with two vectors each they fill 12 of 16 registers, enough to hide
// the latency of a fused multiply-add at two a cycle.
inline constexpr int kGroupRows = 6;

}  // namespace detops

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_PANELS_H_
