#include "ops/get_indice_pairs/reference/reference.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>

namespace detops_reference {
namespace {

constexpr size_t kMaxAxes = 4;
using Offset = std::array<int64_t, kMaxAxes>;

// Image, then the axes; axes that do not exist stay 0. Compares in the order in which output sites are numbered.
using Site = std::array<int64_t, 1 + kMaxAxes>;

size_t Axes(const SparseConvolution& convolution) { return convolution.filter_space.size(); }

std::vector<Site> ReadSites(const int32_t* indices, int64_t sites, size_t columns) {
  std::vector<Site> list(static_cast<size_t>(sites), Site{});
  for (Site& site : list) {
    for (size_t column = 0; column < columns; ++column) site[column] = *indices++;
  }
  return list;
}

// The last axis is the fastest.
Offset OffsetAt(const SparseConvolution& convolution, int64_t index) {
  Offset offset = {};
  for (size_t axis = Axes(convolution); axis-- > 0;) {
    offset[axis] = index % convolution.filter_space[axis];
    index /= convolution.filter_space[axis];
  }
  return offset;
}

// The output site that the input site meets under the offset, if there is one.
std::optional<Site> Meet(const SparseConvolution& convolution, const Site& input, const Offset& offset) {
  Site output = {input[0]};
  for (size_t axis = 0; axis < Axes(convolution); ++axis) {
    const int64_t stride = convolution.stride[axis], pad = convolution.pad[axis];
    const int64_t reach = offset[axis] * convolution.dilation[axis], from = input[axis + 1];
    int64_t to;
    if (convolution.transposed) {
      to = from * stride - pad + reach;
    } else {
      const int64_t distance = from + pad - reach;
      if (distance % stride != 0) return std::nullopt;
      to = distance / stride;
    }
    if (to < 0 || to >= convolution.output_space[axis]) return std::nullopt;
    output[axis + 1] = to;
  }
  return output;
}

// Calls visit(offset's index, input's index, output site) for all that meet: offset by offset, inputs ascending.
template <class Visit>
void ForEachMeeting(const SparseConvolution& convolution, const std::vector<Site>& inputs, Visit visit) {
  for (int64_t k = 0; k < convolution.KernelVolume(); ++k) {
    const Offset offset = OffsetAt(convolution, k);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (const std::optional<Site> output = Meet(convolution, inputs[i], offset)) visit(k, i, *output);
    }
  }
}

// Writes pairs and counts them.
class PairLists {
 public:
  PairLists(IndicePairs& result, int64_t kernel_volume, size_t sites) : result_(result), sites_(sites) {
    result.pairs.assign(static_cast<size_t>(kernel_volume) * 2 * sites, -1);
    result.indice_num.assign(static_cast<size_t>(kernel_volume), 0);
  }

  void Append(int64_t k, size_t input, int64_t output) {
    const auto offset = static_cast<size_t>(k), position = static_cast<size_t>(result_.indice_num[offset]++);
    result_.pairs[offset * 2 * sites_ + position] = static_cast<int32_t>(input);
    result_.pairs[(offset * 2 + 1) * sites_ + position] = static_cast<int32_t>(output);
  }

 private:
  IndicePairs& result_;
  size_t sites_;
};

void AppendRow(const Site& site, size_t columns, std::vector<int32_t>& rows) {
  for (size_t column = 0; column < columns; ++column) rows.push_back(static_cast<int32_t>(site[column]));
}

void Submanifold(const SparseConvolution& convolution, const std::vector<Site>& inputs, IndicePairs& result) {
  std::map<Site, int64_t> owner;
  for (size_t i = 0; i < inputs.size(); ++i) owner[inputs[i]] = static_cast<int64_t>(i);  // the last one stays
  PairLists lists(result, convolution.KernelVolume(), inputs.size());
  ForEachMeeting(convolution, inputs, [&](int64_t k, size_t i, const Site& output) {
    const auto found = owner.find(output);
    if (found != owner.end()) lists.Append(k, i, found->second);
  });
  for (const Site& input : inputs) AppendRow(input, Axes(convolution) + 1, result.out_indices);
  result.num_act_out = static_cast<int64_t>(inputs.size());
}

void Regular(const SparseConvolution& convolution, const std::vector<Site>& inputs, IndicePairs& result) {
  struct Meeting {
    int64_t k;
    size_t input;
    const int64_t* rank;
  };
  // Ranks are known when all sites are; entries of a map stay where they are.
  std::map<Site, int64_t> ranks;
  std::vector<Meeting> meetings;
  ForEachMeeting(convolution, inputs,
                 [&](int64_t k, size_t i, const Site& output) { meetings.push_back({k, i, &ranks[output]}); });
  for (auto& [site, rank] : ranks) {
    rank = result.num_act_out++;
    AppendRow(site, Axes(convolution) + 1, result.out_indices);
  }
  PairLists lists(result, convolution.KernelVolume(), inputs.size());
  for (const Meeting& meeting : meetings) lists.Append(meeting.k, meeting.input, *meeting.rank);
}

}  // namespace

int64_t SparseConvolution::KernelVolume() const {
  int64_t volume = 1;
  for (const int64_t extent : filter_space) volume *= extent;
  return volume;
}

IndicePairs GetIndicePairs(const SparseConvolution& convolution, int64_t sites, const int32_t* indices, int64_t rows) {
  const size_t columns = Axes(convolution) + 1;
  const std::vector<Site> inputs = ReadSites(indices, sites, columns);
  IndicePairs result;
  if (convolution.submanifold) {
    Submanifold(convolution, inputs, result);
  } else {
    Regular(convolution, inputs, result);
  }
  result.out_indices.resize(std::max(result.out_indices.size(), static_cast<size_t>(rows) * columns), -1);
  return result;
}

}  // namespace detops_reference
