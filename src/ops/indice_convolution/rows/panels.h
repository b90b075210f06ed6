// How the matrix of an offset lies in memory while it is worked on.
//
// As panels: kPanelVectors (row products of few columns or rows: kMostRowPanelVectors) vectors of columns each, the
// last one as many as are enough; row after row, in the type of the sums. Columns are filled up with zeros to whole
// vectors. The panel that begins at column c begins at element c * rows.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PANELS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PANELS_H_

#include <cstdint>

namespace detops::indice_convolution {

inline int64_t PaddedColumns(int64_t columns, int64_t lanes) { return (columns + lanes - 1) / lanes * lanes; }

// Rows of an outer product that are copied: on the right panels as above, pair after pair; on the left groups of up to
// kPackedChannels channels, pair after pair, each in a slot. So a product runs along both.
inline constexpr int64_t kPackedChannels = 6;
inline constexpr int64_t kPackedSlot = 8;

// Numbers from one group or panel to the next: not a power of two, which would use few sets of the cache.
inline int64_t PackedDistance(int64_t pairs, int64_t width, int64_t number_size) {
  return pairs * width + 64 / number_size;
}

}  // namespace detops::indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PANELS_H_
