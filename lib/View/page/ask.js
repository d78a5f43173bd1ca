// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the server, or the answers in the page, and shows progress and errors.

import {capital, formatTime} from './format.js';
import {element} from './element.js';
import {invertAnswer} from './invert.js';

/** Parameters in the order of the contract, with their defaults. */
const Order = {
  start: {}, growth: {}, compare: {},
  curves: {space: 0, by: '', from: 0, to: null, columns: 600},
  profile: {listed: null, space: 0, heap: '', what: '', at: null, from: null, to: null, by: null, all: 0, invert: 0, nodes: 20000},
  table: {listed: null, space: 0, heap: '', what: '', at: null, from: null, to: null, by: null, all: 0, rows: 200, sort: 'own'},
  map: {device: null, at: null},
  layers: {space: 0},
};
const CacheSize = 48;
const cache = new Map();
/** What a file holds: by canonical request {name, parameters, part, at}; null for a page that is served. */
let embedded = null;
let embeddedRead = null;
const unpacked = new Map();

export class AskError extends Error {}

/** The request as it is sent; values that are the default are left out. */
export function requestOf(name, parameters = {}) {
  const parts = [];
  for (const [key, initial] of Object.entries(Order[name])) {
    const value = parameters[key];
    if (value === undefined || value === null || value === '' || value === initial) continue;
    parts.push(key + '=' + encodeURIComponent(value));
  }
  return name + (parts.length ? '?' + parts.join('&') : '');
}

/** The value of packed JSON: base64 of deflated text. */
async function unpack(packed, encoding) {
  const bytes = Uint8Array.from(atob(packed), character => character.charCodeAt(0));
  if (!encoding) return JSON.parse(new TextDecoder().decode(bytes));
  if (!window.DecompressionStream)
    throw new AskError('This browser cannot unpack the page. Browsers of 2023 and later can.');
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(encoding))).json();
}

async function readFile() {
  const text = document.getElementById('answers')?.textContent || '{}';
  if (text === '{}') return;
  const file = JSON.parse(text), names = {text: [], file: [], line: [], source: [], kind: []};
  for (const packed of file.names)
    for (const [key, values] of Object.entries(await unpack(packed, file.encoding)))
      for (const value of values) names[key].push(value);
  embedded = new Map();
  for (const [requests, packed] of file.parts) {
    const part = {packed, encoding: file.encoding, names};
    requests.forEach((request, at) => {
      const [name, query] = request.split('?');
      embedded.set(request, {name, parameters: Object.fromEntries(new URLSearchParams(query || '')), part, at});
    });
  }
}

const readEmbedded = () => embeddedRead ||= readFile();

export const isFile = () => embedded !== null;

/** Whether the page can ask with a value of a parameter: a file holds some values only. */
export function isOffered(name, key, value) {
  return !embedded || [...embedded.values()].some(entry => entry.name === name && (entry.parameters[key] ?? '') === value);
}

/** The answers of a part of the file; the last parts are kept. */
async function answerOf({part, at}) {
  let answers = unpacked.get(part);
  if (!answers) unpacked.set(part, answers = unpack(part.packed, part.encoding));
  if (unpacked.size > 8) unpacked.delete(unpacked.keys().next().value);
  const answer = (await answers)[at];
  // Flame graphs share their names.
  return answer.nodes && !answer.names ? {...answer, names: part.names} : answer;
}

/** How far an embedded request is from the wanted one; Infinity if they differ in more than time. */
function distance(wanted, name, entry) {
  if (entry.name !== name) return Infinity;
  let far = 0;
  for (const key of Object.keys(Order[name])) {
    const a = String(wanted[key] ?? ''), b = String(entry.parameters[key] ?? '');
    if (a === b || ['nodes', 'rows', 'sort', 'columns'].includes(key)) continue;
    if (key === 'at') far += a && b ? Math.abs(a - b) : 1e18;
    else if (name === 'table' && key === 'by') far += 0.5;
    else if (name === 'curves' && key !== 'space' && key !== 'by') far += 1;
    else return Infinity;
  }
  return far;
}

function nearestEntry(name, wanted) {
  let best = null, least = Infinity;
  for (const entry of embedded.values()) {
    const far = distance(wanted, name, entry);
    if (far < least) [best, least] = [entry, far];
  }
  return best;
}

const RunForAll = ' Run memview on the trace for every moment and every range.';

/** What the file lacks of the wanted answer, in a sentence. */
function snappedText(name, wanted, entry) {
  if (name === 'curves' || String(wanted.at ?? '') === String(entry.parameters.at ?? '')) return '';
  if (!entry.parameters.at) return 'This file does not hold this moment: this is the peak.' + RunForAll;
  return 'This file does not hold this moment: this is the nearest, ' + formatTime(Number(entry.parameters.at)) + '.' + RunForAll;
}

async function answerEmbedded(name, parameters) {
  if (parameters.invert) return invertAnswer(await answerEmbedded(name, {...parameters, invert: 0}));
  const wanted = Object.fromEntries(new URLSearchParams(requestOf(name, parameters).split('?')[1] || ''));
  const best = nearestEntry(name, wanted);
  if (best) return {...await answerOf(best), snapped: snappedText(name, wanted, best)};
  // Ranges are not embedded, but the whole run may be.
  const {from, to, ...rest} = wanted;
  const whole = (from || to) && nearestEntry(name, rest);
  if (whole) return {...await answerOf(whole), snapped: 'This file does not hold this range: this is the whole run.' + RunForAll};
  throw new AskError('This file does not hold this answer. Run memview on the trace for every answer.');
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
  await readEmbedded();
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
