// What the functions of psroipool promise, rule by rule in the order of their checks.
#include <algorithm>
#include <cmath>

#include "ops/psroipool/contract/psroipool.h"

namespace detops_harness::psroipool {
namespace {

constexpr char kMapping[] = "mapping_channel", kChannels[] = "pooled_height * pooled_width * output_dim";

Rules Join(std::initializer_list<Rules> parts) {
  Rules rules;
  for (const Rules& part : parts) rules.insert(rules.end(), part.begin(), part.end());
  return rules;
}

// One axis of the map or a pooled tensor, wherever the layout has it.
Rules AxisByLayout(const Kind& kind, const std::string& tensor, size_t Axes::* axis, const Dim& expected) {
  const Rule last = Axis(tensor, Axes(MLUOP_LAYOUT_NHWC).*axis, expected)[0];
  if (!kind.extension) return {last};
  Rule either = last;
  const Rule first = Axis(tensor, Axes(MLUOP_LAYOUT_NCHW).*axis, expected)[0];
  either.judge = [=](Judgement& j) {
    return j.call[kind.map()].layout == MLUOP_LAYOUT_NCHW ? first.judge(j) : last.judge(j);
  };
  either.faults = [=](const Contract& contract, const Call& good) {
    Faults faults = last.faults(contract, good);
    for (const Fault& fault : first.faults(contract, good)) {
      faults.push_back({fault.bad_class, fault.text + ", NCHW",
                        [apply = fault.apply](Call& call) {
                          MakeChannelsFirst(call);
                          apply(call);
                        },
                        false});
    }
    return faults;
  };
  return {either};
}

// Beyond the descriptors of the others, which must be there: this one may be left out together with its data.
Rules DescriptorOfMapping() {
  return Own({"descriptor of mapping_channel",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const Tensor& mapping = j.call[kMapping];
                if (mapping.described || mapping.address == nullptr) return {};
                return "the descriptor of mapping_channel is NULL, expected a tensor descriptor.";
              },
              {{BadClass::kNull, "descriptor of mapping_channel", [](Call& call) { call[kMapping].described = false; }},
               {BadClass::kNull, "mapping_channel left out",
                [](Call& call) { call[kMapping].described = call[kMapping].has_data = false; }, false}}});
}

// NHWC or NCHW, the same for all.
Rules EitherLayout(const Names& tensors) {
  Rules rules = Layouts(tensors, MLUOP_LAYOUT_NHWC);
  const std::string first = tensors[0];
  rules[0].judge = [first](Judgement& j) -> std::optional<std::string> {
    const mluOpTensorLayout_t layout = j.call[first].layout;
    if (layout == MLUOP_LAYOUT_NHWC || layout == MLUOP_LAYOUT_NCHW) return {};
    return first + " has layout " + LayoutName(layout) + ", expected NHWC or NCHW.";
  };
  for (size_t i = 1; i < tensors.size(); ++i) {
    rules[i].judge = [first, name = tensors[i]](Judgement& j) -> std::optional<std::string> {
      const Tensor& tensor = j.call[name];
      const mluOpTensorLayout_t layout = j.call[first].layout;
      if (IsAbsent(tensor) || tensor.layout == layout) return {};
      return name + " has layout " + LayoutName(tensor.layout) + ", expected " + LayoutName(layout) + ".";
    };
  }
  return rules;
}

Rules AtLeastOne(const std::string& argument, const Faults& faults) {
  return WithFaults(
      Integer(argument, {[](int64_t value, const Call&) { return value >= 1; }, "at least 1", {}, BadClass::kSizes}),
      faults);
}

Rules MappingHasTheShapeOf(const std::string& pooled) {
  Rules rules;
  for (size_t axis = 0; axis < 4; ++axis) {
    Rule rule = Axis(kMapping, axis, "the extent")[0];
    rule.judge = [pooled, axis, judge = rule.judge](Judgement& j) {
      j.dims["the extent"] = {j.call[pooled].extents[axis], pooled};
      return judge(j);
    };
    rules.push_back(rule);
  }
  return rules;
}

// Handle to layouts: what needs no number.
void CheckForm(Contract& contract, const Kind& kind) {
  const Names all = kind.forward ? Names{kind.map(), "rois", kind.pooled(), kMapping}
                                 : Names{kind.pooled(), "rois", kMapping, kind.map()};
  const Rules map_type = SameType({kind.target()}, kind.source()), mapping_type = Int32({kMapping});
  const Rules types = Join({kind.extension ? Floating({kind.source()}) : FloatUnlessFull({kind.source()}),
                            SameType({"rois"}, kind.source()), kind.forward ? map_type : mapping_type,
                            kind.forward ? mapping_type : map_type});
  const Names with_layout =
      kind.forward ? Names{"input", "output", kMapping} : Names{"top_grad", kMapping, "bottom_grad"};
  const std::string three = with_layout[0] + ", " + with_layout[1] + " or " + with_layout[2];
  if (kind.extension) {
    const Rules before = kind.forward ? Descriptors({"input", "rois", "output"}) : Descriptors({"top_grad", "rois"});
    contract
        .Check("handle or a descriptor is NULL (that of mapping_channel may be, if its data is NULL too)",
               {Handle(), before, DescriptorOfMapping(), kind.forward ? Rules{} : Descriptors({"bottom_grad"})})
        .Check("the profile is not the full one", {FullProfile()});
  } else {
    contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(all)});
  }
  contract.Check("ranks are not 4, 2, 4, 4", {Ranks(all)}).Check("a type is not allowed, or not the same", {types});
  if (kind.extension) {
    contract
        .Check("convention has no such value",
               {Enumerator("convention", 0, 2, "a value of detopsPsRoiPoolConvention_t")})
        .Check("layout of " + with_layout[0] + " is not NHWC or NCHW, or not that of the others",
               {EitherLayout(with_layout)});
  } else {
    contract.Check("layout of " + three + " is not NHWC", {Layouts(with_layout, MLUOP_LAYOUT_NHWC)});
  }
}

