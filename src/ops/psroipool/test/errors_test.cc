// Every argument of psroipool wrong in every way: status and sentence, nothing written, and the handle works on. Each
// sentence is checked because it is all that a user of a C library gets to see.
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/psroipool/test/bad_call.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class PsRoiPoolErrors : public PsRoiPoolRefusals {
 protected:
  std::vector<NamedTensor> Tensors() const { return TensorsOf(GetParam()); }
  std::vector<int64_t> GoodExtents(const NamedTensor& which) const {
    const Shape shape = GoodShape(GetParam());
    if (which.tensor == &BadCall::map) return MapExtents(shape, MLUOP_LAYOUT_NHWC);
    if (which.tensor == &BadCall::rois) return {shape.rois, 5};
    return PooledExtents(shape, MLUOP_LAYOUT_NHWC);
  }
};
INSTANTIATE_TEST_SUITE_P(Functions, PsRoiPoolErrors, testing::ValuesIn(kFunctions), FunctionName);

mluOpDataType_t TypeOf(int number) { return static_cast<mluOpDataType_t>(number); }
mluOpTensorLayout_t LayoutOf(int number) { return static_cast<mluOpTensorLayout_t>(number); }

std::string ShapeText(const std::vector<int64_t>& extents) {
  std::string text;
  for (int64_t extent : extents) text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text + "]";
}

// ---- pointers, rank, type, layout ----

TEST_P(PsRoiPoolErrors, NullHandle) {
  ExpectBadParam("handle is NULL, expected a handle of mluOpCreate.", [](BadCall& call) { call.with_handle = false; });
}

// In the extension mapping_channel is left out by NULL for both, descriptor and data.
TEST_P(PsRoiPoolErrors, NullDescriptor) {
  for (const NamedTensor& which : Tensors()) {
    ExpectBadParam("the descriptor of " + std::string(which.name) + " is NULL, expected a tensor descriptor.",
                   [&](BadCall& call) { (call.*which.tensor).described = false; });
  }
}

TEST_P(PsRoiPoolErrors, NullData) {
  for (const NamedTensor& which : Tensors()) {
    int64_t count = 1;
    for (const int64_t extent : GoodExtents(which)) count *= extent;
    ExpectBadParam(
        "the data pointer of " + std::string(which.name) + " is NULL, expected " + std::to_string(count) + " elements.",
        [&](BadCall& call) { (call.*which.tensor).data = nullptr; });
  }
}

TEST_P(PsRoiPoolErrors, MappingLeftOut) {
  if (!extension()) return;
  ExpectAccepted("no mapping_channel", [](BadCall& call) {
    call.mapping.described = false;
    call.mapping.data = nullptr;
  });
}

TEST_P(PsRoiPoolErrors, ExtensionNeedsTheFullProfile) {
  if (!extension()) return;
  ExpectNotSupported("*; the full profile lifts this limit.",
                     [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
}

TEST_P(PsRoiPoolErrors, Rank) {
  for (const NamedTensor& which : Tensors()) {
    const int right = which.tensor == &BadCall::rois ? 2 : 4;
    for (const int rank : {0, 1, 2, 3, 4, 5, 8, 9, 100}) {
      if (rank == right) continue;
      ExpectBadParam(
          std::string(which.name) + " has rank " + std::to_string(rank) + ", expected " + std::to_string(right) + ".",
          [&](BadCall& call) { (call.*which.tensor).rank = rank; });
    }
  }
}

struct NameRow {
  int number;
  const char* name;
};
constexpr NameRow kWrongTypes[] = {
    {0, "invalid"},       {3, "int8"},           {4, "int16"},    {5, "int31"},    {6, "int32"},        {7, "uint8"},
    {8, "bool"},          {9, "int64"},          {10, "unknown"}, {11, "uint32"},  {12, "uint64"},      {13, "uint16"},
    {15, "complex_half"}, {16, "complex_float"}, {18, "unknown"}, {99, "unknown"}, {INT_MAX, "unknown"}};

TEST_P(PsRoiPoolErrors, TypeThatNoProfileKnows) {
  for (const NameRow& wrong : kWrongTypes) {
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      if (extension() && profile == DETOPS_PROFILE_CONTRACT) continue;
      const std::string expected = profile == DETOPS_PROFILE_CONTRACT ? "float" : "float, half, double or bfloat16";
      const std::string sentence = std::string("$S has type ") + wrong.name + ", expected " + expected + ".";
      const auto spoil = [&](BadCall& call) {
        call.profile = profile;
        (forward() ? call.map : call.pooled).type = TypeOf(wrong.number);
      };
      ExpectBadParam(sentence, spoil);
      ExpectBadParam(sentence, [&](BadCall& call) {
        spoil(call);
        call.rois.type = call.map.type = call.pooled.type = TypeOf(wrong.number);
      });
    }
  }
}

// The contract's psroipool knows float alone.
TEST_P(PsRoiPoolErrors, TypeOfTheFullProfile) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}) {
    ExpectAccepted(ElementName(type), [](BadCall& call) { call.profile = DETOPS_PROFILE_FULL; }, type);
    if (extension()) continue;
    ExpectBadParam(
        std::string("$S has type ") + ElementName(type) + ", expected float; the full profile lifts this limit.",
        [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; }, type);
  }
  ExpectAccepted("float", [](BadCall& call) { call.profile = DETOPS_PROFILE_FULL; });
}

