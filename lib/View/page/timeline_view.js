// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The view below the large timeline: its series as a table, and the marks of the run.

import {nearest} from './axis.js';
import {button, element} from './element.js';
import {formatSize, formatSizeChange, formatTime} from './format.js';
import {clean} from './names.js';
import {momentText, run} from './run.js';
import {change, state} from './state.js';

const MarkWords = {user: 'mark', oom: 'out of memory', alert: 'alert', loss: 'loss', 'record-on': 'recording on',
               'record-off': 'recording off', range: 'range'};
const MostMarks = 200;

export class TimelineView {
  constructor(timeline) {
    this.timeline = timeline;
    this.series = element('div', {class: 'scroll'});
    const {marks} = run.start;
    const rows = marks.time_ns.map((_, at) => at).slice(0, MostMarks).map(at => element('tr', {},
      element('td', {class: 'number'}, button(formatTime(marks.time_ns[at]), () => change(
        marks.end_ns[at] > marks.time_ns[at] ? {range: [marks.time_ns[at], marks.end_ns[at]], at: null}
                                             : {at: marks.time_ns[at], range: null}), {class: 'link'})),
      element('td', {class: /oom|alert|loss/.test(marks.kind[at]) ? 'alarm-text' : null}, MarkWords[marks.kind[at]] || marks.kind[at]),
      element('td', {class: 'wide'}, clean(marks.text[at]))));
    const list = rows.length
      ? element('div', {class: 'scroll'}, element('table', {}, head(['time', 'what', 'text'], 1), element('tbody', {}, rows)))
      : element('p', {class: 'dim'}, 'The run has no marks.');
    this.root = element('div', {class: 'two'},
      element('section', {}, element('h2', {}, 'Series'), this.series),
      element('section', {}, element('h2', {}, 'Marks'), list,
        marks.time_ns.length > MostMarks ? element('p', {class: 'dim'}, 'The first ' + MostMarks + ' of ' + marks.time_ns.length + ' marks.') : null));
  }

  update() {
    const {answer} = this.timeline;
    if (!answer) {
      setTimeout(() => this.update(), 100);
      return;
    }
    const [from, to] = state.range || [answer.from_ns, answer.to_ns];
    const moment = state.at;
    const row = (name, times, values) => {
      const first = nearest(times, from), last = nearest(times, to);
      let most = 0, when = from;
      for (let at = Math.max(0, first); at <= last; ++at) if (values[at] > most) [most, when] = [values[at], times[at]];
      return element('tr', {}, element('td', {class: 'wide'}, clean(name, 120)),
        element('td', {class: 'number'}, formatSize(most)), element('td', {class: 'number'}, momentText(when)),
        element('td', {class: 'number'}, formatSize(values[moment === null ? last : nearest(times, moment)] || 0)),
        element('td', {class: 'number'}, formatSizeChange((values[last] || 0) - (values[first] || 0))));
    };
    const rows = [row('total', answer.time_ns, answer.total)];
    if (answer.series.length > 1)
      for (const series of answer.series) rows.push(row(series.name, answer.time_ns, series.values));
    for (const line of answer.lines) rows.push(row(line.name, line.time_ns, line.values));
    this.series.replaceChildren(element('table', {class: 'series-table'},
      head(['', 'most', 'when', moment === null ? (state.range ? 'end of range' : 'end') : 'at ' + formatTime(moment),
            state.range ? 'change in range' : 'change'], 0, [1, 2, 3, 4]),
      element('tbody', {}, rows)));
  }
}

/** The head of a plain table; columns from `first`, or those listed, are numbers. */
export function head(titles, leading, numbers = null) {
  return element('thead', {}, element('tr', {}, titles.map((title, at) =>
    element('th', {scope: 'col', class: (numbers ? numbers.includes(at) : at < leading) ? 'number' : null}, title))));
}
