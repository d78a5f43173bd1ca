// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map of a device's memory at a moment: segments, blocks and holes.

import {Question} from './ask.js';
import {button, element, menu, setMenu} from './element.js';
import {capital, formatCount, formatShare, formatSize, formatTime} from './format.js';
import {gatherOutside, MapRow, Outside} from './map_layout.js';
import {blockAt, colorBlocks, paintChosen, paintMap, prepareMap} from './map_paint.js';
import {clean} from './names.js';
import {CommandLine, pictureButton} from './picture.js';
import {run} from './run.js';
import {change, inGesture, state} from './state.js';
import {Scroller} from './scroller.js';
import {onTheme} from './theme.js';

const MapHeight = 30 * MapRow;
const Tints = [['line', 'line of your code'], ['layer', 'layer'], ['category', 'category'], ['library', 'library'], ['age', 'age']];

export class DeviceMap {
  constructor() {
    this.answer = this.map = null;
    this.chosen = this.hovered = -1;
    this.question = new Question('map', answer => this.show(answer));
    this.command = new CommandLine();
    this.scroller = new Scroller((...place) => this.paint(...place), (...place) => this.paintOver(...place), {tabindex: 0});
    this.surface = this.scroller.surface;
    this.title = element('h2');
    this.sizes = element('dl', {class: 'sizes'});
    this.legend = element('div', {class: 'legend'});
    this.detail = element('div', {class: 'detail block-detail', 'aria-live': 'polite'});
    this.root = element('div', {}, this.makeBar(), this.command.line, this.title, this.question.status, this.sizes, this.legend,
      this.scroller.root, element('p', {class: 'color-legend'},
        element('span', {}, element('span', {class: 'swatch key-import'}), 'hole: reserved and free'),
        element('span', {}, element('span', {class: 'swatch key-hole'}), 'largest hole'),
        element('span', {}, 'Rows are in order of address; a long segment goes on in the next row.')), this.detail);
    onTheme(() => this.showLegend());
    this.listen();
  }

  makeBar() {
    const devices = run.start.devices.filter(device => device.has_map);
    this.deviceMenu = menu('Device', devices.map(device => [String(device.id), clean(device.name)]), '',
      value => change({device: Number(value)}));
    this.deviceMenu.hidden = devices.length < 2;
    this.tintMenu = menu('Colour by', [], '', tint => change({tint}));
    return element('div', {class: 'bar'}, this.deviceMenu, this.tintMenu, element('span', {class: 'push'}),
      this.command.toggle, pictureButton(() => this.scroller.svg(), 'map'));
  }

  deviceNow() {
    const devices = run.start.devices.filter(device => device.has_map);
    return devices.find(device => device.id === state.device) || devices[0];
  }

  update() {
    const device = this.deviceNow();
    if (!device) {
      this.question.say('The trace has no map of a device.');
      return;
    }
    this.question.ask({device: device.id, at: state.at}, inGesture() ? 120 : 0);
    this.deviceMenu.querySelector('select').value = String(device.id);
    if (this.answer) this.refresh();
  }

  show(answer) {
    this.answer = gatherOutside(answer);
    this.map = null;
    this.chosen = this.hovered = -1;
    this.command.show(answer.command);
    this.refresh();
  }

  refresh() {
    const {answer} = this;
    this.title.textContent = clean(capital(answer.title));
    const facts = [['held by segments', formatSize(answer.held)], ['live', formatSize(answer.live) + ', ' + formatShare(answer.live, answer.held)],
                   ['free', formatSize(answer.free) + ' in ' + formatCount(answer.holes) + (answer.holes === 1 ? ' hole' : ' holes')],
                   ['largest hole', formatSize(answer.largest_hole)]];
    if (answer.total_bytes) facts.push(['device', formatSize(answer.total_bytes)]);
    this.sizes.replaceChildren(...facts.map(([label, text]) => element('div', {}, element('dt', {}, label), element('dd', {}, text))));
    // A trace without categories, layers or libraries has no such colours.
    const tints = Tints.filter(([tint]) => !answer.blocks.size.length || !['layer', 'category', 'library'].includes(tint) || answer.blocks[tint]?.some(Boolean));
    const tint = tints.some(([name]) => name === state.tint) ? state.tint : 'line';
    setMenu(this.tintMenu, tints, tint);
    this.coloring = colorBlocks(answer, tint);
    this.surface.describe('Map of ' + clean(answer.device) + ': ' + facts.map(fact => fact.join(' ')).join(', ') +
      '. Arrows walk the blocks.');
    this.prepare(this.surface.width || this.scroller.root.clientWidth);
    this.showLegend();
    this.describe(this.chosen);
    this.surface.redraw();
  }

  prepare(width) {
    if (!this.answer || !width) return;
    if (this.map && this.mapWidth === width) return;
    this.map = prepareMap(this.answer, width);
    this.mapWidth = width;
    this.scroller.setHeight(this.map.rows * MapRow, MapHeight);
  }

