#include "ops/get_indice_pairs/contract/exact_choice.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "harness/shape.h"

namespace detops_harness::get_indice_pairs {
namespace {

using detops_reference::SparseConvolution;

class ExactChoice {
 public:
  ExactChoice(const SparseConvolution& convolution, int64_t sites, int64_t outputs, Random& random)
      : c_(convolution), sites_(sites), outputs_(outputs), random_(random) {}

  std::vector<Site> Choose(const std::vector<Site>& candidates) {
    for (const Site& site : candidates) {
      if (Full()) break;
      if (Gain(site) <= Missing()) Add(site);
    }
    GrowAround();
    for (int64_t tries = 0; Missing() > 0 && tries < 100 * outputs_; ++tries) Exchange();
    if (!Full() || Missing() != 0) {
      throw ShapeError("--shape: no choice of " + std::to_string(sites_) + " sites reaches " +
                       std::to_string(outputs_) + " outputs was found");
    }
    return chosen_;
  }

 private:
  size_t axes() const { return c_.input_space.size(); }
  bool Full() const { return static_cast<int64_t>(chosen_.size()) >= sites_; }
  int64_t Missing() const { return outputs_ - static_cast<int64_t>(reached_.size()); }

  int64_t KeyOf(const Site& site, const std::vector<int64_t>& space) const {
    int64_t key = site[0];
    for (size_t axis = 0; axis < axes(); ++axis) key = key * space[axis] + site[axis + 1];
    return key;
  }

  // Calls visit(key) for the outputs that a site reaches.
  template <class Visit>
  void ForEachOutput(const Site& site, Visit visit) const {
    for (int64_t offset = 0; offset < c_.KernelVolume(); ++offset) {
      Site output = {site[0]};
      bool reached = true;
      int64_t rest = offset;
      for (size_t axis = axes(); axis-- > 0 && reached;) {
        const int64_t at = rest % c_.filter_space[axis];
        rest /= c_.filter_space[axis];
        const int64_t distance = site[axis + 1] + c_.pad[axis] - at * c_.dilation[axis];
        reached =
            distance >= 0 && distance % c_.stride[axis] == 0 && distance / c_.stride[axis] < c_.output_space[axis];
        output[axis + 1] = static_cast<int32_t>(distance / c_.stride[axis]);
      }
      if (reached) visit(KeyOf(output, c_.output_space));
    }
  }

  // Outputs that only this site would reach. A site reaches an output through one offset at most.
  int64_t Gain(const Site& site) const {
    int64_t gain = 0;
    ForEachOutput(site, [&](int64_t key) { gain += reached_.count(key) == 0 ? 1 : 0; });
    return gain;
  }

  void Add(const Site& site) {
    if (!taken_.insert(KeyOf(site, c_.input_space)).second) return;
    chosen_.push_back(site);
    ForEachOutput(site, [&](int64_t key) { ++reached_[key]; });
  }

  // Neighbours of chosen sites that reach nothing new, until there are enough sites.
  void GrowAround() {
    for (int64_t tries = 0; !Full() && !chosen_.empty() && tries < 1000 * sites_; ++tries) {
      Site site = chosen_[static_cast<size_t>(random_.Below(static_cast<int64_t>(chosen_.size())))];
      bool inside = true;
      for (size_t axis = 0; axis < axes(); ++axis) {
        site[axis + 1] += static_cast<int32_t>(random_.Between(-1, 1));
        inside = inside && site[axis + 1] >= 0 && site[axis + 1] < c_.input_space[axis];
      }
      if (inside && Gain(site) == 0) Add(site);
    }
  }

  // Gives up a site whose outputs others reach too for one that reaches new ones.
  void Exchange() {
    Site fresh = {static_cast<int32_t>(random_.Below(c_.batch))};
    for (size_t axis = 0; axis < axes(); ++axis) {
      fresh[axis + 1] = static_cast<int32_t>(random_.Below(c_.input_space[axis]));
    }
    const int64_t gain = Gain(fresh);
    if (gain == 0 || gain > Missing() || taken_.count(KeyOf(fresh, c_.input_space)) != 0) return;
    for (int tries = 0; tries < 1000 && !chosen_.empty(); ++tries) {
      const auto place = static_cast<size_t>(random_.Below(static_cast<int64_t>(chosen_.size())));
      const Site old = chosen_[place];
      bool needed = false;
      ForEachOutput(old, [&](int64_t key) { needed = needed || reached_[key] == 1; });
      if (needed) continue;
      ForEachOutput(old, [&](int64_t key) { --reached_[key]; });
      taken_.erase(KeyOf(old, c_.input_space));
      chosen_[place] = chosen_.back();
      chosen_.pop_back();
      Add(fresh);
      return;
    }
  }

  const SparseConvolution& c_;
  const int64_t sites_, outputs_;
  Random& random_;
  std::vector<Site> chosen_;
  std::unordered_set<int64_t> taken_;
  std::unordered_map<int64_t, int> reached_;
};

}  // namespace

std::vector<Site> ChooseExactly(const SparseConvolution& convolution, int64_t sites, int64_t outputs,
                                const std::vector<Site>& candidates, Random& random) {
  return ExactChoice(convolution, sites, outputs, random).Choose(candidates);
}

}  // namespace detops_harness::get_indice_pairs
