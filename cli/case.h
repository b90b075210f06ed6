// One call of one operator as data: what goes in, what comes out, and how close it must be. Suites, case files and the
// command line all make cases; everything after that knows only this.
#ifndef DETOPS_CLI_CASE_H_
#define DETOPS_CLI_CASE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "detops.h"

namespace detops_cli {

class Operator;

// A tensor in the program's own memory.
struct HostTensor {
  std::string name;  // the C parameter's
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides{};  // in elements; empty: dense
  std::vector<std::byte> data{};   // raw elements; of outputs the expected values of a case file, mostly empty

  // Of the extents; negative extents count as 0.
  int64_t elements() const;
  // Elements from the first to the last address; equals elements() when dense.
  int64_t span() const;
  size_t element_bytes() const;
  // What the tensor occupies.
  size_t bytes() const;

  // Elements as double, by position in memory. `data` must hold them.
  double Get(int64_t position) const;
  void Set(int64_t position, double value);
  std::vector<double> Values() const;
};

// Scalar arguments, named as in the case files.
struct RotatedFeatureAlignParams {
  float spatial_scale = 1;
  int points = 1;
};
struct PsRoiPoolParams {
  int pooled_height = 7, pooled_width = 7;
  float spatial_scale = 0.0625f;
  int group_size = 7;  // forward only
  int output_dim = 8;
};
struct RoiAwarePool3dParams {
  int pool_method = 0;  // 0 maximum, 1 average
  int boxes_num = 0;
  int pts_num = 0;  // forward only
  int channels = 0;
  int max_pts_each_voxel = 128;
  int out_x = 0, out_y = 0, out_z = 0;
};
struct GetIndicePairsParams {
  int dimnb = 5;  // spatial axes + 2
  int batch = 1;
  std::vector<int> pad{}, stride{}, dilation{}, input_space{}, filter_space{}, output_space{};  // one per spatial axis
  int sub_m = 0, transpose = 0, inverse = 0;
};
struct IndiceConvolutionParams {
  int64_t num_active_out = 0;  // forward only
  int64_t inverse = 0, sub_m = 0;
  std::vector<int64_t> indice_num{};  // one per filter offset
};
using Params = std::variant<RotatedFeatureAlignParams, PsRoiPoolParams, RoiAwarePool3dParams, GetIndicePairsParams,
                            IndiceConvolutionParams>;

enum class Formula { kDiff1, kDiff2, kDiff3, kDiff3_2, kDiff4, kDiffKl };

// A formula of the accuracy standard and the largest error it allows. For kDiff4 the threshold only says whether it is
// looked at (>= 0).
struct Criterion {
  Formula formula;
  double threshold;
};

// What the reference says: one list of values per output, in double. Integers are exact.
struct Baseline {
  std::vector<std::vector<double>> outputs;
  std::optional<int64_t> num_act_out{};  // get_indice_pairs
};

struct Case {
  const Operator* op = nullptr;
  bool full_profile = false;  // all that the library can do, or what the contract says
  Params params;
  std::vector<HostTensor> inputs;                // in the order of the case files
  std::vector<HostTensor> outputs;               // likewise
  std::vector<std::vector<Criterion>> criteria;  // one list per output; an empty list: not compared
  std::optional<Baseline> baseline{};            // of a case file; otherwise the reference computes it
  std::optional<double> theory_io_bytes{};       // of a case file; otherwise the operator knows
  std::optional<double> theory_operations{};     // likewise
};

// What tables say of a case.
struct CaseDescription {
  std::string op, type, shape, layout;
};
CaseDescription Describe(const Case& the_case);

// The promise of the library for an output of `type`: diff1, diff2 and diff4 within the bars of docs/numerics.md,
// integers exact. `convolution`: the wider bar for half.
std::vector<Criterion> PromisedCriteria(mluOpDataType_t type, bool convolution);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_H_
