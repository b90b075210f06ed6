// The arguments of mluOpSetNmsDescriptor, and what each of them may not be.
#ifndef DETOPS_TESTS_DESCRIPTORS_NMS_ARGUMENTS_H_
#define DETOPS_TESTS_DESCRIPTORS_NMS_ARGUMENTS_H_

#include <climits>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mlu_op.h"

namespace detops_test {

struct NmsArguments {
  bool null = false;
  int box_mode = 0, output_mode = 0, algo = 0, method_mode = 0;
  float iou_threshold = 0.5f, sigma = 0.5f;
  int max_output_size = 10;
  float confidence_threshold = 0, offset = 0;
  int input_layout = 0;
  bool pad = false;

  mluOpStatus_t Set(mluOpNmsDescriptor_t desc) const {
    return mluOpSetNmsDescriptor(null ? nullptr : desc, static_cast<mluOpNmsBoxPointMode_t>(box_mode),
                                 static_cast<mluOpNmsOutputMode_t>(output_mode), static_cast<mluOpNmsAlgo_t>(algo),
                                 static_cast<mluOpNmsMethodMode_t>(method_mode), iou_threshold, sigma, max_output_size,
                                 confidence_threshold, offset, input_layout, pad);
  }
};

// What mluOpNms says of two boxes with IoU 1/2, and how many stay.
inline mluOpStatus_t SuppressTwo(mluOpHandle_t handle, mluOpNmsDescriptor_t nms, int* kept) {
  const float boxes[] = {0, 0, 1, 1, 0, 0, 1, 2}, scores[] = {0.5f, 0.25f};
  int output[2];
  const int extents[] = {2, 4};
  mluOpTensorDescriptor_t of_boxes = nullptr, of_scores = nullptr, of_output = nullptr;
  for (mluOpTensorDescriptor_t* desc : {&of_boxes, &of_scores, &of_output}) mluOpCreateTensorDescriptor(desc);
  mluOpSetTensorDescriptor(of_boxes, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, extents);
  mluOpSetTensorDescriptor(of_scores, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 1, extents);
  mluOpSetTensorDescriptor(of_output, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, 1, extents);
  const mluOpStatus_t status =
      mluOpNms(handle, nms, of_boxes, boxes, of_scores, scores, nullptr, 0, of_output, output, kept);
  for (const mluOpTensorDescriptor_t desc : {of_boxes, of_scores, of_output}) mluOpDestroyTensorDescriptor(desc);
  return status;
}

struct NmsFault {
  std::string text;  // of the refusal, after the function's name
  std::function<void(NmsArguments&)> apply;
};

// In the order in which they are checked; faults of one argument stand together.
inline std::vector<std::vector<NmsFault>> NmsFaults() {
  const float nan = std::nanf(""), infinity = HUGE_VALF;
  std::vector<std::vector<NmsFault>> all = {
      {{"nms_desc is NULL, expected an NMS descriptor.", [](NmsArguments& a) { a.null = true; }}}};
  const auto integer = [&](const std::string& name, int NmsArguments::* member, const std::string& expected,
                           const std::vector<int>& wrong) {
    all.emplace_back();
    for (const int value : wrong) {
      all.back().push_back({name + " is " + std::to_string(value) + ", expected " + expected + ".",
                            [=](NmsArguments& a) { a.*member = value; }});
    }
  };
  const auto number = [&](const std::string& name, float NmsArguments::* member, const std::string& expected,
                          const std::vector<std::pair<float, std::string>>& wrong) {
    all.emplace_back();
    for (const auto& [value, shown] : wrong) {
      all.back().push_back({name + " is " + shown + ", expected " + expected + ".",
                            [member, value = value](NmsArguments& a) { a.*member = value; }});
    }
  };
  integer("box_mode", &NmsArguments::box_mode, "a value of mluOpNmsBoxPointMode_t", {-1, 2, 99});
  integer("output_mode", &NmsArguments::output_mode, "a value of mluOpNmsOutputMode_t", {-1, 4, 99});
  integer("algo", &NmsArguments::algo, "a value of mluOpNmsAlgo_t", {-1, 2, 99});
  integer("method_mode", &NmsArguments::method_mode, "a value of mluOpNmsMethodMode_t", {-1, 3, 99});
  number("iou_threshold", &NmsArguments::iou_threshold, "a number", {{nan, "nan"}});
  number("soft_nms_sigma", &NmsArguments::sigma, "0 or more", {{-1, "-1"}, {nan, "nan"}, {-infinity, "-inf"}});
  integer("max_output_size", &NmsArguments::max_output_size, "0 or more", {-1, INT_MIN});
  number("confidence_threshold", &NmsArguments::confidence_threshold, "a number in [0, 1]",
         {{-0.5f, "-0.5"}, {1.5f, "1.5"}, {nan, "nan"}, {infinity, "inf"}});
  number("offset", &NmsArguments::offset, "0 or 1", {{0.5f, "0.5"}, {-1, "-1"}, {2, "2"}, {nan, "nan"}});
  integer("input_layout", &NmsArguments::input_layout, "0 or 1", {-1, 2});
  return all;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_DESCRIPTORS_NMS_ARGUMENTS_H_
