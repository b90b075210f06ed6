// Every argument of rotated_feature_align wrong in every way: status and sentence word for word, nothing written, and
// the handle works on. Each sentence is checked because it is all that a user of a C library gets to see.
#include <sys/mman.h>

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/rotated_feature_align/test/bad_call.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kTwoTo31 = int64_t{1} << 31;
constexpr size_t kReserved = size_t{1} << 36;

class RotatedFeatureAlignErrors : public RotatedFeatureAlignRefusals {};
INSTANTIATE_TEST_SUITE_P(Directions, RotatedFeatureAlignErrors, testing::ValuesIn(kDirections), DirectionName);

// A tensor of the call by its name in the sentences.
struct NamedTensor {
  const char* name;
  TensorArgument BadCall::* tensor;
};
constexpr NamedTensor kSource = {"$S", &BadCall::source};
constexpr NamedTensor kBoxes = {"bboxes", &BadCall::boxes};
constexpr NamedTensor kTarget = {"$T", &BadCall::target};
constexpr NamedTensor kTensors[] = {kSource, kBoxes, kTarget};

mluOpDataType_t TypeOf(int number) { return static_cast<mluOpDataType_t>(number); }
mluOpTensorLayout_t LayoutOf(int number) { return static_cast<mluOpTensorLayout_t>(number); }

std::string ShapeText(const std::vector<int64_t>& extents) {
  std::string text;
  for (int64_t extent : extents) text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text + "]";
}

std::vector<int64_t> GoodExtents(const NamedTensor& which) {
  return {kGoodShape.batch, kGoodShape.height, kGoodShape.width,
          which.tensor == &BadCall::boxes ? 5 : kGoodShape.channels};
}

// ---- pointers, rank, type, layout ----

TEST_P(RotatedFeatureAlignErrors, NullHandle) {
  ExpectBadParam("handle is NULL, expected a handle of mluOpCreate.", [](BadCall& call) { call.with_handle = false; });
}

TEST_P(RotatedFeatureAlignErrors, NullDescriptor) {
  for (const NamedTensor& which : kTensors) {
    ExpectBadParam("the descriptor of " + std::string(which.name) + " is NULL, expected a tensor descriptor.",
                   [&](BadCall& call) { (call.*which.tensor).described = false; });
  }
}

TEST_P(RotatedFeatureAlignErrors, NullData) {
  for (const NamedTensor& which : kTensors) {
    const char* count = which.tensor == &BadCall::boxes ? "120" : "144";
    ExpectBadParam("the data pointer of " + std::string(which.name) + " is NULL, expected " + count + " elements.",
                   [&](BadCall& call) { (call.*which.tensor).data = nullptr; });
  }
}

TEST_P(RotatedFeatureAlignErrors, Rank) {
  for (const NamedTensor& which : kTensors) {
    for (const int rank : {0, 1, 2, 3, 5, 8, 9, 100}) {
      ExpectBadParam(std::string(which.name) + " has rank " + std::to_string(rank) + ", expected 4.",
                     [&](BadCall& call) { (call.*which.tensor).rank = rank; });
    }
  }
}

struct TypeRow {
  int number;
  const char* name;
};
constexpr TypeRow kWrongTypes[] = {
    {0, "invalid"},       {3, "int8"},           {4, "int16"},    {5, "int31"},    {6, "int32"},        {7, "uint8"},
    {8, "bool"},          {9, "int64"},          {10, "unknown"}, {11, "uint32"},  {12, "uint64"},      {13, "uint16"},
    {15, "complex_half"}, {16, "complex_float"}, {18, "unknown"}, {99, "unknown"}, {INT_MAX, "unknown"}};

TEST_P(RotatedFeatureAlignErrors, TypeThatNoProfileKnows) {
  for (const TypeRow& wrong : kWrongTypes) {
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      const std::string expected =
          profile == DETOPS_PROFILE_CONTRACT ? "float or half" : "float, half, double or bfloat16";
      const auto spoil = [&](BadCall& call) {
        call.profile = profile;
        call.source.type = TypeOf(wrong.number);
      };
      const std::string sentence = std::string("$S has type ") + wrong.name + ", expected " + expected + ".";
      ExpectBadParam(sentence, spoil);
      ExpectBadParam(sentence, [&](BadCall& call) {
        spoil(call);
        call.boxes.type = call.target.type = TypeOf(wrong.number);
      });
    }
  }
}

