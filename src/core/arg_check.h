// The checks of an operator as a table: one line a rule, in the order the contract documents.
//
// The first rule that fails decides the status and the sentence; those after it are skipped, so a rule may rely on
// the ones above it. Nothing here writes to an output.
#ifndef DETOPS_CORE_ARG_CHECK_H_
#define DETOPS_CORE_ARG_CHECK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/call.h"
#include "core/checked_math.h"
#include "core/platform.h"
#include "core/tensor.h"

namespace detops {

// A tensor argument: its C name without "_desc", its descriptor and its data.
struct TensorArg {
  const char* name;
  const mluOpTensorStruct* desc;
  const void* data;
  bool optional = false;

  // Left out by the caller, who may do so: every rule skips such a tensor.
  bool absent() const { return optional && desc == nullptr; }
};

// One that the call writes.
struct OutputArg : TensorArg {
  OutputArg() : TensorArg{} {}
  OutputArg(const char* argument, const mluOpTensorStruct* descriptor, void* output, bool may_be_absent = false)
      : TensorArg{argument, descriptor, output, may_be_absent}, target(output) {}
  void* target = nullptr;  // the data, to be written
};

// One that a NULL descriptor leaves out; its data is not looked at then.
inline TensorArg Optional(const char* name, const mluOpTensorStruct* desc, const void* data) {
  return {name, desc, desc == nullptr ? nullptr : data, true};
}
// One that this call does not look at counts as left out.
inline TensorArg UsedIf(bool used, const TensorArg& tensor) {
  return used ? tensor : Optional(tensor.name, nullptr, nullptr);
}
inline OutputArg OptionalOutput(const char* name, const mluOpTensorStruct* desc, void* data) {
  return {name, desc, desc == nullptr ? nullptr : data, true};
}

// Memory that must not be shared: a tensor's data, or a buffer without descriptor.
struct BufferArg {
  BufferArg(const TensorArg& tensor)  // NOLINT(google-explicit-constructor): a tensor is a buffer
      : name(tensor.name), data(tensor.data), bytes(tensor.desc == nullptr ? 0 : tensor.desc->byte_count()) {}
  BufferArg(const char* buffer_name, const void* buffer, size_t buffer_bytes)
      : name(buffer_name),
        data(buffer),
        bytes(buffer == nullptr ? 0 : static_cast<int64_t>(std::min<size_t>(buffer_bytes, kMaxInt64))) {}
  const char* name;
  const void* data;
  int64_t bytes;
};

// One of several tensors of a rule.
struct TensorRef {
  TensorRef(const TensorArg& arg) : tensor(&arg) {}  // NOLINT(google-explicit-constructor): reads as a list of tensors
  const TensorArg* tensor;
};
using TensorList = std::initializer_list<TensorRef>;

// Whether one of the tensors that are there has no elements.
bool AnyEmpty(TensorList tensors);

// The end of the sentence of a refusal that only the contract profile makes.
inline constexpr char kFullProfileLifts[] = "; the full profile lifts this limit";

// A named extent. The first shape rule that meets it binds it, later ones must agree; or a scalar argument binds it.
class Dim {
 public:
  explicit Dim(const char* name) : name_(name) {}
  Dim(const char* argument, int64_t value) : name_(argument), value_(value), source_("") {}
  int64_t value() const { return value_; }

 private:
  friend class ArgCheck;
  friend class Extent;
  const char* name_;
  int64_t value_ = 0;
  const char* source_ = nullptr;  // the tensor that bound it; "" for a scalar argument; nullptr: not bound yet
};

// One axis of a shape rule.
class Extent {
 public:
  Extent(Dim& dim) : dim_(&dim) {}             // NOLINT(google-explicit-constructor): reads as a shape
  Extent(int64_t number) : number_(number) {}  // NOLINT(google-explicit-constructor)

 private:
  friend class ArgCheck;
  // Whether the tensor has this extent on the axis; binds a name that no tensor has bound yet.
  bool Meet(const TensorArg& tensor, int axis) const {
    const int64_t actual = tensor.desc->extent(axis);
    if (dim_ == nullptr) return actual == number_;
    if (dim_->source_ == nullptr) {
      dim_->value_ = actual;
      dim_->source_ = tensor.name;
    }
    return actual == dim_->value_;
  }

