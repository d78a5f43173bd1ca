// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes elements. Texts of the trace become text nodes, never markup.

/** element('button', {class: 'x', onclick: f}, 'text', other). Attributes with value null are left out. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
}

/** A labelled menu; options are [value, text]. */
export function menu(label, options, value, onchange) {
  const select = element('select', {onchange: () => onchange(select.value)},
    options.map(([key, text]) => element('option', {value: key, selected: key === value}, text)));
  return element('label', {class: 'field'}, element('span', {}, label), select);
}

/** Changes a text only if it differs, so that nothing is laid out again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Puts other options into a menu, if they differ, and chooses one. */
export function setMenu(field, options, value) {
  const select = field.querySelector('select');
  const now = [...select.options].map(option => [option.value, option.text]);
  if (JSON.stringify(now) !== JSON.stringify(options))
    select.replaceChildren(...options.map(([key, text]) => element('option', {value: key}, text)));
  select.value = value;
}

export function checkbox(label, onchange) {
  const input = element('input', {type: 'checkbox', onchange: () => onchange(input.checked)});
  return element('label', {class: 'check'}, input, element('span', {}, label));
}

export function button(text, onclick, attributes = {}) {
  return element('button', {type: 'button', onclick, ...attributes}, text);
}

/** A button that copies what text() gives, and says so for a moment. */
export function copyButton(label, text) {
  const made = button(label, async () => flash(made, await copy(text()) ? 'Copied' : 'Copying failed'));
  return made;
}

/** Shows a word in a button's place for a moment. */
export function flash(node, text) {
  const label = node.dataset.label ||= node.textContent;
  node.textContent = text;
  setTimeout(() => { node.textContent = label; }, 1200);
}

/** Copies a text; false if the browser refuses. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages from a file may have no clipboard: select the text of a field and copy.
    const field = element('textarea', {class: 'unseen', 'aria-hidden': 'true'});
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}
