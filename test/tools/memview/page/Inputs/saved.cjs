// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// saved.cjs PACKAGES CHROMIUM PAGE FLAMEPAGE HOSTILEPAGE PEAK ALLOCATED
//
// Opens pages that are files from disk, and fails where a page asks for anything or shows wrong numbers.
// PEAK, ALLOCATED: the bytes that memflame prints.

const assert = require('assert');
const path = require('path');
const {pathToFileURL} = require('url');
const [packages, chromium, saved, flame, hostile, peak, allocated] = process.argv.slice(2);
const address = file => pathToFileURL(file).href;
const textOf = (page, selector) => page.textContent(selector);
const optionsOf = (page, label) => page.locator('main label:has(span:text-is("' + label + '")) option').evaluateAll(all => all.map(one => one.value));

/** The sum of the first row, in bytes: copied from the table's data, because the screen rounds. */
function answerOf(page, request) {
  return page.evaluate(async wanted => {
    const file = JSON.parse(document.getElementById('answers').textContent);
    const [requests, packed] = file.parts.find(part => part[0].includes(wanted));
    const bytes = Uint8Array.from(atob(packed), one => one.charCodeAt(0));
    const answers = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).json();
    const {nodes, total} = answers[requests.indexOf(wanted)];
    return {total, row: nodes.total.reduce((sum, value, at) => nodes.depth[at] ? sum : sum + value, 0)};
  }, request);
}

/** As the tools write sizes. */
function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let at = 0;
  for (; bytes >= 1024 && at < 3; ++at) bytes /= 1024;
  return String(Number(bytes.toPrecision(3))) + ' ' + units[at];
}

const tests = {
  async 'the first row is the peak of memflame'(page) {
    await page.goto(address(saved) + '#view=flame');
    await page.waitForFunction(text => document.querySelector('main h2')?.textContent.includes(text), sizeText(Number(peak)));
    const {total, row} = await answerOf(page, 'profile');
    assert.equal(total, Number(peak));
    assert.equal(row, Number(peak));
  },

  async 'a moment is the nearest of the file'(page) {
    await page.goto(address(saved) + '#view=flame');
    const box = await page.locator('.timeline [role=slider]').boundingBox();
    await page.mouse.click(box.x + box.width * 0.5, box.y + 45);
    await page.waitForFunction(() => /Live at/.test(document.querySelector('main h2')?.textContent || ''));
    assert.match(await textOf(page, '.selection'), /At .*, the nearest of the \d+ moments in this file/);
    const moment = await page.evaluate(() => Number(document.querySelector('[role=slider]').getAttribute('aria-valuenow')));
    assert((await answerOf(page, 'profile?at=' + moment)).total > 0);
    await page.goto(address(saved) + '#view=flame&range=0.001s-0.002s&what=allocated');
    await page.waitForFunction(() => /does not hold this range: here is the whole run/.test(document.querySelector('main')?.textContent || ''));
  },

  async 'only what the file has is offered'(page) {
    await page.goto(address(saved) + '#view=overview');
    assert.match(await textOf(page, '.left-out'), /holds \d+ moments.*every moment/);
    await page.goto(address(saved) + '#view=flame');
    assert(!await page.isVisible('text=All frames'));
    for (const by of await optionsOf(page, 'by')) {
      if (!by) continue;
      await page.goto(address(saved) + '#view=flame&by=' + by);
      await page.waitForTimeout(200);
      assert.equal(await page.locator('main .error:visible').count(), 0, by);
    }
    for (const view of await page.locator('nav a').evaluateAll(all => all.map(one => one.dataset.view))) {
      await page.click('nav a[data-view=' + view + ']');
      await page.waitForTimeout(200);
      assert.equal(await page.locator('.error:visible').count(), 0, view);
    }
  },

  async 'a page of memflame'(page) {
    await page.goto(address(flame));
    await page.waitForFunction(text => document.querySelector('main h2')?.textContent.includes(text), sizeText(Number(peak)));
    assert.equal((await answerOf(page, 'profile?listed=0')).row, Number(peak));
    assert.equal((await answerOf(page, 'profile?listed=1')).row, Number(allocated));
    assert.equal(await page.locator('nav a').count(), 1);
    assert.equal(await page.locator('.timeline').count(), 0);
    await page.selectOption('label:has(span:text-is("Show")) select', '2');
    await page.waitForFunction(() => /oldest first/.test(document.querySelector('main h2')?.textContent || ''));
    // In a graph in order of time a name comes again: a click zooms into the box that was clicked.
    const box = await page.locator('main canvas:not(.over)').boundingBox();
    await page.mouse.click(box.x + box.width * 0.97, box.y + 8);
    const sizes = await textOf(page, '.detail-sizes');
    await page.reload();
    await page.waitForSelector('.crumbs:visible');
    assert.match(sizes, /of all/);
    assert.match(await page.evaluate(() => location.hash), /zoom=/);
  },

  async 'names are text'(page) {
    page.on('dialog', () => assert.fail('a name was run'));
    await page.goto(address(hostile) + '#view=flame');
    await page.waitForFunction(() => /<script>alert/.test(document.querySelector('main')?.textContent || ''));
    assert.equal(await page.evaluate(() => document.querySelectorAll('img, svg, body script').length), 2);
  },
};

async function main() {
  const browser = await require(path.join(packages, 'playwright-core')).chromium.launch(
    {executablePath: chromium, args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND']});
  for (const [name, test] of Object.entries(tests)) {
    const context = await browser.newContext({viewport: {width: 1280, height: 1000}, offline: true, reducedMotion: 'reduce'});
    const page = await context.newPage(), complaints = [];
    page.setDefaultTimeout(10000);
    page.on('pageerror', error => complaints.push(String(error.stack)));
    page.on('console', message => { if (message.type() === 'error') complaints.push(message.text()); });
    page.on('request', request => { if (!/^(file|data|blob):/.test(request.url())) complaints.push('asked ' + request.url()); });
    try {
      await test(page);
      assert.deepEqual(complaints, []);
      console.log('passed:', name);
    } catch (error) {
      console.log('failed:', name, '\n ', error.message, ...complaints);
      process.exitCode = 1;
    }
    await context.close();
  }
  await browser.close();
}

main();
