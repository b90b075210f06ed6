// How the functions of get_indice_pairs are called, on which sites, and what must come out.
#include <cstring>
#include <memory>
#include <utility>

#include "harness/catalogue.h"
#include "harness/pass.h"
#include "harness/rules.h"
#include "ops/get_indice_pairs/contract/convolution.h"
#include "ops/get_indice_pairs/contract/descriptor.h"

namespace detops_harness::get_indice_pairs {
namespace {

using detops_reference::SparseConvolution;

// What a call needs besides its tensors.
struct Objects : Descriptor {
  using Descriptor::Descriptor;
  ~Objects() {
    if (rulebook != nullptr) destroy(rulebook);
  }
  detopsRulebook_t rulebook = nullptr;  // to be made anew
  decltype(&::detopsDestroyRulebook) destroy = nullptr;
};

class PairFunction : public Function {
 public:
  PairFunction(Contract contract, Kind kind, bool document)
      : Function(std::move(contract)), kind_(kind), document_(document) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_INT32}; }
  std::vector<mluOpDataType_t> full_types() const override { return {MLUOP_DTYPE_INT32}; }
  bool computes() const override { return kind_ != Kind::kSize; }
  detopsProfile_t profile() const override {
    return MakesRulebook(kind_) ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT;
  }

  std::vector<ShapeKey> keys() const override {
    return {
        {"sites", "248636", "active sites", {"0", "1", "2", "11", "60", "300"}},
        {"batch", "4", "scenes", {"1", "2", "3", "5", "2000000"}},
        {"space",
         "41x1440x1440",
         "extents of the grid: depth, height, width",
         {"1", "3", "4", "9", "40", "67", "500", "46341", "2000000"}},
        {"filter", "3", "extents of the filter", {"1", "2", "3", "4", "5"}, true, "3x3x3"},
        {"stride", "1", "", {"1", "2", "3", "46341", "2000000"}, true, "1x1x1"},
        {"pad", "1", "", {"0", "1", "2", "4", "2000000"}, true, "1x1x1"},
        {"dilation", "1", "", {"1", "2", "3", "2000000"}, true, "1x1x1"},
        {"subm", "1", "1: submanifold, outputs where inputs are", {"0", "1"}},
        {"outputs", "0", "regular convolution: choose sites that reach exactly so many outputs; 0: any"},
        {"voxels",
         "runs",
         "lidar: scans of a street, random: anywhere, runs: lines of neighbours, near: clusters, corners, every: no "
         "gap, example",
         {"runs", "random", "near", "corners", "every", "example"},
         true,
         "lidar"},
        {"order",
         "sorted",
         "of the sites: sorted, scan (as they are made), shuffled, reversed, batches: only these ascend",
         {"sorted", "scan", "shuffled", "reversed", "batches"}},
        {"copies", "0", "1: some sites appear twice", {"0", "1"}},
        {"axes", "3", "spatial dimensions, 1 to 4", {"1", "2", "3", "4"}, false},
        {"transpose", "0", "1: transposed", {"0", "1"}, false},
        {"inverse", "0", "1: inverse, which changes nothing here", {"0", "1"}, false},
        {"output", "0", "extents of the output grid; 0: those of the usual formula", {"0", "1", "5", "100"}, false},
        {"spare", "0", "rows of out_indices that are not needed", {"0", "1", "5"}, false}};
  }

  std::vector<Sample> samples() const override;
  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override;
  std::shared_ptr<void> MakeObjects(const Functions& library, const Arguments& a) const override;
  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override;
  Expected Reference(const Call& call) const override;

