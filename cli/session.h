// A case in the memory of the library under test, ready to be called any number of times.
#ifndef DETOPS_CLI_SESSION_H_
#define DETOPS_CLI_SESSION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "case.h"
#include "device.h"
#include "operator.h"

namespace detops_cli {

// Where tensors begin: as the runtime aligns them, or one element further.
enum class Placement { kAligned, kShifted };

class Session {
 public:
  // Throws DeviceError if memory, a handle or a descriptor is refused.
  Session(const Library& library, const Case& the_case, Placement placement);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Asks for the workspace and gets it. Not SUCCESS: the case cannot be called.
  mluOpStatus_t Prepare();

  // Waits until the library is done.
  mluOpStatus_t Call() { return CallWith(invocation_); }
  mluOpStatus_t CallWith(Invocation& invocation);

  const Library& library() const { return library_; }
  const Case& the_case() const { return case_; }
  const Invocation& invocation() const { return invocation_; }
  std::string Explain(mluOpStatus_t status) const { return library_.Explain(invocation_.handle, status); }

  // False if the library has no such setting.
  bool SetThreads(int threads);
  int Threads() const;

  DeviceBuffer& input(size_t i) { return *inputs_[i]; }
  size_t workspace_bytes() const { return workspace_ == nullptr ? 0 : workspace_->bytes(); }

  void FillOutputs(unsigned char value);
  bool OutputsAre(unsigned char value) const;
  std::vector<std::vector<std::byte>> Outputs() const;

  // What the sparse convolution descriptor says now; 0 without one.
  int NumActOut() const;

  // The name of a tensor whose guard bytes have changed, or whose input bytes have; "" if there is none.
  std::string DamagedGuard() const;
  std::string ChangedInput() const;

  // A descriptor that lives as long as the session; nullptr if the library refuses it. No strides: dense.
  mluOpTensorDescriptor_t MakeDescriptor(mluOpTensorLayout_t layout, mluOpDataType_t type,
                                         const std::vector<int64_t>& extents, const std::vector<int64_t>& strides);

  // Gives what the library tells about its choice of algorithm, "" if it tells nothing. *failure: "" after success.
  std::string FirstCall(std::string* failure);

 private:
  // Nothing but the references: once this has run, the destructor tidies up whatever the public one leaves half done.
  Session(const Library& library, const Case& the_case) : library_(library), case_(the_case) {}

  TensorArgument MakeTensor(const HostTensor& tensor, std::vector<std::unique_ptr<DeviceBuffer>>& buffers);
  void MakeSparseDescriptor(const GetIndicePairsParams& params);

  const Library& library_;
  const Case& case_;
  Invocation invocation_;
  Placement placement_ = Placement::kAligned;
  cnrtQueue_t queue_ = nullptr;
  std::vector<mluOpTensorDescriptor_t> descriptors_;
  std::vector<std::unique_ptr<DeviceBuffer>> inputs_, outputs_;
  std::unique_ptr<DeviceBuffer> workspace_;
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_SESSION_H_
