// The words of the closed forms, as lessons/closed.py has them.
const P = {
  exp: Math.exp, log: Math.log, sqrt: Math.sqrt, log1p: Math.log1p, expm1: Math.expm1, tanh: Math.tanh,
  sinh: Math.sinh, cosh: Math.cosh, asinh: Math.asinh, atan: Math.atan, floor: Math.floor, ceil: Math.ceil,
  abs: Math.abs,
  min: (...v) => Math.min(...(v.length === 1 ? v[0] : v)),
  max: (...v) => Math.max(...(v.length === 1 ? v[0] : v)),
  sum: (v) => v.reduce((a, b) => a + b, 0),
  len: (v) => v.length,
  list: (v) => [...v],
  range: (...v) => {
    const [low, high] = v.length === 1 ? [0, v[0]] : v;
    const out = [];
    for (let i = low; i < high; i += 1) out.push(i);
    return out;
  },
  sorted: (v) => [...v].sort((a, b) => a - b),
  at: (v, i) => (Array.isArray(v) ? v.at(i) : v[i]),

  // erf by its all-positive series near 0, erfc by its continued fraction further out: relative error below 1e-13
  erf: (x) => {
    if (x < 0) return -P.erf(-x);
    if (x > 1.5) return 1 - P.erfc(x);
    let term = x;
    let total = x;
    for (let n = 1; n < 80; n += 1) {
      term *= (2 * x * x) / (2 * n + 1);
      total += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * total;
  },
  erfc: (x) => {
    if (x < 0) return 2 - P.erfc(-x);
    if (x <= 1) return 1 - P.erf(x);
    if (x > 27) return 0;
    let tail = 0;
    for (let k = 240; k > 0; k -= 1) tail = k / 2 / (x + tail);
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + tail);
  },

  // a number for people
  show: (value, digits = 4) => {
    const trim = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const sign = value < 0 ? "−" : "";
    const size = Math.abs(value);
    if (size < 1e-3 || size >= 1e6) {
      const [mantissa, power] = size.toExponential(digits - 1).split("e");
      return `${sign}${trim(mantissa)}e${Number(power)}`;
    }
    if (size >= 10 ** (digits - 1)) return `${sign}${Math.floor(size + 0.5)}`;
    return sign + trim(size.toPrecision(digits));
  },
};
