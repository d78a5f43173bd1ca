// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours for drawings, read from the style sheet, so that dark and light have one source.

import {change, onChange, state} from './state.js';

const Names = ['ground', 'raised', 'ink', 'dim', 'line', 'edge', 'accent', 'wash', 'alarm', 'own', 'own2',
               'own3', 'library', 'library2', 'import', 'hatch', 'groups', 'onfill', 'faded', 'area',
               'grown', 'shrunk', 'onfill2', 'veil', 'leak', 'onleak'];
export const SeriesCount = 12;
const dark = matchMedia('(prefers-color-scheme: dark)');
export const colors = {series: []};
const themeListeners = [];

export const isDark = () => state.theme === 'dark' || (state.theme === '' && dark.matches);

function read() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  const style = getComputedStyle(document.documentElement);
  for (const name of Names) colors[name] = style.getPropertyValue('--' + name).trim();
  for (let at = 0; at < SeriesCount; ++at) colors.series[at] = style.getPropertyValue('--series' + at).trim();
  colors.greys = [0, 1, 2].map(at => style.getPropertyValue('--grey' + at).trim());
  colors.others = style.getPropertyValue('--others').trim();
  for (const listener of themeListeners) listener();
}

/** Calls the listener after each change of theme. */
export function onTheme(listener) {
  themeListeners.push(listener);
}

export function startTheme() {
  read();
  let shown = isDark();
  const look = () => {
    if (isDark() !== shown) {
      shown = isDark();
      read();
    }
  };
  dark.addEventListener('change', look);
  onChange(look);
}

export function switchTheme() {
  const wanted = isDark() ? 'light' : 'dark';
  change({theme: (wanted === 'dark') === dark.matches ? '' : wanted});
}

export const seriesColor = (index, name) =>
  name === 'others' ? colors.others : colors.series[index % SeriesCount];

/** OKLab lightness, a, b to a CSS colour. */
function oklab(lightness, a, b) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = value => {
    const clipped = Math.min(1, Math.max(0, value));
    return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
  };
  return 'rgb(' + channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) + ',' +
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) + ',' +
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s) + ')';
}

/** A scale whose equal steps look equal: from the ground's lightness to a strong blue. Share is 0 to 1. */
export function scaleColor(share) {
  const at = Math.min(1, Math.max(0, share));
  const lightness = isDark() ? 0.27 + 0.62 * at : 0.97 - 0.6 * at;
  const chroma = 0.16 * Math.sin(Math.PI * Math.min(0.75, 0.12 + 0.6 * at));
  const hue = (265 - 12 * at) * Math.PI / 180;
  return oklab(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue));
}