  std::vector<BenchmarkCase> benchmarks() const override {
    if (kind_ == Kind::kRebuild) return Benchmarks("rulebook/");
    return kind_ == Kind::kPairs && !document_ ? Benchmarks("") : std::vector<BenchmarkCase>{};
  }
  void Validate(const Shape& shape) const override;
  std::string Summary(const Shape& shape) const override {
    return shape.Word("sites") + " of " + shape.Word("space") + ", " + shape.Word("filter") + ", " +
           (shape.Int("subm") != 0 ? "submanifold" : "stride " + shape.Word("stride"));
  }
  // One meeting of a site and an offset is one operation.
  Theory TheoryOf(const Call& call) const override {
    return {static_cast<double>(KernelOffsets(call)) * static_cast<double>(call["indices"].extents[0]), AllBytes(call)};
  }
  std::vector<std::string> Needs() const override {
    return {"mluOpGetIndicePairsWorkspaceSize", "mluOpCreateSparseConvolutionDescriptor",
            "mluOpSetSparseConvolutionDescriptor", "mluOpDestroySparseConvolutionDescriptor",
            "mluOpGetSparseConvolutionNumActOut"};
  }
  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& a,
                               size_t* bytes) const override {
    return AskSize(library.mluOpGetIndicePairsWorkspaceSize, handle, a, bytes);
  }

 private:
  static mluOpStatus_t AskSize(decltype(&::mluOpGetIndicePairsWorkspaceSize) function, mluOpHandle_t handle,
                               const Arguments& a, size_t* bytes) {
    return function(handle, a.object<Objects>()->get(), a.desc("indices"), a.desc("indice_pairs"),
                    a.desc("out_indices"), a.desc("indice_num"), bytes);
  }

  mluOpStatus_t InvokeOfRulebook(const Functions& library, mluOpHandle_t handle, Arguments& a) const;

  Kind kind_;
  bool document_;  // the spelling of the design document
};

void PairFunction::Validate(const Shape& shape) const {
  const SparseConvolution c = ConvolutionOf(shape);
  CheckRoom(c, shape.Int("sites"));
  CheckSites(shape);
  for (size_t a = 0; a < c.pad.size() && !c.submanifold && !c.transposed; ++a) {
    if (c.dilation[a] * (c.filter_space[a] - 1) + 1 <= c.input_space[a] + 2 * c.pad[a]) continue;
    throw ShapeError("--shape: the filter is larger than the padded space");
  }
}

