// What both passes promise, how to call them, and what must come out.
#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/pass.h"
#include "harness/rules.h"
#include "ops/scatter_reduce/reference/reference.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::scatter_reduce {
namespace {

using Apply = std::function<void(Call&)>;
using Sentence = std::optional<std::string>;

constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
const Names kForward = {"src", "index", "out", "count", "argmax"};
const Names kBackward = {"grad_out", "index", "count", "argmax", "grad_src"};

mluOpReduceMode_t ModeOf(const Call& call) { return static_cast<mluOpReduceMode_t>(call.integer("mode")); }
bool IsMode(const Call& call, mluOpReduceMode_t mode) { return call.integer("mode") == static_cast<int64_t>(mode); }

// The backward pass looks at the one or the other, or at neither.
std::function<bool(const Call&)> UsesIn(const std::string& tensor) {
  return [=](const Call& call) { return IsMode(call, tensor == "count" ? MLUOP_REDUCE_DMEAN : MLUOP_REDUCE_DMAX); };
}
Apply Using(const std::string& tensor) {
  return [=](Call& call) { call.integers.at("mode") = tensor == "count" ? MLUOP_REDUCE_DMEAN : MLUOP_REDUCE_DMAX; };
}
// The rules of a tensor, each in its own place among those of the others.
template <class Make>
Rules OfUsed(const Names& tensors, const Make& make) {
  Rules rules;
  for (const std::string& tensor : tensors) {
    const Rules own = make(Names{tensor});
    const bool optional = tensor == "count" || tensor == "argmax";
    for (const Rule& rule : optional ? When(UsesIn(tensor), own, Using(tensor)) : own) rules.push_back(rule);
  }
  return rules;
}

// WithDim gives an argument no more than an int holds, and src_rows is wider.
Apply WithRows(const std::string& dim, int64_t value) {
  return [=](Call& call) {
    WithDim(dim, value)(call);
    if (call.integers.count(dim) != 0) call.integers.at(dim) = value;
  };
}

// Only this tensor has more bytes than int64 can count.
Rules CountOf(const std::string& tensor, const std::string& dim, int64_t columns) {
  return WithFaults(Counts({tensor}), {{BadClass::kOverflow, "2^60 elements of " + tensor, [=](Call& call) {
                                          for (Tensor& other : call.tensors) {
                                            const bool floating = other.type == MLUOP_DTYPE_FLOAT;
                                            if (floating) other.type = MLUOP_DTYPE_HALF;
                                            if (other.name == tensor && !floating) other.type = MLUOP_DTYPE_INT64;
                                          }
                                          WithDim("C", columns)(call);
                                          WithRows(dim, int64_t{1} << 60)(call);
                                        }}});
}

Rules Mode() { return Enumerator("mode", 0, 2, "a value of mluOpReduceMode_t"); }

Rules Range(const std::string& tensor, const std::string& expectation, double least,
            const std::function<double(const Call&)>& most) {
  return Elements(tensor,
                  {[=](double value, int64_t, const Call& call) { return value >= least && value <= most(call); },
                   [=](int64_t, const Call&) { return expectation; },
                   [=](const Call& good) {
                     std::vector<ElementRule::Trial> trials;
                     for (const double value : {least - 1, most(good) + 1, -2147483648.0, 2147483647.0, least}) {
                       trials.push_back({std::ssize(trials) % 3 + 1, value, tensor + " " + NumberText(value)});
                     }
                     return trials;
                   },
                   BadClass::kIndices, Checked::kHarmlessIfOff});
}

Rules Index(const std::string& groups) {
  return Range("index", "-1 or the number of a group", -1,
               [=](const Call& call) { return static_cast<double>(call[groups].extents[0] - 1); });
}

Contract& Close(Contract& contract) {
  contract.CannotOccur({BadClass::kWorkspace, BadClass::kBatchId})
      .CannotOccur({BadClass::kNotFinite}, "numbers are data")
      .CannotOccur({BadClass::kCoordinates}, "there are none")
      .CannotOccur({BadClass::kDuplicates}, "indices may be equal: that is what the operator is for");
  return contract.Try(BadClass::kOverflow, "the contract profile",
                      [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
}

std::string NotZero(const Call& call, const char* tensor) {
  for (const double number : call[tensor].Values()) {
    if (number != 0) return std::string(tensor) + " is not 0";
  }
  return "";
}

Contract MakeForwardContract() {
  Contract contract("detopsScatterReduceForward");
  contract.Shape("src", {"N", "C"})
      .Shape("index", {"N"})
      .Shape("out", {"V", "C"})
      .Shape("count", {"V"})
      .Shape("argmax", {"V", "C"});
  const auto without = [](const Names& tensors) {
    return [=](Call& call) {
      for (const std::string& tensor : tensors) call[tensor].described = false;
    };
  };
  contract
      .Check("handle or the descriptor of src, index or out is NULL",
             {Handle(), WithFaults(Descriptors({"src", "index", "out"}),
                                   {{BadClass::kNull, "no count", without({"count"}), false},
                                    {BadClass::kNull, "no argmax", without({"argmax"}), false},
                                    {BadClass::kNull, "neither", without({"count", "argmax"}), false}})})
      .Check("the profile is not the full one", {FullProfile()})
      .Check("mode is none of mluOpReduceMode_t", {Mode()})
      .Check("a rank is not that of the shapes above", {Ranks(kForward)})
      .Check("a shape is not one of those above",
             {Implied(Shapes({"src"})), Shapes({"index", "out", "count", "argmax"})})
      .Check(
          "src is not floating, index neither int32 nor int64, out not of the type of src, count or argmax neither "
          "int32 nor int64",
          {Floating({"src"}), IndexTypes({"index"}), SameType({"out"}, "src"), IndexTypes({"count", "argmax"})})
      .Check("a tensor is not dense", {Dense(kForward)})
      .Check("a tensor has more bytes than int64 can count",
             {Counts({"src"}), CountOf("index", "N", 0), Counts({"out"}), CountOf("count", "V", 0),
              CountOf("argmax", "V", 1)})
      .Check("the data pointer of a tensor with elements is NULL", {DataOfElements(kForward)})
      .Check("N or V is 2^31 or more", {voxels::NumberedRows("src", "N", true), voxels::NumberedRows("out", "V", true)})
      .Check("an output overlaps another tensor",
             {Separate("out", {"src", "index"}), Separate("count", {"src", "index", "out"}),
              Separate("argmax", {"src", "index", "out", "count"})})
      .Check("a number in index is not in [-1, V) (if value checks are on)", {Index("out")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  const auto nothing = [](const Call& call) { return NotZero(call, "out"); };
  contract.Defines(BadClass::kEmpty, "no rows: zeros", WithDim("N", 0), nothing)
      .Defines(
          BadClass::kSizes, "no row has a group: zeros",
          [](Call& call) {
            for (int64_t i = 0; i < call["index"].elements(); ++i) call["index"].Set(i, -1);
          },
          nothing);
  return Close(contract);
}

Contract MakeBackwardContract() {
  Contract contract("detopsScatterReduceBackward");
  contract.Shape("grad_out", {"V", "C"})
      .Shape("index", {"src_rows"})
      .Shape("count", {"V"})
      .Shape("argmax", {"V", "C"})
      .Shape("grad_src", {"src_rows", "C"});
  contract
      .Check(
          "handle, the descriptor of grad_out, index or grad_src, or that of count (mean) or argmax (maximum) is NULL",
          {Handle(), OfUsed(kBackward, Descriptors)})
      .Check("the profile is not the full one", {FullProfile()})
      .Check("mode is none of mluOpReduceMode_t", {Mode()})
      .Check("src_rows is negative",
             {Integer("src_rows", {[](int64_t value, const Call&) { return value >= 0; }, "0 or more", {-1}})})
      .Check("a rank is not that of the shapes above", {OfUsed(kBackward, Ranks)})
      .Check("a shape is not one of those above",
             {Implied(Shapes({"grad_out"})), OfUsed({"index", "count", "argmax", "grad_src"}, Shapes)})
      .Check(
          "grad_out is not floating, index, count or argmax neither int32 nor int64, grad_src not of the type of "
          "grad_out",
          {Floating({"grad_out"}), OfUsed({"index", "count", "argmax"}, IndexTypes),
           SameType({"grad_src"}, "grad_out")})
      .Check("a tensor is not dense", {OfUsed(kBackward, Dense)})
      .Check("a tensor has more bytes than int64 can count",
             {Counts({"grad_out"}), CountOf("index", "src_rows", 0),
              When(UsesIn("count"), CountOf("count", "V", 0), Using("count")),
              When(UsesIn("argmax"), CountOf("argmax", "V", 1), Using("argmax")), CountOf("grad_src", "src_rows", 8)})
      .Check("the data pointer of a tensor with elements is NULL", {OfUsed(kBackward, DataOfElements)})
      .Check("grad_src overlaps another tensor",
             {OfUsed({"grad_out", "index", "count", "argmax"},
                     [](const Names& tensor) { return Separate("grad_src", tensor); })})
      .Check("a number in index is not in [-1, V), or one in argmax not in [0, src_rows] (if value checks are on)",
             {Index("grad_out"),
              When(UsesIn("argmax"),
                   Range("argmax", "the number of a row, or src_rows for none", 0,
                         [](const Call& call) { return static_cast<double>(call.integer("src_rows")); }),
                   Using("argmax"))})
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract.Defines(
      BadClass::kEmpty, "no groups: zeros",
      [](Call& call) {
        WithDim("V", 0)(call);
        for (int64_t i = 0; i < call["index"].elements(); ++i) call["index"].Set(i, -1);
      },
      [](const Call& call) { return NotZero(call, "grad_src"); });
  return Close(contract);
}

// ---- calls ----

std::vector<double> ValuesOf(const Call& call, const char* tensor) {
  return IsAbsent(call[tensor]) || call[tensor].elements() == 0 ? std::vector<double>() : call[tensor].Values();
}

class ScatterReduce : public Function {
 public:
  explicit ScatterReduce(bool backward)
      : Function(backward ? MakeBackwardContract() : MakeForwardContract()), backward_(backward) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {}; }
  detopsProfile_t profile() const override { return DETOPS_PROFILE_FULL; }

  std::vector<ShapeKey> keys() const override {
    return {{"rows", "20000", "N", {"0", "1", "2", "11", "63", "64", "65", "600"}},
            {"columns", "4", "C", {"0", "1", "2", "3", "4", "5", "8", "9", "17", "33"}},
            {"groups", "5000", "V", {"0", "1", "3", "7", "64", "65", "700"}},
            {"reduce", "sum", "sum, mean, max", {"sum", "mean", "max"}},
            {"index", "int32", "type of index, count and argmax", {"int32", "int64"}},
            {"order", "any", "of the indices: any, sorted, one: all the same", {"any", "sorted", "one"}},
            {"numbers", "any", "any, few: many equal ones, special", {"any", "few", "special"}},
            {"results", "all", "all, or which: n count, a argmax; - neither", {"all", "-", "n", "a"}}};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"rows=11,columns=5,groups=7,numbers=few,reduce=max"}};
    const auto add = [&](const std::string& shape, bool large = false) { samples.push_back({shape, large}); };
    for (const char* reduce : {"sum", "mean", "max"}) {
      const std::string with = std::string(",reduce=") + reduce;
      for (const char* columns : {"1", "2", "3", "4", "5", "7", "8", "9", "16", "17", "33"}) {
        add(std::string("rows=90,groups=20,columns=") + columns + with);
      }
      for (const char* index : {"int32", "int64"}) {
        for (const char* numbers : {"any", "few", "special"}) {
          for (const char* order : {"any", "sorted", "one"}) {
            add(std::string("rows=300,columns=3,groups=65,index=") + index + ",numbers=" + numbers + ",order=" + order +
                with);
          }
        }
      }
      for (const char* rows : {"1", "511", "512", "513", "1025"}) {
        add(std::string("columns=6,groups=1,order=one,rows=") + rows + with);
      }
      for (const char* nothing : {"rows=0", "rows=9,groups=0", "rows=9,columns=0,groups=3"}) add(nothing + with);
      for (const char* results : {"-", "n", "a"}) add(std::string("rows=60,groups=9,results=") + results + with);
      add("rows=60000,columns=5,groups=9000" + with, true);
      add("rows=60000,columns=9,groups=3,index=int64" + with, true);
    }
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    const std::string pass = backward_ ? "backward/" : "";
    return {{pass + "max/300000x64", "rows=300000,columns=64,groups=100000,reduce=max"},
            {pass + "mean/300000x5", "rows=300000,columns=5,groups=150000,reduce=mean,index=int64", "",
             BenchmarkCase::kFew},
            {pass + "sum/300000x64", "rows=300000,columns=64,groups=100000,order=sorted", "", BenchmarkCase::kOne}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const int64_t rows = shape.Int("rows"), columns = shape.Int("columns"), groups = shape.Int("groups");
    constexpr mluOpReduceMode_t kModes[] = {MLUOP_REDUCE_DSUM, MLUOP_REDUCE_DMEAN, MLUOP_REDUCE_DMAX};
    const mluOpReduceMode_t mode = kModes[shape.Choice("reduce", {"sum", "mean", "max"})];
    const mluOpDataType_t integer =
        shape.Choice("index", {"int32", "int64"}) == 0 ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_INT64;
    const std::string& results = shape.Word("results");
    const auto wanted = [&](char letter) { return results == "all" || results.find(letter) != std::string::npos; };
    Random random(seed);
    Tensor index = Input("index", kArray, integer, {rows});
    FillIndex(shape, index, groups, random);
    Call call;
    call.integers["mode"] = mode;
    if (!backward_) {
      Tensor src = Input("src", kArray, type, {rows, columns});
      FillNumbers(shape, src, random);
      const Tensor count = Output("count", kArray, integer, {groups}),
                   argmax = Output("argmax", kArray, integer, {groups, columns});
      call.tensors = {src, index, Output("out", kArray, type, {groups, columns}),
                      wanted('n') ? count : Absent("count", Access::kWritten),
                      wanted('a') ? argmax : Absent("argmax", Access::kWritten)};
      return call;
    }
    Tensor grad = Input("grad_out", kArray, type, {groups, columns}), count = Input("count", kArray, integer, {groups}),
           argmax = Input("argmax", kArray, integer, {groups, columns});
    FillNumbers(shape, grad, random);
    FillResults(index, columns, count, argmax, random);
    call.integers["src_rows"] = rows;
    call.tensors = {grad, index, count, argmax, Output("grad_src", kArray, type, {rows, columns})};
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const auto mode = a.integer<mluOpReduceMode_t>("mode");
    if (!backward_) {
      return Pass(library.detopsScatterReduceForward, handle, a, mode, T{"src"}, T{"index"}, T{"out"}, T{"count"},
                  T{"argmax"});
    }
    return Pass(library.detopsScatterReduceBackward, handle, a, mode, T{"grad_out"}, T{"index"}, T{"count"},
                T{"argmax"}, a.integer<int64_t>("src_rows"), T{"grad_src"});
  }

  Expected Reference(const Call& call) const override {
    const mluOpReduceMode_t mode = ModeOf(call);
    const std::vector<double> index = ValuesOf(call, "index");
    Expected expected;
    if (backward_) {
      // What the mode does not use may be described as anything.
      const auto used = [&](const char* tensor) {
        return UsesIn(tensor)(call) ? ValuesOf(call, tensor) : std::vector<double>();
      };
      expected.tensors["grad_src"] =
          detops_reference::ScatterGradient(mode, ValuesOf(call, "grad_out"), index, used("count"), used("argmax"),
                                            call["grad_out"].extents[1], call["grad_out"].extents[0]);
      return expected;
    }
    const detops_reference::Scattered made = detops_reference::ScatterReduce(
        mode, ValuesOf(call, "src"), index, call["src"].extents[1], call["out"].extents[0]);
    expected.tensors["out"] = made.out;
    if (mode == MLUOP_REDUCE_DMAX) {
      expected.exact.insert("out");
    } else {
      expected.magnitudes["out"] = made.magnitudes;
    }
    if (!IsAbsent(call["count"])) expected.tensors["count"] = made.count;
    if (!IsAbsent(call["argmax"])) expected.tensors["argmax"] = made.argmax;
    return expected;
  }

 private:
  // One in nine belongs to no group.
  static void FillIndex(const Shape& shape, Tensor& index, int64_t groups, Random& random) {
    const size_t order = shape.Choice("order", {"any", "sorted", "one"});
    for (int64_t row = 0; row < index.extents[0]; ++row) {
      int64_t group = -1;
      if (groups > 0 && random.Below(9) > 0) {
        group = order == 0 ? random.Below(groups) : order == 1 ? row * groups / index.extents[0] : groups / 2;
      }
      index.Set(row, static_cast<double>(group));
    }
  }

  static void FillNumbers(const Shape& shape, Tensor& numbers, Random& random) {
    FillSigned(numbers, random);
    const size_t kind = shape.Choice("numbers", {"any", "few", "special"});
    if (kind == 1) {
      for (int64_t i = 0; i < numbers.elements(); ++i) numbers.Set(i, static_cast<double>(random.Between(-2, 2)));
    } else if (kind == 2) {
      FillSpecials(numbers);
    }
  }

  // As a forward pass gives them, with any of the rows as the greatest, and some that nobody has.
  static void FillResults(const Tensor& index, int64_t columns, Tensor& count, Tensor& argmax, Random& random) {
    const int64_t rows = index.extents[0];
    for (int64_t i = 0; i < argmax.elements(); ++i) argmax.Set(i, static_cast<double>(rows));
    for (int64_t row = 0; row < rows; ++row) {
      const auto group = static_cast<int64_t>(index.Get(row));
      if (group < 0) continue;
      count.Set(group, count.Get(group) + 1);
      for (int64_t c = 0; c < columns; ++c) {
        if (random.Below(3) > 0) argmax.Set(group * columns + c, static_cast<double>(row));
      }
    }
  }

  const bool backward_;
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<ScatterReduce>(false));
  catalogue.Add(std::make_unique<ScatterReduce>(true));
}

}  // namespace detops_harness::scatter_reduce
