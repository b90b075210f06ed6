// Input sites of every kind and in every order, by integer arithmetic alone.
#include <algorithm>
#include <array>
#include <climits>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "harness/fill.h"
#include "harness/lidar_scan.h"
#include "ops/get_indice_pairs/contract/convolution.h"
#include "ops/get_indice_pairs/contract/exact_choice.h"

namespace detops_harness::get_indice_pairs {
namespace {

// No extent or count of the good call equals another that it could be confused with.
constexpr int32_t kExample[11][4] = {{1, 3, 4, 6}, {0, 0, 0, 0}, {1, 2, 2, 1}, {0, 1, 1, 3}, {0, 1, 2, 3}, {1, 0, 4, 0},
                                     {0, 3, 0, 6}, {1, 3, 3, 6}, {0, 2, 3, 5}, {1, 1, 1, 1}, {0, 1, 2, 4}};

size_t KindOfSites(const Shape& shape) {
  return shape.Choice("voxels", {"runs", "random", "near", "corners", "every", "example", "lidar"});
}
constexpr size_t kLidar = 6;

std::vector<Site> Scan(const detops_reference::SparseConvolution& c, int64_t count, uint64_t seed) {
  if (c.input_space.size() != 3) throw ShapeError("--shape: scans have three axes");
  CheckRoom(c, count);
  const auto extent = [&](size_t axis) { return static_cast<int>(c.input_space[axis]); };
  std::vector<Site> sites;
  for (const Voxel& voxel : LidarVoxels(static_cast<int>(c.batch), count, extent(0), extent(1), extent(2), seed)) {
    sites.push_back({voxel[0], voxel[1], voxel[2], voxel[3]});
  }
  return sites;
}

class SiteMaker {
 public:
  SiteMaker(const Shape& shape, const detops_reference::SparseConvolution& convolution, uint64_t seed)
      : kind_(KindOfSites(shape)), random_(seed) {
    extents_.push_back(convolution.batch);
    for (const int64_t extent : convolution.input_space) extents_.push_back(extent);
    last_ = Anywhere();
  }

  Site Next(int64_t i) {
    switch (kind_) {
      case 0:  // lines of neighbours, some with gaps, up to the border of the space
        Run();
        break;
      case 2:  // clusters
        Near();
        break;
      case 3:  // around the corners of the space, in the first and the last image
        for (size_t c = 0; c < extents_.size(); ++c) {
          const int64_t inward = std::min<int64_t>(c == 0 ? 0 : random_.Below(3), extents_[c] - 1);
          last_[c] = static_cast<int32_t>(random_.Below(2) == 0 ? inward : extents_[c] - 1 - inward);
        }
        break;
      case 4:  // without a gap
        for (size_t c = extents_.size(); c-- > 0; i /= extents_[c]) last_[c] = static_cast<int32_t>(i % extents_[c]);
        break;
      case 5:
        for (size_t c = 0; c < std::min<size_t>(4, extents_.size()); ++c) {
          last_[c] = static_cast<int32_t>(kExample[i % 11][c] % extents_[c]);
        }
        break;
      default:
        last_ = Anywhere();
        break;
    }
    return last_;
  }

  Random& random() { return random_; }

 private:
  Site Anywhere() {
    Site site = {};
    for (size_t c = 0; c < extents_.size(); ++c) site[c] = static_cast<int32_t>(random_.Below(extents_[c]));
    return site;
  }

  void Run() {
    const size_t axis = extents_.size() - 1;
    last_[axis] += random_.Below(16) == 0 ? 2 : 1;
    if (last_[axis] >= extents_[axis] || random_.Below(12) == 0) last_ = Anywhere();
  }

  void Near() {
    if (random_.Below(8) == 0) last_ = Anywhere();
    for (size_t c = 1; c < extents_.size(); ++c) {
      last_[c] = static_cast<int32_t>(std::clamp<int64_t>(last_[c] + random_.Between(-2, 2), 0, extents_[c] - 1));
    }
  }

  size_t kind_;
  Random random_;
  std::vector<int64_t> extents_;
  Site last_ = {};
};

size_t OrderOfSites(const Shape& shape) {
  return shape.Choice("order", {"sorted", "scan", "shuffled", "reversed", "batches"});
}

void Arrange(size_t order, Random& random, std::vector<Site>& sites) {
  if (order == 0 || order == 3) std::sort(sites.begin(), sites.end());
  if (order == 3) std::reverse(sites.begin(), sites.end());
  if (order == 2 || order == 4) {
    for (size_t i = sites.size(); i > 1; --i) {
      std::swap(sites[i - 1], sites[static_cast<size_t>(random.Below(static_cast<int64_t>(i)))]);
    }
  }
  if (order == 4) {
    std::vector<Site> by_batch;
    for (int32_t batch = 0; by_batch.size() < sites.size(); ++batch) {
      std::copy_if(sites.begin(), sites.end(), std::back_inserter(by_batch),
                   [batch](const Site& site) { return site[0] == batch; });
    }
    sites = std::move(by_batch);
  }
}

}  // namespace

void CheckRoom(const detops_reference::SparseConvolution& convolution, int64_t sites) {
  const int64_t room = Product(convolution.batch, convolution.input_space);
  if (sites > room) throw ShapeError("--shape: the space holds only " + std::to_string(room) + " sites");
}

void CheckSites(const Shape& shape) {
  KindOfSites(shape);
  OrderOfSites(shape);
  for (const char* key : {"outputs", "copies", "spare", "inverse"}) shape.Int(key);
}

std::vector<int32_t> MakeSites(const Shape& shape, const detops_reference::SparseConvolution& convolution,
                               uint64_t seed) {
  const auto count = static_cast<size_t>(shape.Int("sites"));
  SiteMaker maker(shape, convolution, seed);
  const bool lidar = KindOfSites(shape) == kLidar;
  std::vector<Site> sites = lidar ? Scan(convolution, shape.Int("sites"), seed) : std::vector<Site>{};
  std::set<Site> seen;
  // Different ones as long as some are found; a space with fewer places than sites has them more than once.
  for (size_t i = 0; i < 20 * count && sites.size() < count; ++i) {
    const Site site = maker.Next(static_cast<int64_t>(i));
    if (seen.insert(site).second) sites.push_back(site);
  }
  for (size_t i = 0; sites.size() < count; ++i) sites.push_back(sites[i]);
  if (shape.Int("outputs") != 0 && !convolution.submanifold) {
    sites = ChooseExactly(convolution, shape.Int("sites"), shape.Int("outputs"), sites, maker.random());
  }
  Arrange(OrderOfSites(shape), maker.random(), sites);
  if (shape.Int("copies") != 0) {
    for (size_t i = 7; i < sites.size(); i += 7) sites[i] = sites[i / 2];
  }
  std::vector<int32_t> flat;
  for (const Site& site : sites) {
    flat.insert(flat.end(), site.begin(), site.begin() + static_cast<int64_t>(convolution.input_space.size()) + 1);
  }
  return flat;
}

}  // namespace detops_harness::get_indice_pairs
