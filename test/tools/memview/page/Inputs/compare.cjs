// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compare.cjs PACKAGES CHROMIUM BEFORE AFTER
//
// Opens memview on two traces and looks at Compare as a reader does.

const assert = require('assert');
const {execFileSync, spawn} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {pathToFileURL} = require('url');
const [packages, chromium, before, after] = process.argv.slice(2);

const said = (...options) => execFileSync('memdiff', [...options, before, after], {encoding: 'utf8'});

async function main() {
  const server = spawn('memview', ['--no-open', before, after], {stdio: ['ignore', 'pipe', 'inherit']});
  process.on('exit', () => server.kill());
  const address = await new Promise(resolve => server.stdout.once('data', data => resolve(String(data).trim())));
  const browser = await require(path.join(packages, 'playwright-core')).chromium.launch({executablePath: chromium, args: ['--no-sandbox']});
  const page = await browser.newPage({viewport: {width: 1280, height: 1000}, reducedMotion: 'reduce'});
  page.setDefaultTimeout(10000);
  const complaints = [];
  page.on('pageerror', error => complaints.push(String(error.stack)));
  page.on('console', message => { if (message.type() === 'error') complaints.push(message.text()); });
  const compared = () => page.waitForFunction(() => /Differential/.test(document.querySelector('main')?.innerText ?? ''));

  await page.goto(address);
  await page.click('nav a[data-view=compare]');
  await compared();
  const shown = await page.innerText('main');
  const lines = said().split('\n');
  assert(shown.includes(lines[0]), shown);
  const found = JSON.parse(said('--format=json')).places[0];
  const row = await page.locator('main table').nth(1).locator('tbody tr').first().innerText();
  assert(row.includes(found.text) && row.includes(found.source) && row.includes('+391 KiB'), row);
  assert(lines.some(line => line.includes('+391 KiB') && line.includes(found.text)), lines.join('\n'));
  console.log('passed: the verdict and the first finding are memdiff\'s');

  await page.selectOption('main .bar select', 'live');
  await page.waitForFunction(() => /live at the end/.test((document.querySelector('main')?.innerText ?? '').split('\n').find(line => /^Changes by/.test(line)) || ''));
  assert.match(page.url(), /side=live/);
  await page.click('text=Show command');
  assert.equal((await page.innerText('.command code')).trim(), 'memdiff --metric=live ' + before + ' ' + after);
  assert((await page.innerText('main')).includes(said('--metric=live').split('\n')[0]));
  console.log('passed: live at the end has a command of its own');

  await page.goto(address + '#view=overview');
  await page.reload();
  const verdict = await page.innerText('.verdict');
  await page.selectOption('header select', '0');
  await page.waitForFunction(old => document.querySelector('.verdict')?.innerText !== old && document.querySelector('.verdict'), verdict);
  assert.match(page.url(), /trace=0/);
  assert.match(await page.innerText('.run-line'), /before\.fb/);
  await page.goBack();
  await page.waitForFunction(old => document.querySelector('.verdict')?.innerText === old, verdict);
  console.log('passed: the header chooses the trace, and Back undoes it');

  for (const width of [320, 400]) {
    await page.setViewportSize({width, height: 800});
    await page.goto(address + '#view=compare');
    await compared();
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), String(width));
  }
  console.log('passed: nothing scrolls sideways');

  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'memview-compare-')), 'page.html');
  execFileSync('memview', ['-o', file, before, after]);
  await page.goto(pathToFileURL(file) + '#view=compare&side=live');
  await compared();
  assert((await page.innerText('main')).includes(said('--metric=live').split('\n')[0]));
  fs.rmSync(path.dirname(file), {recursive: true});
  console.log('passed: a saved page compares without a server');
  assert.deepEqual(complaints, []);
  await browser.close();
  server.kill();
}

main().catch(error => {
  console.log('failed:', error.stack);
  process.exit(1);
});
