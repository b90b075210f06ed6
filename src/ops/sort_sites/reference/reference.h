// sort_sites as its page words it, for tests: plain loops, nothing shared with the library.
#ifndef DETOPS_OPS_SORT_SITES_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_SORT_SITES_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

namespace detops_reference {

// The order of sites [L, columns].
std::vector<int64_t> OrderOfSites(const std::vector<double>& sites, int64_t columns);

// The rows of a matrix with so many columns, in that order.
std::vector<double> RowsInOrder(const std::vector<double>& rows, int64_t columns, const std::vector<int64_t>& order);

}  // namespace detops_reference

#endif  // DETOPS_OPS_SORT_SITES_REFERENCE_REFERENCE_H_
