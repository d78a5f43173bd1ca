// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of source with the memory beside each line, in a dialog that the address names.

import {Question} from './ask.js';
import {button, element} from './element.js';
import {isOffered} from './file.js';
import {formatShare, formatSize} from './format.js';
import {clean} from './names.js';
import {change, onChange, state} from './state.js';

/** Whether the page can show a file. */
export const hasSource = file => Boolean(file) && isOffered('source', 'file', file);

/** Shows a line of a file. */
export const showSource = (file, line) => change({source: file + ':' + line});

/** A button with a line's text that shows the line among its neighbours; the text alone where the file is not to be had. */
export function sourceButton(text, file, line) {
  const code = element('code', {}, clean(text.trim(), 160));
  return hasSource(file) ? element('button', {type: 'button', class: 'link plain', title: 'Show the lines around',
                                              onclick: () => showSource(file, line)}, code) : code;
}

class SourceView {
  constructor() {
    this.question = new Question('source', answer => this.show(answer));
    this.title = element('h2', {id: 'source-title'});
    this.note = element('p', {class: 'dim'});
    this.body = element('tbody');
    this.root = element('dialog', {class: 'keys source', 'aria-labelledby': 'source-title', onclose: () => {
      if (state.source) change({source: ''});
    }}, element('div', {class: 'line'}, this.title, element('span', {class: 'push'}), button('Close', () => this.root.close())),
      this.question.status, this.note,
      element('div', {class: 'scroll source-lines', tabindex: 0}, element('table', {},
        element('thead', {}, element('tr', {}, ['at the peak', '', 'own', 'allocated', 'kept', 'line', ''].map((title, at) =>
          element('th', {scope: 'col', class: at === 1 || at === 6 ? null : 'number'}, title)))), this.body)));
    this.root.addEventListener('click', event => { if (event.target === this.root) this.root.close(); });
    onChange(() => this.update());
  }

  update() {
    const cut = state.source.lastIndexOf(':');
    if (cut < 0) {
      if (this.root.open) this.root.close();
      return;
    }
    this.line = Number(state.source.slice(cut + 1));
    if (!this.root.open) this.root.showModal();
    this.question.ask({file: state.source.slice(0, cut)});
    this.mark();
  }

  show(answer) {
    const {rows} = answer, most = Math.max(1, ...rows.peak);
    this.title.textContent = clean(answer.file, 200) + ': ' + formatSize(answer.peak_bytes) + ' of ' +
      formatSize(answer.space_peak_bytes) + ' at the peak of ' + clean(answer.space);
    this.note.textContent = answer.doubt ? clean(answer.doubt) + ': only lines that the trace has' : '';
    const cell = bytes => element('td', {class: 'number'}, bytes ? formatSize(bytes) : '');
    const lines = [];
    rows.line.forEach((line, at) => {
      if (at && line !== rows.line[at - 1] + 1) lines.push(element('tr', {class: 'dim'}, element('td', {colspan: 7}, '⋯')));
      const bar = element('span', {class: 'bar-fill', title: formatShare(rows.peak[at], answer.space_peak_bytes)});
      bar.style.width = rows.peak[at] / most * 100 + '%';
      lines.push(element('tr', {'data-line': line}, cell(rows.peak[at]), element('td', {class: 'bar-cell'}, rows.peak[at] ? bar : null),
        cell(rows.own[at]), cell(rows.allocated[at]), cell(rows.kept[at]), element('td', {class: 'number dim'}, String(line)),
        element('td', {}, element('code', {}, clean(rows.text[at], 300)))));
    });
    this.body.replaceChildren(...lines);
    this.mark();
  }

  /** Brings the line that was asked for into sight. */
  mark() {
    for (const row of this.body.children) row.classList.toggle('chosen', Number(row.dataset.line) === this.line);
    this.body.querySelector('.chosen')?.scrollIntoView({block: 'center'});
  }
}

export const makeSourceDialog = () => new SourceView().root;
