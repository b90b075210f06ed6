#include "reliability/mixed_work.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace detops_test {
namespace {

constexpr mluOpDataType_t kReal = MLUOP_DTYPE_FLOAT, kInt = MLUOP_DTYPE_INT32;
constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY, kNhwc = MLUOP_LAYOUT_NHWC;
constexpr int kBins = 3, kDepth = 5, kRois = 70;                         // psroipool
constexpr int kBoxes = 12, kPoints = 3000, kSide = 4, kMost = 8;         // roiaware_pool3d
constexpr int64_t kSites = 1600, kExtent = 16, kOffsets = 27, kCi = 16;  // sparse convolution
constexpr int64_t kCo = 24, kOutRows = 4096;
constexpr int64_t kCloud = 4000, kVoxelRows = 2000;  // point_to_voxel

struct Form {
  mluOpTensorLayout_t layout;
  mluOpDataType_t type;
  std::vector<int64_t> extents;

  Tensor Make() const { return Tensor(layout, type, extents); }
};

Form Ints(std::vector<int64_t> extents, mluOpTensorLayout_t layout = kArray) {
  return {layout, kInt, std::move(extents)};
}
Form Reals(std::vector<int64_t> extents, mluOpTensorLayout_t layout = kArray) {
  return {layout, kReal, std::move(extents)};
}

mluOpSparseConvolutionDescriptor_t NewConvolution(bool submanifold) {
  const int one[] = {1, 1, 1}, three[] = {3, 3, 3}, space[] = {kExtent, kExtent, kExtent};
  mluOpSparseConvolutionDescriptor_t made = nullptr;
  Must(mluOpCreateSparseConvolutionDescriptor(&made), "mluOpCreateSparseConvolutionDescriptor");
  Must(mluOpSetSparseConvolutionDescriptor(made, 5, 2, one, one, one, space, three, space, submanifold ? 1 : 0, 0, 0),
       "mluOpSetSparseConvolutionDescriptor");
  return made;
}

mluOpStatus_t FindPairs(mluOpHandle_t handle, mluOpSparseConvolutionDescriptor_t convolution, const Tensor& sites,
                        std::vector<unsigned char>& workspace, Tensor& pairs, Tensor& out, Tensor& num) {
  size_t size = 0;
  const mluOpStatus_t status =
      mluOpGetIndicePairsWorkspaceSize(handle, convolution, sites.desc(), pairs.desc(), out.desc(), num.desc(), &size);
  if (status != MLUOP_STATUS_SUCCESS) return status;
  workspace.resize(std::max(workspace.size(), size));
  return mluOpGetIndicePairs(handle, convolution, sites.desc(), sites.data(), workspace.data(), workspace.size(),
                             pairs.desc(), pairs.data(), out.desc(), out.data(), num.desc(), num.data());
}

}  // namespace

MixedInputs::MixedInputs()
    : map(Reals({2, 20, 24, 32}, kNhwc).Make()),
      boxes(Reals({2, 20, 24, 5}).Make()),
      ps_map(Reals({2, 14, 15, kBins * kBins * kDepth}, kNhwc).Make()),
      ps_rois(Reals({kRois, 5}).Make()),
      ps_top(Reals({kRois, kBins, kBins, kDepth}, kNhwc).Make()),
      ps_choice(Ints({kRois, kBins, kBins, kDepth}, kNhwc).Make()),
      rois(Reals({kBoxes, 7}).Make()),
      points(Reals({kPoints, 3}).Make()),
      features(Reals({kPoints, 8}).Make()),
      argmax(Ints({kBoxes, kSide, kSide, kSide, 8}).Make()),
      lists(Ints({kBoxes, kSide, kSide, kSide, kMost}).Make()),
      voxel_grad(Reals({kBoxes, kSide, kSide, kSide, 8}).Make()),
      sites(Ints({kSites, 4}).Make()),
      pairs(Ints({kOffsets, 2, kSites}).Make()),
      rows(Reals({kSites, kCi}).Make()),
      filters(Reals({3, 3, 3, kCi, kCo}).Make()),
      bias(Reals({kCo}).Make()),
      cloud(Reals({kCloud, 4}).Make()) {
  uint64_t seed = 1;
  for (Tensor* tensor : {&map, &ps_map, &ps_top, &features, &voxel_grad, &rows, &filters, &bias}) {
    tensor->FillUniform(-1, 1, seed++);
  }
  boxes.FillUniform(0, 12, 31);
  ps_rois.FillUniform(0, 14, 32);
  for (int64_t r = 0; r < kRois; ++r) ps_rois.Set(r * 5, static_cast<double>(r % 2));
  for (int64_t i = 0; i < ps_choice.elements(); ++i) {
    const int64_t bin = i / kDepth % (kBins * kBins);
    ps_choice.Set(i, static_cast<double>(i % kDepth * kBins * kBins + bin));
  }
  rois.FillUniform(1, 4, 33);
  points.FillUniform(0, 5, 34);
  argmax.Fill(7);
  for (int64_t i = 0; i < lists.elements(); ++i) lists.Set(i, i % kMost == 0 ? 2 : static_cast<double>(i % kPoints));
  // 5 has no factor in common with the extents: no site comes twice.
  for (int64_t s = 0; s < kSites; ++s) {
    const int64_t at = s * 5 % (2 * kExtent * kExtent * kExtent);
    const int64_t places[] = {at / (kExtent * kExtent * kExtent), at / (kExtent * kExtent) % kExtent,
                              at / kExtent % kExtent, at % kExtent};
    for (int64_t c = 0; c < 4; ++c) sites.Set(s * 4 + c, static_cast<double>(places[c]));
  }
  cloud.FillUniform(0, 10, 35);

  const Handle full(DETOPS_PROFILE_FULL, 1);
  mluOpSparseConvolutionDescriptor_t convolution = NewConvolution(true);
  Tensor out = Ints({kSites, 4}).Make(), num = Ints({kOffsets}).Make();
  std::vector<unsigned char> workspace;
  Must(FindPairs(full.get(), convolution, sites, workspace, pairs, out, num), "mluOpGetIndicePairs");
  mluOpDestroySparseConvolutionDescriptor(convolution);
  for (int64_t k = 0; k < kOffsets; ++k) counts.push_back(static_cast<int64_t>(num.Get(k)));
  Must(detopsCreateRulebook(full.get(), pairs.desc(), pairs.data(), counts.data(), kSites, kSites, &rulebook),
       "detopsCreateRulebook");
}

