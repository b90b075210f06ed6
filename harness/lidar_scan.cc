#include "harness/lidar_scan.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <thread>
#include <unordered_set>

namespace detops_harness {
namespace {

constexpr double kHalfSide = 54.0;  // metres
constexpr double kFloor = -5.0, kHeight = 8.0;
constexpr double kSensorHeight = 1.84;
constexpr int kRings = 32;
constexpr int kRaysPerTurn = 2170;
constexpr int kMaxTurns = 20;
constexpr double kTurnStep = 0.2;      // metres the car moves in a turn
constexpr double kRangeError = 0.085;  // of a distance and of the car's own place, metres

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  int64_t Below(int64_t count) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count)); }

 private:
  std::mt19937_64 engine_;
};

struct Box {
  double centre[3], half[3];
};

// The sensor is at the origin; nothing stands in the first metres around it.
std::vector<Box> MakeScene(Random& random) {
  struct Kind {
    int count;
    double nearest, least_half, most_half, half_height;
  };
  std::vector<Box> boxes;
  for (const Kind& kind : {Kind{40, 4, 0.8, 2.3, 0.8}, Kind{25, 5, 0.15, 0.16, 2.5}, Kind{14, 14, 3, 9, 2.4}}) {
    for (int i = 0; i < kind.count; ++i) {
      const double x = random.Uniform(-48, 48), y = random.Uniform(-48, 48);
      const double half_x = random.Uniform(kind.least_half, kind.most_half);
      const double half_y = random.Uniform(kind.least_half, kind.most_half);
      if (std::hypot(x, y) < kind.nearest) continue;
      boxes.push_back({{x, y, kind.half_height - kSensorHeight}, {half_x, half_y, kind.half_height}});
    }
  }
  return boxes;
}

// How far a ray goes until it hits the ground or the first box.
double Distance(const std::vector<Box>& scene, const double (&origin)[3], const double (&direction)[3]) {
  const double inverse[3] = {1 / direction[0], 1 / direction[1], 1 / direction[2]};
  double distance = direction[2] < 0 ? -kSensorHeight * inverse[2] : 1e9;
  for (const Box& box : scene) {
    double enter = 0, leave = distance;
    for (int axis = 0; axis < 3; ++axis) {
      const double a = (box.centre[axis] - box.half[axis] - origin[axis]) * inverse[axis];
      const double b = (box.centre[axis] + box.half[axis] - origin[axis]) * inverse[axis];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    if (enter > 0 && enter < leave) distance = enter;
  }
  return distance;
}

// The voxels of one scene of the batch.
class Collector {
 public:
  Collector(int scene, int depth, int height, int width, int64_t wanted, std::vector<Voxel>& voxels)
      : scene_(scene), extents_{depth, height, width}, wanted_(wanted), voxels_(voxels) {}

  bool full() const { return static_cast<int64_t>(seen_.size()) >= wanted_; }

  void Add(int64_t z, int64_t y, int64_t x) {
    if (full() || z < 0 || z >= extents_[0] || y < 0 || y >= extents_[1] || x < 0 || x >= extents_[2]) return;
    if (!seen_.insert((z * extents_[1] + y) * extents_[2] + x).second) return;
    voxels_.push_back({scene_, static_cast<int32_t>(z), static_cast<int32_t>(y), static_cast<int32_t>(x)});
  }

  void AddPoint(double x, double y, double z) {
    const auto cell = [](double place, double low, double size, int64_t cells) {
      return static_cast<int64_t>(std::floor((place - low) / size * static_cast<double>(cells)));
    };
    Add(cell(z, kFloor, kHeight, extents_[0]), cell(y, -kHalfSide, 2 * kHalfSide, extents_[1]),
        cell(x, -kHalfSide, 2 * kHalfSide, extents_[2]));
  }

  // The neighbours of a voxel, of all voxels in turn: where a convolution would reach.
  void Grow() {
    const Voxel from = voxels_[grown_++];
    for (int64_t z = -1; z <= 1; ++z) {
      for (int64_t y = -1; y <= 1; ++y) {
        for (int64_t x = -1; x <= 1; ++x) Add(from[1] + z, from[2] + y, from[3] + x);
      }
    }
  }

 private:
  int scene_;
  int64_t extents_[3];
  int64_t wanted_;
  std::vector<Voxel>& voxels_;
  std::unordered_set<int64_t> seen_;
  size_t grown_ = 0;  // voxels whose neighbours have been added
};

int64_t ShareOf(int64_t count, int batch, int scene) { return count / batch + (scene < count % batch ? 1 : 0); }

void ScanScene(Random& random, Collector& collector) {
  constexpr double kDegree = std::numbers::pi / 180;
  const std::vector<Box> scene = MakeScene(random);
  for (int turn = 0; turn < kMaxTurns && !collector.full(); ++turn) {
    const double origin[3] = {kTurnStep * turn, 0.03 * turn, 0};
    for (int ray = 0; ray < kRaysPerTurn; ++ray) {
      const double azimuth = (ray + random.Uniform(0, 0.3)) * 2 * std::numbers::pi / kRaysPerTurn;
      for (int ring = 0; ring < kRings; ++ring) {
        const double elevation = (-30.67 + 41.33 * ring / (kRings - 1)) * kDegree;
        const double direction[3] = {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                                     std::sin(elevation)};
        const double distance = Distance(scene, origin, direction) + random.Uniform(-kRangeError, kRangeError);
        const double x = origin[0] + distance * direction[0], y = origin[1] + distance * direction[1];
        collector.AddPoint(x, y, distance * direction[2] + 0.05 * std::sin(0.3 * x) * std::cos(0.2 * y));
      }
    }
  }
  while (!collector.full()) collector.Grow();
}

}  // namespace

// One thread per scene: scans of a whole batch take seconds.
std::vector<Voxel> LidarVoxels(int batch, int64_t count, int depth, int height, int width, uint64_t seed) {
  std::vector<std::vector<Voxel>> scenes(static_cast<size_t>(batch));
  std::vector<std::thread> threads;
  for (int n = 0; n < batch; ++n) {
    threads.emplace_back([=, &scene = scenes[static_cast<size_t>(n)]] {
      Random random(seed * 1000 + static_cast<uint64_t>(n));
      Collector collector(n, depth, height, width, ShareOf(count, batch, n), scene);
      ScanScene(random, collector);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Voxel> voxels;
  for (const std::vector<Voxel>& scene : scenes) voxels.insert(voxels.end(), scene.begin(), scene.end());
  return voxels;
}

}  // namespace detops_harness
