// Types, modes and numbers: the rules about what mluOpNms is asked for.
#include <algorithm>
#include <climits>
#include <utility>

#include "harness/function.h"
#include "ops/nms/contract/rules.h"

namespace detops_harness::nms {
namespace {

using Apply = std::function<void(Call&)>;
using Sentence = std::optional<std::string>;

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
constexpr int64_t kTwoTo31 = int64_t{1} << 31;

bool IsFloating(mluOpDataType_t type) {
  return type == MLUOP_DTYPE_FLOAT || type == MLUOP_DTYPE_HALF || type == MLUOP_DTYPE_DOUBLE ||
         type == MLUOP_DTYPE_BFLOAT16;
}

Apply WithType(const char* tensor, mluOpDataType_t type) {
  return [=](Call& call) { call[tensor].type = type; };
}
// Only addresses, as many as the description says.
Apply Reserved(const std::vector<const char*>& tensors) {
  return [=](Call& call) {
    for (const char* name : tensors) call[name].reserved = true;
  };
}

// Every type for the tensor, in calls of several kinds.
Faults TypesOf(const char* tensor, const std::vector<Apply>& kinds) {
  Faults faults;
  for (const Apply& kind : kinds) {
    for (const int type : {3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 99, INT_MAX}) {
      faults.push_back({BadClass::kForm, std::string("type of ") + tensor,
                        All({kind, WithType(tensor, static_cast<mluOpDataType_t>(type)),
                             [=](Call& call) {
                               Tensor& changed = call[tensor];
                               if (changed.byte_count() > static_cast<int64_t>(8 * changed.memory_bytes())) return;
                               const auto bytes =
                                   std::max(static_cast<size_t>(changed.byte_count()), changed.memory_bytes());
                               if (changed.access == Access::kRead) changed.contents.resize(bytes);
                               if (changed.access == Access::kWritten) changed.bytes = bytes;
                             }}),
                        faults.empty()});
    }
  }
  return faults;
}

const Apply kAsItIs = [](Call&) {};

}  // namespace

Rules ConfidenceType() {
  return Own({"type of confidence", kBad,
              [](Judgement& j) -> Sentence {
                const Tensor &boxes = j.call["boxes"], &confidence = j.call["confidence"];
                if (!confidence.described) return {};
                const mluOpDataType_t type = confidence.type;
                std::string expected = TypeName(boxes.type), lifts = IsFloating(type) ? kFullProfileLifts : "";
                bool allowed = type == boxes.type;
                if (j.call.full()) {
                  allowed = IsFloating(type);
                  expected = "float, half, double or bfloat16";
                  lifts.clear();
                } else if (boxes.type == MLUOP_DTYPE_FLOAT && boxes.extents.size() == 2) {
                  allowed |= type == MLUOP_DTYPE_HALF;
                  expected = "float or half";
                }
                if (allowed) return {};
                return std::string("confidence has type ") + TypeName(type) + ", expected " + expected + lifts + ".";
              },
              TypesOf("confidence", {kAsItIs, Full(), WithType("boxes", MLUOP_DTYPE_HALF),
                                     As("images=2,classes=3,mode=batch_class"), As("numbers=7,scored=1", true)})});
}

Rules OutputType() {
  return Own({"type of output", kBad,
              [](Judgement& j) -> Sentence {
                const Tensor &boxes = j.call["boxes"], &output = j.call["output"];
                const mluOpDataType_t type = output.type;
                if (!HoldsIndices(j.call)) {
                  if (type == boxes.type) return {};
                  return std::string("output has type ") + TypeName(type) + ", expected " + TypeName(boxes.type) +
                         " as boxes has.";
                }
                const bool wide = type == MLUOP_DTYPE_INT64;
                if (type == MLUOP_DTYPE_INT32 || type == MLUOP_DTYPE_UINT32 || (wide && j.call.full())) return {};
                return std::string("output has type ") + TypeName(type) + ", expected " +
                       (j.call.full() ? "int32, uint32 or int64" : "int32 or uint32") +
                       (wide ? kFullProfileLifts : "") + ".";
              },
              TypesOf("output", {kAsItIs, Full(), As("mode=rows"), As("mode=planes", true),
                                 As("images=2,classes=3,mode=batch_class"), As("numbers=7"),
                                 All({As("numbers=7"), WithInteger("output_mode", 1)})})});
}

Rules OneImageAndClass() {
  Faults faults;
  for (const char* sizes :
       {"images=2,classes=3", "images=1,classes=2", "images=2,classes=1", "images=1,classes=1", "images=1,classes=0"}) {
    for (const int mode : {0, 1, 2, 3}) {
      const auto apply =
          All({As(std::string(sizes) + ",mode=batch_class"), WithInteger("output_mode", mode), [=](Call& call) {
                 if (mode == 1 || mode == 2) call["output"].type = MLUOP_DTYPE_FLOAT;
               }});
      faults.push_back({BadClass::kShapes, "several images or classes in one list", apply, faults.empty()});
    }
  }
  return Own({"output_mode with images and classes", kBad,
              [](Judgement& j) -> Sentence {
                const Sizes sizes = SizesOf(j.call);
                const int64_t mode = j.call.integer("output_mode");
                if (sizes.bev() || mode == 3 || (sizes.images == 1 && sizes.classes == 1)) return {};
                return Format("nms has output_mode %d, expected 3 for %lld images with %lld classes.",
                              static_cast<int>(mode), static_cast<long long>(sizes.images),
                              static_cast<long long>(sizes.classes));
              },
              std::move(faults)});
}

Rules HardInContract() {
  return Own({"method_mode in the contract profile",
              kLimit,
              [](Judgement& j) -> Sentence {
                const int64_t method = j.call.integer("method_mode");
                if (SizesOf(j.call).bev() || method == 0 || j.call.full()) return {};
                return Format("nms has method_mode %d, expected 0%s.", static_cast<int>(method), kFullProfileLifts);
              },
              {{BadClass::kEnumerator, "a soft method", WithInteger("method_mode", 1)},
               {BadClass::kEnumerator, "the Gaussian", WithInteger("method_mode", 2), false},
               {BadClass::kEnumerator, "a soft method in the full profile",
                All({WithInteger("method_mode", 1), Full()}), false},
               {BadClass::kEnumerator, "a soft method for boxes of 7 numbers",
                All({As("numbers=7"), WithInteger("method_mode", 1)}), false}}});
}

Rules RoomInOutput() {
  Faults faults;
  for (const char* shape :
       {"most=5", "most=5,pad=1", "most=20", "most=20,pad=1", "most=5,mode=rows", "most=20,mode=rows",
        "most=5,mode=planes", "most=20,mode=planes", "most=20,mode=planes,pad=1", "most=5,mode=batch_class",
        "most=5,images=2,classes=3,mode=batch_class", "most=20,images=2,classes=3,mode=batch_class,pad=1",
        "numbers=7,most=0", "count=0,most=3,mode=planes", "count=0,most=3,pad=1"}) {
    faults.push_back({BadClass::kShapes, "output is too small",
                      All({As(shape),
                           [](Call& call) {
                             const int64_t elements = call["output"].elements();
                             call["output"].extents = {std::max<int64_t>(0, elements - 1)};
                           }}),
                      faults.empty()});
  }
  return Own({"elements of output", kBad,
              [](Judgement& j) -> Sentence {
                const int64_t elements = j.call["output"].elements(), needed = Needed(j.call);
                if (elements >= needed) return {};
                return Format("output has %lld elements, expected at least %lld.", static_cast<long long>(elements),
                              static_cast<long long>(needed));
              },
              std::move(faults)});
}

// Pointers are looked at first, so there must be addresses.
Rules CountOfBoxes() {
  const auto boxes = [](int64_t count, bool full) {
    return All({WithDim("N", count), Reserved({"boxes", "confidence"}), [=](Call& call) {
                  if (full) call.profile = DETOPS_PROFILE_FULL;
                }});
  };
  return WithFaults(Counts({"boxes"}),
                    {{BadClass::kOverflow, "2^31 numbers of boxes", boxes(int64_t{1} << 29, false)},
                     {BadClass::kOverflow, "fewer than 2^31 numbers", boxes((int64_t{1} << 29) - 1, false), false},
                     {BadClass::kOverflow, "2^31 numbers in the full profile", boxes(int64_t{1} << 29, true), false}});
}

Rules CountOfConfidence() {
  // No box may stay, so that output need not be large.
  const auto classes = [](int64_t count, bool full) {
    return All({As("images=1,classes=2,mode=batch_class,most=0", full), WithExtents("confidence", {1, count, 11}),
                Reserved({"confidence"})});
  };
  return WithFaults(Counts({"confidence"}),
                    {{BadClass::kOverflow, "2^31 scores", classes(195225787, false)},  // 11 * 195225787 = 2^31 + 9
                     {BadClass::kOverflow, "fewer than 2^31 scores", classes(195225786, false), false},
                     {BadClass::kOverflow, "2^31 scores in the full profile", classes(195225787, true), false},
                     {BadClass::kOverflow, "2^63 bytes of scores", classes(int64_t{1} << 60, true), false}});
}

Rules CountOfOutput() {
  const auto elements = [](int64_t count) { return All({WithExtents("output", {count}), Reserved({"output"})}); };
  return WithFaults(Counts({"output"}), {{BadClass::kOverflow, "2^31 elements of output", elements(kTwoTo31)}});
}

Rules Limits() {
  const auto boxes = [](int64_t count) {
    return All({Full(), WithDim("N", count), Reserved({"boxes", "confidence"})});
  };
  // 65,536 classes of 32,768 boxes each.
  const auto results = [](int64_t most) {
    return All({As("images=1,classes=2,mode=batch_class", true), WithExtents("boxes", {1, 32768, 4}),
                WithExtents("confidence", {1, 65536, 32768}), WithExtents("output", {int64_t{3} << 31}),
                WithInteger("max_output_size", most), Reserved({"boxes", "confidence", "output"})});
  };
  return Own({"numbers of boxes",
              kLimit,
              [](Judgement& j) -> Sentence {
                const Sizes sizes = SizesOf(j.call);
                if (sizes.count >= kTwoTo31) {
                  return Format("boxes has %lld boxes of an image, expected fewer than 2^31.",
                                static_cast<long long>(sizes.count));
                }
                int64_t stay = 0;
                if (__builtin_mul_overflow(sizes.images, sizes.classes, &stay) ||
                    __builtin_mul_overflow(stay, sizes.bev() ? sizes.count : Most(j.call), &stay)) {
                  stay = INT64_MAX;
                }
                if (stay < kTwoTo31) return {};
                return Format("as many as %lld boxes may stay, expected fewer than 2^31: output_size is int32.",
                              static_cast<long long>(stay));
              },
              {{BadClass::kOverflow, "2^31 boxes", boxes(kTwoTo31)},
               {BadClass::kOverflow, "2^31 - 1 boxes", boxes(kTwoTo31 - 1), false},
               {BadClass::kOverflow, "2^31 results", results(32768), false},
               {BadClass::kOverflow, "fewer results", results(32767), false}}});
}

Rules NothingToDo() {
  Faults faults;
  const auto add = [&](const std::string& shape) {
    for (const bool full : {false, true}) {
      faults.push_back({BadClass::kEmpty, "nothing to do", As(shape, full), faults.empty()});
    }
  };
  for (const std::string pad : {"", ",pad=1"}) {
    for (const char* shape : {"count=0", "count=0,numbers=7", "most=0"}) {
      for (const char* mode : {"", ",mode=rows", ",mode=planes"}) add(shape + pad + mode);
    }
    for (const char* sizes : {"images=0,classes=3", "images=2,classes=0", "images=2,classes=3,count=0"}) {
      add(sizes + pad + ",mode=batch_class");
    }
  }
  faults.push_back({BadClass::kEmpty, "no data and nothing to do", All({As("count=0", true), [](Call& call) {
                                                                          for (const char* name :
                                                                               {"boxes", "confidence", "output"})
                                                                            call[name].has_data = false;
                                                                        }})});
  return Done(
      "nothing to do",
      [](const Call& call) {
        const Sizes sizes = SizesOf(call);
        return sizes.images == 0 || sizes.classes == 0 || (sizes.bev() ? sizes.count : Most(call)) == 0;
      },
      faults);
}

}  // namespace detops_harness::nms
