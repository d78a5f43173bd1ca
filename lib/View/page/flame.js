// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flame graph and its table: of the cursor's moment, the range, or the peak.

import {Question} from './ask.js';
import {button, checkbox, copy, copyButton, element, menu, setMenu, setText} from './element.js';
import {isOffered} from './file.js';
import {depthFill, FlameGraph, kindFill} from './flame_graph.js';
import {FlameTree} from './flame_tree.js';
import {capital, formatCount, formatShare, formatTime, formatValue} from './format.js';
import {clean, hasPlace, placeAndName, placeOf} from './names.js';
import {CommandLine, pictureButton} from './picture.js';
import {listedNow, metricNow, profileParameters, run} from './run.js';
import {hasSource, showSource, sourceButton} from './source.js';
import {change, inGesture, state} from './state.js';
import {DataTable} from './table.js';
import {groupWord} from './timeline.js';

const FlameHint = 'Point at a box to see its line. Click to zoom.';
const Metrics = [['allocated', 'allocated'], ['count', 'number of allocations'], ['temporary', 'temporary'],
                 ['freed', 'freed'], ['retained', 'retained']];

export class FlameView {
  constructor() {
    this.answer = this.whole = this.tree = null;
    this.node = -1;
    this.graph = new FlameGraph({
      fill: (tree, node) => isOfCode() ? kindFill(tree, node) : depthFill(tree, node), size: (tree, node) => this.sizeLabel(tree, node),
      onzoom: node => this.zoomTo(node), onhover: node => this.describe(node), onkey: (event, node) => this.key(event, node)});
    this.question = new Question('profile', answer => this.show(answer));
    this.tableQuestion = new Question('table', answer => this.showTable(answer));
    // A list of flame graphs may have no tables.
    this.hasTable = !run.start.listed || isOffered('table', 'listed', '0');
    this.command = new CommandLine();
    this.title = element('h2');
    this.matched = element('span', {class: 'dim', role: 'status'});
    this.crumbs = element('div', {class: 'crumbs'});
    this.makeDetail();
    this.makeTable();
    this.empty = element('p', {class: 'dim', hidden: true});
    this.root = element('div', {}, this.makeBar(), this.command.line,
      element('div', {class: 'line'}, this.title, this.matched), this.question.status, this.crumbs,
      this.empty, this.graph.root, this.foot = element('div', {class: 'flame-foot'}, this.colors = colorLegend(), this.detail),
      element('div', {hidden: !this.hasTable}, element('div', {class: 'line'}, element('h2', {}, 'By place'),
        this.tableNote, element('span', {class: 'push'}), copyButton('Copy as Markdown', () => this.table.markdown())),
      this.tableQuestion.status, this.table.root));
  }

  makeBar() {
    this.whatMenu = menu('Show', [], '', what => change({what}));
    this.byMenu = menu('by', run.start.groups.map(group => [group, groupWord(group)]), '', by => change({by, zoom: [], focus: [], hide: []}));
    this.all = checkbox('All frames', all => change({all}));
    this.invert = checkbox('Invert', invert => change({invert, zoom: []}));
    this.imports = checkbox('Imports', imports => change({imports: imports === this.showsImportsItself() ? null : imports, zoom: []}));
    this.byMenu.hidden = run.start.groups.length < 2;
    this.all.hidden = !isOffered('profile', 'all', '1');
    this.invert.hidden = Boolean(run.start.inverted);
    this.search = element('input', {type: 'search', placeholder: 'Search function or file', 'aria-label': 'Search',
                                    oninput: () => this.searchSoon()});
    return this.menuBar = element('div', {class: 'bar tight'}, this.whatMenu, this.byMenu, this.all, this.invert, this.imports, this.search,
      element('span', {class: 'push'}), this.command.toggle, pictureButton(() => this.graph.svg(), 'flame'));
  }

  /** Letters that follow fast are a single search; a letter and its search have a frame each. */
  searchSoon() {
    clearTimeout(this.searchTimer);
    this.searchTimer = setTimeout(() => change({search: this.search.value}, 'search'), 60);
  }

