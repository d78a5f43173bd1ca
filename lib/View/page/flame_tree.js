// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of a flame graph in flat arrays: positions, rows, paths, filters, search.

import {clean, placeAndName, placeOf, shortId} from './names.js';

/** Of names: see GraphNames. */
const ImportKind = 2;

export class FlameTree {
  /** names as in the answer; name, depth, total, self are arrays in preorder. */
  constructor(names, name, depth, total, self) {
    const count = name.length;
    this.names = names;
    this.count = count;
    this.name = Int32Array.from(name);
    this.total = Float64Array.from(total);
    this.self = Float64Array.from(self);
    this.depth = new Int32Array(count);
    this.parent = new Int32Array(count);
    this.end = new Int32Array(count).fill(count);
    this.x = new Float64Array(count);
    this.place(depth);
    this.ids = [];
    this.labels = [];
  }

  /** Parents, ends, positions and rows from the depths. */
  place(depth) {
    const open = [], nextX = [0];
    this.sum = 0;
    for (let at = 0; at < this.count; ++at) {
      const level = Math.max(0, Math.min(depth[at], open.length));
      while (open.length > level) this.end[open.pop()] = at;
      this.depth[at] = level;
      this.parent[at] = level ? open[level - 1] : -1;
      this.x[at] = nextX[level];
      nextX[level] += this.total[at];
      nextX[level + 1] = this.x[at];
      if (!level) this.sum += this.total[at];
      open.push(at);
    }
    const lengths = [];
    for (let at = 0; at < this.count; ++at) lengths[this.depth[at]] = (lengths[this.depth[at]] || 0) + 1;
    this.rows = lengths.map(length => new Int32Array(length));
    lengths.fill(0);
    for (let at = 0; at < this.count; ++at) this.rows[this.depth[at]][lengths[this.depth[at]]++] = at;
  }

  static from(answer) {
    const {name, depth, total, self} = answer.nodes;
    return new FlameTree(answer.names, name, depth, total, self);
  }

  /** First position in a row whose rectangle ends behind x. */
  firstBehind(row, x, low = 0) {
    // Neighbours come first: most searches end near where they begin.
    let high = row.length;
    for (let step = 1, at = low; low > 0 && at < row.length; at += step, step *= 2) {
      if (this.x[row[at]] + this.total[row[at]] > x) {
        high = at;
        break;
      }
      low = at + 1;
    }
    while (low < high) {
      const middle = (low + high) >> 1, node = row[middle];
      if (this.x[node] + this.total[node] > x) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  nodeAt(level, x) {
    const row = this.rows[level];
    if (!row) return -1;
    const node = row[this.firstBehind(row, x)];
    return node !== undefined && this.x[node] <= x ? node : -1;
  }

  label(node) {
    const name = this.name[node];
    return this.labels[name] ??= clean(this.names.text[name], 240);
  }

  /** The id of a node's name, for addresses. */
  id(node) {
    const name = this.name[node];
    return this.ids[name] ??= shortId(placeOf(this.names, name) + ' ' + this.names.text[name]);
  }

  functionId(node) {
    return shortId(this.names.text[this.name[node]]);
  }

  /** The id of a node among its siblings: in a graph in order of time, a name can come again. */
  siblingId(node) {
    const parent = this.parent[node];
    let earlier = 0;
    for (let at = parent + 1; at < node; at = this.end[at]) if (this.name[at] === this.name[node]) ++earlier;
    return this.id(node) + (earlier ? '~' + earlier : '');
  }

  /** Nodes from the outermost to this one. */
  path(node) {
    const nodes = [];
    for (; node >= 0; node = this.parent[node]) nodes.unshift(node);
    return nodes;
  }

  firstChild(node) {
    const child = node + 1;
    return child < (node < 0 ? this.count : this.end[node]) ? child : -1;
  }

  sibling(node, direction) {
    const row = this.rows[this.depth[node]];
    const other = row[row.indexOf(node) + direction];
    return other !== undefined && this.parent[other] === this.parent[node] ? other : -1;
  }

  /** The deepest node that a path of ids reaches; -1 for the whole. */
  resolve(ids) {
    let node = -1;
    for (const id of ids) {
      const end = node < 0 ? this.count : this.end[node];
      const [name, earlier = 0] = id.split('~');
      let child = node + 1, left = Number(earlier);
      while (child < end && (this.id(child) !== name || left-- > 0)) child = this.end[child];
      if (child >= end) break;
      node = child;
    }
    return node;
  }

  /** The part of all that lies below imports, 0 to 1. */
  importShare() {
    let sum = 0;
    for (let at = 0; at < this.count;) {
      if (this.names.kind[this.name[at]] === ImportKind) {
        sum += this.total[at];
        at = this.end[at];
      } else {
        ++at;
      }
    }
    return this.sum ? sum / this.sum : 0;
  }

  /** The tree with only stacks through all functions of `focus`, none of `hide`, and, if not wanted, no import. */
  filtered(focus, hide, imports = true) {
    if (!focus.length && !hide.length && imports) return this;
    const known = this.names.text.map(shortId);
    const hidden = known.map((id, at) => hide.includes(id) || (!imports && this.names.kind[at] === ImportKind));
    const self = new Float64Array(this.count), total = new Float64Array(this.count);
    // Bits of the focused functions on the way to a node; -1 below a hidden one.
    const seen = new Int32Array(this.count), all = (1 << Math.min(30, focus.length)) - 1;
    for (let at = 0; at < this.count; ++at) {
      const above = this.parent[at] < 0 ? 0 : seen[this.parent[at]];
      const bit = focus.indexOf(known[this.name[at]]);
      seen[at] = above < 0 || hidden[this.name[at]] ? -1 : above | (bit < 0 ? 0 : 1 << bit);
      if (seen[at] === all) self[at] = this.self[at];
    }
    for (let at = this.count - 1; at >= 0; --at) {
      total[at] += self[at];
      if (this.parent[at] >= 0) total[this.parent[at]] += total[at];
    }
    const kept = [];
    for (let at = 0; at < this.count; ++at) if (total[at] > 0) kept.push(at);
    const pick = values => kept.map(at => values[at]);
    return new FlameTree(this.names, pick(this.name), pick(this.depth), pick(total), pick(self));
  }

  /** Which names match the words, or null without words. */
  matches(words) {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return null;
    const {names} = this;
    this.searched ||= (names.text || []).map((_, at) => (placeAndName(names, at) + '\n' + names.file[at] + '\n' + (names.source[at] || '')).toLowerCase());
    return this.searched.map(text => text.includes(wanted));
  }

  /** Bytes of all stacks through a match, each byte once. */
  matchedSum(matches) {
    let sum = 0;
    for (let at = 0; at < this.count;) {
      if (matches[this.name[at]]) {
        sum += this.total[at];
        at = this.end[at];
      } else {
        ++at;
      }
    }
    return sum;
  }
}
