// Tensor descriptors of mlu_op.h: making, shapes and strides.
#include <climits>
#include <new>
#include <type_traits>

#include "core/call.h"
#include "core/tensor.h"
#include "mlu_op/tensor.h"

using detops::Call;

namespace {

// What a Set function was asked for. The pointers are the caller's; `strides` nullptr means dense.
template <typename Integer>
struct Request {
  mluOpTensorLayout_t layout;
  mluOpDataType_t type;
  int rank;
  const Integer* extents;
  const Integer* strides;
};

// Everything a Set function checks about one descriptor; makes room too, so that Apply cannot fail.
template <typename Integer>
mluOpStatus_t Prepare(const Call& call, mluOpTensorStruct& desc, const Request<Integer>& request) {
  const int layout = static_cast<int>(request.layout);
  const int type = static_cast<int>(request.type);
  if (layout < 0) return call.Fail(MLUOP_STATUS_BAD_PARAM, "layout is %d, expected 0 or more.", layout);
  if (type < 0) return call.Fail(MLUOP_STATUS_BAD_PARAM, "dtype is %d, expected 0 or more.", type);
  if (request.rank < 0) return call.Fail(MLUOP_STATUS_BAD_PARAM, "dimNb is %d, expected 0 or more.", request.rank);
  if (request.rank == 0) {
    if (desc.pointer_mode == MLUOP_POINTER_MODE_HOST) return MLUOP_STATUS_SUCCESS;
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "dimNb is 0, expected 1 or more unless the pointer mode is HOST.");
  }
  if (request.extents == nullptr) return call.NullArgument("dimSize", "an array of dimNb extents");
  for (int axis = 0; axis < request.rank; ++axis) {
    const auto extent = static_cast<long long>(request.extents[axis]);
    if (extent < 0) {
      return call.Fail(MLUOP_STATUS_BAD_PARAM, "dimSize[%d] is %lld, expected 0 or more.", axis, extent);
    }
  }
  if (!desc.Reserve(request.rank)) {
    return call.Fail(MLUOP_STATUS_ALLOC_FAILED, "no memory for %d extents.", request.rank);
  }
  return MLUOP_STATUS_SUCCESS;
}

template <typename Integer>
void Apply(mluOpTensorStruct& desc, const Request<Integer>& request) {
  desc.layout = request.layout;
  desc.type = request.type;
  desc.SetShape(request.rank, request.extents, request.strides);
}

template <typename Integer>
mluOpStatus_t PrepareAndApply(const Call& call, mluOpTensorStruct& desc, const Request<Integer>& request) {
  const mluOpStatus_t status = Prepare(call, desc, request);
  if (status != MLUOP_STATUS_SUCCESS) return status;
  Apply(desc, request);
  return call.Succeed();
}

template <typename Integer>
mluOpStatus_t Set(const Call& call, mluOpTensorDescriptor_t desc, const Request<Integer>& request) {
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  return PrepareAndApply(call, *desc, request);
}

template <typename Integer>
mluOpStatus_t SetEx(const Call& call, mluOpTensorDescriptor_t desc, const Request<Integer>& request) {
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  if (request.extents == nullptr) return call.NullArgument("dimSize", "an array of dimNb extents");
  if (request.strides == nullptr) return call.NullArgument("dimStride", "an array of dimNb strides");
  // The contract lets the form with 64-bit numbers alone say "one number, no axes".
  if (std::is_same_v<Integer, int> && request.rank <= 0) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "dimNb is %d, expected 1 or more.", request.rank);
  }
  return PrepareAndApply(call, *desc, request);
}

template <typename Integer>
mluOpStatus_t SetDim(const Call& call, mluOpTensorDescriptor_t desc, int rank, const Integer* extents) {
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  return PrepareAndApply<Integer>(call, *desc, {desc->layout, desc->type, rank, extents, nullptr});
}

// Whether all pointers of a group are there; if not, the call has failed with BAD_PARAM.
bool CheckGroupPointers(const Call& call, mluOpTensorDescriptor_t* const group_desc[], int desc_num) {
  if (group_desc == nullptr) {
    call.NullArgument("group_desc", "an array of pointers to descriptors");
    return false;
  }
  if (desc_num <= 0) {
    call.Fail(MLUOP_STATUS_BAD_PARAM, "desc_num is %d, expected 1 or more.", desc_num);
    return false;
  }
  for (int i = 0; i < desc_num; ++i) {
    if (group_desc[i] == nullptr) {
      call.Fail(MLUOP_STATUS_BAD_PARAM, "group_desc[%d] is NULL, expected a pointer to a descriptor.", i);
      return false;
    }
  }
  return true;
}

// The same for the descriptors they point to.
bool CheckGroupDescriptors(const Call& call, mluOpTensorDescriptor_t* const group_desc[], int desc_num) {
  if (!CheckGroupPointers(call, group_desc, desc_num)) return false;
  for (int i = 0; i < desc_num; ++i) {
    if (*group_desc[i] == nullptr) {
      call.Fail(MLUOP_STATUS_BAD_PARAM, "*group_desc[%d] is NULL, expected a tensor descriptor.", i);
      return false;
    }
  }
  return true;
}

