// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is looked at: one object, kept in the address. Each change is an entry of the
// history, so Back is undo, and an address shows the same view to somebody else.

import {readTime, writeTime} from './format.js';

const text = {write: value => value, read: value => value};
const flag = {write: () => '1', read: value => value === '1'};
/** A choice of the reader; null: the page decides. */
const choice = {write: value => value ? '1' : '0', read: value => value === '1' ? true : value === '0' ? false : null};
const time = {write: writeTime, read: readTime};
const number = {write: String, read: value => /^\d{1,9}$/.test(value) ? Number(value) : null};
const list = {write: value => value.join('.'), read: value => value.split('.').filter(Boolean)};
const range = {
  write: value => writeTime(value[0]) + '-' + writeTime(value[1]),
  read: value => {
    const [from, to] = value.split('-').map(readTime);
    return from !== null && to > from ? [from, to] : null;
  },
};

/** Name in the address: [default, how it is written]. */
const Fields = {
  view: ['overview', text], space: [null, number], heap: [null, number], process: [null, number], range: [null, range], at: [null, time],
  window: [null, range], curve: [null, text], what: ['', text], by: ['', text],
  all: [false, flag], invert: [false, flag], imports: [null, choice], zoom: [[], list], focus: [[], list], hide: [[], list],
  search: ['', text], sort: ['own', text], device: [null, number], tint: ['line', text],
  source: ['', text],
  x: ['', text], trace: [null, number], between: [null, number], side: ['', text], theme: ['', text], folded: [null, choice],
};

export const state = {};
const stateListeners = [];
let gestureNow = null;

function readAddress(address) {
  const found = new URLSearchParams(address.replace(/^#/, ''));
  for (const [name, [initial, kind]] of Object.entries(Fields)) {
    const value = found.has(name) ? kind.read(found.get(name)) : null;
    state[name] = value ?? initial;
  }
}

function writeAddress() {
  const parts = [];
  for (const [name, [initial, kind]] of Object.entries(Fields)) {
    const value = state[name];
    if (value === null || value === initial || (Array.isArray(value) && !value.length)) continue;
    parts.push(name + '=' + encodeURIComponent(kind.write(value)).replace(/%2F/g, '/').replace(/%3A/g, ':'));
  }
  return '#' + parts.join('&');
}

function tellAll() {
  for (const listener of stateListeners) listener(state);
}

export function onChange(listener) {
  stateListeners.push(listener);
}

let gestureTimer = 0, addressTimer = 0;

/** True while a drag or a key that repeats changes the state: requests wait. */
export const inGesture = () => gestureNow !== null;

function replaceAddress() {
  clearTimeout(addressTimer);
  addressTimer = 0;
  const address = writeAddress();
  if (address !== (location.hash || '#')) history.replaceState(null, '', address);
}

/**
 * Changes the state. Changes with the same gesture (a drag, a word that is typed) share one
 * entry of the history; browsers limit how often the address may change.
 */
export function change(changes, gesture = null) {
  const follows = gesture !== null && gesture === gestureNow;
  if (!follows && addressTimer) replaceAddress();
  Object.assign(state, changes);
  if (follows) {
    addressTimer ||= setTimeout(replaceAddress, 300);
  } else {
    const address = writeAddress();
    if (address !== (location.hash || '#')) history.pushState(null, '', address);
  }
  gestureNow = gesture;
  clearTimeout(gestureTimer);
  if (gesture !== null) gestureTimer = setTimeout(endGesture, 1000);
  tellAll();
}

export function endGesture() {
  gestureNow = null;
  if (addressTimer) replaceAddress();
}

addEventListener('popstate', () => {
  gestureNow = null;
  readAddress(location.hash);
  tellAll();
});

/** Sets the view that an address without a view shows. */
export function setFirstView(view) {
  Fields.view[0] = view;
  readAddress(location.hash);
}

readAddress(location.hash);
