// What the functions of sort_sites promise, and how to call them.
#include <memory>

#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/pass.h"
#include "harness/rules.h"
#include "ops/sort_sites/reference/reference.h"

namespace detops_harness::sort_sites {
namespace {

const std::vector<mluOpDataType_t> kAnyFloating = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE,
                                                   MLUOP_DTYPE_BFLOAT16};
constexpr char kCounted[] = "a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)";

// With and without data pointers.
Faults NothingBy(const char* dim) {
  return {{BadClass::kEmpty, "nothing", WithDim(dim, 0)}, {BadClass::kEmpty, "nothing, no data", [dim](Call& call) {
                                                             WithDim(dim, 0)(call);
                                                             for (Tensor& tensor : call.tensors)
                                                               tensor.has_data = false;
                                                           }}};
}

Rules ColumnsOfSites() {
  const auto columns = [](int64_t number) { return WithDim("D + 1", number); };
  return Own({"columns of sites",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t number = j.call["indices"].extents[1];
                if (number >= 2 && number <= 5) return {};
                return Format("indices has extent %lld on axis 1, expected 2 to 5: the batch and 1 to 4 coordinates.",
                              static_cast<long long>(number));
              },
              {{BadClass::kShapes, "no coordinate", columns(1)},
               {BadClass::kShapes, "no column", columns(0), false},
               {BadClass::kShapes, "6 columns", columns(6)}}});
}

Rules SitesInInt32() {
  return Own({"number of sites",
              MLUOP_STATUS_NOT_SUPPORTED,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t sites = j.call["indices"].extents[0];
                if (sites <= INT32_MAX) return {};
                return Format(
                    "indices has extent %lld on axis 0, expected fewer than 2^31: indices of sites are int32.",
                    static_cast<long long>(sites));
              },
              {{BadClass::kOverflow, "2^31 sites", [](Call& call) {
                  WithDim("L", int64_t{1} << 31)(call);
                  call.profile = DETOPS_PROFILE_FULL;
                }}}});
}

