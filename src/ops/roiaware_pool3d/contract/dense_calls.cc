// The functions with dense results.
#include <algorithm>
#include <memory>

#include "boxes/contract/scene.h"
#include "harness/pass.h"
#include "ops/roiaware_pool3d/contract/calls.h"

namespace detops_harness::roiaware_pool3d {
namespace {

constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
constexpr char kGood[] = "boxes=2,points=11,channels=6,out=3x4x5,max_pts=8,scene=held";
constexpr char kLarge[] = "boxes=41,points=2500,channels=33,out=4x3x2,max_pts=9,scene=scattered";

bool IsOlderSpelling(const std::string& function) { return function.find("Roiaware") != std::string::npos; }

size_t RowOf(const RoiAwareGrid& grid, const RoiAwareVoxel& voxel) {
  return static_cast<size_t>(((voxel.box * grid.out_x + voxel.x) * grid.out_y + voxel.y) * grid.out_z + voxel.z);
}

// Throws as Make would.
void CheckShape(const Shape& shape) {
  Sizes sizes(shape);
  boxes::SceneOf(shape);
  shape.Int("specials");
}

// Sizes that decide which way is taken: channels around the lanes of every target, lists that are full, crowds, whose
// entries are sorted in another way, and grids just too large for it; axes longer than 255.
std::vector<std::string> ManySizes() {
  std::vector<std::string> shapes;
  for (const char* channels : {"1", "2", "3", "4", "5", "7", "8", "9", "15", "16", "17", "31", "33", "67"}) {
    shapes.push_back(std::string("boxes=5,points=150,out=3x2x2,max_pts=9,scene=scattered,channels=") + channels);
  }
  for (const std::string& scene : boxes::SceneKey().choices) {
    shapes.push_back("boxes=5,points=300,channels=5,out=2x3x4,max_pts=7,scene=" + scene);
  }
  for (const char* sizes : {"boxes=1,points=1,out=1x1x1,max_pts=1", "boxes=1,points=1,out=1x1x1,max_pts=2",
                            "boxes=1,points=2,out=1x1x1,max_pts=2", "boxes=2,points=1,out=3x1x1,max_pts=3"}) {
    for (const char* scene : {",channels=1,scene=one_voxel", ",channels=3,scene=held"}) {
      shapes.push_back(std::string(sizes) + scene);
    }
  }
  for (const char* out : {"out=300x2x1", "out=1x300x2", "out=2x1x300"}) {
    shapes.push_back(std::string("boxes=2,points=200,channels=3,max_pts=4,scene=faces,") + out);
  }
  shapes.push_back("boxes=9,points=2000,channels=19,out=2x2x1,max_pts=700,scene=scattered");
  shapes.push_back("boxes=9,points=2000,channels=3,out=2x1x1,max_pts=2000,scene=clustered");
  return shapes;
}

std::vector<std::string> Crowds() {
  std::vector<std::string> shapes;
  for (const char* sizes :
       {"out=4x4x4,max_pts=5,points=700", "out=16x16x8,max_pts=3,points=700", "out=16x43x3,max_pts=3,points=700",
        "out=3x2x2,max_pts=64,points=3001", "out=1x1x1,max_pts=2000,points=3001", "out=2x2x2,max_pts=1,points=1600"}) {
    shapes.push_back(std::string("boxes=12,channels=2,scene=crowd,") + sizes);
  }
  for (const char* points : {"511", "512", "513", "514", "515", "516", "577", "640", "641"}) {
    shapes.push_back(std::string("boxes=9,channels=1,out=3x3x3,max_pts=9,scene=crowd,points=") + points);
  }
  return shapes;
}

// ---- forward ----

class Forward : public Function {
 public:
  Forward(const std::string& function, bool extension)
      : Function(MakeForwardContract(function, extension)), extension_(extension) {}

  detopsProfile_t profile() const override { return extension_ ? DETOPS_PROFILE_FULL : DETOPS_PROFILE_CONTRACT; }

  std::vector<ShapeKey> keys() const override {
    std::vector<ShapeKey> keys = CommonKeys();
    for (const ShapeKey& key : {SpecialsKey(), boxes::SceneKey()}) keys.push_back(key);
    keys.push_back({"argmax", "1", "0: left out, which average allows", {"0", "1"}, false});
    if (!extension_) keys.push_back({"workspace", "0", "bytes, though none are needed", {"0", "64"}, false});
    for (const ShapeKey& key : SwitchKeys()) {
      if (extension_) keys.push_back(key);
    }
    return keys;
  }

