// The functions with compact results, the one that counts them, and the one that tells the size of the workspace.
#include <algorithm>
#include <memory>

#include "boxes/contract/scene.h"
#include "harness/pass.h"
#include "ops/roiaware_pool3d/contract/calls.h"

namespace detops_harness::roiaware_pool3d {
namespace {

constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
constexpr mluOpDataType_t kInt = MLUOP_DTYPE_INT32;
constexpr char kGood[] = "boxes=2,points=11,channels=6,out=3x4x5,max_pts=8,scene=held";
constexpr char kLarge[] = "boxes=41,points=2500,channels=33,out=4x3x2,max_pts=9,scene=scattered";

constexpr char kManyLists[] = "boxes=60,points=3000,channels=33,out=6x5x4,max_pts=9,scene=held";

// Every scene with both conventions, one of everything, full lists, crowds, and grids that no dense tensor could have.
std::vector<std::string> ManySizes() {
  std::vector<std::string> shapes;
  for (const std::string& scene : boxes::SceneKey().choices) {
    shapes.push_back("boxes=5,points=200,channels=5,out=2x3x4,max_pts=7,scene=" + scene);
    shapes.push_back("boxes=4,points=150,channels=3,out=3x1x2,max_pts=3,z=center,margin=1e-5,scene=" + scene);
  }
  for (const char* channels : {"1", "2", "4", "8", "9", "16", "17", "33", "67"}) {
    shapes.push_back(std::string("boxes=5,points=150,out=3x2x2,max_pts=9,scene=scattered,channels=") + channels);
  }
  for (const char* rest : {"boxes=1,points=1,channels=1,out=1x1x1,max_pts=1,scene=held",
                           "boxes=1,points=1,channels=1,out=1x1x1,max_pts=2,scene=held",
                           "boxes=12,points=1600,channels=2,out=4x4x4,max_pts=5,scene=crowd",
                           "boxes=3,points=500,channels=2,out=1500x1500x1500,max_pts=100,scene=scattered",
                           "boxes=3,points=500,channels=2,out=1x65536x65535,max_pts=3,scene=scattered",
                           "boxes=3,points=500,channels=2,out=2000000x2x1,max_pts=2000000,scene=scattered"}) {
    shapes.push_back(rest);
  }
  return shapes;
}

std::vector<ShapeKey> CompactKeys() {
  std::vector<ShapeKey> keys = CommonKeys();
  keys.push_back(boxes::SceneKey());
  for (const ShapeKey& key : SwitchKeys()) keys.push_back(key);
  return keys;
}

std::vector<ShapeKey> SpareKeys() {
  return {{"spare_voxels", "0", "more rows than are needed", {"0", "1", "5"}},
          {"spare_points", "0", "more room for points than is needed", {"0", "1", "7"}}};
}

class InFullProfile : public Function {
 public:
  using Function::Function;
  detopsProfile_t profile() const override { return DETOPS_PROFILE_FULL; }
};

// ---- the count ----

class Count : public InFullProfile {
 public:
  Count() : InFullProfile(MakeCountContract()) {}

  std::vector<ShapeKey> keys() const override { return CompactKeys(); }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{kGood}};
    for (const std::string& shape : ManySizes()) samples.push_back({shape});
    samples.push_back({"boxes=150,points=20000,out=4x3x2,max_pts=9", true});
    return samples;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const Sizes sizes(shape);
    Random random(seed);
    Call call;
    SetGrid(call, sizes);
    SetSwitches(call, sizes);
    call.tensors = MakeInputs(shape, sizes, type, random);
    call.tensors.pop_back();  // it takes no features
    call.results = {{"voxel_num", -7}, {"point_num", -7}};
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    ResultPlace<int64_t> voxels(a, "voxel_num"), points(a, "point_num");
    return Pass(library.detopsCountRoiAwareVoxels, handle, a, static_cast<detopsZOrigin_t>(a.integer("z_origin")),
                a.number<double>("xy_margin"), a.integer("max_pts_each_voxel"), a.integer("out_x"), a.integer("out_y"),
                a.integer("out_z"), T{"rois"}, T{"pts"}, voxels.get(), points.get());
  }

