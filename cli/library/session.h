// A case in the memory of the library under test, ready to be called any number of times.
#ifndef DETOPS_CLI_LIBRARY_SESSION_H_
#define DETOPS_CLI_LIBRARY_SESSION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cases/case.h"
#include "cases/operator.h"
#include "library/device.h"

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
  mluOpStatus_t Call() { return Invoke(*arguments_, handle_); }

  const Library& library() const { return library_; }
  const Case& the_case() const { return case_; }
  // With the addresses of the library's memory, and the results of the last good call.
  const detops_harness::Call& call() const { return call_; }
  std::string Explain(mluOpStatus_t status) const { return library_.Explain(handle_, status); }

  // ---- bad calls ----

  // Gives the tensors of a call that was spoilt, a copy of call(), their addresses. False if it cannot be made on this
  // library: it needs a setting that the library has not, or memory that nobody may touch.
  bool Place(detops_harness::Call& spoilt) const;
  // Carries such a call out. False if the library refuses already what is made before the call. A library that leaves
  // everything as it was leaves the results as those of call().
  bool TrySpoilt(detops_harness::Call& spoilt, mluOpStatus_t* status);

  // False if the library has no such setting.
  bool SetThreads(int threads);
  int Threads() const;

  size_t workspace_bytes() const { return workspace_ == nullptr ? 0 : workspace_->bytes(); }

  void FillOutputs(unsigned char value);
  bool OutputsAre(unsigned char value) const;
  // What a call leaves as it was, as the rest of a list after its count, is 0.
  std::vector<std::vector<std::byte>> Outputs() const;

  // The name of a tensor whose guard bytes have changed, or whose input bytes have; "" if there is none.
  std::string DamagedGuard() const;
  std::string ChangedInput() const;

  // Gives what the library tells about its choice of algorithm, "" if it tells nothing. *failure: "" after success.
  std::string FirstCall(std::string* failure);

 private:
  // Nothing but the references: once this has run, the destructor tidies up whatever the public one leaves half done.
  Session(const Library& library, const Case& the_case) : library_(library), case_(the_case) {}

  // nullptr if the library refuses it. The caller destroys it.
  mluOpTensorDescriptor_t MakeDescriptor(const detops_harness::Tensor& tensor) const;
  void PlaceLists(detops_harness::Call& call) const;
  mluOpStatus_t Invoke(detops_harness::Arguments& arguments, mluOpHandle_t handle);
  void SetProfile(detopsProfile_t profile, bool value_checks);

  const Library& library_;
  const Case& case_;
  detops_harness::Call call_;
  std::unique_ptr<detops_harness::Arguments> arguments_;
  mluOpHandle_t handle_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
  std::vector<mluOpTensorDescriptor_t> descriptors_;  // in the order of the call's tensors; nullptr: left out
  std::vector<std::unique_ptr<DeviceBuffer>> inputs_, outputs_;  // in the order of the case
  std::unique_ptr<DeviceBuffer> workspace_;
};

}  // namespace detops_cli

#endif  // DETOPS_CLI_LIBRARY_SESSION_H_