Contract SortContract() {
  const Names all = {"indices", "out_indices", "order"};
  Contract contract("detopsSortSites");
  contract.Shape("indices", {"L", "D + 1"}).Shape("out_indices", {"L", "D + 1"}).Shape("order", {"L"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("ranks are not 2, 2, 1", {Ranks(all)})
      .Check("a type is not int32", {Int32(all)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("indices has not 2 to 5 columns", {Implied(Shapes({"indices"})), ColumnsOfSites()})
      .Check("another tensor has not the shape above", {Shapes({"out_indices", "order"})})
      .Check(kCounted, {Counts({"indices"}), Implied(Counts({"out_indices", "order"}))})
      .Check("L does not fit int32", {SitesInInt32()})
      .Check("there are no sites",
             {Done(
                 "no sites", [](const Call& call) { return call["order"].extents[0] == 0; }, NothingBy("L"))})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("an output overlaps another tensor",
             {Separate("out_indices", {"indices", "order"}), Separate("order", {"indices"})})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  return contract;
}

class SortSites : public Function {
 public:
  SortSites() : Function(SortContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_INT32}; }
  std::vector<mluOpDataType_t> full_types() const override { return {MLUOP_DTYPE_INT32}; }

  std::vector<ShapeKey> keys() const override {
    return {
        {"sites", "100000", "L", {"0", "1", "2", "33", "400"}},
        {"columns", "4", "the batch and the coordinates", {"2", "3", "4", "5"}},
        {"numbers", "space", "space: of a batch of grids; few: equal sites; any: any int32", {"space", "few", "any"}},
        {"order", "shuffled", "shuffled, sorted", {"shuffled", "sorted"}}};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"sites=11,columns=4"}};
    for (const char* columns : {"2", "3", "4", "5"}) {
      for (const char* numbers : {"space", "few", "any"}) {
        for (const char* order : {"shuffled", "sorted"}) {
          samples.push_back({std::string("sites=300,columns=") + columns + ",numbers=" + numbers + ",order=" + order});
        }
      }
    }
    for (const char* sites : {"0", "1", "2"}) samples.push_back({std::string("columns=3,sites=") + sites});
    samples.push_back({"sites=140000", true});
    samples.push_back({"sites=140000,numbers=any,columns=5", true});
    samples.push_back({"sites=140000,order=sorted", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"shuffled", "sites=248636"}, {"sorted", "sites=248636,order=sorted"}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t sites = shape.Int("sites", 0, INT32_MAX), columns = shape.Int("columns", 2, 5);
    const std::string numbers = shape.Word("numbers");
    shape.Choice("numbers", {"space", "few", "any"});
    Call call;
    call.tensors = {Input("indices", MLUOP_LAYOUT_ARRAY, type, {sites, columns}),
                    Output("out_indices", MLUOP_LAYOUT_ARRAY, type, {sites, columns}),
                    Output("order", MLUOP_LAYOUT_ARRAY, type, {sites})};
    Random random(seed);
    std::vector<double> values;
    for (int64_t i = 0; i < sites * columns; ++i) {
      const int64_t most = numbers == "few" ? 3 : i % columns == 0 ? 4 : 1440;
      values.push_back(
          static_cast<double>(numbers == "any" ? random.Between(INT32_MIN, INT32_MAX) : random.Below(most)));
    }
    if (shape.Choice("order", {"shuffled", "sorted"}) == 1) {
      values = detops_reference::RowsInOrder(values, columns, detops_reference::OrderOfSites(values, columns));
    }
    for (size_t i = 0; i < values.size(); ++i) call.tensors[0].Set(static_cast<int64_t>(i), values[i]);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return Pass(library.detopsSortSites, handle, a, T{"indices"}, T{"out_indices"}, T{"order"});
  }

  Expected Reference(const Call& call) const override {
    Expected expected;
    const std::vector<double> sites = call["indices"].Values();
    const int64_t columns = call["indices"].extents[1];
    const std::vector<int64_t> order = detops_reference::OrderOfSites(sites, columns);
    expected.tensors["out_indices"] = detops_reference::RowsInOrder(sites, columns, order);
    expected.tensors["order"].assign(order.begin(), order.end());
    return expected;
  }
};

Rules RowsOfInput() {
  const auto trials = [](const Call& good) {
    const auto rows = static_cast<double>(good["input"].extents[0]);
    std::vector<ElementRule::Trial> all;
    for (const double value : {-1.0, rows, 2147483647.0}) {
      for (const int64_t index : {0, 2}) all.push_back({index, value, std::to_string(static_cast<int64_t>(value))});
    }
    return all;
  };
  return Elements("order", {.allowed =
                                [](double value, int64_t, const Call& call) {
                                  return value >= 0 && value < static_cast<double>(call["input"].extents[0]);
                                },
                            .expectation = [](int64_t, const Call&) { return std::string("a row of input"); },
                            .trials = trials,
                            .checked = Checked::kAlways});
}

Contract GatherContract() {
  const Names all = {"input", "order", "output"};
  Contract contract("detopsGatherRows");
  contract.Shape("input", {"N", "C"}).Shape("order", {"M"}).Shape("output", {"M", "C"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("ranks are not 2, 1, 2", {Ranks(all)})
      .Check("a type is not one of those above, or not the same",
             {AnyFloating({"input"}), Int32({"order"}), SameType({"output"}, "input")})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("a shape is not as above", {Implied(Shapes({"input", "order"})), Shapes({"output"})})
      .Check(kCounted, {Counts(all)})
      .Check("output has no elements",
             {Done(
                 "no elements", [](const Call& call) { return call["output"].elements() == 0; }, NothingBy("M"))})
      .Check("a data pointer is NULL", {DataOfElements(all)})
      .Check("output overlaps another tensor", {Separate("output", {"input", "order"})})
      .Check("a number in order is not a row of input, also if value checks are off", {RowsOfInput()})
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  return contract;
}

class GatherRows : public Function {
 public:
  GatherRows() : Function(GatherContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return kAnyFloating; }

  std::vector<ShapeKey> keys() const override {
    return {{"rows", "100000", "N", {"1", "2", "5", "33"}},
            {"taken", "100000", "M", {"0", "1", "7", "40"}},
            {"channels", "16", "C", {"0", "1", "3", "16", "17", "64"}}};
  }

  std::vector<Sample> samples() const override {
    return {{"rows=5,taken=7,channels=3"},    {"rows=1,taken=4,channels=1"},
            {"rows=9,taken=0,channels=4"},    {"rows=9,taken=20,channels=16"},
            {"rows=33,taken=11,channels=17"}, {"rows=3,taken=5,channels=0"},
            {"rows=40,taken=90,channels=64"}, {"rows=9000,taken=200000,channels=7", true}};
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"5 channels", "rows=248636,taken=248636,channels=5"},
            {"16 channels", "rows=248636,taken=248636,channels=16"}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t rows = shape.Int("rows", 1, INT32_MAX), taken = shape.Int("taken"), channels = shape.Int("channels");
    Call call;
    call.tensors = {Input("input", MLUOP_LAYOUT_ARRAY, type, {rows, channels}),
                    Input("order", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {taken}),
                    Output("output", MLUOP_LAYOUT_ARRAY, type, {taken, channels})};
    Random random(seed);
    FillSigned(call.tensors[0], random);
    for (int64_t i = 0; i < taken; ++i) call.tensors[1].Set(i, static_cast<double>(random.Below(rows)));
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return Pass(library.detopsGatherRows, handle, a, T{"input"}, T{"order"}, T{"output"});
  }

  Expected Reference(const Call& call) const override {
    Expected expected;
    if (call["output"].elements() == 0) return expected;
    const std::vector<double> order = call["order"].Values();
    expected.tensors["output"] =
        detops_reference::RowsInOrder(call["input"].Values(), call["input"].extents[1], {order.begin(), order.end()});
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<SortSites>());
  catalogue.Add(std::make_unique<GatherRows>());
}

}  // namespace detops_harness::sort_sites