template <typename Integer>
mluOpStatus_t SetGroup(const Call& call, mluOpTensorDescriptor_t* const group_desc[],
                       const mluOpTensorLayout_t* layouts, const mluOpDataType_t* types, const int* ranks,
                       const Integer* extents, int desc_num) {
  if (!CheckGroupDescriptors(call, group_desc, desc_num)) return MLUOP_STATUS_BAD_PARAM;
  if (layouts == nullptr) return call.NullArgument("group_layout", "an array of desc_num layouts");
  if (types == nullptr) return call.NullArgument("group_dtype", "an array of desc_num types");
  if (ranks == nullptr) return call.NullArgument("group_dimNb", "an array of desc_num ranks");
  if (extents == nullptr) return call.NullArgument("group_dimSize", "the extents of all descriptors");
  // All checks and allocations first, so that a failure leaves every descriptor as it was.
  const Integer* next = extents;
  for (int i = 0; i < desc_num; ++i) {
    const mluOpStatus_t status =
        Prepare<Integer>(call, **group_desc[i], {layouts[i], types[i], ranks[i], next, nullptr});
    if (status != MLUOP_STATUS_SUCCESS) return status;
    next += ranks[i];
  }
  next = extents;
  for (int i = 0; i < desc_num; ++i) {
    Apply<Integer>(**group_desc[i], {layouts[i], types[i], ranks[i], next, nullptr});
    next += ranks[i];
  }
  return call.Succeed();
}

// Whether extents (and strides) can be given back in the caller's integer type.
bool Fits(int64_t value, const int* /*as*/) { return value >= INT_MIN && value <= INT_MAX; }
bool Fits(int64_t /*value*/, const int64_t* /*as*/) { return true; }

template <typename Integer>
mluOpStatus_t Read(const Call& call, mluOpTensorDescriptor_t desc, mluOpTensorLayout_t* layout, mluOpDataType_t* dtype,
                   int* rank, Integer* extents, Integer* strides) {
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  for (int axis = 0; axis < desc->rank(); ++axis) {
    const bool extent_fits = extents == nullptr || Fits(desc->extent(axis), extents);
    if (extent_fits && (strides == nullptr || Fits(desc->stride(axis), strides))) continue;
    return call.Fail(MLUOP_STATUS_BAD_PARAM,
                     "desc has %s %lld on axis %d, expected a number that fits int; use the _v2 function.",
                     extent_fits ? "stride" : "extent",
                     static_cast<long long>(extent_fits ? desc->stride(axis) : desc->extent(axis)), axis);
  }
  if (layout != nullptr) *layout = desc->layout;
  if (dtype != nullptr) *dtype = desc->type;
  if (rank != nullptr) *rank = desc->rank();
  for (int axis = 0; axis < desc->rank(); ++axis) {
    if (extents != nullptr) extents[axis] = static_cast<Integer>(desc->extent(axis));
    if (strides != nullptr) strides[axis] = static_cast<Integer>(desc->stride(axis));
  }
  return call.Succeed();
}

template <typename Integer>
mluOpStatus_t ReadEx(const Call& call, mluOpTensorDescriptor_t desc, mluOpTensorLayout_t* layout,
                     mluOpDataType_t* dtype, int* rank, Integer* extents, Integer* strides) {
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  if (layout == nullptr) return call.NullResult("layout");
  if (dtype == nullptr) return call.NullResult("dtype");
  if (rank == nullptr) return call.NullResult("dimNb");
  if (extents == nullptr) return call.NullResult("dimSize");
  if (strides == nullptr) return call.NullResult("dimStride");
  return Read(call, desc, layout, dtype, rank, extents, strides);
}

}  // namespace

