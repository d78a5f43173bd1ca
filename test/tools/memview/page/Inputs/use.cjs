// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// use.cjs PACKAGES CHROMIUM PYTHON
//
// Uses the page as a reader does, with pointer and keys, and fails where the page does not do what
// its keys and menus promise. The fixture beside this file serves the page.

const assert = require('assert');
const {execFileSync} = require('child_process');
const fs = require('fs');
const path = require('path');
const {pathToFileURL} = require('url');
const {drag, hashOf, launch, run, serveFixture, temporary, textOf} = require('./harness.cjs');
const [packages, chromium, python] = process.argv.slice(2);
const fixture = path.join(__dirname, 'fixture.py');
const serve = (...options) => serveFixture(python, ...options);
let address = '';

const views = ['overview', 'timeline', 'flame', 'map', 'growth', 'layers', 'compare', 'processes'];

const tests = {
  async 'a drag selects a range, and Back undoes it'(page) {
    await page.goto(address + '#view=flame');
    const box = await page.locator('.timeline [role=slider]').boundingBox();
    await drag(page, box, 0.7, 0.9);
    assert.match(await hashOf(page), /range=[\d.]+s-[\d.]+s/);
    await page.waitForFunction(() => /Allocated from/.test(document.querySelector('main h2')?.textContent));
    await page.goBack();
    assert.doesNotMatch(await hashOf(page), /range/);
    await page.waitForFunction(() => /peak/.test(document.querySelector('main h2')?.textContent));
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
    await page.mouse.click(box.x + box.width * 0.5, box.y + 45);
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
    await page.mouse.move(box.x + box.width * 0.8, box.y + 45);
    await page.mouse.wheel(0, -400);
    await page.waitForTimeout(500);
    const [, from, to] = /window=([\d.]+)s-([\d.]+)s/.exec(await hashOf(page));
    assert(from > 3 && to > 9 && to <= 11.3, from + ' ' + to);
    await page.dblclick('.timeline [role=slider]', {position: {x: box.width * 0.5, y: 45}});
    assert.doesNotMatch(await hashOf(page), /window=/);
  },

  async 'a click on a box zooms, Backspace zooms out'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForFunction(() => /: /.test(document.querySelector('main h2')?.textContent));
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
    await page.goto(address + '#view=flame&imports=1');
    await page.waitForTimeout(300);
    await page.keyboard.press('/');
    await page.keyboard.type('Block.forward');
    await page.waitForFunction(() => location.hash.endsWith('search=Block.forward'));
    const [, share] = /Matches hold .*, ([\d.]+) %/.exec(await textOf(page, 'main .line'));
    assert(share > 15 && share < 30, share);
    await page.keyboard.type('!');
    await page.waitForFunction(() => /Nothing matches/.test(document.querySelector('main .line').textContent));
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

  async 'outside of the overview the curve is a strip, and a handle makes it large'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForSelector('main canvas');
    const heightOf = async () => (await page.locator('.timeline [role=slider]').boundingBox()).height;
    await page.waitForFunction(() => document.querySelector('.timeline-surface').clientHeight === 90);
    assert.equal(await page.isVisible('.timeline .legend'), false);
    assert.equal(await page.getAttribute('.fold', 'aria-expanded'), 'false');
    await page.click('.fold');
    await page.waitForFunction(() => document.querySelector('.timeline-surface').clientHeight === 208);
    assert.match(await hashOf(page), /folded=0/);
    await page.click('.fold');
    assert.doesNotMatch(await hashOf(page), /folded/);
    await page.goto(address + '#view=overview');
    await page.waitForFunction(() => document.querySelector('.timeline-surface').clientHeight === 208);
    assert(await heightOf() > 200);
  },

  async 'the source of a line is a click away, and in the address'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForFunction(() => document.querySelectorAll('table.data tbody tr').length > 3);
    await page.locator('table.data td.wide .link').first().click();
    await page.waitForSelector('dialog.source[open] tr.chosen, dialog.source[open] tbody tr');
    assert.match(await textOf(page, '#source-title'), /at the peak of host/);
    assert.match(await textOf(page, 'dialog.source tbody'), /300 MiB.*line_45 = {}  # <b>/s);
    assert.match(await hashOf(page), /source=/);
    await page.reload();
    await page.waitForSelector('dialog.source[open] tbody tr');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !/source=/.test(location.hash));
    assert.equal(await page.locator('dialog.source[open]').count(), 0);
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

  async 'each of several processes of one name has its own curve'(page) {
    const rename = async (pattern, change) => page.route(pattern, async route => {
      const answer = await (await route.fetch()).json();
      change(answer);
      await route.fulfill({json: answer});
    });
    await rename('**/api/start', answer => answer.processes.name.fill('worker'));
    await rename(/by=process/, answer => {
      answer.series.forEach(one => one.name = 'worker');
      // The last two have one shape.
      answer.series[2].values.reverse();
    });
    await page.goto(address + '#view=processes');
    await page.waitForFunction(() => {
      const pictures = [...document.querySelectorAll('.process-table canvas')].map(canvas => canvas.toDataURL());
      return pictures.length === 3 && new Set(pictures).size === 3;
    });
  },

  async 'a picture is the view as SVG'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForTimeout(300);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('main .bar >> text=Save picture')]);
    const text = fs.readFileSync(await download.path(), 'utf8');
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


