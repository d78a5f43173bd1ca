// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of the page, and the dialog that lists them.

import {button, element} from './element.js';
import {viewsNow} from './header.js';
import {change} from './state.js';

const Keys = [
  ['Everywhere', [
    ['?', 'show these keys'], ['1 … 8', 'choose a view'], ['/', 'search'],
    ['Alt Left', 'undo: back to the last state'], ['Tab', 'go to the next control']]],
  ['Timeline', [
    ['Left, Right', 'move the cursor'], ['Shift Left, Shift Right', 'extend the range'],
    ['[, ]', 'previous or next step'], ['+, −', 'zoom'], ['0, Escape', 'show the whole run, nothing selected'],
    ['wheel, Shift wheel', 'zoom around the pointer, move sideways'], ['two fingers', 'zoom']]],
  ['Flame graph, with the focus on it', [
    ['arrows', 'walk the tree'], ['Enter, Backspace', 'zoom in, zoom out'], ['f', 'focus on the function'],
    ['x', 'hide the function'], ['s', 'show the source'], ['c', 'copy the stack'], ['i', 'invert'], ['a', 'all frames']]],
  ['Map and layers, with the focus on them', [['arrows', 'walk blocks or cells'], ['Enter', 'choose']]],
];

export function makeKeyDialog() {
  const dialog = element('dialog', {class: 'keys', 'aria-labelledby': 'keys-title'});
  dialog.append(element('h2', {id: 'keys-title'}, 'Keys'),
    ...Keys.map(([title, rows]) => element('section', {}, element('h3', {}, title),
      element('dl', {}, rows.map(([key, text]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, text)]).flat()))),
    button('Close', () => dialog.close()));
  dialog.addEventListener('click', event => { if (event.target === dialog) dialog.close(); });
  return dialog;
}

/** Keys that no control took. */
export function startKeys({showKeys, timeline, search}) {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && event.target.type === 'search') return event.target.blur();
    if (event.target.closest('input, select, textarea, dialog')) return;
    if (event.key === '?') showKeys();
    else if (event.key === '/') search();
    else if (/^[1-8]$/.test(event.key)) {
      const view = viewsNow()[event.key - 1];
      if (view) change({view});
    } else if (event.target.closest('button, a, canvas, .scroll') && event.key !== 'Escape') return;
    else if (!timeline?.key(event)) return;
    event.preventDefault();
  });
}
