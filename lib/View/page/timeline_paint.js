// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the timeline: areas, lines, steps, marks, the range and the cursor.

import {sizeTicks, timeTicks, lastAtMost} from './axis.js';
import {formatSize} from './format.js';
import {clean} from './names.js';
import {fitText, textWidth} from './pen.js';
import {colors, seriesColor, SeriesCount} from './theme.js';

const LaneRow = 15, Lane = 2 * LaneRow + 4; // two rows of labels above the plot
const AxisHeight = 38; // steps and time below the plot
const StripHeight = 120; // a lower picture is a strip: no labels above the plot, and of the axes the time alone

/** Where things are: pixels of the plot, and the time at both ends. */
export function layoutOf(width, height, window) {
  const narrow = width < 560, strip = height < StripHeight;
  return {width, height, strip, x0: narrow ? 60 : 72, x1: width - 1, lane: strip ? 2 : Lane, y0: strip ? 6 : Lane + 4,
          y1: height - (strip ? 18 : AxisHeight), from: window[0], to: window[1]};
}

export const xOf = (layout, ns) =>
  layout.x0 + (ns - layout.from) / (layout.to - layout.from) * (layout.x1 - layout.x0);

export const timeOf = (layout, x) =>
  layout.from + (x - layout.x0) / (layout.x1 - layout.x0) * (layout.to - layout.from);

const lineDashes = [null, [6, 3], [2, 3], [8, 3, 2, 3]];

export const leakWord = '▲ LEAK';

/**
 * The colours of what has a meaning of its own are the same in each trace.
 * Devices and processes of one kind share a colour with their kind.
 */
const FixedHues = [
  [/^host\.malloc$/, 0], [/^host\.mmap$/, 1], [/^host\.touched$/, 3], [/^host\.stack$/, 11], [/^python\.|^host\.python/, 4],
  [/^private\./, 8], [/^torch\.cpu/, 2], [/^torch\./, 6], [/^jax\./, 6], [/^tf\./, 6], [/^cuda\./, 10],
  [/^parameters?$/, 0], [/^gradients?$/, 2], [/^optimizer/, 4], [/^activations?$/, 6], [/^inputs?$/, 5], [/^temporar/, 9], [/^buffers?$/, 1],
];
const fixedHue = name => FixedHues.find(([pattern]) => pattern.test(name))?.[1];

/** Gives the series their colours: red for a leak, grey for imports and others, so that own code stands out. */
export function colorSeries(answer) {
  const hasOwn = answer.series.some(series => series.kind === 'own'), isFixed = answer.by === 'heap' || answer.by === 'category';
  const taken = isFixed ? answer.series.map(series => fixedHue(series.name)) : [];
  const free = [...Array(SeriesCount).keys()].filter(hue => !taken.includes(hue));
  let hue = 0, grey = 0;
  for (const series of answer.series) {
    if (series.leaks) {
      series.color = () => colors.leak;
      continue;
    }
    const meant = isFixed ? fixedHue(series.name) : undefined;
    const at = meant ?? ((hasOwn ? series.kind !== 'own' : series.kind === 'import') ? -1 - grey++ : free.length ? free[hue++ % free.length] : hue++);
    series.color = () => series.name === 'others' ? colors.others : at < 0 ? colors.greys[(-1 - at) % 3] : seriesColor(at, series.name);
  }
}

/** Upper edges of the stacked series, one array a series, computed once an answer. */
export function stackOf(answer) {
  let below = new Float64Array(answer.time_ns.length);
  return answer.series.map(series => {
    const above = new Float64Array(below.length);
    for (let at = 0; at < above.length; ++at) above[at] = below[at] + (series.values[at] || 0);
    below = above;
    return above;
  });
}

/** The highest value to be drawn in the window. */
function topOf(answer, layout) {
  let top = 1;
  const look = (times, values) => {
    for (let at = Math.max(0, lastAtMost(times, layout.from)); at < times.length; ++at) {
      top = Math.max(top, values[at]);
      if (times[at] > layout.to) break;
    }
  };
  look(answer.time_ns, answer.total);
  for (const line of answer.lines) look(line.time_ns, line.values);
  return top * 1.05;
}

