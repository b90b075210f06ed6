#include "boxes/contract/ranked_rows.h"

#include <array>

#include "boxes/contract/detections.h"

namespace detops_harness::boxes {
namespace {

// A box as centre, sides and a turn: an angle whose sine and cosine every C library knows alike, or for quadrilaterals
// a direction from plain arithmetic.
struct Turned {
  double x, y, w, h, angle, cosine, sine;
};

Turned Turn(const Detection& detection, bool turned, Random& random) {
  const auto& [x1, y1, x2, y2] = detection.corners;
  Turned box = {(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, 0, 1, 0};
  if (!turned) return box;
  box.angle = random.Angle();
  const double t = static_cast<double>(random.Between(-64, 64)) / 64;
  box.cosine = (1 - t * t) / (1 + t * t);
  box.sine = 2 * t / (1 + t * t);
  return box;
}

std::vector<double> RowOf(detopsBoxFormat_t format, const Detection& detection, const Turned& box, Random& random) {
  switch (format) {
    case DETOPS_BOX_FORMAT_XYXY:
      return {detection.corners.begin(), detection.corners.end()};
    case DETOPS_BOX_FORMAT_CXCYWH:
      return {box.x, box.y, box.w, box.h};
    case DETOPS_BOX_FORMAT_CXCYWHA:
      return {box.x, box.y, box.w, box.h, box.angle};
    case DETOPS_BOX_FORMAT_QUAD: {
      std::vector<double> row;
      const double signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
      const int64_t first = random.Below(4), step = random.Below(2) == 0 ? 1 : 3;
      for (int64_t i = 0; i < 4; ++i) {
        const double* sign = signs[(first + i * step) % 4];
        const double p = sign[0] * box.w / 2, q = sign[1] * box.h / 2;
        row.push_back(box.x + box.cosine * p - box.sine * q);
        row.push_back(box.y + box.sine * p + box.cosine * q);
      }
      return row;
    }
    default:  // z and dz do not count
      return {box.x, box.y, random.Uniform(-3, 3), box.w, box.h, random.Uniform(-1, 3), box.angle};
  }
}

}  // namespace

int64_t ColumnsOf(int64_t format) {
  constexpr int64_t kColumns[] = {4, 4, 5, 8, 7, 7};
  return format >= 0 && format < 6 ? kColumns[format] : 0;
}

ShapeKey TurnedKey() { return {"turned", "1", "0: all boxes are upright", {"0", "1"}}; }

void FillRankedRows(const Shape& shape, detopsBoxFormat_t format, Tensor& boxes, Tensor& scores, uint64_t seed) {
  Random random(seed);
  int64_t i = 0, at = 0;
  for (const Detection& detection : MakeDetections(shape, boxes.extents[0], random)) {
    const Turned box = Turn(detection, shape.Int("turned") != 0, random);
    std::vector<double> row = RowOf(format, detection, box, random);
    row.resize(static_cast<size_t>(boxes.extents[1]), static_cast<double>(random.Below(5)));
    for (const double number : row) boxes.Set(at++, number);
    scores.Set(i++, detection.score);
  }
}

std::vector<detops_test::PolygonBox> PolygonBoxes(detopsBoxFormat_t format, const Tensor& boxes, double offset) {
  std::vector<detops_test::PolygonBox> list;
  for (int64_t row = 0; row < boxes.extents[0]; ++row) {
    const auto n = [&](int64_t k) { return boxes.Get(row * boxes.extents[1] + k); };
    switch (format) {
      case DETOPS_BOX_FORMAT_XYXY: {
        const double x1 = n(0), y1 = n(1), x2 = n(2) + offset, y2 = n(3) + offset;
        const bool some = x2 > x1 && y2 > y1;
        list.push_back(some ? detops_test::MakePolygonBox({{x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}})
                            : detops_test::PolygonBox());
        break;
      }
      case DETOPS_BOX_FORMAT_CXCYWH:
        list.push_back(detops_test::MakePolygonBox(n(0), n(1), n(2), n(3), 0));
        break;
      case DETOPS_BOX_FORMAT_CXCYWHA:
        list.push_back(detops_test::MakePolygonBox(n(0), n(1), n(2), n(3), n(4)));
        break;
      case DETOPS_BOX_FORMAT_QUAD:
        list.push_back(detops_test::MakePolygonBox({{n(0), n(1)}, {n(2), n(3)}, {n(4), n(5)}, {n(6), n(7)}}));
        break;
      default:
        list.push_back(detops_test::MakePolygonBox(n(0), n(1), n(3), n(4), format == DETOPS_BOX_FORMAT_BEV ? n(6) : 0));
        break;
    }
  }
  return list;
}

}  // namespace detops_harness::boxes
