// Records a call as a case file; what the file holds is said in mlu_op/gen_case.h.
//
// An entry point runs its work through RunRecorded, after its checks. Some operators find wrong values only while they
// prepare their work, before they write a result; such a refusal takes the file away again.
#ifndef DETOPS_RECORDING_GEN_CASE_H_
#define DETOPS_RECORDING_GEN_CASE_H_

#include <cstdint>

#include "core/arg_check.h"
#include "core/call.h"
#include "recording/atomic_file.h"
#include "recording/gen_case_settings.h"
#include "recording/gen_case_tensor.h"

namespace detops {

class GenCase {
 public:
  // nullptr if the call is not to be recorded, or there is no memory for it. `call` and `op_name` outlive the object.
  static GenCase* Create(const Call& call, const char* op_name);
  GenCase(const GenCase&) = delete;
  GenCase& operator=(const GenCase&) = delete;

  // The call in the order of its case file. All tensors have descriptors. They, names and arrays stay as they are
  // until End.
  void RandomInput(const TensorArg& tensor) { AddTensor(tensor, true, false); }
  void RealInput(const TensorArg& tensor) { AddTensor(tensor, true, true); }
  void Output(const TensorArg& tensor) { AddTensor(tensor, false, false); }
  // An int32 output that the caller has left out, with the shape that it would have.
  void MissingOutput(const char* id, const mluOpTensorStruct& shape);
  void Param(const char* name, int64_t value) { AddParam({name, nullptr, 1, value, 0, false}); }
  void Param(const char* name, float value) { AddParam({name, nullptr, 1, 0, value, true}); }
  void Param(const char* name, const int64_t* values, int64_t count) { AddParam({name, values, count, 0, 0, false}); }
  // The name of the message that holds the parameters, if it is not the operator's with "_param".
  void ParamMessage(const char* name) { param_message_ = name; }
  // Results must be equal, not close.
  void Exact() { exact_ = true; }

  // Writes the file, or prints the line.
  void Begin();
  // After the work: adds the outputs' values, or takes the file away. Deletes the object.
  void End(mluOpStatus_t status);

 private:
  struct ParamRow {
    const char* name;
    const int64_t* values;  // nullptr: one number
    int64_t count;
    int64_t integer;
    float real;
    bool is_real;
  };
  static constexpr int kMaxTensors = 8;
  static constexpr int kMaxParams = 32;

  GenCase(const Call& call, const char* op_name) : call_(call), op_name_(op_name) {}
  ~GenCase() = default;

  void AddTensor(const TensorArg& tensor, bool input, bool real);
  void AddParam(const ParamRow& param);

  CaseData DataOf(const CaseTensor& tensor, bool with_outputs) const;
  bool MakePath();
  // The path of the case file, or of the data of tensor `index`.
  const char* CasePath();
  const char* DataPath(int index);
  bool WriteDataFiles(bool outputs);
  bool WriteCase(bool with_outputs);
  void WriteParams();
  void RemoveFiles(bool outputs_only);
  bool Written(int error);
  void Print() const;

  const Call& call_;
  const char* op_name_;
  const char* param_message_ = nullptr;
  bool exact_ = false;
  bool there_ = false;  // the case file
  int tensor_count_ = 0;
  int param_count_ = 0;
  CaseTensor tensors_[kMaxTensors];
  ParamRow params_[kMaxParams];
  GenCaseSettings settings_;
  char path_[kPathSize];  // without its end, which starts at path_end_
  char* path_name_ = path_;
  char* path_end_ = path_;
  AtomicFile file_;
};

// Runs the work of a call, which returns the call's status, and records the call if that is asked for.
// describe(GenCase&) tells what the call is. op_name nullptr: a call that is never recorded.
template <class Describe, class Run>
mluOpStatus_t RunRecorded(const Call& call, const char* op_name, const Describe& describe, const Run& run) {
  GenCase* const record = op_name != nullptr && GenCaseMayBeOn() ? GenCase::Create(call, op_name) : nullptr;
  if (record != nullptr) {
    describe(*record);
    record->Begin();
  }
  const mluOpStatus_t status = run();
  if (record != nullptr) record->End(status);
  return status;
}

}  // namespace detops

#endif  // DETOPS_RECORDING_GEN_CASE_H_