function pointsOf(layout, times, values, top) {
  const points = [];
  const first = Math.max(0, lastAtMost(times, layout.from));
  const scale = (layout.y1 - layout.y0) / top;
  for (let at = first; at < times.length; ++at) {
    points.push(xOf(layout, times[at]), layout.y1 - values[at] * scale);
    if (times[at] > layout.to) break;
  }
  return points;
}

// The corners of a line whose values hold until the next point.
function cornersOf(points) {
  const corners = points.slice(0, 2);
  for (let at = 2; at < points.length; at += 2) corners.push(points[at], corners[corners.length - 1], points[at], points[at + 1]);
  return corners;
}

function paintAreas(pen, layout, answer, stack, top) {
  const base = layout.y1;
  for (let at = stack.length - 1; at >= 0; --at) {
    const upper = pointsOf(layout, answer.time_ns, stack[at], top);
    if (upper.length < 4) continue;
    const fill = stack.length === 1 ? colors.area : answer.series[at].color();
    pen.area([upper[0], base, ...upper, upper[upper.length - 2], base], fill);
    pen.line(upper, stack.length === 1 ? colors.accent : colors.ground, stack.length === 1 ? 1.25 : 0.75);
  }
  answer.lines.forEach((line, at) => {
    const points = pointsOf(layout, line.time_ns, line.values, top);
    pen.line(line.holds ? cornersOf(points) : points, colors.ink, 1.25, lineDashes[at % 4]);
  });
}

/** A word in the area of each leak, at its last moment with room for it: colour alone says nothing. */
function paintLeaks(pen, layout, answer, stack, top) {
  const scale = (layout.y1 - layout.y0) / top, wide = textWidth(leakWord, 11, true) + 12;
  answer.series.forEach((series, at) => {
    if (!series.leaks) return;
    for (let moment = answer.time_ns.length - 1; moment >= 0; --moment) {
      const x = Math.min(layout.x1, xOf(layout, answer.time_ns[moment])), height = series.values[moment] * scale;
      if (x - wide < layout.x0) return;
      if (height < 16 || answer.time_ns[moment] > layout.to) continue;
      pen.text(x - 6, layout.y1 - stack[at][moment] * scale + height / 2, leakWord, colors.onleak, {align: 'right', size: 11, bold: true});
      return;
    }
  });
}

/**
 * The place for a name in a band: the middle of the longest run of moments at which the band has room for it at one
 * height; null: there is none. edges(at) gives [upper, lower] in pixels.
 */
function roomFor(xs, edges, wide, high) {
  let best = null;
  for (let from = 0; from < xs.length; ++from) {
    let top = -Infinity, bottom = Infinity;
    for (let to = from; to < xs.length; ++to) {
      const [upper, lower] = edges(to);
      top = Math.max(top, upper);
      bottom = Math.min(bottom, lower);
      if (bottom - top < high) break;
      if (xs[to] - xs[from] < wide) continue;
      if (!best || bottom - top > best.room) best = {x: (xs[from] + xs[to]) / 2, y: (top + bottom) / 2, room: bottom - top};
      break;
    }
  }
  return best;
}

/** The name of each area in the area, where it has room. */
function paintNames(pen, layout, answer, stack, top) {
  if (stack.length < 2) return;
  const scale = (layout.y1 - layout.y0) / top, all = answer.time_ns;
  const thin = Math.max(1, Math.ceil(all.length / 200)), chosen = all.map((_, at) => at)
    .filter(at => at % thin === 0 && all[at] >= layout.from && all[at] <= layout.to);
  const xs = chosen.map(at => xOf(layout, all[at]));
  answer.series.forEach((series, number) => {
    if (series.leaks || series.name === 'others') return;
    const text = fitText(clean(series.name, 80), 240, 11);
    const edges = at => [layout.y1 - stack[number][chosen[at]] * scale,
      layout.y1 - (number ? stack[number - 1][chosen[at]] : 0) * scale];
    const place = text && roomFor(xs, edges, textWidth(text, 11) + 12, 15);
    if (place) pen.text(place.x, place.y, text, colors.onfill, {align: 'center', size: 11});
  });
}

function paintGrid(pen, layout, top) {
  for (const tick of sizeTicks(top, Math.max(layout.strip ? 1 : 2, (layout.y1 - layout.y0) / 30))) {
    const y = Math.round(layout.y1 - tick / top * (layout.y1 - layout.y0)) + 0.5;
    pen.line([layout.x0, y, layout.x1, y], tick ? colors.line : colors.edge);
    pen.text(layout.x0 - 8, y, formatSize(tick), colors.dim, {align: 'right'});
  }
}

