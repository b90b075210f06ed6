// Times a case between measurements of the machine.
#ifndef DETOPS_CLI_JUDGE_TIMING_H_
#define DETOPS_CLI_JUDGE_TIMING_H_

#include <cstddef>
#include <span>

#include "library/session.h"
#include "run/result.h"
#include "run/runner.h"

namespace detops_cli {

// The session has been called with success before. With several cores and a library whose threads can be set, the
// scaling from one thread up is measured too.
TimingResult TimeCase(Session& session, const detops_harness::Theory& theory, const detops_harness::Work& least,
                      const RunOptions& options);

// The time that so many of 1,000 calls, fewer than all, do not exceed; 0 if they are too few for one to exceed it.
double Percentile(std::span<const double> sorted, size_t per_mille);

}  // namespace detops_cli

#endif  // DETOPS_CLI_JUDGE_TIMING_H_
