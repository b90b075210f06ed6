// Rulebooks from coordinates: convolutions on them have the bits of those on indice_pairs; one is made anew in the
// memory of another; what a caller may leave out.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/linked_library.h"
#include "ops/get_indice_pairs/contract/descriptor.h"
#include "ops/get_indice_pairs/test/sites.h"
#include "support/tensor.h"

namespace detops_test {
namespace {

using Convolution = detops_harness::get_indice_pairs::Descriptor;
using detops_harness::LinkedLibrary;

constexpr int64_t kIn = 5, kOut = 17;

// Destroyed with its scope.
struct Book {
  Book() = default;
  ~Book() {
    if (made != nullptr) detopsDestroyRulebook(made);
  }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;
  int64_t bytes() const {
    size_t size = 0;
    Must(detopsGetRulebookSize(made, &size), "detopsGetRulebookSize");
    return static_cast<int64_t>(size);
  }
  detopsRulebook_t made = nullptr;
};

// The sites of a call of detopsBuildRulebook, and both ways to a rulebook of them.
class Scene {
 public:
  explicit Scene(const std::string& shape)
      : call_(detops_test::CallOf("detopsBuildRulebook", shape, MLUOP_DTYPE_INT32)),
        conv_(LinkedLibrary(), call_),
        sites_(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, call_["indices"].extents) {
    sites_.Assign(call_["indices"].Values());
  }

  int64_t offsets() const { return call_["indice_num"].extents[0]; }
  int64_t outputs() const { return PairsOf(call_).num_act_out; }
  int64_t sites() const { return sites_.extents()[0]; }
  bool submanifold() const { return call_.integer("sub_m") != 0; }

  // `book` is made, or made anew.
  mluOpStatus_t Build(const Handle& handle, Book& book, Tensor* out_indices, int64_t* count) const {
    const mluOpTensorDescriptor_t out_desc = out_indices == nullptr ? nullptr : out_indices->desc();
    void* const out = out_indices == nullptr ? nullptr : out_indices->data();
    if (book.made == nullptr) {
      return detopsBuildRulebook(handle.get(), conv_.get(), sites_.desc(), sites_.data(), out_desc, out, nullptr,
                                 nullptr, count, &book.made);
    }
    return detopsRebuildRulebook(handle.get(), book.made, conv_.get(), sites_.desc(), sites_.data(), out_desc, out,
                                 nullptr, nullptr, count);
  }

  void Build(const Handle& handle, Book& book) const {
    Tensor out_indices = Rows(outputs());
    int64_t count = 0;
    Must(Build(handle, book, submanifold() ? nullptr : &out_indices, &count), "the rulebook");
    ASSERT_EQ(count, outputs());
  }

  void BuildFromPairs(const Handle& handle, Book& book) const {
    const auto& found = PairsOf(call_);
    Tensor pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {offsets(), 2, sites()});
    pairs.Assign({found.pairs.begin(), found.pairs.end()});
    std::vector<int64_t> counts(found.indice_num.begin(), found.indice_num.end());
    counts.push_back(0);
    Must(detopsCreateRulebook(handle.get(), pairs.desc(), pairs.data(), counts.data(), sites(), outputs(), &book.made),
         "detopsCreateRulebook");
  }

  Tensor Rows(int64_t rows) const { return {MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows, sites_.extents()[1]}}; }

  // Forward, backward data and backward filter, and the inverse.
  std::vector<double> Convolve(const Handle& handle, const Book& book) const {
    std::vector<double> all;
    for (const int64_t inverse : {0, 1}) {
      const int64_t near = inverse == 0 ? sites() : outputs(), far = inverse == 0 ? outputs() : sites();
      Tensor features(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {near, kIn});
      Tensor filters(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {offsets(), 1, 1, kIn, kOut});
      Tensor output(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {far, kOut});
      Tensor grad(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {far, kOut});
      Tensor data(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {near, kIn});
      features.FillUniform(-1, 1, 1);
      filters.FillUniform(-1, 1, 2);
      grad.FillUniform(-1, 1, 3);
      Must(detopsRulebookConvolutionForward(handle.get(), book.made, inverse, features.desc(), features.data(),
                                            filters.desc(), filters.data(), nullptr, nullptr, nullptr, nullptr,
                                            DETOPS_ACTIVATION_NONE, 0, output.desc(), output.data()),
           "forward");
      Must(detopsRulebookConvolutionBackwardData(handle.get(), book.made, inverse, grad.desc(), grad.data(),
                                                 filters.desc(), filters.data(), data.desc(), data.data()),
           "backward data");
      Must(detopsRulebookConvolutionBackwardFilter(handle.get(), book.made, inverse, features.desc(), features.data(),
                                                   grad.desc(), grad.data(), filters.desc(), filters.data()),
           "backward filter");
      for (const Tensor* tensor : {&output, &data, &filters}) {
        const std::vector<double> values = tensor->Values();
        all.insert(all.end(), values.begin(), values.end());
      }
    }
    return all;
  }

 private:
  Call call_;
  Convolution conv_;
  Tensor sites_;
};

