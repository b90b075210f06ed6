// One call from Python on NumPy arrays and DLPack tensors.
#ifndef DETOPS_PYTHON_SRC_NUMPY_CALL_H_
#define DETOPS_PYTHON_SRC_NUMPY_CALL_H_

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "common/call.h"
#include "numpy/array.h"

namespace detops_python {

// The number of threads of calls where the thread has set none; 0: the library's own choice.
void SetProcessThreads(int num_threads);
// This thread's handle, as calls use it.
mluOpHandle_t Handle();

class NumpyCall : public Binding {
 public:
  // A function with one result, and `out`: None or memory for it.
  NumpyCall(const char* function, nb::handle out);
  // With `count` results; `out` is None or a tuple of as many, each None or memory.
  NumpyCall(const char* function, nb::handle out, size_t count);
  // Another argument that is a result.
  void AddOutput(const char* name, nb::handle out);

  View Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) override;
  View Room(int result, mluOpDataType_t type, std::span<const int64_t> shape) override;
  bool IsGiven(int result) const override { return !slots_[result].out.is_none(); }

  // Rows of the memory passed for a result, if it has any.
  std::optional<int64_t> RowsOfOut(int result) const;
  // What Python gets; None for a result that was not made.
  nb::object Result(int result) const;
  // The first rows of a result.
  nb::object FirstRows(int result, int64_t rows) const;

 protected:
  void RunErased(ErasedWork work, const void* erased) override;

 private:
  static constexpr size_t kMaxResults = 5;
  struct Slot {
    std::string name;
    nb::object out = nb::none();
    std::optional<Array> made;
  };
  View Keep(int result, Array array);

  size_t count_ = 0;
  std::array<Slot, kMaxResults> slots_;
};

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_CALL_H_