  std::vector<Sample> samples() const override {
    const std::string large = kLarge;
    if (extension_) {
      std::vector<Sample> samples = {{kGood}};
      for (const char* margin : {"0", "1e-5", "0.25", "1e38"}) {
        for (const char* scene : {"faces", "far", "degenerate", "held"}) {
          for (const char* z : {"center", "bottom"}) {
            samples.push_back({std::string("boxes=5,points=200,channels=3,out=3x2x4,max_pts=9,margin=") + margin +
                               ",scene=" + scene + ",z=" + z});
          }
        }
      }
      samples.push_back({"boxes=3,points=50,channels=4,out=2x2x2,max_pts=5,scene=faces,z=center,pool=avg,argmax=0"});
      samples.push_back({large + ",z=center,margin=1e-5", true});
      return samples;
    }
    const std::string with_space = std::string(kGood) + ",workspace=64";
    std::vector<Sample> samples = {{with_space}};
    if (!IsOlderSpelling(name())) {
      for (const auto& some : {ManySizes(), Crowds()}) {
        for (const Sample& sample : ForBothMethods(some)) samples.push_back(sample);
      }
      samples.push_back({"boxes=3,points=90,channels=4,out=2x2x2,max_pts=5,scene=faces,pool=avg,argmax=0"});
      samples.push_back({"boxes=5,points=90,channels=9,out=2x2x2,max_pts=9,scene=held,specials=1"});
      samples.push_back({"boxes=5,points=90,channels=9,out=2x2x2,max_pts=9,scene=held,specials=1,pool=avg"});
      samples.push_back({large + ",pool=avg", true});
    }
    samples.push_back({large, true});
    return samples;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const Sizes sizes(shape);
    Random random(seed);
    Call call;
    call.integers["pool_method"] = sizes.pool_method;
    call.tensors = MakeInputs(shape, sizes, type, random);
    const bool with_argmax = sizes.pool_method == 0 || shape.Int("argmax") != 0;
    call.tensors.push_back(with_argmax ? Output("argmax", kArray, MLUOP_DTYPE_INT32, sizes.Voxels(sizes.channels))
                                       : Absent("argmax", Access::kWritten));
    call.tensors.push_back(
        Output("pts_idx_of_voxels", kArray, MLUOP_DTYPE_INT32, sizes.Voxels(sizes.grid.max_pts_each_voxel)));
    call.tensors.push_back(Output("pooled_features", kArray, type, sizes.Voxels(sizes.channels)));
    if (extension_) {
      SetSwitches(call, sizes);
      return call;
    }
    SetGrid(call, sizes);
    call.integers["boxes_num"] = sizes.boxes;
    call.integers["pts_num"] = sizes.points;
    call.integers["channels"] = sizes.channels;
    call.integers["workspace_size"] = shape.Int("workspace");
    call.workspace.bytes = static_cast<size_t>(shape.Int("workspace"));
    call.workspace.has_data = call.workspace.bytes != 0;
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    if (extension_) {
      return Pass(library.detopsRoiAwarePool3dForward, handle, a, a.integer("pool_method"),
                  static_cast<detopsZOrigin_t>(a.integer("z_origin")), a.number<double>("xy_margin"), T{"rois"},
                  T{"pts"}, T{"pts_feature"}, T{"argmax"}, T{"pts_idx_of_voxels"}, T{"pooled_features"});
    }
    const auto forward =
        IsOlderSpelling(name()) ? library.mluOpRoiawarePool3dForward : library.mluOpRoiAwarePool3dForward;
    return Pass(forward, handle, a, a.integer("pool_method"), a.integer("boxes_num"), a.integer("pts_num"),
                a.integer("channels"), T{"rois"}, T{"pts"}, T{"pts_feature"}, a.workspace(), a.workspace_size(),
                a.integer("max_pts_each_voxel"), a.integer("out_x"), a.integer("out_y"), a.integer("out_z"),
                T{"argmax"}, T{"pts_idx_of_voxels"}, T{"pooled_features"});
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return extension_ || IsOlderSpelling(name()) ? std::vector<BenchmarkCase>{} : BenchmarksOf("forward");
  }
  Theory TheoryOf(const Call& call) const override { return ForwardTheory(call); }
  std::string Summary(const Shape& shape) const override { return SummaryOf(shape); }
  void Validate(const Shape& shape) const override { CheckShape(shape); }
  std::vector<std::string> Needs() const override { return {"mluOpGetRoiAwarePool3dForwardWorkspaceSize"}; }
  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& a,
                               size_t* bytes) const override {
    return library.mluOpGetRoiAwarePool3dForwardWorkspaceSize(handle, a.desc("rois"), a.desc("pts"),
                                                              a.desc("pts_feature"), bytes);
  }

