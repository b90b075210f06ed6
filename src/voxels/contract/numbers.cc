#include "voxels/contract/numbers.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

namespace detops_harness::voxels {

Fault ListFault(BadClass bad_class, const std::string& text, const std::string& list, size_t axis, double value,
                const Adjust& adjust, bool listed) {
  return {bad_class, text,
          [=](Call& call) {
            adjust(call, axis);
            call.number_lists.at(list).at(axis) = value;
          },
          listed};
}

Rules Number(size_t axis, const NumberRule& rule) {
  const std::string name = ElementName(rule.list, axis);
  return Own({name, MLUOP_STATUS_BAD_PARAM,
              [=](Judgement& j) -> std::optional<std::string> {
                if (static_cast<int64_t>(axis) >= j.call.integer("ndim")) return {};
                const double value = j.call.number_lists.at(rule.list).at(axis);
                const bool in_double = rule.in_double(j.call);
                const double rounded = in_double ? value : static_cast<double>(static_cast<float>(value));
                if (std::isfinite(rounded) && rule.allowed(rounded, axis, j.call)) return {};
                return name + " is " + NumberText(value) + ", expected a finite number" + rule.condition + " in " +
                       (in_double ? "double" : "float") + ".";
              },
              rule.faults});
}

namespace {

bool InDouble(const Call& call) { return call["points"].type == MLUOP_DTYPE_DOUBLE; }

struct Columns {
  std::string name;
  int64_t of_four;
};

// The fourth axis of the good call, which has three, becomes a good one.
// `columns` is the extent that grows with ndim, to so many.
void WithAxis(const Columns& columns, Call& call, size_t axis) {
  if (axis < 3) return;
  call.integers.at("ndim") = 4;
  WithDim(columns.name, columns.of_four)(call);
  call.number_lists.at("range_min").at(axis) = 0;
  call.number_lists.at("voxel_size").at(axis) = 1;
  call.integer_lists.at("grid").at(axis) = 1;
}

// All floating tensors become double, with memory for it.
void ToDouble(Call& call) {
  for (Tensor& tensor : call.tensors) {
    if (tensor.type != MLUOP_DTYPE_FLOAT) continue;
    Tensor wider = tensor;
    wider.type = MLUOP_DTYPE_DOUBLE;
    wider.bytes *= 2;
    wider.contents.resize(tensor.contents.size() * 2);
    for (size_t i = 0; i < tensor.contents.size() / sizeof(float); ++i) {
      wider.Set(static_cast<int64_t>(i), tensor.Get(static_cast<int64_t>(i)));
    }
    tensor = std::move(wider);
  }
}

Faults NumberFaults(const Columns& columns, const std::string& list, size_t axis) {
  Faults faults;
  const auto with_axis = [=](Call& call, size_t i) { WithAxis(columns, call, i); };
  const auto add = [&](const std::string& text, double value) {
    faults.push_back(ListFault(BadClass::kNotFinite, text, list, axis, value, with_axis));
    const auto in_double = [=](Call& call, size_t i) {
      with_axis(call, i);
      ToDouble(call);
    };
    faults.push_back(ListFault(BadClass::kNotFinite, text + ", double", list, axis, value, in_double, false));
  };
  for (const double value : {kNan, kInf, -kInf, 1e300, -1e300}) add(list, value);
  for (const double value : {0.0, -0.0, -1.0, 1e-300}) add(list + " not above 0", value);
  return faults;
}

Rules RangeMin(const Columns& columns, size_t axis) {
  const auto any = [](double, size_t, const Call&) { return true; };
  return Number(axis, {"range_min", "", any, InDouble, NumberFaults(columns, "range_min", axis)});
}

Rules VoxelSize(const Columns& columns, size_t axis) {
  const auto above_zero = [](double rounded, size_t, const Call&) { return rounded > 0; };
  return Number(axis, {"voxel_size", " above 0", above_zero, InDouble, NumberFaults(columns, "voxel_size", axis)});
}

Rules GridExtent(const Columns& columns, size_t axis) {
  const std::string name = ElementName("grid", axis);
  Faults faults;
  for (const int64_t value : {0, -1, INT_MIN, 1, INT_MAX}) {
    faults.push_back({BadClass::kSizes, "grid", [=](Call& call) {
                        WithAxis(columns, call, axis);
                        call.integer_lists.at("grid").at(axis) = value;
                      }});
  }
  return Own({name, MLUOP_STATUS_BAD_PARAM,
              [=](Judgement& j) -> std::optional<std::string> {
                if (static_cast<int64_t>(axis) >= j.call.integer("ndim")) return {};
                const int64_t value = j.call.integer_lists.at("grid").at(axis);
                if (value > 0) return {};
                return name + " is " + std::to_string(value) + ", expected a number above 0.";
              },
              faults});
}

}  // namespace

std::optional<std::string> VoxelCount(size_t axis, double size, float count) {
  if (count >= 1 && count < 0x1p31f) return {};
  return ElementName("voxel_size", axis) + " is " + NumberText(size) + ", which makes " + NumberText(count) +
         " voxels of the range, expected at least 1 and fewer than 2147483648.";
}

Rules Dimensions() {
  return Integer("ndim", {[](int64_t ndim, const Call&) { return ndim >= 1 && ndim <= 4; }, "1 to 4", {0, -1, 5}});
}

Rules ColumnPerAxis(bool without_listed) {
  return Own({"columns of points",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t columns = j.call["points"].extents[1], ndim = j.call.integer("ndim");
                if (columns >= ndim) return {};
                return Format("points has %lld columns, expected at least ndim = %lld.",
                              static_cast<long long>(columns), static_cast<long long>(ndim));
              },
              {{BadClass::kShapes, "fewer columns than axes", WithDim("F", 2)},
               {BadClass::kShapes, "no columns", WithDim("F", 0), without_listed},
               {BadClass::kShapes, "as many columns as axes", WithDim("F", 3), false}}});
}

