// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timeline on top of every view: memory over time, with a legend of the moment.

import {Question} from './ask.js';
import {nearest} from './axis.js';
import {button, element, menu, setText} from './element.js';
import {formatSize, formatSizeChange, formatTime} from './format.js';
import {clean, meaningOf} from './names.js';
import {FilterMenu} from './filter.js';
import {pictureButton} from './picture.js';
import {filtersNow, momentText, run, spaceNow, stepAt} from './run.js';
import {change, inGesture, onChange, state} from './state.js';
import {Surface} from './surface.js';
import {onTheme, colors} from './theme.js';
import {TimelineInput, windowNow} from './timeline_input.js';
import {colorSeries, layoutOf, leakWord, paintSelection, paintTimeline, stackOf} from './timeline_paint.js';

const GroupWords = {'': 'total', line: 'line of your code', stack: 'stack', heap: 'heap', library: 'library',
               category: 'category', layer: 'layer', scope: 'scope', thread: 'thread', process: 'process',
               resident: 'part of resident memory'};

export const groupWord = name => GroupWords[name] || name;

export class Timeline {
  constructor() {
    this.answer = null;
    this.hoverTime = null;
    this.surface = new Surface((pen, width, height) => this.paint(pen, width, height), 0,
      {tabindex: 0, role: 'slider', 'aria-valuemin': 0, 'aria-valuemax': run.start.end_ns},
      (pen, width, height) => this.paintOver(pen, width, height));
    this.surface.box.classList.add('timeline-surface');
    this.question = new Question('curves', answer => this.show(answer));
    this.legend = element('div', {class: 'legend'});
    this.selection = element('span', {class: 'selection'});
    this.clear = button('Clear', () => change({range: null, at: null}), {hidden: true, class: 'link'});
    this.input = new TimelineInput(this);
    this.root = element('section', {class: 'timeline', 'aria-label': 'Memory over time'},
      this.head(), this.selectionLine = element('div', {class: 'selection-line'}, this.selection, this.clear), this.surface.box, this.question.status, this.legend);
    onTheme(() => this.showLegend());
    onChange(() => this.update());
  }

  head() {
    const {spaces, curves} = run.start;
    this.spaceMenu = menu('of', spaces.map(space => [String(space.id), clean(space.name)]),
      '', value => change({space: Number(value), heap: null, zoom: []}));
    this.spaceMenu.hidden = spaces.length < 2;
    this.curveMenu = menu('by', [...new Set(['', ...curves])].map(name => [name, groupWord(name)]),
      '', value => change({curve: value}));
    this.filters = ['heap', 'process'].map(name => new FilterMenu(name));
    const end = () => run.start.end_ns;
    const middle = () => state.at ?? (state.range ? (state.range[0] + state.range[1]) / 2 : end() / 2);
    this.resetButton = button('Whole run', () => change({window: null}), {hidden: true});
    this.menus = element('span', {class: 'menus'}, this.spaceMenu, this.filters.map(filter => filter.root));
    return this.bar = element('div', {class: 'bar'},
      element('h2', {}, 'Memory over time'), this.curveMenu, this.menus,
      element('span', {class: 'push'}), this.resetButton,
      button('−', () => this.input.zoom(2, middle()), {'aria-label': 'Zoom out', class: 'square'}),
      button('+', () => this.input.zoom(0.5, middle()), {'aria-label': 'Zoom in', class: 'square'}),
      pictureButton(() => this.surface.svg(), 'timeline'));
  }

  /** The menus of space, heap and process stand above the curve; above a strip there is no room, but in the view's own bar. */
  placeMenus(bar) {
    const before = (bar || this.bar).querySelector('.push');
    if (before.previousSibling !== this.menus) before.before(this.menus);
  }

  space() {
    return spaceNow();
  }

  /** The peak that the curve shows: that of the space; with a filter, or of resident memory, the highest of the curve. */
  peak() {
    const {heap, process} = filtersNow(), space = this.space();
    if ((heap === null && process === null && !this.isResident()) || !this.answer) return space;
    const {total, time_ns: times} = this.answer;
    const at = total.reduce((best, value, index) => value > total[best] ? index : best, 0);
    return {peak_bytes: total[at] || 0, peak_ns: times[at] || 0};
  }

  isResident() {
    return this.answer?.by === 'resident';
  }

  curveNow() {
    return state.curve ?? (run.start.curves[0] || '');
  }

  update() {
    const parameters = {space: this.space().id, ...filtersNow(), by: this.curveNow()};
    if (state.window) [parameters.from, parameters.to] = state.window;
    this.question.ask(parameters, inGesture() ? 120 : 0);
    this.spaceMenu.querySelector('select').value = String(this.space().id);
    this.curveMenu.querySelector('select').value = this.curveNow();
    for (const filter of this.filters) filter.update();
    this.resetButton.hidden = !state.window;
    this.showSelection();
    this.showLegend();
    // The picture follows the window; a range and a cursor lie above.
    const shown = String(state.window) + this.space().id, over = [state.range, state.at].join();
    if (shown !== this.shown) this.surface.redraw();
    else if (over !== this.shownOver) this.surface.redrawOver();
    this.shown = shown;
    this.shownOver = over;
  }

