// Rows of what tensor descriptors hold besides shape and strides: pointer mode, on-chip type, quantization; and of the
// number of elements.
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include "descriptors/descriptor_snapshot.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

struct Fields {
  Fields() {
    const int extents[] = {2, 3, 4};
    mluOpCreateTensorDescriptor(&desc);
    mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_HALF, 3, extents);
    mluOpSetTensorDescriptorOnchipDataType(desc, MLUOP_DTYPE_FLOAT);
    mluOpSetTensorDescriptorPositionScaleAndOffset(desc, 3, 0.5f, -2);
  }
  ~Fields() { mluOpDestroyTensorDescriptor(desc); }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  std::string State(mluOpHandle_t /*handle*/) const {
    std::ostringstream text;
    PrintTo(Snapshot(desc), &text);
    text << ' ' << mode << ' ' << type << ' ' << position << ' ' << scale << ' ' << offset;
    return text.str();
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  mluOpTensorDescriptor_t desc = nullptr;
  mluOpPointerMode_t mode = static_cast<mluOpPointerMode_t>(-7);
  mluOpDataType_t type = static_cast<mluOpDataType_t>(-7);
  int position = -7, offset = -7;
  float scale = -7;
};

using FieldRow = PlainRow<Fields>;

// A function that sets fields, with everything but the descriptor right.
FieldRow AddSetter(Table& table, const std::string& name, mluOpStatus_t (*set)(mluOpTensorDescriptor_t)) {
  FieldRow row(table, name, DETOPS_CALL(set(w.desc)));
  row.Null("desc", DETOPS_CALL(set(nullptr)));
  return row;
}

// Positions, scales and offsets are kept for other libraries: no operator here looks at them.
void AddAnyScale(FieldRow& row, mluOpStatus_t (*set)(mluOpTensorDescriptor_t, float)) {
  for (const float scale : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    row.Defines(
        BadClass::kNotFinite, "any scale is kept",
        [set, scale](Fields& f, mluOpHandle_t) -> int {
          const mluOpStatus_t status = set(f.desc, scale);
          return status != MLUOP_STATUS_SUCCESS
                     ? status
                     : mluOpGetTensorDescriptorPositionAndScale(f.desc, &f.position, &f.scale);
        },
        [scale](Fields& f) {
          return f.scale == scale || (std::isnan(scale) && std::isnan(f.scale)) ? "" : "another scale";
        });
  }
}

void AddSetters(Table& table) {
  FieldRow mode = AddSetter(table, "mluOpSetTensorDescriptorPointerMode", [](mluOpTensorDescriptor_t desc) {
    return mluOpSetTensorDescriptorPointerMode(desc, MLUOP_POINTER_MODE_HOST);
  });
  for (const int number : {-1, 2, INT32_MAX, INT32_MIN}) {
    mode.BadParam(BadClass::kEnumerator, "pointer_mode", "pointer_mode is " + std::to_string(number),
                  DETOPS_CALL(mluOpSetTensorDescriptorPointerMode(w.desc, static_cast<mluOpPointerMode_t>(number))));
  }
  FieldRow type = AddSetter(table, "mluOpSetTensorDescriptorOnchipDataType", [](mluOpTensorDescriptor_t desc) {
    return mluOpSetTensorDescriptorOnchipDataType(desc, MLUOP_DTYPE_INT8);
  });
  for (const int number : {-1, INT32_MIN}) {
    type.BadParam(BadClass::kEnumerator, "onchip_dtype", "onchip_dtype is " + std::to_string(number),
                  DETOPS_CALL(mluOpSetTensorDescriptorOnchipDataType(w.desc, static_cast<mluOpDataType_t>(number))));
  }
  FieldRow position = AddSetter(table, "mluOpSetTensorDescriptorPosition",
                                [](mluOpTensorDescriptor_t desc) { return mluOpSetTensorDescriptorPosition(desc, 5); });
  FieldRow scale = AddSetter(table, "mluOpSetTensorDescriptorPositionAndScale", [](mluOpTensorDescriptor_t desc) {
    return mluOpSetTensorDescriptorPositionAndScale(desc, 5, 2.0f);
  });
  AddAnyScale(scale, [](mluOpTensorDescriptor_t desc, float number) {
    return mluOpSetTensorDescriptorPositionAndScale(desc, 5, number);
  });
  FieldRow offset = AddSetter(
      table, "mluOpSetTensorDescriptorPositionScaleAndOffset",
      [](mluOpTensorDescriptor_t desc) { return mluOpSetTensorDescriptorPositionScaleAndOffset(desc, 5, 2.0f, 6); });
  AddAnyScale(offset, [](mluOpTensorDescriptor_t desc, float number) {
    return mluOpSetTensorDescriptorPositionScaleAndOffset(desc, 5, number, 6);
  });
  for (FieldRow* row : {&mode, &type, &position, &scale, &offset}) row->HasNothingElse(Row::Objects::kSome);
}