  Dim* dim_ = nullptr;
  int64_t number_ = 0;
};

class ArgCheck {
 public:
  explicit ArgCheck(const Call& call) : call_(call) {}

  ArgCheck& Handle();
  ArgCheck& Descriptor(const TensorArg& tensor) {
    return Skips(tensor) || tensor.desc != nullptr ? *this : FailDescriptor(tensor);
  }
  // NOT_SUPPORTED in the contract profile.
  ArgCheck& FullProfile();
  ArgCheck& Rank(const TensorArg& tensor, int rank) {
    return Skips(tensor) || tensor.desc->rank() == rank ? *this : FailRank(tensor, rank);
  }

  // Float or half; in the full profile also double and bfloat16.
  ArgCheck& FloatingType(const TensorArg& tensor);
  // Float; in the full profile also half, double and bfloat16.
  ArgCheck& FloatUnlessFull(const TensorArg& tensor);
  // Float, half, double or bfloat16 in both profiles.
  ArgCheck& AnyFloatingType(const TensorArg& tensor);
  ArgCheck& Int32(const TensorArg& tensor) {
    return Skips(tensor) || tensor.desc->type == MLUOP_DTYPE_INT32 ? *this : FailInt32(tensor);
  }
  // Int32; in the full profile also int64.
  ArgCheck& Int32UnlessFull(const TensorArg& tensor);
  // Int32 or int64 in both profiles.
  ArgCheck& IndexType(const TensorArg& tensor);
  ArgCheck& Bool(const TensorArg& tensor) {
    return Skips(tensor) || tensor.desc->type == MLUOP_DTYPE_BOOL ? *this : FailBool(tensor);
  }
  ArgCheck& SameType(const TensorArg& tensor, const TensorArg& other) {
    return Skips(tensor) || tensor.desc->type == other.desc->type ? *this : FailSameType(tensor, other);
  }
  ArgCheck& Layout(const TensorArg& tensor, mluOpTensorLayout_t layout) {
    return Skips(tensor) || tensor.desc->layout == layout ? *this : FailLayout(tensor, layout);
  }

  // NOT_SUPPORTED unless dense.
  ArgCheck& Dense(const TensorArg& tensor) {
    return Skips(tensor) || tensor.desc->first_strided_axis() < 0 ? *this : FailDense(tensor);
  }
  ArgCheck& Shape(const TensorArg& tensor, std::initializer_list<Extent> extents);
  ArgCheck& Axis(const TensorArg& tensor, int axis, const Extent& expected);

  // NOT_SUPPORTED from 2^31 elements on in the contract profile, and where int64 cannot count the bytes in both.
  ArgCheck& CountLimit(const TensorArg& tensor) {
    return Skips(tensor) || tensor.desc->element_count() < kContractElements ? *this : LargeCount(tensor);
  }
  ArgCheck& NotEmpty(const TensorArg& tensor) {
    return Skips(tensor) || tensor.desc->element_count() > 0 ? *this : FailNotEmpty(tensor);
  }

  // BAD_PARAM unless the condition holds: "<argument> is <value>, expected <expectation>."
  ArgCheck& Integer(const char* argument, int64_t value, bool condition, const char* expectation);
  ArgCheck& Number(const char* argument, float value, bool condition, const char* expectation);
  ArgCheck& Number(const char* argument, double value, bool condition, const char* expectation);

  // BAD_PARAM if there is no place for a number that the call gives back.
  ArgCheck& Place(const char* result, const void* place);

  // NOT_SUPPORTED if `indices` is int32 and `rows` of another tensor are more than it can number.
  ArgCheck& CanNumber(const TensorArg& indices, int64_t rows, const TensorArg& other);

  // NOT_SUPPORTED unless the condition holds, in both profiles; the sentence is the operator's own.
  ArgCheck& Supported(bool condition, const char* sentence);

  // A rule of the operator's own: `status` and the sentence unless the condition holds.
  ArgCheck& Rule(bool condition, mluOpStatus_t status, const char* format, ...) DETOPS_PRINTF(4, 5);

  ArgCheck& Data(const TensorArg& tensor) { return Skips(tensor) || tensor.data != nullptr ? *this : FailData(tensor); }
  // A tensor without elements needs no data.
  ArgCheck& DataUnlessEmpty(TensorList tensors);

