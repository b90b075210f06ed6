// What the tests of get_indice_pairs share: a problem, the tensors of a call between guard pages, the exact comparison
// with an expected result, and coordinates in every order.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_TEST_PROBLEM_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_TEST_PROBLEM_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "detops.h"
#include "ops/get_indice_pairs/reference/reference.h"
#include "support/configurations.h"
#include "support/guarded_buffer.h"
#include "support/handle.h"
#include "support/status.h"
#include "support/tensor.h"

namespace detops_test::inline get_indice_pairs {  // one program may use several rooms

using detops_reference::IndicePairs;
using detops_reference::SparseConvolution;

// Image, then the axes, slowest first; what the problem has no axis for is 0.
using Site = std::array<int32_t, 5>;

struct PairProblem {
  SparseConvolution convolution;
  std::vector<Site> sites;
  std::vector<int> output_padding = {};  // empty: none
  bool inverse = false;

  size_t axes() const { return convolution.filter_space.size(); }
  size_t columns() const { return axes() + 1; }
  int64_t count() const { return static_cast<int64_t>(sites.size()); }

  // The contract knows three axes, no transposition and no inversion.
  bool FitsContract() const { return axes() == 3 && !convolution.transposed && !inverse; }

  std::vector<int32_t> Flat() const {
    std::vector<int32_t> flat;
    flat.reserve(sites.size() * columns());
    for (const Site& site : sites) {
      flat.insert(flat.end(), site.begin(), site.begin() + static_cast<std::ptrdiff_t>(columns()));
    }
    return flat;
  }

  IndicePairs Expected(int64_t rows = 0) const {
    return detops_reference::GetIndicePairs(convolution, count(), Flat().data(), rows);
  }
};

// ---- geometry ----

// Gives what is empty its usual value: no padding, stride and dilation 1, and the output space of the formula.
inline SparseConvolution Completed(SparseConvolution convolution, int64_t output_padding = 0) {
  const size_t axes = convolution.filter_space.size();
  if (convolution.pad.empty()) convolution.pad.assign(axes, 0);
  if (convolution.stride.empty()) convolution.stride.assign(axes, 1);
  if (convolution.dilation.empty()) convolution.dilation.assign(axes, 1);
  if (convolution.submanifold) convolution.output_space = convolution.input_space;
  if (!convolution.output_space.empty()) return convolution;
  for (size_t a = 0; a < axes; ++a) {
    const int64_t in = convolution.input_space[a], pad = convolution.pad[a], stride = convolution.stride[a];
    const int64_t reach = convolution.dilation[a] * (convolution.filter_space[a] - 1);
    const int64_t room = in + 2 * pad - reach - 1;
    const int64_t out = convolution.transposed ? (in - 1) * stride - 2 * pad + reach + 1 + output_padding
                        : room < 0             ? 0
                                               : room / stride + 1;
    convolution.output_space.push_back(std::max<int64_t>(out, 1));
  }
  return convolution;
}

// The sites of all images; the largest number if there are more.
inline int64_t SitesOf(int64_t batch, const std::vector<int64_t>& space) {
  int64_t sites = batch;
  for (const int64_t extent : space) {
    if (__builtin_mul_overflow(sites, extent, &sites)) return std::numeric_limits<int64_t>::max();
  }
  return sites;
}

// How many rows of out_indices may be unused. More rows than sites are refused, except for submanifold duplicates.
inline int64_t SpareRows(const PairProblem& problem, const IndicePairs& expected) {
  const int64_t sites = SitesOf(problem.convolution.batch, problem.convolution.output_space);
  return std::max<int64_t>(sites - expected.num_act_out, 0);
}

inline void AddSpareRows(int64_t rows, const PairProblem& problem, IndicePairs& expected) {
  expected.out_indices.resize(expected.out_indices.size() + static_cast<size_t>(rows) * problem.columns(), -1);
}

inline std::string Describe(const PairProblem& problem) {
  const SparseConvolution& convolution = problem.convolution;
  std::ostringstream text;
  const auto print = [&](const char* name, const std::vector<int64_t>& numbers) {
    text << ", " << name;
    for (const int64_t number : numbers) text << ' ' << number;
  };
  text << (convolution.submanifold  ? "submanifold"
           : convolution.transposed ? "transposed"
                                    : "regular")
       << (problem.inverse ? " inverse" : "") << ", batch " << convolution.batch;
  print("input", convolution.input_space);
  print("filter", convolution.filter_space);
  print("output", convolution.output_space);
  print("pad", convolution.pad);
  print("stride", convolution.stride);
  print("dilation", convolution.dilation);
  text << ", " << problem.count() << " sites";
  for (size_t i = 0; i < std::min<size_t>(problem.sites.size(), 12); ++i) {
    text << (i == 0 ? ": (" : " (");
    for (size_t c = 0; c < problem.columns(); ++c) text << (c == 0 ? "" : ",") << problem.sites[i][c];
    text << ')';
  }
  return text.str();
}

// ---- the call ----

// May serve many problems, so that each finds the number of output sites of the one before.
class ConvolutionDescriptor {
 public:
  ConvolutionDescriptor() { Must(mluOpCreateSparseConvolutionDescriptor(&desc_), "create descriptor"); }
  explicit ConvolutionDescriptor(const PairProblem& problem) : ConvolutionDescriptor() { Set(problem); }
  ~ConvolutionDescriptor() { mluOpDestroySparseConvolutionDescriptor(desc_); }
  ConvolutionDescriptor(const ConvolutionDescriptor&) = delete;
  ConvolutionDescriptor& operator=(const ConvolutionDescriptor&) = delete;