Object.assign(tests, {
  async 'sizes and times are written as the tools write them'() {
    const module = path.join(temporary, 'format.mjs');
    fs.copyFileSync(path.join(__dirname, '../../../../../lib/View/page/format.js'), module);
    const {formatSize, formatTime, formatShare, formatCount, formatSizeChange, readTime, writeTime} = await import(pathToFileURL(module));
    for (const [bytes, text] of [[0, '0 B'], [1023, '1023 B'], [1024, '1 KiB'], [1152, '1.12 KiB'], [359661568, '343 MiB'], [1184890, '1.13 MiB'],
                                 [1048064, '1 MiB'], [1073741824 * 1.5, '1.5 GiB'], [102348, '99.9 KiB'], [102400, '100 KiB']])
      assert.equal(formatSize(bytes), text);
    for (const [ns, text] of [[0, '0 ns'], [999499, '999 us'], [999500, '1 ms'], [9.8e9, '9.8 s'], [59.6e9, '1m 00s'], [3700e9, '1h 01m']])
      assert.equal(formatTime(ns), text);
    assert.equal(formatShare(1, 3), '33.3 %');
    assert.equal(formatCount(2039108), '2,039,108');
    assert.equal(formatSizeChange(-1024), '-1 KiB');
    assert.equal(readTime(writeTime(9876543210)), 9876543210);
  },

  async 'nothing scrolls sideways in a narrow window'(page) {
    for (const width of [320, 400]) {
      await page.setViewportSize({width, height: 800});
      for (const view of views) {
        await page.goto(address + '#view=' + view);
        await page.waitForTimeout(300);
        assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), view + ' at ' + width);
      }
    }
  },

  async 'names from the trace are text'(page) {
    const hostile = await serve('--hostile');
    page.on('dialog', () => assert.fail('a name was run'));
    for (const view of views) {
      await page.goto('about:blank');
      await page.goto(hostile + '#view=' + view);
      await page.waitForTimeout(400);
      assert.equal(await page.evaluate(() => document.querySelectorAll('img, body script').length), 2);
      assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), view);
      assert.doesNotMatch(await textOf(page, '#page'), /[\u0000-\u0008\u202e]/);
    }
  },

  async 'an empty trace gives sentences'(page) {
    const quiet = await serve('--quiet-trace');
    for (const [view, sentence] of [['overview', /Nothing was live in host/], ['flame', /Nothing was live/], ['growth', /Nothing grows/]]) {
      await page.goto(quiet + '#view=' + view);
      await page.waitForTimeout(300);
      assert.match(await textOf(page, 'main'), sentence);
    }
    assert.doesNotMatch(await textOf(page, 'nav'), /Layers|Compare|map/);
  },

  async 'a long answer shows its progress'(page) {
    await page.goto(await serve('--slow=1.5'));
    await page.waitForFunction(() => /Replaying the events: \d+ %/.test(document.body.textContent));
    await page.waitForFunction(() => /What holds the peak/.test(document.body.textContent));
  },

  async 'a long answer of the timeline shows its progress, and the timeline stays usable'(page) {
    let asked = 0;
    await page.route(/api\/curves.*by=thread/, route => ++asked < 6
      ? route.fulfill({status: 202, contentType: 'application/json', body: '{"progress": 0.42, "what": "replaying the events"}'}) : route.continue());
    await page.goto(address + '#view=flame&folded=0');
    await page.waitForSelector('.legend-row');
    await page.selectOption('.timeline .field:has(span:text-is("by")) select', 'thread');
    await page.waitForFunction(() => /Replaying the events: 42 %/.test(document.querySelector('.timeline .status').textContent));
    const box = await page.locator('.timeline [role=slider]').boundingBox();
    await drag(page, box, 0.5, 0.7);
    assert.match(await textOf(page, '.selection'), /Range/);
    await page.waitForFunction(() => /Allocated from/.test(document.querySelector('main h2')?.textContent));
    assert(asked < 6, 'the range waited for the curves');
    await page.waitForFunction(() => document.querySelector('.timeline .status').hidden);
  },

  async 'a process and a heap filter the timeline, the graph and the table'(page) {
    const asked = [];
    page.on('request', request => asked.push(request.url().replace(/.*api\//, '')));
    await page.goto(address + '#view=flame&at=9s');
    await page.waitForFunction(() => /Live at/.test(document.querySelector('main h2')?.textContent));
    const before = await textOf(page, 'main h2');
    asked.length = 0;
    await page.selectOption('.menus .field:has(span:text-is("process")) select', '2');
    await page.waitForFunction(old => document.querySelector('main h2')?.textContent !== old, before);
    assert.match(await hashOf(page), /process=2/);
    for (const name of ['curves', 'profile', 'table']) {
      for (let turn = 0; turn < 50 && !asked.some(url => url.startsWith(name + '?process=2')); ++turn) await page.waitForTimeout(50);
      assert(asked.some(url => url.startsWith(name + '?process=2')), asked.join(' '));
    }
    await page.selectOption('.menus .field:has(span:text-is("heap")) select', '3');
    assert.match(await hashOf(page), /heap=3&process=2/);
    await page.goBack();
    await page.goBack();
    assert.doesNotMatch(await hashOf(page), /process/);
    await page.waitForFunction(old => document.querySelector('main h2')?.textContent === old, before);
    await page.route('**/api/start', async route => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({json: {...answer, heaps: answer.heaps.slice(0, 1), processes: Object.fromEntries(Object.entries(answer.processes).map(([key, column]) => [key, column.slice(0, 1)]))}});
    });
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForSelector('.legend-row');
    for (const name of ['process', 'heap']) assert(!await page.isVisible('.menus .field:has(span:text-is("' + name + '"))'), name);
  },

  async 'ten thousand heaps make no long list'(page) {
    const began = Date.now();
    await page.goto(await serve('--heaps=10000') + '#view=flame&heap=7777');
    await page.waitForSelector('main table.data tbody tr');
    const menu = page.locator('.menus .field:has(span:text-is("heap")) select');
    assert.equal(await menu.locator('option').count(), 202);
    assert.equal(await menu.inputValue(), '7777');
    assert(await page.locator('.legend-row').count() < 20);
    assert(Date.now() - began < 4000, 'took ' + (Date.now() - began) + ' ms');
  },

  async 'a recording is asked again, and the view stays'(page) {
    let changed = false, asked = 0;
    await page.route('**/api/start*', async route => {
      asked += route.request().url().includes('fresh=1');
      const answer = await (await route.fetch()).json();
      await route.fulfill({json: {...answer, state: 'recording', state_text: 'still being recorded', ...(changed ? {changed, end_ns: answer.end_ns + 1e9} : {})}});
    });
    await page.goto(address + '#view=growth&range=8s-10s');
    await page.click('text=Refresh');
    await page.waitForSelector('text=Nothing new');
    await page.waitForSelector('text=Refresh');
    changed = true;
    await Promise.all([page.waitForNavigation(), page.click('text=Refresh')]);
    await page.waitForSelector('.selection:has-text("Range 8 s to 10 s")');
    assert.match(await hashOf(page), /view=growth.*range=8s-10s/);
    assert.equal(await page.getAttribute('.timeline [role=slider]', 'aria-valuemax'), '12300000000');
    assert.equal(asked, 2);
  },

  async 'two fingers and a trackpad zoom the timeline'(page) {
    await page.goto(address);
    await page.waitForSelector('.legend-row');
    const box = await page.locator('.timeline [role=slider]').boundingBox();
    const x = share => Math.round(box.x + 72 + (box.width - 73) * share), y = Math.round(box.y + 90);
    const devtools = await page.context().newCDPSession(page);
    const touch = (type, ...shares) => devtools.send('Input.dispatchTouchEvent', {type, touchPoints: shares.map((share, id) => ({x: x(share), y, id}))});
    await touch('touchStart', 0.4);
    await touch('touchStart', 0.4, 0.6);
    for (const far of [0.14, 0.18, 0.22, 0.25]) await touch('touchMove', 0.5 - far, 0.5 + far);
    await touch('touchEnd');
    await page.waitForTimeout(500);
    // 20 % of the run lie below half of the timeline: the window has 40 %, around the middle.
    const [, from, to] = /window=([\d.]+)s-([\d.]+)s/.exec(await hashOf(page));
    assert(Math.abs(from - 11.3 * 0.3) < 0.1 && Math.abs(to - 11.3 * 0.7) < 0.1, from + ' ' + to);
    assert.doesNotMatch(await hashOf(page), /range|at=/);
    await page.goBack();
    assert.doesNotMatch(await hashOf(page), /window/);
    await page.mouse.move(x(0.5), y);
    await page.keyboard.down('Control');
    for (let at = 0; at < 10; ++at) await page.mouse.wheel(0, -7);
    await page.keyboard.up('Control');
    await page.waitForTimeout(500);
    const [, left, right] = /window=([\d.]+)s-([\d.]+)s/.exec(await hashOf(page));
    assert(Math.abs((right - left) / 11.3 - Math.exp(-0.7)) < 0.02, left + ' ' + right);
  },

  async 'the map offers the colours that its blocks have'(page) {
    await page.goto(address + '#view=map&tint=category');
    await page.waitForSelector('main .legend-row');
    assert.match(await textOf(page, 'main .legend'), /activation.*gradient/);
    await page.route('**/api/map*', async route => {
      const answer = await (await route.fetch()).json();
      answer.blocks.category = answer.blocks.category.map(() => '');
      delete answer.blocks.library;
      await route.fulfill({json: answer});
    });
    await page.reload();
    await page.waitForSelector('main .legend-row');
    assert.deepEqual(await page.$$eval('main .field:has-text("Colour") option', options => options.map(option => option.value)), ['line', 'layer', 'age']);
    assert.match(await textOf(page, 'main .legend'), /train_leak/);
  },

  async 'an error is a sentence in the view that asked'(page) {
    await page.route('**/api/profile*', route => route.fulfill({status: 400, contentType: 'application/json', body: '{"error": "The trace has no such moment."}'}));
    await page.goto(address + '#view=flame');
    await page.waitForTimeout(400);
    assert.match(await textOf(page, 'main .error'), /no such moment/);
    assert.match(await textOf(page, 'main table'), /Block.forward/);
    page.expected = /400/;
  },

  async 'a saved page needs no server, and snaps to its moments'(page) {
    const file = path.join(temporary, 'page.html');
    execFileSync(python, [fixture, '-o', file]);
    const asked = [];
    page.on('request', request => asked.push(request.url()));
    await page.goto(pathToFileURL(file) + '#view=flame&at=9.5s');
    await page.waitForTimeout(500);
    assert.match(await textOf(page, '.selection'), /At 9.42 s.*nearest of the \d+ moments/);
    assert.match(await textOf(page, 'main h2'), /Live at 9.42 s/);
    await page.click('text=Invert');
    assert.match(await textOf(page, 'main h2'), /Live at 9.42 s/);
    for (const view of views) await page.click('nav a[data-view=' + view + ']');
    assert.deepEqual(asked.filter(url => !/^(file|data|blob):/.test(url)), []);
  },
});

async function main() {
  address = await serve();
  await run(await launch(packages, chromium), tests);
  process.exit();
}

main();
