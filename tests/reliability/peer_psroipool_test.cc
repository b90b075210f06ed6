// Bugs of other libraries in RoI pooling, put to psroipool.
#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/psroipool/test/bad_call.h"
#include "reliability/peer_case.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
constexpr const Function& kForward = kFunctions[0];
constexpr const Function& kBackward = kFunctions[1];
constexpr const Function& kVisionForward = kFunctions[2];
constexpr const Function& kVisionBackward = kFunctions[3];

void ExpectRefused(BadCall& call, mluOpStatus_t status, const std::string& text) {
  ExpectRefusedEverywhere(
      call,
      [](BadCall& c, Handle& handle) {
        const mluOpStatus_t answer = c.Run(handle);
        return std::pair(answer, c.thread_text);
      },
      status, text);
}

// As torchvision is called: NCHW, its own convention.
struct VisionCall : BadCall {
  explicit VisionCall(const Function& function) : BadCall(function, MLUOP_DTYPE_FLOAT, MLUOP_LAYOUT_NCHW) {
    convention = DETOPS_PSROIPOOL_TORCHVISION;
  }
};

// One image, whose only neighbours in memory are forbidden pages; the first roi names another one.
void ExpectBatchIdRefused(BadCall&& call, double id, const std::string& text) {
  call.shape.batch = 1;
  for (int64_t r = 0; r < call.shape.rois; ++r) call.problem.rois.Set(r * 5, 0);
  call.problem.rois.Set(0, id);
  ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, text);
}

TEST(PeerPsRoiPool, TorchvisionForwardBatchIndexOneOfOneImage) {
  ExpectBatchIdRefused(VisionCall(kVisionForward), 1, "rois[0, 0] is 1");
}
TEST(PeerPsRoiPool, TorchvisionForwardBatchIndexMinusOne) {
  ExpectBatchIdRefused(VisionCall(kVisionForward), -1, "rois[0, 0] is -1");
}
TEST(PeerPsRoiPool, TorchvisionBackwardBatchIndexOneOfOneImage) {
  ExpectBatchIdRefused(VisionCall(kVisionBackward), 1, "rois[0, 0] is 1");
}
TEST(PeerPsRoiPool, TorchvisionBackwardBatchIndexMinusOne) {
  ExpectBatchIdRefused(VisionCall(kVisionBackward), -1, "rois[0, 0] is -1");
}
TEST(PeerPsRoiPool, MluOpsForwardBatchIdUnchecked) {
  for (const double id : {1.0, -1.0, 0.5, 65536.0}) ExpectBatchIdRefused(BadCall(kForward), id, "rois[0, 0] is ");
}
TEST(PeerPsRoiPool, MluOpsBackwardBatchIdUnchecked) {
  for (const double id : {1.0, -1.0, 0.5, 65536.0}) ExpectBatchIdRefused(BadCall(kBackward), id, "rois[0, 0] is ");
}
// Identifiers far outside: as a 32-bit offset they wrap around, as a 64-bit one they lead anywhere.
TEST(PeerPsRoiPool, OnnxRuntime27543BatchIndicesAsOffsets) {
  for (const double id : {1e9, -1e9, 2147483648.0, -2147483648.0, 1e30, kNan, kInf, -kInf}) {
    ExpectBatchIdRefused(VisionCall(kVisionForward), id, "rois[0, 0] is ");
  }
}
TEST(PeerPsRoiPool, OnnxRuntime27603BatchIndicesBackward) {
  for (const double id : {1e9, -1e9, 2147483648.0, -2147483648.0, 1e30, kNan, kInf, -kInf}) {
    ExpectBatchIdRefused(VisionCall(kVisionBackward), id, "rois[0, 0] is ");
  }
}

// A [K, 5] tensor of random numbers, so that the first column holds no identifiers.
TEST(PeerPsRoiPool, TorchvisionIssue4828FirstColumnIsNoIdentifier) {
  VisionCall call(kVisionForward);
  call.problem.rois.FillUniform(0, 3, 7);
  ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "rois[0, 0] is ");
}

// Products of extents beyond 32 bits: refused in the contract, and beyond 63 bits everywhere.
TEST(PeerPsRoiPool, TorchvisionIssue8206LargeBatch) {
  BadCall call(kForward);
  call.shape.batch = 1 << 24;
  ExpectRefused(call, MLUOP_STATUS_NOT_SUPPORTED, "the full profile lifts this limit");
}
TEST(PeerPsRoiPool, TorchvisionIntProductsOfExtents) {
  for (const Function& function : kFunctions) {
    BadCall call(function);
    call.profile = DETOPS_PROFILE_FULL;
    call.shape.height = call.shape.width = int64_t{1} << 31;
    ExpectRefused(call, MLUOP_STATUS_NOT_SUPPORTED, "expected fewer than 2^63 bytes");
  }
}