  mluOpSparseConvolutionDescriptor_t get() const { return desc_; }

  int NumActOut() const {
    int number = -1;
    Must(mluOpGetSparseConvolutionNumActOut(desc_, &number), "mluOpGetSparseConvolutionNumActOut");
    return number;
  }

  // Through the contract's function where that can say it.
  void Set(const PairProblem& problem) {
    if (!problem.FitsContract()) return SetAsExtension(problem);
    const Arrays a(problem.convolution);
    Must(mluOpSetSparseConvolutionDescriptor(desc_, 5, a.batch, a.pad.data(), a.stride.data(), a.dilation.data(),
                                             a.input.data(), a.filter.data(), a.output.data(),
                                             problem.convolution.submanifold ? 1 : 0, 0, 0),
         "mluOpSetSparseConvolutionDescriptor");
  }

  void SetAsExtension(const PairProblem& problem) {
    const Arrays a(problem.convolution);
    Must(detopsSetSparseConvolutionDescriptor(
             desc_, static_cast<int>(problem.axes()), a.batch, a.pad.data(), a.stride.data(), a.dilation.data(),
             problem.output_padding.empty() ? nullptr : problem.output_padding.data(), a.input.data(), a.filter.data(),
             a.output.data(), problem.convolution.submanifold ? 1 : 0, problem.convolution.transposed ? 1 : 0,
             problem.inverse ? 1 : 0),
         "detopsSetSparseConvolutionDescriptor");
  }

 private:
  struct Arrays {
    explicit Arrays(const SparseConvolution& c)
        : batch(static_cast<int>(c.batch)),
          pad(c.pad.begin(), c.pad.end()),
          stride(c.stride.begin(), c.stride.end()),
          dilation(c.dilation.begin(), c.dilation.end()),
          input(c.input_space.begin(), c.input_space.end()),
          filter(c.filter_space.begin(), c.filter_space.end()),
          output(c.output_space.begin(), c.output_space.end()) {}
    int batch;
    std::vector<int> pad, stride, dilation, input, filter, output;
  };

  mluOpSparseConvolutionDescriptor_t desc_ = nullptr;
};

struct CallOptions {
  Placement placement = Placement::kAgainstEnd;
  size_t offset = 0;                    // misaligns the tensors
  size_t workspace_offset = 0;          // misaligns the workspace
  unsigned char workspace_byte = 0xFF;  // what the workspace holds before
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  bool extension = false;  // fill the descriptor through detops.h also where mlu_op.h could
};

// The tensors of a call; outputs hold canaries.
class PairCall {
 public:
  PairCall(const PairProblem& problem, int64_t rows, const CallOptions& options = {})
      : indices(options.layout, MLUOP_DTYPE_INT32, {problem.count(), Columns(problem)}, options.placement,
                options.offset),
        pairs(options.layout, MLUOP_DTYPE_INT32, {problem.convolution.KernelVolume(), 2, problem.count()},
              options.placement, options.offset),
        out_indices(options.layout, MLUOP_DTYPE_INT32, {rows, Columns(problem)}, options.placement, options.offset),
        num(options.layout, MLUOP_DTYPE_INT32, {problem.convolution.KernelVolume()}, options.placement,
            options.offset) {
    const std::vector<int32_t> flat = problem.Flat();
    if (!flat.empty()) std::memcpy(indices.data(), flat.data(), indices.bytes());
  }

  mluOpStatus_t Count(const Handle& handle, const ConvolutionDescriptor& desc, int64_t* count) const {
    return detopsCountIndicePairOutputs(handle.get(), desc.get(), indices.desc(), indices.data(), count);
  }

  mluOpStatus_t WorkspaceSize(const Handle& handle, const ConvolutionDescriptor& desc, size_t* size) const {
    return mluOpGetIndicePairsWorkspaceSize(handle.get(), desc.get(), indices.desc(), pairs.desc(), out_indices.desc(),
                                            num.desc(), size);
  }

  mluOpStatus_t Run(const Handle& handle, const ConvolutionDescriptor& desc, void* workspace, size_t size) {
    return mluOpGetIndicePairs(handle.get(), desc.get(), indices.desc(), indices.data(), workspace, size, pairs.desc(),
                               pairs.data(), out_indices.desc(), out_indices.data(), num.desc(), num.data());
  }

  Tensor indices, pairs, out_indices, num;

 private:
  static int64_t Columns(const PairProblem& problem) { return static_cast<int64_t>(problem.columns()); }
};

// Data may be misaligned, so it is copied.
inline std::vector<int32_t> Numbers(const Tensor& tensor) {
  std::vector<int32_t> numbers(static_cast<size_t>(tensor.elements()));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor.data(), tensor.bytes());
  return numbers;
}

