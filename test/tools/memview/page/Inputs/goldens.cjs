// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// goldens.cjs PACKAGES CHROMIUM PYTHON FOLDER [update]
//
// Compares pictures of each view, on screens of several sizes, light and dark, with those in FOLDER, or writes
// them. Pictures of FOLDER are a quarter as wide and high: a pixel is the mean of 4 by 4, so that smoothing of
// letters counts little. A picture differs if in a tile of 16 by 16 (64 by 64 on the screen) the mean difference
// of a pixel in a colour is above Tolerance. Measured: tabs that are 4 pixels further apart change a tile by 9 to
// 10, a page that is 4 pixels lower by 22 to 26, letters smoothed for an LCD by 4.4 at most. Another font or
// hinting would break lines elsewhere, so fonts.conf allows DejaVu alone, without hinting.

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {launch, serveFixture, settle, watch} = require('./harness.cjs');
const [packages, chromium, python, folder, update] = process.argv.slice(2);
const Tolerance = 6;
const Views = ['overview', 'timeline', 'flame', 'map', 'growth', 'layers', 'compare', 'processes'];
const Screens = [
  {width: 1400, height: 900, views: Views},
  {width: 800, height: 600, views: ['overview', 'flame']},
  {width: 390, height: 844, views: Views},
];
let bench = null;

/** Runs in a blank page. The quarter of a PNG: {width, height, rgb, png}, colours with 5 bits, which compress well. */
async function shrink(png) {
  const read = async text => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + text)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const whole = await read(png), width = whole.width >> 2, height = whole.height >> 2;
  const small = new ImageData(width, height);
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x)
      for (let channel = 0; channel < 4; ++channel) {
        let sum = 0;
        for (let at = 0; at < 16; ++at) sum += whole.data[4 * ((4 * y + (at >> 2)) * whole.width + 4 * x + at % 4) + channel];
        small.data[4 * (y * width + x) + channel] = Math.min(255, Math.round(sum / 16 / 8) * 8);
      }
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d').putImageData(small, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
}

/** Runs in a blank page. What differs between two small pictures, as a sentence, or ''. */
async function compare([one, other, tolerance]) {
  const read = async text => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + text)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const [a, b] = await Promise.all([read(one), read(other)]), {width, height} = a;
  if (width !== b.width || Math.abs(height - b.height) > 1)
    return width + ' by ' + height + ', now ' + b.width + ' by ' + b.height;
  const wide = Math.ceil(width / 16), tiles = new Float64Array(3 * wide * Math.ceil(height / 16));
  for (let y = 0; y < Math.min(height, b.height); ++y)
    for (let x = 0; x < width; ++x)
      for (let channel = 0; channel < 3; ++channel) {
        const at = 4 * (y * width + x) + channel;
        tiles[3 * ((y >> 4) * wide + (x >> 4)) + channel] += Math.abs(a.data[at] - b.data[at]) / 256;
      }
  const most = tiles.reduce((best, value, at) => value > tiles[best] ? at : best, 0), tile = Math.floor(most / 3);
  if (tiles[most] <= tolerance) return '';
  const differ = new Set([...tiles.keys()].filter(at => tiles[at] > tolerance).map(at => Math.floor(at / 3)));
  return differ.size + ' of ' + tiles.length / 3 + ' tiles differ, most by ' + tiles[most].toFixed(1) + ' at ' +
    tile % wide * 64 + ', ' + Math.floor(tile / wide) * 64;
}

const take = async page => bench.evaluate(shrink, (await page.screenshot({fullPage: true})).toString('base64'));

async function open(browser, address, {width, height}, theme) {
  const page = watch(await browser.newPage({viewport: {width, height}, colorScheme: theme, reducedMotion: 'reduce'}));
  await page.goto(address);
  return page;
}

async function show(page, view) {
  await page.evaluate(name => { location.hash = '#view=' + name; }, view);
  await settle(page);
}

async function main() {
  const address = await serveFixture(python);
  const browser = await launch(packages, chromium, '--hide-scrollbars');
  bench = await browser.newPage();
  let failed = 0, bytes = 0;
  for (const screen of Screens)
    for (const theme of ['light', 'dark']) {
      const page = await open(browser, address, screen, theme);
      for (const view of screen.views) {
        await show(page, view);
        const name = view + '-' + screen.width + '-' + theme + '.png', file = path.join(folder, name), picture = await take(page);
        bytes += picture.length * 0.75;
        if (update) {
          fs.writeFileSync(file, Buffer.from(picture, 'base64'));
          continue;
        }
        const difference = await bench.evaluate(compare, [fs.readFileSync(file, 'base64'), picture, Tolerance]);
        if (!difference) continue;
        ++failed;
        console.log('failed:', name + ':', difference);
      }
      await page.close();
    }
  // The comparison sees a line that moves by four pixels.
  const page = await open(browser, address, Screens[0], 'light');
  await show(page, 'overview');
  const before = await take(page);
  await page.evaluate(() => { document.querySelector('.verdict').style.marginTop = '20px'; });
  const moved = await bench.evaluate(compare, [before, await take(page), Tolerance]);
  await browser.close();
  assert.match(moved, /tiles differ|now/);
  console.log(update ? 'written: ' + Math.round(bytes / 1024) + ' KiB' : failed ? failed + ' pictures differ' : 'passed: all pictures');
  console.log('moved by 4 pixels:', moved);
  process.exit(failed ? 1 : 0);
}

if (require.main === module) main();
module.exports = {compare, shrink, Tolerance};
