// Calls of mluOpNms and its size function, and what must come out of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "boxes/contract/detections.h"
#include "harness/catalogue.h"
#include "ops/nms/contract/nms.h"
#include "ops/nms/reference/reference.h"

namespace detops_harness::nms {
namespace {

constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;

// Numbers by box become boxes by number, image by image.
Tensor Planar(const Tensor& tensor) {
  const size_t rank = tensor.extents.size();
  Tensor turned = tensor;
  std::swap(turned.extents[rank - 1], turned.extents[rank - 2]);
  const int64_t count = tensor.extents[rank - 2], numbers = tensor.extents[rank - 1];
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const int64_t image = i / (count * numbers), box = i / numbers % count, number = i % numbers;
    turned.Set((image * numbers + number) * count + box, tensor.Get(i));
  }
  return turned;
}

// Number k of box i.
double NumberOf(const Call& call, int64_t image, int64_t i, int64_t k) {
  const Sizes sizes = SizesOf(call);
  const bool planar = call.integer("input_layout") == 1;
  return call["boxes"].Get(image * sizes.numbers * sizes.count +
                           (planar ? k * sizes.count + i : i * sizes.numbers + k));
}

float FloatOf(const Call& call, const char* name) { return static_cast<float>(call.number(name)); }

std::vector<detops_test::UprightBox> BoxesOf(const Call& call, int64_t image) {
  const double offset = static_cast<double>(FloatOf(call, "offset"));
  std::vector<detops_test::UprightBox> list;
  for (int64_t i = 0; i < SizesOf(call).count; ++i) {
    double number[4];
    for (int64_t k = 0; k < 4; ++k) number[k] = NumberOf(call, image, i, k);
    auto [x1, y1, x2, y2] = number;
    if (call.integer("box_mode") == MLUOP_NMS_BOX_CENTER) {
      const double width = x2, height = y2;
      x1 -= width / 2;
      y1 -= height / 2;
      x2 = x1 + width;
      y2 = y1 + height;
      if (!(width > 0) || !(height > 0)) x2 = y2 = std::nan("");
    } else {
      if (x1 > x2) std::swap(x1, x2);
      if (y1 > y2) std::swap(y1, y2);
    }
    list.push_back({x1, y1, x2 + offset, y2 + offset});
  }
  return list;
}

struct Stayed {
  int64_t image, of_class;
  detops_reference::NmsPick pick;
};

std::vector<Stayed> StayedOfFour(const Call& call) {
  const Sizes sizes = SizesOf(call);
  const auto real = [&](const char* name) { return static_cast<double>(FloatOf(call, name)); };
  const detops_reference::NmsRules rules = {static_cast<int>(call.integer("method_mode")), real("iou_threshold"),
                                            real("soft_nms_sigma"), real("confidence_threshold"),
                                            static_cast<size_t>(call.integer("max_output_size"))};
  std::vector<Stayed> all;
  const std::vector<double> confidence = sizes.count == 0 ? std::vector<double>() : call["confidence"].Values();
  for (int64_t image = 0; image < sizes.images; ++image) {
    const std::vector<detops_test::UprightBox> boxes = BoxesOf(call, image);
    for (int64_t c = 0; c < sizes.classes; ++c) {
      const auto begin = confidence.begin() + (image * sizes.classes + c) * sizes.count;
      const std::vector<double> scores(begin, begin + sizes.count);
      for (const detops_reference::NmsPick& pick : detops_reference::Nms(boxes, scores, rules)) {
        all.push_back({image, c, pick});
      }
    }
  }
  return all;
}

std::vector<double> StayedOfSeven(const Call& call) {
  const Tensor& confidence = call["confidence"];
  std::vector<size_t> order;
  for (int64_t i = 0; i < SizesOf(call).count; ++i) order.push_back(static_cast<size_t>(i));
  if (confidence.described) {
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const double first = confidence.Get(static_cast<int64_t>(a)), second = confidence.Get(static_cast<int64_t>(b));
      return first != second ? first > second : a < b;
    });
  }
  std::vector<std::array<double, 7>> boxes;
  for (const size_t i : order) {
    boxes.emplace_back();
    for (int64_t k = 0; k < 7; ++k) {
      boxes.back()[static_cast<size_t>(k)] = NumberOf(call, 0, static_cast<int64_t>(i), k);
    }
  }
  std::vector<double> stayed;
  for (const size_t place : detops_reference::NmsBev(boxes, static_cast<double>(FloatOf(call, "iou_threshold")))) {
    stayed.push_back(static_cast<double>(order[place]));
  }
  return stayed;
}

