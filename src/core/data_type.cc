#include "core/data_type.h"

#include <cstring>

namespace detops {
namespace {

struct TypeRow {
  mluOpDataType_t type;
  size_t size;
  const char* full_name;
  const char* name;
};

// clang-format off
constexpr TypeRow kTypes[] = {
    {MLUOP_DTYPE_INVALID,       0, "DTYPE_INVALID",       "invalid"},
    {MLUOP_DTYPE_HALF,          2, "DTYPE_HALF",          "half"},
    {MLUOP_DTYPE_FLOAT,         4, "DTYPE_FLOAT",         "float"},
    {MLUOP_DTYPE_INT8,          1, "DTYPE_INT8",          "int8"},
    {MLUOP_DTYPE_INT16,         2, "DTYPE_INT16",         "int16"},
    {MLUOP_DTYPE_INT31,         4, "DTYPE_INT31",         "int31"},
    {MLUOP_DTYPE_INT32,         4, "DTYPE_INT32",         "int32"},
    {MLUOP_DTYPE_UINT8,         1, "DTYPE_UINT8",         "uint8"},
    {MLUOP_DTYPE_BOOL,          1, "DTYPE_BOOL",          "bool"},
    {MLUOP_DTYPE_INT64,         8, "DTYPE_INT64",         "int64"},
    {MLUOP_DTYPE_UINT32,        4, "DTYPE_UINT32",        "uint32"},
    {MLUOP_DTYPE_UINT64,        8, "DTYPE_UINT64",        "uint64"},
    {MLUOP_DTYPE_UINT16,        2, "DTYPE_UINT16",        "uint16"},
    {MLUOP_DTYPE_DOUBLE,        8, "DTYPE_DOUBLE",        "double"},
    {MLUOP_DTYPE_COMPLEX_HALF,  4, "DTYPE_COMPLEX_HALF",  "complex_half"},
    {MLUOP_DTYPE_COMPLEX_FLOAT, 8, "DTYPE_COMPLEX_FLOAT", "complex_float"},
    {MLUOP_DTYPE_BFLOAT16,      2, "DTYPE_BFLOAT16",      "bfloat16"},
};

// In the order of their values.
constexpr const char* kLayouts[] = {
    "LAYOUT_NCHW", "LAYOUT_NHWC", "LAYOUT_HWCN", "LAYOUT_NDHWC", "LAYOUT_ARRAY", "LAYOUT_NCDHW",
    "LAYOUT_TNC",  "LAYOUT_NTC",  "LAYOUT_NC",   "LAYOUT_NLC",   "LAYOUT_NCL",
};
// clang-format on

const TypeRow* FindType(mluOpDataType_t type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace

size_t SizeOfType(mluOpDataType_t type) {
  const TypeRow* row = FindType(type);
  return row != nullptr ? row->size : 0;
}

const char* FullTypeName(mluOpDataType_t type) {
  const TypeRow* row = FindType(type);
  return row != nullptr ? row->full_name : nullptr;
}

const char* FullLayoutName(mluOpTensorLayout_t layout) {
  const auto index = static_cast<size_t>(layout);
  return index < sizeof(kLayouts) / sizeof(kLayouts[0]) ? kLayouts[index] : nullptr;
}

const char* TypeName(mluOpDataType_t type) {
  const TypeRow* row = FindType(type);
  return row != nullptr ? row->name : "unknown";
}

const char* LayoutName(mluOpTensorLayout_t layout) {
  const char* full = FullLayoutName(layout);
  return full != nullptr ? full + std::strlen("LAYOUT_") : "unknown";
}

}  // namespace detops
