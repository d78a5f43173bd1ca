// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the page knows of the run: the answer to api/start, and questions about it.

import {lastAtMost, nearest} from './axis.js';
import {formatTime} from './format.js';
import {state} from './state.js';

export const run = {start: null};

/** The memory space that is looked at: the chosen one, or the one with the highest peak. */
export function spaceNow() {
  const {spaces} = run.start;
  return spaces.find(space => space.id === state.space) ||
    spaces.reduce((best, space) => space.peak_bytes > (best?.peak_bytes ?? -1) ? space : best, null) ||
    {id: 0, name: 'host', peak_bytes: 0, peak_ns: 0, live_bytes: 0, peak_step: null};
}

/** Which heap and process the timeline, the flame graph and its table are of; null: all. */
export function filtersNow() {
  const {heaps, processes} = run.start;
  const heap = heaps.find(one => one.id === state.heap && one.space === spaceNow().id);
  return {heap: heap ? state.heap : null, process: processes.id.includes(state.process) ? state.process : null};
}

/** The step of a time, or null before the first step. */
export function stepAt(ns) {
  const {steps} = run.start;
  const at = lastAtMost(steps.begin_ns, ns);
  return at < 0 ? null : steps.id[at];
}

/** '9.8 s, step 59'. */
export function momentText(ns) {
  const step = stepAt(ns);
  return formatTime(ns) + (step === null ? '' : ', step ' + step);
}

/** A file page holds some moments only: the nearest of them. */
export function snap(ns) {
  const {moments} = run.start;
  return moments?.length ? moments[nearest(moments, ns)] : ns;
}

/** What the flame graph and the table ask for: the range, the cursor's moment, or the peak. */
export function metricNow() {
  const ranged = ['allocated', 'count', 'temporary', 'freed', 'retained'];
  if (ranged.includes(state.what)) return state.what;
  if (state.what === 'peak') return 'peak';
  if (state.what === 'live') return state.at === null ? 'peak' : 'live';
  if (state.range) return 'allocated';
  return state.at === null ? 'peak' : 'live';
}

/** The number of the flame graph that is looked at, in a page that is a list of flame graphs. */
export function listedNow() {
  return Math.min(Number(state.what) || 0, run.start.listed.length - 1);
}

/** The parameters of profile and table for the state. */
export function profileParameters() {
  if (run.start.listed) return {listed: listedNow(), invert: state.invert ? 1 : 0};
  const what = metricNow();
  const ranged = what !== 'peak' && what !== 'live';
  const parameters = {space: spaceNow().id, ...filtersNow(), all: state.all ? 1 : 0, invert: state.invert ? 1 : 0};
  if (state.by && state.by !== run.start.groups[0]) parameters.by = state.by;
  if (what === 'live') parameters.at = Math.round(state.at);
  if (ranged) {
    parameters.what = what;
    if (state.range) [parameters.from, parameters.to] = state.range.map(Math.round);
  }
  return parameters;
}