TEST_P(PsRoiPoolErrors, MixedTypes) {
  std::vector<NameRow> others(std::begin(kWrongTypes), std::end(kWrongTypes));
  for (const mluOpDataType_t type : kTypes) others.push_back({type, ElementName(type)});
  const NamedTensor written = forward() ? kPooled : kMap;
  for (const mluOpDataType_t type : kTypes) {
    for (const NamedTensor& which : {kRois, written}) {
      for (const NameRow& other : others) {
        if (other.number == type) continue;
        // No profile takes it, so none is named.
        ExpectBadParam(
            std::string(which.name) + " has type " + other.name + ", expected " + ElementName(type) + " as $S has.",
            [&](BadCall& call) { (call.*which.tensor).type = TypeOf(other.number); }, type);
      }
    }
  }
  for (const NameRow& other : others) {
    if (other.number == MLUOP_DTYPE_INT32) continue;
    ExpectBadParam(std::string("mapping_channel has type ") + other.name + ", expected int32.",
                   [&](BadCall& call) { call.mapping.type = TypeOf(other.number); });
  }
}

TEST_P(PsRoiPoolErrors, Convention) {
  if (!extension()) return;
  for (const int convention : {-1, 3, 4, INT_MAX, INT_MIN}) {
    ExpectBadParam("convention is " + std::to_string(convention) + ", expected *.",
                   [&](BadCall& call) { call.convention = static_cast<detopsPsRoiPoolConvention_t>(convention); });
  }
  for (const int convention : {0, 1, 2}) {
    ExpectAccepted("a convention",
                   [&](BadCall& call) { call.convention = static_cast<detopsPsRoiPoolConvention_t>(convention); });
  }
}

constexpr NameRow kLayouts[] = {{0, "NCHW"},  {1, "NHWC"},     {2, "HWCN"},     {3, "NDHWC"},        {4, "ARRAY"},
                                {5, "NCDHW"}, {6, "TNC"},      {7, "NTC"},      {8, "NC"},           {9, "NLC"},
                                {10, "NCL"},  {11, "unknown"}, {99, "unknown"}, {INT_MAX, "unknown"}};

// The extension takes NCHW too, but not for one tensor alone.
TEST_P(PsRoiPoolErrors, Layout) {
  for (const NameRow& layout : kLayouts) {
    ExpectAccepted("the layout of rois is free", [&](BadCall& call) { call.rois.layout = LayoutOf(layout.number); });
    if (layout.number == MLUOP_LAYOUT_NHWC) continue;
    for (const NamedTensor& which : {kMap, kPooled, kMapping}) {
      const bool mixed = extension() && layout.number == MLUOP_LAYOUT_NCHW;
      ExpectBadParam(
          mixed ? "* has layout *" : std::string(which.name) + " has layout " + layout.name + ", expected NHWC*.",
          [&](BadCall& call) { (call.*which.tensor).layout = LayoutOf(layout.number); });
    }
  }
}

