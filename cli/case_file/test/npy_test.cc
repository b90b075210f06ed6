// .npy files written by hand from the format's description.
#include "case_file/npy.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "case_file/case_file.h"
#include "case_file/test/test_support.h"

namespace detops_cli {
namespace {

std::string Npy(int version, const std::string& header, const std::string& data) {
  std::string content = "\x93NUMPY";
  content += static_cast<char>(version);
  content += '\0';
  content += static_cast<char>(header.size() & 0xFF);
  content += static_cast<char>(header.size() >> 8);
  if (version > 1) content += std::string(2, '\0');
  return content + header + data;
}

std::string Header(const std::string& type, const std::string& shape, const char* fortran_order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape + ", }  \n";
}

template <class T>
std::string Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

HostTensor Tensor(mluOpDataType_t type, std::vector<int64_t> extents) {
  return {.name = "t", .type = type, .extents = std::move(extents)};
}

std::vector<double> Read(const std::string& content, HostTensor tensor) {
  ReadNpy(content, tensor);
  return tensor.Values();
}

std::string Reason(const std::string& content, HostTensor tensor) {
  return ErrorText<std::invalid_argument>([&] { ReadNpy(content, tensor); });
}

const std::string kFloats = Bytes<float>({1, 2, 3, 4.5, 5, 6});

TEST(NpyTest, AllVersions) {
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(Read(Npy(version, Header("<f4", "(2, 3)"), kFloats), Tensor(MLUOP_DTYPE_FLOAT, {2, 3})),
              (std::vector<double>{1, 2, 3, 4.5, 5, 6}));
  }
  EXPECT_EQ(Reason(Npy(4, Header("<f4", "(2, 3)"), kFloats), Tensor(MLUOP_DTYPE_FLOAT, {2, 3})),
            "version 4 of the .npy format is unknown");
}

TEST(NpyTest, Types) {
  EXPECT_EQ(Read(Npy(1, Header("<i4", "(2,)"), Bytes<int32_t>({-1, 7})), Tensor(MLUOP_DTYPE_INT32, {2})),
            (std::vector<double>{-1, 7}));
  EXPECT_EQ(Read(Npy(1, Header("<i8", "(1,)"), Bytes<int64_t>({-9})), Tensor(MLUOP_DTYPE_INT64, {1})),
            std::vector<double>{-9});
  EXPECT_EQ(Read(Npy(1, Header("<f8", "()"), Bytes<double>({0.1})), Tensor(MLUOP_DTYPE_DOUBLE, {})),
            std::vector<double>{0.1});
  EXPECT_EQ(Read(Npy(1, Header("<f2", "(1,)"), Bytes<uint16_t>({0x3C00})), Tensor(MLUOP_DTYPE_HALF, {1})),
            std::vector<double>{1});
  EXPECT_EQ(Read(Npy(1, Header("<u2", "(1,)"), Bytes<uint16_t>({0x3F80})), Tensor(MLUOP_DTYPE_BFLOAT16, {1})),
            std::vector<double>{1});
  EXPECT_EQ(Read(Npy(1, Header("|V2", "(1,)"), Bytes<uint16_t>({0x4000})), Tensor(MLUOP_DTYPE_BFLOAT16, {1})),
            std::vector<double>{2});
}

TEST(NpyTest, TypeMustFit) {
  EXPECT_EQ(Reason(Npy(1, Header("<f4", "(2, 3)"), kFloats), Tensor(MLUOP_DTYPE_INT32, {2, 3})),
            "its elements are '<f4', the tensor's type needs '<i4'");
  EXPECT_EQ(Reason(Npy(1, Header(">f4", "(2, 3)"), kFloats), Tensor(MLUOP_DTYPE_FLOAT, {2, 3})),
            "its elements '>f4' are big endian");
  EXPECT_EQ(Reason(Npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}", kFloats),
                   Tensor(MLUOP_DTYPE_FLOAT, {6})),
            "its elements are records, not numbers");
}

TEST(NpyTest, ShapeMustFit) {
  EXPECT_EQ(Reason(Npy(1, Header("<f4", "(3, 2)"), kFloats), Tensor(MLUOP_DTYPE_FLOAT, {2, 3})),
            "its shape is [3, 2], the tensor's is [2, 3]");
  EXPECT_EQ(Reason(Npy(1, Header("<f4", "(2, 3)"), kFloats.substr(1)), Tensor(MLUOP_DTYPE_FLOAT, {2, 3})),
            "it has 23 bytes of elements, its shape needs 24");
}

TEST(NpyTest, FortranOrder) {
  EXPECT_EQ(Reason(Npy(1, Header("<f4", "(2, 3)", "True"), kFloats), Tensor(MLUOP_DTYPE_FLOAT, {2, 3})),
            "it is in Fortran order; numpy.ascontiguousarray makes it C order");
  EXPECT_EQ(Read(Npy(1, Header("<f4", "(6,)", "True"), kFloats), Tensor(MLUOP_DTYPE_FLOAT, {6})),
            (std::vector<double>{1, 2, 3, 4.5, 5, 6}));
}

TEST(NpyTest, BrokenHeaders) {
  const HostTensor tensor = Tensor(MLUOP_DTYPE_FLOAT, {6});
  const std::string good = Npy(1, Header("<f4", "(6,)"), kFloats);
  EXPECT_EQ(Reason(good, tensor), "");
  // Cut anywhere, it is refused and nothing beyond the end is read.
  for (size_t length = 0; length < good.size(); ++length) {
    const std::vector<char> exact(good.begin(), good.begin() + static_cast<ptrdiff_t>(length));
    HostTensor copy = tensor;
    EXPECT_THROW(ReadNpy({exact.data(), exact.size()}, copy), std::invalid_argument) << length;
  }
  EXPECT_EQ(Reason(Npy(1, "{'descr': '<f4', 'fortran_order': False}", kFloats), tensor), "its header has no 'shape'");
  EXPECT_EQ(Reason(Npy(1, Header("<f4", "6"), kFloats), tensor), "the shape in its header is not a tuple");
  EXPECT_EQ(Reason(Npy(1, Header("<f4", "(six,)"), kFloats), tensor),
            "the shape in its header has something else than numbers");
  EXPECT_EQ(Reason("npy", tensor), "it does not begin as a .npy file");
}

class NpyFileTest : public FolderTest {};

TEST_F(NpyFileTest, IsTakenFromAPath) {
  Write("x.npy", Npy(1, Header("<f4", "(2, 3)"), kFloats));
  const auto text = [](const char* shape) {
    return AlignCase(std::string("  shape { dims: ") + shape + " } dtype: DTYPE_FLOAT\n  path: \"x.npy\"\n");
  };
  EXPECT_EQ(LoadCaseFile(Write("a.prototxt", text("[2, 3]"))).inputs[0].Get(3), 4.5);
  EXPECT_EQ(ErrorText<FileError>([&] { LoadCaseFile(Write("b.prototxt", text("[6]"))); }),
            Path("b.prototxt") + ":6: input[0] (input): path: " + Path("x.npy") +
                ": its shape is [2, 3], the tensor's is [6]");
}

}  // namespace
}  // namespace detops_cli
