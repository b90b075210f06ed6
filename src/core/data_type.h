// Sizes and names of element types and layouts, as the messages and the C API need them.
#ifndef DETOPS_CORE_DATA_TYPE_H_
#define DETOPS_CORE_DATA_TYPE_H_

#include <cstddef>

#include "mlu_op/types.h"

namespace detops {

// Bytes of one element; 0 for a value that names no type.
size_t SizeOfType(mluOpDataType_t type);

// "DTYPE_FLOAT" and "LAYOUT_NHWC" as the C API spells them; nullptr for a value that names nothing.
const char* FullTypeName(mluOpDataType_t type);
const char* FullLayoutName(mluOpTensorLayout_t layout);

// Short forms for messages: "float", "NHWC"; "unknown" for a value that names nothing.
const char* TypeName(mluOpDataType_t type);
const char* LayoutName(mluOpTensorLayout_t layout);

}  // namespace detops

#endif  // DETOPS_CORE_DATA_TYPE_H_
