#include "boxes/contract/gradients.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/rules.h"
#include "support/rotated_slopes.h"
#include "support/tolerance.h"

namespace detops_harness::boxes {
namespace {

// ---- the contract ----

bool HasAligned(const Call& call) { return call.integer("aligned") != 0; }

// The good call, which has all pairs, with boxes of the same number instead.
std::function<void(Call&)> AlignedCall(const GradientForm& form) {
  return [=](Call& call) {
    if (HasAligned(call)) return;
    call.integers.at("aligned") = 1;
    const int64_t rows = call[form.first].extents.empty() ? 0 : call[form.first].extents[0];
    for (const std::string& second : {form.second, form.second_grad}) {
      if (!call[second].extents.empty()) call[second].extents[0] = rows;
    }
    call["grad"].extents = {rows};
  };
}

Rules RankOfGrad(const GradientForm& form) {
  Rules rules = Ranks({"grad"});
  rules[0].judge = [](Judgement& j) -> std::optional<std::string> {
    const size_t rank = j.call["grad"].extents.size(), expected = HasAligned(j.call) ? 1 : 2;
    if (rank == expected) return {};
    return Format("grad has rank %zu, expected %zu.", rank, expected);
  };
  return WithFaults(rules, {{BadClass::kForm, "rank of grad, aligned",
                             [=](Call& call) {
                               AlignedCall(form)(call);
                               call["grad"].extents.push_back(1);
                             },
                             false}});
}

// In the order of the arguments; the first box of each list with the number of its numbers.
Rules ShapesOf(const GradientForm& form) {
  const int numbers = form.spatial ? 7 : 5;
  const auto aligned = [&](const Rules& rules) { return When(HasAligned, rules, AlignedCall(form)); };
  const auto matrix = [](const Rules& rules) {
    return When([](const Call& call) { return !HasAligned(call); }, rules);
  };
  Rules rules;
  for (const Rules& more :
       {Implied(Axis(form.first, 0, "N")), Axis(form.first, 1, numbers), matrix(Implied(Axis(form.second, 0, "M"))),
        aligned(Axis(form.second, 0, "N")), Axis(form.second, 1, numbers), Axis("grad", 0, "N"),
        matrix(Axis("grad", 1, "M")), Axis(form.first_grad, 0, "N"), Axis(form.first_grad, 1, numbers),
        matrix(Axis(form.second_grad, 0, "M")), aligned(Axis(form.second_grad, 0, "N")),
        Axis(form.second_grad, 1, numbers)}) {
    rules.insert(rules.end(), more.begin(), more.end());
  }
  return rules;
}

Faults NoPairs(const GradientForm& form) {
  const auto without_data = [](const std::string& dim) {
    return [=](Call& call) {
      WithDim(dim, 0)(call);
      for (Tensor& tensor : call.tensors) tensor.has_data = false;
    };
  };
  return {{BadClass::kEmpty, "no first boxes", WithDim("N", 0)},
          {BadClass::kEmpty, "no second boxes", WithDim("M", 0)},
          {BadClass::kEmpty, "no first boxes, no data", without_data("N"), false},
          {BadClass::kEmpty, "no second boxes, no data", without_data("M"), false},
          {BadClass::kEmpty, "no boxes, aligned", [=](Call& call) {
             AlignedCall(form)(call);
             for (Tensor& tensor : call.tensors) {
               if (!tensor.extents.empty()) tensor.extents[0] = 0;
             }
           }}};
}

std::function<void(Call&)> Without(const std::string& output) {
  return [=](Call& call) { call[output] = Absent(output, Access::kWritten); };
}

Contract MakeContract(const GradientForm& f) {
  const int numbers = f.spatial ? 7 : 5;
  const Names inputs = {f.first, f.second, "grad"}, outputs = {f.first_grad, f.second_grad};
  const Names all = {f.first, f.second, "grad", f.first_grad, f.second_grad};
  Contract contract(f.function);
  contract.Shape(f.first, {"N", numbers}).Shape(f.second, {"M", numbers}).Shape("grad", {"N", "M"});
  contract.Shape(f.first_grad, {"N", numbers}).Shape(f.second_grad, {"M", numbers});
  const std::string either = f.first_grad + " or " + f.second_grad;
  contract
      .Check("handle or a descriptor other than those of " + f.first_grad + " and " + f.second_grad + " is NULL",
             {Handle(), Descriptors(inputs)})
      .Check("type is not allowed, or not the same",
             {AnyFloating({f.first}), SameType({f.second, "grad", f.first_grad, f.second_grad}, f.first)})
      .Check("rank is not 2, of grad with aligned 1", {Ranks({f.first, f.second}), RankOfGrad(f), Ranks(outputs)})
      .Check("a shape is not as above", {ShapesOf(f)})
      .Check(f.clause, {Enumerator(f.choice, 0, f.most, f.expectation)})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts(inputs), Implied(Counts(outputs))})
      .Check("there is no pair of boxes: " + either + " becomes 0 if it has elements and a data pointer",
             {Done(
                 "pairs of boxes", [](const Call& call) { return call["grad"].elements() == 0; }, NoPairs(f))})
      .Check("a data pointer is NULL", {Data(all)})
      .Check(either + " overlaps another tensor",
             {Separate(f.first_grad, {f.first, f.second, "grad", f.second_grad}), Separate(f.second_grad, inputs)})
      .Check("a number in " + f.first + " or " + f.second + " is NaN or Inf",
             {Finite(f.first, "a box"), Finite(f.second, "a box")})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  const auto nothing = [](const Call&) { return ""; };
  contract.Defines(BadClass::kNull, "without the first gradient", Without(f.first_grad), nothing)
      .Defines(BadClass::kNull, "without the second gradient", Without(f.second_grad), nothing)
      .Defines(
          BadClass::kSizes, "boxes with sides below 0 have gradient 0",
          [=](Call& call) {
            const int64_t side = f.spatial ? 3 : 2;
            for (int64_t row = 0; row < call[f.first].extents[0]; ++row) {
              call[f.first].Set(row * numbers + side, -1);
            }
          },
          [=](const Call& call) {
            for (const std::string& output : outputs) {
              for (const double number : call[output].Values()) {
                if (number != 0) return "a gradient is not 0";
              }
            }
            return "";
          })
      .CannotOccur({BadClass::kWorkspace, BadClass::kIndices})
      .CannotOccur({BadClass::kCoordinates}, "boxes may lie anywhere")
      .CannotOccur({BadClass::kDuplicates}, "boxes may be equal: sides in one place count half")
      .CannotOccur({BadClass::kBatchId}, "its boxes have no batch id");
  return contract;
}