  Expected Reference(const Call& call) const override {
    const RoiAwareGrid grid = GridOf(call);
    const std::vector<RoiAwareVoxel> voxels = VoxelsOf(call);
    const Tensor &features = call["pts_feature"], &argmax = call["argmax"], &lists = call["pts_idx_of_voxels"];
    const auto channels = static_cast<size_t>(features.extents[1]);
    const auto pool = [&](const Tensor& source) {
      return detops_reference::RoiAwarePool(source.type, static_cast<int>(call.integer("pool_method")), voxels,
                                            features.extents[1], source.contents.data());
    };
    // Rows of the voxels that hold points, among zeros or whatever the others have.
    const auto spread = [&](const auto& rows, double others) {
      std::vector<double> all(static_cast<size_t>(call["pooled_features"].elements()), others);
      for (size_t row = 0; row < voxels.size(); ++row) {
        std::copy_n(rows.begin() + static_cast<int64_t>(row * channels), channels,
                    all.begin() + static_cast<int64_t>(RowOf(grid, voxels[row]) * channels));
      }
      return all;
    };
    Expected expected;
    std::vector<double>& slots = expected.tensors["pts_idx_of_voxels"];
    slots.resize(static_cast<size_t>(lists.elements()));
    for (const RoiAwareVoxel& voxel : voxels) {
      double* const list = &slots[RowOf(grid, voxel) * static_cast<size_t>(grid.max_pts_each_voxel)];
      list[0] = static_cast<double>(voxel.points.size());
      std::copy(voxel.points.begin(), voxel.points.end(), list + 1);
    }
    const detops_reference::RoiAwarePooled pooled = pool(features);
    expected.tensors["pooled_features"] = spread(pooled.features, 0);
    if (IsMax(call)) {
      expected.tensors["argmax"] = spread(pooled.argmax, -1);
      expected.exact.insert("pooled_features");
    } else {
      expected.magnitudes["pooled_features"] = spread(pool(Magnitudes(features)).features, 0);
      // Zeros, whatever it is; only integers are compared.
      if (argmax.type == MLUOP_DTYPE_INT32 && argmax.byte_count() <= static_cast<int64_t>(argmax.memory_bytes()) &&
          argmax.described && argmax.has_data) {
        expected.tensors["argmax"].resize(static_cast<size_t>(argmax.elements()));
      }
    }
    return expected;
  }

 private:
  bool extension_;
};

// ---- backward ----

class Backward : public Function {
 public:
  explicit Backward(const std::string& function) : Function(MakeBackwardContract(function)) {}

  std::vector<ShapeKey> keys() const override {
    std::vector<ShapeKey> keys = CommonKeys();
    for (const ShapeKey& key : {SpecialsKey(), boxes::SceneKey(), ListsKey()}) keys.push_back(key);
    return keys;
  }

  std::vector<Sample> samples() const override {
    const std::string large = "boxes=60,points=3000,channels=33,out=6x5x4,max_pts=9,scene=scattered";
    std::vector<Sample> samples = {{std::string(kGood) + ",lists=listed"}};
    if (!IsOlderSpelling(name())) {
      for (const Sample& sample : ForBothMethods(ManySizes())) samples.push_back(sample);
      // More shares than points have places for sums, and points that are in no list.
      samples.push_back({"boxes=5,points=4,channels=3,out=4x4x4,max_pts=9,lists=listed,pool=avg"});
      samples.push_back({"boxes=5,points=900,channels=8,out=4x4x4,max_pts=9,lists=listed,pool=avg"});
      samples.push_back({"boxes=5,points=90,channels=9,out=2x2x2,max_pts=9,scene=held,specials=1"});
      samples.push_back({"boxes=5,points=90,channels=9,out=2x2x2,max_pts=9,scene=held,specials=1,pool=avg"});
      samples.push_back({large + ",pool=avg", true});
    }
    samples.push_back({large, true});
    return samples;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const Sizes sizes(shape);
    Random random(seed);
    Call call;
    call.integers["pool_method"] = sizes.pool_method;
    SetGrid(call, sizes);
    call.integers["boxes_num"] = sizes.boxes;
    call.integers["channels"] = sizes.channels;
    call.tensors = {Input("pts_idx_of_voxels", kArray, MLUOP_DTYPE_INT32, sizes.Voxels(sizes.grid.max_pts_each_voxel)),
                    Input("argmax", kArray, MLUOP_DTYPE_INT32, sizes.Voxels(sizes.channels)),
                    Input("grad_out", kArray, type, sizes.Voxels(sizes.channels)),
                    Output("grad_in", kArray, type, {sizes.points, sizes.channels})};
    if (shape.Choice("lists", {"forward", "listed"}) == 0) {
      TakeFromForward(Found(shape, sizes, type, random), sizes, call);
    } else {
      FillLists(sizes, call, random);
    }
    FillSigned(call["grad_out"], random);
    if (shape.Int("specials") != 0) FillSpecials(call["grad_out"]);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const auto backward =
        IsOlderSpelling(name()) ? library.mluOpRoiawarePool3dBackward : library.mluOpRoiAwarePool3dBackward;
    return Pass(backward, handle, a, a.integer("pool_method"), a.integer("boxes_num"), a.integer("out_x"),
                a.integer("out_y"), a.integer("out_z"), a.integer("channels"), a.integer("max_pts_each_voxel"),
                T{"pts_idx_of_voxels"}, T{"argmax"}, T{"grad_out"}, T{"grad_in"});
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return IsOlderSpelling(name()) ? std::vector<BenchmarkCase>{} : BenchmarksOf("backward");
  }
  Work WorkOf(const Call& call) const override { return BackwardWork(call); }
  Theory TheoryOf(const Call& call) const override { return BackwardTheory(call); }
  std::string Summary(const Shape& shape) const override { return SummaryOf(shape); }
  void Validate(const Shape& shape) const override { CheckShape(shape); }

