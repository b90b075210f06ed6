// The case file of a call of poly_nms, word for word.
#include <gtest/gtest.h>

#include "recording/gen_case_child.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_test {
namespace {

constexpr char kExpected[] = R"(op_name: "poly_nms"
device: CPU
input {
  id: "boxes"
  shape {
    dims: 2
    dims: 9
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_FLOAT
  value_f: 0
  value_f: 0
  value_f: 4
  value_f: 0
  value_f: 4
  value_f: 4
  value_f: 0
  value_f: 4
  value_f: 0.5
  value_f: 0
  value_f: 0
  value_f: 4
  value_f: 0
  value_f: 4
  value_f: 4
  value_f: 0
  value_f: 4
  value_f: 0.75
}
output {
  id: "output"
  shape {
    dims: 2
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_INT32
  value_i: 1
  value_i: 0
}
output {
  id: "output_size"
  shape {
    dims: 1
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_INT32
  value_i: 1
}
poly_nms_param {
  iou_threshold: 0.25
}
test_param {
  error_func: DIFF3
  error_threshold: 0
}
)";

TEST(PolyNmsRecording, CaseFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RunInChild({{"", "2"}, {"_DIR", folder.path()}, {"_DUMP_DATA", "1"}, {"_DUMP_DATA_OUTPUT", "1"}}, [] {
    const Handle handle;
    const Descriptor boxes_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {2, 9});
    const Descriptor output_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {2});
    const float boxes[] = {0, 0, 4, 0, 4, 4, 0, 4, 0.5f, 0, 0, 4, 0, 4, 4, 0, 4, 0.75f};
    int32_t output[2] = {}, count = 0;
    char workspace[24];
    EXPECT_EQ(mluOpPolyNms(handle.get(), boxes_desc.get(), boxes, 0.25f, workspace, sizeof(workspace),
                           output_desc.get(), output, &count),
              MLUOP_STATUS_SUCCESS)
        << handle.LastError();
  }));
  EXPECT_EQ(OnlyFile(folder.path()), kExpected);
}

}  // namespace
}  // namespace detops_test
