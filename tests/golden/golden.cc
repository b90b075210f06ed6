#include "golden/golden.h"

#include <cmath>
#include <cstddef>
#include <set>
#include <stdexcept>

#include "harness/catalogue.h"
#include "harness/placed_call.h"

namespace detops_golden {
namespace {

using detops_harness::Access;
using detops_harness::Tensor;

// FNV-1a of 64 bits.
class Hash {
 public:
  void Add(const void* data, size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < bytes; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

void Add(const Tensor& tensor, Hash& hash) {
  constexpr unsigned char kNan[] = "NaN";
  const size_t size = detops_harness::SizeOfType(tensor.type);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (std::isnan(tensor.Get(i))) {
      hash.Add(kNan, sizeof(kNan));
    } else {
      hash.Add(static_cast<const std::byte*>(tensor.address) + static_cast<size_t>(i) * size, size);
    }
  }
}

}  // namespace

Cases AllCases() {
  Cases cases;
  for (const auto& function : detops_harness::WholeCatalogue().functions()) {
    // Another spelling gives what the usual one gives.
    if (!function->computes() || function->contract().documented_as() != function->name()) continue;
    std::set<std::string> shapes;  // lists of samples that are made by loops may meet the same one twice
    for (const detops_harness::Sample& sample : function->samples()) {
      if (shapes.insert(sample.shape).second)
        cases.push_back({function->name() + "/" + sample.shape, function.get(), sample.shape});
    }
  }
  return cases;
}

uint64_t RunCase(const detops_test::Handle& handle, const Case& one) {
  Hash hash;
  for (const mluOpDataType_t type : one.function->full_types()) {
    detops_harness::PlacedCall placed(one.function->MakeSample(one.shape, type, DETOPS_PROFILE_FULL, 1));
    placed.Reset(0xA5);
    detops_test::Must(placed.Run(handle.get()), one.name.c_str());
    if (!placed.SurroundingsIntact()) throw std::runtime_error(one.name + ": bytes next to a result were written");
    for (const Tensor& tensor : placed.call().tensors) {
      if (tensor.access == Access::kWritten && tensor.address != nullptr) Add(tensor, hash);
    }
    for (const auto& [name, value] : placed.call().results) hash.Add(&value, sizeof(value));
  }
  return hash.value();
}

}  // namespace detops_golden
