// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers: a heat map of layers over steps. A cell leads to the flame graph of its step's peak.

import {Question} from './ask.js';
import {numberTicks} from './axis.js';
import {element} from './element.js';
import {formatSize} from './format.js';
import {clean} from './names.js';
import {fitTail, textWidth} from './pen.js';
import {CommandLine, pictureButton} from './picture.js';
import {run} from './run.js';
import {change, state} from './state.js';
import {Scroller} from './scroller.js';
import {DataTable} from './table.js';
import {colors, onTheme, scaleColor} from './theme.js';

const CellHeight = 20, Top = 24, LayersHeight = Top + 30 * CellHeight;

export class Layers {
  constructor() {
    this.answer = null;
    this.cell = null;
    this.question = new Question('layers', answer => this.show(answer));
    this.command = new CommandLine();
    this.title = element('h2', {}, 'Bytes that layers hold at the peak of each step');
    this.scroller = new Scroller((...place) => this.paint(...place), (...place) => this.paintOver(...place), {tabindex: 0});
    this.surface = this.scroller.surface;
    this.surface.canvas.style.cursor = 'pointer';
    this.detail = element('p', {class: 'cell-detail', 'aria-live': 'polite'});
    this.scale = element('span', {class: 'scale'});
    this.least = element('span');
    this.most = element('span');
    this.legend = element('p', {class: 'color-legend'}, element('span', {}, this.least, this.scale, this.most));
    this.table = new DataTable([
      {title: 'most', number: true, value: row => row.most, text: row => formatSize(row.most)},
      {title: 'in step', number: true, value: row => row.step, text: row => String(row.step)},
      {title: 'first step', number: true, value: row => row.first, text: row => formatSize(row.first)},
      {title: 'last step', number: true, value: row => row.last, text: row => formatSize(row.last)},
      {title: 'layer', main: true, wide: true, value: row => row.name, text: row => row.name}]);
    this.empty = element('p', {class: 'dim', hidden: true}, 'The trace has no layers: no module of PyTorch or Keras made tensors while it ran. memkit.trace(model) names the modules of a model; a recording with --torch=heaps has no layers.');
    this.root = element('div', {},
      element('div', {class: 'bar'}, this.title, element('span', {class: 'push'}),
        this.command.toggle, pictureButton(() => this.scroller.svg(), 'layers')),
      this.command.line, this.question.status, this.detail, this.empty, this.scroller.root, this.legend, this.table.root);
    onTheme(() => this.showScale());
    this.listen();
  }

  update() {
    this.question.ask({space: state.space ?? run.start.layers_space ?? 0});
  }

  show(answer) {
    this.answer = answer;
    this.cell = null;
    this.command.show(answer.command);
    const {spaces} = run.start, space = spaces.find(one => one.id === answer.space);
    this.title.textContent = 'Bytes that layers hold ' + (spaces.length > 1 && space ? 'in ' + clean(space.name) + ' ' : '') + 'at the peak of each step';
    this.largest = Math.max(1, ...answer.values.map(values => values.reduce((most, value) => Math.max(most, value), 0)));
    const none = !answer.layers.length || !answer.steps.length;
    this.empty.hidden = !none;
    this.scroller.root.hidden = this.legend.hidden = this.detail.hidden = none;
    this.scroller.setHeight(Top + Math.max(1, answer.layers.length) * CellHeight, LayersHeight);
    this.table.show(none ? [] : answer.layers.map((name, at) => {
      const values = answer.values[at], most = values.reduce((one, other) => Math.max(one, other), 0);
      return {name: clean(name, 200) || '(no name)', most, step: answer.steps[values.indexOf(most)], first: values[0], last: values[values.length - 1]};
    }));
    this.surface.describe('Heat map: ' + answer.layers.length + ' layers over ' + answer.steps.length +
      ' steps. Arrows walk the cells, Enter shows the flame graph.');
    this.showScale();
    this.describe();
    this.surface.redraw();
  }

  showScale() {
    const stops = Array.from({length: 9}, (_, at) => scaleColor(at / 8));
    this.scale.style.background = 'linear-gradient(to right, ' + stops.join(', ') + ')';
    this.least.textContent = '0 B';
    this.most.textContent = formatSize(this.largest || 0);
  }

