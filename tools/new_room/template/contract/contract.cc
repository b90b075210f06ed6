// What @room@ promises, and how to call it.
#include <memory>

#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/rules.h"
#include "ops/@room@/reference/reference.h"

namespace detops_harness::@room@ {
namespace {

Contract MakeContract() {
  const Names all = {"input", "output"};
  Contract contract("@function@");
  contract.Shape("input", {"N", "C"}).Shape("output", {"N", "C"});
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)})
      .Check("rank is not 2", {Ranks(all)})
      .Check("type is not allowed, or not the same", {Floating({"input"}), SameType({"output"}, "input")})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("output has not the shape of input", {Implied(Shapes({"input"})), Shapes({"output"})})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts({"input"}), Implied(Counts({"output"}))})
      .Check("a tensor has no elements", {NotEmpty({"input"}), Implied(NotEmpty({"output"}))})
      .Check("factor is not finite and above 0", {FiniteAboveZero("factor", Precision::kFloat)})
      .Check("a data pointer is NULL", {Data(all)})
      .Check("output overlaps input", {Separate("output", {"input"})})
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  return contract;
}

class @Room@ : public Function {
 public:
  @Room@() : Function(MakeContract()) {}

  std::vector<ShapeKey> keys() const override {
    return {{"rows", "1000", "N", {"1", "2", "5", "33"}},
            {"channels", "64", "C", {"1", "3", "8", "17", "64"}},
            {"factor", "0.5", "the number", {"0.5", "3", "1e30"}},
            {"specials", "0", "1: NaN and infinities among the elements", {"0", "1"}}};
  }

  std::vector<Sample> samples() const override {
    return {{"rows=3,channels=5"}, {"rows=1,channels=1"},        {"rows=7,channels=16,factor=3"},
            {"rows=9,channels=33"}, {"rows=5,channels=17,specials=1"}, {"rows=2000,channels=65", true}};
  }

  std::vector<BenchmarkCase> benchmarks() const override { return {{"large", "rows=100000,channels=64"}}; }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const std::vector<int64_t> extents = {shape.Int("rows", 1), shape.Int("channels", 1)};
    Call call;
    call.numbers["factor"] = shape.Real("factor");
    call.tensors = {Input("input", MLUOP_LAYOUT_ARRAY, type, extents),
                    Output("output", MLUOP_LAYOUT_ARRAY, type, extents)};
    Random random(seed);
    FillSigned(call.tensors[0], random);
    if (shape.Int("specials") != 0) FillSpecials(call.tensors[0]);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return library.@function@(handle, a.desc("input"), a.data("input"), a.number("factor"), a.desc("output"),
                              a.data("output"));
  }

  Expected Reference(const Call& call) const override {
    const Tensor& input = call["input"];
    Expected expected;
    expected.tensors["output"] = detops_reference::@Room@(input.type, input.elements(), input.contents.data(),
                                                          static_cast<float>(call.number("factor")));
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<@Room@>()); }

}  // namespace detops_harness::@room@
