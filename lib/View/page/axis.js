// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round positions for the ticks of axes.

import {formatTick} from './format.js';

/** Multiples of a power of two up to the maximum, at most `count` of them. */
export function sizeTicks(maximum, count) {
  if (!(maximum > 0)) return [0];
  let step = 1;
  while (maximum / step > count) step *= 2;
  const ticks = [];
  for (let at = 0; at <= maximum; at += step) ticks.push(at);
  return ticks;
}

const Seconds = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

/** Ticks of time: [{at, text}]. */
export function timeTicks(from, to, count) {
  const least = Math.max(1, (to - from) / Math.max(1, count));
  let step = 10 ** Math.floor(Math.log10(least));
  step *= [1, 2, 5, 10].find(times => step * times >= least * 0.999) || 10;
  if (step > 30e9) step = (Seconds.find(seconds => seconds * 1e9 >= least) || 86400 * Math.ceil(least / 86400e9)) * 1e9;
  else if (step === 20e9 || step === 50e9) step = 30e9;
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({at, text: formatTick(at, step)});
  return ticks;
}

/** Ticks of whole numbers such as steps. */
export function numberTicks(from, to, count) {
  const least = Math.max(1, (to - from) / Math.max(1, count));
  let step = 10 ** Math.floor(Math.log10(least));
  step = Math.max(1, step * ([1, 2, 5, 10].find(times => step * times >= least * 0.999) || 10));
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({at, text: String(at)});
  return ticks;
}

/** Last index whose value is not above x, or -1, in a rising list. */
export function lastAtMost(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Index of the value nearest to x in a rising list, or -1 for an empty one. */
export function nearest(values, x) {
  const below = lastAtMost(values, x);
  if (below < 0) return values.length ? 0 : -1;
  if (below + 1 < values.length && values[below + 1] - x < x - values[below]) return below + 1;
  return below;
}
