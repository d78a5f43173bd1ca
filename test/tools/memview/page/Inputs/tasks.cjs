// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tasks.cjs PACKAGES CHROMIUM LEAK PEAK COMPARED
//
// Three tasks of a reader, on saved pages of recorded programs: what leaks, what holds the peak, what a
// change costs. Each is done from the page's first screen with one click at most, and ends at a line of the program.

const assert = require('assert');
const {pathToFileURL} = require('url');
const {launch, run, textOf} = require('./harness.cjs');
const [packages, chromium, leak, peak, compared] = process.argv.slice(2);

const isOnScreen = (page, locator) => locator.evaluate(one => {
  const box = one.getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight && box.width > 0;
});

/** Waits until the page says so. */
async function find(page, text, of = 'main') {
  await page.waitForFunction(([from, wanted]) => document.querySelector(from)?.innerText.includes(wanted), [of, text]);
}

/** Opens a saved page, of which the first screen says so. */
async function open(page, file, text) {
  await page.goto(pathToFileURL(file).href);
  await find(page, text);
}

const tests = {
  async 'what leaks: the verdict, and one click to its evidence'(page) {
    await open(page, leak, 'held by');
    assert.match(await textOf(page, '.verdict'), /LEAK \+[\d.]+ KiB per step: service\.py:12 remember/);
    await page.click('.verdict button');
    await find(page, 'seen.append(request["text"] + str(request["id"]))');
    assert.match(await textOf(page, 'main'), /LEAK \+[34]\d[.\d]* KiB per step, .* so far/);
    assert.match(await textOf(page, 'main'), /service\.py:23 handle/);
  },

  async 'what holds the peak: the first row, and one click to its source'(page) {
    await open(page, peak, 'held by');
    const row = page.locator('main table tbody tr').first();
    assert.match(await row.innerText(), /38\.\d %[^]*batch\.py:5 load/);
    assert(await isOnScreen(page, row));
    await row.click();
    await find(page, 'return [bytes(1000) for _ in range(20_000)]', 'dialog[open]');
    const lines = (await page.innerText('dialog[open]')).split('\n').map(line => line.trim().split(/\t+/));
    // The line that calls has the bytes of all that it calls.
    assert(lines.some(line => line.at(-2) === '17' && line.at(-1) === 'rows = load()'), JSON.stringify(lines));
  },

  async 'what a change costs: the first screen has the line'(page) {
    await open(page, compared, 'peak +20');
    const row = page.locator('main table').nth(1).locator('tbody tr').first();
    assert(await isOnScreen(page, row));
    assert.match(await row.innerText(), /\+19\.3 MiB[^]*batch\.py:14 copy[^]*return list\(map\(bytearray, rows\)\)/);
  },
};

launch(packages, chromium).then(browser => run(browser, tests, {viewport: {width: 1400, height: 900}}));
