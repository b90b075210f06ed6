#include "case_file/tensor_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "case_file/npy.h"
#include "case_file/random_data.h"
#include "text/errors.h"
#include "text/input_file.h"

namespace detops_cli {
namespace {

static_assert(std::endian::native == std::endian::little, "case files and the files they name are little endian");

mluOpDataType_t TypeOf(const TensorPlace& place, mluoptest::DataType type) {
  switch (type) {
    case mluoptest::DTYPE_HALF:
      return MLUOP_DTYPE_HALF;
    case mluoptest::DTYPE_FLOAT:
      return MLUOP_DTYPE_FLOAT;
    case mluoptest::DTYPE_INT8:
      return MLUOP_DTYPE_INT8;
    case mluoptest::DTYPE_INT16:
      return MLUOP_DTYPE_INT16;
    case mluoptest::DTYPE_INT31:
      return MLUOP_DTYPE_INT31;
    case mluoptest::DTYPE_INT32:
      return MLUOP_DTYPE_INT32;
    case mluoptest::DTYPE_BFLOAT16:
      return MLUOP_DTYPE_BFLOAT16;
    case mluoptest::DTYPE_DOUBLE:
      return MLUOP_DTYPE_DOUBLE;
    case mluoptest::DTYPE_UINT8:
      return MLUOP_DTYPE_UINT8;
    case mluoptest::DTYPE_UINT16:
      return MLUOP_DTYPE_UINT16;
    case mluoptest::DTYPE_UINT32:
      return MLUOP_DTYPE_UINT32;
    case mluoptest::DTYPE_BOOL:
      return MLUOP_DTYPE_BOOL;
    case mluoptest::DTYPE_INT64:
      return MLUOP_DTYPE_INT64;
    case mluoptest::DTYPE_UINT64:
      return MLUOP_DTYPE_UINT64;
    case mluoptest::DTYPE_COMPLEX_HALF:
      return MLUOP_DTYPE_COMPLEX_HALF;
    case mluoptest::DTYPE_COMPLEX_FLOAT:
    case mluoptest::DTYPE_COMPLEX64:
      return MLUOP_DTYPE_COMPLEX_FLOAT;
    default:
      place.Fail(fmt::format("mlu_op.h has no type for {}", mluoptest::DataType_Name(type)), "dtype");
  }
}

mluOpTensorLayout_t LayoutOf(mluoptest::TensorLayout layout) {
  switch (layout) {
    case mluoptest::LAYOUT_NCHW:
      return MLUOP_LAYOUT_NCHW;
    case mluoptest::LAYOUT_NHWC:
      return MLUOP_LAYOUT_NHWC;
    case mluoptest::LAYOUT_HWCN:
      return MLUOP_LAYOUT_HWCN;
    case mluoptest::LAYOUT_NDHWC:
      return MLUOP_LAYOUT_NDHWC;
    case mluoptest::LAYOUT_ARRAY:
      return MLUOP_LAYOUT_ARRAY;
    case mluoptest::LAYOUT_TNC:
      return MLUOP_LAYOUT_TNC;
    case mluoptest::LAYOUT_NTC:
      return MLUOP_LAYOUT_NTC;
    case mluoptest::LAYOUT_NCDHW:
      return MLUOP_LAYOUT_NCDHW;
    case mluoptest::LAYOUT_NC:
      return MLUOP_LAYOUT_NC;
    case mluoptest::LAYOUT_NLC:
      return MLUOP_LAYOUT_NLC;
    case mluoptest::LAYOUT_NCL:
      return MLUOP_LAYOUT_NCL;
  }
  return MLUOP_LAYOUT_ARRAY;
}

enum class Kind { kReal, kSigned, kUnsigned, kOther };

Kind KindOf(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
    case MLUOP_DTYPE_BFLOAT16:
    case MLUOP_DTYPE_FLOAT:
    case MLUOP_DTYPE_DOUBLE:
      return Kind::kReal;
    case MLUOP_DTYPE_INT8:
    case MLUOP_DTYPE_INT16:
    case MLUOP_DTYPE_INT32:
    case MLUOP_DTYPE_INT64:
      return Kind::kSigned;
    case MLUOP_DTYPE_UINT8:
    case MLUOP_DTYPE_UINT16:
    case MLUOP_DTYPE_UINT32:
    case MLUOP_DTYPE_UINT64:
    case MLUOP_DTYPE_BOOL:
      return Kind::kUnsigned;
    default:
      return Kind::kOther;
  }
}

// One tensor on its way from the file to memory.
class Filler {
 public:
  Filler(const TensorPlace& place, const mluoptest::Tensor& source, HostTensor& tensor)
      : place_(place),
        source_(source),
        tensor_(tensor),
        kind_(KindOf(tensor.type)),
        bits_(8 * static_cast<int>(HostTensor{.name = "", .type = tensor.type, .extents = {1}}.bytes())),
        count_(tensor.span()) {}