  makeDetail() {
    this.detailName = element('p', {class: 'detail-name'});
    this.detailSource = element('code');
    this.detailHeld = element('p', {class: 'dim', hidden: true});
    this.detailSizes = element('p', {class: 'detail-sizes'});
    const act = (label, title, use) => button(label, () => use(this.acted()), {class: 'quiet', title});
    this.actions = element('div', {class: 'actions', hidden: true},
      act('Focus', 'Show only stacks through this function (f)', node => this.focusOn(node)),
      act('Hide', 'Leave out stacks through this function (x)', node => this.hideOne(node)),
      this.sourceAction = act('Source', 'Show the line and the memory beside it (s)', node => this.openSource(node)),
      copyButton('Copy stack', () => this.stackText(this.acted())));
    this.detail = element('div', {class: 'detail', 'aria-live': 'polite'},
      element('div', {class: 'detail-text'}, this.detailName, this.detailSource, this.detailHeld), this.detailSizes, this.actions);
  }

  makeTable() {
    const value = amount => this.tableAnswer ? formatValue(amount, this.tableAnswer.unit) : '';
    this.table = new DataTable([
      {title: 'own', number: true, value: row => row.own, text: row => value(row.own)},
      {title: 'share', number: true, value: row => row.own, text: row => formatShare(row.own, this.tableAnswer.total)},
      {title: 'with callees', number: true, value: row => row.total, text: row => value(row.total)},
      {title: 'blocks', number: true, value: row => row.blocks, text: row => row.blocks ? formatCount(row.blocks) : ''},
      {title: 'place', main: true, value: row => row.text, text: row => row.text,
       cell: row => button(clean(row.text, 160), () => change({search: row.text, zoom: []}), {class: row.kind ? 'link plain' : 'link plain strong', title: 'Search this in the graph'})},
      {title: 'held by', wide: true, value: row => row.heldBy, text: row => row.heldBy,
       isShown: () => Boolean(this.tableAnswer?.rows.held_by), cell: row => clean(row.heldBy, 160)},
      {title: 'source', wide: true, value: row => row.source, text: row => row.source,
       cell: row => row.source ? sourceButton(row.source, row.file, row.line) : ''},
    ], {onsort: title => {
      if (title === 'own' || title === 'with callees') change({sort: title === 'own' ? 'own' : 'total'});
    }});
    this.tableNote = element('span', {class: 'dim'});
  }

  update() {
    const parameters = profileParameters(), delay = inGesture() ? 150 : 0;
    this.question.ask(parameters, delay);
    if (this.hasTable) this.tableQuestion.ask({...parameters, invert: 0, sort: state.sort}, delay);
    setMenu(this.whatMenu, this.valueChoices(), run.start.listed ? String(listedNow()) : metricNow());
    this.byMenu.querySelector('select').value = state.by || run.start.groups[0];
    this.all.querySelector('input').checked = state.all;
    this.invert.querySelector('input').checked = state.invert;
    if (document.activeElement !== this.search) this.search.value = state.search;
    if (this.answer && this.shownKey !== this.lookKey()) this.refresh();
  }

  /** What the graph can show: [key, text]. */
  valueChoices() {
    const {listed} = run.start;
    if (listed) return listed.map((name, at) => [String(at), clean(name, 120)]);
    const moment = state.at === null ? [] : [['live', 'live at ' + formatTime(state.at)]];
    const span = state.range ? ' in the range' : '';
    return [['peak', 'the peak'], ...moment,
      ...Metrics.filter(([key]) => isOffered('profile', 'what', key)).map(([key, text]) => [key, text + span])];
  }

  /** The state that changes the picture of an answer. */
  lookKey() {
    return [state.zoom, state.focus, state.hide].map(ids => ids.join('.')).join('|') + '|' + state.imports + '|' + state.search;
  }

  /** Without a word of the reader: imports are left out where they are most of the picture. */
  showsImportsItself() {
    return this.importShare <= 0.5;
  }

