// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs: the compiled programs of JAX with XLA's plans, and the live arrays at a mark.

import {Question} from './ask.js';
import {element, menu} from './element.js';
import {formatCount, formatSize, formatTime} from './format.js';
import {clean} from './names.js';
import {CommandLine} from './picture.js';
import {DataTable, numberColumn} from './table.js';

const ProgramKeys = ['at_peak_bytes', 'live_bytes', 'allocated_bytes', 'allocations', 'plans', 'plan_argument_bytes', 'plan_output_bytes',
  'plan_aliased_bytes', 'plan_temporary_bytes', 'plan_call_bytes', 'plan_flops'];

export class Programs {
  constructor() {
    this.question = new Question('programs', answer => this.show(answer));
    this.command = new CommandLine();
    this.table = new DataTable([
      numberColumn('at peak', 'at_peak_bytes', formatSize), numberColumn('at end', 'live_bytes', formatSize),
      numberColumn('allocated', 'allocated_bytes', formatSize), numberColumn('blocks', 'allocations', formatCount),
      numberColumn('plans', 'plans', formatCount),
      numberColumn('plan: arguments', 'plan_argument_bytes', formatSize), numberColumn('outputs', 'plan_output_bytes', formatSize),
      numberColumn('aliased', 'plan_aliased_bytes', formatSize), numberColumn('temporary', 'plan_temporary_bytes', formatSize),
      numberColumn('plan: in all', 'plan_call_bytes', formatSize), numberColumn('flops', 'plan_flops', formatCount),
      {title: 'program', main: true, wide: true, value: row => row.name, text: row => row.name}]);
    this.shapes = new DataTable([
      numberColumn('bytes', 'bytes', formatSize), numberColumn('arrays', 'arrays', formatCount),
      {title: 'type and shape', main: true, wide: true, value: row => row.name, text: row => row.name}]);
    this.choice = element('span');
    this.arrays = element('section', {hidden: true},
      element('div', {class: 'bar'}, element('h2', {}, 'Live arrays at a mark'), this.choice), this.shapes.root);
    this.root = element('div', {},
      element('div', {class: 'bar'}, element('h2', {}, 'Compiled programs of JAX'), element('span', {class: 'push'}), this.command.toggle),
      this.command.line,
      element('p', {class: 'dim'}, 'At peak, at end, allocated and blocks are recorded, of all calls. The plan and the flops are XLA\'s own, ' +
        'of one call; of several plans, those whose call takes most.'),
      this.question.status, this.table.root, this.arrays);
  }

  update() {
    this.question.ask({});
  }

  show(answer) {
    this.command.show(answer.command);
    this.table.show(answer.name.map((name, at) => ({
      name: clean(name, 200) || '(no name)', ...Object.fromEntries(ProgramKeys.map(key => [key, answer[key][at]])),
    })));
    this.arrays.hidden = !answer.marks.length;
    if (answer.marks.length) this.showMarks(answer.marks);
  }

  /** Shows the mark with the most bytes first. */
  showMarks(marks) {
    const most = marks.reduce((best, mark, at) => mark.bytes > marks[best].bytes ? at : best, 0);
    const options = marks.map((mark, at) => [String(at), clean(mark.mark, 80) + ' (' + formatTime(mark.time_ns) + '): ' +
      formatCount(mark.arrays) + ' arrays, ' + formatSize(mark.bytes)]);
    this.choice.replaceChildren(menu('mark', options, String(most), at => this.showShapes(marks[at])));
    this.showShapes(marks[most]);
  }

  showShapes(mark) {
    this.shapes.show(mark.shapes.map(({name, arrays, bytes}) => ({name: clean(name, 200), arrays, bytes})));
  }
}