TEST_P(RotatedFeatureAlignErrors, TypeOfTheFullProfile) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}) {
    ExpectBadParam(
        std::string("$S has type ") + ElementName(type) +
            ", expected float or half; the full profile lifts this limit.",
        [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; }, type);
    ExpectAccepted(ElementName(type), [](BadCall& call) { call.profile = DETOPS_PROFILE_FULL; }, type);
  }
}

TEST_P(RotatedFeatureAlignErrors, MixedTypes) {
  std::vector<TypeRow> others(std::begin(kWrongTypes), std::end(kWrongTypes));
  for (const mluOpDataType_t type : kTypes) others.push_back({type, ElementName(type)});
  for (const mluOpDataType_t type : kTypes) {
    for (const NamedTensor& which : {kBoxes, kTarget}) {
      for (const TypeRow& other : others) {
        if (other.number == type) continue;
        ExpectBadParam(
            std::string(which.name) + " has type " + other.name + ", expected " + ElementName(type) + " as $S has.",
            [&](BadCall& call) { (call.*which.tensor).type = TypeOf(other.number); }, type);
      }
    }
  }
}

struct LayoutRow {
  int number;
  const char* name;
};
constexpr LayoutRow kLayouts[] = {{0, "NCHW"},  {1, "NHWC"},     {2, "HWCN"},     {3, "NDHWC"},        {4, "ARRAY"},
                                  {5, "NCDHW"}, {6, "TNC"},      {7, "NTC"},      {8, "NC"},           {9, "NLC"},
                                  {10, "NCL"},  {11, "unknown"}, {99, "unknown"}, {INT_MAX, "unknown"}};

TEST_P(RotatedFeatureAlignErrors, Layout) {
  for (const LayoutRow& layout : kLayouts) {
    ExpectAccepted("the layout of bboxes is free", [&](BadCall& call) { call.boxes.layout = LayoutOf(layout.number); });
    if (layout.number == MLUOP_LAYOUT_NHWC) continue;
    for (const NamedTensor& which : {kSource, kTarget}) {
      ExpectBadParam(std::string(which.name) + " has layout " + layout.name + ", expected NHWC.",
                     [&](BadCall& call) { (call.*which.tensor).layout = LayoutOf(layout.number); });
    }
  }
}

// ---- strides, shapes, counts ----

TEST_P(RotatedFeatureAlignErrors, Strides) {
  for (const NamedTensor& which : kTensors) {
    const std::vector<int64_t> extents = GoodExtents(which);
    int64_t dense = 1;
    for (size_t axis = 4; axis-- > 0; dense *= extents[axis]) {
      for (const int64_t stride : {dense + 1, dense - 1, int64_t{0}, -dense, INT64_MAX - 1000, INT64_MIN + 1000}) {
        if (stride == dense) continue;
        ExpectNotSupported(std::string(which.name) + " has stride " + std::to_string(stride) + " on axis " +
                               std::to_string(axis) + ", expected " + std::to_string(dense) +
                               ": only dense tensors are supported.",
                           [&](BadCall& call) { (call.*which.tensor).odd_strides[axis] = stride - dense; });
      }
    }
  }
}

TEST_P(RotatedFeatureAlignErrors, StrideOfAnAxisOfExtentOneIsFree) {
  for (const NamedTensor& which : kTensors) {
    for (const int64_t surplus : {-1, 1, 1000}) {
      ExpectAccepted("batch and height 1", [&](BadCall& call) {
        call.shape.batch = call.shape.height = 1;
        (call.*which.tensor).odd_strides[0] = (call.*which.tensor).odd_strides[1] = surplus;
      });
    }
  }
  ExpectAccepted("one channel", [](BadCall& call) {
    call.shape.channels = 1;
    call.source.odd_strides[3] = call.target.odd_strides[3] = 7;
  });
}

TEST_P(RotatedFeatureAlignErrors, StridesOfATensorWithoutElementsAreNotLookedAt) {
  for (const NamedTensor& which : kTensors) {
    ExpectBadParam("$S has 0 elements, expected at least 1; its shape is [0, 3, 4, 6].", [&](BadCall& call) {
      call.shape.batch = 0;
      (call.*which.tensor).odd_strides[1] = 1;
    });
  }
}