mluOpStatus_t MLUOP_WIN_API mluOpCreateTensorDescriptor(mluOpTensorDescriptor_t* desc) {
  const Call call("mluOpCreateTensorDescriptor", nullptr);
  if (desc == nullptr) return call.NullResult("desc");
  auto* made = new (std::nothrow) mluOpTensorStruct;
  if (made == nullptr) return call.Fail(MLUOP_STATUS_ALLOC_FAILED, "no memory for a descriptor.");
  *desc = made;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpCreateGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                              const int desc_num) {
  const Call call("mluOpCreateGroupTensorDescriptors", nullptr);
  if (!CheckGroupPointers(call, group_desc, desc_num)) return MLUOP_STATUS_BAD_PARAM;
  // Made into an array of their own first: nothing of the caller's changes unless all can be made.
  auto* made = new (std::nothrow) mluOpTensorDescriptor_t[static_cast<size_t>(desc_num)];
  int count = 0;
  for (; made != nullptr && count < desc_num; ++count) {
    made[count] = new (std::nothrow) mluOpTensorStruct;
    if (made[count] == nullptr) break;
  }
  const bool all = count == desc_num;
  for (int i = 0; i < count; ++i) {
    if (all) {
      *group_desc[i] = made[i];
    } else {
      delete made[i];
    }
  }
  delete[] made;
  if (!all) return call.Fail(MLUOP_STATUS_ALLOC_FAILED, "no memory for %d descriptors.", desc_num);
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpDestroyTensorDescriptor(mluOpTensorDescriptor_t desc) {
  const Call call("mluOpDestroyTensorDescriptor", nullptr);
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  delete desc;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpDestroyGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                               const int desc_num) {
  const Call call("mluOpDestroyGroupTensorDescriptors", nullptr);
  if (!CheckGroupDescriptors(call, group_desc, desc_num)) return MLUOP_STATUS_BAD_PARAM;
  for (int i = 0; i < desc_num; ++i) delete *group_desc[i];
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpResetTensorDescriptor(mluOpTensorDescriptor_t desc) {
  const Call call("mluOpResetTensorDescriptor", nullptr);
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  desc->Reset();
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptor(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                                     mluOpDataType_t dtype, int dimNb, const int dimSize[]) {
  return Set<int>(Call("mluOpSetTensorDescriptor", nullptr), desc, {layout, dtype, dimNb, dimSize, nullptr});
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptor_v2(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                                        mluOpDataType_t dtype, int dimNb, const int64_t dimSize[]) {
  return Set<int64_t>(Call("mluOpSetTensorDescriptor_v2", nullptr), desc, {layout, dtype, dimNb, dimSize, nullptr});
}

mluOpStatus_t MLUOP_WIN_API mluOpSetGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                           const mluOpTensorLayout_t group_layout[],
                                                           const mluOpDataType_t group_dtype[], const int group_dimNb[],
                                                           const int group_dimSize[], const int desc_num) {
  return SetGroup<int>(Call("mluOpSetGroupTensorDescriptors", nullptr), group_desc, group_layout, group_dtype,
                       group_dimNb, group_dimSize, desc_num);
}

mluOpStatus_t MLUOP_WIN_API mluOpSetGroupTensorDescriptors_v2(mluOpTensorDescriptor_t* group_desc[],
                                                              const mluOpTensorLayout_t group_layout[],
                                                              const mluOpDataType_t group_dtype[],
                                                              const int group_dimNb[], const int64_t group_dimSize[],
                                                              const int desc_num) {
  return SetGroup<int64_t>(Call("mluOpSetGroupTensorDescriptors_v2", nullptr), group_desc, group_layout, group_dtype,
                           group_dimNb, group_dimSize, desc_num);
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorEx(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                                       mluOpDataType_t dtype, int dimNb, const int dimSize[],
                                                       const int dimStride[]) {
  return SetEx<int>(Call("mluOpSetTensorDescriptorEx", nullptr), desc, {layout, dtype, dimNb, dimSize, dimStride});
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorEx_v2(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                                          mluOpDataType_t dtype, int dimNb, const int64_t dimSize[],
                                                          const int64_t dimStride[]) {
  return SetEx<int64_t>(Call("mluOpSetTensorDescriptorEx_v2", nullptr), desc,
                        {layout, dtype, dimNb, dimSize, dimStride});
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorDim(mluOpTensorDescriptor_t desc, int dimNb, const int* dimSize) {
  return SetDim(Call("mluOpSetTensorDescriptorDim", nullptr), desc, dimNb, dimSize);
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorDim_v2(mluOpTensorDescriptor_t desc, int dimNb,
                                                           const int64_t* dimSize) {
  return SetDim(Call("mluOpSetTensorDescriptorDim_v2", nullptr), desc, dimNb, dimSize);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptor(const mluOpTensorDescriptor_t desc, mluOpTensorLayout_t* layout,
                                                     mluOpDataType_t* dtype, int* dimNb, int dimSize[]) {
  return Read<int>(Call("mluOpGetTensorDescriptor", nullptr), desc, layout, dtype, dimNb, dimSize, nullptr);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptor_v2(const mluOpTensorDescriptor_t desc, mluOpTensorLayout_t* layout,
                                                        mluOpDataType_t* dtype, int* dimNb, int64_t dimSize[]) {
  return Read<int64_t>(Call("mluOpGetTensorDescriptor_v2", nullptr), desc, layout, dtype, dimNb, dimSize, nullptr);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorEx(const mluOpTensorDescriptor_t desc, mluOpTensorLayout_t* layout,
                                                       mluOpDataType_t* dtype, int* dimNb, int dimSize[],
                                                       int dimStride[]) {
  return ReadEx<int>(Call("mluOpGetTensorDescriptorEx", nullptr), desc, layout, dtype, dimNb, dimSize, dimStride);
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorEx_v2(const mluOpTensorDescriptor_t desc,
                                                          mluOpTensorLayout_t* layout, mluOpDataType_t* dtype,
                                                          int* dimNb, int64_t dimSize[], int64_t dimStride[]) {
  return ReadEx<int64_t>(Call("mluOpGetTensorDescriptorEx_v2", nullptr), desc, layout, dtype, dimNb, dimSize,
                         dimStride);
}

size_t MLUOP_WIN_API mluOpGetTensorElementNum(const mluOpTensorDescriptor_t desc) {
  return desc != nullptr ? static_cast<size_t>(desc->element_count()) : 0;
}
