// Rules about sizes that no machine holds, and about maps without pixels.
#include <algorithm>
#include <climits>

#include "ops/psroipool/contract/psroipool.h"

namespace detops_harness::psroipool {
namespace {

constexpr int64_t kMostChannels = INT32_MAX, kMostPixels = UINT32_MAX;
constexpr BadClass kOverflow = BadClass::kOverflow;

bool HasNoPixels(const Call& call, const Kind& kind) { return call[kind.map()].elements() == 0; }

// Addresses that nobody may touch stand for the tensors named; the only roi is all zeros, and so is its first channel.
std::function<void(Call&)> Enormous(const Kind& kind, const Sizes& sizes, const Names& reserved) {
  return [=](Call& call) {
    call.profile = DETOPS_PROFILE_FULL;
    SetSizes(call, kind, sizes);
    for (int64_t i = 0; i < 5; ++i) WithElement("rois", i, 0)(call);
    WithElement("mapping_channel", 0, 0)(call);
    for (Tensor& tensor : call.tensors) {
      tensor.reserved = std::find(reserved.begin(), reserved.end(), tensor.name) != reserved.end();
    }
  };
}

Rules ExtentLimit(const Kind& kind, const char* what, size_t Axes::* axis, int64_t most, const Faults& faults) {
  return Own({what, MLUOP_STATUS_NOT_SUPPORTED,
              [=](Judgement& j) -> std::optional<std::string> {
                const Tensor& map = j.call[kind.map()];
                const size_t at = Axes(map.layout).*axis;
                if (map.extents[at] <= most) return {};
                return Format("%s has extent %lld on axis %zu, expected at most %lld.", map.name.c_str(),
                              static_cast<long long>(map.extents[at]), at, static_cast<long long>(most));
              },
              faults});
}

// The same faults on an NHWC call and, where the function takes it, on an NCHW one.
Faults InAllLayouts(const Kind& kind, const Faults& faults) {
  Faults all = faults;
  for (const Fault& fault : faults) {
    if (!kind.extension) continue;
    all.push_back({fault.bad_class, fault.text + ", NCHW",
                   [apply = fault.apply](Call& call) {
                     MakeChannelsFirst(call);
                     apply(call);
                   },
                   false});
  }
  return all;
}

}  // namespace

Rules CountsOf(const Kind& kind) {
  const auto with = [&](const Sizes& sizes, mluOpDataType_t type) {
    return [=](Call& call) {
      SetSizes(call, kind, sizes);
      if (type == MLUOP_DTYPE_FLOAT) return;
      call.profile = DETOPS_PROFILE_FULL;
      for (const std::string& name : {kind.map(), kind.pooled(), std::string("rois")}) call[name].type = type;
    };
  };
  const mluOpDataType_t kFloat = MLUOP_DTYPE_FLOAT;
  const int64_t rois = kind.extension ? int64_t{1} << 59 : 429496730;
  const Faults of_rois = {{kOverflow, "rois alone", with({1, 1, 1, rois, 1, 1, 1}, kFloat), false},
                          {kOverflow, "one roi less", with({1, 1, 1, 429496729, 1, 1, 1}, kFloat), false}};
  // As many bytes as none of the others has: their numbers are shorter.
  const Faults of_mapping = {
      {kOverflow, "mapping_channel alone", with({1, 1, 1, 1, 65536, 65536, 1 << 29}, MLUOP_DTYPE_HALF), false}};
  const Rules parts[] = {Counts({kind.pooled(), kind.map()}), WithFaults(Counts({"rois"}), of_rois),
                         WithFaults(Counts({"mapping_channel"}), of_mapping)};
  Rules rules;
  for (const Rules& part : parts) rules.insert(rules.end(), part.begin(), part.end());
  return rules;
}

Rules ChannelLimit(const Kind& kind) {
  const Sizes many = {1, 1, 1, 1, 2, 2, 1 << 29};  // 2^31 channels
  const Names reserved = {kind.map(), kind.pooled(), "mapping_channel"};
  return ExtentLimit(kind, "channels", &Axes::channels, kMostChannels,
                     InAllLayouts(kind, {{kOverflow, "2^31 channels", Enormous(kind, many, reserved), false}}));
}

Rules PixelLimits(const Kind& kind) {
  const auto with = [&](int64_t height, int64_t width) {
    return [apply = Enormous(kind, {1, height, width, 1, 1, 1, 1}, {kind.map()}), height, width](Call& call) {
      apply(call);
      call.value_checks = height > kMostPixels || width > kMostPixels;  // one less is to reach the run itself
    };
  };
  Rules rules = ExtentLimit(kind, "rows of the map", &Axes::height, kMostPixels,
                            InAllLayouts(kind, {{kOverflow, "2^32 rows", with(kMostPixels + 1, 1), false},
                                                {kOverflow, "2^32 - 1 rows", with(kMostPixels, 1), false}}));
  rules.push_back(ExtentLimit(kind, "columns of the map", &Axes::width, kMostPixels,
                              InAllLayouts(kind, {{kOverflow, "2^32 columns", with(1, kMostPixels + 1), false},
                                                  {kOverflow, "2^32 - 1 columns", with(1, kMostPixels), false}}))[0]);
  return rules;
}

std::function<void(Call&)> WorkspaceInside(const std::string& other, int64_t at, int64_t bytes) {
  return [=](Call& call) {
    call.workspace.has_data = true;
    call.workspace.inside = other;
    call.workspace.inside_at = at;
    call.integers.at("workspace_size") = bytes;
  };
}

Rules SeparateFrom(const Kind& kind, const std::string& output, const Names& others) {
  Rules rules;
  for (const std::string& other : others) {
    // So small that it reaches into nothing else, wherever the others lie.
    const Fault tiny = {BadClass::kOverlap, output + " in " + other, [=](Call& call) {
                          SetSizes(call, kind, {1, 1, 1, 1, 1, 1, 1});
                          call[output].inside = other;
                        }};
    rules.push_back(WithFaults(Separate(output, {other}), {tiny})[0]);
  }
  return rules;
}

Rules OverlapWithoutPixels(const Kind& kind) {
  const auto rules_of = [&](const std::string& output, const Names& others) {
    Faults faults;
    for (const std::string& other : others) {
      faults.push_back({BadClass::kOverlap, output + " in " + other + ", no pixels",
                        [=](Call& call) {
                          WithDim("N", 0)(call);
                          if (other == "workspace") {
                            WorkspaceInside(output, 4, 40)(call);
                          } else {
                            call[output].inside = other;
                          }
                        },
                        false});
    }
    // What the map's address is does not matter, nor what is not there.
    faults.push_back({BadClass::kOverlap, "where the map would be",
                      [=](Call& call) {
                        WithDim("N", 0)(call);
                        call[output].inside = kind.map();
                      },
                      false});
    Rules rules;
    for (const std::string& other : others) rules.push_back(WithFaults(Separate(output, {other}), faults)[0]);
    return When([=](const Call& call) { return HasNoPixels(call, kind) && call[output].address != nullptr; }, rules);
  };
  Names of_output = {"rois", "mapping_channel"}, of_mapping = {"rois"};
  if (kind.workspace) {
    of_output.push_back("workspace");
    of_mapping.push_back("workspace");
  }
  Rules rules = rules_of("output", of_output);
  for (const Rule& rule : rules_of("mapping_channel", of_mapping)) rules.push_back(rule);
  return rules;
}

Rules ChannelLimitWithoutPixels(const Kind& kind) {
  const auto with = [&](int64_t rois, bool mapping_data) {
    return [=](Call& call) {
      Enormous(kind, {0, 2, 2, rois, 40000, 40000, 2}, {})(call);
      call["output"].has_data = false;
      call["mapping_channel"].reserved = rois > 0;
      call["mapping_channel"].has_data = mapping_data;
    };
  };
  const Faults faults = {{kOverflow, "3.2 * 10^9 channels, no pixels", with(1, true), false},
                         {kOverflow, "3.2 * 10^9 channels, no pixels, no rois", with(0, true), false}};
  return When(
      [=](const Call& call) {
        const Tensor& mapping = call["mapping_channel"];
        return HasNoPixels(call, kind) && mapping.address != nullptr && !IsAbsent(mapping) && mapping.elements() > 0;
      },
      ExtentLimit(kind, "channels, no pixels", &Axes::channels, kMostChannels, InAllLayouts(kind, faults)));
}

Rules NoPixels(const Kind& kind) {
  Faults faults;
  for (const char* dim : {"N", "H", "W"}) {
    const auto add = [&](const std::string& text, const std::function<void(Call&)>& also) {
      faults.push_back({BadClass::kEmpty, std::string(dim) + " is 0" + text,
                        [=](Call& call) {
                          WithDim(dim, 0)(call);
                          also(call);
                        },
                        false});
    };
    add("", [](Call&) {});
    add(", no data", [](Call& call) {
      for (Tensor& tensor : call.tensors) tensor.has_data = false;
    });
    for (const std::string& missing : {kind.pooled(), std::string("mapping_channel"), std::string("rois")}) {
      add(", no data of " + missing, [=](Call& call) { call[missing].has_data = false; });
    }
    // Nothing is read.
    add(", rois and channels that would be refused", [](Call& call) {
      for (int64_t i = 0; i < 30; ++i) {
        WithElement("rois", i, -1)(call);
        WithElement("mapping_channel", i, -1)(call);
      }
    });
    add(", no rois", WithDim("R", 0));
    if (kind.workspace) add(", no workspace of some size", WithInteger("workspace_size", -1));
  }
  if (!kind.forward && !kind.extension) {
    faults.push_back(
        {BadClass::kEmpty, "no bins", [=](Call& call) { SetSizes(call, kind, {2, 4, 9, 6, 0, 0, 7}); }, false});
  }
  return Done(
      "no pixels",
      [=](const Call& call) {
        return HasNoPixels(call, kind) || (!kind.forward && call[kind.pooled()].elements() == 0);
      },
      faults);
}

}  // namespace detops_harness::psroipool
