// Put after the script of a made-up report: acts like a reader and writes to the body what is not as it should be.
const problems = [];
const expect = (condition, what) => {
  if (!condition) problems.push(what);
};
const results = JSON.parse(document.getElementById('run').textContent);
const total = results.cases.length;
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const rows = () => all('#case-table tr.case');
const visible = () => rows().filter((row) => !row.hidden).length;
const choose = (id, value) => {
  const field = document.getElementById(id);
  field.value = value;
  field.dispatchEvent(new Event('input', {bubbles: true}));
};
const reset = () => document.querySelector('#filters [type=reset]').click();
const press = (element, key) =>
    element.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));

// Texts stay texts.
expect(!('broken' in document.body.dataset), 'a text of the run was run as a script');
expect(document.scripts.length === 3, `${document.scripts.length} scripts`);
expect(all('img').length === 0, 'a text of the run became an image');
const raw = /\b(NaN|undefined|Infinity|null)\b|\[object/;
// The definitions speak of NaN.
for (const part of all('main > :not(#definitions)')) expect(!raw.test(part.innerText), `#${part.id} shows a value raw`);
expect(document.getElementById('interrupted').hidden === results.complete, 'banner of an interrupted run');
expect(rows().length === total, 'number of rows');

// Sorting: one column at a time, both ways, unknown values at the end.
const heads = all('#case-table thead th');
heads.forEach((head, index) => {
  for (const direction of ['ascending', 'descending']) {
    head.querySelector('button').click();
    expect(head.getAttribute('aria-sort') === direction, `aria-sort of column ${index}`);
    expect(all('#case-table th:not([aria-sort=none])').length === 1, 'columns sorted');
  }
});
const ratioColumn = heads.findIndex((head) => head.textContent === 'Ratio');
for (const sign of [1, -1]) {
  heads[ratioColumn].querySelector('button').click();
  const values = rows().map((row) => Number.parseFloat(row.cells[ratioColumn].textContent.replace(',', '')));
  const knownValues = values.filter((value) => !Number.isNaN(value));
  expect(values.slice(knownValues.length).every(Number.isNaN), 'unknown ratios are not at the end');
  expect(knownValues.every((value, i) => i === 0 || sign * (value - knownValues[i - 1]) >= 0), 'order of ratios');
}

// Filters.
for (const [field, key] of [['filter-op', 'op'], ['filter-type', 'type'], ['filter-verdict', 'verdict']]) {
  for (const value of new Set(results.cases.map((one) => one[key]))) {
    choose(field, value);
    expect(visible() === results.cases.filter((one) => one[key] === value).length, `${field} ${value}`);
  }
  reset();
  expect(visible() === total, `reset after ${field}`);
}
choose('filter-verdict', 'not passed');
expect(visible() === results.cases.filter((one) => one.verdict !== 'pass').length, 'not passed');
reset();
choose('filter-text', 'FORWARD half');
expect(visible() === results.cases.filter((one) => one.op.includes('forward') && one.type === 'half').length, 'text');
choose('filter-text', 'no case says this');
expect(visible() === 0 && !document.getElementById('case-nothing').hidden, 'a text that nothing has');
reset();

const frame = document.querySelector('.table-frame');
const fits = () => frame.scrollWidth <= frame.clientWidth;
expect(fits(), 'the table is too wide');

// A row opens and closes; its details hold everything that can be told.
for (const row of rows().slice(0, 40)) {
  const toggle = row.querySelector('button');
  toggle.click();
  expect(toggle.getAttribute('aria-expanded') === 'true', 'a row that does not open');
  const detail = row.nextElementSibling;
  const one = results.cases.find(({id}) => all('code', detail).some((code) => code.textContent === id));
  expect(one !== undefined, 'a case without its name');
  expect(detail.textContent.includes(one.reproduce), 'a case without its command');
  expect(one.verdict === 'pass' || detail.textContent.includes(one.detail), 'a case without its reason');
  expect(!raw.test(detail.innerText), 'details show a value raw');
  expect(
      document.documentElement.scrollWidth <= document.documentElement.clientWidth, 'details make the page too wide');
  expect(fits(), 'details make the table too wide');
  toggle.click();
  expect(toggle.getAttribute('aria-expanded') === 'false' && !detail.isConnected, 'a row that does not close');
}

// Marks: a tooltip, one stop of the tab key, arrows, and the way to the case.
for (const chart of all('.plot')) {
  const marks = all('[role=link]', chart);
  expect(
      all('[role=link][tabindex=\'0\']', chart).length === Math.min(1, marks.length),
      `${chart.id}: stops of the tab key`);
  if (marks.length === 0) continue;
  marks[0].dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
  const tooltip = document.getElementById('tooltip');
  expect(!tooltip.hidden && tooltip.textContent.length > 20, `${chart.id}: tooltip`);
  marks[0].focus();
  press(marks[0], 'End');
  expect(document.activeElement === marks.at(-1), `${chart.id}: End`);
  press(marks.at(-1), 'Home');
  if (marks.length > 1) press(marks[0], 'ArrowRight');
  expect(document.activeElement === marks[Math.min(1, marks.length - 1)], `${chart.id}: arrow`);
  choose('filter-text', 'no case says this');
  const target = document.activeElement;
  press(target, 'Enter');
  expect(visible() === total, `${chart.id}: a filter hides the case`);
  expect(document.activeElement.getAttribute('aria-expanded') === 'true', `${chart.id}: the case is not open`);
  expect(window.location.hash === `#case=${encodeURIComponent(target.result.id)}`, `${chart.id}: address`);
  document.activeElement.click();
}

// Colours.
const ground = () => getComputedStyle(document.body).backgroundColor;
const before = ground();
document.getElementById('theme').click();
expect(ground() !== before, 'the theme does not change');
document.getElementById('theme').click();
expect(ground() === before, 'the theme does not change back');
expect(document.documentElement.scrollWidth <= document.documentElement.clientWidth, 'the page is too wide');

document.body.dataset.checks = problems.length === 0 ? 'passed' : problems.slice(0, 5).join('; ');
