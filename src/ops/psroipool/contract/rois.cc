// Rules about numbers: the scale, the rois and the channels that backward is given.
#include <cmath>
#include <limits>

#include "ops/psroipool/contract/psroipool.h"

namespace detops_harness::psroipool {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
constexpr int kColumns = 5;

// As the caller wrote it, if it was a float.
std::string TextOf(double number) {
  const auto narrow = static_cast<float>(number);
  return static_cast<double>(narrow) == number ? NumberText(narrow) : NumberText(number);
}

bool NamesAnImage(double id, const Call& call, const Kind& kind) {
  return id >= 0 && id < static_cast<double>(call[kind.map()].extents[0]) && id == std::trunc(id);
}

// Whether both ends of a roi and their distance stay numbers once scaled. Real: what places are computed in.
template <class Real>
bool StaysFinite(const Call& call, const Kind& kind, double low, double high) {
  const auto scale = static_cast<Real>(ScaleOf(call, kind));
  const auto a = static_cast<Real>(low), b = static_cast<Real>(high);
  const detopsPsRoiPoolConvention_t convention = ConventionOf(call, kind);
  Real start, end;
  if (convention == DETOPS_PSROIPOOL_RFCN) {  // whole pixels, both ends inside, then scaled
    start = std::round(a) * scale;
    end = static_cast<Real>(static_cast<double>(std::round(b)) + 1.0) * scale;
  } else {
    start = a * scale;
    end = b * scale;
    // torchvision's backward pass has them as floats, whatever the type.
    if (convention == DETOPS_PSROIPOOL_TORCHVISION && !kind.forward) {
      start = static_cast<Real>(static_cast<float>(start));
      end = static_cast<Real>(static_cast<float>(end));
    }
    start = std::round(start);
    end = std::round(end);
  }
  return std::isfinite(start) && std::isfinite(end) && std::isfinite(static_cast<Real>(end - start));
}

std::function<void(Call&)> WithRoi(int64_t roi, const std::vector<double>& numbers, double scale) {
  return [=](Call& call) {
    for (int64_t i = 0; i < kColumns; ++i)
      WithElement("rois", roi * kColumns + i, numbers[static_cast<size_t>(i)])(call);
    call.numbers.at("spatial_scale") = scale;
  };
}

}  // namespace

double ScaleOf(const Call& call, const Kind& kind) {
  const double scale = call.number("spatial_scale");
  return kind.extension ? scale : static_cast<double>(static_cast<float>(scale));
}

Rules Scale(const Kind& kind) {
  Faults faults;
  for (const double scale : {kNan, kInf, -kInf, 0.0, -0.0, -0.5}) {
    faults.push_back(
        {BadClass::kNotFinite, "spatial_scale " + std::to_string(scale), WithNumber("spatial_scale", scale)});
  }
  // Beyond float, and the smallest and largest numbers of a float.
  for (const double scale : {1e300, 1e39, 1e-300, 1e-46, 0x1p-149, 0x1.fffffep127, 1.0}) {
    for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
      faults.push_back({BadClass::kNotFinite, "spatial_scale " + NumberText(scale),
                        [=](Call& call) {
                          call.numbers.at("spatial_scale") = scale;
                          if (type == MLUOP_DTYPE_FLOAT) return;
                          call.profile = DETOPS_PROFILE_FULL;
                          for (Tensor& tensor : call.tensors) {
                            if (tensor.type == MLUOP_DTYPE_FLOAT) tensor.type = type;
                            tensor.has_data = false;  // there is not so much memory: it ends at the data pointers
                          }
                        },
                        false});
    }
  }
  return Own({"spatial_scale", MLUOP_STATUS_BAD_PARAM,
              [kind](Judgement& j) -> std::optional<std::string> {
                const double scale = ScaleOf(j.call, kind);
                const bool narrow = j.call[kind.map()].type != MLUOP_DTYPE_DOUBLE;
                const double used = narrow ? static_cast<double>(static_cast<float>(scale)) : scale;
                if (std::isfinite(used) && used > 0) return {};
                return "spatial_scale is " + TextOf(scale) + ", expected a finite number above 0.";
              },
              faults});
}

Rules RoisAreFinite() {
  Rules rules = Elements("rois", {[](double value, int64_t, const Call&) { return std::isfinite(value); },
                                  [](int64_t, const Call&) { return "a finite number"; },
                                  [](const Call& good) {
                                    std::vector<ElementRule::Trial> trials;
                                    for (const double value : {kNan, kInf, -kInf}) {
                                      for (int column = 1; column < kColumns; ++column) {
                                        const std::string place = "rois[2, " + std::to_string(column) + "] is ";
                                        trials.push_back({10 + column, value, place + std::to_string(value)});
                                      }
                                      const int64_t last = good["rois"].elements() - 1;
                                      trials.push_back({last, value, "the last number is " + std::to_string(value)});
                                    }
                                    return trials;
                                  },
                                  BadClass::kNotFinite});
  Faults ids;  // only while somebody looks: an image that is not there cannot be read
  for (const double value : {kNan, kInf, -kInf}) {
    ids.push_back({BadClass::kNotFinite, "a batch id is " + std::to_string(value),
                   [=](Call& call) { WithElement("rois", 0, value)(call); }, false});
  }
  ids.push_back({BadClass::kNotFinite, "the first of many is named",
                 [](Call& call) {
                   for (const int64_t index : {29, 9, 8}) WithElement("rois", index, kNan)(call);
                 },
                 false});
  return WithFaults(rules, ids);
}

