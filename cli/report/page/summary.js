// Head of the page, the list of what did not pass, the operators, and the machine.
const kAttentionShown = 8;

function verdictOfRun() {
  const tally = tallyOf(cases);
  if (tally.bad + tally.warn > 0) return {word: 'Failed', tone: 'bad', tally};
  if (!run.complete) return {word: 'Interrupted', tone: 'warn', tally};
  if (tally.good === 0) return {word: 'Nothing was judged', tone: 'warn', tally};
  return {word: 'Passed', tone: 'good', tally};
}

function machineLine() {
  const {machine} = run;
  return listed([
    machine.cpu,
    machine.cores > 0 ? plural(machine.cores, 'core') : '',
    machine.bandwidth_gbytes > 0 ? `${compact(machine.bandwidth_gbytes)} GB/s` : '',
    machine.peak_gflops > 0 ? `${compact(machine.peak_gflops)} GFLOP/s` : '',
  ]);
}

function showHead() {
  const {word, tone, tally} = verdictOfRun();
  document.title = `${word}: detops ${run.suite || 'report'}`;
  const parts = [`${count(tally.good)} of ${plural(cases.length, 'case')} passed`];
  const names = new Set([...Object.keys(kVerdicts), ...cases.map((result) => result.verdict)]);
  names.delete('pass');
  for (const name of names) {
    const number = cases.filter((result) => result.verdict === name).length;
    if (number > 0) parts.push(`${count(number)} ${verdictOf(name).label}`);
  }
  const counts = parts.flatMap((part, i) => [i > 0 ? ', ' : '', make('span', {}, part)]);
  byId('verdict').append(make('h1', {class: tone}, word), make('p', {class: 'counts'}, ...counts));

  const {library} = run;
  const named = listed([library.name || library.path, library.version], ' ');
  const facts = [
    ['Library', listed([named, library.target])],
    ['Suite', run.suite],
    ['Started', moment(run.started)],
    ['Duration', duration(run.seconds)],
    ['Machine', listed([machineLine(), run.threads > 0 ? plural(run.threads, 'thread') : ''])],
  ];
  for (const [term, value] of facts) {
    byId('facts').append(make('div', {}, make('dt', {}, term), make('dd', {}, value || kDash)));
  }
  if (!run.complete) {
    byId('interrupted').hidden = false;
    byId('interrupted').textContent = cases.length === 0 ?
        'The run was interrupted before its first case was done.' :
        `The run was interrupted after ${plural(cases.length, 'case')}. The rest was not judged.`;
  }
}

function showAttention() {
  const wanting = cases.filter((result) => ['bad', 'warn'].includes(verdictOf(result.verdict).tone));
  if (wanting.length === 0) return;
  byId('attention').hidden = false;
  // Missing operators repeat themselves; what went wrong comes first.
  wanting.sort((a, b) => (verdictOf(a.verdict).tone === 'warn') - (verdictOf(b.verdict).tone === 'warn'));
  const list = byId('attention-list');
  for (const result of wanting.slice(0, kAttentionShown)) {
    const link = make('a', {href: caseLink(result)}, breakable(caseTitle(result)));
    link.addEventListener('click', (event) => {
      event.preventDefault();
      showCase(result.index);
    });
    list.append(make('li', {}, verdictText(result.verdict), make('span', {}, link), make('span', {}, result.detail)));
  }
  const rest = wanting.length - kAttentionShown;
  if (rest > 0) {
    const more = make('a', {href: '#cases'}, `${plural(rest, 'more case')} in the table`);
    more.addEventListener('click', () => filterCases({verdict: kNotPassed}));
    list.append(make('li', {}, make('span', {}), more));
  }
}

function tallyBar(tally, total) {
  const bar = make('div', {class: 'tally', 'aria-hidden': 'true'});
  for (const tone of ['good', 'bad', 'warn']) {
    if (tally[tone] > 0) bar.append(make('i', {class: tone, style: `width: ${(100 * tally[tone]) / total}%`}));
  }
  return bar;
}