  show(answer) {
    this.answer = answer;
    this.stack = stackOf(answer);
    colorSeries(answer);
    this.rows = null;
    const none = !answer.total.some(value => value > 0) && !answer.lines.length;
    this.surface.box.hidden = this.legend.hidden = none;
    if (none) this.question.say('Nothing was recorded in ' + clean(this.space().name) + '.');
    this.showSelection();
    this.showLegend();
    this.surface.redraw();
  }

  /** The moment of the curve that is nearest to a time: a click means a column, and its highest moment. */
  momentNear(ns) {
    const times = this.answer?.time_ns || [];
    const at = nearest(times, ns);
    return at < 0 ? ns : times[at];
  }

  hover(ns) {
    const time = ns === null ? null : this.momentNear(ns);
    if (time === this.hoverTime) return;
    this.hoverTime = time;
    this.showLegend();
    this.surface.redrawOver();
  }

  totalAt(ns) {
    const at = nearest(this.answer.time_ns, ns);
    return at < 0 ? 0 : this.answer.total[at];
  }

  showSelection() {
    const {range, at} = state;
    this.clear.hidden = !range && at === null;
    this.selectionLine.classList.toggle('idle', this.clear.hidden);
    let text = 'Click a moment, or drag over a range.';
    if (range) {
      const steps = range.map(stepAt);
      text = 'Range ' + formatTime(range[0]) + ' to ' + formatTime(range[1]);
      if (steps[1] !== null) text += ', steps ' + (steps[0] ?? run.start.steps.id[0]) + ' to ' + steps[1];
      if (this.answer) text += ', ' + formatSizeChange(this.totalAt(range[1]) - this.totalAt(range[0]));
    } else if (at !== null) {
      text = 'At ' + momentText(at) + (run.start.moments?.length ? ', the nearest of the ' + run.start.moments.length + ' moments in this file' : '');
    }
    setText(this.selection, text);
    const {canvas} = this.surface;
    const space = this.space();
    canvas.setAttribute('aria-valuenow', at ?? space.peak_ns);
    canvas.setAttribute('aria-valuetext', text);
    const peak = this.isResident() ? this.peak() : space;
    this.surface.describe((this.isResident() ? 'Resident memory' : 'Memory of ' + clean(space.name)) + ' over time. Peak ' + formatSize(peak.peak_bytes) +
      ' at ' + momentText(peak.peak_ns) + '. Left and right move the cursor.');
  }

  /** Makes the legend's rows once an answer; moments change numbers only. */
  makeRows() {
    const items = this.answer.series.length > 1
      ? this.answer.series.filter(series => series.values.some(value => value > 0)).map(series => ({series, color: series.color})) : [];
    const lines = this.answer.lines.map(line => ({series: line, line: true, color: () => colors.ink}));
    this.when = element('span', {class: 'name'});
    this.sum = element('span', {class: 'number'});
    this.rows = [...items, ...lines].map((item, at) => {
      const swatch = element('span', {class: item.line ? 'swatch stroke' + (at - items.length) % 4 : 'swatch'});
      const number = element('span', {class: 'number'});
      return {...item, swatch, number,
              root: element('div', {class: 'legend-row'}, swatch,
                element('span', {class: 'name', title: [clean(item.series.name), meaningOf(item.series.name)].filter(Boolean).join(': ')},
                  item.series.leaks ? element('b', {class: 'alarm-text'}, leakWord + ' ') : null, clean(item.series.name)), number)};
    });
    // A single area is the total.
    const swatch = items.length ? null : element('span', {class: 'swatch key-area'});
    this.legend.replaceChildren(element('div', {class: 'legend-row total'}, swatch, this.when, this.sum),
      ...this.rows.map(row => row.root));
  }

  showLegend() {
    if (!this.answer) return;
    if (!this.rows) this.makeRows();
    const peak = this.peak(), moment = this.hoverTime ?? state.at ?? peak.peak_ns;
    const isPeak = this.hoverTime === null && state.at === null;
    const at = nearest(this.answer.time_ns, moment);
    setText(this.when, (isPeak ? 'Peak, ' : 'At ') + momentText(isPeak ? moment : this.answer.time_ns[at] ?? moment));
    setText(this.sum, formatSize(isPeak ? peak.peak_bytes : this.answer.total[at] || 0));
    for (const row of this.rows) {
      const index = row.line ? nearest(row.series.time_ns, moment) : at;
      const bytes = index < 0 ? 0 : row.series.values[index] || 0;
      setText(row.number, bytes ? formatSize(bytes) : '');
      row.root.classList.toggle('dim', !bytes);
      if (row.shown !== row.color()) row.swatch.style.background = row.line ? '' : row.color();
      row.shown = row.color();
    }
  }

  paint(pen, width, height) {
    paintTimeline(pen, layoutOf(width, height, windowNow()), {
      answer: this.answer, stack: this.stack, steps: run.start.steps, marks: run.start.marks,
      peak: this.peak()});
  }

  paintOver(pen, width, height) {
    if (this.answer) paintSelection(pen, layoutOf(width, height, windowNow()), {range: state.range, at: state.at, hover: this.hoverTime});
  }
}
