// Calls of the library: the thread's handle, its settings, statuses as exceptions, and what an operator asks of the
// language it is called from.
#ifndef DETOPS_PYTHON_SRC_COMMON_CALL_H_
#define DETOPS_PYTHON_SRC_COMMON_CALL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/schema.h"
#include "common/view.h"
#include "detops.h"

namespace detops_binding {

// Settings of the calling thread. -1: none of its own.
struct ThreadSettings {
  int num_threads = -1;
  bool value_checks = true;
};
ThreadSettings& SettingsOfThisThread();

// Who works on a call: so many threads, 0: as many as the library thinks right; its own, or those behind a runner.
struct Workers {
  int num_threads = 0;
  detopsRunner_t runner = nullptr;
  void* opaque = nullptr;

  bool operator==(const Workers&) const = default;
};

// The handle of this thread, in the full profile, with the settings as they are now. It is freed with the thread.
mluOpHandle_t Handle(const Workers& workers);

// Throws what a status stands for, with the library's sentence. Without a handle: that of the thread's last call. The
// sentence speaks of the C function, unless it is told which function its reader has called.
void Check(mluOpStatus_t status, mluOpHandle_t handle = nullptr, std::string_view function = {});

// One call from another language: its arguments, and memory for its results. Views live as long as the call. Arguments
// of a wrong type are refused when they are asked for.
class Call {
 public:
  static constexpr size_t kMaxResults = 5;

  explicit Call(const Schema& schema) : schema_(schema) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;

  const Schema& schema() const { return schema_; }
  std::string_view function() const { return schema_.name(); }
  Argument At(const Parameter& parameter) const { return {function(), parameter.name}; }

  // Floating numbers. If `like` is given, they must have the same type.
  virtual View Numbers(const Parameter& parameter, const View* like = nullptr) = 0;
  // int32; int64 is converted.
  virtual View Indices(const Parameter& parameter) = 0;
  // Of a tensor whose numbers nobody reads, its shape; they may be any.
  virtual View ShapeOnly(const Parameter& parameter) { return Indices(parameter); }
  // int32 or int64, as it is.
  virtual View Integers(const Parameter& parameter) = 0;
  virtual bool IsNone(const Parameter& parameter) const = 0;
  // True for a list that has a usual value, if torch was told to use that.
  virtual bool IsUsual(const Parameter& parameter) const = 0;
  virtual int Int32(const Parameter& parameter) = 0;
  virtual int64_t Int64(const Parameter& parameter) = 0;
  virtual double Real(const Parameter& parameter) = 0;
  virtual bool Flag(const Parameter& parameter) = 0;
  virtual std::string_view Word(const Parameter& parameter) = 0;
  // As many int as there is room for, or one for all.
  virtual void PutInts(const Parameter& parameter, std::span<int> ints) = 0;
  // Lists of any length.
  virtual std::vector<int> Ints(const Parameter& parameter) = 0;
  virtual std::vector<int64_t> Shape(const Parameter& parameter) = 0;
  virtual std::vector<double> Reals(const Parameter& parameter) = 0;
  // A tensor of int with one axis; NumPy also has lists.
  virtual std::vector<int64_t> Counts(const Parameter& parameter) = 0;

  // The same of arguments that may be left out, or of which only one kind of work reads one.
  View NumbersIf(bool needed, const Parameter& parameter, const View* like = nullptr) {
    return needed && !IsNone(parameter) ? Numbers(parameter, like) : View();
  }
  View IntegersIf(bool needed, const Parameter& parameter) {
    return needed && !IsNone(parameter) ? Integers(parameter) : View();
  }
  View IndicesIf(bool needed, const Parameter& parameter) {
    return needed && !IsNone(parameter) ? Indices(parameter) : View();
  }
  std::optional<int64_t> Int64OrNone(const Parameter& parameter) {
    return IsNone(parameter) ? std::nullopt : std::optional(Int64(parameter));
  }
  template <size_t kCount>
  std::array<int, kCount> IntArray(const Parameter& parameter) {
    std::array<int, kCount> ints;
    PutInts(parameter, ints);
    return ints;
  }
  // The value that a word stands for. The error lists the words.
  template <typename Value>
  Value Choice(const Parameter& parameter, std::initializer_list<std::pair<std::string_view, Value>> choices) {
    return detops_binding::Choice<Value>(Word(parameter), choices, At(parameter));
  }

  // Memory for the result of this number: new, or what the caller has passed for it, which must fit.
  virtual View Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) = 0;
  View Output(int result, mluOpDataType_t type, std::initializer_list<int64_t> shape) {
    return Output(result, type, std::span(shape.begin(), shape.size()));
  }
  // As Output, but what the caller has passed may have any shape: the library decides whether there is enough room.
  virtual View OutputAtLeast(int result, mluOpDataType_t type, std::initializer_list<int64_t> shape) = 0;
  // Whether the caller has passed memory for a result, and how many rows it has.
  virtual bool IsGiven(int result) const = 0;
  virtual std::optional<int64_t> RowsOfOut() const = 0;
  // Of this result the caller gets the first rows.
  virtual void KeepRows(int result, int64_t rows) = 0;
  // The rulebook of the pairs among the arguments, if there is one.
  virtual detopsRulebook_t rulebook() const { return nullptr; }
  // Numbers that NumPy's callers get behind the results.
  virtual void AddNumbers(std::span<const int> /*numbers*/) {}

  // Calls work(handle), without the lock of an interpreter, and throws what its status stands for, or what it throws.
  template <typename Work>
  void Run(const Work& work) {
    RunErased([](const void* erased, mluOpHandle_t handle) { return (*static_cast<const Work*>(erased))(handle); },
              &work);
  }

 protected:
  using ErasedWork = mluOpStatus_t (*)(const void*, mluOpHandle_t);
  virtual void RunErased(ErasedWork work, const void* erased) = 0;

 private:
  const Schema& schema_;
};

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_CALL_H_
