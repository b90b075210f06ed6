// Ranges of sites that tasks go through at the same time, each leaving what it finds from the range's first index on.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_PIECES_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_PIECES_H_

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/parallel.h"

namespace detops::get_indice_pairs {

class SitePieces {
 public:
  static constexpr int kMaxTasks = 16;

  SitePieces(const Parallel& parallel, int64_t sites)
      : parallel_(parallel), sites_(sites), tasks_(std::min(kMaxTasks, parallel.TaskCount(sites, kMinTaskSites))) {}

  int tasks() const { return tasks_; }

  // Runs find(task, range), which returns how many things it has found. Where same(i) says so, site i is in the range
  // of site i - 1. False if the caller's runner failed.
  template <class Same, class Find>
  [[nodiscard]] bool Run(const Same& same, const Find& find) {
    const auto cut = [&](int64_t site) {
      while (site > 0 && site < sites_ && same(site)) ++site;
      return site;
    };
    return parallel_.Run(tasks_, [&](int task) {
      const Range piece = PieceOf(sites_, tasks_, task);
      begins_[task] = cut(piece.begin);
      counts_[task] = find(task, Range{begins_[task], cut(piece.end)});
    });
  }

  int64_t found() const { return std::accumulate(counts_, counts_ + tasks_, int64_t{0}); }

  // A find has returned a negative number.
  bool failed() const {
    return std::any_of(counts_, counts_ + tasks_, [](int64_t count) { return count < 0; });
  }

  // Brings what was found together, one task's after the other's.
  template <typename T>
  void Join(T* array) const {
    T* end = array;
    for (int task = 0; task < tasks_; ++task) {
      end = end == array + begins_[task] ? end + counts_[task] : std::copy_n(array + begins_[task], counts_[task], end);
    }
  }

 private:
  static constexpr int64_t kMinTaskSites = 8 << 10;

  const Parallel& parallel_;
  int64_t sites_;
  int tasks_;
  int64_t begins_[kMaxTasks];
  int64_t counts_[kMaxTasks];
};

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_PIECES_H_
