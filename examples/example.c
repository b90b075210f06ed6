/* The smallest use of the library: one forward call, checked. Build: cc example.c $(pkg-config --cflags --libs detops)
 */
#include <detops.h>
#include <stdio.h>

int main(void) {
  const float features[4] = {1, 2, 2, 4};                                               /* [1, 2, 2, 1] */
  const float boxes[20] = {0, 1, 2, 1, 0, 0, 1, 2, 1, 0, 1, 0, 2, 1, 0, 1, 0, 2, 1, 0}; /* y x w h angle */
  float aligned[4];
  const int shape[4] = {1, 2, 2, 1}, boxes_shape[4] = {1, 2, 2, 5};
  mluOpHandle_t handle;
  mluOpTensorDescriptor_t map, box;
  mluOpCreate(&handle);
  mluOpCreateTensorDescriptor(&map);
  mluOpCreateTensorDescriptor(&box);
  mluOpSetTensorDescriptor(map, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, shape);
  mluOpSetTensorDescriptor(box, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 4, boxes_shape);
  if (mluOpRotatedFeatureAlignForward(handle, map, features, box, boxes, 1.0f, 1, map, aligned)) {
    puts(detopsGetLastError(handle));
  } else {
    printf("%g %g %g %g\n", aligned[0], aligned[1], aligned[2], aligned[3]); /* 3 4 4 6 */
  }
  mluOpDestroyTensorDescriptor(box);
  mluOpDestroyTensorDescriptor(map);
  return mluOpDestroy(handle);
}