void CheckSizes(Contract& contract, const Kind& kind) {
  const std::string map = kind.map(), pooled = kind.pooled();
  const Faults no_dim = {{BadClass::kSizes, "output_dim 0", WithDim("output_dim", 0)}};
  const Faults no_rows = {{BadClass::kSizes, "no rows of bins", WithDim("pooled_height", 0)}};
  const Faults no_columns = {{BadClass::kSizes, "no columns of bins", WithDim("pooled_width", 0)}};
  const Faults no_bins = {
      {BadClass::kSizes, "no bins", [kind](Call& call) { SetSizes(call, kind, {2, 4, 9, 6, 0, 0, 7}); }}};
  contract.Check("pooled_height, pooled_width, output_dim are not those of " + pooled,
                 {AxisByLayout(kind, pooled, &Axes::height, "pooled_height"),
                  AxisByLayout(kind, pooled, &Axes::width, "pooled_width"),
                  AxisByLayout(kind, pooled, &Axes::channels, "output_dim")});
  if (kind.extension) {
    contract.Check("pooled_height, pooled_width or output_dim is below 1",
                   {AtLeastOne("pooled_height", no_rows), AtLeastOne("pooled_width", no_columns),
                    AtLeastOne("output_dim", no_dim)});
  } else {
    if (kind.forward) {
      const Faults group = {{BadClass::kShapes, "group_size", WithInteger("group_size", 4)},
                            {BadClass::kShapes, "group_size 0", WithInteger("group_size", 0), false}};
      contract.Check("group_size is not pooled_height", {WithFaults(Axis(pooled, 1, "group_size"), group)});
    }
    const Faults wider = {{BadClass::kShapes, "bins that are not square", WithDim("pooled_width", 4)}};
    contract.Check(pooled + " is not square",
                   {Implied(Axis(pooled, 1, "the height")), WithFaults(Axis(pooled, 2, "the height"), wider)});
    if (kind.forward) {
      contract.Check("group_size or output_dim is below 1",
                     {AtLeastOne("group_size", no_bins), AtLeastOne("output_dim", no_dim)});
    } else {
      contract.Check("output_dim is below 1", {AtLeastOne("output_dim", no_dim)});
    }
  }
  contract.Check("spatial_scale is not finite and above 0", {Scale(kind)})
      .Check("rois has not 5 columns", {Axis("rois", 1, 5)});
  const Names all = kind.forward ? Names{map, "rois", pooled, kMapping} : Names{pooled, "rois", kMapping, map};
  contract.Check("a tensor is not dense", {Dense(all)})
      .Check(pooled + " has not as many rows as rois", {Implied(Axis("rois", 0, "R")), Axis(pooled, 0, "R")})
      .Check(map + " has not pooled_height * pooled_width * output_dim channels",
             {AxisByLayout(kind, map, &Axes::channels, kChannels)})
      .Check("mapping_channel has not the shape of " + pooled, {MappingHasTheShapeOf(pooled)})
      .Check(kind.extension ? "a tensor has more bytes than int64 can count"
                            : "a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {CountsOf(kind)});
}

void CheckForwardData(Contract& contract, const Kind& kind) {
  const std::string or_workspace = kind.workspace ? ", mapping_channel or workspace" : " or mapping_channel";
  contract
      .Check("input has no elements, and output overlaps rois" + or_workspace + ", or mapping_channel overlaps rois" +
                 (kind.workspace ? " or workspace" : ""),
             {OverlapWithoutPixels(kind)})
      .Check("input has no elements, mapping_channel has data, and C is 2^31 or more",
             {ChannelLimitWithoutPixels(kind)})
      .Check("input has no elements: output becomes 0 and mapping_channel is written, if they are not NULL",
             {NoPixels(kind)})
      .Check("rois has no elements", {NotEmpty({"rois"})})
      .Check("a data pointer is NULL", {Data({"input", "rois", "output", kMapping})});
  const auto with_workspace = [&](const std::string& tensor) {
    Faults faults;
    for (const int64_t at : {4, -39, -40}) {
      faults.push_back({BadClass::kOverlap, "workspace in " + tensor, WorkspaceInside(tensor, at, 40), at == 4});
    }
    faults.push_back({BadClass::kOverlap, "no bytes of workspace", WorkspaceInside(tensor, 4, 0), false});
    // A size that no signed number holds is a size all the same.
    faults.push_back({BadClass::kOverlap, "an endless workspace", WorkspaceInside(tensor, 4, -1), false});
    return faults;
  };
  if (kind.workspace) contract.Check("workspace is NULL and workspace_size is not 0", {WorkspacePointer()});
  contract.Check("output or mapping_channel overlaps the other, " + std::string(kind.workspace ? "workspace " : "") +
                     "or an input",
                 {SeparateFrom(kind, "output", {"input", "rois"}),
                  kind.workspace ? WithFaults(Separate("output", {"workspace"}), with_workspace("output")) : Rules{},
                  SeparateFrom(kind, kMapping, {"input", "rois", "output"}),
                  kind.workspace ? WithFaults(Separate(kMapping, {"workspace"}), with_workspace(kMapping)) : Rules{}});
  if (kind.workspace) {
    contract.Check("workspace overlaps an input",
                   {WithFaults(Separate("workspace", {"input"}), with_workspace("input")),
                    WithFaults(Separate("workspace", {"rois"}), with_workspace("rois"))});
  }
}

void CheckBackwardData(Contract& contract, const Kind& kind) {
  contract.Check("rois has no elements", {NotEmpty({"rois"})})
      .Check("top_grad, mapping_channel or bottom_grad has no elements: nothing is written", {NoPixels(kind)})
      .Check("a data pointer is NULL", {Data({"top_grad", "rois", "bottom_grad", kMapping})})
      .Check("bottom_grad overlaps another tensor",
             {SeparateFrom(kind, "bottom_grad", {"top_grad", "rois", kMapping})});
}

// For the table of bad input: old friends that are not the first fault of a rule.
void TryMore(Contract& contract, const Kind& kind) {
  const auto more = [](const std::string& argument) {
    return [argument](Call& call) { ++call.integers.at(argument); };
  };
  const auto pixels = [&](int64_t height, int64_t width, detopsProfile_t profile) {
    return [=](Call& call) {
      WithDim("H", height)(call);
      WithDim("W", width)(call);
      call.profile = profile;
    };
  };
  const BadClass kShapes = BadClass::kShapes, kSizes = BadClass::kSizes, kNotFinite = BadClass::kNotFinite;
  contract.Try(BadClass::kForm, "half rois with a float map", [](Call& call) { call["rois"].type = MLUOP_DTYPE_HALF; })
      .Try(kShapes, "extent of rois on axis 0", [](Call& call) { ++call["rois"].extents[0]; })
      .Try(kShapes, "pooled_height", more("pooled_height"))
      .Try(kShapes, "pooled_width", more("pooled_width"))
      .Try(kShapes, "output_dim", more("output_dim"))
      .Try(BadClass::kEmpty, "no rois", WithDim("R", 0))
      .Try(kSizes, "negative pooled_height", WithInteger("pooled_height", -3))
      .Try(kNotFinite, "spatial_scale not above 0", WithNumber("spatial_scale", 0))
      .Try(kNotFinite, "spatial_scale not above 0", WithNumber("spatial_scale", -0.5))
      .Try(BadClass::kOverflow, "2^60 pixels and more",
           pixels(int64_t{1} << 30, int64_t{1} << 30, DETOPS_PROFILE_FULL));
  for (const double id : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    contract.Try(BadClass::kBatchId, "batch id " + std::to_string(id), WithElement("rois", 15, id));
  }
  if (kind.forward) {
    contract.Try(BadClass::kOverlap, "output and mapping_channel in one place",
                 [](Call& call) { call[kMapping].inside = "output"; });
  }
  if (kind.extension) {
    contract.Try(kSizes, "no bins", [kind](Call& call) { SetSizes(call, kind, {2, 4, 9, 6, 0, 0, 7}); })
        .Try(BadClass::kOverflow, "the contract profile", [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
  } else {
    contract.Try(BadClass::kOverflow, "2^31 elements", pixels(1 << 21, 1 << 10, DETOPS_PROFILE_CONTRACT));
  }
  // Products that are 0 in 32 bits, and that do not fit 64.
  for (const int64_t side : {65536, 2147483647}) {
    contract.Try(BadClass::kOverflow, "P * P * D is " + std::to_string(side) + "^3", [=](Call& call) {
      SetSizes(call, kind, {2, 4, 9, 6, side, side, side == 65536 ? 1 : side});
      call[kind.map()].extents[3] = 0;
    });
  }
  if (kind.workspace) {
    contract.Try(BadClass::kWorkspace, "NULL with a size", WithInteger("workspace_size", 64));
  }
}

// Successes with results that the documentation defines.
void Define(Contract& contract, const Kind& kind) {
  const auto is_untouched = [](const Tensor& tensor) {
    const auto* bytes = static_cast<const unsigned char*>(tensor.address);
    return std::all_of(bytes, bytes + tensor.memory_bytes(), [](unsigned char byte) { return byte == 0xA5; });
  };
  contract.Defines(BadClass::kEmpty, "images without rows", WithDim("H", 0), [=](const Call& call) -> std::string {
    if (!kind.forward) return is_untouched(call["bottom_grad"]) ? "" : "bottom_grad without elements was written";
    for (int64_t i = 0; i < call["output"].elements(); ++i) {
      if (call["output"].Get(i) != 0) return "output is not 0";
      const int64_t dim = call.integer("output_dim"), bin = i / dim;
      const int64_t bins = call.integer("pooled_height") * call.integer("pooled_width");
      if (call[kMapping].Get(i) != static_cast<double>(i % dim * bins + bin % bins)) {
        return "mapping_channel is not the forward one";
      }
    }
    return "";
  });
  if (!kind.forward && !kind.extension) {
    contract.Defines(
        BadClass::kSizes, "no bins: top_grad has no elements, which is a success",
        [=](Call& call) { SetSizes(call, kind, {2, 4, 9, 6, 0, 0, 7}); },
        [=](const Call& call) { return is_untouched(call["bottom_grad"]) ? "" : "bottom_grad was written"; });
  }
  if (!kind.workspace) return;
  contract.Defines(
      BadClass::kWorkspace, "misaligned: any alignment will do, and none is needed",
      [](Call& call) {
        call.workspace.has_data = true;
        call.workspace.bytes = 3;
        call.integers.at("workspace_size") = 3;
      },
      [=](const Call& call) { return is_untouched(call.workspace) ? "" : "the workspace was written"; });
}

}  // namespace

Contract MakeContract(const Kind& kind) {
  const std::string map = kind.map(), pooled = kind.pooled();
  Contract contract(kind.function);
  contract.Says(kind.workspace ? "mluOpPsRoiPoolForward" : kind.function)
      .Shape(map, {"N", "H", "W", kChannels})
      .Shape("rois", {"R", 5})
      .Shape(pooled, {"R", "pooled_height", "pooled_width", "output_dim"})
      .Shape(kMapping, {"R", "pooled_height", "pooled_width", "output_dim"})
      .Computed(kChannels, [](const Call& call) {
        return ChannelsOf(call.integer("pooled_height"), call.integer("pooled_width"), call.integer("output_dim"));
      });
  CheckForm(contract, kind);
  CheckSizes(contract, kind);
  if (kind.forward) {
    CheckForwardData(contract, kind);
  } else {
    CheckBackwardData(contract, kind);
  }
  contract.Check("a number in rois is NaN or Inf", {RoisAreFinite()})
      .Check("a batch id is not a whole number in [0, N), or a roi's scaled coordinates or extent overflow",
             {BatchIdsAndOverflow(kind)})
      .Check("C is 2^31 or more", {ChannelLimit(kind)});
  if (!kind.forward) contract.Check("a value of mapping_channel is outside [0, C)", {MappingChannels(kind)});
  contract.Check("H or W is 2^32 or more", {PixelLimits(kind)})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  TryMore(contract, kind);
  Define(contract, kind);
  if (!kind.workspace) contract.CannotOccur({BadClass::kWorkspace});
  if (kind.forward) contract.CannotOccur({BadClass::kIndices});
  if (!kind.extension) contract.CannotOccur({BadClass::kEnumerator});
  return contract
      .CannotOccur({BadClass::kCoordinates},
                   "corners of RoIs may lie anywhere: what lies outside the map holds no pixel")
      .CannotOccur({BadClass::kDuplicates}, "RoIs are independent of each other and may be equal");
}

}  // namespace detops_harness::psroipool