// ---- boxes ----

// In the order of the key's words.
enum class Kind {
  kScattered,
  kTies,  // upright boxes on a grid, and equal ones: sides lie on each other
  kOdd    // also without area, slim, or far away
};

struct Box {
  double x, y, z, w, h, height, angle;
};

Box NewBox(Kind kind, Random& random) {
  if (kind == Kind::kTies) {
    const auto on_grid = [&](int64_t least, int64_t most) {
      return static_cast<double>(random.Between(least, most)) / 2;
    };
    return {on_grid(-2, 2), on_grid(-2, 2), on_grid(-2, 2), on_grid(2, 6), on_grid(2, 6), on_grid(2, 6), 0};
  }
  Box box = {random.Uniform(-3, 3), random.Uniform(-3, 3), random.Uniform(-1, 1), random.Uniform(1, 5),
             random.Uniform(1, 3),  random.Uniform(1, 3),  random.Angle()};
  if (kind == Kind::kOdd) {
    double* const sides[] = {&box.w, &box.h, &box.height};
    *sides[random.Below(3)] = random.OneOf({0, -1, 0.0625, 3, 40});
    if (random.Below(4) == 0) box.x += 100;
  }
  return box;
}

void Append(const Box& box, bool spatial, int64_t row, Tensor& tensor) {
  const double flat[] = {box.x, box.y, box.w, box.h, box.angle},
               tall[] = {box.x, box.y, box.z, box.w, box.h, box.height, box.angle};
  const int64_t numbers = spatial ? 7 : 5;
  for (int64_t k = 0; k < numbers; ++k) tensor.Set(row * numbers + k, spatial ? tall[k] : flat[k]);
}