  Expected Reference(const Call& call) const override {
    const int64_t channels = call.integer("channels"), points = call["grad_in"].extents[0];
    const auto compute = [&](const Tensor& gradient) {
      const int64_t rows = gradient.elements() / channels, slots = call.integer("max_pts_each_voxel");
      if (IsMax(call)) {
        return detops_reference::RoiAwareMaxBackward(gradient.type, rows, channels, Integers(call["argmax"]),
                                                     gradient.contents.data(), points);
      }
      std::vector<std::vector<int64_t>> lists;
      const int32_t* list = Integers(call["pts_idx_of_voxels"]);
      for (int64_t row = 0; row < rows; ++row, list += slots) lists.emplace_back(list + 1, list + 1 + list[0]);
      return detops_reference::RoiAwareAverageBackward(gradient.type, lists, channels, gradient.contents.data(),
                                                       points);
    };
    Expected expected;
    expected.tensors["grad_in"] = compute(call["grad_out"]);
    expected.magnitudes["grad_in"] = compute(Magnitudes(call["grad_out"]));
    return expected;
  }

 private:
  static void TakeFromForward(const Found& found, const Sizes& sizes, Call& call) {
    Tensor &lists = call["pts_idx_of_voxels"], &argmax = call["argmax"];
    for (int64_t i = 0; i < argmax.elements(); ++i) argmax.Set(i, sizes.pool_method == 0 ? -1 : 0);
    for (size_t row = 0; row < found.voxels.size(); ++row) {
      const std::vector<int64_t>& points = found.voxels[row].points;
      const auto voxel = static_cast<int64_t>(RowOf(sizes.grid, found.voxels[row]));
      int64_t slot = voxel * sizes.grid.max_pts_each_voxel;
      lists.Set(slot, static_cast<double>(points.size()));
      for (const int64_t point : points) lists.Set(++slot, static_cast<double>(point));
      for (int64_t c = 0; c < sizes.channels; ++c) {
        const auto winner = found.pooled.argmax[row * static_cast<size_t>(sizes.channels) + static_cast<size_t>(c)];
        argmax.Set(voxel * sizes.channels + c, static_cast<double>(winner));
      }
    }
  }

  // A few points in every list, some of them several times, and any winners.
  static void FillLists(const Sizes& sizes, Call& call, Random& random) {
    Tensor &lists = call["pts_idx_of_voxels"], &argmax = call["argmax"];
    const int64_t slots = sizes.grid.max_pts_each_voxel;
    for (int64_t i = 0; i < lists.elements(); ++i) {
      const int64_t number = i % slots == 0 ? std::min(slots - 1, random.Between(2, 4)) : random.Below(sizes.points);
      lists.Set(i, static_cast<double>(number));
    }
    for (int64_t i = 0; i < argmax.elements(); ++i) {
      argmax.Set(i, static_cast<double>(random.Between(-1, sizes.points - 1)));
    }
  }
};

}  // namespace

void AddDense(Catalogue& catalogue) {
  for (const char* function : {"mluOpRoiAwarePool3dForward", "mluOpRoiawarePool3dForward"}) {
    catalogue.Add(std::make_unique<Forward>(function, false));
  }
  for (const char* function : {"mluOpRoiAwarePool3dBackward", "mluOpRoiawarePool3dBackward"}) {
    catalogue.Add(std::make_unique<Backward>(function));
  }
  catalogue.Add(std::make_unique<Forward>("detopsRoiAwarePool3dForward", true));
}

}  // namespace detops_harness::roiaware_pool3d
