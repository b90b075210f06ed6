/* Tensor descriptors. Part of mlu_op.h.
 *
 * A descriptor tells layout, type, extents and strides of a tensor; it holds no data. A new or reset one
 * has rank 0, type float, layout ARRAY, no on-chip type, pointer mode DEVICE, 0 elements, position 0,
 * scale 1, offset 0.
 *
 * What all Set functions check, in this order: desc not NULL; layout and dtype not negative (any other
 * value is kept, the operators judge it); rank (dimNb) not negative, and 0 only in pointer mode HOST,
 * where the tensor is one scalar; arrays not NULL (the Ex functions ask this before the layout); extents not
 * negative. All these are BAD_PARAM.
 * ALLOC_FAILED is possible for ranks above MLUOP_DIM_MAX. A Set that fails leaves the descriptor as it was.
 * dimSize (and dimStride) must hold dimNb numbers. The product of the extents may be anything: what an
 * operator cannot address it answers with NOT_SUPPORTED. */
#ifndef DETOPS_MLU_OP_TENSOR_H_
#define DETOPS_MLU_OP_TENSOR_H_

#include <stddef.h>
#include <stdint.h>

#include "linkage.h"
#include "types.h"

DETOPS_C_BEGIN

/** Describes a tensor. */
typedef struct mluOpTensorStruct* mluOpTensorDescriptor_t;

/* ---- create and destroy --------------------------------------------------------------------- */

/** Makes a descriptor. BAD_PARAM: desc is NULL. ALLOC_FAILED: out of memory, *desc is left as it was. */
mluOpStatus_t MLUOP_WIN_API mluOpCreateTensorDescriptor(mluOpTensorDescriptor_t* desc);

/** Makes desc_num descriptors and writes each to *group_desc[i].
 * BAD_PARAM: group_desc or one of its pointers is NULL; desc_num <= 0. ALLOC_FAILED: none is made. */
mluOpStatus_t MLUOP_WIN_API mluOpCreateGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                              const int desc_num);

/** Frees a descriptor. BAD_PARAM: desc is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpDestroyTensorDescriptor(mluOpTensorDescriptor_t desc);

/** Frees desc_num descriptors. BAD_PARAM, and none is freed: group_desc, one of its pointers or one of the
 * descriptors is NULL; desc_num <= 0. */
mluOpStatus_t MLUOP_WIN_API mluOpDestroyGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                               const int desc_num);

/** Brings the descriptor back to the state of a new one. BAD_PARAM: desc is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpResetTensorDescriptor(mluOpTensorDescriptor_t desc);

/* ---- shape, type and layout ----------------------------------------------------------------- */

/** Sets a dense (row-major) tensor. Statuses: see the top of this file. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptor(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                                     mluOpDataType_t dtype, int dimNb, const int dimSize[]);

/** As mluOpSetTensorDescriptor with 64-bit extents. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptor_v2(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                                        mluOpDataType_t dtype, int dimNb, const int64_t dimSize[]);

/** Sets desc_num dense tensors; group_dimSize holds the extents of the first, then of the second, ...
 * BAD_PARAM, and none is set: as above for any of them, an array is NULL, or desc_num <= 0. */
mluOpStatus_t MLUOP_WIN_API mluOpSetGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                           const mluOpTensorLayout_t group_layout[],
                                                           const mluOpDataType_t group_dtype[], const int group_dimNb[],
                                                           const int group_dimSize[], const int desc_num);

/** As mluOpSetGroupTensorDescriptors with 64-bit extents. */
mluOpStatus_t MLUOP_WIN_API mluOpSetGroupTensorDescriptors_v2(mluOpTensorDescriptor_t* group_desc[],
                                                              const mluOpTensorLayout_t group_layout[],
                                                              const mluOpDataType_t group_dtype[],
                                                              const int group_dimNb[], const int64_t group_dimSize[],
                                                              const int desc_num);

