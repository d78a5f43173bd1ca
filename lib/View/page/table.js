// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sortable table of numbers and names that can be copied as Markdown.

import {button, element} from './element.js';
import {formatCount} from './format.js';

const FirstRows = 25;

export class DataTable {
  /** columns: {title, number, value(row), text(row), cell(row)}; onsort(title) if the server sorts too. */
  constructor(columns, {sort = 0, onsort = null} = {}) {
    this.columns = columns;
    this.sort = sort;
    this.falling = true;
    this.onsort = onsort;
    this.rows = [];
    this.all = false;
    this.headRow = element('tr');
    this.body = element('tbody');
    this.more = button('', () => {
      this.all = true;
      this.fill();
    }, {class: 'quiet'});
    this.root = element('div', {},
      element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table'},
        element('table', {class: 'data'}, element('thead', {}, this.headRow), this.body)), this.more);
  }

  show(rows) {
    this.rows = rows;
    this.all = false;
    this.fill();
  }

  sortBy(at) {
    this.falling = at === this.sort ? !this.falling : Boolean(this.columns[at].number);
    this.sort = at;
    this.fill();
    this.onsort?.(this.columns[at].title);
  }

  sorted() {
    const {value} = this.columns[this.sort], direction = this.falling ? -1 : 1;
    return [...this.rows].sort((a, b) => {
      const left = value(a), right = value(b);
      return left < right ? -direction : left > right ? direction : 0;
    });
  }

  fill() {
    this.headRow.replaceChildren(...this.columns.map((column, at) => {
      const chosen = at === this.sort;
      return element('th', {scope: 'col', class: column.number ? 'number' : null,
                            'aria-sort': chosen ? (this.falling ? 'descending' : 'ascending') : null},
        column.value ? button(column.title + (chosen ? (this.falling ? ' ↓' : ' ↑') : ''), () => this.sortBy(at), {class: 'link plain'})
                     : column.title);
    }));
    const rows = this.sorted(), shown = this.all ? rows : rows.slice(0, FirstRows);
    this.body.replaceChildren(...shown.map(row => element('tr', {}, this.columns.map(column =>
      element('td', {class: column.number ? 'number' : column.wide ? 'wide' : null,
                     title: column.wide ? column.text(row).slice(0, 400) : null},
        column.cell ? column.cell(row) : column.text(row))))));
    this.more.hidden = shown.length === rows.length;
    this.more.textContent = 'Show ' + formatCount(rows.length - shown.length) + ' more rows';
  }

  markdown() {
    const escaped = text => String(text).replace(/([\\|`*_<>])/g, '\\$1');
    const {columns} = this;
    const lines = [columns.map(column => escaped(column.title)), columns.map(column => column.number ? '--:' : ':--'),
      ...this.sorted().map(row => columns.map(column => escaped(column.text(row))))];
    return lines.map(cells => '| ' + cells.join(' | ') + ' |').join('\n') + '\n';
  }
}