  Expected Reference(const Call& call) const override {
    const std::vector<RoiAwareVoxel> voxels = VoxelsOf(call);
    Expected expected;
    expected.results = {{"voxel_num", static_cast<int64_t>(voxels.size())}, {"point_num", CountPoints(voxels)}};
    return expected;
  }
};

// ---- forward ----

class CompactForward : public InFullProfile {
 public:
  CompactForward() : InFullProfile(MakeCompactForwardContract()) {}

  std::vector<ShapeKey> keys() const override {
    std::vector<ShapeKey> keys = CompactKeys();
    keys.push_back(SpecialsKey());
    keys.push_back({"argmax", "1", "0: left out, which average allows", {"0", "1"}});
    for (const ShapeKey& key : SpareKeys()) keys.push_back(key);
    return keys;
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{std::string(kGood) + ",spare_voxels=1,spare_points=7"}};
    for (const Sample& sample : ForBothMethods(ManySizes())) samples.push_back(sample);
    for (const char* rest : {"scene=faces,pool=avg,argmax=0", "scene=held,specials=1", "scene=held,specials=1,pool=avg",
                             "scene=faces,spare_voxels=4", "scene=faces,spare_points=9,pool=avg"}) {
      samples.push_back({std::string("boxes=5,points=90,channels=9,out=2x2x2,max_pts=9,") + rest});
    }
    for (const Sample& sample : ForBothMethods({kLarge})) samples.push_back({sample.shape, true});
    return samples;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const Sizes sizes(shape);
    Random random(seed);
    Call call;
    call.integers["pool_method"] = sizes.pool_method;
    SetGrid(call, sizes);
    SetSwitches(call, sizes);
    call.tensors = MakeInputs(shape, sizes, type, random);
    const std::vector<RoiAwareVoxel> voxels = VoxelsOf(call);
    const int64_t rows = static_cast<int64_t>(voxels.size()) + shape.Int("spare_voxels");
    call.tensors.push_back(Output("voxels", kArray, kInt, {rows, 4}));
    call.tensors.push_back(Output("voxel_begins", kArray, kInt, {rows + 1}));
    call.tensors.push_back(Output("pts_idx", kArray, kInt, {CountPoints(voxels) + shape.Int("spare_points")}));
    call.tensors.push_back(sizes.pool_method == 0 || shape.Int("argmax") != 0
                               ? Output("argmax", kArray, kInt, {rows, sizes.channels})
                               : Absent("argmax", Access::kWritten));
    call.tensors.push_back(Output("pooled_features", kArray, type, {rows, sizes.channels}));
    call.results = {{"voxel_num", -7}, {"point_num", -7}};
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    ResultPlace<int64_t> voxels(a, "voxel_num"), points(a, "point_num");
    return Pass(library.detopsRoiAwarePool3dCompactForward, handle, a, a.integer("pool_method"),
                static_cast<detopsZOrigin_t>(a.integer("z_origin")), a.number<double>("xy_margin"),
                a.integer("max_pts_each_voxel"), a.integer("out_x"), a.integer("out_y"), a.integer("out_z"), T{"rois"},
                T{"pts"}, T{"pts_feature"}, T{"voxels"}, T{"voxel_begins"}, T{"pts_idx"}, T{"argmax"},
                T{"pooled_features"}, voxels.get(), points.get());
  }

  std::vector<BenchmarkCase> benchmarks() const override { return BenchmarksOf("compact_forward"); }

  int64_t Written(const Call& call, const Tensor& output) const override {
    const int64_t voxels = call.results.at("voxel_num");
    if (output.name == "pts_idx") return call.results.at("point_num");
    if (output.name == "voxel_begins") return voxels + 1;
    return output.described ? voxels * output.extents[1] : 0;
  }

  Expected Reference(const Call& call) const override {
    const std::vector<RoiAwareVoxel> voxels = VoxelsOf(call);
    const Tensor& features = call["pts_feature"];
    const auto pool = [&](const Tensor& source) {
      return detops_reference::RoiAwarePool(source.type, static_cast<int>(call.integer("pool_method")), voxels,
                                            features.extents[1], source.contents.data());
    };
    Expected expected;
    std::vector<double>&sites = expected.tensors["voxels"], &points = expected.tensors["pts_idx"];
    std::vector<double>& begins = expected.tensors["voxel_begins"];
    begins = {0};
    for (const RoiAwareVoxel& voxel : voxels) {
      for (const int64_t number : {voxel.box, voxel.x, voxel.y, voxel.z}) sites.push_back(static_cast<double>(number));
      for (const int64_t point : voxel.points) points.push_back(static_cast<double>(point));
      begins.push_back(static_cast<double>(points.size()));
    }
    const detops_reference::RoiAwarePooled pooled = pool(features);
    expected.tensors["pooled_features"] = pooled.features;
    if (IsMax(call)) expected.exact.insert("pooled_features");
    if (!IsMax(call)) expected.magnitudes["pooled_features"] = pool(Magnitudes(features)).features;
    if (call["argmax"].described && call["argmax"].has_data) {
      expected.tensors["argmax"].assign(pooled.argmax.begin(), pooled.argmax.end());
    }
    expected.results = {{"voxel_num", static_cast<int64_t>(voxels.size())}, {"point_num", CountPoints(voxels)}};
    return expected;
  }
};

