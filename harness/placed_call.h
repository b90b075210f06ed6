// A call in memory, ready to be carried out by the library that the program is linked with.
#ifndef DETOPS_HARNESS_PLACED_CALL_H_
#define DETOPS_HARNESS_PLACED_CALL_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "harness/call.h"

namespace detops_harness {

class Arguments;

// Where tensors lie. Between guard pages every step outside faults; blocks of the heap are for sanitizers, which see it
// too, and are quicker to get; memory of cnrtMalloc, aligned as a program would have it, is for timing.
enum class MemoryKind { kAgainstEnd, kAgainstFront, kHeap, kAligned };

struct Placing {
  MemoryKind kind = MemoryKind::kAgainstEnd;
  size_t offset = 0;  // so many bytes away from the guard page, to misalign
};

class PlacedCall {
 public:
  explicit PlacedCall(Call call, Placing placing = {});
  ~PlacedCall();
  PlacedCall(const PlacedCall&) = delete;
  PlacedCall& operator=(const PlacedCall&) = delete;

  const Call& call() const { return call_; }

  // Sets the handle's profile and value checks as the call says, and calls.
  mluOpStatus_t Run(mluOpHandle_t handle);
  // The call alone, on a handle that is set as it says; allocates nothing, and does not ask for the text.
  mluOpStatus_t RunAlone(mluOpHandle_t handle);
  // What the library said of the last Run, for the thread; empty after success.
  const std::string& text() const { return text_; }

  // All bytes that the function may have written have this value again, and results are as before.
  void Reset(unsigned char fill);
  // All that a refused call must leave as it is: every byte of inputs and outputs, and the results. The workspace is
  // not among them: some calls notice what is wrong only when they have begun to count.
  std::string State() const;
  // The same of the inputs alone.
  bool InputsIntact() const;
  // False if a byte next to one of the buffers has changed, or one of an output that the call does not write.
  bool SurroundingsIntact() const;
  // Every tensor has memory for what its description says, and the workspace for what workspace_size says.
  bool MemorySuffices() const;
  // The outputs, as far as they are written, and the results; every NaN counts alike.
  std::string Outputs() const;

 private:
  class Block;
  class Descriptor;
  Block& NewBlock(size_t bytes, const Placing& placing);
  void Place(Tensor& tensor, const Placing& placing);
  void PlaceInside(Tensor& tensor);
  struct Bytes {
    size_t begin, end;
  };
  std::vector<Bytes> WrittenBytes(const Tensor& output) const;
  bool RestIntact(const Tensor& output) const;

  Call call_;
  const Named<int64_t> results_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::unique_ptr<Descriptor>> descriptors_;
  std::unique_ptr<Arguments> arguments_;
  const Block* workspace_ = nullptr;
  std::string text_;
  unsigned char fill_ = 0xA5;  // what stands in the outputs before a call
};

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_PLACED_CALL_H_
