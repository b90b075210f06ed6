// Turns the tensors of a case file into tensors in memory.
#ifndef DETOPS_CLI_CASE_FILE_TENSOR_DATA_H_
#define DETOPS_CLI_CASE_FILE_TENSOR_DATA_H_

#include <string>

#include "case_file/case_node.h"
#include "cases/case.h"

namespace detops_cli {

// Where a tensor stands, and how errors call it.
struct TensorPlace {
  Place place;
  std::string label;  // as "input[1] (rois)"

  [[noreturn]] void Fail(const std::string& reason, const char* field = nullptr, int index = 0) const {
    place.Fail(label + ": " + reason, field, index);
  }
};

// Layout, type, extents and strides; no data. Throws FileError.
HostTensor DescribeTensor(const TensorPlace& place, const mluoptest::Tensor& tensor, const std::string& name);

// Whether the file says what the values are, in a list or in another file.
bool HasValues(const mluoptest::Tensor& tensor);

// The data, from the first that is there: value_h, value_f, value_i, value_l, value_ui, value_ul, path, random_data. A
// list has one value for every element; with strides, for every element from the first to the last address. Throws
// FileError.
void FillTensor(const TensorPlace& place, const mluoptest::Tensor& source, HostTensor& tensor);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_TENSOR_DATA_H_