// ---- backward ----

class CompactBackward : public InFullProfile {
 public:
  CompactBackward() : InFullProfile(MakeCompactBackwardContract()) {}

  std::vector<ShapeKey> keys() const override {
    std::vector<ShapeKey> keys = CommonKeys();
    for (const ShapeKey& key : {SpecialsKey(), boxes::SceneKey(), ListsKey()}) keys.push_back(key);
    for (const ShapeKey& key : SwitchKeys()) keys.push_back(key);
    for (const ShapeKey& key : SpareKeys()) keys.push_back(key);
    return keys;
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{std::string(kGood) + ",lists=listed,spare_voxels=3,spare_points=9"}};
    for (const Sample& sample : ForBothMethods(ManySizes())) samples.push_back(sample);
    for (const char* rest : {"scene=held,specials=1", "scene=held,specials=1,pool=avg", "scene=faces,spare_voxels=4",
                             "scene=faces,spare_points=9,pool=avg", "lists=listed,pool=avg"}) {
      samples.push_back({std::string("boxes=5,points=90,channels=9,out=2x2x2,max_pts=9,") + rest});
    }
    for (const Sample& sample : ForBothMethods({kManyLists})) samples.push_back({sample.shape, true});
    return samples;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const Sizes sizes(shape);
    Random random(seed);
    std::vector<int64_t> begins = {0}, points, winners;
    if (shape.Choice("lists", {"forward", "listed"}) == 0) {
      const Found found(shape, sizes, type, random);
      winners = found.pooled.argmax;
      for (const RoiAwareVoxel& voxel : found.voxels) {
        points.insert(points.end(), voxel.points.begin(), voxel.points.end());
        begins.push_back(static_cast<int64_t>(points.size()));
      }
    } else {  // one point in each of ten lists per box
      for (int64_t list = 0; list < 10 * sizes.boxes; ++list) {
        points.push_back(random.Below(sizes.points));
        begins.push_back(list + 1);
        for (int64_t c = 0; c < sizes.channels; ++c) winners.push_back(random.Between(-1, sizes.points - 1));
      }
    }
    const auto used = static_cast<int64_t>(begins.size()) - 1, rows = used + shape.Int("spare_voxels");
    Call call;
    call.integers["pool_method"] = sizes.pool_method;
    call.integers["voxel_num"] = used;
    const int64_t room = static_cast<int64_t>(points.size()) + shape.Int("spare_points");
    call.tensors = {Input("voxel_begins", kArray, kInt, {rows + 1}), Input("pts_idx", kArray, kInt, {room}),
                    Input("argmax", kArray, kInt, {rows, sizes.channels}),
                    Input("grad_out", kArray, type, {rows, sizes.channels}),
                    Output("grad_in", kArray, type, {sizes.points, sizes.channels})};
    // What is not in use is not looked at, and holds what no call would take.
    const auto fill = [&](const char* name, const std::vector<int64_t>& numbers) {
      Tensor& tensor = call[name];
      for (int64_t i = 0; i < tensor.elements(); ++i) {
        const auto at = static_cast<size_t>(i);
        tensor.Set(i, at < numbers.size() ? static_cast<double>(numbers[at]) : 1 << 30);
      }
    };
    fill("voxel_begins", begins);
    fill("pts_idx", points);
    fill("argmax", winners);
    FillSigned(call["grad_out"], random);
    if (shape.Int("specials") != 0) FillSpecials(call["grad_out"]);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    return Pass(library.detopsRoiAwarePool3dCompactBackward, handle, a, a.integer("pool_method"),
                a.integer<int64_t>("voxel_num"), T{"voxel_begins"}, T{"pts_idx"}, T{"argmax"}, T{"grad_out"},
                T{"grad_in"});
  }

  std::vector<BenchmarkCase> benchmarks() const override { return BenchmarksOf("compact_backward"); }

  Expected Reference(const Call& call) const override {
    const int64_t rows = call.integer("voxel_num"), points = call["grad_in"].extents[0];
    const auto compute = [&](const Tensor& gradient) {
      if (IsMax(call)) {
        return detops_reference::RoiAwareMaxBackward(gradient.type, rows, gradient.extents[1], Integers(call["argmax"]),
                                                     gradient.contents.data(), points);
      }
      const int32_t *begins = Integers(call["voxel_begins"]), *numbers = Integers(call["pts_idx"]);
      std::vector<std::vector<int64_t>> lists;
      for (int64_t row = 0; row < rows; ++row) lists.emplace_back(numbers + begins[row], numbers + begins[row + 1]);
      return detops_reference::RoiAwareAverageBackward(gradient.type, lists, gradient.extents[1],
                                                       gradient.contents.data(), points);
    };
    Expected expected;
    expected.tensors["grad_in"] = compute(call["grad_out"]);
    expected.magnitudes["grad_in"] = compute(Magnitudes(call["grad_out"]));
    return expected;
  }
};