TEST(PeerPsRoiPool, TorchvisionIssue9273NanInRois) {
  for (const Function& function : kFunctions) {
    for (int column = 1; column < 5; ++column) {
      BadCall call(function);
      call.problem.rois.Set(column, kNan);
      ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "rois[0, " + std::to_string(column) + "] is nan");
    }
  }
}

// A filter of inputs that are not finite does not help: these become so inside.
TEST(PeerPsRoiPool, TorchvisionPull9629FiniteBoxesOverflowInside) {
  for (const Function& function : kFunctions) {
    for (const double scale : {1.0, 16.0}) {
      BadCall call(function);
      call.spatial_scale = scale;
      call.problem.SetRoi(0, {0, -3e38, -3e38, 3e38, 3e38});
      ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "rois[0");
    }
  }
}

// ---- what is right instead of refused ----

void ExpectAgreement(const Problem& problem) {
  const std::vector<double> output = problem.ExpectedOutput(), gradient = problem.ExpectedBottomGrad();
  ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
    Tensor pooled = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
    ASSERT_EQ(problem.Forward(handle, pooled, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(Disagreement(pooled.Values(), output, ToleranceFor(problem.type())), "");
    ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(Disagreement(bottom.Values(), gradient, ToleranceFor(problem.type())), "");
    EXPECT_TRUE(pooled.SurroundingsIntact() && mapping.SurroundingsIntact() && bottom.SurroundingsIntact());
  });
}

// The size of the box is not a number of 32 bits, and its bins are far larger than the map.
TEST(PeerPsRoiPool, Cve2020Nr15266HugeBox) {
  for (const Variant& variant : AllVariants()) {
    Problem problem(variant, MLUOP_DTYPE_FLOAT, {1, 4, 4, 3, 3, 3, 2}, 1.0);
    problem.SetRoi(0, {0, -1e30, -1e30, 1e30, 1e30});
    problem.SetRoi(1, {0, 0, 0, 1e37, 1e37});
    problem.SetRoi(2, {0, 1e30, 1e30, -1e30, -1e30});
    ExpectAgreement(problem);
  }
}

// Ends of bins that float arithmetic puts one beside the map.
TEST(PeerPsRoiPool, Cve2021Nr29529RoundingOffByOne) {
  for (const Variant& variant : AllVariants()) {
    for (const double scale : {0.1, 1.0 / 3, 0.7}) {
      const Shape shape = {1, 10, 7, 40, 3, 3, 2};
      Problem problem(variant, MLUOP_DTYPE_FLOAT, shape, scale, Placement::kAgainstFront);
      for (int64_t r = 0; r < shape.rois; ++r) {
        const double step = static_cast<double>(r - 20) * 0.49999997;
        problem.SetRoi(r, {0, step, step, 7 / scale + step, 10 / scale - step});
      }
      ExpectAgreement(problem);
    }
  }
}

TEST(PeerPsRoiPool, Cve2021Nr29533EmptyImage) {
  const Shape shape = {1, 0, 7, 2, 3, 3, 2};
  Problem problem(kContract, MLUOP_DTYPE_FLOAT, shape, 1.0);
  for (int64_t r = 0; r < shape.rois; ++r) problem.SetRoi(r, {0, 0, 0, 3, 3});
  ExpectAgreement(problem);  // zeros forward, nothing to write backward
}

// ---- shapes, counts, indices ----

TEST(PeerPsRoiPool, Cve2021Nr29571LastDimensionOfBoxes) {
  for (const Function& function : kFunctions) {
    for (const int64_t surplus : {-1, -4, 1}) {
      BadCall call(function);
      call.rois.surplus[1] = surplus;
      ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "rois has extent " + std::to_string(5 + surplus) + " on axis 1");
    }
  }
}

TEST(PeerPsRoiPool, Cve2021Nr37669NegativeOrZeroCounts) {
  for (const Function& function : kFunctions) {
    for (const int surplus : {-3, -4, INT_MIN}) {
      BadCall call(function);
      call.height_surplus = surplus;
      ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "pooled_height");
    }
    BadCall call(function);
    call.dim_surplus = static_cast<int>(-call.shape.output_dim);
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "output_dim");
  }
}

// A parameter that makes a kernel work for ever.
TEST(PeerPsRoiPool, Cve2025Nr2953EndlessPoolSize) {
  for (const Function& function : kFunctions) {
    BadCall call(function);
    call.height_surplus = call.width_surplus = INT_MAX - 3;
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "pooled_");
  }
}

TEST(PeerPsRoiPool, OnnxRuntime27903IndicesOfTheForwardPass) {
  for (const Function* function : {&kBackward, &kVisionBackward}) {
    for (const double channel : {-1.0, 1e6, 2147483647.0, -2147483648.0}) {
      BadCall call(*function);
      call.problem.mapping.Set(0, channel);
      ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "mapping_channel[0, 0, 0, 0] is ");
    }
  }
}

}  // namespace
}  // namespace detops_test
