// The arguments of one call as the C function takes them, by the names that the header gives them.
#ifndef DETOPS_HARNESS_ARGUMENTS_H_
#define DETOPS_HARNESS_ARGUMENTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/call.h"

namespace detops_harness {

class Arguments {
 public:
  // The call's tensors have addresses. `descriptors` are in their order.
  Arguments(Call& call, std::vector<mluOpTensorDescriptor_t> descriptors)
      : call_(call), descriptors_(std::move(descriptors)) {}

  Call& call() { return call_; }
  const Call& call() const { return call_; }

  mluOpTensorDescriptor_t desc(std::string_view tensor) const {
    return descriptors_[static_cast<size_t>(&call_[tensor] - call_.tensors.data())];
  }
  void* data(std::string_view tensor) const { return call_[tensor].address; }

  // As the C type wants it; faults never give a value that it does not hold.
  template <class T = int>
  T integer(std::string_view argument) const {
    return static_cast<T>(call_.integer(argument));
  }
  template <class T = float>
  T number(std::string_view argument) const {
    return static_cast<T>(call_.number(argument));
  }
  // The numbers of an array argument; NULL if the call says so. It stays where it is while the call lives.
  const int64_t* integers(std::string_view argument) const {
    return IsNull(argument) ? nullptr : call_.list_address(argument);
  }
  const double* numbers(std::string_view argument) const {
    return IsNull(argument) ? nullptr : call_.number_lists.find(argument)->second.data();
  }
  std::vector<int> ints(std::string_view argument) const {
    const std::vector<int64_t>& list = call_.integer_lists.find(argument)->second;
    return {list.begin(), list.end()};
  }
  bool IsNull(std::string_view argument) const { return call_.nulls.count(argument) != 0; }

  // What Function::MakeObjects made for this call.
  template <class T>
  T* object() const {
    return static_cast<T*>(objects_.get());
  }
  void set_objects(std::shared_ptr<void> objects) { objects_ = std::move(objects); }
  const std::shared_ptr<void>& objects() const { return objects_; }

  void* workspace() const { return call_.workspace.address; }
  size_t workspace_size() const { return static_cast<size_t>(call_.integer("workspace_size")); }

 private:
  Call& call_;
  std::vector<mluOpTensorDescriptor_t> descriptors_;
  std::shared_ptr<void> objects_;
};

// A place for a number that the function writes; NULL if the call says so. What stands there afterwards goes back into
// the call.
template <class T>
class ResultPlace {
 public:
  ResultPlace(Arguments& arguments, const char* name)
      : place_(arguments.call().results.find(std::string_view(name))->second),
        is_null_(arguments.IsNull(name)),
        value_(static_cast<T>(place_)) {}
  ~ResultPlace() { place_ = static_cast<int64_t>(value_); }
  ResultPlace(const ResultPlace&) = delete;
  ResultPlace& operator=(const ResultPlace&) = delete;

  T* get() { return is_null_ ? nullptr : &value_; }

 private:
  int64_t& place_;
  bool is_null_;
  T value_;
};

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_ARGUMENTS_H_
