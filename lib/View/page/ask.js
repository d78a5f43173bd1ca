// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the server, or the answers in the page, and shows progress and errors.

import {capital, formatCount} from './format.js';
import {element} from './element.js';
import {invertAnswer} from './invert.js';
import {state} from './state.js';

/** Parameters in the order of the contract, with their defaults. */
const Order = {
  start: {}, growth: {}, compare: {what: 'peak', space: null},
  curves: {space: 0, by: '', from: 0, to: null, columns: 600},
  profile: {space: 0, heap: '', what: '', at: null, from: null, to: null, by: null, all: 0, invert: 0, nodes: 20000},
  table: {space: 0, heap: '', what: '', at: null, from: null, to: null, by: null, all: 0, rows: 200, sort: 'own'},
  map: {device: null, at: null},
  layers: {space: 0},
};
const CacheSize = 48;
const cache = new Map();
let embedded = null;
let embeddedRead = false;

export class AskError extends Error {}

/** The request as it is sent; values that are the default are left out. */
export function requestOf(name, parameters = {}) {
  const parts = [];
  // With several traces, each question but the comparison is about one of them.
  const all = name === 'compare' ? parameters : {...parameters, trace: state.trace};
  for (const [key, initial] of Object.entries({...Order[name], trace: null})) {
    const value = all[key];
    if (value === undefined || value === null || value === '' || value === initial) continue;
    parts.push(key + '=' + encodeURIComponent(value));
  }
  return name + (parts.length ? '?' + parts.join('&') : '');
}

/** The embedded answers by canonical request, or null for a page that is served. */
function readEmbedded() {
  if (embeddedRead) return embedded;
  embeddedRead = true;
  const found = document.getElementById('answers');
  const answers = found ? JSON.parse(found.textContent || '{}') : {};
  if (!Object.keys(answers).length) return null;
  embedded = new Map();
  for (const [request, answer] of Object.entries(answers)) {
    const [name, query] = request.split('?');
    const parameters = Object.fromEntries(new URLSearchParams(query || ''));
    for (const [key, initial] of Object.entries(Order[name] || {}))
      if (String(initial) === parameters[key]) delete parameters[key];
    if (parameters.what === 'peak' || parameters.what === 'live') delete parameters.what;
    embedded.set(Order[name] ? requestOf(name, parameters) : request, {name, parameters, answer});
  }
  return embedded;
}

export const isFile = () => readEmbedded() !== null;

/** How far an embedded request is from the wanted one; Infinity if they differ in more than time. */
function distance(wanted, name, entry) {
  if (entry.name !== name) return Infinity;
  let far = 0;
  for (const key of Object.keys(Order[name])) {
    const a = String(wanted[key] ?? ''), b = String(entry.parameters[key] ?? '');
    if (a === b) continue;
    if (key === 'at') far += a && b ? Math.abs(a - b) : 1e18;
    else if (key === 'rows' || key === 'nodes' || key === 'sort' || key === 'columns') continue;
    else if (name === 'curves' && key !== 'space') far += 1;
    else return Infinity;
  }
  return far;
}

function answerEmbedded(name, parameters) {
  const request = requestOf(name, parameters);
  const exact = embedded.get(request);
  if (exact) return exact.answer;
  if (parameters.invert) return invertAnswer(answerEmbedded(name, {...parameters, invert: 0}));
  if (parameters.what) {
    // Ranges are not embedded: the end of the range is the nearest that the file holds.
    const {what, from, to, ...rest} = parameters;
    return {...answerEmbedded(name, {...rest, at: to ?? null}), snapped: 'This file holds moments and no ranges: ' +
      'this is a moment near the end of the range. Run memview on the trace for every range.'};
  }
  const wanted = Object.fromEntries(new URLSearchParams(request.split('?')[1] || ''));
  let best = null, least = Infinity;
  for (const entry of embedded.values()) {
    const far = distance(wanted, name, entry);
    if (far < least) [best, least] = [entry, far];
  }
  if (!best)
    throw new AskError('This file does not hold this answer. Run memview on the trace for every answer.');
  if (name === 'curves') return best.answer;
  const moments = (embedded.get('start')?.answer.moments || []).length;
  const held = moments ? formatCount(moments) + (moments === 1 ? ' moment' : ' moments') : 'some moments';
  return {...best.answer, snapped: 'This file holds ' + held +
    ', and this is the nearest. Run memview on the trace for every moment.'};
}

/** Waits, or stops waiting when the signal aborts. */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('stale', 'AbortError'));
    });
  });
}

async function answerServed(request, signal, onprogress) {
  for (;;) {
    let reply, answer;
    try {
      reply = await fetch('api/' + request, {signal});
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new AskError('memview does not answer. Start memview again, then reload the page.');
    }
    try {
      answer = await reply.json();
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new AskError('memview sent an answer that the page cannot read (status ' + reply.status + ').');
    }
    if (reply.status === 202) {
      onprogress?.(answer);
      await pause(250, signal);
    } else if (!reply.ok) {
      throw new AskError(answer.error || 'memview refused the request (status ' + reply.status + ').');
    } else {
      return answer;
    }
  }
}

/** The answer to a request; keeps the last answers. */
export async function ask(name, parameters, signal, onprogress) {
  const request = requestOf(name, parameters);
  if (cache.has(request)) {
    const kept = cache.get(request);
    cache.delete(request);
    cache.set(request, kept);
    return kept;
  }
  const answer = readEmbedded() ? answerEmbedded(name, parameters)
                                : await answerServed(request, signal, onprogress);
  cache.set(request, answer);
  if (cache.size > CacheSize) cache.delete(cache.keys().next().value);
  return answer;
}

/** A question whose parameters change: the newest wins, and its status line says what happens. */
export class Question {
  constructor(name, use) {
    this.name = name;
    this.use = use;
    this.status = element('p', {class: 'status', role: 'status', hidden: true});
    this.request = null;
  }

  say(sentence, isError = false) {
    this.status.hidden = !sentence;
    this.status.textContent = sentence;
    this.status.classList.toggle('error', isError);
  }

  /** Asks if the request is a new one. A delay lets a drag go on without requests. */
  async ask(parameters, delay = 0) {
    const request = requestOf(this.name, parameters);
    if (request === this.request) return;
    this.request = request;
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    const slow = setTimeout(() => this.say('Asking …'), delay + 300);
    try {
      if (delay) await pause(delay, abort.signal);
      const answer = await ask(this.name, parameters, abort.signal, progress => {
        clearTimeout(slow);
        this.say(capital(progress.what) + ': ' + Math.floor(progress.progress * 100) + ' %');
      });
      if (abort.signal.aborted) return;
      clearTimeout(slow);
      this.say([answer.snapped, answer.note].filter(Boolean).join(' '));
      this.use(answer);
    } catch (error) {
      clearTimeout(slow);
      if (error.name === 'AbortError') return;
      this.request = null;
      this.say(error.message, true);
      if (!(error instanceof AskError)) throw error;
    }
  }
}
