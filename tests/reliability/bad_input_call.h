// Cases made of the operators' own spoilable calls (ops/*/*_bad_call.h), and the faults that every tensor can have.
#ifndef DETOPS_TESTS_RELIABILITY_BAD_INPUT_CALL_H_
#define DETOPS_TESTS_RELIABILITY_BAD_INPUT_CALL_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reliability/bad_input_table.h"

namespace detops_test {

// Why a function that tells numbers cannot meet an overlap.
inline constexpr char kNumbersAtTheEnd[] = "its results are numbers, written when everything has been read";

struct CallAnswer {
  mluOpStatus_t status;
  std::string text;  // of the thread
};

// How a family's call is made and run.
template <class Call>
struct Subject {
  std::function<std::unique_ptr<Call>()> make;
  std::function<CallAnswer(Call&, Handle&)> run;
  // Results that are not among the bytes of the call, as text.
  std::function<std::string(Call&)> results = [](Call&) { return std::string(); };
};

template <class Call>
class CallTrial : public Trial {
 public:
  CallTrial(const Subject<Call>& subject, std::unique_ptr<Call> call) : subject_(subject), call_(std::move(call)) {}

  int Run(Handle& handle) override {
    CallAnswer answer = subject_.run(*call_, handle);
    text_ = std::move(answer.text);
    return answer.status;
  }
  std::string Text() const override { return text_; }
  std::string State(Handle& /*handle*/) const override {
    const std::vector<unsigned char> bytes = call_->Bytes();
    return std::string(bytes.begin(), bytes.end()) + subject_.results(*call_);
  }
  bool SurroundingsIntact() const override { return call_->SurroundingsIntact(); }

  Call& call() { return *call_; }

 private:
  const Subject<Call>& subject_;
  std::unique_ptr<Call> call_;
  std::string text_;
};

// Adds a row to the table, and cases to it.
template <class Call>
class CallRow {
 public:
  using Spoil = std::function<void(Call&)>;

  CallRow(Table& table, const std::string& function, Subject<Call> subject)
      : subject_(std::make_shared<const Subject<Call>>(std::move(subject))),
        row_(table.Add(function, With([](Call&) {}))) {}

  Row& row() { return row_; }

  void BadParam(BadClass bad_class, const std::string& fault, const std::string& text, const Spoil& spoil) {
    row_.Refuses(bad_class, fault, MLUOP_STATUS_BAD_PARAM, text, With(spoil));
  }
  void NotSupported(BadClass bad_class, const std::string& fault, const std::string& text, const Spoil& spoil) {
    row_.Refuses(bad_class, fault, MLUOP_STATUS_NOT_SUPPORTED, text, With(spoil));
  }
  void Defines(BadClass bad_class, const std::string& what, const Spoil& spoil,
               const std::function<std::string(Call&)>& verdict) {
    row_.Defines(bad_class, what, With(spoil),
                 [verdict](Trial& trial) { return verdict(static_cast<CallTrial<Call>&>(trial).call()); });
  }

  // `get` finds the tensor in a call.
  template <class Get>
  void NullDescriptor(const std::string& name, Get get) {
    BadParam(BadClass::kNull, "descriptor of " + name, "the descriptor of " + name + " is NULL",
             [get](Call& call) { get(call).described = false; });
  }
  template <class Get>
  void NullData(const std::string& name, Get get) {
    BadParam(BadClass::kNull, "data of " + name, "the data pointer of " + name + " is NULL",
             [get](Call& call) { get(call).data = nullptr; });
  }
  template <class Get>
  void Rank(const std::string& name, Get get, int rank) {
    BadParam(BadClass::kForm, "rank of " + name, name + " has rank " + std::to_string(rank + 1), [=](Call& call) {
      if constexpr (requires { get(call).rank; }) {
        get(call).rank = rank + 1;
      } else {
        get(call).surplus_rank = 1;
      }
    });
  }
  template <class Get>
  void Type(const std::string& name, Get get) {
    BadParam(BadClass::kForm, "type of " + name, name + " has type int8",
             [get](Call& call) { get(call).type = MLUOP_DTYPE_INT8; });
  }
  template <class Get>
  void Stride(const std::string& name, Get get) {
    NotSupported(BadClass::kForm, "stride of " + name, name + " has stride", [get](Call& call) {
      if constexpr (requires { get(call).odd_stride; }) {
        get(call).odd_stride = 1;
      } else {
        get(call).odd_strides[0] = 1;
      }
    });
  }
  // A layout that no operator here takes.
  template <class Get>
  void Layout(const std::string& name, Get get) {
    BadParam(BadClass::kForm, "layout of " + name, name + " has layout TNC",
             [get](Call& call) { get(call).layout = MLUOP_LAYOUT_TNC; });
  }
  // NULL, rank, type and stride.
  template <class Get>
  void Tensor(const std::string& name, Get get, int rank) {
    NullDescriptor(name, get);
    NullData(name, get);
    Rank(name, get, rank);
    Type(name, get);
    Stride(name, get);
  }
  // One more on the axis. The message names this tensor or the one it must fit, with either extent.
  template <class Get>
  void Axis(const std::string& name, Get get, int axis, const std::string& text) {
    BadParam(BadClass::kShapes, "extent of " + name + " on axis " + std::to_string(axis), text,
             [get, axis](Call& call) { get(call).surplus[axis] = 1; });
  }
  // The tensor begins in the memory of another argument. What lies behind that may be a third one, so the message may
  // name either.
  template <class Get>
  void Overlap(const std::string& name, Get get, const std::string& other, std::function<void*(Call&)> memory) {
    BadParam(BadClass::kOverlap, name + " in " + other, name + " overlaps ",
             [get, memory](Call& call) { get(call).data = memory(call); });
  }

 private:
  MakeTrial With(const Spoil& spoil) const {
    return [subject = subject_, spoil] {
      std::unique_ptr<Call> call = subject->make();
      spoil(*call);
      return std::make_unique<CallTrial<Call>>(*subject, std::move(call));
    };
  }

  std::shared_ptr<const Subject<Call>> subject_;
  Row& row_;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_RELIABILITY_BAD_INPUT_CALL_H_
