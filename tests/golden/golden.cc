#include "golden/golden.h"

#include <cmath>
#include <iterator>
#include <stdexcept>

namespace detops_golden {

void Hash::Add(const void* data, size_t bytes) {
  const auto* byte = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3;
}

Run::Run(const detops_test::Handle& handle, const std::string& name) : handle_(handle), name_(name) {
  Hash seed;
  seed.Add(name.data(), name.size());
  state_ = seed.value();
}

// The generator splitmix64.
uint64_t Run::Next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Run::Angle() {
  constexpr int kSixtyFourths[] = {22,  24,  29,  33,  38,  43,  45,  47,  51,  60,  78,  79,
                                   80,  84,  86,  87,  90,  100, 107, 118, 126, 131, 134, 148,
                                   161, 162, 165, 169, 179, 184, 190, 194, 201, 203, 205};
  const int chosen = kSixtyFourths[Below(std::size(kSixtyFourths))];
  return (Below(2) == 0 ? chosen : -chosen) / 64.0;
}

void Run::FillSigned(Tensor& tensor) {
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.Set(i, static_cast<double>(Between(-(1 << 23), (1 << 23) - 1)) / (1 << 23));
  }
}

void Run::Result(const Tensor& tensor) {
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (std::isnan(tensor.Get(i))) throw std::runtime_error(name_ + ": a result is NaN");
  }
  if (!tensor.SurroundingsIntact()) throw std::runtime_error(name_ + ": bytes beside a result were written");
  hash_.Add(tensor.data(), tensor.bytes());
}

Cases AllCases() {
  Cases cases;
  AddGetIndicePairs(cases);
  AddIndiceConvolution(cases);
  AddIndicePool(cases);
  AddPointToVoxel(cases);
  AddPsRoiPool(cases);
  AddRoiAwarePool3d(cases);
  AddRotatedFeatureAlign(cases);
  return cases;
}

uint64_t RunCase(const detops_test::Handle& handle, const Case& one) {
  Run run(handle, one.name);
  one.body(run);
  return run.hash();
}

std::string Label(const char* before, int64_t number, const char* after) {
  return std::string(before).append(std::to_string(number)).append(after);  // operator+ makes gcc 12 warn for nothing
}

Pairs::Pairs(Run& run, Order order, int64_t offsets, int64_t in_rows, int64_t out_rows, int64_t columns)
    : indices(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {offsets, 2, columns}), counts(static_cast<size_t>(offsets)) {
  for (int64_t k = 0; k < offsets; ++k) {
    if (k % 5 == 3) continue;
    int64_t& count = counts[static_cast<size_t>(k)];
    const auto add = [&](int64_t input, int64_t output) {
      indices.Set(2 * k * columns + count, static_cast<double>(input));
      indices.Set((2 * k + 1) * columns + count, static_cast<double>(output));
      ++count;
    };
    if (order == Order::kAscending) {
      int64_t output = run.Below(3);
      for (int64_t input = run.Below(3); input < in_rows && output < out_rows && count < columns;) {
        add(input, output);
        input += run.Between(1, 2);
        output += run.Between(1, 2);
      }
    } else {
      for (int64_t rest = run.Between(columns / 2, columns); rest > 0; --rest) {
        const int64_t input = run.Below(in_rows);  // before the other: compilers evaluate arguments in any order
        add(input, run.Below(out_rows));
      }
    }
  }
}

}  // namespace detops_golden