  void Fill();

 private:
  // Of integers, and of the bit patterns of real numbers, which may be written with or without a sign.
  int64_t lowest() const { return kind_ == Kind::kUnsigned ? 0 : -1 - static_cast<int64_t>(highest_signed()); }
  uint64_t highest() const { return kind_ == Kind::kSigned ? highest_signed() : highest_signed() * 2 + 1; }
  uint64_t highest_signed() const { return (uint64_t{1} << (bits_ - 1)) - 1; }

  // Room for all elements, if the list has as many values.
  void Allocate();
  void Expect(const char* field, int values);
  void StoreBits(int64_t position, uint64_t bits) {
    std::memcpy(tensor_.data.data() + position * (bits_ / 8), &bits, static_cast<size_t>(bits_ / 8));
  }
  // A whole number, known to be in range.
  void StoreInteger(int64_t position, double value) {
    StoreBits(position, kind_ == Kind::kUnsigned ? static_cast<uint64_t>(value)
                                                 : static_cast<uint64_t>(static_cast<int64_t>(value)));
  }

  void FromHex();
  void FromFloats();
  template <class List>
  void FromIntegers(const char* field, const List& values);
  void FromPath();
  void FromRandom();

  std::string type_name() const { return mluoptest::DataType_Name(source_.dtype()); }

  const TensorPlace& place_;
  const mluoptest::Tensor& source_;
  HostTensor& tensor_;
  const Kind kind_;
  const int bits_;
  const int64_t count_;
};

// A system that promises more memory than it has would end the process later instead of refusing now.
size_t MachineMemory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

void Filler::Allocate() {
  try {
    if (tensor_.bytes() > MachineMemory()) throw std::bad_alloc();
    tensor_.data.assign(tensor_.bytes(), std::byte{0});
  } catch (const std::exception&) {  // bad_alloc or length_error
    place_.Fail(fmt::format("there is no memory for {} elements", count_), "shape");
  }
}

void Filler::Expect(const char* field, int values) {
  if (kind_ == Kind::kOther) place_.Fail(fmt::format("{} cannot hold {}; use path", field, type_name()), field);
  if (values != count_) {
    place_.Fail(fmt::format("{} has {} values, the shape [{}] needs {}", field, values,
                            fmt::join(tensor_.extents, ", "), count_),
                field, values - 1);
  }
  Allocate();
}

void Filler::FromHex() {
  Expect("value_h", source_.value_h_size());
  for (int i = 0; i < source_.value_h_size(); ++i) {
    std::string_view digits = source_.value_h(i);
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    uint64_t bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() ||
        digits.size() > static_cast<size_t>(bits_ / 4)) {
      place_.Fail(fmt::format("value_h[{}] is \"{}\", expected up to {} hexadecimal digits for {}", i,
                              Printable(source_.value_h(i)), bits_ / 4, type_name()),
                  "value_h", i);
    }
    StoreBits(i, bits);
  }
}

void Filler::FromFloats() {
  Expect("value_f", source_.value_f_size());
  for (int i = 0; i < source_.value_f_size(); ++i) {
    const double value = source_.value_f(i);
    if (kind_ == Kind::kReal) {
      tensor_.Set(i, value);
      continue;
    }
    const double whole = std::nearbyint(value);
    // The upper limit rounds up to a power of two in double, which is the first number that does not fit.
    if (!(whole >= static_cast<double>(lowest()) && whole < static_cast<double>(highest()) + 1)) {
      place_.Fail(fmt::format("value_f[{}] is {}, which {} cannot hold", i, value, type_name()), "value_f", i);
    }
    StoreInteger(i, whole);
  }
}

template <class List>
void Filler::FromIntegers(const char* field, const List& values) {
  Expect(field, values.size());
  constexpr int kListBits = 8 * sizeof(typename List::value_type);
  if (kind_ == Kind::kReal && kListBits < bits_) {
    place_.Fail(fmt::format("{} has {} bits for each value, the bit pattern of {} needs {}", field, kListBits,
                            type_name(), bits_),
                field);
  }
  for (int i = 0; i < values.size(); ++i) {
    const auto value = values.Get(i);
    if (std::cmp_less(value, lowest()) || std::cmp_greater(value, highest())) {
      place_.Fail(fmt::format("{}[{}] is {}, which {} cannot hold", field, i, value, type_name()), field, i);
    }
    StoreBits(i, static_cast<uint64_t>(value));
  }
}