class Nms : public Function {
 public:
  explicit Nms(Kind kind) : Function(MakeContract(kind)), kind_(kind) {}

  bool computes() const override { return kind_ == Kind::kRun; }

  std::vector<ShapeKey> keys() const override {
    return {{"count", "2000", "N: boxes of an image", {"0", "1", "2", "11", "63", "64", "65", "200"}},
            {"images", "none", "B; none: boxes have rank 2", {"none", "0", "1", "2", "3"}},
            {"classes", "1", "C, with images", {"0", "1", "3"}},
            {"numbers", "4", "of a box: 4 or 7", {"4", "7"}},
            {"scored", "0", "1: boxes of 7 numbers have scores", {"0", "1"}},
            {"layout", "0", "input_layout", {"0", "1"}},
            {"box", "diagonal", "box_mode: diagonal or centre", {"diagonal", "centre"}},
            {"mode",
             "indices",
             "output_mode: indices, rows, planes, batch_class",
             {"indices", "rows", "planes", "batch_class"}},
            {"method", "hard", "method_mode: hard, linear, gaussian", {"hard", "linear", "gaussian"}},
            {"threshold", "0.5", "iou_threshold", {"0.5", "0", "-1", "0.3", "1", "0.8"}},
            {"sigma", "0.25", "soft_nms_sigma", {"0.25", "0", "5"}},
            {"most", "1000", "max_output_size", {"0", "1", "7", "64", "1000"}},
            {"confidence", "0", "confidence_threshold", {"0", "0.25", "0.5", "1"}},
            {"offset", "0", "0 or 1", {"0", "1"}},
            {"pad", "0", "pad_to_max_output_size", {"0", "1"}},
            {"spare", "0", "elements of output that are not needed", {"0", "1", "9"}},
            {"workspace", "0", "bytes", {"0", "1", "40"}},
            boxes::DetectionsKey(),
            boxes::ScoresKey(),
            {"index", "int32", "type of the indices", {"int32", "int64", "uint32"}}};
  }

