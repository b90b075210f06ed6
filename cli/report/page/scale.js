// Logarithmic axes.
class LogScale {
  // Values from `low` to `high` (both above 0) on pixels from `begin` to `end`.
  constructor(low, high, begin, end) {
    [this.low, this.high, this.begin, this.end] = [low, high, begin, end];
  }

  at(value) {
    const share = Math.log(value / this.low) / Math.log(this.high / this.low);
    return this.begin + share * (this.end - this.begin);
  }

  // Whole powers of ten no closer than `gap` pixels; 2 and 5 between them where there is room.
  ticks(gap) {
    const decade = Math.abs(this.at(this.low * 10) - this.begin);
    const step = Math.max(1, Math.ceil(gap / decade));
    const factors = decade > 3.4 * gap ? [1, 2, 5] : [1];
    const result = [];
    const first = Math.floor(Math.log10(this.low));
    for (let power = first; power <= Math.ceil(Math.log10(this.high)); ++power) {
      if (power % step !== 0) continue;
      for (const factor of factors) {
        const value = Number(`${factor}e${power}`);
        if (value >= this.low * (1 - 1e-9) && value <= this.high * (1 + 1e-9)) result.push(value);
      }
    }
    return result;
  }
}

// Some air around values, so that no mark sits on an edge. `include`: values that must be on the axis.
function logRange(values, include, air = 1.4) {
  const all = [...values, ...include];
  return [Math.min(...all) / air, Math.max(...all) * air];
}

// Ticks as short texts: 0.001 to 99,999 in full.
function tickText(value) {
  return value >= 1e5 || value < 1e-3 ? value.toExponential(0).replace('e+', 'e') : String(value);
}
