// Cases whose every output byte is known: each makes its input from its own name, runs one operator and hashes what
// comes out. The input is the same on every machine and with every compiler: it comes from integer arithmetic, and the
// conversion to a tensor's type is exact or the rounding of tests/support.
#ifndef DETOPS_TESTS_GOLDEN_GOLDEN_H_
#define DETOPS_TESTS_GOLDEN_GOLDEN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "detops.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_golden {

using detops_test::Tensor;

inline constexpr mluOpDataType_t kTypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE,
                                             MLUOP_DTYPE_BFLOAT16};

// FNV-1a of 64 bits.
class Hash {
 public:
  void Add(const void* data, size_t bytes);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

// One run of a case: where its numbers come from and where its results go.
class Run {
 public:
  Run(const detops_test::Handle& handle, const std::string& name);

  mluOpHandle_t handle() const { return handle_.get(); }

  // A number in [0, end).
  int64_t Below(int64_t end) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(end)); }
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  // One of 35 angles of either sign. Their true sines and cosines are at least 0.3 units of the last place away from
  // where a double's rounding turns over, so every C library gives the same.
  double Angle();

  // In [-1, 1) with 24 bits, so that sums are not exact and show their order.
  void FillSigned(Tensor& tensor);

  // What a call answers: throws unless it is success.
  void Must(mluOpStatus_t status) const { detops_test::Must(status, name_.c_str()); }

  // Takes a result into the hash. NaN has bits that nobody promises, so a result with NaN throws.
  void Result(const Tensor& tensor);
  void Result(int64_t number) { hash_.Add(&number, sizeof number); }
  uint64_t hash() const { return hash_.value(); }

 private:
  uint64_t Next();

  const detops_test::Handle& handle_;
  std::string name_;
  uint64_t state_;
  Hash hash_;
};

// A tensor that Run::FillSigned has filled.
class Signed : public Tensor {
 public:
  Signed(Run& run, mluOpDataType_t type, const std::vector<int64_t>& extents,
         mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY)
      : Tensor(layout, type, extents) {
    run.FillSigned(*this);
  }
};

struct Case {
  std::string name;
  std::function<void(Run&)> body;
};
using Cases = std::vector<Case>;

void AddGetIndicePairs(Cases& cases);
void AddIndiceConvolution(Cases& cases);
void AddIndicePool(Cases& cases);
void AddPointToVoxel(Cases& cases);
void AddPsRoiPool(Cases& cases);
void AddRoiAwarePool3d(Cases& cases);
void AddRotatedFeatureAlign(Cases& cases);

// All of them, in the order of the file. Names that end in "/large" have work enough to be cut for 16 threads.
Cases AllCases();

uint64_t RunCase(const detops_test::Handle& handle, const Case& one);

// Joins words by "/".
inline std::string Name(std::initializer_list<std::string> words) {
  std::string name;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    if (!name.empty()) name += '/';
    name += word;
  }
  return name;
}

// The words around a number.
std::string Label(const char* before, int64_t number, const char* after = "");

// ---- pairs of a sparse convolution, for the operators that take them ----

enum class Order { kAscending, kAny };

// Ascending: both indices of an offset ascend, as mluOpGetIndicePairs makes them; any: every index may occur again.
// Every fifth offset has none.
struct Pairs {
  Pairs(Run& run, Order order, int64_t offsets, int64_t in_rows, int64_t out_rows, int64_t columns);

  Tensor indices;               // [offsets, 2, columns]
  std::vector<int64_t> counts;  // one per offset
};

class Rulebook {
 public:
  Rulebook(Run& run, const Pairs& pairs, int64_t in_rows, int64_t out_rows) {
    run.Must(detopsCreateRulebook(run.handle(), pairs.indices.desc(), pairs.indices.data(), pairs.counts.data(),
                                  in_rows, out_rows, &rulebook_));
  }
  ~Rulebook() { detopsDestroyRulebook(rulebook_); }
  Rulebook(const Rulebook&) = delete;
  Rulebook& operator=(const Rulebook&) = delete;
  detopsRulebook_t get() const { return rulebook_; }

 private:
  detopsRulebook_t rulebook_ = nullptr;
};

}  // namespace detops_golden

#endif  // DETOPS_TESTS_GOLDEN_GOLDEN_H_
