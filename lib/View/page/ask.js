// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the server, or the answers in the page, and shows progress and errors.

import {capital} from './format.js';
import {element} from './element.js';
import {fileAnswer, isFile, readFile} from './file.js';
import {invertAnswer} from './invert.js';
import {state} from './state.js';

/** Parameters in the order of the contract, with their defaults. */
const Order = {
  start: {}, growth: {}, operators: {}, programs: {}, compare: {what: 'peak', space: null},
  curves: {space: 0, heap: null, process: null, by: '', from: 0, to: null, columns: 600},
  profile: {listed: null, space: 0, heap: null, process: null, what: '', at: null, from: null, to: null, exact: 0, by: null, all: 0, invert: 0, nodes: 20000},
  table: {listed: null, space: 0, heap: null, process: null, what: '', at: null, from: null, to: null, exact: 0, by: null, all: 0, rows: 200, sort: 'own'},
  map: {device: null, at: null},
  layers: {space: 0}, source: {file: ''},
};
const CacheSize = 48;
const cache = new Map();
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

async function answerEmbedded(name, parameters) {
  if (parameters.invert) return invertAnswer(await answerEmbedded(name, {...parameters, invert: 0}));
  const wanted = Object.fromEntries(new URLSearchParams(requestOf(name, parameters).split('?')[1] || ''));
  const answer = await fileAnswer(name, wanted);
  if (!answer) throw new AskError('This file does not hold this answer. Run memview on the trace for every answer.');
  return answer;
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

/** An answer of the server, not kept: what is asked again may have changed. */
export async function answerServed(request, signal, onprogress) {
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
  await readFile();
  const answer = isFile() ? await answerEmbedded(name, parameters) : await answerServed(request, signal, onprogress);
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

  take(answer) {
    this.say([answer.snapped, answer.note].filter(Boolean).join(' '));
    this.use(answer);
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
      this.take(answer);
      if (answer.exact !== false || !('exact' in Order[this.name]) || isFile()) return;
      // An estimate came at once; the exact values take longer.
      const exact = await ask(this.name, {...parameters, exact: 1}, abort.signal);
      if (!abort.signal.aborted) this.take(exact);
    } catch (error) {
      clearTimeout(slow);
      if (error.name === 'AbortError') return;
      this.request = null;
      this.say(error.message, true);
      if (!(error instanceof AskError)) throw error;
    }
  }
}
