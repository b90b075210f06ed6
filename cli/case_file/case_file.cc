#include "case_file/case_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "case_file/case_node.h"
#include "case_file/signature.h"
#include "case_file/tensor_data.h"
#include "cases/operator.h"

namespace detops_cli {
namespace {

using ProtoTensors = google::protobuf::RepeatedPtrField<mluoptest::Tensor>;

mluoptest::Device DeviceOf(const mluoptest::Node& node) {
  return !node.has_device() && node.test_param().has_baseline_device() ? node.test_param().baseline_device()
                                                                       : node.device();
}

// `side` is "input" or "output".
std::vector<HostTensor> DescribeTensors(const CaseNode& file, const char* side, const ProtoTensors& tensors,
                                        const std::vector<std::string>& names) {
  if (std::cmp_not_equal(tensors.size(), names.size())) {
    file.place().Fail(fmt::format("{} of \"{}\" appears {} times, expected {}: {}", side, file.node.op_name(),
                                  tensors.size(), names.size(), fmt::join(names, ", ")),
                      tensors.empty() ? "op_name" : side, tensors.size() - 1);
  }
  std::vector<HostTensor> result;
  for (int i = 0; i < tensors.size(); ++i) {
    const std::string& name = names[static_cast<size_t>(i)];
    result.push_back(
        DescribeTensor({file.place().Inside(side, i), fmt::format("{}[{}] ({})", side, i, name)}, tensors[i], name));
  }
  return result;
}

void FillTensors(const CaseNode& file, const char* side, const ProtoTensors& sources,
                 std::vector<HostTensor>& tensors) {
  for (int i = 0; i < sources.size(); ++i) {
    HostTensor& tensor = tensors[static_cast<size_t>(i)];
    FillTensor({file.place().Inside(side, i), fmt::format("{}[{}] ({})", side, i, tensor.name)}, sources[i], tensor);
  }
}

// The outputs' data are what a result is compared with.
Baseline ReadBaseline(const CaseNode& file, std::vector<HostTensor>& outputs) {
  for (int i = 0; i < file.node.output_size(); ++i) {
    const HostTensor& tensor = outputs[static_cast<size_t>(i)];
    if (!HasValues(file.node.output(i)) && tensor.span() != 0) {
      file.place()
          .Inside("output", i)
          .Fail(fmt::format("output[{}] ({}): it has no values, but the device is GPU, whose results are the baseline",
                            i, tensor.name));
    }
  }
  FillTensors(file, "output", file.node.output(), outputs);
  Baseline baseline;
  for (const HostTensor& tensor : outputs) baseline.outputs.push_back(tensor.Values());
  if (const int found = file.node.get_indice_pairs_param().num_act_out(); found != 0) {
    baseline.results["num_act_out"] = found;
  }
  return baseline;
}

Formula FormulaOf(const Place& place, int criterion, const char* field, int index) {
  switch (criterion) {
    case mluoptest::MAPE:
    case mluoptest::DIFF1:
      return Formula::kDiff1;
    case mluoptest::DIFF2:
      return Formula::kDiff2;
    case mluoptest::MAXAPE:
    case mluoptest::DIFF3:
      return Formula::kDiff3;
    case mluoptest::DIFF3_2:
      return Formula::kDiff3_2;
    case mluoptest::DIFF4:
      return Formula::kDiff4;
    case mluoptest::DIFF_KL:
      return Formula::kDiffKl;
    default:
      place.Fail(
          fmt::format("{}: {} is not supported", field,
                      mluoptest::EvaluationCriterion_Name(static_cast<mluoptest::EvaluationCriterion>(criterion))),
          field, index);
  }
}

// Pairs formulas and thresholds. A formula counts once: the first threshold holds.
std::vector<Criterion> Pair(const Place& formulas_place, const char* formulas_field,
                            const google::protobuf::RepeatedField<int>& formulas, const Place& thresholds_place,
                            const char* thresholds_field, const google::protobuf::RepeatedField<double>& thresholds) {
  if (formulas.size() != thresholds.size()) {
    thresholds_place.Fail(fmt::format("{} has {} values, {} has {}", thresholds_field, thresholds.size(),
                                      formulas_field, formulas.size()),
                          thresholds_field);
  }
  std::vector<Criterion> criteria;
  for (int i = 0; i < formulas.size(); ++i) {
    const Formula formula = FormulaOf(formulas_place, formulas[i], formulas_field, i);
    if (std::none_of(criteria.begin(), criteria.end(), [&](const Criterion& c) { return c.formula == formula; })) {
      criteria.push_back({formula, thresholds[i]});
    }
  }
  return criteria;
}

// Where no criteria are named, the number of thresholds says which they are.
std::vector<Criterion> PairByCount(const Place& place, const google::protobuf::RepeatedField<double>& thresholds) {
  constexpr Formula kOrder[] = {Formula::kDiff1, Formula::kDiff2, Formula::kDiff4};
  if (thresholds.size() > 3) {
    place.Fail(fmt::format("{} thresholds without evaluation_criterion, expected up to 3: diff1, diff2, diff4",
                           thresholds.size()),
               "evaluation_threshold", 3);
  }
  std::vector<Criterion> criteria;
  criteria.reserve(static_cast<size_t>(thresholds.size()));
  for (int i = 0; i < thresholds.size(); ++i) criteria.push_back({kOrder[i], thresholds[i]});
  return criteria;
}

// `promised`: what holds if the file says nothing.
std::vector<Criterion> CriteriaOf(const CaseNode& file, int output, const std::vector<Criterion>& promised) {
  const mluoptest::Node& node = file.node;
  const mluoptest::Tensor& source = node.output(output);
  if (source.has_threshold_use() && source.threshold_use() == 0) return {};
  const mluoptest::TestParam& test = node.test_param();
  if (test.error_func_size() > 0 || test.error_threshold_size() > 0) {
    const Place place = file.place().Inside("test_param");
    return Pair(place, "error_func", test.error_func(), place, "error_threshold", test.error_threshold());
  }
  const Place place = file.place();
  if (node.evaluation_threshold_size() > 0) {
    return Pair(place, "evaluation_criterion", node.evaluation_criterion(), place, "evaluation_threshold",
                node.evaluation_threshold());
  }
  const auto& thresholds = source.thresholds().evaluation_threshold();
  if (thresholds.empty()) return promised;
  const Place own = place.Inside("output", output).Inside("thresholds");
  if (node.evaluation_criterion_size() == 0) return PairByCount(own, thresholds);
  return Pair(place, "evaluation_criterion", node.evaluation_criterion(), own, "evaluation_threshold", thresholds);
}

// Files of nms always have two inputs; boxes of seven numbers are sorted already, and have no confidence.
void DropDummy(Case& read) {
  if (read.op->name() != "nms" || read.inputs.empty()) return;
  const std::vector<int64_t>& boxes = read.inputs.front().extents;
  const size_t axis = read.params.integers.at("input_layout") == 0 ? 1 : 0;
  if (boxes.size() == 2 && boxes[axis] == 7) read.inputs.resize(1);
}

Case BuildCase(const CaseNode& file) {
  const mluoptest::Node& node = file.node;
  Case result;
  result.op = FindOperator(node.op_name());
  if (result.op == nullptr) {
    file.place().Fail(fmt::format("op_name: there is no operator \"{}\"", Printable(node.op_name())), "op_name");
  }
  result.inputs = DescribeTensors(file, "input", node.input(), result.op->row().inputs);
  result.outputs = DescribeTensors(file, "output", node.output(), result.op->row().outputs);
  result.params = ReadParams(file, *result.op);
  for (int i = 0; std::cmp_less(i, result.op->row().outputs.size()); ++i) {
    const mluOpDataType_t type = result.outputs[static_cast<size_t>(i)].type;
    result.criteria.push_back(CriteriaOf(file, i, PromisedCriteria(*result.op, type)));
  }
  if (node.has_theory_io_size()) result.theory_io_bytes = node.theory_io_size();
  if (node.has_theory_compute_ops()) result.theory_operations = node.theory_compute_ops();
  FillTensors(file, "input", node.input(), result.inputs);
  DropDummy(result);
  if (DeviceOf(node) == mluoptest::GPU) result.baseline = ReadBaseline(file, result.outputs);
  result.outputs.resize(result.op->row().outputs.size());
  return result;
}

}  // namespace

Case LoadCaseFile(const std::string& file) { return BuildCase(*ReadCaseNode(file)); }

}  // namespace detops_cli
