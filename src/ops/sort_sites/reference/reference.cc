#include "ops/sort_sites/reference/reference.h"

#include <algorithm>
#include <numeric>

namespace detops_reference {

std::vector<int64_t> OrderOfSites(const std::vector<double>& sites, int64_t columns) {
  std::vector<int64_t> order(sites.size() / static_cast<size_t>(columns));
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](int64_t a, int64_t b) {
    for (int64_t c = 0; c < columns; ++c) {
      const double left = sites[static_cast<size_t>(a * columns + c)],
                   right = sites[static_cast<size_t>(b * columns + c)];
      if (left != right) return left < right;
    }
    return false;
  };
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

std::vector<double> RowsInOrder(const std::vector<double>& rows, int64_t columns, const std::vector<int64_t>& order) {
  std::vector<double> made;
  for (const int64_t row : order) {
    for (int64_t c = 0; c < columns; ++c) made.push_back(rows[static_cast<size_t>(row * columns + c)]);
  }
  return made;
}

}  // namespace detops_reference