  std::vector<Sample> samples() const override { return kind_ == Kind::kRun ? SamplesOfRun() : SamplesOfSize(); }
  std::vector<BenchmarkCase> benchmarks() const override {
    if (kind_ == Kind::kSize) return {};
    return {{"rpn", "count=6000,threshold=0.7,most=1000"},
            {"all", "count=12000,threshold=0.7,most=12000", "", BenchmarkCase::kFew},
            {"classes", "images=2,classes=20,count=1000,mode=batch_class,most=100", "", BenchmarkCase::kFew},
            {"bev", "numbers=7,count=4096,threshold=0.1", "", BenchmarkCase::kFew},
            {"linear", "count=2000,method=linear,most=2000", "", BenchmarkCase::kOne}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override;

  std::shared_ptr<void> MakeObjects(const Functions& library, const Arguments& a) const override {
    const Call& call = a.call();
    mluOpNmsDescriptor_t made = nullptr;
    library.mluOpCreateNmsDescriptor(&made);
    // Of a setting that is refused nothing stays.
    if (call.integer("set") != 0) {
      library.mluOpSetNmsDescriptor(
          made, a.integer<mluOpNmsBoxPointMode_t>("box_mode"), a.integer<mluOpNmsOutputMode_t>("output_mode"),
          a.integer<mluOpNmsAlgo_t>("algo"), a.integer<mluOpNmsMethodMode_t>("method_mode"), a.number("iou_threshold"),
          a.number("soft_nms_sigma"), a.integer("max_output_size"), a.number("confidence_threshold"),
          a.number("offset"), a.integer("input_layout"), a.integer("pad_to_max_output_size") != 0);
    }
    return {made, library.mluOpDestroyNmsDescriptor};
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const mluOpNmsDescriptor_t nms = a.IsNull("nms_desc") ? nullptr : a.object<cnnlNmsStruct>();
    if (kind_ == Kind::kSize) {
      ResultPlace<size_t> size(a, "workspace_size");
      return library.mluOpGetNmsWorkspaceSize(handle, nms, a.desc("boxes"), a.desc("confidence"), size.get());
    }
    return library.mluOpNms(handle, nms, a.desc("boxes"), a.data("boxes"), a.desc("confidence"), a.data("confidence"),
                            a.workspace(), a.workspace_size(), a.desc("output"), a.data("output"),
                            a.data("output_size"));
  }

  std::vector<Part> WrittenParts(const Call& call, const Tensor& output) const override;
  Expected Reference(const Call& call) const override;

 private:
  static std::vector<Sample> SamplesOfRun();
  static std::vector<Sample> SamplesOfSize() {
    return {{"count=11,most=7"},
            {"count=11,layout=1"},
            {"count=9,numbers=7"},
            {"count=9,numbers=7,scored=1"},
            {"images=2,classes=3,count=5,mode=batch_class"},
            {"count=0"}};
  }

  Kind kind_;
};

std::vector<Sample> Nms::SamplesOfRun() {
  std::vector<Sample> samples = {{"count=11,most=7,threshold=0.25,workspace=40"}};
  const auto add = [&](const std::string& shape, bool large = false) { samples.push_back({shape, large}); };
  // Every way of reading and of writing, with room that is needed, left over, and none.
  for (const char* method : {"hard", "linear", "gaussian"}) {
    for (const char* mode : {"indices", "rows", "planes", "batch_class"}) {
      for (const char* layout : {"0", "1"}) {
        for (const char* box : {"diagonal", "centre"}) {
          for (const char* pad : {"0", "1"}) {
            add(std::string("method=") + method + ",mode=" + mode + ",layout=" + layout + ",box=" + box +
                ",pad=" + pad + ",count=40,most=25,spare=9");
            add(std::string("method=") + method + ",mode=" + mode + ",layout=" + layout + ",box=" + box +
                ",pad=" + pad + ",images=1,count=30,most=50,confidence=0.25,offset=1");
          }
        }
      }
    }
    const std::string with = std::string(",method=") + method;
    for (const char* layout : {"0", "1"}) {
      add(std::string("images=3,classes=4,count=33,most=9,mode=batch_class,layout=") + layout + with);
      add(std::string("images=2,classes=3,count=33,most=40,mode=batch_class,pad=1,layout=") + layout + with);
    }
    for (const char* kind : {"scattered", "grid", "equal", "degenerate", "far"}) {
      for (const char* rest : {"threshold=0.3,offset=1", "threshold=0", "threshold=-1", "threshold=1,sigma=0,most=7",
                               "threshold=0.5,confidence=0.5", "threshold=0.5,box=centre"}) {
        add(std::string("count=150,boxes=") + kind + "," + rest + with);
      }
    }
    for (const char* count : {"1", "2", "64", "129", "300"}) add(std::string("count=") + count + with);
    for (const char* type : {"float", "half", "double", "bfloat16"}) {
      add(std::string("count=60,mode=rows,scores=") + type + with);
      add(std::string("count=60,index=int64,scores=") + type + with);
    }
    add("count=60,index=uint32" + with);
    add("count=60,confidence=1" + with);
  }
  for (const char* layout : {"0", "1"}) {
    for (const char* scored : {"0", "1"}) {
      for (const char* rest : {"count=40,threshold=0.1", "count=40,threshold=0.47,boxes=grid", "count=40,threshold=0",
                               "count=40,threshold=-1,boxes=degenerate", "count=30,boxes=equal,index=int64",
                               "count=60,threshold=0.3,boxes=scattered,most=0,mode=planes,method=linear,pad=1"}) {
        add(std::string("numbers=7,layout=") + layout + ",scored=" + scored + "," + rest);
      }
    }
  }
  for (const char* nothing :
       {"count=0", "count=0,numbers=7", "count=5,most=0", "count=0,pad=1,most=3,mode=rows",
        "images=0,classes=2,count=3,mode=batch_class", "images=2,classes=0,count=3,mode=batch_class"}) {
    add(nothing);
  }
  add("count=20000,threshold=0.7,most=2000", true);
  add("images=4,classes=8,count=700,most=100,mode=batch_class", true);
  return samples;
}

Call Nms::Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const {
  const bool ranked = shape.Word("images") != "none", bev = shape.Int("numbers") == 7;
  const int64_t images = ranked ? shape.Int("images") : 1, classes = ranked ? shape.Int("classes") : 1;
  const int64_t count = shape.Int("count"), numbers = shape.Int("numbers");
  if ((numbers != 4 && !bev) || (bev && ranked)) throw ShapeError("--shape: numbers must be 4, or 7 without images");
  Call call;
  const size_t mode = shape.Choice("mode", {"indices", "rows", "planes", "batch_class"});
  if (mode != 3 && !bev && images * classes != 1) throw ShapeError("--shape: several lists need mode=batch_class");
  call.integers = {{"set", 1},
                   {"box_mode", static_cast<int64_t>(shape.Choice("box", {"diagonal", "centre"}))},
                   {"output_mode", static_cast<int64_t>(mode)},
                   {"algo", 0},
                   {"method_mode", static_cast<int64_t>(shape.Choice("method", {"hard", "linear", "gaussian"}))},
                   {"max_output_size", std::min<int64_t>(shape.Int("most"), 1000000)},
                   {"input_layout", shape.Int("layout") != 0 ? 1 : 0},
                   {"pad_to_max_output_size", shape.Int("pad") != 0 ? 1 : 0}};
  call.numbers = {{"iou_threshold", shape.Real("threshold")},
                  {"soft_nms_sigma", shape.Real("sigma")},
                  {"confidence_threshold", shape.Real("confidence")},
                  {"offset", shape.Real("offset")}};
  const auto extents = [&](std::vector<int64_t> list) {
    if (ranked) list.insert(list.begin(), images);
    return list;
  };
  Tensor all = Input("boxes", kArray, type, extents({count, numbers}));
  std::vector<int64_t> of_scores = {count};
  if (ranked) of_scores = {images, classes, count};
  Tensor confidence = Input("confidence", kArray, boxes::ScoresType(shape, type), of_scores);
  Random random(seed);
  for (int64_t image = 0; image < images; ++image) {
    int64_t row = image * count;
    for (const boxes::Detection& detection : boxes::MakeDetections(shape, count, random)) {
      std::array<double, 4> c = detection.corners;
      const double width = c[2] - c[0], height = c[3] - c[1];
      std::vector<double> values(c.begin(), c.end());
      if (shape.Word("box") == "centre") values = {c[0] + width / 2, c[1] + height / 2, width, height};
      // Turned by angles that are not so small that two boxes with one angle might be taken for parallel.
      if (bev) values = {c[0], c[1], detection.score, width, height, 1.5, random.Angle()};
      for (int64_t k = 0; k < numbers; ++k) all.Set(row * numbers + k, values[static_cast<size_t>(k)]);
      ++row;
    }
    for (int64_t c = 0; c < classes; ++c) {
      int64_t i = (image * classes + c) * count;
      for (const boxes::Detection& detection : boxes::MakeDetections(shape, count, random)) {
        confidence.Set(i++, detection.score);
      }
    }
  }
  if (bev && shape.Int("scored") == 0) confidence = Absent("confidence", Access::kRead);
  call.tensors = {shape.Int("layout") != 0 ? Planar(all) : all, confidence};
  const mluOpDataType_t types[] = {MLUOP_DTYPE_INT32, MLUOP_DTYPE_INT64, MLUOP_DTYPE_UINT32};
  const mluOpDataType_t index = types[shape.Choice("index", {"int32", "int64", "uint32"})];
  call.tensors.push_back(
      Output("output", kArray, HoldsIndices(call) ? index : type, {Needed(call) + shape.Int("spare")}));
  call.tensors.push_back(Output("output_size", kArray, MLUOP_DTYPE_INT32, {1}));
  const int64_t workspace = kind_ == Kind::kRun ? shape.Int("workspace") : 0;
  call.workspace.bytes = static_cast<size_t>(workspace);
  call.workspace.has_data = workspace > 0;
  if (kind_ == Kind::kRun) {
    call.integers["workspace_size"] = workspace;
    return call;
  }
  for (Tensor& tensor : call.tensors) tensor.has_data = false;
  call.results["workspace_size"] = -77;
  return call;
}

std::vector<Part> Nms::WrittenParts(const Call& call, const Tensor& output) const {
  if (output.name == "output_size") return {{0, 1}};
  if (output.address == nullptr) return {};
  const int64_t kept = NumberIn(call["output_size"]);
  const Sizes sizes = SizesOf(call);
  const int64_t lists = sizes.images * sizes.classes, most = call.integer("max_output_size");
  if (kept < 0 || kept > (sizes.bev() ? sizes.count : lists * Most(call))) return {};
  if (sizes.bev()) return {{0, kept}};
  const bool pad = call.integer("pad_to_max_output_size") != 0;
  const int64_t room = pad ? lists * most : kept;
  switch (call.integer("output_mode")) {
    case 0:
      return {{0, room}};
    case 1:
      return {{0, 5 * room}};
    case 2: {
      std::vector<Part> planes;
      for (int64_t plane = 0; plane < 5; ++plane) planes.push_back({plane * most, plane * most + room});
      return planes;
    }
    default:
      return {{0, 3 * room}};
  }
}

Expected Nms::Reference(const Call& call) const {
  Expected expected;
  if (kind_ == Kind::kSize) {
    expected.results["workspace_size"] = 0;
    return expected;
  }
  std::vector<double>& output = expected.tensors["output"];
  const Sizes sizes = SizesOf(call);
  if (sizes.bev()) {
    output = StayedOfSeven(call);
    expected.tensors["output_size"] = {static_cast<double>(output.size())};
    return expected;
  }
  const std::vector<Stayed> stayed = StayedOfFour(call);
  expected.tensors["output_size"] = {static_cast<double>(stayed.size())};
  const auto lists = static_cast<size_t>(sizes.images * sizes.classes);
  const bool pad = call.integer("pad_to_max_output_size") != 0 && call["output"].address != nullptr;
  const size_t room = pad ? lists * static_cast<size_t>(call.integer("max_output_size")) : stayed.size();
  const int64_t mode = call.integer("output_mode");
  const size_t elements = mode == 0 ? 1 : mode == 3 ? 3 : 5;
  output.assign(elements * room, 0);
  for (size_t i = 0; i < stayed.size(); ++i) {
    const auto& [image, of_class, pick] = stayed[i];
    const auto box = static_cast<int64_t>(pick.box);
    std::vector<double> row = {static_cast<double>(box)};
    if (mode == 3) row = {static_cast<double>(image), static_cast<double>(of_class), static_cast<double>(box)};
    if (mode == 1 || mode == 2) {
      row = {pick.score};
      for (int64_t k = 0; k < 4; ++k) row.push_back(NumberOf(call, 0, box, k));
    }
    for (size_t k = 0; k < elements; ++k) output[mode == 2 ? k * room + i : i * elements + k] = row[k];
  }
  if (call.integer("method_mode") == 0 && call["confidence"].type == call["boxes"].type)
    expected.exact.insert("output");
  return expected;
}

}  // namespace

void AddTo(Catalogue& catalogue) {
  for (const Kind kind : {Kind::kRun, Kind::kSize}) catalogue.Add(std::make_unique<Nms>(kind));
}

}  // namespace detops_harness::nms
