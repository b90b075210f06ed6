function accuracyPoints(own) {
  return own.flatMap((result) => result.outputs.flatMap((output) => output.criteria.flatMap((criterion) => {
    const share = shareOf(criterion);
    if (share === null) return [];
    const lines = [
      `${output.name}: ${criterion.formula} ${errorText(criterion.error)}`,
      `threshold ${thresholdText(criterion)}${share > 0 && share < Infinity ? `, ${percent(share)} of it` : ''}`,
    ];
    return [{result, formula: criterion.formula, value: share, lines, failed: !criterion.pass}];
  })));
}

function drawAccuracyChart(width) {
  const bands =
      operators
          .map(({op, cases: own}) => {
            const points = accuracyPoints(own);
            const formulas = [...new Set(points.map((point) => point.formula))].sort();
            return {
              op,
              lanes: formulas.map((name) => ({name, points: points.filter((point) => point.formula === name)}))
            };
          })
          .filter((band) => band.lanes.length > 0);
  if (bands.length === 0) return null;
  const chart = stripChart(width, {
    label: 'Errors as shares of their thresholds',
    bands,
    include: [1, 0.01],
    limit: {value: 1, name: 'threshold'},
    tick: (value) => `${tickText(Number((value * 100).toPrecision(1)))} %`,
    axis: 'error / threshold',
    low: 'exact',
    high: 'beyond',
  });
  return [chart];
}
