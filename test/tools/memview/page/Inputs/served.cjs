// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// served.cjs PACKAGES CHROMIUM TRACE
//
// Uses the page that memview serves for TRACE (training.mas), with pointer and keys, and compares what
// the page shows with the answers of memflame and memdump.

const assert = require('assert');
const {execFileSync} = require('child_process');
const fs = require('fs');
const {drag, hashOf, launch, run, serve, settle, textOf, watch} = require('./harness.cjs');
const [packages, chromium, trace] = process.argv.slice(2);
const Units = {B: 1, KiB: 1024, MiB: 1 << 20};
const Times = {ns: 1, us: 1e3, ms: 1e6, s: 1e9};
let address = '';

const tool = (name, ...options) => execFileSync(name, [...options, trace], {encoding: 'utf8'});

/** The bytes of each line of Python, as memflame counts them: a library's frames count for their caller. */
function linesOf(...options) {
  const sums = new Map();
  for (const line of tool('memflame', '--format=collapsed', '--group-by=line', ...options).trim().split('\n')) {
    const [, stack, value] = /^(.*) (\d+)$/.exec(line);
    const place = stack.split(';').reverse().find(frame => /\.py:\d+ /.test(frame));
    if (stack.includes('cuda')) continue;
    sums.set(place, (sums.get(place) || 0) + Number(value));
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/** What the page writes for bytes, with the three digits that it shows. */
const isShownAs = (bytes, text) => {
  const [, number, unit] = /^([\d.]+) (\w+)$/.exec(text);
  return Math.abs(bytes - number * Units[unit]) <= bytes * 0.005;
};

/** The cells of the first row of the view's table. */
const firstRow = page => page.$$eval('main table.data tbody tr:first-child td', cells => cells.map(cell => cell.textContent));

/** The answer of a part of a drag may be shown before that of the whole. */
async function assertTable(page, expected, sentence) {
  await page.waitForFunction(text => document.querySelector('main h2').textContent.startsWith(text), sentence);
  for (const end = Date.now() + 5000; ; await page.waitForTimeout(50)) {
    await settle(page);
    try {
      return await checkTable(page, expected);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

async function checkTable(page, expected) {
  const [own, , , , place] = await firstRow(page);
  assert.equal(place, expected[0][0]);
  assert(isShownAs(expected[0][1], own), own + ' is not ' + expected[0][1]);
  assert.equal(await page.locator('main table.data tbody tr').count(), expected.length);
}

async function open(page, hash) {
  await page.goto(address + hash);
  await settle(page);
}

const timelineBox = page => page.locator('.timeline [role=slider]').boundingBox();
/** The share of the timeline's width at a time of the run, which has 9 s. */
const shareAt = (box, seconds) => (72 + (box.width - 73) * seconds / 9) / box.width;

/** Presses a key until a condition of the page holds; each focused element must have an outline. */
async function pressUntil(page, key, holds, argument) {
  for (let times = 0; times < 60; ++times) {
    if (await page.evaluate(holds, argument)) return;
    await page.keyboard.press(key);
    const seen = await page.evaluate(() => {
      const {activeElement: now} = document;
      if (now === document.body) return true;
      const style = getComputedStyle(now), box = now.getBoundingClientRect();
      return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 && box.width > 0 &&
              box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth) || now.outerHTML.slice(0, 200);
    });
    assert.equal(seen, true, 'the focus cannot be seen');
  }
  assert.fail(key + ' never led to ' + holds);
}

const isFocused = text => document.activeElement?.textContent === text;

const tests = {
  async 'a drag over the timeline gives the values of memflame'(page) {
    await open(page, '#view=flame');
    const box = await timelineBox(page);
    await drag(page, box, shareAt(box, 2.9), shareAt(box, 6.1));
    const [, since, until] = /range=([\d.]+s)-([\d.]+s)/.exec(await hashOf(page));
    await assertTable(page, linesOf('--metric=allocated', '--since=' + since, '--until=' + until), 'Allocated from');
    await page.selectOption('main .bar select >> nth=0', 'retained');
    await assertTable(page, linesOf('--metric=live', '--since=' + since, '--until=' + until), 'Allocated from');
    await page.goBack();
    await page.goBack();
    assert.doesNotMatch(await hashOf(page), /range/);
    await assertTable(page, linesOf('--metric=peak'), 'Peak of host');
  },

  async 'a click on the timeline gives the moment as memflame --at'(page) {
    await open(page, '#view=flame');
    const box = await timelineBox(page);
    await page.mouse.click(box.x + box.width * shareAt(box, 4.25), box.y + 45);
    const [, at] = /at=([\d.]+s)/.exec(await hashOf(page));
    await assertTable(page, linesOf('--metric=live', '--at=' + at), 'Live at');
    await page.click('text=Show command');
    const command = await textOf(page, '.command code');
    assert.equal(execFileSync('sh', ['-c', command.replace('speedscope', 'collapsed') + ' --format=collapsed'], {encoding: 'utf8'}),
                 tool('memflame', '--metric=live', '--at=' + at, '--format=collapsed'));
  },

  async 'a heap of a device is that of memflame --heap'(page) {
    await open(page, '#view=flame&space=1&at=8.55s');
    await page.selectOption('.menus .field:has(span:text-is("heap")) select', {label: 'torch.cuda:0'});
    await page.waitForFunction(() => /MiB/.test(document.querySelector('main h2').textContent));
    await settle(page);
    const lines = tool('memflame', '--format=collapsed', '--metric=live', '--at=8.55s', '--heap=torch.cuda:0').trim().split('\n');
    const bytes = lines.reduce((sum, line) => sum + Number(/ (\d+)$/.exec(line)[1]), 0);
    const [, shown] = /: ([\d.]+ \w+)$/.exec(await textOf(page, 'main h2'));
    assert(isShownAs(bytes, shown), shown + ' is not ' + bytes);
    assert.match(await textOf(page, '.legend-row.total'), /^Peak|^At 8\.5/);
    await page.goBack();
    await settle(page);
    assert.doesNotMatch(await textOf(page, 'main h2'), new RegExp(': ' + shown + '$'));
  },

  async 'search shows the share of the matches'(page) {
    await open(page, '#view=flame');
    await page.keyboard.press('/');
    await page.keyboard.type('train.py:40');
    const lines = linesOf('--metric=peak'), whole = lines.reduce((sum, line) => sum + line[1], 0);
    const log = lines.find(line => line[0] === 'train.py:40 log')[1];
    await page.waitForFunction(text => document.querySelector('main .line').textContent.includes(text), (log / whole * 100).toFixed(1) + ' %');
    await page.keyboard.press('Escape'); // out of the box: the keys are the page's again
    await page.keyboard.press('?');
    assert(await page.isVisible('dialog'));
    await page.keyboard.press('Escape');
  },

  async 'a block of the map is the block of memdump --map'(page) {
    await open(page, '#view=map');
    const [device] = JSON.parse(tool('memdump', '--map', '--format=json')).devices;
    const canvas = page.locator('main canvas:not(.over)'), box = await canvas.boundingBox();
    // Twelve rows of 22 pixels share the bytes; the second segment begins 8 pixels behind the first.
    const whole = device.segments.reduce((sum, segment) => sum + segment.bytes, 0);
    let before = 0;
    for (const segment of device.segments) {
      for (const block of segment.blocks) {
        const offset = (before + parseInt(block.address, 16) - parseInt(segment.address, 16) + block.bytes / 2) / whole * 12;
        await page.mouse.click(box.x + box.width * (offset % 1), box.y + Math.floor(offset) * 22 + 9);
        const text = await textOf(page, '.block-detail');
        const shown = /size([\d.]+ [KM]?i?B), requested ([\d.]+ [KM]?i?B).* at 0x([0-9a-f]+), offset [\d.]+ \w/.exec(text);
        assert(shown, text);
        assert(isShownAs(block.bytes, shown[1]) && isShownAs(block.requested_bytes, shown[2]), text);
        assert.equal('0x' + shown[3], segment.address);
        assert(block.layer ? text.includes(block.layer) : /train\.py:50 build/.test(text), text);
        for (const frame of block.stack) assert(text.includes(frame.function), frame.function);
      }
      before += segment.bytes;
    }
    const facts = await textOf(page, '.sizes');
    assert(facts.includes('in ' + device.holes + ' holes'), facts);
  },

  async 'a saved picture is a whole SVG'(page) {
    for (const view of ['flame', 'map', 'timeline']) {
      await open(page, '#view=' + view);
      const bar = view === 'timeline' ? '.timeline' : 'main';
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(bar + ' .bar >> text=Save picture')]);
      assert.match(download.suggestedFilename(), /^train\.py-\w+\.svg$/);
      const svg = fs.readFileSync(await download.path(), 'utf8');
      const found = await page.evaluate(text => {
        const made = new DOMParser().parseFromString(text, 'image/svg+xml');
        return {errors: made.querySelectorAll('parsererror').length, boxes: made.querySelectorAll('rect').length,
                scripts: made.querySelectorAll('script, image, foreignObject, [href]').length, texts: made.documentElement.textContent};
      }, svg);
      assert.deepEqual([found.errors, found.scripts], [0, 0]);
      assert(found.boxes > 2, view);
      assert.match(found.texts, {flame: /train\.py:10|load/, map: /largest hole/, timeline: /peak 14\.5 MiB/}[view]);
    }
  },

  async 'the keyboard is enough'(page) {
    await open(page, '');
    await pressUntil(page, 'Tab', isFocused, 'Flame graph');
    await page.keyboard.press('Enter');
    assert.match(await hashOf(page), /view=flame/);
    await settle(page);
    // The cursor moves on the timeline, and Escape returns to the whole run.
    await pressUntil(page, 'Tab', () => document.activeElement?.getAttribute('role') === 'slider');
    await page.keyboard.press('ArrowRight');
    assert.match(await hashOf(page), /at=/);
    await page.keyboard.press('Shift+ArrowRight');
    await settle(page);
    assert.match(await textOf(page, '.selection'), /Range/);
    await page.keyboard.press('Escape');
    assert.doesNotMatch(await hashOf(page), /at=|range=/);
    await settle(page);
    // The graph is walked and zoomed, and Backspace zooms out.
    await pressUntil(page, 'Tab', () => document.activeElement?.tagName === 'CANVAS' && Boolean(document.activeElement.closest('main')));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match(await textOf(page, '.detail-name'), /load/);
    await page.keyboard.press('Enter');
    assert.match(await hashOf(page), /zoom=/);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    assert.doesNotMatch(await hashOf(page), /zoom=/);
    // The table sorts with Enter, and a place becomes the search.
    await pressUntil(page, 'Tab', () => /^with callees/.test(document.activeElement?.textContent));
    await page.keyboard.press('Enter');
    await settle(page);
    assert.match(await textOf(page, '[aria-sort]'), /with callees ↓/);
    assert(await page.evaluate(() => /^with callees/.test(document.activeElement.textContent)), 'sorting loses the focus');
    await pressUntil(page, 'Tab', isFocused, 'train.py:10 load');
    await page.keyboard.press('Enter');
    assert.match(await hashOf(page), /search=train.py:10 load/);
    // Keys of the page reach the other views, and a dialog gives the focus back.
    await page.locator('body').press('4');
    assert.match(await hashOf(page), /view=map/);
    await settle(page);
    await pressUntil(page, 'Tab', () => document.activeElement?.tagName === 'CANVAS' && Boolean(document.activeElement.closest('main')));
    await page.keyboard.press('ArrowRight');
    assert.match(await textOf(page, '.block-detail'), /train\.py:50 build/);
    await page.keyboard.press('?');
    assert(await page.isVisible('dialog'));
    await page.keyboard.press('Escape');
    assert(!await page.isVisible('dialog'));
    assert(await page.evaluate(() => document.activeElement.tagName === 'CANVAS'), 'the dialog keeps the focus');
  },

  async 'at 400 % nothing is clipped and nothing scrolls sideways'(page) {
    await page.setViewportSize({width: 320, height: 256});
    for (const view of ['overview', 'timeline', 'flame', 'map', 'growth', 'processes']) {
      await open(page, '#view=' + view);
      assert.deepEqual(await page.evaluate(() => {
        const wide = document.documentElement.scrollWidth > innerWidth ? ['the page'] : [];
        // What a box that scrolls holds may be wider; a text that ends in an ellipsis has its whole in a title or below.
        for (const node of document.querySelectorAll('#page *')) {
          if (node.closest('.scroll, .scroller, .surface, .unseen, dialog') || !node.getClientRects().length) continue;
          const box = node.getBoundingClientRect();
          if (box.right > innerWidth + 1 || box.left < -1) wide.push(node.outerHTML.slice(0, 120));
          const {overflowX, textOverflow} = getComputedStyle(node);
          if (overflowX === 'hidden' && textOverflow !== 'ellipsis' && node.scrollWidth > node.clientWidth + 1) wide.push('clipped: ' + node.outerHTML.slice(0, 120));
        }
        return wide;
      }), [], view);
    }
  },

  async 'a permanent address opens the same view and range in another tab'(page, context) {
    await open(page, '#view=flame');
    const box = await timelineBox(page);
    await drag(page, box, shareAt(box, 4), shareAt(box, 7));
    await page.click('main >> text=Invert');
    await page.fill('main input[type=search]', 'log');
    await page.waitForTimeout(400);
    await settle(page);
    const other = watch(await context.newPage());
    await other.goto(page.url());
    await settle(other);
    const look = async of => [await textOf(of, '.selection'), await textOf(of, 'main h2'), await textOf(of, 'main .line'),
                              await of.isChecked('main .check >> nth=1 >> input'), await firstRow(of)];
    assert.deepEqual(await look(other), await look(page));
    assert.match((await look(other))[0], /Range/);
  },

  async 'a table is copied as Markdown'(page, context) {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, '#view=flame');
    await page.click('text=Copy as Markdown');
    await page.waitForSelector('text=Copied');
    const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n');
    assert.equal(lines[0], '| own | share | with callees | blocks | place | source |');
    assert.equal(lines[1], '| --: | --: | --: | --: | :-- | :-- |');
    assert.match(lines[2], /^\| 8 MiB \| 55\.1 % \| 8 MiB \| 1 \| train\.py:10 load \|/);
    assert.equal(lines.length, 2 + linesOf('--metric=peak').length);
  },

  async 'no request leaves this machine'(page, context) {
    const hosts = new Set();
    context.on('request', request => hosts.add(new URL(request.url()).host));
    for (const view of ['overview', 'timeline', 'flame', 'map', 'growth', 'processes']) await open(page, '#view=' + view);
    assert.deepEqual([...hosts], [new URL(address).host]);
    // The rule of the browser works: another host is not found, and the page may not ask it.
    const other = await context.newPage();
    await assert.rejects(other.goto('http://example.com/'), /ERR_NAME_NOT_RESOLVED/);
    assert.equal(await page.evaluate(() => fetch('http://example.com/').then(() => 'answered', () => 'refused')), 'refused');
    page.expected = /example\.com/;
  },
};

async function main() {
  address = await serve('memview', '--no-open', trace);
  await run(await launch(packages, chromium), tests);
  process.exit();
}

main();
