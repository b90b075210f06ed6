// Pairs to make rulebooks of, and what a rulebook may weigh.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_TEST_RULEBOOK_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_TEST_RULEBOOK_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/calls.h"
#include "support/tensor.h"

namespace detops_test::inline indice_convolution {  // one program may use several rooms

inline int64_t SizeOf(detopsRulebook_t rulebook) {
  size_t bytes = 0;
  Must(detopsGetRulebookSize(rulebook, &bytes), "detopsGetRulebookSize");
  return static_cast<int64_t>(bytes);
}

// The pairs of a call of detopsCreateRulebook.
struct RulebookPairs {
  explicit RulebookPairs(const std::string& shape) {
    const Call call = CallOf("detopsCreateRulebook", shape, MLUOP_DTYPE_INT32);
    in_rows = call.integer("num_act_in");
    out_rows = call.integer("num_act_out");
    counts = call.integer_lists.at("indice_num");
    tensor = std::make_unique<Tensor>(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, call["indice_pairs"].extents);
    const auto& bytes = call["indice_pairs"].contents.bytes();
    if (!bytes.empty()) std::memcpy(tensor->data(), bytes.data(), bytes.size());
    counts.resize(std::max<size_t>(1, counts.size()));  // never NULL, which no call accepts
  }

  mluOpStatus_t Create(const Handle& handle, detopsRulebook_t* rulebook) const {
    return detopsCreateRulebook(handle.get(), tensor->desc(), tensor->data(), counts.data(), in_rows, out_rows,
                                rulebook);
  }

  // The header's bound, with its two prices of a pair. The 4 KiB are beside the block that is rounded up.
  int64_t LargestSize(bool ascending) const {
    const int64_t k = tensor->extents()[0], large_page = 2 << 20;
    const int64_t pairs = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    const int64_t tables = 512 * (k + 2) + (8 * k + 1) * (in_rows / 256 + out_rows / 256 + 4);
    const int64_t block = (ascending ? 8 : 16) * pairs + tables;
    return (block < large_page / 2 ? block : (block + large_page - 1) / large_page * large_page) + 4096;
  }

  int64_t in_rows = 0, out_rows = 0;
  std::vector<int64_t> counts{};
  std::unique_ptr<Tensor> tensor{};
};

// Destroyed with its scope.
class Rulebook {
 public:
  Rulebook(const Handle& handle, const RulebookPairs& pairs) { Must(pairs.Create(handle, &made_), "CreateRulebook"); }
  ~Rulebook() { detopsDestroyRulebook(made_); }
  Rulebook(const Rulebook&) = delete;
  Rulebook& operator=(const Rulebook&) = delete;
  detopsRulebook_t get() const { return made_; }

 private:
  detopsRulebook_t made_ = nullptr;
};

}  // namespace detops_test::inline indice_convolution

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_TEST_RULEBOOK_H_