// ---- the size of the workspace ----

class WorkspaceOf : public Function {
 public:
  explicit WorkspaceOf(const std::string& function) : Function(MakeWorkspaceContract(function)) {}

  bool computes() const override { return false; }
  std::vector<ShapeKey> keys() const override { return {{"points", "11", "points", {"1", "11"}}}; }
  std::vector<Sample> samples() const override { return {{"points=11"}}; }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t /*seed*/) const override {
    const int64_t points = shape.Int("points", 1);
    Call call;
    call.tensors = {Input("rois", kArray, type, {2, 7}), Input("pts", kArray, type, {points, 3}),
                    Input("pts_feature", kArray, type, {points, 6})};
    call.results = {{"workspace_size", 7}};
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    ResultPlace<size_t> size(a, "workspace_size");
    const auto get = name() == "mluOpGetRoiAwarePool3dForwardWorkspaceSize"
                         ? library.mluOpGetRoiAwarePool3dForwardWorkspaceSize
                         : library.mluOpGetRoiawarePool3dForwardWorkspaceSize;
    return get(handle, a.desc("rois"), a.desc("pts"), a.desc("pts_feature"), size.get());
  }

  Expected Reference(const Call& /*call*/) const override {
    Expected expected;
    expected.results = {{"workspace_size", 0}};
    return expected;
  }
};

}  // namespace

void AddCompact(Catalogue& catalogue) {
  for (const char* function :
       {"mluOpGetRoiAwarePool3dForwardWorkspaceSize", "mluOpGetRoiawarePool3dForwardWorkspaceSize"}) {
    catalogue.Add(std::make_unique<WorkspaceOf>(function));
  }
  catalogue.Add(std::make_unique<Count>());
  catalogue.Add(std::make_unique<CompactForward>());
  catalogue.Add(std::make_unique<CompactBackward>());
}

}  // namespace detops_harness::roiaware_pool3d