// ---- scalars ----

// The sentence names the argument and tells both numbers.
TEST_P(PsRoiPoolErrors, SizesThatAreNotThoseOfTheTensor) {
  const Shape good = GoodShape(GetParam());
  struct Row {
    const char* name;
    int BadCall::* surplus;
    int64_t right;
  };
  std::vector<Row> rows = {{"pooled_height", &BadCall::height_surplus, good.pooled_height},
                           {"pooled_width", &BadCall::width_surplus, good.pooled_width},
                           {"output_dim", &BadCall::dim_surplus, good.output_dim}};
  if (forward() && !extension()) rows.push_back({"group_size", &BadCall::group_surplus, good.pooled_height});
  for (const Row& row : rows) {
    for (const int64_t value :
         {int64_t{0}, int64_t{-1}, row.right - 1, row.right + 1, int64_t{INT_MAX}, int64_t{INT_MIN}}) {
      SCOPED_TRACE(testing::Message() << row.name << " " << value);
      BadCall call(GetParam());
      call.*row.surplus = static_cast<int>(value - row.right);
      const std::string text = Refuse(call, MLUOP_STATUS_BAD_PARAM);
      for (const std::string& part : {std::string(row.name), std::to_string(value), std::to_string(row.right)}) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
      }
    }
  }
}

TEST_P(PsRoiPoolErrors, BinsThatAreNotSquare) {
  const auto spoil = [](BadCall& call) { call.shape.pooled_width += 1; };
  if (extension()) {
    ExpectAccepted("any bins", [](BadCall& call) {
      call.shape.pooled_width = 5;     // fewer than the memory is for
      call.mapping.described = false;  // and fewer channels than it names
      call.mapping.data = nullptr;
    });
  } else {
    ExpectBadParam("*$P*3*4*", spoil);
  }
}

TEST_P(PsRoiPoolErrors, ZeroBinsAndChannels) {
  ExpectBadParam("*output_dim*0*", [](BadCall& call) { call.shape.output_dim = 0; });
  if (extension()) {
    ExpectBadParam("*pooled_height*0*", [](BadCall& call) { call.shape.pooled_height = 0; });
    ExpectBadParam("*pooled_width*0*", [](BadCall& call) { call.shape.pooled_width = 0; });
  } else if (forward()) {
    ExpectBadParam("*group_size*0*", [](BadCall& call) { call.shape.pooled_height = call.shape.pooled_width = 0; });
  } else {
    ExpectAccepted("backward of no bins",
                   [](BadCall& call) { call.shape.pooled_height = call.shape.pooled_width = 0; });
  }
}

TEST_P(PsRoiPoolErrors, SpatialScale) {
  struct Row {
    double scale;
    const char* text;
  };
  for (const Row& row : {Row{0.0, "0"}, Row{-0.0, "-0"}, Row{-1, "-1"}, Row{-0.5, "-0.5"}, Row{kNan, "nan"},
                         Row{kInfinity, "inf"}, Row{-kInfinity, "-inf"}}) {
    for (const mluOpDataType_t type : kTypes) {
      ExpectBadParam(
          std::string("spatial_scale is ") + row.text + ", expected a finite number above 0.",
          [&](BadCall& call) { call.spatial_scale = row.scale; }, type);
    }
  }
  for (const float scale : {FLT_MIN, FLT_TRUE_MIN, 1.0f, 1e30f}) {
    ExpectAccepted("any finite number above 0",
                   [&](BadCall& call) { call.spatial_scale = static_cast<double>(scale); });
  }
}

// The extension's scale is a double, but a float for tensors other than double.
TEST_P(PsRoiPoolErrors, ScaleBeyondFloat) {
  if (!extension()) return;
  for (const double scale : {1e300, 1e39, 1e-300, 1e-46}) {
    for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16}) {
      ExpectBadParam("spatial_scale is *, expected *.", [&](BadCall& call) { call.spatial_scale = scale; }, type);
    }
  }
  for (const double scale : {1e300, 1e-300}) {
    ExpectAccepted("double", [&](BadCall& call) { call.spatial_scale = scale; }, MLUOP_DTYPE_DOUBLE);
  }
}

