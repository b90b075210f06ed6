// Marks along one logarithmic axis, a band per operator with a lane per kind of value. Marks that would cover each
// other move aside within their lane. Values with no place on the axis have columns of their own at its ends.
const kLaneAir = 11;
const kFarthest = 20;
const kApart = 1.6 * kMarkSize;

// Gives every point a `shift` in pixels across the lane.
function spread(points) {
  const placed = [];
  for (const point of [...points].sort((a, b) => a.x - b.x)) {
    const near = placed.filter((other) => point.x - other.x < kApart);
    const free = (shift) => near.every((other) => Math.hypot(point.x - other.x, shift - other.shift) >= kApart);
    point.shift = 0;
    for (let away = 0; away <= kFarthest; away += 2) {
      const fitting = [away, -away].find(free);
      if (fitting !== undefined) {
        point.shift = fitting;
        break;
      }
    }
    placed.push(point);
  }
}

// Points of a column stand in rows, in their order.
function pack(points, left, width) {
  const perRow = Math.floor((width - 12) / (2 * kMarkSize + 1.5));
  points.forEach((point, i) => {
    const rows = Math.ceil(points.length / perRow);
    const inRow = Math.min(perRow, points.length - Math.floor(i / perRow) * perRow);
    point.x = left + width / 2 + ((i % perRow) - (inRow - 1) / 2) * (2 * kMarkSize + 1.5);
    point.shift =
        Math.max(-kFarthest, Math.min(kFarthest, (Math.floor(i / perRow) - (rows - 1) / 2) * (2 * kMarkSize + 1)));
  });
}

function shortened(name) {
  return name.length > 36 ? `${name.slice(0, 35)}\u2026` : name;
}

// chart: { label, bands: [{ op, lanes: [{ name, points }] }], include, limit: { value, name }, tick, axis, low, high }.
// A point is { result, value, lines, failed }; value 0 goes to the column `low`, Infinity to the column `high`: texts,
// or undefined for none.
function stripChart(width, chart) {
  const narrow = width < 760;
  const columnWidth = narrow ? 58 : 84;
  const points = chart.bands.flatMap((band) => band.lanes.flatMap((lane) => lane.points));
  const onAxis = points.map((point) => point.value).filter((value) => value > 0 && value < Infinity);
  const hasLow = points.some((point) => point.value === 0);
  const hasHigh = points.some((point) => point.value === Infinity);
  const laneNames = chart.bands.some((band) => band.lanes.some((lane) => lane.name));
  const left = narrow ? (laneNames ? 56 : 8) : laneNames ? 322 : 262;
  const begin = left + (hasLow ? columnWidth : 0);
  const end = width - 12 - (hasHigh ? columnWidth : 0);
  const scale = new LogScale(...logRange(onAxis, chart.include), begin + 8, end - 8);

  const top = 24;
  let y = top;
  const [back, front] = [makeSvg('g'), makeSvg('g')];
  chart.bands.forEach((band, index) => {
    const bandTop = y;
    y += narrow ? 20 : 3;
    for (const lane of band.lanes) {
      for (const point of lane.points) point.x = scale.at(point.value);
      pack(lane.points.filter((point) => point.value === 0), left, columnWidth);
      pack(lane.points.filter((point) => point.value === Infinity), end, columnWidth);
      spread(lane.points.filter((point) => point.value > 0 && point.value < Infinity));
      const half = Math.max(0, ...lane.points.map((point) => Math.abs(point.shift))) + kLaneAir;
      y += half;
      if (lane.name) front.append(text(left - 10, y + 4, lane.name, {'text-anchor': 'end'}));
      for (const {result, x, shift, lines, failed} of lane.points) {
        front.append(caseMark(result, x, y + shift, lines, failed));
      }
      y += half;
    }
    y += 3;
    if (index % 2 === 0) back.append(makeSvg('rect', {class: 'band', x: 0, y: bandTop, width, height: y - bandTop}));
    const nameAt = narrow ? [8, bandTop + 15] : [8, (bandTop + y) / 2 + 4];
    front.prepend(
        makeSvg('g', {class: index % 2 === 0 ? 'even' : null}, text(...nameAt, shortened(band.op), {class: 'strong'})));
  });

  const height = y + 42;
  const svg = picture(width, height, chart.label);
  svg.append(back);
  for (const value of scale.ticks(narrow ? 54 : 70)) {
    svg.append(line(scale.at(value), top, scale.at(value), y, 'grid'));
    svg.append(text(scale.at(value), y + 17, chart.tick(value), {'text-anchor': 'middle'}));
  }
  const column = (x, edge, name) => {
    svg.append(line(edge, top, edge, y, 'axis'));
    svg.append(text(x + columnWidth / 2, y + 17, name, {'text-anchor': 'middle'}));
  };
  if (hasLow) column(left, begin, chart.low);
  if (hasHigh) {
    svg.append(makeSvg('rect', {class: 'beyond', x: end, y: top, width: columnWidth, height: y - top}));
    column(end, end, chart.high);
  }
  const limit = scale.at(chart.limit.value);
  const side = limit > (begin + end) / 2 ? 'end' : 'start';
  svg.append(line(limit, top - 4, limit, y, 'limit-line'));
  svg.append(
      text(limit + (side === 'end' ? 4 : -4), top - 10, chart.limit.name, {class: 'limit', 'text-anchor': side}));
  svg.append(line(left, y, width - 12, y, 'axis'));
  svg.append(text((begin + end) / 2, y + 36, chart.axis, {'text-anchor': 'middle'}));
  svg.append(front);
  return svg;
}
