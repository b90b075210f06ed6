// All operators. Each is a schema and a function that reads its arguments, whatever language they come from.
#ifndef DETOPS_PYTHON_SRC_COMMON_OPERATORS_H_
#define DETOPS_PYTHON_SRC_COMMON_OPERATORS_H_

#include <array>

#include "common/call.h"
#include "common/schema.h"

namespace detops_binding {

struct Operator {
  const Schema& schema;
  void (*run)(Call&);
};

// get_indice_pairs whose pairs become a rulebook: `made`, which it makes anew, or makes if it is nullptr. Results 0
// (none for a submanifold convolution) and 2 are made, not the pairs.
void BuildRulebook(Call& call, detopsRulebook_t& made);

// One list per file.
extern const std::array<Operator, 9> kBoxOverlaps;
extern const std::array<Operator, 3> kNms;
extern const std::array<Operator, 4> kPolygons;
extern const std::array<Operator, 2> kRotatedFeatureAlign;
extern const std::array<Operator, 2> kPsRoiPool;
extern const std::array<Operator, 4> kRoiAwarePool3d;
extern const std::array<Operator, 1> kGetIndicePairs;
extern const std::array<Operator, 4> kIndiceConvolution;
extern const std::array<Operator, 2> kIndicePool;
extern const std::array<Operator, 1> kPointToVoxel;
extern const std::array<Operator, 1> kSortSites;
extern const std::array<Operator, 6> kVoxels;

template <typename Visit>
void ForEachList(const Visit& visit) {
  visit.template operator()<kBoxOverlaps>();
  visit.template operator()<kNms>();
  visit.template operator()<kPolygons>();
  visit.template operator()<kRotatedFeatureAlign>();
  visit.template operator()<kPsRoiPool>();
  visit.template operator()<kRoiAwarePool3d>();
  visit.template operator()<kGetIndicePairs>();
  visit.template operator()<kIndiceConvolution>();
  visit.template operator()<kIndicePool>();
  visit.template operator()<kPointToVoxel>();
  visit.template operator()<kSortSites>();
  visit.template operator()<kVoxels>();
}

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_OPERATORS_H_
