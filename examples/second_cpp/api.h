// The objects of the library's C interface, freed when they go out of scope.
#ifndef DETOPS_EXAMPLES_SECOND_CPP_API_H_
#define DETOPS_EXAMPLES_SECOND_CPP_API_H_

#include <detops.h>

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

// The library says in a sentence what was wrong.
inline void Check(mluOpStatus_t status) {
  if (status != MLUOP_STATUS_SUCCESS) throw std::runtime_error(detopsGetLastError(nullptr));
}

template <auto destroy>
struct Destroy {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);
  }
};

template <typename T, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy<destroy>>;

using Handle = Owned<mluOpHandle_t, mluOpDestroy>;
using Tensor = Owned<mluOpTensorDescriptor_t, mluOpDestroyTensorDescriptor>;
using Convolution = Owned<mluOpSparseConvolutionDescriptor_t, mluOpDestroySparseConvolutionDescriptor>;
using Rulebook = Owned<detopsRulebook_t, detopsDestroyRulebook>;

inline Handle MakeHandle() {
  mluOpHandle_t made = nullptr;
  Check(mluOpCreate(&made));
  Handle handle(made);
  // Rulebooks, bias and activation are beyond the accelerator's contract.
  Check(detopsSetProfile(made, DETOPS_PROFILE_FULL));
  return handle;
}

inline Tensor MakeTensor(mluOpDataType_t type, std::initializer_list<std::int64_t> shape,
                         mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY) {
  mluOpTensorDescriptor_t made = nullptr;
  Check(mluOpCreateTensorDescriptor(&made));
  Tensor tensor(made);
  const std::vector<int> extents(shape.begin(), shape.end());
  Check(mluOpSetTensorDescriptor(made, layout, type, static_cast<int>(extents.size()), extents.data()));
  return tensor;
}

#endif  // DETOPS_EXAMPLES_SECOND_CPP_API_H_
