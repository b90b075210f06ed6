// The arguments of the two functions that set a sparse-convolution descriptor, and the state of a descriptor as far as
// anybody can see it: no function reads one back, so it is observed through what mluOpGetIndicePairs and
// detopsCountIndicePairOutputs do with it.
#ifndef DETOPS_TESTS_DESCRIPTORS_SPARSE_CONVOLUTION_STATE_H_
#define DETOPS_TESTS_DESCRIPTORS_SPARSE_CONVOLUTION_STATE_H_

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "support/guarded_buffer.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_test {

inline std::string ThreadText() { return detopsGetLastError(nullptr); }

// ---- the arguments of the two Set functions ----

enum Array { kPad, kStride, kDilation, kInputSpace, kFilterSpace, kOutputSpace, kOutputPadding, kArrays };
inline constexpr const char* kArrayNames[] = {"pad",          "stride",       "dilation",      "input_space",
                                              "filter_space", "output_space", "output_padding"};

// "pad[2]"
inline std::string ElementOf(int array, size_t axis) {
  std::string text = kArrayNames[array];
  return text.append("[").append(std::to_string(axis)).append("]");
}

struct Arguments {
  std::vector<int> arrays[kArrays];
  int batch = 1;
  int sub_m = 0, transpose = 0, inverse = 0;
  int surplus_dimensions = 0;  // added to the number of dimensions that is told, not to the arrays
  bool null_desc = false;
  bool null_array[kArrays] = {};

  int dimensions() const { return static_cast<int>(arrays[kPad].size()); }
};

class Setter {
 public:
  virtual ~Setter() = default;
  virtual const char* name() const = 0;
  virtual mluOpStatus_t Set(mluOpSparseConvolutionDescriptor_t desc, const Arguments& a) const = 0;

 protected:
  static const int* Place(const Arguments& a, Array which) {
    return a.null_array[which] ? nullptr : a.arrays[which].data();
  }
};

class ContractSetter : public Setter {
 public:
  const char* name() const override { return "mluOpSetSparseConvolutionDescriptor"; }
  mluOpStatus_t Set(mluOpSparseConvolutionDescriptor_t desc, const Arguments& a) const override {
    return mluOpSetSparseConvolutionDescriptor(a.null_desc ? nullptr : desc, a.dimensions() + 2 + a.surplus_dimensions,
                                               a.batch, Place(a, kPad), Place(a, kStride), Place(a, kDilation),
                                               Place(a, kInputSpace), Place(a, kFilterSpace), Place(a, kOutputSpace),
                                               a.sub_m, a.transpose, a.inverse);
  }
};

class FullSetter : public Setter {
 public:
  const char* name() const override { return "detopsSetSparseConvolutionDescriptor"; }
  mluOpStatus_t Set(mluOpSparseConvolutionDescriptor_t desc, const Arguments& a) const override {
    return detopsSetSparseConvolutionDescriptor(a.null_desc ? nullptr : desc, a.dimensions() + a.surplus_dimensions,
                                                a.batch, Place(a, kPad), Place(a, kStride), Place(a, kDilation),
                                                Place(a, kOutputPadding), Place(a, kInputSpace), Place(a, kFilterSpace),
                                                Place(a, kOutputSpace), a.sub_m, a.transpose, a.inverse);
  }
};

inline const ContractSetter kContractSetter;
inline const FullSetter kFullSetter;
inline const Setter* const kSetters[] = {&kContractSetter, &kFullSetter};

// Numbers that differ from axis to axis and from each other, so that a confusion shows.
inline Arguments First() {
  Arguments a;
  const std::vector<int> arrays[kArrays] = {{1, 0, 2}, {1, 2, 1}, {2, 1, 1}, {5, 6, 7},
                                            {2, 3, 2}, {6, 2, 8}, {0, 0, 0}};
  for (int i = 0; i < kArrays; ++i) a.arrays[i] = arrays[i];
  a.batch = 2;
  return a;
}

// Different from First in every number.
inline Arguments Second() {
  Arguments a;
  const std::vector<int> arrays[kArrays] = {{0, 1, 3}, {2, 1, 3}, {1, 3, 2}, {4, 5, 8},
                                            {3, 1, 3}, {5, 4, 7}, {1, 1, 1}};
  for (int i = 0; i < kArrays; ++i) a.arrays[i] = arrays[i];
  a.batch = 3;
  a.sub_m = 1;
  return a;
}

