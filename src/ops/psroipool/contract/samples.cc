// Shapes that are worth testing, and the kinds of rois in them.
#include <cmath>
#include <iterator>

#include "ops/psroipool/contract/psroipool.h"

namespace detops_harness::psroipool {
namespace {

// What rois look like; the program knows the first two.
constexpr const char* kCorners[] = {"inside",   "anywhere", "over",  "whole", "ties",  "thin",
                                    "reversed", "outside",  "large", "low",   "pixels"};

}  // namespace

std::vector<std::string> KindsOfRois() { return {std::begin(kCorners), std::end(kCorners)}; }

Roi MakeRoi(const std::string& corners, double height, double width, double unit, int64_t index, Random& random) {
  Roi roi = {random.Uniform(0, width * 0.6), random.Uniform(0, height * 0.6), 0, 0};
  roi.x2 = random.Uniform(roi.x1, width);
  roi.y2 = random.Uniform(roi.y1, height);
  const double side = random.Uniform(0, 1);
  if (corners == "anywhere") {  // also outside the map, in the wrong order, and far too small
    const auto place = [&](double size) { return random.Uniform(-0.5, 1.5) * size; };
    roi = {place(width), place(height), place(width), place(height)};
    if (index % 5 == 0) roi = {roi.x1, roi.y1, roi.x1 - 1, roi.y1 - 1};
  } else if (corners == "over") {
    roi.x1 -= width * 0.5;
    roi.y2 += height * 0.5;
  } else if (corners == "whole") {
    const double less = side < 0.5 ? 1 : 0;
    roi = {0, 0, width - less, height - less};
  } else if (corners == "ties") {  // halfway between whole numbers, of both signs
    roi = {std::floor(roi.x1) - 1.5, std::floor(roi.y1) - 1.5, std::floor(roi.x2) + 0.5, std::floor(roi.y2) + 0.5};
  } else if (corners == "thin") {  // one pixel or less: bins share pixels
    roi.x2 = roi.x1 + (side < 0.7 ? 0 : unit);
    roi.y2 = roi.y1 + (side > 0.3 ? 0 : unit);
  } else if (corners == "reversed") {
    roi.x2 = roi.x1 - random.Uniform(0, 3 * unit);
    roi.y2 = roi.y1 - random.Uniform(0, 3 * unit);
  } else if (corners == "outside") {
    const double shift = (side < 0.5 ? -3 : 3) * (width + height + 3);
    roi.x1 += shift;
    roi.x2 += shift;
  } else if (corners == "large") {
    roi = {roi.x1 - width * 7, roi.y1 - height * 5, roi.x2 + width * 6, roi.y2 + height * 9};
  } else if (corners == "low") {  // few rows, anywhere; some above, below, in the first and in the last row
    const double beyond = height + 17 * unit;
    roi.y1 = random.Uniform(0, height);
    roi.y2 = roi.y1 + random.Uniform(0, 12 * unit);
    if (index % 16 == 3) roi.y1 -= beyond;
    if (index % 16 == 7) roi = {roi.x1, roi.y1 + beyond, roi.x2, roi.y2 + beyond};
    if (index % 16 == 11) roi.y1 = roi.y2 = height - 1;
    if (index % 16 == 15) roi.y1 = roi.y2 = 0;
  } else if (corners == "pixels") {  // on whole pixels of the map, where the last bit decides
    const auto x = static_cast<double>(index % 10), y = static_cast<double>(index / 10 % 10);
    roi = {x * unit, y * unit, (x + y + 1) * unit - 1, (y + 7) * unit - 1};
  }
  return roi;
}

std::vector<Sample> SamplesOf(const Kind& kind) {
  // The extents of the first are all different, and none is 5, so that a confused axis is noticed.
  const std::string good = "batch=2,height=4,width=9,rois=6,pooled=3,dim=7,scale=0.5,corners=mixed";
  std::vector<Sample> samples = {{kind.extension ? good + ",pooled_width=8" : good}};
  const auto add = [&](const std::string& shape, bool large = false) { samples.push_back({shape, large}); };
  const std::string large = "batch=3,height=37,width=29,rois=600,pooled=3,dim=11,scale=0.25,corners=mixed";
  if (kind.workspace) {
    for (const char* bytes : {"1", "7", "4096"}) add(good + ",workspace=" + bytes);
    add(large + ",workspace=64", true);
    return samples;
  }
  const std::string small = "batch=2,height=7,width=9,rois=11,scale=0.25,corners=mixed,";
  for (const char* height : {"height=0,width=3,batch=2", "height=3,width=0,batch=1", "height=3,width=2,batch=0"}) {
    add(std::string(height) + ",rois=4,pooled=2,dim=3");
  }
  if (kind.extension) {
    const char* const conventions[] = {"rfcn", "torchvision", "consistent"};
    for (const char* layout : {"NHWC", "NCHW"}) {
      const std::string in = std::string("layout=") + layout + ",";
      for (const std::string convention : conventions) {
        const std::string by = in + "convention=" + convention + ",";
        add(by + small + "pooled=2,pooled_width=3,dim=9");
        add(by + "batch=2,height=12,width=10,rois=22,pooled=3,pooled_width=2,dim=4,scale=0.3,corners=mixed");
        add(by + "batch=1,height=2,width=33,rois=12,pooled=2,dim=3,scale=0.5,corners=mixed");
        add(by + "batch=1,height=20,width=20,rois=100,pooled=3,dim=2,scale=0.1,corners=pixels");
      }
      for (const char* rest :
           {"pooled=1,pooled_width=9,dim=4", "pooled=11,pooled_width=4,dim=1", "pooled=1,dim=33",
            "pooled=2,dim=16,mapping=absent", "pooled=2,dim=5,mapping=shuffled", "pooled=2,dim=17,specials=1"}) {
        add(in + "convention=consistent," + small + rest);
      }
      add(in + "convention=torchvision,height=1,width=1,batch=2,rois=9,pooled=2,dim=3,corners=mixed");
      add(in + "convention=torchvision,batch=1,height=90,width=31,rois=70,pooled=3,pooled_width=2,dim=17,corners=low");
    }
    // Not all planes exist at once, and the first of them end in the middle of a run.
    add("layout=NCHW,batch=1,height=60,width=70,rois=30,pooled=7,pooled_width=5,dim=8,scale=0.25");
    add(large + ",layout=NCHW,convention=consistent", true);
    add(large + ",convention=torchvision", true);
    return samples;
  }
  for (const char* rest : {"pooled=3,dim=1", "pooled=1,dim=3", "pooled=2,dim=8", "pooled=1,dim=16", "pooled=2,dim=17",
                           "pooled=3,dim=33", "pooled=1,dim=65", "pooled=5,dim=3", "pooled=17,dim=2"}) {
    add(small + rest);
  }
  for (const char* size : {"height=1,width=1", "height=1,width=9", "height=9,width=1", "height=2,width=2",
                           "height=1,width=130", "height=130,width=1"}) {
    add(std::string("batch=3,rois=11,pooled=3,dim=5,scale=0.5,corners=mixed,") + size);
  }
  const char* const scales[] = {"0.3", "1", "0.0625", "3"};
  for (size_t i = 0; i < std::size(kCorners); ++i) {
    add(std::string("batch=2,height=12,width=10,rois=16,pooled=3,dim=6,corners=") + kCorners[i] +
        ",scale=" + scales[i % 4]);
  }
  for (const char* scale : {"0.1", "0.7", "0.3333333333333333"}) {
    add(std::string("batch=1,height=20,width=20,rois=100,pooled=3,dim=2,corners=pixels,scale=") + scale);
  }
  add("batch=3,height=11,width=13,rois=1,pooled=2,dim=5,scale=0.5,corners=over");
  add("batch=3,height=11,width=13,rois=1000,pooled=2,dim=5,scale=0.5,corners=mixed");
  add("batch=300,height=3,width=4,rois=500,pooled=2,dim=3,scale=0.5,corners=mixed");
  add("batch=2,height=9,width=8,rois=14,pooled=3,dim=17,scale=0.5,corners=mixed,specials=1");
  // Band after band of rows: bins of few rows and tall ones, more channels than one plane has.
  add("batch=1,height=150,width=19,rois=90,pooled=3,dim=21,corners=low");
  add("batch=1,height=321,width=11,rois=60,pooled=2,dim=40,corners=low");
  add("batch=3,height=70,width=33,rois=41,pooled=2,dim=19,scale=0.5,corners=mixed");
  if (!kind.forward) {
    for (const char* mapping : {"shuffled", "one"}) {
      for (const char* rest : {"pooled=2,dim=5", "pooled=3,dim=1", "pooled=1,dim=17"}) {
        add(small + rest + ",mapping=" + mapping);
      }
    }
    add(large + ",mapping=shuffled", true);
  }
  add(large, true);
  add("batch=2,height=14,width=14,rois=493,pooled=3,dim=21,scale=0.0625");
  add("batch=1,height=150,width=19,rois=1500,pooled=3,dim=21,corners=low", true);
  return samples;
}

}  // namespace detops_harness::psroipool