Rules AxisRules(const std::string& columns, int64_t columns_of_four) {
  Rules rules;
  for (size_t axis = 0; axis < kMostAxes; ++axis) {
    const Columns growing = {columns, columns_of_four};
    for (const Rules& one : {RangeMin(growing, axis), VoxelSize(growing, axis), GridExtent(growing, axis)}) {
      rules.push_back(one[0]);
    }
  }
  return rules;
}

Grid ReadGrid(const Shape& shape) {
  const std::string& axes = shape.Word("grid");
  const auto ndim = static_cast<size_t>(1 + std::count(axes.begin(), axes.end(), 'x'));
  if (ndim > kMostAxes) throw ShapeError("--shape: grid must have 1 to 4 axes");
  Cells cells = {Reals(shape, "min", ndim), Reals(shape, "size", ndim), {}};
  for (const double extent : Reals(shape, "grid", ndim)) {
    if (extent < 1 || extent > INT32_MAX) throw ShapeError("--shape: grid must be numbers from 1 to 2^31 - 1");
    cells.grid.push_back(static_cast<int>(extent));
  }
  return {cells};
}

void PutGrid(const Grid& grid, Call& call) {
  const auto padded = [](auto numbers, auto rest) {
    numbers.resize(kMostAxes, rest);
    return numbers;
  };
  const Cells& cells = grid.cells;
  call.integers["ndim"] = grid.ndim();
  call.number_lists["range_min"] = padded(cells.range_min, kNan);
  call.number_lists["voxel_size"] = padded(cells.voxel_size, kNan);
  call.integer_lists["grid"] = padded(std::vector<int64_t>(cells.grid.begin(), cells.grid.end()), int64_t{-1});
}

std::array<int, kMostAxes> GridOf(const Call& call) {
  std::array<int, kMostAxes> grid{};
  const std::vector<int64_t>& extents = call.integer_lists.find("grid")->second;
  for (size_t axis = 0; axis < kMostAxes; ++axis) grid[axis] = static_cast<int>(extents[axis]);
  return grid;
}

Rules NumberedRows(const std::string& tensor, const std::string& dim, bool alone) {
  const auto with = [=](int64_t count) {
    return [=](Call& call) {
      call.profile = DETOPS_PROFILE_FULL;
      if (alone) WithDim("C", 0)(call);
      WithDim(dim, count)(call);
      for (Tensor& each : call.tensors) each.reserved = !each.extents.empty() && each.extents[0] == count;
      call.value_checks = false;  // There are no values.
    };
  };
  return Own({"rows of " + tensor,
              MLUOP_STATUS_NOT_SUPPORTED,
              [=](Judgement& j) -> std::optional<std::string> {
                const int64_t rows = j.call[tensor].extents[0];
                if (rows <= INT32_MAX) return {};
                return Format("%s has %lld rows, expected fewer than 2147483648.", tensor.c_str(),
                              static_cast<long long>(rows));
              },
              {{BadClass::kOverflow, "2^31 rows of " + tensor, with(int64_t{1} << 31)},
               {BadClass::kOverflow, "2^31 - 1 rows of " + tensor, with(INT32_MAX), false}}});
}

}  // namespace detops_harness::voxels
