#include "case_file/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace detops_cli {
namespace {

struct Header {
  std::string type;  // as "<f4"
  bool fortran_order = false;
  std::vector<int64_t> extents;
  size_t data_begin = 0;
};

[[noreturn]] void Refuse(const std::string& reason) { throw std::invalid_argument(reason); }

// What follows 'key': in the dictionary, without leading blanks.
std::string_view After(std::string_view dictionary, std::string_view key) {
  const size_t found = dictionary.find(fmt::format("'{}':", key));
  if (found == std::string_view::npos) Refuse(fmt::format("its header has no '{}'", key));
  const std::string_view rest = dictionary.substr(found + key.size() + 3);
  return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

std::vector<int64_t> ParseExtents(std::string_view text) {
  const size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) Refuse("the shape in its header is not a tuple");
  std::vector<int64_t> extents;
  const char* const end = text.data() + close;
  for (const char* at = text.data() + 1; at != end;) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 0) Refuse("the shape in its header has something else than numbers");
    extents.push_back(extent);
    at = next;
  }
  return extents;
}

Header ParseHeader(std::string_view content) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (!content.starts_with(kMagic) || content.size() < 10) Refuse("it does not begin as a .npy file");
  const int version = static_cast<unsigned char>(content[6]);
  if (version < 1 || version > 3) Refuse(fmt::format("version {} of the .npy format is unknown", version));
  const size_t length_bytes = version == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < length_bytes && 8 + i < content.size(); ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(content[8 + i])) << (8 * i);
  }
  Header header;
  header.data_begin = 8 + length_bytes + length;
  if (header.data_begin > content.size()) Refuse("its header is cut off");
  const std::string_view dictionary = content.substr(8 + length_bytes, length);

  const std::string_view type = After(dictionary, "descr");
  const size_t close = type.empty() ? std::string_view::npos : type.find('\'', 1);
  if (!type.starts_with('\'') || close == std::string_view::npos) Refuse("its elements are records, not numbers");
  header.type = type.substr(1, close - 1);
  header.fortran_order = After(dictionary, "fortran_order").starts_with("True");
  header.extents = ParseExtents(After(dictionary, "shape"));
  return header;
}

// NumPy's name of the type, without the byte order.
std::vector<std::string_view> NumpyNames(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return {"f2"};
    case MLUOP_DTYPE_BFLOAT16:
      return {"u2", "V2"};
    case MLUOP_DTYPE_FLOAT:
      return {"f4"};
    case MLUOP_DTYPE_DOUBLE:
      return {"f8"};
    case MLUOP_DTYPE_INT8:
      return {"i1"};
    case MLUOP_DTYPE_INT16:
      return {"i2"};
    case MLUOP_DTYPE_INT32:
      return {"i4"};
    case MLUOP_DTYPE_INT64:
      return {"i8"};
    case MLUOP_DTYPE_UINT8:
      return {"u1"};
    case MLUOP_DTYPE_UINT16:
      return {"u2"};
    case MLUOP_DTYPE_UINT32:
      return {"u4"};
    case MLUOP_DTYPE_UINT64:
      return {"u8"};
    case MLUOP_DTYPE_BOOL:
      return {"b1"};
    case MLUOP_DTYPE_COMPLEX_FLOAT:
      return {"c8"};
    default:
      return {};
  }
}

void CheckType(const std::string& found, mluOpDataType_t type) {
  const std::vector<std::string_view> names = NumpyNames(type);
  if (names.empty()) Refuse("NumPy has no such type as the tensor's");
  if (found.starts_with('>')) Refuse(fmt::format("its elements '{}' are big endian", found));
  for (const std::string_view name : names) {
    if (found == fmt::format("<{}", name) || found == fmt::format("|{}", name)) return;
  }
  Refuse(fmt::format("its elements are '{}', the tensor's type needs '<{}'", found, names.front()));
}

}  // namespace

void ReadNpy(std::string_view content, HostTensor& tensor) {
  const Header header = ParseHeader(content);
  CheckType(header.type, tensor.type);
  if (!tensor.strides.empty()) Refuse("a tensor with dim_stride needs a raw file");
  if (header.extents != tensor.extents) {
    Refuse(fmt::format("its shape is [{}], the tensor's is [{}]", fmt::join(header.extents, ", "),
                       fmt::join(tensor.extents, ", ")));
  }
  // With one axis the two orders are the same.
  if (header.fortran_order && header.extents.size() > 1) {
    Refuse("it is in Fortran order; numpy.ascontiguousarray makes it C order");
  }
  const std::string_view data = content.substr(header.data_begin);
  if (data.size() != tensor.bytes()) {
    Refuse(fmt::format("it has {} bytes of elements, its shape needs {}", data.size(), tensor.bytes()));
  }
  tensor.data.resize(data.size());
  if (!data.empty()) std::memcpy(tensor.data.data(), data.data(), data.size());
}

}  // namespace detops_cli
