// Tensor descriptors of mlu_op.h: pointer mode, on-chip type and quantization.
#include "core/call.h"
#include "core/tensor.h"
#include "mlu_op/tensor.h"

using detops::Call;

namespace {

// A field and the argument it goes to.
template <typename T>
struct Field {
  const char* argument;
  T* value;
  T mluOpTensorStruct::* field;
};

template <typename... T>
mluOpStatus_t GetFields(const Call& call, const mluOpTensorDescriptor_t desc, Field<T>... fields) {
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  mluOpStatus_t status = MLUOP_STATUS_SUCCESS;
  const auto check = [&](const char* argument, const void* value) {
    if (status == MLUOP_STATUS_SUCCESS && value == nullptr) {
      status = call.NullResult(argument);
    }
  };
  (check(fields.argument, fields.value), ...);
  if (status != MLUOP_STATUS_SUCCESS) return status;
  ((*fields.value = desc->*fields.field), ...);
  return call.Succeed();
}

}  // namespace

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPointerMode(mluOpTensorDescriptor_t desc,
                                                                mluOpPointerMode_t pointer_mode) {
  const Call call("mluOpSetTensorDescriptorPointerMode", nullptr);
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  if (pointer_mode != MLUOP_POINTER_MODE_HOST && pointer_mode != MLUOP_POINTER_MODE_DEVICE) {
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "pointer_mode is %d, expected 0 or 1.", static_cast<int>(pointer_mode));
  }
  desc->pointer_mode = pointer_mode;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPointerMode(mluOpTensorDescriptor_t desc,
                                                                mluOpPointerMode_t* pointer_mode) {
  return GetFields(Call("mluOpGetTensorDescriptorPointerMode", nullptr), desc,
                   Field<mluOpPointerMode_t>{"pointer_mode", pointer_mode, &mluOpTensorStruct::pointer_mode});
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorOnchipDataType(mluOpTensorDescriptor_t desc,
                                                                   mluOpDataType_t onchip_dtype) {
  const Call call("mluOpSetTensorDescriptorOnchipDataType", nullptr);
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  const int number = static_cast<int>(onchip_dtype);
  if (number < 0) return call.Fail(MLUOP_STATUS_BAD_PARAM, "onchip_dtype is %d, expected 0 or more.", number);
  desc->onchip_type = onchip_dtype;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorOnchipDataType(const mluOpTensorDescriptor_t desc,
                                                                   mluOpDataType_t* onchip_dtype) {
  return GetFields(Call("mluOpGetTensorDescriptorOnchipDataType", nullptr), desc,
                   Field<mluOpDataType_t>{"onchip_dtype", onchip_dtype, &mluOpTensorStruct::onchip_type});
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPosition(mluOpTensorDescriptor_t desc, int position) {
  const Call call("mluOpSetTensorDescriptorPosition", nullptr);
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  desc->position = position;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPositionAndScale(mluOpTensorDescriptor_t desc, int position,
                                                                     float scale) {
  const Call call("mluOpSetTensorDescriptorPositionAndScale", nullptr);
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  desc->position = position;
  desc->scale = scale;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPositionScaleAndOffset(mluOpTensorDescriptor_t desc, int position,
                                                                           float scale, int offset) {
  const Call call("mluOpSetTensorDescriptorPositionScaleAndOffset", nullptr);
  if (desc == nullptr) return call.NullArgument("desc", "a tensor descriptor");
  desc->position = position;
  desc->scale = scale;
  desc->offset = offset;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPosition(const mluOpTensorDescriptor_t desc, int* position) {
  return GetFields(Call("mluOpGetTensorDescriptorPosition", nullptr), desc,
                   Field<int>{"position", position, &mluOpTensorStruct::position});
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPositionAndScale(const mluOpTensorDescriptor_t desc, int* position,
                                                                     float* scale) {
  return GetFields(Call("mluOpGetTensorDescriptorPositionAndScale", nullptr), desc,
                   Field<int>{"position", position, &mluOpTensorStruct::position},
                   Field<float>{"scale", scale, &mluOpTensorStruct::scale});
}

mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPositionScaleAndOffset(const mluOpTensorDescriptor_t desc,
                                                                           int* position, float* scale, int* offset) {
  return GetFields(Call("mluOpGetTensorDescriptorPositionScaleAndOffset", nullptr), desc,
                   Field<int>{"position", position, &mluOpTensorStruct::position},
                   Field<float>{"scale", scale, &mluOpTensorStruct::scale},
                   Field<int>{"offset", offset, &mluOpTensorStruct::offset});
}
