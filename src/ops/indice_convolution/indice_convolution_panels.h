// How the matrix of an offset lies in memory while it is worked on.
//
// As panels: kPanelVectors vectors of columns each (the last one: as many as are enough), row after row, in the type of
// the sums. Columns are filled up with zeros to whole vectors. The panel that begins at column c begins at element
// c * rows.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_PANELS_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_PANELS_H_

#include <cstdint>

namespace detops {

inline int64_t PaddedColumns(int64_t columns, int64_t lanes) { return (columns + lanes - 1) / lanes * lanes; }

}  // namespace detops

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_PANELS_H_