MixedInputs::~MixedInputs() { detopsDestroyRulebook(rulebook); }

// ---- the calls ----

struct MixedCalls {
  // The tensors that a call writes.
  struct Results {
    explicit Results(MixedUser::Results& made) : list(made) {}
    Tensor& operator[](size_t index) const { return *list[index]; }
    MixedUser::Results& list;
  };
  struct Entry {
    const char* name;
    std::vector<Form> results;
    mluOpStatus_t (*run)(mluOpHandle_t h, const MixedInputs& in, MixedUser& user, const Results& results, int64_t* n);
  };
  static const std::vector<Entry>& All();
};

const std::vector<MixedCalls::Entry>& MixedCalls::All() {
  using In = MixedInputs;
  using User = MixedUser;
  using R = Results;
  static const std::vector<Entry> entries = {
      {"rotated_feature_align_forward",
       {Reals({2, 20, 24, 32}, kNhwc)},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return mluOpRotatedFeatureAlignForward(h, in.map.desc(), in.map.data(), in.boxes.desc(), in.boxes.data(), 1.0f,
                                                5, r[0].desc(), r[0].data());
       }},
      {"rotated_feature_align_backward",
       {Reals({2, 20, 24, 32}, kNhwc)},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return mluOpRotatedFeatureAlignBackward(h, in.map.desc(), in.map.data(), in.boxes.desc(), in.boxes.data(),
                                                 1.0f, 5, r[0].desc(), r[0].data());
       }},
      {"psroipool_forward",
       {Reals({kRois, kBins, kBins, kDepth}, kNhwc), Ints({kRois, kBins, kBins, kDepth}, kNhwc)},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return mluOpPsRoiPoolForward(h, kBins, kBins, 1.0f, kBins, kDepth, in.ps_map.desc(), in.ps_map.data(),
                                      in.ps_rois.desc(), in.ps_rois.data(), r[0].desc(), r[0].data(), r[1].desc(),
                                      r[1].data());
       }},
      {"psroipool_backward",
       {Reals({2, 14, 15, kBins * kBins * kDepth}, kNhwc)},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return mluOpPsRoiPoolBackward(h, kBins, kBins, 1.0f, kDepth, in.ps_top.desc(), in.ps_top.data(),
                                       in.ps_rois.desc(), in.ps_rois.data(), in.ps_choice.desc(), in.ps_choice.data(),
                                       r[0].desc(), r[0].data());
       }},
      {"roiaware_pool3d_forward",
       {Ints({kBoxes, kSide, kSide, kSide, 8}), Ints({kBoxes, kSide, kSide, kSide, kMost}),
        Reals({kBoxes, kSide, kSide, kSide, 8})},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return mluOpRoiAwarePool3dForward(h, 0, kBoxes, kPoints, 8, in.rois.desc(), in.rois.data(), in.points.desc(),
                                           in.points.data(), in.features.desc(), in.features.data(), nullptr, 0, kMost,
                                           kSide, kSide, kSide, r[0].desc(), r[0].data(), r[1].desc(), r[1].data(),
                                           r[2].desc(), r[2].data());
       }},
      {"roiaware_pool3d_backward",
       {Reals({kPoints, 8})},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return mluOpRoiAwarePool3dBackward(h, 1, kBoxes, kSide, kSide, kSide, 8, kMost, in.lists.desc(),
                                            in.lists.data(), in.argmax.desc(), in.argmax.data(), in.voxel_grad.desc(),
                                            in.voxel_grad.data(), r[0].desc(), r[0].data());
       }},
      {"get_indice_pairs",
       {Ints({kOffsets, 2, kSites}), Ints({kOutRows * 2, 4}), Ints({kOffsets})},
       [](mluOpHandle_t h, const In& in, User& user, const R& r, int64_t*) {
         return FindPairs(h, user.convolution_, in.sites, user.workspace_, r[0], r[1], r[2]);
       }},
      {"indice_convolution_forward",
       {Reals({kSites, kCo})},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return mluOpIndiceConvolutionForward(h, in.rows.desc(), in.rows.data(), in.filters.desc(), in.filters.data(),
                                              in.pairs.desc(), in.pairs.data(), in.counts.data(), kSites, 0, 1, nullptr,
                                              0, r[0].desc(), r[0].data());
       }},
      {"indice_convolution_backward_filter",
       {Reals({3, 3, 3, kCi, kCi})},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return mluOpIndiceConvolutionBackwardFilter(h, in.rows.desc(), in.rows.data(), in.rows.desc(), in.rows.data(),
                                                     in.pairs.desc(), in.pairs.data(), in.counts.data(), 0, 1, nullptr,
                                                     0, r[0].desc(), r[0].data());
       }},
      {"rulebook_convolution_forward",
       {Reals({kSites, kCo})},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return detopsRulebookConvolutionForward(h, in.rulebook, 0, in.rows.desc(), in.rows.data(), in.filters.desc(),
                                                 in.filters.data(), in.bias.desc(), in.bias.data(), nullptr, nullptr,
                                                 DETOPS_ACTIVATION_RELU, 0, r[0].desc(), r[0].data());
       }},
      {"rulebook_pool_forward",
       {Reals({kSites, kCi})},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t*) {
         return detopsRulebookPoolForward(h, in.rulebook, DETOPS_POOL_MAXIMUM, DETOPS_MAXIMUM_FROM_LOWEST,
                                          in.rows.desc(), in.rows.data(), r[0].desc(), r[0].data());
       }},
      {"point_to_voxel",
       {Ints({kVoxelRows, 3}), Reals({kVoxelRows, 4}), Ints({kCloud})},
       [](mluOpHandle_t h, const In& in, User&, const R& r, int64_t* n) {
         const double range_min[] = {0, 0, 0}, voxel_size[] = {1, 1, 1};
         const int grid[] = {10, 10, 10};
         return detopsPointToVoxel(h, 3, range_min, voxel_size, grid, 0, 0, DETOPS_VOXEL_ORDER_ASCENDING,
                                   in.cloud.desc(), in.cloud.data(), nullptr, nullptr, nullptr, nullptr, r[1].desc(),
                                   r[1].data(), r[0].desc(), r[0].data(), nullptr, nullptr, r[2].desc(), r[2].data(),
                                   n);
       }},
      // A refusal, with its text.
      {"refused call", {}, [](mluOpHandle_t h, const In& in, User&, const R&, int64_t* n) {
         const mluOpStatus_t status = mluOpRotatedFeatureAlignForward(h, in.map.desc(), in.map.data(), in.boxes.desc(),
                                                                      in.boxes.data(), NAN, 5, in.map.desc(), nullptr);
         *n = static_cast<int64_t>(std::string(detopsGetLastError(h)).size());
         return status == MLUOP_STATUS_BAD_PARAM ? MLUOP_STATUS_SUCCESS : MLUOP_STATUS_INTERNAL_ERROR;
       }}};
  return entries;
}

