// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the page: asks for the run, makes the parts, and shows the view that the state names.

import {ask} from './ask.js';
import {Compare} from './compare.js';
import {button, element} from './element.js';
import {FlameView} from './flame.js';
import {capital} from './format.js';
import {Growth} from './growth.js';
import {makeHeader, makeTabs, viewsNow} from './header.js';
import {makeKeyDialog, startKeys} from './keys.js';
import {Layers} from './layers.js';
import {DeviceMap} from './map.js';
import {clean} from './names.js';
import {Operators} from './operators.js';
import {Overview} from './overview.js';
import {Processes} from './processes.js';
import {Programs} from './programs.js';
import {run, snap} from './run.js';
import {makeSourceDialog} from './source.js';
import {change, onChange, setFirstView, state} from './state.js';
import {startTheme} from './theme.js';
import {Timeline} from './timeline.js';
import {TimelineView} from './timeline_view.js';

const Makers = {
  overview: () => new Overview(), timeline: timeline => new TimelineView(timeline), flame: () => new FlameView(),
  map: () => new DeviceMap(), growth: () => new Growth(), layers: () => new Layers(),
  operators: () => new Operators(), programs: () => new Programs(), compare: () => new Compare(), processes: () => new Processes(),
};

async function askStart(message) {
  return ask('start', {}, undefined, progress => {
    message.textContent = capital(progress.what) + ': ' + Math.floor(progress.progress * 100) + ' %';
  });
}

/** Whether the curve is a strip: outside of the views that are about it, unless the reader has decided. */
const isFolded = view => view !== 'timeline' && (state.folded ?? foldsItself(view));
const foldsItself = view => view !== 'overview';

/** The handle of the curve. */
function makeFold() {
  return button('', () => {
    const folded = !isFolded(state.view);
    change({folded: folded === foldsItself(state.view) ? null : folded});
  }, {class: 'quiet fold'});
}

function build(page) {
  const dialog = makeKeyDialog(), made = {};
  const showKeys = () => dialog.showModal();
  const hasTimeline = run.start.views.includes('timeline');
  const timeline = hasTimeline ? new Timeline() : null;
  const place = element('main', {id: 'view', tabindex: -1});
  const fold = makeFold();
  page.replaceChildren(makeHeader(showKeys), makeTabs(timeline ? fold : null), ...(timeline ? [timeline.root] : []), place, dialog, makeSourceDialog());
  const views = viewsNow();
  if (views.length && !views.includes(state.view)) state.view = views[0];
  // Another trace has other views and names: the page starts anew, with the state of its address.
  const shown = state.trace;
  onChange(() => { if (state.trace !== shown) location.reload(); });
  // A saved page has some moments: the cursor goes to the nearest of them.
  onChange(() => { if (state.at !== null) state.at = snap(state.at); });
  onChange(() => {
    const name = views.includes(state.view) ? state.view : views[0];
    if (!name) {
      place.replaceChildren(element('p', {class: 'dim'}, 'This trace has nothing to show.'));
      return;
    }
    const view = made[name] ||= Makers[name](timeline);
    if (place.firstChild !== view.root) place.replaceChildren(view.root);
    page.dataset.view = name;
    page.classList.toggle('folded', isFolded(name));
    fold.textContent = isFolded(name) ? '▾ Large curve' : '▴ Small curve';
    fold.setAttribute('aria-expanded', String(!isFolded(name)));
    fold.hidden = name === 'timeline';
    timeline?.placeMenus(isFolded(name) ? view.menuBar : null);
    view.update();
  });
  startKeys({showKeys, timeline: timeline?.input, search: () => {
    if (!views.includes('flame')) return;
    if (state.view !== 'flame' && state.view !== 'compare') change({view: 'flame'});
    place.querySelector('input[type=search]')?.focus();
  }});
  change({});
}

async function begin() {
  const page = document.getElementById('page'), message = document.getElementById('message');
  startTheme();
  try {
    run.start = await askStart(message);
    // Who names two traces wants to know what changed.
    if (run.start.traces) setFirstView('compare');
    document.title = 'memview: ' + clean(run.start.program, 120);
    build(page);
  } catch (error) {
    message.textContent = error.message;
    message.classList.add('error');
    throw error;
  }
}

begin();
