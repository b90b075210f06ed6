// Maximum and average, dense with the contract's and with OpenPCDet's rules, compact, both directions, all types.
#include "golden/golden.h"

namespace detops_golden {
namespace {

struct Problem {
  int method;
  mluOpDataType_t type;
  int boxes, points, channels, out_x, out_y, out_z, max_points;

  std::vector<int64_t> Extents(int64_t last) const { return {boxes, out_x, out_y, out_z, last}; }
};

struct Input {
  Input(Run& run, const Problem& problem)
      : rois(MLUOP_LAYOUT_ARRAY, problem.type, {problem.boxes, 7}),
        pts(MLUOP_LAYOUT_ARRAY, problem.type, {problem.points, 3}),
        features(run, problem.type, {problem.points, problem.channels}) {
    // Whole 32nds: boxes of 1 to 4 units in a space of 8 units, in which the points lie too.
    const auto number = [&](int64_t low, int64_t high) {
      return static_cast<double>(run.Between(32 * low, 32 * high)) / 32;
    };
    for (int64_t i = 0; i < rois.elements(); ++i) {
      rois.Set(i, i % 7 < 3 ? number(-4, 4) : i % 7 < 6 ? number(1, 4) : run.Angle());
    }
    for (int64_t i = 0; i < pts.elements(); ++i) pts.Set(i, number(-4, 4));
  }
  Tensor rois, pts;
  Signed features;
};

struct Dense {
  explicit Dense(const Problem& problem)
      : argmax(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, problem.Extents(problem.channels)),
        pts_idx(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, problem.Extents(problem.max_points)),
        pooled(MLUOP_LAYOUT_ARRAY, problem.type, problem.Extents(problem.channels)) {}
  void ResultOf(Run& run) const {
    run.Result(argmax);
    run.Result(pts_idx);
    run.Result(pooled);
  }
  Tensor argmax, pts_idx, pooled;
};

void DenseForward(Run& run, const Problem& p, const Input& in, Dense& dense) {
  run.Must(mluOpRoiAwarePool3dForward(run.handle(), p.method, p.boxes, p.points, p.channels, in.rois.desc(),
                                      in.rois.data(), in.pts.desc(), in.pts.data(), in.features.desc(),
                                      in.features.data(), nullptr, 0, p.max_points, p.out_x, p.out_y, p.out_z,
                                      dense.argmax.desc(), dense.argmax.data(), dense.pts_idx.desc(),
                                      dense.pts_idx.data(), dense.pooled.desc(), dense.pooled.data()));
}

void Forward(Run& run, const Problem& p) {
  const Input in(run, p);
  Dense dense(p);
  DenseForward(run, p, in, dense);
  dense.ResultOf(run);
}

void Backward(Run& run, const Problem& p) {
  const Input in(run, p);
  Dense dense(p);
  DenseForward(run, p, in, dense);
  const Signed grad_out(run, p.type, p.Extents(p.channels));
  Tensor grad_in(MLUOP_LAYOUT_ARRAY, p.type, {p.points, p.channels});
  run.Must(mluOpRoiAwarePool3dBackward(run.handle(), p.method, p.boxes, p.out_x, p.out_y, p.out_z, p.channels,
                                       p.max_points, dense.pts_idx.desc(), dense.pts_idx.data(), dense.argmax.desc(),
                                       dense.argmax.data(), grad_out.desc(), grad_out.data(), grad_in.desc(),
                                       grad_in.data()));
  run.Result(grad_in);
}

constexpr double kMargin = 1e-5;

void OpenPcDetForward(Run& run, const Problem& p) {
  const Input in(run, p);
  Dense dense(p);
  run.Must(detopsRoiAwarePool3dForward(run.handle(), p.method, DETOPS_Z_CENTER, kMargin, in.rois.desc(), in.rois.data(),
                                       in.pts.desc(), in.pts.data(), in.features.desc(), in.features.data(),
                                       dense.argmax.desc(), dense.argmax.data(), dense.pts_idx.desc(),
                                       dense.pts_idx.data(), dense.pooled.desc(), dense.pooled.data()));
  dense.ResultOf(run);
}

// Forward and backward.
void Compact(Run& run, const Problem& p) {
  const Input in(run, p);
  int64_t voxels = 0, listed = 0;
  run.Must(detopsCountRoiAwareVoxels(run.handle(), DETOPS_Z_CENTER, kMargin, p.max_points, p.out_x, p.out_y, p.out_z,
                                     in.rois.desc(), in.rois.data(), in.pts.desc(), in.pts.data(), &voxels, &listed));
  Tensor sites(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {voxels, 4});
  Tensor begins(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {voxels + 1});
  Tensor pts_idx(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {listed});
  Tensor argmax(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {voxels, p.channels});
  Tensor pooled(MLUOP_LAYOUT_ARRAY, p.type, {voxels, p.channels});
  run.Must(detopsRoiAwarePool3dCompactForward(
      run.handle(), p.method, DETOPS_Z_CENTER, kMargin, p.max_points, p.out_x, p.out_y, p.out_z, in.rois.desc(),
      in.rois.data(), in.pts.desc(), in.pts.data(), in.features.desc(), in.features.data(), sites.desc(), sites.data(),
      begins.desc(), begins.data(), pts_idx.desc(), pts_idx.data(), argmax.desc(), argmax.data(), pooled.desc(),
      pooled.data(), &voxels, &listed));
  run.Result(voxels);
  run.Result(listed);
  for (const Tensor* result : {&sites, &begins, &pts_idx, &argmax, &pooled}) run.Result(*result);
  const Signed grad_out(run, p.type, {voxels, p.channels});
  Tensor grad_in(MLUOP_LAYOUT_ARRAY, p.type, {p.points, p.channels});
  run.Must(detopsRoiAwarePool3dCompactBackward(run.handle(), p.method, voxels, begins.desc(), begins.data(),
                                               pts_idx.desc(), pts_idx.data(), argmax.desc(), argmax.data(),
                                               grad_out.desc(), grad_out.data(), grad_in.desc(), grad_in.data()));
  run.Result(grad_in);
}

}  // namespace

void AddRoiAwarePool3d(Cases& cases) {
  const struct {
    const char* name;
    void (*body)(Run&, const Problem&);
  } ways[] = {{"forward", Forward}, {"backward", Backward}, {"openpcdet", OpenPcDetForward}, {"compact", Compact}};
  for (const auto& way : ways) {
    for (const int method : {0, 1}) {
      for (const mluOpDataType_t type : kTypes) {
        const auto add = [&](const Problem& problem, const char* end) {
          cases.push_back({Name({"roiaware_pool3d", way.name, method == 0 ? "maximum" : "average",
                                 detops_test::ElementName(type), Label("c", problem.channels), end}),
                           [problem, body = way.body](Run& run) { body(run, problem); }});
        };
        add({method, type, 5, 200, 1, 2, 3, 4, 128}, "");
        add({method, type, 3, 300, 7, 4, 4, 4, 4}, "");
        add({method, type, 4, 250, 16, 1, 2, 5, 16}, "");
        add({method, type, 4, 250, 33, 3, 3, 3, 8}, "");
        add({method, type, 24, 3000, 8, 6, 6, 6, 16}, "large");
      }
    }
  }
}

}  // namespace detops_golden
