// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes sizes, times, shares and counts as the tools do (lib/Support/Format.cpp).

/** Value with a fixed number of decimals; a tie goes to the even digit, as in C. */
function fixed(value, places) {
  const scaled = value * 10 ** places;
  const below = Math.floor(scaled);
  // A tie has at most places + 1 binary digits after the point, so the product is exact.
  if (scaled - below === 0.5 && Number.isInteger(value * 2 ** (places + 1)) && below % 2 === 0)
    return (below / 10 ** places).toFixed(places);
  return value.toFixed(places);
}

function threeDigits(value) {
  const text = fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

export function formatSize(bytes) {
  bytes = Math.round(bytes);
  if (bytes < 1024) return bytes + ' B';
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let value = bytes / 1024, unit = 0;
  for (; value >= 1023.5 && unit + 1 < units.length; ++unit) value /= 1024;
  return threeDigits(value) + ' ' + units[unit];
}

export function formatCount(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

function signOf(value) {
  return value < 0 ? '-' : value > 0 ? '+' : '';
}

export function formatSizeChange(bytes) {
  return signOf(bytes) + formatSize(Math.abs(bytes));
}

/** A sentence begins with a capital, a name such as cuda:0 or train.py does not. */
export function capital(text) {
  return /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : String(text);
}

/** A value of a table: bytes, or a count. */
export function formatValue(value, unit) {
  return unit === 'count' ? formatCount(value) : formatSize(value);
}

export function formatShare(part, whole) {
  return fixed((whole > 0 ? Math.round(part / whole * 1e6) : 0) / 1e4, 1) + ' %';
}

const pad = value => String(value).padStart(2, '0');

export function formatTime(ns) {
  ns = Math.round(ns);
  if (ns < 1000) return ns + ' ns';
  if (ns < 999500) return threeDigits(ns / 1e3) + ' us';
  if (ns < 999500000) return threeDigits(ns / 1e6) + ' ms';
  const seconds = Math.floor((ns + 5e8) / 1e9);
  if (seconds < 60) return threeDigits(ns / 1e9) + ' s';
  if (seconds < 3600) return Math.floor(seconds / 60) + 'm ' + pad(seconds % 60) + 's';
  return Math.floor(seconds / 3600) + 'h ' + pad(Math.floor(seconds / 60) % 60) + 'm';
}

/** The label of a tick: as many decimals as neighbours need to differ. */
export function formatTick(ns, distance) {
  if (ns === 0) return '0 s';
  const places = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(distance) - 1e-9)));
  if (ns < 60e9) return (ns / 1e9).toFixed(places) + ' s';
  const tenths = 10 ** places;
  const seconds = Math.round(ns / 1e9 * tenths) / tenths;
  if (distance >= 60e9 && ns >= 3600e9)
    return Math.floor(seconds / 3600) + 'h ' + pad(Math.floor(seconds / 60) % 60) + 'm';
  const rest = (seconds % 60).toFixed(places);
  return Math.floor(seconds / 60) + 'm ' + (rest.indexOf('.') === 1 || rest.length === 1 ? '0' : '') + rest + 's';
}

/** Exact seconds for addresses: 9800000000 is 9.8s. */
export function writeTime(ns) {
  const text = String(Math.round(ns)).padStart(10, '0');
  return (text.slice(0, -9) + '.' + text.slice(-9)).replace(/\.?0+$/, '') + 's';
}

/** The inverse of writeTime; null for another text. */
export function readTime(text) {
  const match = /^(\d{1,7})(?:\.(\d{1,9}))?s$/.exec(text);
  return match ? Number(match[1]) * 1e9 + Number((match[2] || '').padEnd(9, '0')) : null;
}
