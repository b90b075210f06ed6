// Elements. Texts from the run only ever become text nodes and attributes, never markup.
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === true)
      element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

// Names of operators may break after "_", shapes after the "x" of "64x64"; "3x3" and "->" stay whole.
function breakable(name) {
  const pieces = name.split(/(?<=_|\d\dx(?=\d\d)|->)|(?=->)/).flatMap((piece) => {
    if (piece === '->') return [make('span', {class: 'whole-word'}, piece)];
    return /[_x]$/.test(piece) ? [piece, make('wbr')] : [piece];
  });
  return make('span', {}, ...pieces);
}

// Entries [term, value]; a value of "" or null leaves the entry out.
function describe(list, entries) {
  for (const [term, value] of entries) {
    if (value === null || value === '') continue;
    list.append(make('dt', {}, term), make('dd', {}, value));
  }
  return list;
}

async function copyText(text, source) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not allowed here: select it, so that the keyboard can copy.
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand('copy');
  }
}
