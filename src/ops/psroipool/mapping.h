// mapping_channel: which input channel an output element reads. It is the same for all rois.
#ifndef DETOPS_OPS_PSROIPOOL_MAPPING_H_
#define DETOPS_OPS_PSROIPOOL_MAPPING_H_

#include <cstdint>

#include "ops/psroipool/problem.h"

namespace detops::psroipool {

// Numbers of the pattern: the channels of one roi, and some of them again after it.
int64_t PatternSize(const PsRoiPoolProblem& problem);

void MakePattern(const PsRoiPoolProblem& problem, int32_t* pattern);

// Writes mapping_channel for all rois; `pattern` is room for PatternSize numbers. False if the caller's runner failed.
bool WriteMappingChannel(const PsRoiPoolProblem& problem, const Parallel& parallel, int32_t* pattern);

// What a mapping_channel tensor holds.
struct MappingFindings {
  bool usual = true;       // what WriteMappingChannel writes
  int64_t bad_index = -1;  // the first value outside [0, C), if `look_for_bad`
};

bool InspectMapping(const PsRoiPoolProblem& problem, const Parallel& parallel, const int32_t* mapping,
                    bool look_for_bad, int32_t* pattern, MappingFindings* findings);

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_MAPPING_H_
