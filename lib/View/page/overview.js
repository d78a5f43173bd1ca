// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The overview: facts, the lines of code that hold the peak, notes and suggestions.

import {Question} from './ask.js';
import {button, element} from './element.js';
import {formatCount, formatShare, formatSize} from './format.js';
import {evidence, leftOut} from './header.js';
import {clean} from './names.js';
import {run, spaceNow} from './run.js';
import {sourceButton} from './source.js';
import {change} from './state.js';

const Shown = 10;

export function factList(facts) {
  return element('dl', {class: 'facts'}, facts.map(fact => [
    element('dt', {}, clean(fact.label)),
    element('dd', {class: fact.alarm ? 'alarm-text' : null}, clean(fact.text, 600), ' ', evidence(fact.view)),
  ]).flat());
}

/** One place that holds the peak: size, share, bar, place, source. */
function placeRow(rows, at, total, most) {
  const bar = element('span', {class: rows.kind[at] === 0 ? 'bar-fill' : 'bar-fill other'});
  bar.style.width = Math.max(0.5, rows.own[at] / most * 100) + '%';
  const text = clean(rows.text[at], 160);
  return element('tr', {},
    element('td', {class: 'number'}, formatSize(rows.own[at])),
    element('td', {class: 'number dim'}, formatShare(rows.own[at], total)),
    element('td', {class: 'bar-cell'}, bar),
    element('td', {class: 'place'},
      button(text, () => change({view: 'flame', search: rows.text[at], what: '', range: null, at: null, zoom: []}),
        {class: 'link plain', title: 'Show in the flame graph'}),
      rows.source[at] ? sourceButton(rows.source[at], rows.file[at], rows.line[at]) : null));
}

export class Overview {
  constructor() {
    this.question = new Question('table', answer => this.show(answer));
    this.title = element('h2', {}, 'What holds the peak');
    this.body = element('tbody');
    this.rest = element('p', {class: 'dim'});
    const {facts, notes} = run.start;
    const places = element('section', {class: 'places'}, this.title, this.question.status,
      element('div', {class: 'scroll'}, element('table', {class: 'place-table'},
        element('thead', {class: 'unseen'}, element('tr', {},
          ['bytes', 'share', 'bar', 'place'].map(text => element('th', {scope: 'col'}, text)))),
        this.body)), this.rest);
    const side = element('section', {class: 'side'}, element('h2', {}, 'The run'), factList(facts),
      notes.length ? element('h2', {}, 'Notes') : null,
      notes.length ? element('ul', {class: 'notes'}, notes.map(note =>
        element('li', {}, clean(note.text, 600), ' ', evidence(note.view)))) : null, leftOut(run.start.left_out));
    this.root = element('div', {class: 'overview'}, places, side);
  }

  update() {
    this.question.ask({space: spaceNow().id});
  }

  show(answer) {
    const {rows, total} = answer;
    const order = rows.own.map((_, at) => at).sort((a, b) => rows.own[b] - rows.own[a]).slice(0, Shown);
    const most = Math.max(1, ...order.map(at => rows.own[at]));
    const listed = order.reduce((sum, at) => sum + rows.own[at], 0);
    const others = rows.own.length - order.length + (answer.left_out?.rows || 0);
    this.title.textContent = 'What holds the peak of ' + clean(spaceNow().name) + ', by line of your code';
    this.body.replaceChildren(...order.map(at => placeRow(rows, at, total, most)));
    this.rest.textContent = !order.length ? 'Nothing was live in ' + clean(spaceNow().name) + '.'
      : others > 0 ? formatCount(others) + (others === 1 ? ' other place holds ' : ' other places hold ') +
        formatSize(Math.max(0, total - listed)) + '.' : '';
  }
}