// Empty when the tensor holds exactly these numbers and nothing beside it was written.
inline std::string Difference(const Tensor& tensor, const std::vector<int32_t>& expected) {
  const std::vector<int32_t> numbers = Numbers(tensor);
  std::ostringstream text;
  if (numbers.size() != expected.size()) {
    text << numbers.size() << " elements, expected " << expected.size();
  } else if (numbers != expected) {
    const auto at = std::mismatch(numbers.begin(), numbers.end(), expected.begin()).first - numbers.begin();
    const auto i = static_cast<size_t>(at);
    text << "element " << i << " (row " << at / tensor.extents().back() << ") is " << numbers[i] << ", expected "
         << expected[i];
  } else if (!tensor.SurroundingsIntact()) {
    text << "bytes beside the tensor were written";
  }
  return text.str();
}

// Counts and runs the problem and compares everything the call leaves behind. out_indices has the rows of `expected`.
inline void ExpectPairs(const Handle& handle, ConvolutionDescriptor& desc, const PairProblem& problem,
                        const IndicePairs& expected, const CallOptions& options = {}) {
  SCOPED_TRACE(Describe(problem));
  const auto rows = static_cast<int64_t>(expected.out_indices.size() / problem.columns());
  PairCall call(problem, rows, options);
  options.extension ? desc.SetAsExtension(problem) : desc.Set(problem);
  const int before = desc.NumActOut();
  int64_t count = -1;
  ASSERT_EQ(call.Count(handle, desc, &count), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_EQ(count, expected.num_act_out);
  size_t size = 1;
  ASSERT_EQ(call.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_SUCCESS) << handle.LastError();
  if (problem.count() == 0 || rows == 0) {
    ASSERT_EQ(size, 0u) << "a tensor has no elements";
  }
  ASSERT_LE(size, 64 * static_cast<size_t>(problem.count() + expected.num_act_out) + (size_t{64} << 20));
  ASSERT_EQ(desc.NumActOut(), before) << "only the call itself may change it";

  // Exactly as many bytes as were asked for: whoever uses one more faults or is seen in the slack.
  const GuardedBuffer workspace(size, options.placement, options.workspace_offset);
  if (size > 0) std::memset(workspace.data(), options.workspace_byte, size);
  ASSERT_EQ(call.Run(handle, desc, size > 0 ? workspace.data() : nullptr, size), MLUOP_STATUS_SUCCESS)
      << handle.LastError();
  ASSERT_STREQ(handle.LastError(), "");
  ASSERT_EQ(desc.NumActOut(), expected.num_act_out);
  ASSERT_EQ(Difference(call.num, expected.indice_num), "") << "indice_num";
  ASSERT_EQ(Difference(call.out_indices, expected.out_indices), "") << "out_indices";
  ASSERT_EQ(Difference(call.pairs, expected.pairs), "") << "indice_pairs";
  ASSERT_EQ(Difference(call.indices, problem.Flat()), "") << "indices";
  ASSERT_TRUE(workspace.SlackIntact()) << "bytes beside the workspace were written";
}

// The library's own result, with exactly as many rows as it counts, for tests that do without the reference.
inline IndicePairs RunPairs(const Handle& handle, const PairProblem& problem) {
  const ConvolutionDescriptor desc(problem);
  int64_t count = 0;
  Must(PairCall(problem, 0).Count(handle, desc, &count), "detopsCountIndicePairOutputs");
  PairCall call(problem, count);
  size_t size = 0;
  Must(call.WorkspaceSize(handle, desc, &size), "mluOpGetIndicePairsWorkspaceSize");
  const GuardedBuffer workspace(size);
  Must(call.Run(handle, desc, size > 0 ? workspace.data() : nullptr, size), "mluOpGetIndicePairs");
  return {Numbers(call.pairs), Numbers(call.out_indices), Numbers(call.num), desc.NumActOut()};
}

// ---- coordinates ----

// The same numbers on every machine, unlike the distributions of the standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  bool OneIn(int64_t times) { return Between(1, times) == 1; }
  template <class List>
  auto Pick(const List& list) {
    return list[static_cast<size_t>(Between(0, static_cast<int64_t>(std::size(list)) - 1))];
  }
  template <class List>
  void Shuffle(List& list) {
    for (size_t i = list.size(); i > 1; --i) {
      std::swap(list[i - 1], list[static_cast<size_t>(Between(0, static_cast<int64_t>(i) - 1))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

inline Site RandomSite(Random& random, const SparseConvolution& convolution) {
  Site site = {static_cast<int32_t>(random.Between(0, convolution.batch - 1))};
  for (size_t a = 0; a < convolution.input_space.size(); ++a) {
    site[a + 1] = static_cast<int32_t>(random.Between(0, convolution.input_space[a] - 1));
  }
  return site;
}

inline void SortUnique(std::vector<Site>& sites) {
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
}

}  // namespace detops_test::inline get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_TEST_PROBLEM_H_