// ---- the state of a descriptor, as far as anybody can see it ----

inline Tensor Int32Tensor(const std::vector<int64_t>& extents) {
  return Tensor(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, extents);
}

struct Tensors {
  // For a convolution of the given geometry over these sites.
  Tensors(const Arguments& geometry, const std::vector<double>& sites)
      : columns(geometry.dimensions() + 1),
        count(static_cast<int64_t>(sites.size()) / columns),
        offsets(Product(geometry.arrays[kFilterSpace])),
        indices(Int32Tensor({count, columns})),
        indice_pairs(Int32Tensor({offsets, 2, count})),
        out_indices(Int32Tensor({geometry.sub_m != 0 ? count : std::min(offsets * count, Sites(geometry)), columns})),
        indice_num(Int32Tensor({offsets})) {
    indices.Assign(sites);
  }

  mluOpStatus_t Run(const Handle& handle, mluOpSparseConvolutionDescriptor_t desc) {
    size_t size = 0;
    const mluOpStatus_t status = mluOpGetIndicePairsWorkspaceSize(
        handle.get(), desc, indices.desc(), indice_pairs.desc(), out_indices.desc(), indice_num.desc(), &size);
    if (status != MLUOP_STATUS_SUCCESS) return status;
    const GuardedBuffer workspace(size);
    return mluOpGetIndicePairs(handle.get(), desc, indices.desc(), indices.data(), workspace.data(), size,
                               indice_pairs.desc(), indice_pairs.data(), out_indices.desc(), out_indices.data(),
                               indice_num.desc(), indice_num.data());
  }

  static int64_t Product(const std::vector<int>& numbers) {
    int64_t product = 1;
    for (const int number : numbers) product *= number;
    return product;
  }
  static int64_t Sites(const Arguments& geometry) { return geometry.batch * Product(geometry.arrays[kOutputSpace]); }

  int64_t columns, count, offsets;
  Tensor indices, indice_pairs, out_indices, indice_num;
};

inline void Print(const Tensor& tensor, std::ostringstream& out) {
  for (const double value : tensor.Values()) out << value << ' ';
  out << '\n';
}

// What calls with tensors of First's shapes give: in both profiles, and for sites at and beyond each border.
inline std::string Fingerprint(mluOpSparseConvolutionDescriptor_t desc) {
  std::ostringstream out;
  Handle handle;
  for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    handle.SetProfile(profile);
    Tensors tensors(First(), {0, 0, 0, 0, 1, 4, 5, 6, 0, 1, 2, 3, 1, 2, 3, 5, 0, 3, 4, 2, 1, 3, 0, 4});
    out << tensors.Run(handle, desc) << handle.LastError() << '\n';
    Print(tensors.indice_pairs, out);
    Print(tensors.out_indices, out);
    Print(tensors.indice_num, out);
  }
  for (int64_t axis = 0; axis < 4; ++axis) {
    const Arguments first = First();
    const int extent = axis == 0 ? first.batch : first.arrays[kInputSpace][static_cast<size_t>(axis) - 1];
    for (const int coordinate : {extent - 1, extent}) {
      Tensors tensors(first, {0, 0, 0, 0});
      tensors.indices.Set(axis, coordinate);
      int64_t count = -1;
      out << detopsCountIndicePairOutputs(handle.get(), desc, tensors.indices.desc(), tensors.indices.data(), &count)
          << ' ' << count << '\n';
    }
  }
  return out.str();
}

inline int NumActOut(mluOpSparseConvolutionDescriptor_t desc) {
  int number = -1;
  EXPECT_EQ(mluOpGetSparseConvolutionNumActOut(desc, &number), MLUOP_STATUS_SUCCESS);
  return number;
}

class SparseConvolutionDescriptorTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(mluOpCreateSparseConvolutionDescriptor(&desc_), MLUOP_STATUS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(mluOpDestroySparseConvolutionDescriptor(desc_), MLUOP_STATUS_SUCCESS); }

  mluOpSparseConvolutionDescriptor_t desc_ = nullptr;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_DESCRIPTORS_SPARSE_CONVOLUTION_STATE_H_