// ---- the reference ----

using Real = long double;
// By the numbers of a row; each with what rounding errors on the way to it are relative to.
struct Slopes {
  explicit Slopes(size_t numbers) : values(numbers, 0), magnitudes(numbers, 0), open(numbers, 0) {}
  std::vector<Real> values, magnitudes;
  std::vector<Real> open;  // what decisions may change that rounding leaves open
};

// Boxes whose shared area is not above the bound of its rounding errors, 4 units of double, count as apart. One that is
// this small itself may come out on either side of the bound, and a slope need not be small where the area is.
bool NextToNothing(const detops_test::RotatedSlopes& slopes) { return slopes.area <= 0x1p-49L * slopes.magnitudes[0]; }

std::vector<double> RowOf(const Tensor& boxes, int64_t row) {
  const int64_t numbers = boxes.extents[1];
  std::vector<double> values(static_cast<size_t>(numbers));
  for (int64_t k = 0; k < numbers; ++k) values[static_cast<size_t>(k)] = boxes.Get(row * numbers + k);
  return values;
}

// How the value of two boxes changes with the numbers of `self`. mode: 0 over the union, 1 over the area of `self`, 2
// the area, 3 over that of the other.
Slopes FlatSlopes(int64_t mode, const std::vector<double>& self, const std::vector<double>& other) {
  const detops_test::RotatedSlopes s = detops_test::SlopesOfSharedArea(self.data(), other.data());
  Slopes slopes(5);
  if (s.area == 0) return slopes;
  const Real own = Real{self[2]} * Real{self[3]}, others = Real{other[2]} * Real{other[3]};
  const Real size[] = {0, 0, self[3], self[2], 0};
  const Real shared[] = {s.x, s.y, s.w, s.h, s.angle};
  for (size_t k = 0; k < 5; ++k) {
    const Real whole = mode == 0 ? own + others - s.area : mode == 1 ? own : mode == 2 ? 1 : others;
    const Real grows = mode == 0 ? size[k] - shared[k] : mode == 1 ? size[k] : 0;
    slopes.values[k] = (shared[k] * whole - s.area * grows) / (whole * whole);
    const Real by_area = mode == 0 ? size[k] + std::fabs(shared[k]) : grows;
    slopes.magnitudes[k] = (s.magnitudes[k + 1] * whole + s.magnitudes[0] * by_area) / (whole * whole);
    const Real sides = s.open * (k == 4 ? Real{self[2]} + Real{self[3]} : 1);
    slopes.open[k] = NextToNothing(s) ? std::fabs(slopes.values[k]) : sides * (whole + s.area) / (whole * whole);
  }
  return slopes;
}