// ---- users ----

MixedUser::MixedUser(const MixedInputs& shared, int threads)
    : inputs(shared), handle(DETOPS_PROFILE_FULL, threads), numbers_(Calls()), convolution_(NewConvolution(false)) {
  for (const MixedCalls::Entry& entry : MixedCalls::All()) {
    Results& made = results_.emplace_back();
    for (const Form& form : entry.results) {
      made.push_back(std::make_unique<Tensor>(form.layout, form.type, form.extents));
    }
  }
}

MixedUser::~MixedUser() { mluOpDestroySparseConvolutionDescriptor(convolution_); }

size_t MixedUser::Calls() { return MixedCalls::All().size(); }
std::string MixedUser::NameOf(size_t call) { return MixedCalls::All()[call].name; }

mluOpStatus_t MixedUser::Run(size_t call) {
  for (const std::unique_ptr<Tensor>& tensor : results_[call]) tensor->FillCanary();
  numbers_[call] = -7;
  return MixedCalls::All()[call].run(handle.get(), inputs, *this, MixedCalls::Results(results_[call]), &numbers_[call]);
}

bool MixedUser::Same(size_t call, const MixedUser& other) const {
  if (numbers_[call] != other.numbers_[call]) return false;
  return std::equal(results_[call].begin(), results_[call].end(), other.results_[call].begin(),
                    [](const auto& a, const auto& b) { return a->SameBytes(*b) && a->SurroundingsIntact(); });
}

int MixedUser::WrongCalls(const MixedUser& expected) {
  int wrong = 0;
  for (size_t call = 0; call < Calls(); ++call) {
    if (Run(call) != MLUOP_STATUS_SUCCESS || !Same(call, expected)) ++wrong;
  }
  return wrong;
}

}  // namespace detops_test
