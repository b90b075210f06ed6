// What opens under a row of the table.
function detailTable(heads, rows) {
  const head = heads.map(([text, style]) => make('th', {scope: 'col', class: style}, text));
  const body = rows.map((row) => make('tr', {}, ...row.map((cell, i) => make('td', {class: heads[i][1]}, cell))));
  return make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...body));
}

function checksSection(result) {
  if (result.checks.length === 0) return null;
  const rows = result.checks.map((check) => [check.name, verdictText(check.verdict), check.detail]);
  return make('section', {}, make('h3', {}, 'Checks'), detailTable([['Check'], ['Verdict'], ['Found']], rows));
}

// What a threshold means for diff4 is whether it is looked at.
function thresholdText({formula, threshold}) {
  if (threshold < 0) return 'none';
  if (formula === 'diff4') return 'not 0 or 1';
  return threshold === 0 ? 'exact' : compact(threshold, 2);
}

function outputsSection(result) {
  const rows = result.outputs.flatMap((output) => {
    const name = `${output.name} (${output.type}, ${plural(output.elements, 'element')})`;
    if (output.criteria.length === 0) return [[name, 'not compared', '', '', '', '']];
    return output.criteria.map(
        (criterion, i) =>
            [i === 0 ? name : '',
             criterion.formula,
             errorText(criterion.error),
             thresholdText(criterion),
             percent(shareOf(criterion)),
             verdictText(criterion.pass ? 'pass' : 'fail'),
    ]);
  });
  if (rows.length === 0) return null;
  const heads = [
    ['Output'], ['Criterion'], ['Error', 'number'], ['Threshold', 'number'], ['Share', 'number narrow-off'], ['Verdict']
  ];
  return make('section', {}, make('h3', {}, 'Accuracy'), detailTable(heads, rows));
}

function timingSection(result) {
  if (!result.timed) return null;
  const {timing} = result;
  const positive = (value, text) => (known(value) ? text : '');
  const scaling =
      timing.scaling.map(({threads, microseconds: time}) => `${plural(threads, 'thread')} ${microseconds(time)}`)
          .join(', ');
  const list = describe(make('dl', {class: 'pairs'}), [
    ['Best time', microseconds(timing.best_us)],
    ['Median, mean', `${microseconds(timing.median_us)}, ${microseconds(timing.mean_us)}`],
    ['99 %, 99.9 % of calls', listed([timing.p99_us, timing.p999_us].map((us) => positive(us, microseconds(us))))],
    ['Spread', `${percent(known(timing.spread))} over ${plural(timing.calls, 'call')}`],
    ['Bound', microseconds(timing.bound_us)],
    ['Ratio to the bound', ratio(timing.ratio)],
    [
      'Reached', listed([
        positive(timing.gflops, `${compact(timing.gflops)} GFLOP/s`),
        positive(timing.gbytes, `${compact(timing.gbytes)} GB/s`)
      ])
    ],
    [
      'Machine, beside the case', listed([
        positive(timing.peak_gflops, `${compact(timing.peak_gflops)} GFLOP/s`),
        positive(timing.bandwidth_gbytes, `${compact(timing.bandwidth_gbytes)} GB/s`)
      ])
    ],
    ['Intensity', positive(timing.intensity, `${compact(timing.intensity)} FLOP/byte`)],
    ['Compute efficiency', `${percent(known(timing.compute_efficiency))} of ${compact(timing.theory_ops)} operations`],
    ['IO efficiency', `${percent(known(timing.io_efficiency))} of ${compact(timing.theory_io_bytes)} bytes`],
    ['Bottleneck', timing.bottleneck === 'io' ? 'IO' : timing.bottleneck],
    ['Algorithm', timing.algorithm],
    ['Instruction set', timing.target],
    ['Workspace', bytes(timing.workspace_bytes)],
    ['Threads', timing.threads > 0 ? count(timing.threads) : ''],
    ['Scaling', scaling],
  ]);
  return make('section', {}, make('h3', {}, 'Timing'), list);
}

function commandSection(result) {
  if (!result.reproduce) return null;
  const code = make('code', {}, result.reproduce);
  const button = make('button', {type: 'button', class: 'quiet'}, 'Copy');
  button.addEventListener('click', async () => {
    button.textContent = (await copyText(result.reproduce, code)) ? 'Copied' : 'Selected';
  });
  return make('section', {class: 'whole'}, make('h3', {}, 'Reproduce'), make('div', {class: 'command'}, code, button));
}

function detailsOf(result) {
  const about = describe(make('dl', {class: 'pairs'}), [
    ['Case', make('code', {}, result.id)],
    ['Source', result.source],
    ['Suite', result.suite],
    ['Layout', result.layout],
    ['Profile', result.profile],
    ['Time spent', duration(result.seconds)],
  ]);
  const reason = result.verdict === 'pass' || !result.detail ?
      null :
      make('p', {class: `reason whole ${verdictOf(result.verdict).tone}`}, result.detail);
  const left = make(
      'div', {class: 'stack'}, checksSection(result), outputsSection(result),
      make('section', {}, make('h3', {}, 'About'), about));
  const right = make('div', {class: 'stack'}, timingSection(result));
  return make('div', {class: 'detail'}, reason, left, right, commandSection(result));
}