Slopes TallSlopes(bool from_bottom, const std::vector<double>& self, const std::vector<double>& other) {
  const auto flat = [](const std::vector<double>& box) {
    return std::vector<double>{box[0], box[1], box[3], box[4], box[6]};
  };
  const detops_test::RotatedSlopes s = detops_test::SlopesOfSharedArea(flat(self).data(), flat(other).data());
  const auto bottom = [&](const std::vector<double>& box) {
    return from_bottom ? Real{box[2]} : Real{box[2]} - Real{box[5]} / 2;
  };
  const Real low = bottom(self), high = low + Real{self[5]}, low2 = bottom(other), high2 = low2 + Real{other[5]};
  const Real rise = std::min(high, high2) - std::max(low, low2);
  const bool finite =
      std::isfinite(self[2]) && std::isfinite(self[5]) && std::isfinite(other[2]) && std::isfinite(other[5]);
  const bool none = s.area == 0 || !finite || !(self[5] > 0) || !(other[5] > 0) || !(rise > 0);
  Slopes slopes(7);
  if (none) return slopes;
  const auto part = [](Real less, Real more) { return less < more ? Real{1} : less == more ? Real{0.5L} : Real{0}; };
  const Real by_high = part(high, high2), by_low = part(low2, low);
  const Real rise_z = by_high - by_low, rise_height = from_bottom ? by_high : (by_high + by_low) / 2;
  const Real area = Real{self[3]} * Real{self[4]};
  const Real own = area * Real{self[5]}, others = Real{other[3]} * Real{other[4]} * Real{other[5]};
  const Real shared[] = {s.x * rise, s.y * rise,           s.area * rise_z, s.w * rise,
                         s.h * rise, s.area * rise_height, s.angle * rise};
  const Real size[] = {0, 0, 0, Real{self[4]} * Real{self[5]}, Real{self[3]} * Real{self[5]}, area, 0};
  // The ends of the heights cancel too.
  const Real heights = std::fabs(low) + std::fabs(high) + std::fabs(low2) + std::fabs(high2);
  const Real* const m = s.magnitudes;
  const auto with_rise = [&](Real value, Real magnitude) { return std::fabs(value) * heights + magnitude * rise; };
  const Real terms[] = {with_rise(s.x, m[1]), with_rise(s.y, m[2]), m[0] * (by_high + by_low), with_rise(s.w, m[3]),
                        with_rise(s.h, m[4]), m[0] * rise_height,   with_rise(s.angle, m[5])};
  const Real volume = s.area * rise, whole = own + others - volume;
  for (size_t k = 0; k < 7; ++k) {
    slopes.values[k] = (shared[k] * whole - volume * (size[k] - shared[k])) / (whole * whole);
    slopes.magnitudes[k] =
        (terms[k] * whole + with_rise(s.area, m[0]) * (size[k] + std::fabs(shared[k]))) / (whole * whole);
    const bool by_sides = k != 2 && k != 5;
    const Real sides = by_sides ? s.open * rise * (k == 6 ? Real{self[3]} + Real{self[4]} : 1) : 0;
    slopes.open[k] = NextToNothing(s) ? std::fabs(slopes.values[k]) : sides * (whole + volume) / (whole * whole);
  }
  return slopes;
}

}  // namespace

PairGradient::PairGradient(const GradientForm& form) : Function(MakeContract(form)), form_(form) {}

std::vector<ShapeKey> PairGradient::keys() const {
  return {{"first", "500", "N", {"1", "2", "5", "17", "65"}},
          {"second", "100", "M; with aligned as many as first ones", {"1", "3", "16", "33"}},
          {"aligned", "0", "1: boxes of the same number", {"0", "1"}},
          {form_.choice, "0", form_.expectation},
          {"boxes", "scattered", "scattered, ties: sides lie on each other, odd", {"scattered", "ties", "odd"}},
          {"grads", "both", "which gradients are asked for", {"both", "first", "second"}}};
}

std::vector<Sample> PairGradient::samples() const {
  // The extents of the first differ, and are none of 5 and 7.
  std::vector<Sample> samples = {{"first=3,second=4"}};
  for (int64_t choice = 0; choice <= form_.most; ++choice) {
    const std::string with = "," + form_.choice + "=" + std::to_string(choice);
    for (const char* boxes : {",boxes=scattered", ",boxes=ties", ",boxes=odd"}) {
      samples.push_back({"first=23,second=19" + with + boxes});
      samples.push_back({"first=70,aligned=1" + with + boxes});
    }
  }
  for (const char* one : {"first", "second"}) {
    samples.push_back({std::string("first=9,second=66,grads=") + one});
    samples.push_back({std::string("first=9,aligned=1,grads=") + one});
  }
  samples.push_back({"first=1,second=1"});
  samples.push_back({"first=400,second=90", true});
  samples.push_back({"first=4000,aligned=1", true});
  return samples;
}

// A loss on matched boxes; boxes of a batch and its targets; anchors and boxes.
std::vector<BenchmarkCase> PairGradient::benchmarks() const {
  return {{"backward/aligned_16384", "first=16384,aligned=1"},
          {"backward/512x50", "first=512,second=50", "", BenchmarkCase::kFew},
          {"backward/20000x50", "first=20000,second=50", "", BenchmarkCase::kOne}};
}

