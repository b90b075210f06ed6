// Ratio of time to bound, and bandwidth of the cases without arithmetic.
function timedBands(wanted, pointOf) {
  return operators
      .map(({op, cases: own}) => {
        return {op, lanes: [{name: '', points: own.filter((result) => result.timed && wanted(result)).map(pointOf)}]};
      })
      .filter((band) => band.lanes[0].points.length > 0);
}

function drawBoundChart(width) {
  const bands = timedBands(
      (result) => result.ratio > 0,
      (result) => ({
        result,
        value: result.ratio,
        lines: [
          `${ratio(result.ratio)} times the bound`,
          `${microseconds(result.timing.best_us)}, bound ${microseconds(result.timing.bound_us)}`
        ],
        failed: false,
      }));
  if (bands.length === 0) return null;
  const chart = stripChart(width, {
    label: 'Times relative to the bound',
    bands,
    include: [0.8, 1, 10],
    limit: {value: 1, name: 'bound'},
    tick: tickText,
    axis: 'best time / bound',
  });
  return [chart];
}

// Bytes are moved, nothing is computed.
function withoutArithmetic(result) {
  return known(result.timing.gbytes) > 0 && !(known(result.timing.intensity) > 0);
}

function drawBandwidthChart(width) {
  const bands = timedBands(
      withoutArithmetic, (result) => ({
                           result,
                           value: result.timing.gbytes,
                           lines: [`${compact(result.timing.gbytes)} GB/s`, `${microseconds(result.timing.best_us)}`],
                           failed: false,
                         }));
  const {bandwidth} = limits;
  if (bands.length === 0 || !bandwidth) return null;
  const chart = stripChart(width, {
    label: 'Bytes per second of the cases without arithmetic',
    bands,
    include: [bandwidth, bandwidth / 10],
    limit: {value: bandwidth, name: `memory ${compact(bandwidth)} GB/s`},
    tick: tickText,
    axis: 'GB/s',
  });
  return [chart];
}