std::vector<Sample> PairFunction::samples() const {
  std::vector<Sample> samples = {
      {"sites=11,batch=2,space=4x5x7,filter=1x3x2,stride=1x2x1,pad=0x1x1,dilation=1x1x2,subm=0,voxels=example,"
       "order=scan"}};
  const auto add = [&](const std::string& shape, bool large = false) { samples.push_back({shape, large}); };
  // The count alone is cut only where the sites are looked at.
  const std::string many = kind_ == Kind::kCount ? "sites=40000" : "sites=20000";
  const std::string cube = ",batch=2,space=12x60x60,filter=3";
  add(many + ",subm=0,stride=2,voxels=random,order=shuffled" + cube, true);
  add(many + ",subm=1,order=shuffled" + cube, true);
  if (document_ || kind_ == Kind::kSize) return samples;
  add(many + ",subm=1" + cube, true);
  // Every algorithm: rows with copies, a bit map of the space, one for each batch, keys in a space too large for that.
  add(many + ",subm=1,order=shuffled,copies=1" + cube, true);
  add(many + ",subm=0,order=batches,batch=16,space=33x257x259,filter=3x1x3,stride=2", true);
  add(many + ",subm=0,batch=2,space=4000,filter=1x1x3,pad=0x0x1", true);
  for (const char* order : {"sorted", "shuffled", "reversed"}) {
    const std::string with = std::string(",order=") + order;
    for (const char* mode : {"subm=1", "subm=0", "subm=0,stride=2", "subm=0,stride=3,dilation=2,spare=3",
                             "subm=0,transpose=1,stride=2,dilation=2", "subm=1,dilation=2,pad=2,inverse=1"}) {
      add(std::string("sites=300,batch=3,space=9,filter=3,voxels=near,") + mode + with);
      for (const char* axes : {"1", "2", "4"}) {
        add(std::string("sites=150,batch=2,space=23,filter=3,axes=") + axes + "," + mode + with);
      }
    }
    // Kernels without a centre, or with one elsewhere; one site; more sites than places; spaces without a gap.
    for (const char* mode : {"subm=1", "subm=0", "subm=0,stride=1x3x2"}) {
      add(std::string("sites=200,batch=2,space=5x8x70,filter=2x4x3,pad=0x1x2,copies=1,") + mode + with);
      add(std::string("sites=1,batch=1,space=1x1x1,filter=3,") + mode + with);
      add(std::string("sites=40,batch=1,space=2x1x7,filter=3,") + mode + with);
      add(std::string("sites=240,batch=2,space=4x5x6,filter=3,voxels=every,") + mode + with);
    }
    // Spaces that 32 bits cannot number, steps that reach nothing, long kernels.
    for (const char* mode : {"subm=1", "subm=0", "subm=0,stride=2"}) {
      add(std::string("sites=200,batch=5,space=2049x1024x1024,filter=3,voxels=corners,") + mode + with);
      add(std::string("sites=200,batch=1,space=2000000,filter=3,voxels=corners,") + mode + with);
      add(std::string("sites=100,batch=2,axes=1,space=700,filter=65,pad=32,") + mode + with);
    }
    add("sites=60,batch=2000000,space=3x2x70,filter=3,subm=1,voxels=corners" + with);
    add("sites=60,batch=1,space=9,filter=3,subm=0,stride=2000000,pad=2000000,dilation=2000000" + with);
  }
  // A caller's own output space: a smaller one drops pairs.
  add("sites=100,batch=2,space=9,filter=3,subm=0,output=4x20x5,spare=2");
  add("sites=100,batch=2,space=9,filter=3,subm=0,transpose=1,output=4x20x5,spare=2");
  // Nothing is reached; and there is nothing.
  add("sites=5,batch=1,axes=1,space=9,filter=1,subm=0,stride=100,pad=50,output=1,spare=1");
  add("sites=0,batch=2,space=9,filter=3,subm=1,spare=4");
  add("sites=0,batch=2,space=9,filter=3,subm=0");
  // Words of bits: rows that end at, before and after the ends of words, for kernels of every reach.
  for (const int reach : {0, 1, 2, 7, 8, 9}) {
    for (const int width : {64 - 2 * reach - 1, 64 - 2 * reach, 64 - 2 * reach + 1, 3 * (64 - 2 * reach) + 5}) {
      const std::string filter = ",filter=3x3x" + std::to_string(2 * reach + 1) + ",pad=1x1x" + std::to_string(reach);
      const std::string shape = "sites=300,batch=2,subm=1,space=2x3x" + std::to_string(width) + filter;
      add(shape);
      add(shape + ",voxels=random,order=shuffled");
      // The same reach by dilation.
      if (reach > 0) add(shape + ",filter=3,dilation=1x1x" + std::to_string(reach));
    }
  }
  // More rows than are needed, up to all that the space has.
  add("sites=20,batch=1,space=3x4x5,filter=3,subm=0,stride=2,spare=1000");
  return samples;
}

Call PairFunction::Make(const Shape& shape, mluOpDataType_t /*type*/, uint64_t seed) const {
  const SparseConvolution c = ConvolutionOf(shape);
  Call call;
  call.integers = {{"batch", c.batch},
                   {"sub_m", c.submanifold ? 1 : 0},
                   {"transpose", c.transposed ? 1 : 0},
                   {"inverse", shape.Int("inverse") != 0 ? 1 : 0}};
  call.integer_lists = {{"pad", c.pad},
                        {"stride", c.stride},
                        {"dilation", c.dilation},
                        {"input_space", c.input_space},
                        {"filter_space", c.filter_space},
                        {"output_space", c.output_space},
                        {"output_padding", std::vector<int64_t>(c.transposed ? c.pad.size() : 0, 1)}};
  call.results["num_act_out"] = kMark;
  SetSites(call, MakeSites(shape, c, seed));
  if (kind_ == Kind::kCount) {
    call.results["count"] = -77;
    return call;
  }
  if (MakesRulebook(kind_)) {
    call.results["count"] = -77;
    call.results["rulebook"] = 0;
    SetRowsOfRulebook(call, PairsOf(call).num_act_out + shape.Int("spare"));
    return call;
  }
  // Only as many rows as the space has sites, or as equal sites need.
  const int64_t needed = PairsOf(call).num_act_out, most = std::max(needed, Product(c.batch, c.output_space));
  SetRows(call, std::min(needed + shape.Int("spare"), most));
  if (kind_ == Kind::kPairs) return call;
  for (Tensor& tensor : call.tensors) tensor.has_data = false;  // takes no data
  call.integers.erase("workspace_size");
  call.workspace = Call().workspace;
  call.results["workspace_size"] = -77;
  return call;
}

