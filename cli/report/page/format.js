// Numbers as text. What is not known is a dash.
const kDash = '\u2013';

// The largest double stands for "not a number" in the results, and negative numbers for "not applicable".
function known(value) {
  return typeof value === 'number' && value >= 0 && value < Number.MAX_VALUE ? value : null;
}

function count(value) {
  return known(value) === null ? kDash : Math.round(value).toLocaleString('en');
}

// "1 case", "2 cases".
function plural(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

// The parts that are not empty, in one text.
function listed(parts, separator = ', ') {
  return parts.filter((part) => part).join(separator);
}

// Few digits, exponent only where it is shorter.
function compact(value, digits = 3) {
  if (known(value) === null) return kDash;
  if (value === 0) return '0';
  if (value < 1e-3 || value >= 1e6) return value.toExponential(digits - 1).replace(/\.?0*e\+?/, 'e');
  return value >= 100 ? count(value) : String(Number(value.toPrecision(digits)));
}

function microseconds(value) {
  if (known(value) === null) return kDash;
  const [divisor, unit] = value < 1e3 ? [1, '\u00b5s'] : value < 1e6 ? [1e3, 'ms'] : [1e6, 's'];
  const scaled = value / divisor;
  return `${scaled.toFixed(scaled < 10 ? 2 : scaled < 100 ? 1 : 0)} ${unit}`;
}

function duration(seconds) {
  if (known(seconds) === null) return kDash;
  if (seconds < 1) return `${Math.round(seconds * 1e3)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

function bytes(value) {
  if (known(value) === null) return kDash;
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let scaled = value;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    ++unit;
  }
  return `${unit === 0 ? count(scaled) : Number(scaled.toPrecision(3))} ${units[unit]}`;
}

function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return kDash;
  if (share === Infinity) return 'beyond';
  const value = share * 100;
  if (value === 0) return '0 %';
  if (value < 0.001) return '< 0.001 %';
  if (value >= 1e5) return `${compact(share, 2)} \u00d7`;
  return `${value >= 100 ? count(value) : Number(value.toPrecision(2))} %`;
}

function ratio(value) {
  if (known(value) === null || value === 0) return kDash;
  return value >= 1e4 ? compact(value) : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

function errorText(value) {
  if (typeof value !== 'number' || value >= Number.MAX_VALUE) return 'not a number';
  return value < 0 ? 'not applicable' : compact(value, 2);
}

// "2026-11-16T13:44:46Z" as "2026-11-16 13:44 UTC"; other texts as they are.
function moment(iso) {
  const parts = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?Z$/.exec(iso);
  return parts ? `${parts[1]} ${parts[2]} UTC` : iso || kDash;
}