function paintSteps(pen, layout, steps) {
  const {id, begin_ns: begin} = steps;
  const first = Math.max(0, lastAtMost(begin, layout.from - 1) + 1), last = lastAtMost(begin, layout.to);
  if (last < first) return;
  const distance = (xOf(layout, begin[last]) - xOf(layout, begin[first])) / Math.max(1, last - first);
  const every = least => {
    let thin = 1;
    for (const times of [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2]) {
      if (distance * thin >= least) break;
      thin = Math.round(thin * times);
    }
    return thin;
  };
  const tickEvery = every(4), labelEvery = every(44);
  let free = -Infinity;
  for (let at = first; at <= last; ++at) {
    const number = id[at];
    if (number % tickEvery && at !== first) continue;
    const x = Math.round(xOf(layout, begin[at])) + 0.5;
    const labelled = number % labelEvery === 0 || at === first;
    pen.line([x, layout.y1, x, layout.y1 + (labelled ? 6 : 3)], colors.edge);
    const text = free === -Infinity ? 'step ' + number : String(number);
    const half = textWidth(text, 11) / 2;
    if (!labelled || x - half < free || x + half > layout.x1) continue;
    pen.text(x, layout.y1 + 13, text, colors.dim, {align: 'center', size: 11});
    free = x + half + 8;
  }
}

function paintTime(pen, layout) {
  const y = layout.y1 + (layout.strip ? 10 : 29);
  for (const tick of timeTicks(layout.from, layout.to, (layout.x1 - layout.x0) / 90)) {
    const half = textWidth(tick.text, 11) / 2;
    const x = Math.min(layout.x1 - half, Math.max(layout.x0 + half, xOf(layout, tick.at)));
    if (Math.abs(x - xOf(layout, tick.at)) > half + 1) continue;
    pen.text(x, y, tick.text, colors.dim, {align: 'center', size: 11});
  }
}

/** Finds room for a label in the rows above the plot; the row, or -1 where there is none. */
function takeRow(taken, left, width) {
  for (let row = 0; row < 2; ++row) {
    if (taken[row].some(([from, to]) => left < to + 10 && left + width + 10 > from)) continue;
    taken[row].push([left, left + width]);
    return row;
  }
  return -1;
}

const isUrgent = kind => kind === 'oom' || kind === 'alert' || kind === 'loss';
const kindWords = {oom: 'out of memory', 'record-on': 'recording on', 'record-off': 'recording off'};

/** Labels above the plot, urgent ones first; later ones are left out where there is no room. */
function paintMarks(pen, layout, marks, taken) {
  const order = marks.time_ns.map((_, at) => at);
  order.sort((a, b) => isUrgent(marks.kind[b]) - isUrgent(marks.kind[a]));
  for (const at of order) {
    const begin = marks.time_ns[at], end = Math.max(begin, marks.end_ns[at]), kind = marks.kind[at];
    if (end < layout.from || begin > layout.to) continue;
    const urgent = isUrgent(kind), color = urgent ? colors.alarm : colors.dim;
    const x = Math.round(Math.max(layout.x0, xOf(layout, begin))) + 0.5, right = Math.min(layout.x1, xOf(layout, end));
    const text = clean(kindWords[kind] || marks.text[at] || kind, 80);
    const room = Math.min(layout.x1 - layout.x0, Math.max(urgent ? 320 : 120, right - x));
    const label = fitText(text, room, 11, urgent), width = textWidth(label, 11, urgent);
    const left = Math.min(x, layout.x1 - width);
    const row = label && !layout.strip ? takeRow(taken, left, width) : -1;
    if (right - x > 2) pen.rect(x, layout.lane, right - x, 3, colors.edge);
    else pen.line([x, layout.lane, x, layout.y1], color, 1, [2, 3]);
    if (row >= 0) pen.text(left, row * LaneRow + 7, label, color, {size: 11, bold: urgent});
  }
}

function paintPeak(pen, layout, {peak_bytes: bytes, peak_ns: ns}, top, taken) {
  if (!bytes || ns < layout.from || ns > layout.to) return;
  const x = xOf(layout, ns), y = layout.y1 - bytes / top * (layout.y1 - layout.y0);
  if (y < layout.y0 - 2) return;
  paintPoint(pen, layout, x, y, 'peak ' + formatSize(bytes), taken);
}

