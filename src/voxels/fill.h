// Rows of results after the last one that has something.
#ifndef DETOPS_VOXELS_FILL_H_
#define DETOPS_VOXELS_FILL_H_

#include <cstdint>
#include <cstring>

#include "core/element_type.h"
#include "core/parallel.h"

namespace detops::voxels {

// Sets bytes [begin, end) of an output, in pieces. False if the caller's runner failed.
[[nodiscard]] inline bool FillBytes(const Parallel& parallel, void* output, int64_t begin, int64_t end, int byte) {
  constexpr int64_t kMinTaskBytes = 256 << 10;
  if (begin >= end) return true;
  return parallel.RunItems(end - begin, kMinTaskBytes, [&](Range range) {
    std::memset(static_cast<char*>(output) + begin + range.begin, byte, static_cast<size_t>(range.end - range.begin));
  });
}

// Sets elements [begin, end) of a floating output. False if the caller's runner failed.
[[nodiscard]] inline bool FillReals(const Parallel& parallel, mluOpDataType_t type, void* output, int64_t begin,
                                    int64_t end, double value) {
  constexpr int64_t kMinTaskElements = 64 << 10;
  if (begin >= end) return true;
  return parallel.RunItems(end - begin, kMinTaskElements, [&](Range range) {
    WithElementType(type, [&]<typename T>() {
      for (int64_t i = begin + range.begin; i < begin + range.end; ++i) {
        StoreElement<T>(output, i, FromDouble<T>(value));
      }
    });
  });
}

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_FILL_H_
