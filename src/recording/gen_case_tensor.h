// One tensor of a case file (message Tensor), with its values or what stands for them.
#ifndef DETOPS_RECORDING_GEN_CASE_TENSOR_H_
#define DETOPS_RECORDING_GEN_CASE_TENSOR_H_

#include "core/tensor.h"
#include "recording/atomic_file.h"

namespace detops {

struct CaseTensor {
  const char* id;
  const mluOpTensorStruct* shape;
  mluOpTensorLayout_t layout;
  mluOpDataType_t type;
  mluOpDataType_t onchip_type;
  const void* data;  // nullptr: there is none
  bool input;
  bool real;  // random values make no sense of it
};

enum class CaseData { kNone, kRandom, kText, kHex, kFile };

// True if there are values to write.
bool HasValues(const CaseTensor& tensor);

// `seed` is for random data, `file_name` for data in a file.
void WriteTensor(const CaseTensor& tensor, CaseData data, int seed, const char* file_name, AtomicFile& file);

}  // namespace detops

#endif  // DETOPS_RECORDING_GEN_CASE_TENSOR_H_