std::shared_ptr<void> PairFunction::MakeObjects(const Functions& library, const Arguments& a) const {
  auto made = std::make_shared<Objects>(library, a.call());
  if (kind_ == Kind::kRebuild && !a.IsNull("rulebook")) {
    Require(library.detopsCreateIdentityRulebook(5, &made->rulebook), "detopsCreateIdentityRulebook");
    made->destroy = library.detopsDestroyRulebook;
  }
  return made;
}

// What is in the rulebook shows in convolutions on it (rulebook_test). A count that is told because there are too few
// rows is no result.
mluOpStatus_t PairFunction::InvokeOfRulebook(const Functions& library, mluOpHandle_t handle, Arguments& a) const {
  const Objects& objects = *a.object<Objects>();
  static int nowhere;  // its address is no rulebook's
  auto* const mark = reinterpret_cast<detopsRulebook_t>(&nowhere);
  detopsRulebook_t rulebook = kind_ == Kind::kBuild ? mark : objects.rulebook;
  int64_t count = -77;
  int64_t* const place = a.IsNull("count") ? nullptr : &count;
  const mluOpStatus_t status =
      kind_ == Kind::kBuild ? Pass(library.detopsBuildRulebook, handle, a, objects.get(), T{"indices"},
                                   T{"out_indices"}, T{"indice_num"}, place, a.IsNull("rulebook") ? nullptr : &rulebook)
                            : Pass(library.detopsRebuildRulebook, handle, a, rulebook, objects.get(), T{"indices"},
                                   T{"out_indices"}, T{"indice_num"}, place);
  if (rulebook == mark || (kind_ == Kind::kRebuild && status != MLUOP_STATUS_SUCCESS)) return status;
  a.call().results.find("count")->second = count;
  size_t bytes = 0;
  library.detopsGetRulebookSize(rulebook, &bytes);
  a.call().results.find("rulebook")->second = bytes > 0 ? 1 : 0;
  if (kind_ == Kind::kBuild) library.detopsDestroyRulebook(rulebook);
  return status;
}

mluOpStatus_t PairFunction::Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const {
  const Descriptor& conv = *a.object<Objects>();
  return conv.Run(a.call(), [&] {
    if (MakesRulebook(kind_)) return InvokeOfRulebook(library, handle, a);
    if (kind_ == Kind::kCount) {
      ResultPlace<int64_t> count(a, "count");
      return Pass(library.detopsCountIndicePairOutputs, handle, a, conv.get(), T{"indices"}, count.get());
    }
    if (kind_ == Kind::kSize) {
      const auto function =
          document_ ? library.mluopGetIndicePairsWorkspaceSize : library.mluOpGetIndicePairsWorkspaceSize;
      ResultPlace<size_t> size(a, "workspace_size");
      return AskSize(function, handle, a, size.get());
    }
    const auto function = document_ ? library.mluopGetIndicePairs : library.mluOpGetIndicePairs;
    return Pass(function, handle, a, conv.get(), T{"indices"}, a.workspace(), a.workspace_size(), T{"indice_pairs"},
                T{"out_indices"}, T{"indice_num"});
  });
}

