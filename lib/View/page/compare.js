// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compare: two traces on one axis, the changes by line, the differential flame graph.

import {Question} from './ask.js';
import {button, copyButton, element, menu, setMenu} from './element.js';
import {FlameGraph} from './flame_graph.js';
import {FlameTree} from './flame_tree.js';
import {formatCount, formatSize, formatSizeChange} from './format.js';
import {LineChart} from './lines.js';
import {clean, placeOf} from './names.js';
import {factList} from './overview.js';
import {CommandLine, pictureButton} from './picture.js';
import {change, state} from './state.js';
import {DataTable} from './table.js';
import {colors} from './theme.js';

export class Compare {
  constructor() {
    this.question = new Question('compare', answer => this.show(answer));
    this.verdict = element('h2', {class: 'compare-verdict'});
    this.doubts = element('div');
    this.facts = element('div');
    this.totals = element('tbody');
    this.whatMenu = menu('compare', [['peak', 'the peak'], ['live', 'live at the end']], 'peak', what => change({side: what === 'peak' ? '' : what}));
    this.spaceMenu = menu('memory', [], '', space => change({between: Number(space), zoom: []}));
    this.command = new CommandLine();
    this.rowsTitle = element('h2');
    this.rest = element('p', {class: 'dim'});
    this.moved = element('ul', {class: 'notes'});
    this.chart = new LineChart(240, 'Memory of both traces');
    this.keys = element('p', {class: 'color-legend'});
    this.xMenu = menu('by', [['step', 'step'], ['ns', 'time']], 'step', x => change({x}));
    this.table = new DataTable([
      {title: 'change', number: true, value: row => Math.abs(row.change), text: row => formatSizeChange(row.change)},
      {title: '', text: () => '', cell: row => this.bar(row)},
      {title: 'before', number: true, value: row => row.a, text: row => formatSize(row.a)},
      {title: 'after', number: true, value: row => row.b, text: row => formatSize(row.b)},
      {title: 'place', main: true, value: row => row.text, text: row => row.text,
       cell: row => [button(clean(row.text, 160), () => change({search: row.text, zoom: []}), {class: 'link plain strong'}),
                           row.remark ? element('span', {class: 'dim'}, ' ' + clean(row.remark)) : '']},
      {title: 'source', wide: true, text: row => row.source, cell: row => element('code', {}, clean(row.source, 160))},
    ]);
    this.graph = new FlameGraph({
      fill: (tree, node) => this.fill(node), sign: (tree, node) => this.sign(node),
      size: (tree, node) => formatSizeChange(this.changeOf(node)),
      onzoom: node => change({zoom: this.tree.path(node).map(step => this.tree.id(step))}), onhover: node => this.describe(node)});
    this.detailName = element('p', {class: 'detail-name'});
    this.detailSizes = element('p', {class: 'detail-sizes'});
    this.detail = element('div', {class: 'detail', 'aria-live': 'polite'}, this.detailName, this.detailSizes);
    this.search = element('input', {type: 'search', placeholder: 'Search function or file', 'aria-label': 'Search',
                                    oninput: () => change({search: this.search.value}, 'search')});
    this.reset = button('Zoom out', () => change({zoom: []}), {hidden: true});
    this.content = element('div', {hidden: true},
      element('div', {class: 'bar'}, this.whatMenu, this.spaceMenu, element('span', {class: 'push'}), this.command.toggle), this.command.line,
      this.verdict, this.doubts,
      element('div', {class: 'compare-words'},
        element('div', {class: 'scroll'}, element('table', {class: 'data'}, element('thead', {}, element('tr', {},
          ['', 'before', 'after', 'change', ''].map((text, at) => element('th', {scope: 'col', class: at ? 'number' : null}, text)))), this.totals)),
        this.facts),
      element('div', {class: 'bar'}, element('h2', {}, 'Memory of both'), this.xMenu, element('span', {class: 'push'}), pictureButton(() => this.chart.surface.svg(), 'compare')),
      this.chart.surface.box, this.keys,
      element('div', {class: 'line'}, this.rowsTitle, element('span', {class: 'push'}), copyButton('Copy as Markdown', () => this.table.markdown())),
      this.table.root, this.rest, this.moved,
      element('div', {class: 'bar space-above'}, element('h2', {}, 'Differential flame graph'), this.search, this.reset, element('span', {class: 'push'}), pictureButton(() => this.graph.svg(), 'difference')),
      this.detail, this.graph.root, element('p', {class: 'color-legend'},
        element('span', {}, element('span', {class: 'swatch key-grown'}), '+ grown'), element('span', {}, element('span', {class: 'swatch key-shrunk'}), '− shrunk'),
        element('span', {}, element('span', {class: 'swatch key-library'}), 'about equal'),
        element('span', {}, 'The width of a box is the larger of both sizes.')));
    this.root = element('div', {}, this.question.status, this.content);
  }

  update() {
    this.question.ask({what: state.side === 'live' ? 'live' : 'peak', space: state.between});
    if (this.answer) this.refresh();
  }

  show(answer) {
    this.answer = answer;
    this.content.hidden = false;
    const {rows} = answer;
    this.verdict.textContent = clean(answer.verdict, 600);
    this.facts.replaceChildren(factList(answer.facts));
    this.showWords(answer);
    const list = rows.text.map((text, at) => ({text, source: (rows.source[at] || '').trim(), remark: rows.remark?.[at], a: rows.a[at], b: rows.b[at], change: rows.b[at] - rows.a[at]}));
    this.most = Math.max(1, ...list.map(row => Math.abs(row.change)));
    this.table.show(list);
    this.makeTree(answer);
    const key = (kind, name) => element('span', {}, element('span', {class: 'swatch ' + kind}), clean(name, 120));
    this.keys.replaceChildren(key('key-fit', 'before: ' + answer.a), key('key-line', 'after: ' + answer.b));
    this.refresh();
  }