TEST_P(RotatedFeatureAlignErrors, ExtentsThatDiffer) {
  const char* const names[] = {"N", "H", "W", "C"};
  for (const NamedTensor& which : {kTarget, kBoxes}) {
    for (size_t axis = 0; axis < 4; ++axis) {
      for (const int64_t surplus : {-1, 1, 1000}) {
        const int64_t good = GoodExtents(which)[axis];
        std::vector<int64_t> extents = GoodExtents(which);
        extents[axis] += surplus;
        const bool five = axis == 3 && which.tensor == &BadCall::boxes;
        ExpectBadParam(std::string(which.name) + " has extent " + std::to_string(good + surplus) + " on axis " +
                           std::to_string(axis) + ", expected " +
                           (five ? "5" : names[axis] + (" = " + std::to_string(good)) + " as in $S") +
                           "; its shape is " + ShapeText(extents) + ".",
                       [&](BadCall& call) { (call.*which.tensor).surplus[axis] = surplus; });
      }
    }
  }
}

// One extent of 0 where the others have none is a difference, not an empty tensor.
TEST_P(RotatedFeatureAlignErrors, ZeroExtentOfOneTensor) {
  ExpectBadParam("$T has extent 0 on axis 3, expected C = 6 as in $S; its shape is [2, 3, 4, 0].",
                 [](BadCall& call) { call.target.surplus[3] = -6; });
  ExpectBadParam("bboxes has extent 0 on axis 3, expected 5; its shape is [2, 3, 4, 0].",
                 [](BadCall& call) { call.boxes.surplus[3] = -5; });
  ExpectBadParam("$T has extent 6 on axis 3, expected C = 0 as in $S; its shape is [2, 3, 4, 6].",
                 [](BadCall& call) { call.source.surplus[3] = -6; });
}

TEST_P(RotatedFeatureAlignErrors, ZeroElements) {
  const int64_t large = int64_t{1} << 40;
  for (const Shape& shape : {Shape{0, 3, 4, 6}, Shape{2, 0, 4, 6}, Shape{2, 3, 0, 6}, Shape{2, 3, 4, 0},
                             Shape{0, 0, 0, 0}, Shape{large, large, 0, large}, Shape{0, large, large, large}}) {
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      ExpectBadParam("$S has 0 elements, expected at least 1; its shape is " +
                         ShapeText({shape.batch, shape.height, shape.width, shape.channels}) + ".",
                     [&](BadCall& call) {
                       call.profile = profile;
                       call.shape = shape;
                     });
    }
  }
}

// The smallest count that the contract refuses, and the largest that goes on to the next check: the data pointers.
TEST_P(RotatedFeatureAlignErrors, CountsOfTheContract) {
  const Shape refused = {1, 1, 1, kTwoTo31}, allowed = {1, 1, 1, kTwoTo31 - 1};
  const Shape refused_boxes = {429496730, 1, 1, 1}, allowed_boxes = {429496729, 1, 1, 1};
  const auto with = [](const Shape& shape, detopsProfile_t profile) {
    return [=](BadCall& call) {
      call.shape = shape;
      call.profile = profile;
      call.source.data = nullptr;
    };
  };
  const auto contract = DETOPS_PROFILE_CONTRACT, full = DETOPS_PROFILE_FULL;
  ExpectNotSupported("$S has 2147483648 elements, expected fewer than 2147483648; the full profile lifts this limit.",
                     with(refused, contract));
  ExpectNotSupported(
      "bboxes has 2147483650 elements, expected fewer than 2147483648; the full profile lifts this limit.",
      with(refused_boxes, contract));
  ExpectBadParam("the data pointer of $S is NULL, expected 2147483647 elements.", with(allowed, contract));
  ExpectBadParam("the data pointer of $S is NULL, expected 429496729 elements.", with(allowed_boxes, contract));
  ExpectBadParam("the data pointer of $S is NULL, expected 2147483648 elements.", with(refused, full));
  ExpectBadParam("the data pointer of $S is NULL, expected 429496730 elements.", with(refused_boxes, full));
}

