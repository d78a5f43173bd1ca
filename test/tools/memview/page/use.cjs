// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// use.cjs PACKAGES CHROMIUM ADDRESS
//
// Uses the page as a reader does, with pointer and keys, and fails where the page does not do what
// its keys and menus promise. The fixture serves the page at ADDRESS.

const assert = require('assert');
const path = require('path');
const [packages, chromium, address] = process.argv.slice(2);

const hashOf = page => page.evaluate(() => decodeURIComponent(location.hash));
const textOf = (page, selector) => page.textContent(selector);

async function drag(page, box, from, to, y = 0.5) {
  await page.mouse.move(box.x + box.width * from, box.y + box.height * y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * (from + to) / 2, box.y + box.height * y, {steps: 4});
  await page.mouse.move(box.x + box.width * to, box.y + box.height * y, {steps: 4});
  await page.mouse.up();
}

const tests = {
  async 'a drag selects a range, and Back undoes it'(page) {
    await page.goto(address + '#view=flame');
    const box = await page.locator('.timeline [role=slider]').boundingBox();
    await drag(page, box, 0.7, 0.9);
    assert.match(await hashOf(page), /range=[\d.]+s-[\d.]+s/);
    await page.waitForFunction(() => /Allocated from/.test(document.querySelector('main h2').textContent));
    await page.goBack();
    assert.doesNotMatch(await hashOf(page), /range/);
    await page.waitForFunction(() => /peak/.test(document.querySelector('main h2').textContent));
    await page.goForward();
    assert.match(await hashOf(page), /range/);
  },

  async 'an edge of the range moves'(page) {
    await page.goto(address + '#view=flame&range=8s-10s');
    await page.waitForTimeout(200);
    const box = await page.locator('.timeline [role=slider]').boundingBox();
    const x0 = 72, x1 = box.width - 1, at = (x0 + (x1 - x0) * 10 / 11.3) / box.width;
    await drag(page, box, at, at - 0.05);
    const [, from, to] = /range=([\d.]+)s-([\d.]+)s/.exec(await hashOf(page));
    assert.equal(from, '8');
    assert(to < 9.8 && to > 9, to);
  },

  async 'a click sets the cursor, arrows move it, Escape resets'(page) {
    await page.goto(address);
    await page.waitForTimeout(200);
    const canvas = page.locator('.timeline [role=slider]');
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + box.width * 0.5, box.y + 100);
    const first = await hashOf(page);
    assert.match(first, /at=/);
    await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(400);
    assert.notEqual(await hashOf(page), first);
    await page.keyboard.press('Shift+ArrowRight');
    assert.match(await hashOf(page), /range=/);
    await page.keyboard.press('Escape');
    assert.doesNotMatch(await hashOf(page), /at=|range=/);
    await page.keyboard.press('+');
    assert.match(await hashOf(page), /window=/);
    await page.keyboard.press('0');
    assert.doesNotMatch(await hashOf(page), /window=/);
  },

  async 'the wheel zooms around the pointer'(page) {
    await page.goto(address);
    await page.waitForTimeout(200);
    const box = await page.locator('.timeline [role=slider]').boundingBox();
    await page.mouse.move(box.x + box.width * 0.8, box.y + 100);
    await page.mouse.wheel(0, -400);
    await page.waitForTimeout(500);
    const [, from, to] = /window=([\d.]+)s-([\d.]+)s/.exec(await hashOf(page));
    assert(from > 3 && to > 9 && to <= 11.3, from + ' ' + to);
    await page.dblclick('.timeline [role=slider]', {position: {x: box.width * 0.5, y: 100}});
    assert.doesNotMatch(await hashOf(page), /window=/);
  },

  async 'a click on a box zooms, Backspace zooms out'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForTimeout(400);
    const canvas = page.locator('main canvas:not(.over)');
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + box.width * 0.6, box.y + 50);
    assert.match(await hashOf(page), /zoom=/);
    assert.match(await textOf(page, '.crumbs'), /All.*validate/);
    const zoomed = await hashOf(page);
    await page.keyboard.press('ArrowDown');
    assert.match(await textOf(page, '.detail-name'), /loss_of/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Backspace');
    assert.equal(await hashOf(page), zoomed);
    await page.reload();
    await page.waitForTimeout(400);
    assert.match(await textOf(page, '.crumbs'), /All.*validate/);
  },

  async 'search counts each byte once'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForTimeout(300);
    await page.keyboard.press('/');
    await page.keyboard.type('Block.forward');
    await page.waitForTimeout(200);
    const [, share] = /Matches hold .*, ([\d.]+) %/.exec(await textOf(page, 'main .line'));
    assert(share > 15 && share < 30, share);
    await page.keyboard.type('!');
    assert.match(await textOf(page, 'main .line'), /Nothing matches/);
  },

  async 'hide and focus filter the graph, and can be removed'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForTimeout(300);
    const box = await page.locator('main canvas:not(.over)').boundingBox();
    await page.mouse.click(box.x + box.width * 0.6, box.y + 50);
    await page.keyboard.press('x');
    assert.match(await textOf(page, '.crumbs'), /without validate/);
    await page.click('.chip');
    assert.doesNotMatch(await hashOf(page), /hide/);
    await page.goBack();
    assert.match(await hashOf(page), /hide/);
  },

  async 'all views open with keys, and nothing complains'(page) {
    await page.goto(address);
    await page.waitForTimeout(300);
    for (let key = 1; key <= 8; ++key) {
      await page.locator('body').press(String(key));
      await page.waitForTimeout(200);
    }
    assert.match(await hashOf(page), /view=processes/);
    await page.keyboard.press('?');
    assert(await page.isVisible('dialog'));
    await page.keyboard.press('Escape');
    assert(!await page.isVisible('dialog'));
  },

  async 'a picture is the view as SVG'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForTimeout(300);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('main .bar >> text=Save picture')]);
    const text = require('fs').readFileSync(await download.path(), 'utf8');
    assert.match(text, /^<svg[^]*validate[^]*<\/svg>\s*$/);
    const fine = await page.evaluate(svg => !new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('parsererror'), text);
    assert(fine);
  },

  async 'a block of the map shows its stack'(page) {
    await page.goto(address + '#view=map');
    await page.waitForTimeout(400);
    await page.locator('main canvas:not(.over)').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.match(await textOf(page, '.block-detail'), /size.*requested.*segment.*0x7f.*stack/);
  },

  async 'a cell of the layers leads to the flame graph'(page) {
    await page.goto(address + '#view=layers');
    await page.waitForTimeout(400);
    const box = await page.locator('main canvas:not(.over)').boundingBox();
    await page.mouse.click(box.x + box.width * 0.7, box.y + 60);
    assert.match(await hashOf(page), /view=flame.*at=/);
  },
};

async function main() {
  const browser = await require(path.join(packages, 'playwright-core')).chromium.launch({executablePath: chromium, args: ['--no-sandbox']});
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const page = await browser.newPage({viewport: {width: 1280, height: 1000}, reducedMotion: 'reduce'});
    const complaints = [];
    page.on('pageerror', error => complaints.push(String(error.stack)));
    page.on('console', message => { if (message.type() === 'error') complaints.push(message.text()); });
    try {
      await test(page);
      assert.deepEqual(complaints, []);
      console.log('passed:', name);
    } catch (error) {
      ++failed;
      console.log('failed:', name, '\n ', error.message, ...complaints, await hashOf(page));
    }
    await page.close();
  }
  await browser.close();
  process.exitCode = failed ? 1 : 0;
}

main();
