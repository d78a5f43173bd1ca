// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointer, wheel and keys of the timeline: range, cursor, zoom.

import {lastAtMost, nearest} from './axis.js';
import {Pinch} from './pinch.js';
import {run, snap} from './run.js';
import {change, endGesture, state} from './state.js';
import {layoutOf, timeOf, xOf} from './timeline_paint.js';

const EdgeReach = 7, DragStart = 4;

export class TimelineInput {
  /** The timeline gives surface, answer and hover(ns or null). */
  constructor(timeline) {
    this.timeline = timeline;
    this.drag = null;
    const {canvas} = timeline.surface;
    this.pinch = new Pinch({at: event => timeline.surface.at(event), timeOf: x => timeOf(this.layout(), x),
                            show: (times, xs) => this.pinchTo(times, xs)});
    canvas.addEventListener('pointerdown', event => this.down(event));
    canvas.addEventListener('pointermove', event => this.move(event));
    canvas.addEventListener('pointerup', event => this.up(event));
    canvas.addEventListener('pointercancel', event => {
      this.pinch.up(event);
      this.drag = null;
    });
    canvas.addEventListener('pointerleave', () => timeline.hover(null));
    canvas.addEventListener('dblclick', () => this.reset());
    canvas.addEventListener('wheel', event => this.wheel(event), {passive: false});
    canvas.addEventListener('keydown', event => {
      if (this.key(event)) event.preventDefault();
    });
  }

  layout() {
    const {surface} = this.timeline;
    return layoutOf(surface.width, surface.height, windowNow());
  }

  edgeAt(layout, x) {
    if (!state.range) return -1;
    const far = state.range.map(ns => Math.abs(xOf(layout, ns) - x));
    const best = far[0] < far[1] ? 0 : 1;
    return far[best] <= EdgeReach ? best : -1;
  }

  down(event) {
    if (event.button > 0) return;
    if (this.pinch.down(event)) {
      this.drag = null;
      return;
    }
    const {x, y} = this.timeline.surface.at(event), layout = this.layout();
    const edge = y < layout.y1 ? this.edgeAt(layout, x) : -1;
    this.drag = {x, layout, moved: false, kind: y > layout.y1 ? 'pan' : edge >= 0 ? 'edge' : 'select',
                 start: clamp(timeOf(layout, x)), id: 'drag' + event.timeStamp};
    if (edge >= 0) this.drag.start = state.range[1 - edge];
    this.timeline.surface.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (this.pinch.move(event)) return;
    const {x, y} = this.timeline.surface.at(event), {drag} = this;
    const layout = drag?.layout || this.layout();
    const {style} = this.timeline.surface.canvas;
    if (!drag) {
      style.cursor = y > layout.y1 ? 'grab' : this.edgeAt(layout, x) >= 0 ? 'ew-resize' : 'crosshair';
      this.timeline.hover(x >= layout.x0 && x <= layout.x1 ? timeOf(layout, x) : null);
      return;
    }
    if (!drag.moved && Math.abs(x - drag.x) < DragStart) return;
    drag.moved = true;
    if (drag.kind === 'pan') {
      style.cursor = 'grabbing';
      const shift = timeOf(layout, drag.x) - timeOf(layout, x);
      setWindow(layout.from + shift, layout.to + shift, drag.id);
      return;
    }
    const now = clamp(timeOf(layout, x));
    const range = drag.start < now ? [drag.start, now] : [now, drag.start];
    if (range[1] > range[0]) change({range: range.map(Math.round), at: null}, drag.id);
  }

  up(event) {
    this.pinch.up(event);
    const {drag} = this;
    this.drag = null;
    if (!drag) return;
    if (drag.moved) endGesture();
    else if (drag.kind === 'select') this.setCursor(this.timeline.momentNear(drag.start));
  }

  setCursor(ns, gesture = null) {
    change({at: Math.round(snap(clamp(ns))), range: null, what: state.what === 'peak' ? '' : state.what}, gesture);
  }

  reset() {
    change({window: null, range: null, at: null});
  }

  wheel(event) {
    const layout = this.layout(), {x} = this.timeline.surface.at(event);
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (sideways) {
      const shift = (event.deltaX || event.deltaY) * unit / (layout.x1 - layout.x0) * (layout.to - layout.from);
      setWindow(layout.from + shift, layout.to + shift, 'wheel');
    } else {
      // A pinch on a trackpad comes as a wheel with Ctrl, in small steps.
      this.zoom(Math.exp(event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.002)), clamp(timeOf(layout, x)));
    }
  }

  /** Moves the window so that two times are at two places. */
  pinchTo(times, xs) {
    const {x0, x1} = this.layout(), scale = (times[1] - times[0]) / (xs[1] - xs[0]);
    const from = times[0] - (xs[0] - x0) * scale;
    if (scale > 0) setWindow(from, from + (x1 - x0) * scale, 'wheel');
  }

  zoom(factor, around) {
    const [from, to] = windowNow();
    setWindow(around - (around - from) * factor, around + (to - around) * factor, 'wheel');
  }

  /** Handles a key of the timeline; true if it was one. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const [from, to] = windowNow();
    const middle = state.at ?? (state.range ? (state.range[0] + state.range[1]) / 2 : (from + to) / 2);
    switch (event.key) {
    case 'ArrowLeft': case 'ArrowRight': this.arrow(event.key === 'ArrowLeft' ? -1 : 1, event.shiftKey); return true;
    case '[': case ']': this.step(event.key === '[' ? -1 : 1); return true;
    case '+': case '=': this.zoom(0.5, middle); return true;
    case '-': this.zoom(2, middle); return true;
    case '0': this.reset(); return true;
    case 'Escape':
      if (!state.window && !state.range && state.at === null) return false;
      this.reset();
      return true;
    }
    return false;
  }

  arrow(direction, extend) {
    const [from, to] = windowNow();
    const times = run.start.moments?.length ? run.start.moments : this.timeline.answer?.time_ns || [];
    const start = extend && state.range ? state.range[1] : state.at ?? this.timeline.space().peak_ns;
    const index = nearest(times, start) + direction;
    const next = times[Math.max(0, Math.min(times.length - 1, index))] ?? start + direction * (to - from) / 200;
    if (!extend) return this.setCursor(next, 'keys');
    const anchor = state.range ? state.range[0] : start;
    if (next > anchor) change({range: [Math.round(anchor), Math.round(next)], at: null}, 'extend');
    else if (next < anchor) change({range: [Math.round(next), Math.round(state.range ? state.range[1] : anchor)], at: null}, 'extend');
  }

  step(direction) {
    const {begin_ns: begin} = run.start.steps;
    if (!begin.length) return;
    const at = lastAtMost(begin, state.at ?? this.timeline.space().peak_ns);
    this.setCursor(begin[Math.max(0, Math.min(begin.length - 1, at + direction))], 'keys');
  }
}

const endOfRun = () => Math.max(1, run.start.end_ns);
const clamp = ns => Math.min(endOfRun(), Math.max(0, ns));

/** The part of the run that the timeline shows. */
export const windowNow = () => state.window || [0, endOfRun()];

function setWindow(from, to, gesture) {
  const end = endOfRun();
  const length = Math.min(end, Math.max(Math.min(end, 1000), to - from));
  from = Math.min(end - length, Math.max(0, from));
  change({window: length >= end ? null : [Math.round(from), Math.round(from + length)]}, gesture);
}
