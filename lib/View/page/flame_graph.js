// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The drawn flame graph: outermost calls on top. Draws visible rows only; boxes below two
// pixels share a box with their neighbours.

import {fitText, textWidth} from './pen.js';
import {Scroller} from './scroller.js';
import {colors} from './theme.js';

export const RowHeight = 20;
const MinLabel = 26, MaxRows = 28, Least = 2;
const calm = matchMedia('(prefers-reduced-motion: reduce)');

export class FlameGraph {
  /** options: fill(tree, node), size(node) text beside the label, onzoom(node), onhover(node), onkey(event, node). */
  constructor(options) {
    this.options = options;
    this.tree = null;
    this.zoom = this.chosen = this.hovered = -1;
    this.matches = null;
    this.isMoving = false;
    this.view = [0, 1];
    this.scroller = new Scroller((...place) => this.paint(...place), (...place) => this.paintOver(...place), {tabindex: 0});
    this.surface = this.scroller.surface;
    this.root = this.scroller.root;
    this.listen();
  }

  listen() {
    const {canvas} = this.surface;
    const nodeOf = event => {
      const {x, y} = this.scroller.at(event);
      return this.nodeAt(x, y);
    };
    canvas.addEventListener('pointermove', event => this.setHovered(nodeOf(event)));
    canvas.addEventListener('pointerleave', () => this.setHovered(-1));
    canvas.addEventListener('click', event => {
      const node = nodeOf(event);
      this.chosen = node;
      if (node >= 0) this.options.onzoom(node);
    });
    canvas.addEventListener('keydown', event => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.tree && this.key(event)) event.preventDefault();
    });
  }

  key(event) {
    const {tree} = this;
    const now = this.chosen < 0 ? this.zoom : this.chosen;
    const go = node => {
      if (node >= 0) this.choose(node);
      return true;
    };
    switch (event.key) {
    case 'ArrowDown': return go(tree.firstChild(now));
    case 'ArrowUp': return go(now < 0 ? -1 : tree.parent[now]);
    case 'ArrowLeft': return go(now < 0 ? tree.firstChild(-1) : tree.sibling(now, -1));
    case 'ArrowRight': return go(now < 0 ? tree.firstChild(-1) : tree.sibling(now, 1));
    case 'Enter': this.options.onzoom(now); return true;
    case 'Backspace': this.options.onzoom(this.zoom < 0 ? -1 : tree.parent[this.zoom]); return true;
    }
    return this.options.onkey?.(event, now) || false;
  }

  choose(node) {
    this.chosen = node;
    this.scroller.reveal(this.tree.depth[node] * RowHeight, RowHeight);
    this.options.onhover(node);
    this.surface.redrawOver();
  }

  setHovered(node) {
    if (node === this.hovered) return;
    this.hovered = node;
    this.options.onhover(node >= 0 ? node : this.chosen);
    this.surface.redrawOver();
  }

  show(tree, zoom, matches) {
    const sameTree = tree === this.tree;
    if (!sameTree) this.chosen = this.hovered = -1;
    const target = zoom < 0 ? [0, tree.sum || 1] : [tree.x[zoom], tree.x[zoom] + tree.total[zoom]];
    Object.assign(this, {tree, matches});
    this.scroller.setHeight(Math.max(1, tree.rows.length) * RowHeight, MaxRows * RowHeight);
    if (zoom !== this.zoom || !sameTree) this.moveTo(target, sameTree && !calm.matches);
    this.zoom = zoom;
    this.surface.redraw();
  }

  /** Moves the view in a sixth of a second, or at once. */
  moveTo(target, animated) {
    if (!animated) {
      this.move = null;
      this.isMoving = false;
      this.view = target;
      return;
    }
    const from = this.view, began = performance.now();
    this.move = target;
    const advance = now => {
      if (this.move !== target) return;
      const share = Math.min(1, Math.max(0, (now - began) / 160)), eased = 1 - (1 - share) ** 3;
      this.view = [from[0] + (target[0] - from[0]) * eased, from[1] + (target[1] - from[1]) * eased];
      this.isMoving = share < 1;
      this.surface.draw();
      if (share < 1) requestAnimationFrame(advance);
    };
    requestAnimationFrame(advance);
  }

  nodeAt(x, y) {
    if (!this.tree) return -1;
    const value = this.view[0] + x / this.surface.width * (this.view[1] - this.view[0]);
    return this.tree.nodeAt(Math.floor(y / RowHeight), value);
  }

  paint(pen, width, height, scrolled) {
    if (!this.tree) return;
    const first = Math.max(0, Math.floor(scrolled / RowHeight));
    const last = Math.min(this.tree.rows.length - 1, Math.floor((scrolled + height) / RowHeight));
    for (let level = first; level <= last; ++level) this.paintRow(pen, width, level, level * RowHeight - scrolled);
  }

  paintOver(pen, width, height, scrolled) {
    if (!this.tree) return;
    for (const [node, color] of [[this.chosen, colors.accent], [this.hovered, colors.ink]])
      if (node >= 0) this.paintFrame(pen, width, node, scrolled, color);
  }

  paintFrame(pen, width, node, scrolled, color) {
    const {tree, view} = this, scale = width / (view[1] - view[0]);
    const left = Math.max(0, (tree.x[node] - view[0]) * scale);
    const right = Math.min(width, (tree.x[node] + tree.total[node] - view[0]) * scale);
    if (right <= left) return;
    pen.frame(left + 1, tree.depth[node] * RowHeight - scrolled + 0.5, Math.max(1, right - left - 2), RowHeight - 2, color, 2);
  }

  paintRow(pen, width, level, y) {
    const {tree, view} = this, row = tree.rows[level], scale = width / (view[1] - view[0]), least = Least / scale;
    const {x, total} = tree, strip = new Strip(pen, y);
    for (let at = tree.firstBehind(row, view[0]); at < row.length && x[row[at]] < view[1];) {
      const node = row[at], left = Math.max(-1, (x[node] - view[0]) * scale);
      if (total[node] < least) {
        // The search goes on behind the pixels, however many boxes are in them.
        let end = x[node] + least;
        do {
          at = tree.firstBehind(row, end, at + 1);
          if (at >= row.length || x[row[at]] > end || total[row[at]] >= least) break;
          end = x[row[at]] + least;
        } while (end < view[1]);
        strip.add(left, Math.max(left + Least, (end - view[0]) * scale));
        continue;
      }
      ++at;
      const right = Math.min(width + 1, (x[node] + total[node] - view[0]) * scale);
      if (this.isFaded(node) && right - left < MinLabel) strip.add(left, right);
      else this.paintNode(pen, node, left, y, right - left);
    }
    strip.end();
  }

  isFaded(node) {
    return this.matches !== null && !this.matches[this.tree.name[node]];
  }

  paintNode(pen, node, left, y, wide) {
    const {tree} = this, name = tree.name[node], kind = tree.names.kind[name];
    const faded = this.isFaded(node);
    const gap = wide > 3 ? 1 : 0;
    pen.rect(left, y, wide - gap, RowHeight - 1, faded ? colors.faded : this.options.fill(tree, node));
    if (!faded && kind === 2 && wide > 4) pen.hatch(left, y, wide - gap, RowHeight - 1, colors.hatch);
    if (kind === 3 && wide > 4) pen.frame(left + 0.5, y + 0.5, wide - gap - 1, RowHeight - 2, colors.edge);
    if (wide < MinLabel) return;
    const start = Math.max(left, 0) + 5, room = Math.min(left + wide, this.surface.width) - start - 5;
    const bold = kind === 0, label = (this.options.sign?.(tree, node) || '') + tree.label(node);
    const text = fitText(label, room, 12, bold);
    if (!text) return;
    pen.text(start, y + 9.5, text, faded ? colors.dim : colors.onfill, {bold});
    if (this.isMoving) return;
    const used = textWidth(text, 12, bold) + 8;
    if (room - used < 60 || text.endsWith('…')) return;
    const more = this.options.size(tree, node);
    if (textWidth(more, 11) <= room - used) pen.text(start + used, y + 9.5, more, faded ? colors.dim : colors.onfill2, {size: 11});
  }

  svg() {
    return this.scroller.svg();
  }
}

/** Neighbours of a row that are drawn as a single box: those too small to see, and those that a search fades. */
class Strip {
  constructor(pen, y) {
    this.pen = pen;
    this.y = y;
    this.to = -Infinity;
  }

  add(left, right) {
    if (left > this.to + 0.5) {
      this.end();
      this.from = Math.max(0, left);
    }
    this.to = right;
  }

  end() {
    if (this.to > this.from) this.pen.rect(this.from, this.y, this.to - this.from, RowHeight - 1, colors.faded);
    this.to = -Infinity;
  }
}

/** By depth, for trees of layers and the like, which nobody's code stands out in. */
export const depthFill = (tree, node) => [colors.own, colors.own2, colors.own3][tree.depth[node] % 3];

export function kindFill(tree, node) {
  const name = tree.name[node];
  switch (tree.names.kind[name]) {
  case 0: return [colors.own, colors.own2, colors.own3][name % 3];
  case 1: return name % 2 ? colors.library : colors.library2;
  case 2: return colors.import;
  default: return colors.groups;
  }
}
