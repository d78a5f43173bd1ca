// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Menus that choose a heap or a process for the timeline, the flame graph and its table.

import {isFile} from './file.js';
import {menu, setMenu} from './element.js';
import {clean} from './names.js';
import {filtersNow, run, spaceNow} from './run.js';
import {change} from './state.js';

const MostListed = 200;

/** Heaps of the space, or processes, as [id, name, peak]. */
function candidates(name) {
  const {heaps, processes} = run.start;
  if (name === 'heap') return heaps.filter(heap => heap.space === spaceNow().id).map(heap => [heap.id, heap.name, heap.peak_bytes]);
  return processes.id.map((id, at) => [id, processes.name[at] + ' (' + processes.pid[at] + ')', processes.peak_bytes[at]]);
}

export class FilterMenu {
  constructor(name) {
    this.name = name;
    this.root = menu(name, [], '', value => change({[name]: value === '' ? null : Number(value), zoom: []}));
    this.root.classList.add('filter');
  }

  /** The largest come first; of thousands the others are in the list only while they are chosen. */
  update() {
    const {name} = this, chosen = filtersNow()[name], key = spaceNow().id + '|' + chosen;
    if (key === this.key) return;
    this.key = key;
    const all = isFile() ? [] : candidates(name);
    this.root.hidden = all.length < 2;
    if (this.root.hidden) return;
    all.sort((a, b) => b[2] - a[2]);
    const shown = all.filter((entry, at) => at < MostListed || entry[0] === chosen);
    const more = all.length - shown.length;
    setMenu(this.root, [['', 'all ' + (name === 'heap' ? 'heaps' : 'processes') + (more ? ' (the largest ' + MostListed + ' are listed)' : '')],
      ...shown.map(([id, text]) => [String(id), clean(text, 60)])], chosen === null ? '' : String(chosen));
  }
}
