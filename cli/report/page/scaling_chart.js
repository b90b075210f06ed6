// Time on n threads relative to one, a panel per family of operators.

// Points [threads, relative time] in order, or null if there is no time for one thread or nothing to compare with it.
function scalingOf(result) {
  if (!result.timed) return null;
  const points = result.timing.scaling.filter(({threads, microseconds: time}) => threads > 0 && known(time) > 0);
  const alone = points.find(({threads}) => threads === 1);
  if (!alone || points.length < 2) return null;
  return points.map(({threads, microseconds: time}) => [threads, time / alone.microseconds])
      .sort((a, b) => a[0] - b[0]);
}

function scalingPanel(width, curves, most, [low, high], threadCounts) {
  const [left, top, right, bottom] = [40, 10, width - 14, 176];
  const x = new LogScale(1, most, left + 8, right - 6);
  const y = new LogScale(low, high, bottom, top);
  const svg = picture(width, bottom + 38, 'Time on several threads relative to one');
  for (let value = 2 ** Math.ceil(Math.log2(low)); value <= high; value *= 2) {
    svg.append(line(left, y.at(value), right, y.at(value), value === 1 ? 'axis' : 'grid'));
    svg.append(text(left - 7, y.at(value) + 4, value >= 1 ? String(value) : `1/${1 / value}`, {'text-anchor': 'end'}));
  }
  let free = -Infinity;
  for (const threads of threadCounts) {
    svg.append(line(x.at(threads), top, x.at(threads), bottom, 'grid'));
    if (x.at(threads) < free) continue;
    svg.append(text(x.at(threads), bottom + 16, String(threads), {'text-anchor': 'middle'}));
    free = x.at(threads) + 22;
  }
  svg.append(line(left, bottom, right, bottom, 'axis'));
  svg.append(text((left + right) / 2, bottom + 33, 'threads', {'text-anchor': 'middle'}));
  svg.append(
      makeSvg('path', {class: 'limit-line dashed', d: `M${x.at(1)},${y.at(1)}L${x.at(most)},${y.at(1 / most)}`}));
  for (const {result, points} of curves) {
    const track = makeSvg('polyline', {
      class: 'track',
      points: points.map(([threads, time]) => `${x.at(threads).toFixed(1)},${y.at(time).toFixed(1)}`).join(' '),
    });
    const [threads, time] = points.at(-1);
    const lines = [
      `${plural(threads, 'thread')}: ${(1 / time).toFixed(2)} times as fast as one`,
      points.map(([n, relative]) => `${n}: ${relative.toFixed(2)}`).join(', ')
    ];
    svg.append(caseMark(result, x.at(threads), y.at(time), lines, false, track));
  }
  return svg;
}

function drawScalingChart(width) {
  const curves = cases.map((result) => ({result, points: scalingOf(result)})).filter(({points}) => points !== null);
  if (curves.length === 0) return null;
  const counts = [...new Set(curves.flatMap(({points}) => points.map(([threads]) => threads)))].sort((a, b) => a - b);
  const most = counts.at(-1);
  const range = logRange(curves.flatMap(({points}) => points.map(([, time]) => time)), [1, 1 / most], 1.15);
  const families = [...new Set(curves.map(({result}) => result.style.family))];
  const perRow = Math.max(1, Math.min(families.length, Math.floor((width + 24) / 184)));
  const panelWidth = Math.min(340, (width - 24 * (perRow - 1)) / perRow);
  const panels = families.map((family) => {
    const own = curves.filter(({result}) => result.style.family === family);
    const svg = scalingPanel(panelWidth, own, most, range, counts);
    return make('figure', {}, make('figcaption', {}, breakable(family)), svg);
  });
  const shapes = [['disc', 'forward'], ['ring', 'backward'], ['diamond', 'backward_filter']].filter(
      ([shape]) => curves.some(({result}) => result.style.shape === shape));
  return [
    legend(shapes.map(([shape, name]) => [{shape, hue: 'slate'}, name])), make('div', {class: 'panels'}, ...panels)
  ];
}
