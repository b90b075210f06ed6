// A table for compressing vectors; see kernel/append-inl.h.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_COMPRESS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_COMPRESS_H_

#include <cstdint>

namespace detops::get_indice_pairs {

// For each mask of up to 8 lanes the numbers of the lanes set, in order, 4 bits each; the rest is 0.
struct CompressLanes {
  constexpr CompressLanes() : packed() {
    for (uint32_t mask = 0; mask < 256; ++mask) {
      int used = 0;
      for (uint32_t lane = 0; lane < 8; ++lane) {
        if ((mask >> lane & 1) != 0) packed[mask] |= lane << (4 * used++);
      }
    }
  }
  uint32_t packed[256];
};
inline constexpr CompressLanes kCompressLanes;

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_COMPRESS_H_