// In both profiles: elements that int64 cannot count, or bytes that it cannot.
TEST_P(RotatedFeatureAlignErrors, CountsBeyondInt64) {
  constexpr int64_t kTwoTo32 = int64_t{1} << 32, kTwoTo61 = int64_t{1} << 61;
  for (const Shape& shape : {Shape{kTwoTo32, kTwoTo32, 4, 6}, Shape{INT64_MAX, 1, 1, INT64_MAX},
                             Shape{1, 1, INT64_MAX, 1}, Shape{1, 1, 1, kTwoTo61}}) {
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      ExpectNotSupported("$S has shape " + ShapeText({shape.batch, shape.height, shape.width, shape.channels}) +
                             ", expected fewer than 2^63 bytes.",
                         [&](BadCall& call) {
                           call.profile = profile;
                           call.shape = shape;
                         });
    }
  }
  const auto full = [](const Shape& shape) {
    return [=](BadCall& call) {
      call.profile = DETOPS_PROFILE_FULL;
      call.shape = shape;
      call.source.data = nullptr;
    };
  };
  ExpectNotSupported("bboxes has shape [1152921504606846976, 1, 1, 5], expected fewer than 2^63 bytes.",
                     full({kTwoTo61 / 2, 1, 1, 1}));
  ExpectBadParam("the data pointer of $S is NULL, expected 2305843009213693951 elements.",
                 full({1, 1, 1, kTwoTo61 - 1}));
}

// The last rule of all: pixels are counted in 32 bits, backward their taps. The tensors are addresses without memory,
// which nothing may touch; the shape that just fits ends at a runner that fails, or for want of memory for the taps.
TEST_P(RotatedFeatureAlignErrors, PixelsOfOneImage) {
  const bool forward = GetParam() == Direction::kForward;
  const auto unmap = [](unsigned char* memory) { munmap(memory, kReserved); };
  std::unique_ptr<unsigned char, decltype(unmap)> memory(
      static_cast<unsigned char*>(
          mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
      unmap);
  ASSERT_NE(memory.get(), MAP_FAILED);
  struct Row {
    int64_t height, width;
    int points;
  };
  const auto with = [&](const Row& row) {
    return [&memory, row](BadCall& call) {
      call.profile = DETOPS_PROFILE_FULL;
      call.value_checks = false;
      call.shape = {1, row.height, row.width, 1};
      call.points = row.points;
      call.source.data = memory.get();
      call.boxes.data = memory.get() + (int64_t{1} << 34);
      call.target.data = memory.get() + (int64_t{1} << 33);
    };
  };
  const std::string sentence = "$S has too many pixels in one image, expected fewer than 2^32";
  for (const Row& row :
       forward ? std::vector<Row>{{65536, 65536, 1}} : std::vector<Row>{{32768, 32768, 1}, {5, 42949673, 5}}) {
    ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED, sentence + (forward ? "." : " / (4 * points)."), with(row),
                  MLUOP_DTYPE_HALF);
  }
  for (const Row& row :
       forward ? std::vector<Row>{{65537, 65535, 5}} : std::vector<Row>{{32768, 32767, 1}, {4, 53687091, 5}}) {
    BadCall call(GetParam(), MLUOP_DTYPE_HALF);
    with(row)(call);
    handle_.SetRunner([](void*, detopsTask_t, void*, int) { return 1; }, nullptr);
    const mluOpStatus_t status = call.Run(handle_);
    EXPECT_TRUE(status == MLUOP_STATUS_EXECUTION_FAILED || status == MLUOP_STATUS_ALLOC_FAILED) << handle_.LastError();
    handle_.SetRunner(nullptr, nullptr);
    ExpectGoodCall();
  }
}

// ---- scalars ----

TEST_P(RotatedFeatureAlignErrors, Points) {
  for (const int points : {-1, 0, 2, 3, 4, 6, INT_MAX, INT_MIN}) {
    ExpectBadParam("points is " + std::to_string(points) + ", expected 1 or 5.",
                   [&](BadCall& call) { call.points = points; });
  }
  ExpectAccepted("points = 1", [](BadCall& call) { call.points = 1; });
}

TEST_P(RotatedFeatureAlignErrors, SpatialScale) {
  struct Row {
    double scale;
    const char* text;
  };
  for (const Row& row : {Row{0.0, "0"}, Row{-0.0, "-0"}, Row{-1, "-1"}, Row{-0.5, "-0.5"}, Row{kNan, "nan"},
                         Row{kInfinity, "inf"}, Row{-kInfinity, "-inf"}}) {
    ExpectBadParam(std::string("spatial_scale is ") + row.text + ", expected a finite number above 0.",
                   [&](BadCall& call) { call.spatial_scale = static_cast<float>(row.scale); });
  }
  for (const float scale : {FLT_MIN, FLT_MAX, FLT_TRUE_MIN, 1.0f}) {
    ExpectAccepted("any finite number above 0", [&](BadCall& call) { call.spatial_scale = scale; });
  }
}

}  // namespace
}  // namespace detops_test
