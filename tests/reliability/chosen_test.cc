// Indices and boxes that somebody chose so that they crowd: the time of a call may not be many times that of random
// ones with the same shapes, for every function that takes them. Points and sites have tests of their own
// (point_to_voxel_chosen_test, get_indice_pairs_chosen_test).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/placed_call.h"
#include "support/cpu_time.h"
#include "support/handle.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::Function;
using detops_harness::PlacedCall;
using detops_harness::Random;
using detops_harness::Tensor;

constexpr double kMostTimes = 20;

double SecondsOf(Call call) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  PlacedCall placed(std::move(call), {detops_harness::MemoryKind::kAligned});
  return LeastCpuSeconds([&] { EXPECT_EQ(placed.RunAlone(handle.get()), MLUOP_STATUS_SUCCESS) << handle.LastError(); });
}

// The large call of every function that reads the tensor.
std::vector<Call> CallsWith(const std::string& tensor) {
  std::vector<Call> calls;
  for (const auto& function : detops_harness::WholeCatalogue().functions()) {
    const auto samples = function->samples();
    const auto large = std::find_if(samples.begin(), samples.end(), [](const auto& sample) { return sample.large; });
    if (!function->computes() || large == samples.end()) continue;
    Call call = function->MakeSample(large->shape, function->full_types().at(0), DETOPS_PROFILE_FULL, 1);
    const auto reads = [&](const Tensor& one) {
      return one.name == tensor && one.access == detops_harness::Access::kRead;
    };
    if (std::any_of(call.tensors.begin(), call.tensors.end(), reads)) calls.push_back(std::move(call));
  }
  return calls;
}

// The time of each choice next to that of "random".
void ExpectTimesAlike(const std::string& tensor, const std::vector<std::string>& choices,
                      const std::function<void(Call&, const std::string& choice)>& choose) {
  const std::vector<Call> calls = CallsWith(tensor);
  EXPECT_GE(calls.size(), 2u);
  for (const Call& call : calls) {
    const auto seconds = [&](const std::string& choice) {
      Call chosen = call;
      choose(chosen, choice);
      return SecondsOf(std::move(chosen));
    };
    const double usual = seconds("random");
    for (const std::string& choice : choices) {
      EXPECT_LT(seconds(choice), kMostTimes * usual) << call.function->name() << ", " << choice;
    }
  }
}

// As many pairs of every offset as there are columns; the large calls have as many rows on either side.
TEST(ChosenTime, Pairs) {
  ExpectTimesAlike("indice_pairs",
                   {"all into one row", "all from one row", "one pair", "descending", "rows of one block in turn"},
                   [](Call& call, const std::string& choice) {
                     Tensor& pairs = call["indice_pairs"];
                     const int64_t rows = pairs.extents[2];
                     for (int64_t& count : call.integer_lists.at("indice_num")) count = rows;
                     Random random(1);
                     for (int64_t at = 0; at < pairs.elements(); ++at) {
                       const int64_t pair = at % rows, side = at / rows % 2;
                       int64_t row = random.Below(rows);
                       if (choice == "all into one row" && side == 1) row = 7;
                       if (choice == "all from one row" && side == 0) row = 7;
                       if (choice == "one pair") row = rows - 1;
                       if (choice == "descending") row = rows - 1 - pair;
                       if (choice == "rows of one block in turn")
                         row = side == 0 ? pair * 256 % (rows - rows % 256) : pair % 2 * (rows - 1);
                       pairs.Set(at, static_cast<double>(row));
                     }
                   });
}

TEST(ChosenTime, Boxes) {
  ExpectTimesAlike("bboxes", {"one pixel", "a corner", "outside", "two pixels"},
                   [](Call& call, const std::string& choice) {
                     Tensor& boxes = call["bboxes"];
                     Random random(2);
                     for (int64_t at = 0; at < boxes.elements(); ++at) {
                       const bool centre = at % 5 < 2;
                       double number = random.Uniform(0, 64);
                       if (choice == "one pixel") number = centre ? 20.5 : 0.01;
                       if (choice == "a corner") number = 0;
                       if (choice == "outside") number = 1e30;
                       if (choice == "two pixels") number = centre ? static_cast<double>(random.Below(2) * 63) : 0;
                       boxes.Set(at, number);
                     }
                   });
}

}  // namespace
}  // namespace detops_test
