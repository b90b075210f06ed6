// Runs the network of export_model.py without Python, and compares with what Python computed.
//   run_model FOLDER [libdetops_torch.so]
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/tensor.h>
#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Scores are about 1, and the compiled network may add up its last layer in another order than Python did.
constexpr double kLargestDifference = 1e-5;

// Once the file is loaded its operators are torch's, for packaged models too. It is never unloaded: torch keeps
// pointers into it.
void LoadOperators(const char* file) {
  if (dlopen(file, RTLD_NOW | RTLD_LOCAL) == nullptr) throw std::runtime_error(dlerror());
}

// One operator, called by its name. Its arguments are those of its schema, in the types that torch has for them.
void CallOneOperator() {
  using RotatedFeatureAlign =
      at::Tensor(const at::Tensor& input, const at::Tensor& bboxes, double spatial_scale, int64_t points);
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("detops::rotated_feature_align_forward", "")
                             .typed<RotatedFeatureAlign>();
  const at::Tensor input = at::tensor({1.0f, 2.0f, 2.0f, 4.0f}).view({1, 2, 2, 1});
  const at::Tensor boxes = at::tensor({0.0f, 1.0f, 2.0f, 1.0f, 0.0f, 0.0f, 1.0f, 2.0f, 1.0f, 0.0f,  // y x w h angle
                                       1.0f, 0.0f, 2.0f, 1.0f, 0.0f, 1.0f, 0.0f, 2.0f, 1.0f, 0.0f})
                               .view({1, 2, 2, 5});
  const at::Tensor aligned = op.call(input, boxes, /*spatial_scale=*/1.0, /*points=*/1);
  const float* values = aligned.const_data_ptr<float>();
  std::printf("rotated_feature_align_forward: %g %g %g %g\n", values[0], values[1], values[2], values[3]);
}

c10::IValue Read(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || bytes.empty()) throw std::runtime_error("cannot read " + name);
  return torch::jit::pickle_load(bytes);
}

// Returns whether there are samples and all came out as in Python.
bool RunSamples(const std::string& folder) {
  const c10::IValue samples = Read(folder + "/samples.pt");
  torch::inductor::AOTIModelPackageLoader model(folder + "/model.pt2");
  size_t right = 0;
  for (const c10::IValue& sample : samples.toListRef()) {
    const auto& parts = sample.toTupleRef().elements();
    const at::Tensor &sites = parts[0].toTensor(), &features = parts[1].toTensor();
    const at::Tensor &expected_sites = parts[2].toTensor(), &expected_scores = parts[3].toTensor();
    const std::vector<at::Tensor> results = model.run({sites, features});
    const bool same_sites = results[0].equal(expected_sites);
    const double difference = results[1].sub(expected_scores).abs().max().item<double>();
    // Written so that a difference of NaN is not small.
    const bool same = same_sites && difference <= kLargestDifference;
    std::printf("%ld sites -> %ld, %s; scores differ by %.1e at most: %s\n", sites.size(0), results[0].size(0),
                same_sites ? "the same as in Python" : "not those of Python", difference, same ? "ok" : "WRONG");
    right += same;
  }
  const size_t count = samples.toListRef().size();
  std::printf("%zu of %zu samples as in Python\n", right, count);
  return count > 0 && right == count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER [libdetops_torch.so]\n", argv[0]);
    return 2;
  }
  try {
    LoadOperators(argc == 3 ? argv[2] : DETOPS_TORCH_LIBRARY);
    CallOneOperator();
    return RunSamples(argv[1]) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
