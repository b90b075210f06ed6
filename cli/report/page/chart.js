// What all charts share: symbols, marks with a tooltip and a way to their case, legends, drawing again on resize.
const kMarkSize = 3.6;
const charts = [];

function symbol(shape, x, y, size) {
  if (shape === 'diamond') {
    const s = size * 1.25;
    return makeSvg('path', {class: 'body', d: `M${x} ${y - s}L${x + s} ${y}L${x} ${y + s}L${x - s} ${y}Z`});
  }
  return makeSvg('circle', {class: 'body', cx: x, cy: y, r: size});
}

function markClass({shape, hue}, failed) {
  return `mark hue-${hue}${shape === 'disc' ? '' : ' open'}${failed ? ' failed' : ''}`;
}

function symbolKey(style) {
  const key = makeSvg('svg', {class: 'key', viewBox: '0 0 12 12', 'aria-hidden': 'true'});
  key.append(makeSvg('g', {class: markClass(style, false)}, symbol(style.shape, 6, 6, 4)));
  return key;
}

// A mark for a case. `lines`: what the tooltip says under the title. `failed`: in the colour of failures.
function caseMark(result, x, y, lines, failed, ...extra) {
  const group = makeSvg('g', {
    class: markClass(result.style, failed),
    role: 'link',
    tabindex: -1,
    'aria-label': [caseTitle(result), ...lines].join('. '),
  });
  [x, y] = [x.toFixed(1), y.toFixed(1)].map(Number);
  group.append(
      ...extra, makeSvg('circle', {class: 'reach', cx: x, cy: y, r: 9}), symbol(result.style.shape, x, y, kMarkSize));
  Object.assign(group, {result, lines});
  return group;
}

function text(x, y, content, attributes) {
  return makeSvg('text', {x, y, ...attributes}, content);
}

function line(x1, y1, x2, y2, style) {
  return makeSvg('line', {x1, y1, x2, y2, class: style});
}

function picture(width, height, label) {
  return makeSvg(
      'svg', {viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}`, role: 'group', 'aria-label': label});
}

function legend(styles) {
  const entries = styles.map(([style, name]) => make('span', {}, symbolKey(style), breakable(name)));
  return make('div', {class: 'legend'}, ...entries);
}

function legendOf(results) {
  const present = operators.filter(({op}) => results.some((result) => result.op === op));
  return legend(present.map(({op, style}) => [style, op]));
}

function showTooltip(mark) {
  const tooltip = byId('tooltip');
  const head =
      [make('strong', {}, breakable(mark.result.op)), make('div', {}, listed([mark.result.shape, mark.result.type]))];
  tooltip.replaceChildren(...head, ...mark.lines.map((words) => make('span', {}, words, make('br'))));
  tooltip.hidden = false;
  const target = mark.querySelector('.reach').getBoundingClientRect();
  const own = tooltip.getBoundingClientRect();
  const x = Math.min(Math.max(target.x + target.width / 2 - own.width / 2, 12), window.innerWidth - own.width - 12);
  const above = target.y - own.height - 6;
  tooltip.style.left = `${Math.max(x, 0)}px`;
  tooltip.style.top = `${above > 4 ? above : target.bottom + 6}px`;
}

function hideTooltip() {
  byId('tooltip').hidden = true;
}

const kSteps = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  Home: -Infinity,
  End: Infinity
};

// A chart is one stop of the tab key; inside, arrows go from mark to mark and Enter opens the case.
function setUpMarks(root) {
  const markOf = (event) => event.target.closest('.mark');
  root.addEventListener('pointerover', (event) => (markOf(event) ? showTooltip(markOf(event)) : hideTooltip()));
  root.addEventListener('pointerleave', hideTooltip);
  root.addEventListener('focusin', (event) => {
    if (markOf(event)?.matches(':focus-visible')) showTooltip(markOf(event));
  });
  root.addEventListener('focusout', hideTooltip);
  root.addEventListener('click', (event) => {
    if (!markOf(event)?.result) return;
    hideTooltip();
    showCase(markOf(event).result.index);
  });
  root.addEventListener('keydown', (event) => {
    const mark = markOf(event);
    if (!mark) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      showCase(mark.result.index);
    } else if (event.key === 'Escape') {
      hideTooltip();
    } else if (event.key in kSteps) {
      event.preventDefault();
      const marks = [...root.querySelectorAll('[role=link]')];
      const next = Math.min(Math.max(marks.indexOf(mark) + kSteps[event.key], 0), marks.length - 1);
      mark.setAttribute('tabindex', -1);
      marks[next].setAttribute('tabindex', 0);
      marks[next].focus();
    }
  });
}

// `draw(width)` gives the elements of the chart, or nothing if the run has no data for it; `empty` then says so.
function addChart(id, empty, draw) {
  const root = byId(id);
  setUpMarks(root);
  const chart = {root, width: 0};
  chart.draw = () => {
    chart.width = root.clientWidth;
    const content = draw(Math.max(chart.width, 240));
    root.replaceChildren(...(content ?? [make('p', {class: 'nothing'}, empty)]));
    const marks = root.querySelectorAll('[role=link]');
    marks[0]?.setAttribute('tabindex', 0);
    root.dataset.rendered = marks.length;
  };
  chart.draw();
  charts.push(chart);
}

function drawOnResize() {
  const observer = new ResizeObserver(() => {
    // In the next frame: drawing changes heights, which the observer would report again.
    window.requestAnimationFrame(() => {
      for (const chart of charts)
        if (chart.root.clientWidth !== chart.width) chart.draw();
    });
  });
  for (const chart of charts) observer.observe(chart.root);
}
