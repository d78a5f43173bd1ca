// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buttons of every view: save the picture, show the command that gives the same answer.

import {button, copyButton, element} from './element.js';
import {run} from './run.js';
import {saveFile} from './surface.js';

export function pictureButton(svg, name) {
  return button('Save picture', () => {
    const program = String(run.start.program).replace(/[^\w.-]+/g, '_').slice(0, 60);
    saveFile(program + '-' + name + '.svg', 'image/svg+xml', svg());
  }, {class: 'quiet'});
}

/** A button that opens a line with the answer's command. */
export class CommandLine {
  constructor() {
    this.text = '';
    this.code = element('code');
    this.line = element('div', {class: 'command', hidden: true}, this.code, copyButton('Copy', () => this.text));
    this.toggle = button('Show command', () => {
      this.line.hidden = !this.line.hidden;
      this.toggle.setAttribute('aria-expanded', String(!this.line.hidden));
    }, {class: 'quiet', hidden: true, 'aria-expanded': 'false'});
  }

  show(command) {
    this.text = command || '';
    this.code.textContent = this.text;
    this.toggle.hidden = !this.text;
    if (!this.text) this.line.hidden = true;
  }
}
