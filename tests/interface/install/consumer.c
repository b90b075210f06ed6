/* A program in C99 that uses an installed detops as a stranger would. */
#include <cnrt.h>
#include <detops.h>
#include <mlu_op.h>
#include <stdio.h>
#include <string.h>

/* psroipool by the names of the released header (14 arguments) and of the design document (16, with a workspace). One
 * bin over an image of 2 x 2 pixels: the mean. */
static int PoolBothWays(mluOpHandle_t handle) {
  const float input[4] = {1.0f, 2.0f, 3.0f, 6.0f}, roi[5] = {0.0f, 0.0f, 0.0f, 1.0f, 1.0f};
  const int input_shape[4] = {1, 2, 2, 1}, roi_shape[2] = {1, 5}, bin_shape[4] = {1, 1, 1, 1};
  float released = 0.0f, documented = 0.0f;
  int32_t channel[2] = {7, 7};
  mluOpTensorDescriptor_t descs[4] = {NULL, NULL, NULL, NULL};
  int i, failures = 0;
  for (i = 0; i < 4; ++i) failures += mluOpCreateTensorDescriptor(&descs[i]) != MLUOP_STATUS_SUCCESS;
  mluOpSetTensorDescriptor(descs[0], MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, input_shape);
  mluOpSetTensorDescriptor(descs[1], MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, roi_shape);
  mluOpSetTensorDescriptor(descs[2], MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, bin_shape);
  mluOpSetTensorDescriptor(descs[3], MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, 4, bin_shape);
  failures += mluOpPsRoiPoolForward(handle, 1, 1, 1.0f, 1, 1, descs[0], input, descs[1], roi, descs[2], &released,
                                    descs[3], &channel[0]) != MLUOP_STATUS_SUCCESS;
  failures += mluOpPsRoiPoolForward(handle, 1, 1, 1.0f, 1, 1, descs[0], input, descs[1], roi, NULL, 0, descs[2],
                                    &documented, descs[3], &channel[1]) != MLUOP_STATUS_SUCCESS;
  failures += released != 3.0f || documented != 3.0f || channel[0] != 0 || channel[1] != 0;
  /* The name alone is the released function. */
  {
    mluOpStatus_t (*forward)(mluOpHandle_t, int, int, float, int, int, mluOpTensorDescriptor_t, const void*,
                             mluOpTensorDescriptor_t, const void*, mluOpTensorDescriptor_t, void*,
                             mluOpTensorDescriptor_t, void*) = mluOpPsRoiPoolForward;
    failures += forward(handle, 1, 1, 1.0f, 1, 2, descs[0], input, descs[1], roi, descs[2], &released, descs[3],
                        &channel[0]) != MLUOP_STATUS_BAD_PARAM;
  }
  for (i = 0; i < 4; ++i) failures += mluOpDestroyTensorDescriptor(descs[i]) != MLUOP_STATUS_SUCCESS;
  failures += strncmp(detopsGetLastError(NULL), "mluOpPsRoiPoolForward: ", 23) != 0;
  return failures;
}

/* One image of 2 x 2 pixels with one channel; every box sits on the centre between the four pixels, so each output is
 * its pixel plus the mean of all four. */
int main(void) {
  const float input[4] = {1.0f, 2.0f, 3.0f, 6.0f};
  const float expected[4] = {4.0f, 5.0f, 6.0f, 9.0f};
  const int input_shape[4] = {1, 2, 2, 1}, box_shape[4] = {1, 2, 2, 5};
  float boxes[20], output[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  mluOpHandle_t handle = NULL;
  mluOpTensorDescriptor_t input_desc = NULL, box_desc = NULL;
  cnrtQueue_t queue = NULL;
  char version[48];
  int i, failures = 0;

  for (i = 0; i < 4; ++i) {
    const float box[5] = {0.5f, 0.5f, 1.0f, 1.0f, 0.0f};
    memcpy(boxes + 5 * i, box, sizeof(box));
  }
  failures += cnrtQueueCreate(&queue) != cnrtSuccess;
  failures += mluOpCreate(&handle) != MLUOP_STATUS_SUCCESS;
  failures += mluOpSetQueue(handle, queue) != MLUOP_STATUS_SUCCESS;
  failures += mluOpCreateTensorDescriptor(&input_desc) != MLUOP_STATUS_SUCCESS;
  failures += mluOpCreateTensorDescriptor(&box_desc) != MLUOP_STATUS_SUCCESS;
  failures += mluOpSetTensorDescriptor(input_desc, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, input_shape) !=
              MLUOP_STATUS_SUCCESS;
  failures +=
      mluOpSetTensorDescriptor(box_desc, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, box_shape) != MLUOP_STATUS_SUCCESS;
  if (mluOpRotatedFeatureAlignForward(handle, input_desc, input, box_desc, boxes, 1.0f, 1, input_desc, output) !=
      MLUOP_STATUS_SUCCESS) {
    printf("%s\n", detopsGetLastError(handle));
    ++failures;
  }
  failures += cnrtQueueSync(queue) != cnrtSuccess;
  for (i = 0; i < 4; ++i) {
    if (output[i] != expected[i]) {
      printf("output[%d] is %g, expected %g\n", i, (double)output[i], (double)expected[i]);
      ++failures;
    }
  }
  failures += PoolBothWays(handle);
  sprintf(version, "%d.%d.%d", DETOPS_VERSION_MAJOR, DETOPS_VERSION_MINOR, DETOPS_VERSION_PATCH);
  failures += strcmp(detopsGetVersion(), version) != 0;
  failures += mluOpDestroyTensorDescriptor(box_desc) != MLUOP_STATUS_SUCCESS;
  failures += mluOpDestroyTensorDescriptor(input_desc) != MLUOP_STATUS_SUCCESS;
  failures += mluOpDestroy(handle) != MLUOP_STATUS_SUCCESS;
  failures += cnrtQueueDestroy(queue) != cnrtSuccess;
  printf("C consumer of detops %s: %d failures\n", detopsGetVersion(), failures);
  return failures != 0;
}
