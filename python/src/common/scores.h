// Scores of boxes, of which only the order counts.
#ifndef DETOPS_PYTHON_SRC_COMMON_SCORES_H_
#define DETOPS_PYTHON_SRC_COMMON_SCORES_H_

#include <vector>

#include "common/view.h"

namespace detops_binding {

// +Inf and -Inf are numbers to Python's programs, which mark boxes with them, and errors to the library. Where there
// are such, `ranks` gets numbers in the same order, and the result is a view of those; NaN stays NaN.
View WithoutInfinities(const View& scores, std::vector<double>& ranks);

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_SCORES_H_
