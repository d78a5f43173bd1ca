// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers in a page that is a file. They are packed in parts; a part is unpacked when an answer of it is asked for.

import {formatTime} from './format.js';

const KeptParts = 8;
const unpackedParts = new Map();
/** What the file holds: [{name, parameters, part, at}]; null for a page that is served. */
let held = null;
let reading = null;

/** The value of packed JSON: base64 of deflated text. */
async function unpack(packed, encoding) {
  const bytes = Uint8Array.from(atob(packed), character => character.charCodeAt(0));
  if (!encoding) return JSON.parse(new TextDecoder().decode(bytes));
  if (!window.DecompressionStream) throw new Error('This browser cannot unpack the page. Browsers of 2023 and later can.');
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(encoding))).json();
}

async function readParts() {
  const text = document.getElementById('answers')?.textContent || '{}';
  if (text === '{}') return;
  const file = JSON.parse(text), names = {};
  for (const packed of file.names)
    for (const [key, values] of Object.entries(await unpack(packed, file.encoding)))
      for (const value of values) (names[key] ||= []).push(value);
  held = file.parts.flatMap(([requests, packed]) => {
    const part = {packed, encoding: file.encoding, names};
    return requests.map((request, at) => {
      const [name, query] = request.split('?');
      return {name, parameters: Object.fromEntries(new URLSearchParams(query || '')), part, at};
    });
  });
}

/** Finds out whether the page is a file, and what the file holds. */
export const readFile = () => reading ||= readParts();

export const isFile = () => held !== null;

/** Whether the page can ask with a value of a parameter: a file holds some values only. */
export function isOffered(name, key, value) {
  return !held || held.some(entry => entry.name === name && (entry.parameters[key] ?? '') === value);
}

/** The answers of a part of the file; the last parts are kept. */
async function unpackAnswer({part, at}) {
  let answers = unpackedParts.get(part);
  if (!answers) unpackedParts.set(part, answers = unpack(part.packed, part.encoding));
  if (unpackedParts.size > KeptParts) unpackedParts.delete(unpackedParts.keys().next().value);
  const answer = (await answers)[at];
  // Flame graphs share their names.
  return answer.nodes && !answer.names ? {...answer, names: part.names} : answer;
}

/** How far an entry is from the wanted parameters; Infinity if they differ in more than time and size. */
function distance(wanted, {name, parameters}) {
  let far = 0;
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(parameters)])) {
    const a = wanted[key] ?? '', b = parameters[key] ?? '';
    if (a === b || ['nodes', 'rows', 'sort', 'columns'].includes(key)) continue;
    if (key === 'at') far += a && b ? Math.abs(a - b) : 1e18;
    else if (name === 'table' && key === 'by') far += 0.5;
    else if (name === 'curves' && (key === 'from' || key === 'to')) far += 0.5;
    else return Infinity;
  }
  return far;
}

function nearestEntry(name, wanted) {
  let best = null, least = Infinity;
  for (const entry of held) {
    const far = entry.name === name ? distance(wanted, entry) : Infinity;
    if (far < least) [best, least] = [entry, far];
  }
  return best;
}

const RunForAll = ' Run memview on the trace for every moment and every range.';

/** What the answer is instead of the wanted one, in a sentence. */
function snappedText({parameters}, wanted) {
  if ((wanted.at ?? '') === (parameters.at ?? '')) return '';
  return 'This page does not hold this moment: here is ' +
    (parameters.at ? 'the nearest, ' + formatTime(Number(parameters.at)) : 'the peak') + '.' + RunForAll;
}

/** The answer that is nearest to the wanted parameters; null if the file holds none. */
export async function fileAnswer(name, wanted) {
  const best = nearestEntry(name, wanted);
  if (best) return {...await unpackAnswer(best), snapped: snappedText(best, wanted)};
  const {from, to, ...rest} = wanted;
  const whole = (from || to) && nearestEntry(name, rest);
  return whole && {...await unpackAnswer(whole), snapped: 'This page does not hold this range: here is the whole run.' + RunForAll};
}