  showsImports() {
    return state.imports ?? this.showsImportsItself();
  }

  show(answer) {
    this.answer = answer;
    this.whole = FlameTree.from(answer);
    this.importShare = this.whole.importShare();
    this.filterKey = null;
    this.command.show(answer.command);
    this.refresh();
  }

  /** Draws what the state says of the answer that is here: filters, zoom, search. */
  refresh() {
    this.shownKey = this.lookKey();
    const imports = this.showsImports(), key = state.focus.join('.') + '|' + state.hide.join('.') + '|' + imports;
    this.imports.hidden = !this.importShare;
    this.imports.querySelector('input').checked = imports;
    if (key !== this.filterKey) {
      this.tree = this.whole.filtered(state.focus, state.hide, imports);
      this.filterKey = key;
      this.matchKey = null;
    }
    const {tree, answer} = this, sameTree = tree === this.graph.tree;
    const zoom = tree.resolve(state.zoom);
    if (this.matchKey !== state.search) {
      this.matches = tree.matches(state.search);
      this.matchKey = state.search;
      this.matched.textContent = this.matches ? matchText(tree.matchedSum(this.matches), tree.sum, answer.unit) : '';
    }
    const without = imports || !this.importShare ? '' : ', of which ' + formatValue(this.whole.sum * this.importShare, answer.unit) + ' of imports are left out';
    setText(this.title, clean(capital(answer.title)) + ': ' + formatValue(answer.total, answer.unit) + without);
    this.showEmpty();
    this.graph.show(tree, zoom, this.matches);
    this.graph.surface.describe('Flame graph of ' + clean(answer.title) + ', ' + formatValue(answer.total, answer.unit) +
      '. The table below holds the same data. Arrows walk the tree.');
    const crumbs = [zoom, key].join();
    if (this.crumbKey !== crumbs || !sameTree) this.showCrumbs(zoom);
    this.crumbKey = crumbs;
    this.describe(this.graph.chosen);
  }

  showEmpty() {
    const none = !this.tree.count;
    this.empty.hidden = !none;
    this.graph.root.hidden = this.foot.hidden = none;
    for (const sample of this.colors.querySelectorAll('[data-of=code]')) sample.hidden = !isOfCode();
    this.empty.textContent = this.whole.count ? 'Nothing is left: remove a filter above.'
      : 'Nothing was ' + clean(this.answer.title) + '.';
  }

  showCrumbs(zoom) {
    const {tree} = this, path = tree.path(zoom);
    const link = (text, node) => button(text, () => this.zoomTo(node), {class: 'link'});
    const chip = (word, key, id) => button(word + ' ' + this.nameOfId(id) + ' ✕',
      () => change({[key]: state[key].filter(other => other !== id)}), {class: 'chip', title: 'Remove'});
    this.crumbs.replaceChildren(
      ...(path.length ? [link('All', -1)] : []), ...path.map((node, at) => at === path.length - 1
        ? element('span', {'aria-current': 'true'}, tree.label(node)) : link(tree.label(node).slice(0, 60), node)),
      ...state.focus.map(id => chip('only', 'focus', id)), ...state.hide.map(id => chip('without', 'hide', id)));
    this.crumbs.hidden = !this.crumbs.childNodes.length;
  }

  nameOfId(id) {
    const {whole} = this;
    for (let at = 0; at < whole.count; ++at) if (whole.functionId(at) === id) return whole.label(at).slice(0, 60);
    return 'a function of another answer';
  }

  zoomTo(node) {
    change({zoom: this.tree.path(node).map(step => this.tree.siblingId(step))});
  }

  acted() {
    return this.graph.chosen >= 0 ? this.graph.chosen : this.graph.zoom;
  }