/** A label right above its point; in a strip beside it. */
function paintPoint(pen, layout, x, y, text, taken) {
  const width = textWidth(text, 12, true);
  pen.rect(x - 2.5, y - 2.5, 5, 5, colors.ink);
  const beside = x + 8 + width <= layout.x1 ? x + 8 : x - 8 - width;
  const left = layout.strip ? beside : Math.min(layout.x1 - width, Math.max(layout.x0, x - width / 2));
  const middle = layout.strip ? Math.max(8, y) : y - 11;
  taken.points.push([left, left + width]);
  if (middle < Lane + 8) taken[1].push([left, left + width]);
  else pen.rect(left - 2, middle - 8, width + 4, 16, colors.veil);
  pen.text(left, middle, text, colors.ink, {bold: true});
}

/** The highest value of resident memory, which may be of another moment than the peak. */
function paintResident(pen, layout, answer, top, taken) {
  const line = answer.lines.find(one => one.name === 'resident');
  if (!line || layout.strip) return;
  const at = line.values.reduce((best, value, index) => value > line.values[best] ? index : best, 0);
  const ns = line.time_ns[at], bytes = line.values[at];
  if (!bytes || ns < layout.from || ns > layout.to) return;
  const x = xOf(layout, ns), y = layout.y1 - bytes / top * (layout.y1 - layout.y0);
  const width = textWidth('resident ' + formatSize(bytes), 12, true), half = width / 2;
  // Where the peak's label is, one is enough: the legend has both numbers.
  if (taken.points.some(([from, to]) => x - half < to + 6 && x + half + 6 > from)) return;
  paintPoint(pen, layout, x, y, 'resident ' + formatSize(bytes), taken);
}

function paintRange(pen, layout, range) {
  if (!range) return;
  const left = Math.max(layout.x0, xOf(layout, range[0])), right = Math.min(layout.x1, xOf(layout, range[1]));
  const height = layout.y1 - layout.lane;
  pen.rect(layout.x0, layout.lane, Math.max(0, Math.min(left, layout.x1) - layout.x0), height, colors.veil);
  pen.rect(Math.max(right, layout.x0), layout.lane, Math.max(0, layout.x1 - right), height, colors.veil);
  for (const ns of range) {
    if (ns < layout.from || ns > layout.to) continue;
    const x = Math.round(xOf(layout, ns)) + 0.5;
    pen.line([x, layout.y0, x, layout.y1], colors.accent, 1.5);
    pen.rect(x - 3, (layout.y0 + layout.y1) / 2 - 10, 6, 20, colors.accent);
  }
}

/** Draws the run; `view` has answer, stack, steps, marks, peak. */
export function paintTimeline(pen, layout, view) {
  if (!view.answer) return;
  const top = topOf(view.answer, layout), taken = Object.assign([[], []], {points: []});
  paintGrid(pen, layout, top);
  pen.clip(layout.x0, 0, layout.x1 - layout.x0, layout.y1);
  paintAreas(pen, layout, view.answer, view.stack, top);
  paintLeaks(pen, layout, view.answer, view.stack, top);
  if (!layout.strip) paintNames(pen, layout, view.answer, view.stack, top);
  pen.unclip();
  paintPeak(pen, layout, view.peak, top, taken);
  paintResident(pen, layout, view.answer, top, taken);
  paintMarks(pen, layout, view.marks, taken);
  if (!layout.strip) paintSteps(pen, layout, view.steps);
  paintTime(pen, layout);
}

/** Draws what is selected; `view` has range, at, hover. */
export function paintSelection(pen, layout, view) {
  paintRange(pen, layout, view.range);
  if (view.at !== null && view.at >= layout.from && view.at <= layout.to) {
    const x = Math.round(xOf(layout, view.at)) + 0.5;
    pen.line([x, layout.y0 - 4, x, layout.y1 + 4], colors.accent, 2);
  }
  if (view.hover !== null && view.hover >= layout.from && view.hover <= layout.to) {
    const x = Math.round(xOf(layout, view.hover)) + 0.5;
    pen.line([x, layout.y0, x, layout.y1], colors.ink, 1, [3, 3]);
  }
}
