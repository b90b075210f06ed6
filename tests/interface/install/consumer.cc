// A program in C++11 that uses an installed detops as a stranger would.
#include <cnrt.h>
#include <detops.h>
#include <mlu_op.h>

#include <iostream>
#include <string>
#include <vector>

// psroipool by the names of the released header (14 arguments) and of the design document (16, with a workspace). One
// bin over an image of 2 x 2 pixels: the mean.
static bool PoolsBothWays(mluOpHandle_t handle) {
  const float input[] = {1, 2, 3, 6}, roi[] = {0, 0, 0, 1, 1};
  const int64_t input_shape[] = {1, 2, 2, 1}, roi_shape[] = {1, 5}, bin_shape[] = {1, 1, 1, 1};
  float released = 0, documented = 0;
  int32_t channels[] = {7, 7};
  mluOpTensorDescriptor_t descs[4];
  bool ok = true;
  for (auto& desc : descs) ok = mluOpCreateTensorDescriptor(&desc) == MLUOP_STATUS_SUCCESS && ok;
  mluOpSetTensorDescriptor_v2(descs[0], MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, input_shape);
  mluOpSetTensorDescriptor_v2(descs[1], MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, roi_shape);
  mluOpSetTensorDescriptor_v2(descs[2], MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, bin_shape);
  mluOpSetTensorDescriptor_v2(descs[3], MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, 4, bin_shape);
  ok = mluOpPsRoiPoolForward(handle, 1, 1, 1.0f, 1, 1, descs[0], input, descs[1], roi, descs[2], &released, descs[3],
                             &channels[0]) == MLUOP_STATUS_SUCCESS &&
       ok;
  ok = mluOpPsRoiPoolForward(handle, 1, 1, 1.0f, 1, 1, descs[0], input, descs[1], roi, nullptr, 0, descs[2],
                             &documented, descs[3], &channels[1]) == MLUOP_STATUS_SUCCESS &&
       ok;
  for (const auto desc : descs) ok = mluOpDestroyTensorDescriptor(desc) == MLUOP_STATUS_SUCCESS && ok;
  return ok && released == 3 && documented == 3 && channels[0] == 0 && channels[1] == 0;
}

// One image of 2 x 2 pixels with two channels; every box sits on pixel (1, 0), so each output is its pixel plus that
// one.
int main() {
  const std::vector<float> input = {1, -1, 2, -2, 3, -3, 6, -6};
  const std::vector<float> expected = {4, -4, 5, -5, 6, -6, 9, -9};
  std::vector<float> boxes;
  for (int i = 0; i < 4; ++i) boxes.insert(boxes.end(), {2.0f, 0.0f, 1.0f, 1.0f, 0.5f});  // in units of the image
  std::vector<float> output(8, 0.0f);

  int failures = 0;
  const auto check = [&failures](bool ok, const char* what) {
    if (!ok) std::cout << what << " failed: " << detopsGetLastError(nullptr) << "\n";
    failures += ok ? 0 : 1;
  };
  mluOpHandle_t handle = nullptr;
  mluOpTensorDescriptor_t features = nullptr, box_desc = nullptr;
  const int64_t feature_shape[] = {1, 2, 2, 2}, box_shape[] = {1, 2, 2, 5};
  check(mluOpCreate(&handle) == MLUOP_STATUS_SUCCESS, "mluOpCreate");
  check(detopsSetProfile(handle, DETOPS_PROFILE_FULL) == MLUOP_STATUS_SUCCESS, "detopsSetProfile");
  check(mluOpCreateTensorDescriptor(&features) == MLUOP_STATUS_SUCCESS, "descriptor");
  check(mluOpCreateTensorDescriptor(&box_desc) == MLUOP_STATUS_SUCCESS, "descriptor");
  check(mluOpSetTensorDescriptor_v2(features, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, feature_shape) ==
            MLUOP_STATUS_SUCCESS,
        "shape");
  check(mluOpSetTensorDescriptor_v2(box_desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 4, box_shape) ==
            MLUOP_STATUS_SUCCESS,
        "shape");
  check(mluOpRotatedFeatureAlignForward(handle, features, input.data(), box_desc, boxes.data(), 0.5f, 1, features,
                                        output.data()) == MLUOP_STATUS_SUCCESS,
        "forward");
  check(output == expected, "result");
  check(mluOpRotatedFeatureAlignForward(handle, features, input.data(), box_desc, boxes.data(), 0.5f, 2, features,
                                        output.data()) == MLUOP_STATUS_BAD_PARAM,
        "refusal");
  check(std::string(detopsGetLastError(handle)).find("points") != std::string::npos, "message");
  check(PoolsBothWays(handle), "psroipool");
  check(mluOpDestroyTensorDescriptor(box_desc) == MLUOP_STATUS_SUCCESS, "destroy");
  check(mluOpDestroyTensorDescriptor(features) == MLUOP_STATUS_SUCCESS, "destroy");
  check(mluOpDestroy(handle) == MLUOP_STATUS_SUCCESS, "mluOpDestroy");
  std::cout << "C++ consumer of detops " << detopsGetVersion() << ": " << failures << " failures\n";
  return failures != 0 ? 1 : 0;
}