  // A rule for several tensors, one after the other.
  ArgCheck& Descriptor(TensorList tensors) { return ForEach<&ArgCheck::Descriptor>(tensors); }
  ArgCheck& FloatingType(TensorList tensors) { return ForEach<&ArgCheck::FloatingType>(tensors); }
  ArgCheck& Int32(TensorList tensors) { return ForEach<&ArgCheck::Int32>(tensors); }
  ArgCheck& Dense(TensorList tensors) { return ForEach<&ArgCheck::Dense>(tensors); }
  ArgCheck& CountLimit(TensorList tensors) { return ForEach<&ArgCheck::CountLimit>(tensors); }
  ArgCheck& NotEmpty(TensorList tensors) { return ForEach<&ArgCheck::NotEmpty>(tensors); }
  ArgCheck& Data(TensorList tensors) { return ForEach<&ArgCheck::Data>(tensors); }

  // BAD_PARAM if there is no workspace but its size is not 0.
  ArgCheck& WorkspacePointer(const void* workspace, size_t size);
  // BAD_PARAM if the workspace is too small.
  ArgCheck& WorkspaceSize(size_t size, int64_t needed);

  // BAD_PARAM if `output` shares a byte with one of `others`. Holds with value checks off too.
  ArgCheck& Separate(const BufferArg& output, std::initializer_list<BufferArg> others);

  // BAD_PARAM if an element of a floating tensor is NaN or Inf, unless value checks are off.
  ArgCheck& Finite(const TensorArg& tensor);

  // BAD_PARAM if `index`, the place of a wrong element in a floating, int32 or int64 tensor, is not negative:
  // "<tensor>[<position>] is <value>, expected <expectation>."
  ArgCheck& NoBadElement(const TensorArg& tensor, int64_t index, const char* expectation);

  // Whether the handle has the full profile. Call after Handle(): the handle is not NULL.
  bool full() const;

  bool failed() const { return status_ != MLUOP_STATUS_SUCCESS; }
  mluOpStatus_t status() const { return status_; }

 private:
  // So few elements of any type are fewer than 2^63 bytes.
  static constexpr int64_t kContractElements = int64_t{1} << 31;

  template <typename... Arguments>
  ArgCheck& Fail(mluOpStatus_t status, const char* format, Arguments... arguments);
  // What a rule does with a tensor that breaks it. The rules above decide in line: the smallest calls take less than a
  // microsecond, and a call for each rule of each tensor was a fifth of it.
  [[gnu::cold]] ArgCheck& FailDescriptor(const TensorArg& tensor);
  [[gnu::cold]] ArgCheck& FailRank(const TensorArg& tensor, int rank);
  [[gnu::cold]] ArgCheck& FailInt32(const TensorArg& tensor);
  [[gnu::cold]] ArgCheck& FailBool(const TensorArg& tensor);
  [[gnu::cold]] ArgCheck& FailSameType(const TensorArg& tensor, const TensorArg& other);
  [[gnu::cold]] ArgCheck& FailLayout(const TensorArg& tensor, mluOpTensorLayout_t layout);
  [[gnu::cold]] ArgCheck& FailDense(const TensorArg& tensor);
  [[gnu::cold]] ArgCheck& FailExtent(const TensorArg& tensor, int axis, const Extent& expected);
  [[gnu::cold]] ArgCheck& LargeCount(const TensorArg& tensor);
  [[gnu::cold]] ArgCheck& FailNotEmpty(const TensorArg& tensor);
  [[gnu::cold]] ArgCheck& FailData(const TensorArg& tensor);
  template <ArgCheck& (ArgCheck::*kRule)(const TensorArg&)>
  ArgCheck& ForEach(TensorList tensors) {
    for (const TensorRef& each : tensors) (this->*kRule)(*each.tensor);
    return *this;
  }
  // No rule is left to decide: one has failed, or the tensor is left out.
  bool Skips(const TensorArg& tensor) const { return failed() || tensor.absent(); }

  const Call& call_;
  mluOpStatus_t status_ = MLUOP_STATUS_SUCCESS;
};

}  // namespace detops

#endif  // DETOPS_CORE_ARG_CHECK_H_