// ---- strides and shapes ----

TEST_P(PsRoiPoolErrors, ColumnsOfRois) {
  for (const int64_t columns : {0, 1, 4, 6, 1000}) {
    ExpectBadParam("rois has extent " + std::to_string(columns) + " on axis 1, expected 5; its shape is [6, " +
                       std::to_string(columns) + "].",
                   [&](BadCall& call) { call.rois.surplus[1] = columns - 5; });
  }
}

TEST_P(PsRoiPoolErrors, Strides) {
  for (const NamedTensor& which : Tensors()) {
    const std::vector<int64_t> extents = GoodExtents(which);
    int64_t dense = 1;
    for (size_t axis = extents.size(); axis-- > 0; dense *= extents[axis]) {
      for (const int64_t stride : {dense + 1, dense - 1, int64_t{0}, -dense, INT64_MAX - 10000, INT64_MIN + 10000}) {
        if (stride == dense) continue;
        ExpectNotSupported(std::string(which.name) + " has stride " + std::to_string(stride) + " on axis " +
                               std::to_string(axis) + ", expected " + std::to_string(dense) +
                               ": only dense tensors are supported.",
                           [&](BadCall& call) { (call.*which.tensor).odd_strides[axis] = stride - dense; });
      }
    }
  }
}

TEST_P(PsRoiPoolErrors, StrideOfAnAxisOfExtentOneIsFree) {
  for (const NamedTensor& which : Tensors()) {
    ExpectAccepted("one roi, one image", [&](BadCall& call) {
      call.shape.rois = call.shape.batch = 1;
      call.problem.rois.Set(0, 0);
      (call.*which.tensor).odd_strides[0] = 1000;
    });
  }
}

// Which of the two is named is left open; both numbers are told.
TEST_P(PsRoiPoolErrors, RowsOfRoisAndOfPooled) {
  for (const int64_t surplus : {-6, -1, 1, 1000}) {
    for (const bool of_rois : {true, false}) {
      SCOPED_TRACE(testing::Message() << surplus << (of_rois ? " more rois" : " more rows of bins"));
      BadCall call(GetParam());
      if (of_rois) {
        call.rois.surplus[0] = surplus;
      } else {
        call.pooled.surplus[0] = call.mapping.surplus[0] = surplus;
      }
      const std::string text = Refuse(call, MLUOP_STATUS_BAD_PARAM);
      const std::string wrong = std::to_string(6 + surplus);
      const bool told = Matches("* has extent " + wrong + " on axis 0, expected *6*; its shape is *", text) ||
                        Matches("* has extent 6 on axis 0, expected *" + wrong + "*; its shape is *", text);
      EXPECT_TRUE(told) << text;
    }
  }
}

TEST_P(PsRoiPoolErrors, ChannelsOfTheMap) {
  const int64_t channels = GoodShape(GetParam()).channels();
  for (const int64_t wrong : {int64_t{0}, int64_t{1}, channels - 1, channels + 1, channels * 2, INT64_MAX}) {
    ExpectBadParam("$M has extent " + std::to_string(wrong) + " on axis 3, expected *" + std::to_string(channels) + "*",
                   [&](BadCall& call) { call.map.surplus[3] = wrong - channels; });
  }
}

TEST_P(PsRoiPoolErrors, ShapeOfMapping) {
  const std::vector<int64_t> good = GoodExtents(kMapping);
  for (size_t axis = 0; axis < 4; ++axis) {
    for (const int64_t surplus : {-good[axis], int64_t{-1}, int64_t{1}, int64_t{1000}}) {
      std::vector<int64_t> extents = good;
      extents[axis] += surplus;
      ExpectBadParam("mapping_channel has extent " + std::to_string(extents[axis]) + " on axis " +
                         std::to_string(axis) + ", expected *" + std::to_string(good[axis]) + "*; its shape is " +
                         ShapeText(extents) + ".",
                     [&](BadCall& call) { call.mapping.surplus[axis] = surplus; });
    }
  }
}

}  // namespace
}  // namespace detops_test