/** Sets a tensor with the caller's strides, in elements; any stride is kept. The operators here accept
 * only dense tensors and answer others with NOT_SUPPORTED.
 * BAD_PARAM: as above; dimStride is NULL; dimNb is 0, also in pointer mode HOST. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorEx(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                                       mluOpDataType_t dtype, int dimNb, const int dimSize[],
                                                       const int dimStride[]);

/** As mluOpSetTensorDescriptorEx with 64-bit extents and strides; dimNb may be 0 in pointer mode HOST. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorEx_v2(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                                          mluOpDataType_t dtype, int dimNb, const int64_t dimSize[],
                                                          const int64_t dimStride[]);

/** Changes rank and extents, dense; layout and type stay. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorDim(mluOpTensorDescriptor_t desc, int dimNb, const int* dimSize);

/** As mluOpSetTensorDescriptorDim with 64-bit extents. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorDim_v2(mluOpTensorDescriptor_t desc, int dimNb,
                                                           const int64_t* dimSize);

/** Reads a descriptor; NULL out-pointers are skipped. dimSize must have room for the rank.
 * BAD_PARAM: desc is NULL; an extent does not fit int (use the _v2 function). */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptor(const mluOpTensorDescriptor_t desc, mluOpTensorLayout_t* layout,
                                                     mluOpDataType_t* dtype, int* dimNb, int dimSize[]);

/** As mluOpGetTensorDescriptor with 64-bit extents. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptor_v2(const mluOpTensorDescriptor_t desc, mluOpTensorLayout_t* layout,
                                                        mluOpDataType_t* dtype, int* dimNb, int64_t dimSize[]);

/** Reads a descriptor with its strides. BAD_PARAM: any pointer is NULL; an extent or stride does not fit int. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorEx(const mluOpTensorDescriptor_t desc, mluOpTensorLayout_t* layout,
                                                       mluOpDataType_t* dtype, int* dimNb, int dimSize[],
                                                       int dimStride[]);

/** As mluOpGetTensorDescriptorEx with 64-bit extents and strides. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorEx_v2(const mluOpTensorDescriptor_t desc,
                                                          mluOpTensorLayout_t* layout, mluOpDataType_t* dtype,
                                                          int* dimNb, int64_t dimSize[], int64_t dimStride[]);

/** Product of the extents; the largest int64 when it does not fit; 0 for NULL, a new or a reset descriptor. */
size_t MLUOP_WIN_API mluOpGetTensorElementNum(const mluOpTensorDescriptor_t desc);

/* ---- pointer mode, on-chip type and quantization: kept for the caller ----
 * The operators ignore them, but for the on-chip types that mluOpIndiceConvolutionBackwardFilter checks. */

/** BAD_PARAM: desc is NULL; pointer_mode is neither value. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPointerMode(mluOpTensorDescriptor_t desc,
                                                                mluOpPointerMode_t pointer_mode);

/** BAD_PARAM: desc or pointer_mode is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPointerMode(mluOpTensorDescriptor_t desc,
                                                                mluOpPointerMode_t* pointer_mode);

/** BAD_PARAM: desc is NULL; onchip_dtype is negative. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorOnchipDataType(mluOpTensorDescriptor_t desc,
                                                                   mluOpDataType_t onchip_dtype);

/** BAD_PARAM: desc or onchip_dtype is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorOnchipDataType(const mluOpTensorDescriptor_t desc,
                                                                   mluOpDataType_t* onchip_dtype);

/** BAD_PARAM: desc is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPosition(mluOpTensorDescriptor_t desc, int position);

/** BAD_PARAM: desc is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPositionAndScale(mluOpTensorDescriptor_t desc, int position,
                                                                     float scale);

/** BAD_PARAM: desc is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPositionScaleAndOffset(mluOpTensorDescriptor_t desc, int position,
                                                                           float scale, int offset);

/** BAD_PARAM: a pointer is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPosition(const mluOpTensorDescriptor_t desc, int* position);

/** BAD_PARAM: a pointer is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPositionAndScale(const mluOpTensorDescriptor_t desc, int* position,
                                                                     float* scale);

/** BAD_PARAM: a pointer is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPositionScaleAndOffset(const mluOpTensorDescriptor_t desc,
                                                                           int* position, float* scale, int* offset);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_TENSOR_H_ */