void Filler::FromPath() {
  const std::filesystem::path file = std::filesystem::path(place_.place.file()).parent_path() / source_.path();
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    place_.Fail(fmt::format("path: there is no file {}", Printable(file.string())), "path");
  }
  if (file.extension() == ".npy") {
    try {
      // The header has 64 KiB at most in files of version 1, and is hardly ever longer in later ones.
      constexpr uint64_t kMostHeader = 1 << 20;
      ReadNpy(ReadInputFile(file.string(), tensor_.bytes() + kMostHeader, "the tensor and a header"), tensor_);
    } catch (const std::invalid_argument& reason) {
      place_.Fail(fmt::format("path: {}: {}", file.string(), reason.what()), "path");
    }
    return;
  }
  const uintmax_t size = std::filesystem::file_size(file, error);
  if (size != tensor_.bytes()) {
    place_.Fail(fmt::format("path: {} has {} bytes, the shape [{}] needs {}", file.string(), size,
                            fmt::join(tensor_.extents, ", "), tensor_.bytes()),
                "path");
  }
  Allocate();
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(tensor_.data.data()), static_cast<std::streamsize>(size))) {
    place_.Fail(fmt::format("path: {} cannot be read", file.string()), "path");
  }
}

void Filler::FromRandom() {
  if (kind_ == Kind::kOther) place_.Fail(fmt::format("random_data cannot make {}", type_name()), "random_data");
  Allocate();
  int64_t position = 0;
  const auto store = [&](double value) {
    if (kind_ == Kind::kReal) {
      tensor_.Set(position++, value);
      return;
    }
    const double whole = std::floor(value);
    if (whole <= static_cast<double>(lowest())) {
      StoreBits(position++, static_cast<uint64_t>(lowest()));
    } else if (whole >= static_cast<double>(highest())) {
      StoreBits(position++, highest());
    } else {
      StoreInteger(position++, whole);
    }
  };
  try {
    GenerateRandom(source_.random_data(), tensor_.type == MLUOP_DTYPE_DOUBLE, count_, store);
  } catch (const std::invalid_argument& reason) {
    place_.Fail(fmt::format("random_data: {}", reason.what()), "random_data");
  }
}

void Filler::Fill() {
  if (source_.value_h_size() > 0) return FromHex();
  if (source_.value_f_size() > 0) return FromFloats();
  if (source_.value_i_size() > 0) return FromIntegers("value_i", source_.value_i());
  if (source_.value_l_size() > 0) return FromIntegers("value_l", source_.value_l());
  if (source_.value_ui_size() > 0) return FromIntegers("value_ui", source_.value_ui());
  if (source_.value_ul_size() > 0) return FromIntegers("value_ul", source_.value_ul());
  if (count_ == 0) return;
  if (source_.has_path()) return FromPath();
  if (source_.has_random_data()) return FromRandom();
  place_.Fail("it has no data: none of value_h, value_f, value_i, value_l, value_ui, value_ul, path, random_data");
}

}  // namespace

HostTensor DescribeTensor(const TensorPlace& place, const mluoptest::Tensor& tensor, const std::string& name) {
  // Files mark arguments that are to be null pointers like this.
  if (tensor.id().find("NULL") != std::string::npos) place.Fail("null tensors are not supported", "id");
  const mluoptest::Shape& shape = tensor.shape();
  HostTensor result{.name = name,
                    .layout = LayoutOf(tensor.layout()),
                    .type = TypeOf(place, tensor.dtype()),
                    .extents = {shape.dims().begin(), shape.dims().end()},
                    .strides = {shape.dim_stride().begin(), shape.dim_stride().end()}};
  if (!result.strides.empty() && result.strides.size() != result.extents.size()) {
    place.Fail(fmt::format("{} dim_stride for {} dims", result.strides.size(), result.extents.size()), "shape");
  }
  // Far from overflow when multiplied by the size of an element.
  constexpr int64_t kMaxElements = std::numeric_limits<int64_t>::max() / 64;
  int64_t elements = 1, last = 0;
  for (size_t axis = 0; axis < result.extents.size(); ++axis) {
    const int64_t extent = result.extents[axis], stride = result.strides.empty() ? 0 : result.strides[axis];
    if (extent < 0 || stride < 0) {
      place.Fail(fmt::format("axis {} has a negative extent or stride ({}, {})", axis, extent, stride), "shape");
    }
    int64_t reach = 0;
    if (__builtin_mul_overflow(elements, extent, &elements) || __builtin_mul_overflow(extent, stride, &reach) ||
        __builtin_add_overflow(last, reach, &last) || elements > kMaxElements || last > kMaxElements) {
      place.Fail(fmt::format("the shape [{}] is too large", fmt::join(result.extents, ", ")), "shape");
    }
  }
  return result;
}

bool HasValues(const mluoptest::Tensor& tensor) {
  return tensor.value_h_size() > 0 || tensor.value_f_size() > 0 || tensor.value_i_size() > 0 ||
         tensor.value_l_size() > 0 || tensor.value_ui_size() > 0 || tensor.value_ul_size() > 0 || tensor.has_path();
}

void FillTensor(const TensorPlace& place, const mluoptest::Tensor& source, HostTensor& tensor) {
  Filler(place, source, tensor).Fill();
}

}  // namespace detops_cli