// `get` reads into the places of `f`, but into NULL where `missing` names the place.
void AddGetter(Table& table, const std::string& name, std::initializer_list<const char*> places,
               mluOpStatus_t (*get)(mluOpTensorDescriptor_t desc, Fields& f, const std::string& missing)) {
  FieldRow row(table, name, DETOPS_CALL(get(w.desc, w, "")));
  row.Null("desc", DETOPS_CALL(get(nullptr, w, "")));
  for (const std::string place : places) {
    row.Null(place, DETOPS_CALL(get(w.desc, w, place)));
  }
  if (places.size() > 1) {
    row.row().CannotOccur({BadClass::kOverlap}, "it only writes: of two results in one place the later stays");
  }
  row.HasNothingElse(Row::Objects::kSome);
}

void AddGetters(Table& table) {
  AddGetter(table, "mluOpGetTensorDescriptorPointerMode", {"pointer_mode"},
            [](mluOpTensorDescriptor_t desc, Fields& f, const std::string& missing) {
              return mluOpGetTensorDescriptorPointerMode(desc, missing.empty() ? &f.mode : nullptr);
            });
  AddGetter(table, "mluOpGetTensorDescriptorOnchipDataType", {"onchip_dtype"},
            [](mluOpTensorDescriptor_t desc, Fields& f, const std::string& missing) {
              return mluOpGetTensorDescriptorOnchipDataType(desc, missing.empty() ? &f.type : nullptr);
            });
  AddGetter(table, "mluOpGetTensorDescriptorPosition", {"position"},
            [](mluOpTensorDescriptor_t desc, Fields& f, const std::string& missing) {
              return mluOpGetTensorDescriptorPosition(desc, missing.empty() ? &f.position : nullptr);
            });
  AddGetter(table, "mluOpGetTensorDescriptorPositionAndScale", {"position", "scale"},
            [](mluOpTensorDescriptor_t desc, Fields& f, const std::string& missing) {
              return mluOpGetTensorDescriptorPositionAndScale(desc, missing == "position" ? nullptr : &f.position,
                                                              missing == "scale" ? nullptr : &f.scale);
            });
  AddGetter(table, "mluOpGetTensorDescriptorPositionScaleAndOffset", {"position", "scale", "offset"},
            [](mluOpTensorDescriptor_t desc, Fields& f, const std::string& missing) {
              return mluOpGetTensorDescriptorPositionScaleAndOffset(desc, missing == "position" ? nullptr : &f.position,
                                                                    missing == "scale" ? nullptr : &f.scale,
                                                                    missing == "offset" ? nullptr : &f.offset);
            });
}

void AddElementNumber(Table& table) {
  // The number of elements after the descriptor has got these extents.
  const auto counts = [](std::vector<int64_t> extents, size_t expected) {
    return [extents, expected](Fields& f, mluOpHandle_t) -> int {
      const mluOpStatus_t status = mluOpSetTensorDescriptor_v2(f.desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT,
                                                               static_cast<int>(extents.size()), extents.data());
      if (status != MLUOP_STATUS_SUCCESS) return status;
      return mluOpGetTensorElementNum(f.desc) == expected ? 0 : MLUOP_STATUS_INTERNAL_ERROR;
    };
  };
  const auto nothing = [](Fields&) { return ""; };
  FieldRow(table, "mluOpGetTensorElementNum", counts({2, 3, 4}, 24))
      .Defines(BadClass::kNull, "NULL has no elements", DETOPS_CALL(mluOpGetTensorElementNum(nullptr) == 0 ? 0 : 1),
               nothing)
      .Defines(BadClass::kEmpty, "an extent is 0", counts({5, 0, 7}, 0), nothing)
      .Defines(BadClass::kOverflow, "a product beyond int64 counts as the largest int64",
               counts({int64_t{1} << 40, int64_t{1} << 40}, INT64_MAX), nothing)
      .Defines(BadClass::kOverflow, "beyond int64, but an extent is 0",
               counts({int64_t{1} << 40, int64_t{1} << 40, 0}, 0), nothing)
      .HasNothingElse(Row::Objects::kSome);
}

}  // namespace

void AddTensorFields(Table& table) {
  AddSetters(table);
  AddGetters(table);
  AddElementNumber(table);
}

}  // namespace detops_test
