// One call of a public function as plain data: what tests, fuzz targets, benchmarks and the program all mean by "a
// call". A good call is made from a shape; a bad one is a good one in which something was changed.
#ifndef DETOPS_HARNESS_CALL_H_
#define DETOPS_HARNESS_CALL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detops.h"

namespace detops_harness {

enum class Access { kRead, kWritten };

// Bytes that copies share until one of them is changed: a copy of a call costs nothing, however large its tensors are.
class Contents {
 public:
  using value_type = std::byte;
  using const_iterator = std::vector<std::byte>::const_iterator;

  Contents() = default;
  Contents(std::vector<std::byte> bytes)  // NOLINT(google-explicit-constructor): it is one
      : bytes_(std::make_shared<std::vector<std::byte>>(std::move(bytes))) {}

  const std::vector<std::byte>& bytes() const {
    static const std::vector<std::byte> none;
    return bytes_ == nullptr ? none : *bytes_;
  }
  operator const std::vector<std::byte>&() const { return bytes(); }  // NOLINT(google-explicit-constructor): likewise
  const std::byte* data() const { return bytes().data(); }
  size_t size() const { return bytes().size(); }
  bool empty() const { return bytes().empty(); }
  std::byte front() const { return bytes().front(); }
  const_iterator begin() const { return bytes().begin(); }
  const_iterator end() const { return bytes().end(); }
  bool operator==(const Contents& other) const { return SharesWith(other) || bytes() == other.bytes(); }
  // The same bytes at the same place.
  bool SharesWith(const Contents& other) const { return bytes_ == other.bytes_; }

  // To be written: its own from now on.
  std::byte* data() { return Own().data(); }
  void resize(size_t size) { Own().resize(size); }
  void assign(size_t size, std::byte value) { bytes_ = std::make_shared<std::vector<std::byte>>(size, value); }

 private:
  std::vector<std::byte>& Own() {
    if (bytes_ == nullptr || bytes_.use_count() > 1) bytes_ = std::make_shared<std::vector<std::byte>>(bytes());
    return *bytes_;
  }

  std::shared_ptr<std::vector<std::byte>> bytes_;
};

// A tensor argument, right or wrong.
struct Tensor {
  std::string name;  // the C parameter's, without "_desc"
  Access access = Access::kRead;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  std::vector<int64_t> extents{};
  std::vector<int64_t> strides{};  // in elements; empty: dense
  mluOpDataType_t onchip_type = MLUOP_DTYPE_INVALID;
  bool described = true;  // false: the descriptor is NULL
  bool has_data = true;   // false: the data pointer is NULL

  // What a good call needs. Faults change the description above, never this.
  Contents contents{};  // of an input: its elements
  size_t bytes = 0;     // of an output: how many

  // Where the data lies, for a call that has been placed in memory.
  void* address = nullptr;

  // Its memory is addresses that nobody may touch, as many as the description says: for sizes that no machine holds.
  bool reserved = false;

  // An output, or a scratch buffer, may be moved into another argument: its name, and how many bytes from its begin.
  std::string inside{};
  int64_t inside_at = 0;

  // Both saturate at INT64_MAX; an extent of 0 wins over all others.
  int64_t elements() const;
  int64_t byte_count() const;
  int64_t DenseStride(size_t axis) const;
  // Elements that its contents hold, which a fault may have described as more or fewer.
  int64_t stored() const;
  size_t memory_bytes() const { return access == Access::kRead ? contents.size() : bytes; }

  // Elements by their place in memory, as double.
  double Get(int64_t index) const;
  void Set(int64_t index, double value);
  std::vector<double> Values() const;
};

// A dense input with memory for its elements, all zero, and an output.
Tensor Input(std::string name, mluOpTensorLayout_t layout, mluOpDataType_t type, std::vector<int64_t> extents);
Tensor Output(std::string name, mluOpTensorLayout_t layout, mluOpDataType_t type, std::vector<int64_t> extents);

// An argument without a value: the tensor is left out.
Tensor Absent(std::string name, Access access);

class Function;

// Arguments by their names. Looking one up allocates nothing: it is done in calls that get no memory.
template <class T>
using Named = std::map<std::string, T, std::less<>>;

struct Call {
  const Function* function = nullptr;
  bool with_handle = true;
  detopsProfile_t profile = DETOPS_PROFILE_CONTRACT;
  bool value_checks = true;

  std::vector<Tensor> tensors{};  // in the order of the arguments
  Named<int64_t> integers{};
  Named<double> numbers{};  // those that the function takes as float are rounded when they are given
  Named<std::vector<int64_t>> integer_lists{};
  Named<std::vector<double>> number_lists{};
  Named<int64_t> results{};                    // numbers that the call writes, with what they were before
  std::set<std::string, std::less<>> nulls{};  // pointer arguments that are NULL, but for tensors
  Named<const int64_t*> list_addresses{};      // of a call that has been placed in memory
  Tensor workspace{.name = "workspace", .access = Access::kWritten};
  // What a library has asked for, which need not be what ours needs.
  std::optional<int64_t> asked_workspace{};

  // Throw std::logic_error if there is none of that name.
  Tensor& operator[](std::string_view name);
  const Tensor& operator[](std::string_view name) const;
  int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  const int64_t* list_address(std::string_view name) const;
  bool full() const { return profile == DETOPS_PROFILE_FULL; }
};

// "[2, 4, 4, 30]", shortened with "..." when long, as the library writes shapes.
std::string ShapeText(const std::vector<int64_t>& extents);
// "[0, 3, 2, 4]": the position of a flat index.
std::string PositionText(const Tensor& tensor, int64_t index);
// In the shortest form that reads back exactly.
std::string NumberText(double number);
std::string NumberText(float number);

const char* TypeName(mluOpDataType_t type);
const char* LayoutName(mluOpTensorLayout_t layout);
size_t SizeOfType(mluOpDataType_t type);

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_CALL_H_