std::vector<std::string> Shapes() {
  std::vector<std::string> shapes;
  for (const detops_harness::Sample& sample : FunctionOf("detopsBuildRulebook").samples()) {
    // Channels on the enormous ones take minutes.
    if (sample.shape.find("2000000") == std::string::npos) shapes.push_back(sample.shape);
  }
  return shapes;
}

// Of every sample: made new, and made anew of whatever came before.
TEST(GetIndicePairsRulebook, SameBitsAsOnPairs) {
  const Handle maker(DETOPS_PROFILE_FULL, 2), user(DETOPS_PROFILE_FULL, 1);
  Book again;
  for (const std::string& shape : Shapes()) {
    SCOPED_TRACE(shape);
    const Scene scene(shape);
    Book from_pairs, made;
    scene.BuildFromPairs(maker, from_pairs);
    const std::vector<double> expected = scene.Convolve(user, from_pairs);
    scene.Build(maker, made);
    ASSERT_EQ(scene.Convolve(user, made), expected);
    scene.Build(maker, again);
    ASSERT_EQ(scene.Convolve(user, again), expected);
  }
}

// The same memory serves as long as there are no more sites and pairs.
TEST(GetIndicePairsRulebook, MadeAnewInItsMemory) {
  const std::string shape = ",batch=2,space=12x60x60,filter=3,order=shuffled,subm=";
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const char* subm : {"1", "0,stride=2"}) {
    Book book;
    Scene("sites=20000" + shape + subm).Build(handle, book);
    const int64_t bytes = book.bytes();
    for (const char* sites : {"sites=15000", "sites=20000", "sites=10"}) {
      const Scene scene(sites + shape + subm);
      scene.Build(handle, book);
      EXPECT_EQ(book.bytes(), bytes) << sites;
    }
    Scene("sites=40000" + shape + subm).Build(handle, book);
    EXPECT_GT(book.bytes(), bytes);
  }
}

// 4 bytes per pair where sites ascend and a kernel is its own mirror.
TEST(GetIndicePairsRulebook, SizeOfAscendingSites) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  const Scene scene("sites=40000,batch=2,space=12x60x60,filter=3,order=sorted,subm=1");
  Book from_pairs, made;
  scene.BuildFromPairs(handle, from_pairs);
  scene.Build(handle, made);
  EXPECT_LT(made.bytes(), from_pairs.bytes());
}

// Too few rows: the count tells how many there must be, and a rulebook that is to be made anew stays as it was.
TEST(GetIndicePairsRulebook, CountsAlways) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const char* shape : {"sites=300,batch=3,space=9,filter=3,voxels=near,subm=0,stride=2",
                            "sites=200,batch=5,space=2049x1024x1024,filter=3,voxels=corners,subm=0",
                            "sites=300,batch=3,space=9,filter=3,voxels=near,subm=1"}) {
    const Scene scene(shape);
    Tensor few = scene.Rows(scene.outputs() - 1);
    Book none, book;
    int64_t count = -3;
    EXPECT_EQ(scene.Build(handle, none, &few, &count), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(count, scene.outputs());
    EXPECT_EQ(none.made, nullptr);
    scene.Build(handle, book);
    const std::vector<double> before = scene.Convolve(handle, book);
    count = -3;
    EXPECT_EQ(scene.Build(handle, book, &few, &count), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(count, scene.outputs());
    EXPECT_EQ(scene.Convolve(handle, book), before);
  }
}

// Only a submanifold convolution may leave its output sites out.
TEST(GetIndicePairsRulebook, OutputSitesAreNeeded) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  const Scene scene("sites=300,batch=3,space=9,filter=3,voxels=near,subm=0,stride=2");
  Book book;
  int64_t count = -3;
  EXPECT_EQ(scene.Build(handle, book, nullptr, &count), MLUOP_STATUS_BAD_PARAM);
  EXPECT_STREQ(handle.LastError(),
               "detopsBuildRulebook: the descriptor of out_indices is NULL, expected a tensor descriptor.");
  EXPECT_EQ(count, -3);
}

// Every row times one matrix.
TEST(IdentityRulebook, IsAProduct) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const int64_t rows : {0, 1, 2, 257, 1000}) {
    Book book;
    Must(detopsCreateIdentityRulebook(rows, &book.made), "detopsCreateIdentityRulebook");
    Tensor features(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {rows, 2});
    Tensor filter(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {1, 1, 1, 2, 2});
    Tensor output(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {rows, 2});
    filter.Assign({2, 3, 5, 7});
    for (int64_t i = 0; i < rows; ++i) {
      features.Set(2 * i, static_cast<double>(i));
      features.Set(2 * i + 1, 1);
    }
    Must(detopsRulebookConvolutionForward(handle.get(), book.made, 0, features.desc(), features.data(), filter.desc(),
                                          filter.data(), nullptr, nullptr, nullptr, nullptr, DETOPS_ACTIVATION_NONE, 0,
                                          output.desc(), output.data()),
         "forward");
    for (int64_t i = 0; i < rows; ++i) {
      EXPECT_EQ(output.Get(2 * i), static_cast<double>(2 * i + 5));
      EXPECT_EQ(output.Get(2 * i + 1), static_cast<double>(3 * i + 7));
    }
  }
}

}  // namespace
}  // namespace detops_test