  showLegend() {
    if (!this.coloring) return;
    this.legend.replaceChildren(...this.coloring.legend.map(entry => {
      const swatch = element('span', {class: 'swatch'});
      swatch.style.background = entry.color();
      return element('div', {class: 'legend-row'}, swatch, element('span', {class: 'name', title: entry.name}, entry.name),
        entry.bytes === undefined ? null : element('span', {class: 'number'}, formatSize(entry.bytes)));
    }));
  }

  paint(pen, width, height, scrolled) {
    if (!this.answer) return;
    this.prepare(width);
    paintMap(pen, this.answer, this.map, {color: this.coloring.color, scrolled,
      first: Math.floor(scrolled / MapRow), last: Math.ceil((scrolled + height) / MapRow)});
  }

  paintOver(pen, width, height, scrolled) {
    if (this.map) paintChosen(pen, this.answer, this.map, [this.chosen, this.hovered], {scrolled, first: 0, last: this.map.rows});
  }

  listen() {
    const {canvas} = this.surface;
    const blockOf = event => {
      const {x, y} = this.scroller.at(event);
      return this.map ? blockAt(this.answer, this.map, x, y) : -1;
    };
    const hover = block => {
      if (block === this.hovered) return;
      this.hovered = block;
      this.describe(block >= 0 ? block : this.chosen);
      this.surface.redrawOver();
    };
    canvas.addEventListener('pointermove', event => hover(blockOf(event)));
    canvas.addEventListener('pointerleave', () => hover(-1));
    canvas.addEventListener('click', event => this.choose(blockOf(event)));
    canvas.addEventListener('keydown', event => {
      const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1}[event.key];
      if (!step || !this.map) return;
      event.preventDefault();
      const far = event.key.endsWith('Up') || event.key.endsWith('Down');
      this.choose(far ? this.nextSegment(step) : this.neighbour(this.chosen, step));
    });
  }

  /** All blocks in the order of the picture. */
  order() {
    const seen = new Set();
    return this.map.pieces.flatMap(piece => seen.has(piece.segment) ? [] : (seen.add(piece.segment), this.map.blocks[piece.segment]));
  }

  neighbour(block, step) {
    const order = this.order();
    const at = order.indexOf(block);
    return order[at < 0 ? 0 : Math.max(0, Math.min(order.length - 1, at + step))] ?? -1;
  }

  nextSegment(step) {
    const order = this.order(), {segment} = this.answer.blocks;
    let at = Math.max(0, order.indexOf(this.chosen));
    const now = segment[order[at]];
    while (order[at + step] !== undefined && segment[order[at]] === now) at += step;
    return order[at] ?? -1;
  }

  choose(block) {
    this.chosen = block;
    const piece = block >= 0 && this.map.pieces.find(other => other.segment === this.answer.blocks.segment[block] && other.to > this.answer.blocks.offset[block]);
    if (piece) this.scroller.reveal(piece.row * MapRow, MapRow);
    this.describe(block);
    this.surface.redrawOver();
  }

  describe(block) {
    const {blocks, segments, stacks} = this.answer;
    if (block < 0) {
      this.detail.replaceChildren(element('p', {class: 'dim'}, 'Point at a block to see its line. Click a block to keep its stack here.'));
      return;
    }
    const segment = blocks.segment[block];
    const facts = [['size', formatSize(blocks.size[block]) + ', requested ' + formatSize(blocks.requested[block])],
                   ['age', formatTime(blocks.age_ns[block])], ['layer', clean(blocks.layer[block])], ['category', clean(blocks.category[block])],
                   ['held by', clean(blocks.held_by?.[block], 600)], ['library', clean(blocks.library[block])], ['stream', String(blocks.stream[block])]];
    facts.push(['pool', clean(segments.pool?.[segment], 300)]);
    const address = segments.address[segment];
    facts.push(['segment', address === Outside ? 'none' : formatSize(segments.size[segment]) + ' of ' + clean(segments.heap[segment]) +
      ' at 0x' + BigInt(address).toString(16) + ', offset ' + formatSize(blocks.offset[block])]);
    const list = this.map.blocks[segment] || [], at = list.indexOf(block);
    const side = (other, word) => other === undefined ? null : element('dd', {}, word + ': ',
      button(clean(blocks.label[other], 80), () => {
        this.choose(other);
        this.surface.canvas.focus();
      }, {class: 'link'}), ' ' + formatSize(blocks.size[other]));
    const neighbours = [side(list[at - 1], 'before'), side(list[at + 1], 'after')].filter(Boolean);
    this.detail.replaceChildren(
      element('div', {}, element('p', {class: 'detail-name'}, clean(blocks.label[block])),
        element('dl', {class: 'facts'}, facts.filter(fact => fact[1]).map(([label, text]) => [element('dt', {}, label), element('dd', {}, text)]).flat(),
          neighbours.map((text, index) => [element('dt', {}, index ? '' : 'neighbours'), text]).flat())),
      element('div', {}, element('p', {class: 'dim'}, 'stack'), element('ol', {class: 'stack'},
        (stacks[blocks.stack[block]] || []).map(frame => element('li', {}, element('code', {}, clean(frame, 300)))))));
  }
}
