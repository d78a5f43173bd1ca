// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growth: a card for each finding, with its curve, stack, hint and suppression.

import {Question} from './ask.js';
import {button, copyButton, element} from './element.js';
import {formatSize} from './format.js';
import {LineChart} from './lines.js';
import {clean} from './names.js';
import {pictureButton} from './picture.js';
import {change} from './state.js';
import {colors} from './theme.js';

export class Growth {
  constructor() {
    this.question = new Question('growth', answer => this.show(answer));
    this.cards = element('div');
    this.measured = element('p', {class: 'dim'});
    this.root = element('div', {}, element('h2', {}, 'Memory that grows'), this.measured, this.question.status, this.cards);
  }

  update() {
    this.question.ask({});
  }

  show(answer) {
    const {findings} = answer;
    this.measured.textContent = findings.length
      ? 'Measured: ' + clean(answer.measured) + '. LEAK: a line keeps memory again and again while the program repeats itself. ' +
        'grows: memory rises to the end, and nothing shows that the program repeats itself. grew: memory rose, then stayed level or was freed.'
      : clean(answer.nothing) || 'Nothing grows.';
    this.cards.replaceChildren(...findings.map(finding => this.card(finding, answer.x)));
  }

  card(finding, kind) {
    const chart = new LineChart(208, 'Bytes of ' + clean(finding.text, 100) + ' over the ' +
      (kind === 'step' ? 'steps' : 'time') + ': ' + clean(finding.rate_text));
    const {fit, curve} = finding;
    chart.show([
      {x: curve.x, bytes: curve.bytes, color: () => colors.accent, fill: () => colors.wash, width: 1.5},
      ...(fit ? [{x: [fit.x0, fit.x1], bytes: [fit.y0, fit.y1], color: () => colors.ink, dash: [5, 4]}] : []),
    ], kind);
    const row = (label, ...content) => [element('dt', {}, label), element('dd', {}, ...content)];
    const unit = kind === 'step' ? ' per step' : ' per second';
    const facts = element('dl', {class: 'facts'},
      row('rise', formatSize(finding.rise) + ', since ' + clean(finding.since)),
      row('rate', clean(finding.rate_text) + ' (95 %: ' + formatSize(finding.low) + ' to ' + formatSize(finding.high) + unit + ')'),
      finding.holds ? row('holds', clean(finding.holds, 600)) : [],
      finding.held_by ? row('held by', clean(finding.held_by, 600)) : [],
      finding.hint ? row('hint', clean(finding.hint, 600)) : [],
      row('stack', element('ol', {class: 'stack'}, finding.stack.map(frame => element('li', {}, element('code', {}, clean(frame, 300)))))),
      finding.suppression ? row('suppress', element('span', {class: 'suppression'}, element('code', {}, clean(finding.suppression, 300)),
        copyButton('Copy', () => finding.suppression))) : []);
    return element('article', {class: 'card'},
      element('div', {class: 'line'},
        element('h3', {class: 'card-title'}, clean(finding.text, 300)), element('span', {class: finding.verdict === 'leak' ? 'alarm-text' : 'dim'},
          clean(finding.word) + (finding.amount ? ' ' + clean(finding.amount) : '')),
        element('span', {class: 'push'}),
        button('Show in the flame graph', () => change({view: 'flame', search: finding.text, what: '', zoom: []}), {class: 'quiet'}),
        pictureButton(() => chart.surface.svg(), 'growth')),
      finding.source ? element('code', {class: 'dim'}, clean(finding.source, 300)) : null,
      element('div', {class: 'card-grid'},
        element('div', {}, chart.surface.box, element('p', {class: 'color-legend'},
          element('span', {}, element('span', {class: 'swatch key-line'}), 'bytes that live'),
          element('span', {}, element('span', {class: 'swatch key-fit'}), 'fitted line'))), facts));
  }
}
