// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sortable table of numbers and names that can be copied as Markdown.

import {button, element} from './element.js';
import {formatCount} from './format.js';

const FirstRows = 25;
const narrow = matchMedia('(max-width: 640px)');

/** A column of a number in rows, sizes for example; a missing number is an empty cell, below all others. */
export const numberColumn = (title, key, format) =>
  ({title, number: true, value: row => row[key] ?? -1, text: row => row[key] == null ? '' : format(row[key])});

export class DataTable {
  /** columns: {title, number, value(row), text(row), cell(row), isShown()}; onsort(title) if the server sorts too. */
  constructor(columns, {onsort = null} = {}) {
    this.columns = columns;
    this.sort = columns[0];
    this.falling = true;
    this.onsort = onsort;
    this.rows = [];
    this.all = false;
    narrow.addEventListener('change', () => this.fill());
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

  sortBy(column) {
    this.falling = column === this.sort ? !this.falling : Boolean(column.number);
    this.sort = column;
    this.fill();
    this.onsort?.(column.title);
  }

  sorted() {
    const {value} = this.sort, direction = this.falling ? -1 : 1;
    return [...this.rows].sort((a, b) => {
      const left = value(a), right = value(b);
      return left < right ? -direction : left > right ? direction : 0;
    });
  }

  /** The columns of these rows: some answers have more. */
  shown() {
    return this.columns.filter(column => !column.isShown || column.isShown());
  }

  /** The columns to show: in a narrow window names come second, so that they need no scrolling. */
  ordered() {
    const columns = this.shown(), named = columns.find(column => column.main);
    if (!named || !narrow.matches) return columns;
    return [columns[0], named, ...columns.slice(1).filter(column => column !== named)];
  }

  fill() {
    const columns = this.ordered();
    this.root.hidden = !this.rows.length;
    const focused = [...this.headRow.children].findIndex(cell => cell.contains(document.activeElement));
    this.headRow.replaceChildren(...columns.map(column => {
      const chosen = column === this.sort;
      return element('th', {scope: 'col', class: column.number ? 'number' : null,
                            'aria-sort': chosen ? (this.falling ? 'descending' : 'ascending') : null},
        column.value ? button(column.title + (chosen ? (this.falling ? ' ↓' : ' ↑') : ''), () => this.sortBy(column), {class: 'link plain'})
                     : column.title);
    }));
    if (focused >= 0) this.headRow.children[focused].querySelector('button')?.focus();
    const rows = this.sorted(), shown = this.all ? rows : rows.slice(0, FirstRows);
    this.body.replaceChildren(...shown.map(row => element('tr', {}, columns.map(column =>
      element('td', {class: column.number ? 'number' : column.wide ? 'wide' : null,
                     title: column.wide ? column.text(row).slice(0, 400) : null},
        column.cell ? column.cell(row) : column.text(row))))));
    this.more.hidden = shown.length === rows.length;
    this.more.textContent = 'Show ' + formatCount(rows.length - shown.length) + ' more rows';
  }

  markdown() {
    const escaped = text => String(text).replace(/([\\|`*_<>])/g, '\\$1');
    const columns = this.shown();
    const lines = [columns.map(column => escaped(column.title)), columns.map(column => column.number ? '--:' : ':--'),
      ...this.sorted().map(row => columns.map(column => escaped(column.text(row))))];
    return lines.map(cells => '| ' + cells.join(' | ') + ' |').join('\n') + '\n';
  }
}