Rules BatchIdsAndOverflow(const Kind& kind) {
  Faults faults;
  for (const double id : {0.5, -1.0, 2.0, 1e9, -0.5, 1.5, 1.0000001192092896}) {
    faults.push_back({BadClass::kBatchId, "batch id " + std::to_string(id), WithElement("rois", 15, id)});
  }
  for (const double id : {0.0, -0.0, 1.0}) {
    faults.push_back({BadClass::kBatchId, "batch id " + std::to_string(id), WithElement("rois", 15, id), false});
  }
  const BadClass kOverflows = BadClass::kNotFinite;
  faults.push_back({kOverflows, "the extent of a roi overflows", WithRoi(1, {0, -3e38, 0, 3e38, 4}, 1)});
  faults.push_back({kOverflows, "a roi overflows when it is scaled", WithRoi(1, {0, 0, 3e38, 4, 3e38}, 16)});
  for (const int64_t convention : {DETOPS_PSROIPOOL_RFCN, DETOPS_PSROIPOOL_TORCHVISION, DETOPS_PSROIPOOL_CONSISTENT}) {
    if (!kind.extension && convention != DETOPS_PSROIPOOL_RFCN) continue;
    const auto add = [&](const std::string& text, const std::vector<double>& roi, double scale) {
      faults.push_back({kOverflows, text,
                        [=](Call& call) {
                          if (kind.extension) call.integers.at("convention") = convention;
                          WithRoi(1, roi, scale)(call);
                        },
                        false});
    };
    const double most = static_cast<double>(std::numeric_limits<float>::max());
    for (size_t column = 1; column < kColumns; ++column) {
      for (const double number : {3e38, -3e38}) {
        std::vector<double> roi = {0, 0, 0, 2, 2};
        roi[column] = number;
        add("one number overflows", roi, 4);
        add("one number is large", roi, 1);
      }
    }
    for (const double number : {3e38, -3e38}) {
      add("a width overflows", {0, -number, 0, number, 2}, 1);
      add("a height overflows", {0, 0, -number, 2, number}, 1);
    }
    for (const double low : {0.0, -3.0, most}) {
      add("the largest number", {0, low, 0, most, 2}, 1);
      add("the smallest number", {0, -most, 0, -low, 2}, 1);
    }
    for (const double number : {2147483647.0, 4294967296.0, 9.3e18, 1e30}) {
      add("beyond whole numbers", {0, -number, number, number, -number}, 1);
      add("beyond whole numbers", {0, number, -number, 3, number}, 1);
    }
    // A fault in an earlier roi wins, of whichever kind.
    faults.push_back({kOverflows, "overflow first, then a batch id",
                      [=](Call& call) {
                        if (kind.extension) call.integers.at("convention") = convention;
                        WithRoi(1, {0, 0, 3e38, 4, 3e38}, 16)(call);
                        WithElement("rois", 15, 7)(call);
                      },
                      false});
  }
  const auto judge = [kind](Judgement& j) -> std::optional<std::string> {
    const Tensor& rois = j.call["rois"];
    for (int64_t roi = 0; roi < rois.extents[0]; ++roi) {
      double n[kColumns];
      for (int i = 0; i < kColumns; ++i) n[i] = rois.Get(roi * kColumns + i);
      if (!NamesAnImage(n[0], j.call, kind)) {
        return "rois" + PositionText(rois, roi * kColumns) + " is " + NumberText(n[0]) +
               ", expected a whole number in [0, N), N being the number of images.";
      }
      const auto fits = [&](int low) {
        return rois.type == MLUOP_DTYPE_DOUBLE ? StaysFinite<double>(j.call, kind, n[low], n[low + 2])
                                               : StaysFinite<float>(j.call, kind, n[low], n[low + 2]);
      };
      if (fits(1) && fits(2)) continue;
      return "rois[" + std::to_string(roi) + "] has the corners (" + TextOf(n[1]) + ", " + TextOf(n[2]) + ") and (" +
             TextOf(n[3]) + ", " + TextOf(n[4]) +
             "), which or whose distance overflow once scaled by spatial_scale = " + TextOf(ScaleOf(j.call, kind)) +
             ", expected finite ones.";
    }
    return {};
  };
  Rules rules = Own({"batch ids and sizes of rois", MLUOP_STATUS_BAD_PARAM, judge, faults, Checked::kHarmlessIfOff});
  const auto images_exist = [kind](const Call& call) {
    const Tensor& rois = call["rois"];
    for (int64_t roi = 0; roi < rois.extents[0]; ++roi) {
      if (!NamesAnImage(rois.Get(roi * kColumns), call, kind)) return false;
    }
    return true;
  };
  rules.push_back(Vouched("batch ids that nobody has checked", images_exist)[0]);
  return rules;
}

Rules MappingChannels(const Kind& kind) {
  const auto channels = [kind](const Call& call) {
    const Tensor& map = call[kind.map()];
    return map.extents[Axes(map.layout).channels];
  };
  return Elements(
      "mapping_channel",
      {[=](double value, int64_t, const Call& call) {
         return value >= 0 && value < static_cast<double>(channels(call));
       },
       [](int64_t, const Call&) { return "a channel in [0, C), C being the channels of bottom_grad"; },
       [=](const Call& good) {
         const int64_t row = good.integer("pooled_width") * good.integer("output_dim");
         const int64_t last = good["mapping_channel"].elements() - 1;
         std::vector<ElementRule::Trial> trials;
         for (const double value : {-1.0, static_cast<double>(channels(good)), 2147483647.0, -2147483648.0}) {
           for (const int64_t index : {row, last}) {
             trials.push_back({index, value, "mapping_channel " + std::to_string(value)});
           }
         }
         trials.push_back({last, static_cast<double>(channels(good)) - 1, "the last channel"});
         return trials;
       },
       BadClass::kIndices});
}

}  // namespace detops_harness::psroipool