Expected PairFunction::Reference(const Call& call) const {
  Expected expected;
  if (kind_ == Kind::kCount) {
    expected.results["count"] = PairsOf(call).num_act_out;
    expected.results["num_act_out"] = kMark;
    return expected;
  }
  const auto numbers = [](const std::vector<int32_t>& list) { return std::vector<double>(list.begin(), list.end()); };
  if (MakesRulebook(kind_)) {
    const detops_reference::IndicePairs& pairs = PairsOf(call);
    expected.tensors = {{"out_indices", numbers(pairs.out_indices)}, {"indice_num", numbers(pairs.indice_num)}};
    expected.tensors["out_indices"].resize(static_cast<size_t>(call["out_indices"].elements()), -1);
    expected.tensors["indice_num"].resize(static_cast<size_t>(call["indice_num"].elements()), 0);
    for (const char* name : {"out_indices", "indice_num"}) {
      if (call[name].address == nullptr) expected.tensors.erase(name);
    }
    expected.results = {{"count", pairs.num_act_out}, {"rulebook", 1}, {"num_act_out", kMark}};
    return expected;
  }
  const bool empty = AnyEmpty(call, {"indices", "indice_pairs", "out_indices", "indice_num"});
  if (kind_ == Kind::kSize) {
    expected.results["workspace_size"] = empty ? 0 : get_indice_pairs::WorkspaceBytes(call);
    expected.results["num_act_out"] = kMark;
    return expected;
  }
  if (empty) {
    for (const auto& [name, value] : {std::pair("indice_pairs", -1.0), {"out_indices", -1.0}, {"indice_num", 0.0}}) {
      if (call[name].address == nullptr) continue;
      expected.tensors[name].assign(static_cast<size_t>(call[name].elements()), value);
    }
    expected.results["num_act_out"] = 0;
    return expected;
  }
  const detops_reference::IndicePairs& pairs = PairsOf(call);
  expected.tensors = {{"indice_pairs", numbers(pairs.pairs)},
                      {"out_indices", numbers(pairs.out_indices)},
                      {"indice_num", numbers(pairs.indice_num)}};
  // Rows that are not needed.
  std::vector<double>& rows = expected.tensors["out_indices"];
  rows.resize(std::max(rows.size(), static_cast<size_t>(call["out_indices"].elements())), -1);
  expected.results["num_act_out"] = pairs.num_act_out;
  return expected;
}

}  // namespace

void SetSites(Call& call, const std::vector<int32_t>& sites) {
  const auto columns = static_cast<int64_t>(call.integer_lists.at("pad").size()) + 1;
  Tensor indices =
      Input("indices", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {static_cast<int64_t>(sites.size()) / columns, columns});
  if (!sites.empty()) std::memcpy(indices.contents.data(), sites.data(), indices.contents.size());
  call.tensors = {indices};
}

void SetRows(Call& call, int64_t rows) {
  const int64_t count = call["indices"].extents[0], columns = call["indices"].extents[1];
  const int64_t offsets = KernelOffsets(call);
  const auto add = [&](const char* name, std::vector<int64_t> extents) {
    call.tensors.push_back(Output(name, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, std::move(extents)));
  };
  add("indice_pairs", {offsets, 2, count});
  add("out_indices", {rows, columns});
  add("indice_num", {offsets});
  const int64_t bytes = count == 0 || rows == 0 ? 0 : WorkspaceBytes(call);
  call.integers["workspace_size"] = bytes;
  call.workspace.bytes = static_cast<size_t>(bytes);
  call.workspace.has_data = bytes > 0;
}

void SetRowsOfRulebook(Call& call, int64_t rows) {
  const auto add = [&](const char* name, std::vector<int64_t> extents) {
    call.tensors.push_back(Output(name, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, std::move(extents)));
  };
  add("out_indices", {rows, call["indices"].extents[1]});
  add("indice_num", {KernelOffsets(call)});
}

void AddTo(Catalogue& catalogue) {
  const auto add = [&](Contract contract, Kind kind, bool document) {
    catalogue.Add(std::make_unique<PairFunction>(std::move(contract), kind, document));
  };
  const std::string pairs = "mluOpGetIndicePairs", size = "mluOpGetIndicePairsWorkspaceSize";
  add(MakeContract(Kind::kPairs, pairs), Kind::kPairs, false);
  add(MakeContract(Kind::kSize, size), Kind::kSize, false);
  add(MakeContract(Kind::kPairs, "mluopGetIndicePairs").Says(pairs).DocumentedAs(pairs), Kind::kPairs, true);
  add(MakeContract(Kind::kSize, "mluopGetIndicePairsWorkspaceSize").Says(size).DocumentedAs(size), Kind::kSize, true);
  add(MakeContract(Kind::kCount, "detopsCountIndicePairOutputs"), Kind::kCount, false);
  add(MakeContract(Kind::kBuild, "detopsBuildRulebook"), Kind::kBuild, false);
  add(MakeContract(Kind::kRebuild, "detopsRebuildRulebook"), Kind::kRebuild, false);
}

}  // namespace detops_harness::get_indice_pairs