  key(event, node) {
    if (node < 0 && !'ia'.includes(event.key)) return false;
    switch (event.key) {
    case 'f': this.focusOn(node); return true;
    case 'x': this.hideOne(node); return true;
    case 's': this.openSource(node); return true;
    case 'c': copy(this.stackText(node)); return true;
    case 'i': change({invert: !state.invert, zoom: []}); return true;
    case 'a': change({all: !state.all}); return true;
    }
    return false;
  }

  focusOn(node) {
    if (node >= 0) change({focus: [...new Set([...state.focus, this.tree.functionId(node)])]});
  }

  hideOne(node) {
    if (node >= 0) change({hide: [...new Set([...state.hide, this.tree.functionId(node)])], zoom: []});
  }

  openSource(node) {
    const {file, line} = this.tree.names, name = this.tree.name[node];
    if (hasSource(file[name])) showSource(file[name], line[name]);
  }

  stackText(node) {
    const lines = this.tree.path(node).map(step => placeAndName(this.tree.names, this.tree.name[step]));
    return (state.invert ? lines : lines.reverse()).join('\n') + '\n';
  }

  sizeLabel(tree, node) {
    const name = tree.name[node];
    const place = hasPlace(tree.names, name) ? '' : clean(placeOf(tree.names, name), 80);
    return (place ? place + '  ' : '') + formatValue(tree.total[node], this.answer.unit);
  }

  describe(node) {
    const {tree, answer} = this;
    this.actions.hidden = this.acted() < 0;
    this.foot.classList.toggle('pointed', node >= 0 || this.acted() >= 0);
    this.showHolder(node < 0 ? '' : tree.names.held_by?.[tree.name[node]]);
    if (node < 0) {
      setText(this.detailName, '');
      setText(this.detailSource, '');
      setText(this.detailSizes, '');
      return;
    }
    const name = tree.name[node], total = tree.total[node], {zoom} = this.graph;
    this.sourceAction.hidden = !hasSource(tree.names.file[name]) || !tree.names.line[name];
    const place = placeOf(tree.names, name);
    this.detailName.textContent = clean(tree.names.text[name]) + (place ? '  ' + clean(place) : '');
    this.detailSource.textContent = clean((tree.names.source[name] || '').trim());
    const parts = [formatValue(total, answer.unit), formatShare(total, tree.sum) + ' of all'];
    if (zoom >= 0) parts.push(formatShare(total, tree.total[zoom]) + ' of zoomed');
    if (tree.self[node] > 0) parts.push('own ' + formatValue(tree.self[node], answer.unit));
    this.detailSizes.textContent = parts.join(' · ');
  }

  /** The names of Python that hold the blocks of a line. */
  showHolder(text) {
    this.detailHeld.hidden = !text;
    setText(this.detailHeld, text ? 'held by ' + clean(text, 600) : '');
  }

  showTable(answer) {
    this.tableAnswer = answer;
    const {rows} = answer;
    this.table.show(rows.own.map((own, at) => ({own, total: rows.total[at], blocks: rows.blocks[at],
      text: rows.text[at], source: (rows.source[at] || '').trim(), kind: rows.kind[at], file: rows.file[at], line: rows.line[at], heldBy: rows.held_by?.[at] || ''})));
    const {left_out: left} = answer;
    this.tableNote.textContent = left?.rows
      ? formatCount(left.rows) + ' smaller places with ' + formatValue(left.own, answer.unit) + ' are not listed.' : '';
  }
}

const matchText = (sum, whole, unit) => sum
  ? 'Matches hold ' + formatValue(sum, unit) + ', ' + formatShare(sum, whole) + '.' : 'Nothing matches.';

function colorLegend() {
  return element('p', {class: 'color-legend'}, element('span', {}, FlameHint),
    [['own', 'your code'], ['library', 'library'], ['import', 'import'], ['groups', 'group']].map(([kind, text]) =>
      element('span', {'data-of': 'code'}, element('span', {class: 'swatch key-' + kind}), text)));
}

/** Whether the boxes are functions; else layers, scopes, ..., which are coloured by depth. */
const isOfCode = () => !['layer', 'scope', 'thread', 'process', 'category', 'heap'].includes(state.by);
