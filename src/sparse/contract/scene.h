// Pairs as a layer of a network has them: those of the sites of a scene.
#ifndef DETOPS_SPARSE_CONTRACT_SCENE_H_
#define DETOPS_SPARSE_CONTRACT_SCENE_H_

#include <cstdint>
#include <vector>

#include "harness/shape.h"
#include "sparse/contract/pairs.h"

namespace detops_harness::sparse {

// "pairs=scene" asks for them; then the keys of the function that makes pairs say which. Adds those that are not there,
// and its values for those that are: a layer is what the program takes.
void AddSceneKeys(std::vector<ShapeKey>& keys);
bool IsScene(const Shape& shape);
// Throws ShapeError. `shape` has all keys.
void ValidateScene(const Shape& shape);
// By the reference. The last result is kept: several functions and types are tried on the same sites.
const Pairs& ScenePairs(const Shape& shape, uint64_t seed);

// Bytes of the tensors of a call, with the pairs that count instead of all columns.
double CountedBytes(const Call& call);
// How many pairs a call has.
double CountedPairs(const Call& call);

}  // namespace detops_harness::sparse

#endif  // DETOPS_SPARSE_CONTRACT_SCENE_H_
