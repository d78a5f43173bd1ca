// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The top of the page: program, command, the run in a line, the verdict, the tabs.

import {answerServed} from './ask.js';
import {button, element, flash, menu} from './element.js';
import {isFile} from './file.js';
import {capital} from './format.js';
import {clean} from './names.js';
import {run} from './run.js';
import {change, onChange, state} from './state.js';
import {isDark, onTheme, switchTheme} from './theme.js';

export const ViewNames = {
  overview: 'Overview', timeline: 'Timeline', flame: 'Flame graph', map: 'Device map', growth: 'Growth',
  layers: 'Layers', operators: 'Operators', programs: 'Programs', compare: 'Compare', processes: 'Processes',
};

/** Views of this trace, in the page's order. */
export const viewsNow = () => Object.keys(ViewNames).filter(view => run.start.views.includes(view));

/** A button to the view that shows the evidence; null if the trace does not have the view. */
export function evidence(view) {
  return view && run.start.views.includes(view)
    ? button('Show ' + ViewNames[view].toLowerCase(), () => change({view}), {class: 'link'}) : null;
}

/** The part of the verdict behind the program's name, which the title shows already. */
function verdictText() {
  const {verdict, program} = run.start;
  const text = verdict.startsWith(program + ': ') ? verdict.slice(program.length + 2) : verdict;
  return clean(capital(text), 600);
}

/** What a saved page leaves out, folded; null if that is nothing. In the overview if there is one. */
export const leftOut = sentences => sentences?.length ? element('details', {class: 'dim left-out'},
  element('summary', {}, 'What this page leaves out'),
  sentences.map(sentence => element('p', {}, clean(sentence, 600)))) : null;

/** Shows a button when the file has changed, which the page finds out when the user comes back. */
function showWhenChanged(made) {
  made.hidden = run.start.state !== 'recording' && !run.start.changed;
  addEventListener('focus', async () => {
    try {
      if ((await answerServed('start')).changed) made.hidden = false;
    } catch { /* a server that has ended says so in the views */ }
  });
  return made;
}

/** Asks for what was recorded since. The address has the state, so a reload shows the same view of the longer run. */
function refreshButton() {
  const made = button('Refresh', async () => {
    try {
      const {changed} = await answerServed('start?fresh=1');
      if (changed) location.reload();
      else flash(made, 'Nothing new');
    } catch (error) {
      flash(made, error.message);
    }
  }, {class: 'link'});
  return made;
}

/** How long nobody may have touched the page before it moves on, and how often it does. */
const idleMs = 3000, followMs = 5000;

/**
 * Follows a program that runs: shows the page anew every few seconds, unless somebody uses it. The address has the
 * state, so the view, the filters and the selection stay.
 */
function followButton() {
  let follows = sessionStorage.getItem('follows') !== 'no', touched = 0;
  const made = button('', () => {
    follows = !follows;
    sessionStorage.setItem('follows', follows ? 'yes' : 'no');
    nameIt();
  }, {class: 'link'});
  const nameIt = () => { made.textContent = follows ? 'Stop following' : 'Follow'; };
  const isFree = () => follows && document.visibilityState === 'visible' && Date.now() - touched > idleMs &&
    !document.querySelector('dialog[open]');
  for (const kind of ['pointerdown', 'pointermove', 'wheel', 'keydown'])
    addEventListener(kind, () => { touched = Date.now(); }, {capture: true, passive: true});
  setInterval(async () => {
    if (!isFree()) return;
    try {
      if ((await answerServed('start?fresh=1')).changed && isFree()) location.reload();
    } catch {
      // The program or its recording has ended: what is shown stays.
      follows = false;
      made.textContent = 'The recording has ended';
      made.disabled = true;
    }
  }, followMs);
  nameIt();
  return made;
}

/** With several traces: which of them the views but Compare show. */
function traceMenu() {
  const {traces, trace_shown: shown} = run.start;
  if (!traces || isFile()) return null;
  const last = String(traces.length - 1);
  return menu('trace', traces.map((name, at) => [String(at), clean(name, 60)]), String(shown), value =>
    change({trace: value === last ? null : Number(value), space: null, range: null, at: null, window: null,
            device: null, zoom: [], focus: [], hide: []}));
}

export function makeHeader(showKeys) {
  const {start} = run;
  const runFact = start.facts.find(fact => fact.label === 'run');
  const theme = button('', switchTheme, {class: 'quiet'});
  const nameTheme = () => { theme.textContent = isDark() ? 'Light' : 'Dark'; };
  nameTheme();
  onTheme(nameTheme);
  const lines = [clean(start.trace, 120)];
  const again = isFile() ? null : start.live ? followButton() : showWhenChanged(refreshButton());
  if (runFact) lines.push(clean(runFact.text));
  if (start.state_text) lines.push(clean(start.state_text));
  if (isFile()) lines.push('saved page');
  return element('header', {},
    element('div', {class: 'title'},
      element('h1', {}, clean(start.program, 120)),
      element('code', {class: 'program-command', title: clean(start.command, 1000)}, clean(start.command, 300)),
      element('p', {class: 'dim run-line', title: lines.join(' · ')}, lines.join(' · ')), again,
      element('span', {class: 'push'}), traceMenu(),
      theme, button('Keys', showKeys, {class: 'quiet', 'aria-keyshortcuts': '?'})),
    viewsNow().includes('overview') ? null : leftOut(start.left_out),
    element('p', {class: start.alarm ? 'verdict alarm' : 'verdict'}, element('span', {title: verdictText()}, verdictText()), ' ',
      [...new Set(start.facts.filter(fact => fact.alarm).map(fact => fact.view))].map(evidence)));
}

export function makeTabs(handle) {
  const tabs = viewsNow().map(view =>
    element('a', {href: '#view=' + view, 'data-view': view, onclick: event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      change({view});
    }}, ViewNames[view]));
  onChange(() => {
    for (const tab of tabs) {
      const chosen = tab.dataset.view === state.view;
      if (chosen) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
  });
  return element('div', {class: 'tab-line'}, element('nav', {class: 'tabs', 'aria-label': 'Views'}, tabs), handle);
}
