function onRoofline(result) {
  return result.timed && known(result.timing.intensity) > 0 && known(result.timing.gflops) > 0;
}

function drawRooflineChart(width) {
  const shown = cases.filter(onRoofline);
  const {bandwidth, peak} = limits;
  if (shown.length === 0 || !bandwidth || !peak) return null;
  const doublePeak = shown.some((result) => result.type === 'double') ? known(run.machine.peak_gflops_double) : null;

  const ridge = peak / bandwidth;
  const [lowX, highX] = logRange(shown.map((result) => result.timing.intensity), [ridge / 3, ridge * 6]);
  const [lowY, highY] = logRange(shown.map((result) => result.timing.gflops), [peak, bandwidth * lowX], 1.8);
  const [left, top, right] = [54, 12, width - 12];
  const height = Math.min(Math.max(width * 0.42, 300), 480);
  const bottom = height - 46;
  const x = new LogScale(lowX, highX, left, right);
  const y = new LogScale(lowY, highY, bottom, top);
  const svg = picture(width, height, 'Roofline');
  for (const value of x.ticks(56)) {
    svg.append(line(x.at(value), top, x.at(value), bottom, 'grid'));
    svg.append(text(x.at(value), bottom + 17, tickText(value), {'text-anchor': 'middle'}));
  }
  for (const value of y.ticks(30)) {
    svg.append(line(left, y.at(value), right, y.at(value), 'grid'));
    svg.append(text(left - 8, y.at(value) + 4, tickText(value), {'text-anchor': 'end'}));
  }
  svg.append(line(left, bottom, right, bottom, 'axis'), line(left, top, left, bottom, 'axis'));
  svg.append(text((left + right) / 2, bottom + 36, 'FLOP per compulsory byte', {'text-anchor': 'middle'}));
  svg.append(text(12, (top + bottom) / 2, 'GFLOP/s', {
    'text-anchor': 'middle',
    transform: `rotate(-90 12 ${(top + bottom) / 2})`,
  }));

  // The slope enters at the left edge or, if that is below the axis, at the bottom.
  const startX = Math.max(lowX, lowY / bandwidth);
  const start = [x.at(startX), y.at(startX * bandwidth)];
  const knee = [x.at(ridge), y.at(peak)];
  // Names of ceilings stand left of where they begin: above the slope there are hardly any marks.
  const label = (beginX, ceiling, words) => {
    const room = beginX - left > 150;
    const at = room ? [beginX - 10, ceiling] : [right - 4, ceiling - 6];
    svg.append(text(...at, words, {class: 'limit', 'text-anchor': 'end'}));
  };
  svg.append(makeSvg('path', {class: 'limit-line', d: `M${start}L${knee}L${right},${knee[1]}`}));
  if (doublePeak) {
    const from = x.at(Math.max(doublePeak / bandwidth, lowX));
    svg.append(line(from, y.at(doublePeak), right, y.at(doublePeak), 'limit-line dashed'));
    label(from, y.at(doublePeak), `double ${compact(doublePeak)} GFLOP/s`);
  }
  label(...knee, `peak ${compact(peak)} GFLOP/s`);
  const middle = [(start[0] + knee[0]) / 2, (start[1] + knee[1]) / 2];
  const angle = (Math.atan2(knee[1] - start[1], knee[0] - start[0]) * 180) / Math.PI;
  svg.append(text(...middle, `memory ${compact(bandwidth)} GB/s`, {
    class: 'limit',
    'text-anchor': 'middle',
    dy: -7,
    transform: `rotate(${angle} ${middle})`,
  }));

  for (const result of shown) {
    const {intensity, gflops, gbytes, best_us: best} = result.timing;
    const lines = [
      `${compact(gflops)} GFLOP/s, ${compact(gbytes)} GB/s at ${compact(intensity)} FLOP/byte`,
      `${microseconds(best)}, ${ratio(result.ratio)} times the bound`
    ];
    svg.append(caseMark(result, x.at(intensity), y.at(gflops), lines, false));
  }
  return [legendOf(shown), svg];
}