  /** Menus, warnings, totals, and the sentences around the table. */
  showWords(answer) {
    const {totals, left_out: left, moved, rows} = answer;
    this.whatMenu.querySelector('select').value = answer.what || 'peak';
    setMenu(this.spaceMenu, (answer.spaces || []).map((name, at) => [String(at), clean(name)]), String(answer.space));
    this.spaceMenu.hidden = !(answer.spaces?.length > 1);
    this.command.show(answer.command);
    this.doubts.replaceChildren(...[...(answer.doubts || []), answer.means].filter(Boolean).map(line =>
      element('p', {class: line === answer.means ? 'dim' : 'alarm-text'}, clean(line, 600))));
    this.totals.replaceChildren(...(totals ? totals.name : []).map((name, at) => element('tr', {}, element('td', {}, clean(name)),
      ['before', 'after', 'change', 'share'].map(side => element('td', {class: 'number'}, clean(totals[side][at]))))));
    this.rowsTitle.textContent = 'Changes by ' + (answer.rows_are || 'line') + (answer.what === 'live' ? ', live at the end' : ', at the peak');
    const other = left?.rows ? (rows.text.length ? 'Other places' : 'Places below the noise') + ' (' + formatCount(left.rows) + '): ' +
      formatSizeChange(left.change) + '.' : '';
    this.rest.textContent = rows.text.length || other ? other : 'No place changed.';
    this.moved.replaceChildren(...(moved || []).map(line => element('li', {}, clean(line, 600))));
    this.moved.hidden = !moved?.length;
  }

  /** Boxes hold the larger of both sizes of their own bytes, summed upwards, so that nothing vanishes. */
  makeTree(answer) {
    const {name, depth, a, b} = answer.nodes, count = name.length;
    const below = {a: new Float64Array(count), b: new Float64Array(count)}, parent = new Int32Array(count), open = [];
    for (let at = 0; at < count; ++at) {
      open.length = Math.min(open.length, depth[at]);
      parent[at] = open.length ? open[open.length - 1] : -1;
      if (parent[at] >= 0) {
        below.a[parent[at]] += a[at];
        below.b[parent[at]] += b[at];
      }
      open.push(at);
    }
    const total = new Float64Array(count), self = new Float64Array(count);
    for (let at = count - 1; at >= 0; --at) {
      self[at] = Math.max(0, a[at] - below.a[at], b[at] - below.b[at]);
      total[at] += self[at];
      if (parent[at] >= 0) total[parent[at]] += total[at];
    }
    this.tree = new FlameTree(answer.names, name, depth, total, self);
  }

  refresh() {
    const {answer, tree} = this;
    const all = [answer.curves].flat();
    const curves = all.find(one => one.x === (state.x || all[0].x)) || all[0];
    this.xMenu.hidden = all.length < 2;
    this.xMenu.querySelector('select').value = curves.x;
    this.chart.show([{...curves.a, color: () => colors.ink, dash: [5, 4], width: 1.25}, {...curves.b, color: () => colors.accent, width: 1.75}], curves.x);
    const zoom = tree.resolve(state.zoom);
    this.reset.hidden = zoom < 0;
    if (document.activeElement !== this.search) this.search.value = state.search;
    this.graph.show(tree, zoom, tree.matches(state.search));
    this.graph.surface.describe('Differential flame graph of ' + clean(answer.a) + ' and ' + clean(answer.b) + '. The table above holds the changes.');
    this.describe(this.graph.chosen);
  }

  changeOf(node) {
    const {a, b} = this.answer.nodes;
    return b[node] - a[node];
  }

  /** Change as a part of the larger size, -1 to 1. */
  share(node) {
    const {a, b} = this.answer.nodes;
    return this.changeOf(node) / Math.max(1, a[node], b[node]);
  }

  fill(node) {
    const share = this.share(node);
    if (Math.abs(share) < 0.05) return colors.library;
    return share > 0 ? colors.grown : colors.shrunk;
  }

  sign(node) {
    const share = this.share(node);
    return Math.abs(share) < 0.05 ? '' : share > 0 ? '+ ' : '− ';
  }

  bar(row) {
    const fill = element('span', {class: row.change > 0 ? 'two-sided grown' : 'two-sided shrunk'});
    const share = Math.abs(row.change) / this.most * 50;
    fill.style.width = Math.max(0.5, share) + '%';
    fill.style.left = (row.change > 0 ? 50 : 50 - share) + '%';
    return element('span', {class: 'two-sided-box', 'aria-hidden': 'true'}, fill);
  }

  describe(node) {
    this.detailName.classList.toggle('hint', node < 0);
    if (node < 0) {
      this.detailName.textContent = 'Point at a box to see its change. Click to zoom.';
      this.detailSizes.textContent = '';
      return;
    }
    const {a, b} = this.answer.nodes, name = this.tree.name[node], {names} = this.answer;
    this.detailName.textContent = clean(names.text[name]) + '  ' + clean(placeOf(names, name));
    this.detailSizes.textContent = formatSizeChange(this.changeOf(node)) + ' · before ' + formatSize(a[node]) + ' · after ' + formatSize(b[node]);
  }
}
