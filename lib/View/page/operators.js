// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators: a row each, with calls, times and tensors.

import {Question} from './ask.js';
import {element} from './element.js';
import {formatCount, formatSize, formatTime} from './format.js';
import {clean} from './names.js';
import {CommandLine} from './picture.js';
import {DataTable, numberColumn} from './table.js';

export class Operators {
  constructor() {
    this.question = new Question('operators', answer => this.show(answer));
    this.command = new CommandLine();
    const ofDevice = (title, key) => ({...numberColumn(title, key, formatTime), isShown: () => this.hasDevice});
    this.hasDevice = false; // recorded with --cuda=time
    this.table = new DataTable([
      numberColumn('self', 'self_ns', formatTime), numberColumn('CPU time', 'duration_ns', formatTime),
      ofDevice('device self', 'device_self_ns'), ofDevice('device time', 'device_ns'), numberColumn('calls', 'calls', formatCount),
      numberColumn('allocations', 'allocations', formatCount), numberColumn('allocated', 'allocated_bytes', formatSize),
      numberColumn('rise', 'rise_bytes', formatSize), numberColumn('peak', 'peak_bytes', formatSize),
      {title: 'operator', main: true, wide: true, value: row => row.name, text: row => row.name}]);
    this.root = element('div', {},
      element('div', {class: 'bar'}, element('h2', {}, 'Operators'), element('span', {class: 'push'}), this.command.toggle),
      this.command.line,
      element('p', {class: 'dim'}, 'Self: CPU time without the operators inside. Tensors that the operator\'s thread allocated while ' +
        'the operator ran; rise: the most bytes that one call added; peak: the highest bytes of all tensors at one of the allocations.'),
      this.question.status, this.table.root);
  }

  update() {
    this.question.ask({});
  }

  show(answer) {
    this.command.show(answer.command);
    this.hasDevice = Boolean(answer.device_ns);
    this.table.show(answer.name.map((name, at) => ({
      name: clean(name, 200) || '(no name)', self_ns: answer.self_ns[at], duration_ns: answer.duration_ns[at], calls: answer.calls[at],
      allocations: answer.allocations[at], allocated_bytes: answer.allocated_bytes[at],
      rise_bytes: answer.rise_bytes[at], peak_bytes: answer.peak_bytes[at],
      device_self_ns: answer.device_self_ns?.[at], device_ns: answer.device_ns?.[at],
    })));
  }
}
