// The table of cases: sorted, filtered, opened.
const kNotPassed = 'not passed';

// `key` sorts: numbers and texts, null at the end in either direction.
const kColumns = [
  {head: 'Verdict', key: (c) => verdictOf(c.verdict).label},
  {head: 'Operator', key: (c) => c.op, cell: (c) => breakable(c.op), style: 'op'},
  {head: 'Shape', key: (c) => c.shape, cell: (c) => breakable(c.shape)},
  {head: 'Type', key: (c) => c.type, style: 'narrow-off'},
  {
    head: 'Error',
    title: 'Largest error as a share of its threshold',
    key: (c) => c.worst,
    style: 'number',
    cell: (c) => make('span', {class: c.worst > 1 ? 'bad' : null}, c.worst === 0 ? 'exact' : percent(c.worst))
  },
  {
    head: 'Time',
    title: 'Best time of a call',
    key: (c) => (c.timed ? known(c.timing.best_us) : null),
    style: 'number narrow-off',
    cell: (c) => (c.timed ? microseconds(c.timing.best_us) : kDash)
  },
  {
    head: 'Bound',
    title: 'Least time the machine allows',
    key: (c) => (c.timed ? known(c.timing.bound_us) : null),
    style: 'number medium-off',
    cell: (c) => (c.timed ? microseconds(c.timing.bound_us) : kDash)
  },
  {head: 'Ratio', title: 'Best time / bound', key: (c) => c.ratio, style: 'number', cell: (c) => ratio(c.ratio)},
  {
    head: 'Efficiency',
    title: 'Efficiency on the side of the bottleneck',
    style: 'number medium-off',
    key: (c) => efficiencyOf(c),
    cell: (c) => efficiencyText(c)
  },
];

function efficiencyOf(result) {
  return result.timed ? known(Math.max(result.timing.compute_efficiency, result.timing.io_efficiency)) : null;
}

function efficiencyText(result) {
  const share = efficiencyOf(result);
  if (!share) return kDash;
  return `${percent(share)} ${result.timing.bottleneck === 'io' ? 'IO' : result.timing.bottleneck}`;
}

const table = {
  body: make('tbody'),
  heads: [],
  rows: [],
  sorted: null,
  descending: false
};

function searchText(result) {
  return [
    result.id, result.op, result.shape, result.type, result.layout, result.profile, result.suite, result.source,
    result.verdict, verdictOf(result.verdict).label, result.detail, result.timed ? result.timing.algorithm : ''
  ].join('\n')
      .toLowerCase();
}

function makeRow(result) {
  const toggle =
      make('button', {type: 'button', class: 'toggle', 'aria-expanded': 'false'}, verdictText(result.verdict));
  const cells = kColumns.map(
      (column, i) => make(
          'td', {class: column.style},
          i === 0         ? toggle :
              column.cell ? column.cell(result) :
                            column.key(result)));
  const row = {result, toggle, element: make('tr', {class: 'case'}, ...cells), detail: null, text: searchText(result)};
  row.element.addEventListener('click', (event) => {
    // Somebody who selects text does not want the row to move.
    if (row.toggle.contains(event.target) || window.getSelection().isCollapsed) openRow(row, row.detail === null);
  });
  return row;
}

function openRow(row, open) {
  row.toggle.setAttribute('aria-expanded', String(open));
  row.element.classList.toggle('open', open);
  if (!open) {
    row.detail?.remove();
    row.detail = null;
  } else if (row.detail === null) {
    row.detail = make('tr', {class: 'detail-row'}, make('td', {colspan: kColumns.length}, detailsOf(row.result)));
    row.element.after(row.detail);
  }
}

function compareKeys(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === 'number' ? a - b : a.localeCompare(b, 'en', {numeric: true});
  // Infinity minus itself is not a number.
  return (table.descending ? -order : order) || 0;
}

function sortBy(index, descending) {
  table.sorted = index;
  table.descending = descending;
  table.heads.forEach((head, i) => {
    head.setAttribute('aria-sort', i !== index ? 'none' : descending ? 'descending' : 'ascending');
  });
  const {key} = kColumns[index];
  table.rows.sort((a, b) => compareKeys(key(a.result), key(b.result)) || a.result.index - b.result.index);
  table.body.replaceChildren(...table.rows.flatMap((row) => (row.detail ? [row.element, row.detail] : [row.element])));
}

function applyFilters() {
  const words = byId('filter-text').value.toLowerCase().split(/\s+/).filter((word) => word);
  const [op, type, verdict] = ['op', 'type', 'verdict'].map((name) => byId(`filter-${name}`).value);
  let shown = 0;
  for (const {result, text, element, detail} of table.rows) {
    const fits = words.every((word) => text.includes(word)) && (!op || result.op === op) &&
        (!type || result.type === type) &&
        (!verdict || result.verdict === verdict || (verdict === kNotPassed && result.verdict !== 'pass'));
    element.hidden = !fits;
    if (detail) detail.hidden = !fits;
    shown += fits;
  }
  byId('filter-count').textContent =
      shown === cases.length ? plural(shown, 'case') : `${count(shown)} of ${plural(cases.length, 'case')}`;
  byId('case-nothing').hidden = shown > 0;
  byId('case-nothing').textContent = cases.length === 0 ? 'The run has no cases.' : 'No case fits the filters.';
}

// Sets the named filters and clears the others.
function filterCases(wanted) {
  for (const name of ['text', 'op', 'type', 'verdict']) byId(`filter-${name}`).value = wanted[name] ?? '';
  applyFilters();
}

function caseLink(result) {
  return `#case=${encodeURIComponent(result.id)}`;
}

// Opens a case, brings it into view and puts the focus on it.
function showCase(index) {
  const row = table.rows.find(({result}) => result.index === index);
  if (row.element.hidden) filterCases({});
  openRow(row, true);
  window.history.replaceState(null, '', caseLink(row.result));
  row.element.scrollIntoView({block: 'start'});
  row.toggle.focus({preventScroll: true});
}

function showCaseOfAddress() {
  if (!window.location.hash.startsWith('#case=')) return;
  const found = cases.find((result) => caseLink(result) === window.location.hash);
  if (found) showCase(found.index);
}

function fillSelect(name, values, all) {
  const options = [['', all], ...values].map(([value, label]) => make('option', {value}, label));
  byId(`filter-${name}`).append(...options);
}

function showCases() {
  table.heads = kColumns.map((column, i) => {
    const button = make('button', {type: 'button', title: column.title}, column.head);
    button.addEventListener('click', () => sortBy(i, table.sorted === i && !table.descending));
    return make('th', {scope: 'col', class: column.style, 'aria-sort': 'none'}, button);
  });
  table.rows = cases.map(makeRow);
  table.body.append(...table.rows.map((row) => row.element));
  byId('case-table').append(make('thead', {}, make('tr', {}, ...table.heads)), table.body);

  const distinct = (key) => [...new Set(cases.map(key))].filter((value) => value).map((value) => [value, value]);
  fillSelect('op', distinct((c) => c.op), 'All operators');
  fillSelect('type', distinct((c) => c.type), 'All types');
  const verdicts = distinct((c) => c.verdict).map(([value]) => [value, verdictOf(value).label]);
  fillSelect('verdict', [...verdicts, [kNotPassed, kNotPassed]], 'All verdicts');
  byId('filters').addEventListener('input', applyFilters);
  byId('filters').addEventListener('submit', (event) => event.preventDefault());
  byId('filters').addEventListener('reset', (event) => {
    event.preventDefault();
    filterCases({});
  });
  applyFilters();
}