// A number that is worth a colour if it is not 0.
function toned(number, tone) {
  return number > 0 ? make('span', {class: tone}, count(number)) : make('span', {class: 'soft'}, '0');
}

function showOperators() {
  if (operators.length === 0) {
    byId('operator-table').append(make('p', {class: 'nothing'}, 'The run has no cases.'));
    return;
  }
  const heads = [
    ['Operator', ''],
    ['', 'narrow-off bar-column'],
    ['Passed', 'number'],
    ['Failed', 'number'],
    ['Missing', 'number narrow-off'],
    ['Largest error / threshold', 'number'],
    ['Best time / bound', 'number medium-off'],
    ['Median time / bound', 'number narrow-off'],
  ];
  const body = make('tbody');
  for (const {op, style, cases: own, tally, worst, bestRatio, medianRatio} of operators) {
    const button = make('button', {type: 'button', title: 'Show its cases'}, breakable(op));
    button.addEventListener('click', () => {
      filterCases({op});
      byId('cases').scrollIntoView();
    });
    body.append(make(
        'tr', {}, make('td', {class: 'name'}, make('div', {}, symbolKey(style), button)),
        make('td', {class: 'narrow-off'}, tallyBar(tally, own.length)),
        make('td', {class: 'number'}, `${count(tally.good)} / ${count(own.length)}`),
        make('td', {class: 'number'}, toned(tally.bad, 'bad')),
        make('td', {class: 'number narrow-off'}, toned(tally.warn, 'warn')),
        make(
            'td', {class: 'number'},
            worst === 0 ? 'exact' : make('span', {class: worst > 1 ? 'bad' : null}, percent(worst))),
        make('td', {class: 'number medium-off'}, ratio(bestRatio)),
        make('td', {class: 'number narrow-off'}, ratio(medianRatio))));
  }
  const row = make(
      'tr', {},
      ...heads.map(([text, style]) => make(text ? 'th' : 'td', {class: style, scope: text ? 'col' : null}, text)));
  byId('operator-table').append(make('table', {class: 'operators'}, make('thead', {}, row), body));
}

function showMachine() {
  const {machine, library} = run;
  const caches = [['L1', machine.l1_bytes], ['L2', machine.l2_bytes], ['L3', machine.l3_bytes]]
                     .filter(([, size]) => size > 0)
                     .map(([name, size]) => `${name} ${bytes(size)}`)
                     .join(', ');
  const peak = listed([
    machine.peak_gflops > 0 ? `${compact(machine.peak_gflops)} GFLOP/s float` : '',
    machine.peak_gflops_double > 0 ? `${compact(machine.peak_gflops_double)} GFLOP/s double` : '',
  ]);
  describe(byId('machine-sheet'), [
    ['Processor', listed([machine.cpu, machine.cores > 0 ? plural(machine.cores, 'core') : ''])],
    ['Caches', caches],
    ['Memory', machine.memory_bytes > 0 ? bytes(machine.memory_bytes) : ''],
    ['Memory bandwidth', machine.bandwidth_gbytes > 0 ? `${compact(machine.bandwidth_gbytes)} GB/s` : ''],
    ['Arithmetic peak', peak],
    ['System', machine.system],
    ['Compiler', machine.compiler],
    ['Library', make('code', {}, library.path || library.name)],
    ['Version', listed([library.version, library.contract ? `API ${library.contract}` : ''])],
    ['Instruction set', listed([library.target, library.targets ? `of ${library.targets}` : ''], ' ')],
    ['Missing functions', library.missing.length > 0 ? make('code', {}, library.missing.join(', ')) : 'none'],
    ['Threads', run.threads > 0 ? count(run.threads) : ''],
    ['Command', run.command ? make('code', {}, run.command) : ''],
  ]);
}