  layout(width) {
    const names = this.answer.layers.map(name => clean(name, 100) || '(no name)');
    const widest = Math.max(0, ...names.map(name => textWidth(name)));
    const left = Math.min(width * 0.4, Math.ceil(widest) + 16);
    return {names, left, cell: (width - left) / this.answer.steps.length};
  }

  paint(pen, width, height, scrolled) {
    const {answer} = this;
    if (!answer || !answer.steps.length) return;
    const {names, left, cell} = this.layout(width), {steps} = answer;
    const every = Math.max(1, Math.ceil(1 / cell));
    const top = Top - scrolled;
    names.forEach((name, row) => {
      const y = top + row * CellHeight;
      if (y < -CellHeight || y > height) return;
      pen.text(left - 12, y + CellHeight / 2 - 0.5, fitTail(name, left - 16), colors.ink, {align: 'right'});
      for (let at = 0; at < steps.length; at += every) {
        let value = 0;
        for (let part = at; part < Math.min(steps.length, at + every); ++part) value = Math.max(value, answer.values[row][part]);
        const x = Math.round(left + at * cell), right = Math.round(left + Math.min(steps.length, at + every) * cell);
        pen.rect(x, y, Math.max(1, right - x), CellHeight - 1, scaleColor(value / this.largest));
      }
    });
    pen.rect(0, 0, width, Top, colors.ground);
    let free = -Infinity;
    for (const tick of numberTicks(steps[0], steps[steps.length - 1], (width - left) / 56)) {
      const at = steps.indexOf(tick.at);
      if (at < 0) continue;
      const text = free < 0 ? 'step ' + tick.text : tick.text;
      const half = textWidth(text, 11) / 2, x = Math.min(width - half, left + (at + 0.5) * cell);
      if (x - half < free) continue;
      pen.text(Math.max(left + half, x), 10, text, colors.dim, {align: 'center', size: 11});
      free = x + half + 8;
    }
  }

  paintOver(pen, width, height, scrolled) {
    if (!this.cell || !this.answer) return;
    const {left, cell} = this.layout(width), {row, column} = this.cell;
    const y = Top - scrolled + row * CellHeight;
    if (y >= Top) pen.frame(left + column * cell, y, Math.max(2, cell - 1), CellHeight - 1, colors.ink, 2);
  }

  listen() {
    const {canvas} = this.surface;
    const set = cell => {
      this.cell = cell;
      this.describe();
      this.surface.redrawOver();
    };
    const find = event => {
      if (!this.answer) return null;
      const {x, y} = this.scroller.at(event), {left, cell} = this.layout(this.surface.width);
      const row = Math.floor((y - Top) / CellHeight), column = Math.floor((x - left) / cell);
      return row >= 0 && row < this.answer.layers.length && column >= 0 && column < this.answer.steps.length ? {row, column} : null;
    };
    canvas.addEventListener('pointermove', event => set(find(event)));
    canvas.addEventListener('pointerleave', () => set(null));
    canvas.addEventListener('click', event => this.open(find(event)));
    canvas.addEventListener('keydown', event => {
      const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
      if (event.key === 'Enter') this.open(this.cell);
      if (!step || !this.answer) return;
      event.preventDefault();
      const within = (value, count) => Math.max(0, Math.min(count - 1, value));
      const {row, column} = this.cell || {row: 0, column: 0};
      set({row: within(row + step[0], this.answer.layers.length), column: within(column + step[1], this.answer.steps.length)});
      this.scroller.reveal(this.cell.row * CellHeight, Top + CellHeight);
    });
  }

  open(cell) {
    // The flame graph of the step by layer, with the cell's layer found.
    if (cell) change({view: 'flame', space: this.answer.space, heap: null, at: this.answer.step_ns[cell.column], range: null, what: '',
      by: 'layer', search: clean(this.answer.layers[cell.row], 200), zoom: [], focus: [], hide: []});
  }

  describe() {
    const {answer, cell} = this;
    this.detail.classList.toggle('dim', !cell);
    this.detail.textContent = cell
      ? (clean(answer.layers[cell.row], 120) || '(no name)') + ', step ' + answer.steps[cell.column] + ': ' + formatSize(answer.values[cell.row][cell.column])
      : 'Point at a cell to see its bytes. A click shows the flame graph of the step.';
  }
}
