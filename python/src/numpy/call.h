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
#include <string_view>
#include <vector>

#include "common/call.h"
#include "numpy/array.h"

namespace detops_python {

// The number of threads of calls where the thread has set none; 0: the library's own choice.
void SetProcessThreads(int num_threads);
// This thread's handle, as calls use it.
mluOpHandle_t Handle();
// Functions of the extension that set and tell how the library works.
void AddSettings(nb::module_& module);

class NumpyCall : public Call {
 public:
  // `arguments` are those of the schema, then where results go: nothing; memory or None for the one result, and then
  // for psroipool's channels; or None or a tuple of as many as there are results, each None or memory.
  NumpyCall(const Schema& schema, const nb::args& arguments);

  View Numbers(const Parameter& parameter, const View* like) override;
  View Indices(const Parameter& parameter) override;
  View Integers(const Parameter& parameter) override;
  bool IsNone(const Parameter& parameter) const override { return Source(parameter).is_none(); }
  bool IsUsual(const Parameter& /*parameter*/) const override { return false; }
  int Int32(const Parameter& parameter) override;
  int64_t Int64(const Parameter& parameter) override;
  double Real(const Parameter& parameter) override;
  bool Flag(const Parameter& parameter) override;
  std::string_view Word(const Parameter& parameter) override;
  void PutInts(const Parameter& parameter, std::span<int> ints) override;
  std::vector<int> Ints(const Parameter& parameter) override;
  std::vector<int64_t> Shape(const Parameter& parameter) override;
  std::vector<double> Reals(const Parameter& parameter) override;
  std::vector<int64_t> Counts(const Parameter& parameter) override;

  View Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) override;
  View OutputAtLeast(int result, mluOpDataType_t type, std::initializer_list<int64_t> shape) override;
  bool IsGiven(int result) const override { return !slots_[result].out.is_none(); }
  std::optional<int64_t> RowsOfOut() const override;
  void KeepRows(int result, int64_t rows) override;
  void AddNumbers(std::span<const int> numbers) override;

  // What Python gets: the result, or a list of them, and of a list of the numbers if there are any. None stands for a
  // result that was not made.
  nb::object Results() const;

 protected:
  void RunErased(ErasedWork work, const void* erased) override;

 private:
  struct Slot {
    std::string name = "out";
    nb::handle out = Py_None;
    std::optional<Array> made;
    int64_t rows = -1;  // All.
  };
  nb::handle Source(const Parameter& parameter) const {
    return PyTuple_GetItem(arguments_.ptr(), static_cast<Py_ssize_t>(parameter.place));
  }
  View Keep(std::optional<Array>& place, Array array);
  nb::object Result(const Slot& slot) const;

  const nb::args& arguments_;
  nb::object held_;
  std::array<std::optional<Array>, Schema::kMaxParameters> inputs_;
  std::array<Slot, kMaxResults> slots_;
  nb::list numbers_;
};

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_NUMPY_CALL_H_
