#include "ops/get_indice_pairs/regular/bits.h"

#include <algorithm>
#include <bit>

#include "ops/get_indice_pairs/regular/geometry.h"

namespace detops::get_indice_pairs {
namespace {

// The number of combinations of remainders by the strides.
int64_t ClassCount(const GetIndicePairsProblem& problem) {
  int64_t classes = 1;
  for (int axis = 0; axis < problem.dims && !problem.transposed; ++axis) {
    classes = SaturatingMultiply(classes, problem.axes[axis].stride);
  }
  return classes;
}

// Numbers of a block of inputs.
int64_t BlockNumbersOf(const GetIndicePairsProblem& problem) {
  RegularGeometry geometry = {};
  geometry.dims = problem.dims;
  geometry.classes = static_cast<int>(ClassCount(problem));
  return RegularBlockNumbers(geometry);
}

// The promise about memory, 64 bytes for each input and output and 64 MiB: what does not grow with them or the space
// takes less than 20 MiB.
int64_t MostBytes(const GetIndicePairsProblem& problem) { return (int64_t{36} << 20) + 64 * problem.sites; }

int64_t NeededBytes(const GetIndicePairsProblem& problem) {
  const int64_t word_bytes = WordCount(problem) * int64_t{sizeof(uint64_t) + sizeof(int32_t)};
  return word_bytes + problem.sites / kBlockSites * BlockNumbersOf(problem) * int64_t{sizeof(int32_t)};
}

// `rules` has room for all offsets and lives as long as the geometry.
RegularGeometry MakeRegularGeometry(const GetIndicePairsProblem& problem, RegularOffset* rules) {
  RegularGeometry geometry = {};
  geometry.dims = problem.dims;
  geometry.transposed = problem.transposed;
  geometry.classes = static_cast<int>(ClassCount(problem));
  geometry.offset_count = static_cast<int>(problem.offsets);
  geometry.offsets = rules;
  geometry.indices = problem.indices;
  int64_t pitch = 1;
  for (int a = problem.dims - 1; a >= 0; --a) {
    const SparseConvolutionAxis& rule = problem.axes[a];
    geometry.axes[a] = {
        .output = rule.output, .pad = rule.pad, .stride = rule.stride, .pitch = static_cast<uint32_t>(pitch)};
    pitch *= rule.output;
  }
  geometry.batch_pitch = static_cast<uint32_t>(pitch);
  for (int64_t k = 0; k < problem.offsets; ++k) {
    int64_t shifts[kMaxSpatialDims];
    int64_t rest = k;
    for (int a = problem.dims - 1; a >= 0; --a) {
      shifts[a] = rest % problem.axes[a].filter * problem.axes[a].dilation;
      rest /= problem.axes[a].filter;
    }
    RegularOffset& offset = rules[k];
    offset = {};
    // Site numbers wrap around like the sums in the kernel; those of reached sites come out right.
    uint32_t site_step = 0;
    for (int a = 0; a < problem.dims; ++a) {
      const int64_t stride = problem.transposed ? 1 : problem.axes[a].stride;
      offset.class_id = static_cast<int32_t>(offset.class_id * stride + shifts[a] % stride);
      offset.steps[a] = static_cast<int32_t>(problem.transposed ? -shifts[a] : shifts[a] / stride);
      site_step += static_cast<uint32_t>(offset.steps[a]) * geometry.axes[a].pitch;
    }
    offset.site_step = static_cast<int32_t>(site_step);
  }
  return geometry;
}

}  // namespace

SiteBits TakeSiteBits(const GetIndicePairsProblem& problem, Arena& arena) {
  const int64_t count = WordCount(problem) + std::min(problem.batch, kMaxBatchGroups);
  SiteBits bits;
  bits.words = arena.Take<uint64_t>(count);
  bits.ranks = arena.Take<int32_t>(count);
  return bits;
}

bool BitsFit(const GetIndicePairsProblem& problem) { return NeededBytes(problem) <= MostBytes(problem); }

bool MoreBytesFit(const GetIndicePairsProblem& problem, int64_t bytes) {
  return NeededBytes(problem) + bytes <= MostBytes(problem) + (int64_t{8} << 20);
}

bool RegularKernelsFit(const GetIndicePairsProblem& problem) {
  constexpr int64_t kMaxOffsets = 1 << 16;
  constexpr int64_t kMaxCoordinate = 1 << 24;  // floats are exact up to here
  if (problem.batch * SitesOfBatch(problem) > UINT32_MAX) return false;
  if (problem.offsets > kMaxOffsets || ClassCount(problem) > RegularGeometry::kMaxClasses) return false;
  return std::all_of(problem.axes, problem.axes + problem.dims, [&](const SparseConvolutionAxis& axis) {
    const int64_t farthest = problem.transposed ? int64_t{axis.input} * axis.stride : int64_t{axis.input} + axis.pad;
    return farthest < kMaxCoordinate && axis.pad < kMaxCoordinate && axis.stride < kMaxCoordinate &&
           int64_t{axis.filter} * axis.dilation < kMaxCoordinate;
  });
}

RegularPieces::RegularPieces(const GetIndicePairsProblem& problem, int pieces, Arena& arena)
    : problem_(&problem),
      pieces_(pieces),
      rules_(arena.Take<RegularOffset>(problem.offsets)),
      blocks_(arena.Take<int32_t>(BlockNumbersOf(problem) * (problem.sites / kBlockSites + pieces))),
      counts_(arena.Take<int32_t>(pieces * problem.offsets)),
      heads_(arena.Take<int32_t*>(pieces * problem.offsets)),
      ends_(arena.Take<int32_t*>(pieces * problem.offsets)) {}

int64_t RegularPieces::BytesOfPiece(const GetIndicePairsProblem& problem) {
  return BlockNumbersOf(problem) * int64_t{sizeof(int32_t)};
}

void RegularPieces::Prepare() { geometry_ = MakeRegularGeometry(*problem_, rules_); }

int32_t* RegularPieces::BlocksOf(int piece, int64_t begin) const {
  return blocks_ + (begin / kBlockSites + piece) * RegularBlockNumbers(geometry_);
}

void RegularPieces::Mark(int piece, Range inputs, uint64_t* words, bool shared) const {
  int32_t* const counts = counts_ + piece * problem_->offsets;
  std::fill_n(counts, problem_->offsets, 0);
  problem_->kernels.mark_reached(geometry_, inputs.begin, inputs.end, BlocksOf(piece, inputs.begin), words, shared,
                                 counts);
}

bool RegularPieces::Place(int64_t outputs) {
  RulebookBuilder* const rulebook = problem_->rulebook;
  int64_t pairs = 0;
  for (int64_t offset = 0; offset < problem_->offsets; ++offset) {
    int32_t count = 0;
    for (int piece = 0; piece < pieces_; ++piece) count += counts_[piece * problem_->offsets + offset];
    problem_->counts[offset] = count;
    if (rulebook != nullptr) rulebook->lists()[offset].count = count;
    pairs += count;
  }
  int32_t* list = problem_->pairs;
  row_length_ = problem_->sites;
  if (rulebook != nullptr) {
    list = rulebook->Reserve(2 * pairs, problem_->sites, outputs, false);
    if (list == nullptr) return false;
    row_length_ = pairs;
  }
  for (int64_t offset = 0; offset < problem_->offsets; ++offset) {
    int32_t* head = list;
    for (int piece = 0; piece < pieces_; ++piece) {
      const int64_t place = piece * problem_->offsets + offset;
      heads_[place] = head;
      head += counts_[place];
      ends_[place] = head;
    }
    if (rulebook != nullptr) {
      rulebook->lists()[offset].rows[0] = list;
      rulebook->lists()[offset].rows[1] = list + row_length_;
    }
    list = rulebook != nullptr ? head : list + 2 * problem_->sites;
  }
  return true;
}

void RegularPieces::Append(int piece, Range inputs, const SiteBits& bits) const {
  problem_->kernels.append_reached(geometry_, DivideRoundUp(inputs.end - inputs.begin, kBlockSites),
                                   BlocksOf(piece, inputs.begin), bits, heads_ + piece * problem_->offsets,
                                   ends_ + piece * problem_->offsets, row_length_);
}

int32_t* WriteSitesOfWord(const GetIndicePairsProblem& problem, int64_t first, uint64_t word, int32_t* out) {
  const int columns = problem.columns();
  const int last = problem.dims - 1;
  int32_t site[kMaxSpatialDims + 1];
  SiteCoordinates(problem, first, site);
  int at = 0;  // the bit that `site` belongs to
  for (; word != 0; word &= word - 1, out += columns) {
    const int bit = std::countr_zero(word);
    site[last + 1] += bit - at;
    at = bit;
    for (int axis = last; axis >= 0 && site[axis + 1] >= problem.axes[axis].output; --axis) {
      site[axis] += site[axis + 1] / problem.axes[axis].output;
      site[axis + 1] %= problem.axes[axis].output;
    }
    if (columns == 4) {  // a copy of unknown length is a function call
      std::copy_n(site, 4, out);
    } else {
      std::copy_n(site, columns, out);
    }
  }
  return out;
}

}  // namespace detops::get_indice_pairs
