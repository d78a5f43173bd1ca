// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes: a row each, with a small curve, its peak and its end. A row selects its time.

import {Question} from './ask.js';
import {button, element} from './element.js';
import {formatSize, formatTime} from './format.js';
import {clean} from './names.js';
import {run, spaceNow} from './run.js';
import {change} from './state.js';
import {Surface} from './surface.js';
import {colors} from './theme.js';
import {head} from './timeline_view.js';

const MostProcesses = 200;

export class Processes {
  constructor() {
    this.question = new Question('curves', answer => this.show(answer));
    const {processes} = run.start;
    this.curves = [];
    const rows = processes.id.map((_, at) => at).sort((a, b) => processes.peak_bytes[b] - processes.peak_bytes[a]).slice(0, MostProcesses);
    const left = processes.id.length - rows.length;
    this.root = element('div', {}, element('h2', {}, 'Processes'), this.question.status,
      rows.length ? element('div', {class: 'scroll'}, element('table', {class: 'data process-table'},
        head(['peak', 'live at the end', 'process', 'pid', 'began', 'ended', 'outcome', run.start.curves.includes('process') ? 'memory' : ''], 0, [0, 1, 3, 4, 5]),
        element('tbody', {}, rows.map(at => this.row(processes, at)))))
        : element('p', {class: 'dim'}, 'The trace has no processes.'));
    if (left) this.root.append(element('p', {class: 'dim'}, 'The largest ' + MostProcesses + ' of ' + processes.id.length + ' processes.'));
  }

  row(processes, at) {
    const surface = new Surface((pen, width, height) => this.paint(pen, width, height, at));
    surface.box.classList.add('spark');
    surface.describe('Memory of ' + clean(processes.name[at], 60));
    this.curves[at] = {surface, values: null};
    const cell = (text, number) => element('td', {class: number ? 'number' : null}, text);
    const failed = /killed|signal|exit (status )?[1-9]/.test(processes.how[at]);
    return element('tr', {}, cell(formatSize(processes.peak_bytes[at]), true), cell(formatSize(processes.live_bytes[at]), true),
      element('td', {}, button(clean(processes.name[at], 80), () => change({range: [processes.begin_ns[at], processes.end_ns[at]], at: null, process: processes.id[at]}),
        {class: 'link', title: 'Select the time of this process'})),
      cell(String(processes.pid[at]), true), cell(formatTime(processes.begin_ns[at]), true), cell(formatTime(processes.end_ns[at]), true),
      element('td', {class: failed ? 'alarm-text' : null}, clean(processes.how[at], 80)),
      element('td', {class: 'spark-cell'}, surface.box));
  }

  update() {
    if (run.start.curves.includes('process')) this.question.ask({space: spaceNow().id, by: 'process'});
  }

  show(answer) {
    const {processes} = run.start;
    this.times = answer.time_ns;
    this.curves.forEach((curve, at) => {
      curve.values = answer.series.find(one => one.process === processes.id[at])?.values || null;
      curve.surface.redraw();
    });
  }

  paint(pen, width, height, at) {
    const {values} = this.curves[at];
    if (!values) return;
    const most = values.reduce((largest, value) => Math.max(largest, value), 1);
    const points = values.flatMap((value, index) =>
      [this.times[index] / run.start.end_ns * width, height - 2 - value / most * (height - 6)]);
    pen.area([points[0], height - 2, ...points, points[points.length - 2], height - 2], colors.wash);
    pen.line(points, colors.accent, 1.25);
    pen.line([0, height - 1.5, width, height - 1.5], colors.line);
  }
}
