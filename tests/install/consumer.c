/* A program in C99 that uses an installed detops as a stranger would. */
#include <cnrt.h>
#include <detops.h>
#include <mlu_op.h>
#include <stdio.h>
#include <string.h>

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
  failures += strcmp(detopsGetVersion(), "0.1.0") != 0;
  failures += mluOpDestroyTensorDescriptor(box_desc) != MLUOP_STATUS_SUCCESS;
  failures += mluOpDestroyTensorDescriptor(input_desc) != MLUOP_STATUS_SUCCESS;
  failures += mluOpDestroy(handle) != MLUOP_STATUS_SUCCESS;
  failures += cnrtQueueDestroy(queue) != cnrtSuccess;
  printf("C consumer of detops %s: %d failures\n", detopsGetVersion(), failures);
  return failures != 0;
}
