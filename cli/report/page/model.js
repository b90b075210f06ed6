// What the page knows of the run, beyond the file itself.
const run = JSON.parse(byId('run').textContent);

const kVerdicts = {
  pass: {label: 'passed', sign: '\u2713', tone: 'good'},
  fail: {label: 'failed', sign: '\u2717', tone: 'bad'},
  crashed: {label: 'crashed', sign: '\u2717', tone: 'bad'},
  timeout: {label: 'timed out', sign: '\u2717', tone: 'bad'},
  error: {label: 'broken', sign: '\u2717', tone: 'bad'},
  missing: {label: 'missing', sign: '\u2205', tone: 'warn'},
  skipped: {label: 'skipped', sign: '\u2013', tone: 'soft'},
  none: {label: 'not possible', sign: '\u2013', tone: 'soft'},
};

function verdictOf(name) {
  return kVerdicts[name] ?? {label: name || 'unknown', sign: '?', tone: 'bad'};
}

function verdictText(name) {
  const {label, sign, tone} = verdictOf(name);
  return make(
      'span', {class: name in kVerdicts ? `whole-word ${tone}` : tone}, sign,
      make('span', {class: 'label'}, ` ${label}`));
}

// Error as a share of the threshold: null if there is nothing to compare, Infinity if no number can say it.
function shareOf(criterion) {
  const {formula, error, threshold} = criterion;
  if (formula === 'diff4' || threshold < 0 || error < 0) return null;
  if (typeof error !== 'number' || error >= Number.MAX_VALUE) return Infinity;
  if (threshold > 0) return error / threshold;
  return error === 0 ? 0 : Infinity;
}

// One hue per family of operators; the direction is in the shape of the mark.
const kHues = {
  rotated_feature_align: 'blue',
  psroipool: 'orange',
  roiaware_pool3d: 'green',
  indice_convolution: 'purple',
  get_indice_pairs: 'slate',
};

function styleOf(op) {
  const parts = /^(.*?)_(forward|backward)(.*)$/.exec(op);
  const family = parts ? parts[1] : op;
  const shape = !parts || parts[2] === 'forward' ? 'disc' : parts[3].includes('filter') ? 'diamond' : 'ring';
  return {family, shape, hue: kHues[family] ?? 'ochre'};
}

function worstShare(result) {
  const shares = result.outputs.flatMap((output) => output.criteria.map(shareOf)).filter((share) => share !== null);
  return shares.length > 0 ? Math.max(...shares) : null;
}

// The cases, each with what is computed once: `worst` and `style`.
const cases = run.cases.map((result, index) => ({
                              ...result,
                              index,
                              worst: worstShare(result),
                              style: styleOf(result.op),
                              ratio: result.timed ? known(result.timing.ratio) : null,
                            }));

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function tallyOf(list) {
  const tally = {good: 0, bad: 0, warn: 0, soft: 0};
  for (const result of list) ++tally[verdictOf(result.verdict).tone];
  return tally;
}

// In the order of first appearance.
const operators = [...new Set(cases.map((result) => result.op))].map((op) => {
  const own = cases.filter((result) => result.op === op);
  const worst = own.map((result) => result.worst).filter((share) => share !== null);
  const ratios = own.map((result) => result.ratio).filter((value) => value !== null && value > 0);
  return {
    op,
    style: styleOf(op),
    cases: own,
    tally: tallyOf(own),
    worst: worst.length > 0 ? Math.max(...worst) : null,
    bestRatio: ratios.length > 0 ? Math.min(...ratios) : null,
    medianRatio: median(ratios),
  };
});

// The machine's limits; of a file that has none, the best that was measured with a case.
function limitOf(machineField, timingField) {
  const beside = cases.filter((result) => result.timed).map((result) => known(result.timing[timingField]) ?? 0);
  return known(run.machine[machineField]) || Math.max(0, ...beside);
}
const limits = {
  bandwidth: limitOf('bandwidth_gbytes', 'bandwidth_gbytes'),
  peak: limitOf('peak_gflops', 'peak_gflops'),
};

function caseTitle(result) {
  return listed([result.op, result.shape, result.type]);
}