Call PairGradient::Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const {
  const bool aligned = shape.Int("aligned") != 0;
  const int64_t first = shape.Int("first", 1), second = aligned ? first : shape.Int("second", 1);
  const int64_t numbers = form_.spatial ? 7 : 5;
  const auto kind = static_cast<Kind>(shape.Choice("boxes", {"scattered", "ties", "odd"}));
  const size_t grads = shape.Choice("grads", {"both", "first", "second"});
  const mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  Call call;
  call.integers["aligned"] = aligned ? 1 : 0;
  call.integers[form_.choice] = shape.Int(form_.choice);
  const std::vector<int64_t> first_rows = {first, numbers}, second_rows = {second, numbers};
  call.tensors = {
      Input(form_.first, layout, type, first_rows), Input(form_.second, layout, type, second_rows),
      Input("grad", layout, type, aligned ? std::vector<int64_t>{first} : std::vector{first, second}),
      grads == 2 ? Absent(form_.first_grad, Access::kWritten) : Output(form_.first_grad, layout, type, first_rows),
      grads == 1 ? Absent(form_.second_grad, Access::kWritten) : Output(form_.second_grad, layout, type, second_rows)};
  Random random(seed);
  for (int64_t row = 0; row < std::max(first, second); ++row) {
    const Box box = NewBox(kind, random);
    const bool equal = kind != Kind::kScattered && random.Below(4) == 0;
    if (row < first) Append(box, form_.spatial, row, call.tensors[0]);
    if (row < second) Append(equal ? box : NewBox(kind, random), form_.spatial, row, call.tensors[1]);
  }
  FillSigned(call.tensors[2], random);
  return call;
}

Expected PairGradient::Reference(const Call& call) const {
  const Tensor &first = call[form_.first], &second = call[form_.second], &grad = call["grad"];
  const bool aligned = HasAligned(call);
  const int64_t choice = call.integer(form_.choice);
  const Real inside = detops_test::DoubleUnit(first.type);
  Expected expected;
  for (const bool of_first : {true, false}) {
    const std::string& name = of_first ? form_.first_grad : form_.second_grad;
    if (IsAbsent(call[name])) continue;
    const Tensor &own = of_first ? first : second, &others = of_first ? second : first;
    std::vector<double> sums, magnitudes;
    for (int64_t i = 0; i < own.extents[0]; ++i) {
      const std::vector<double> self = RowOf(own, i);
      std::vector<Real> sum(self.size(), 0), magnitude(self.size(), 0);
      for (int64_t j = aligned ? i : 0; j < (aligned ? i + 1 : others.extents[0]); ++j) {
        const std::vector<double> other = RowOf(others, j);
        const int64_t mode = choice == 1 && !of_first ? 3 : choice;
        const Slopes slopes = form_.spatial ? TallSlopes(choice != 0, self, other) : FlatSlopes(mode, self, other);
        const Real g = grad.Get(aligned ? i : of_first ? i * second.extents[0] + j : j * second.extents[0] + i);
        const bool shares =
            std::any_of(slopes.magnitudes.begin(), slopes.magnitudes.end(), [](Real terms) { return terms > 0; });
        for (size_t k = 0; g != 0 && shares && k < self.size(); ++k) {
          // Inf times what is 0 but for rounding may be Inf of either sign, or NaN.
          const bool is_zero = std::fabs(slopes.values[k]) <= 1e-14L * slopes.magnitudes[k];
          sum[k] += std::isinf(g) && is_zero ? Real{NAN} : g * slopes.values[k];
          magnitude[k] += std::fabs(g) * (std::fabs(slopes.values[k]) + inside * slopes.magnitudes[k]);
          magnitude[k] += std::fabs(g) * slopes.open[k] / tolerance(first.type).diff1;
        }
      }
      for (size_t k = 0; k < self.size(); ++k) {
        sums.push_back(static_cast<double>(sum[k]));
        magnitudes.push_back(static_cast<double>(magnitude[k]));
      }
    }
    expected.tensors[name] = std::move(sums);
    expected.magnitudes[name] = std::move(magnitudes);
  }
  return expected;
}

}  // namespace detops_harness::boxes
