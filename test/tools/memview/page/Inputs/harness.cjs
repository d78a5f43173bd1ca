// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests in Chromium share: the browser, servers, gestures, and a runner.

const assert = require('assert');
const {spawn} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'memview-page-'));
const servers = [];
process.on('exit', () => {
  servers.forEach(server => server.kill());
  fs.rmSync(temporary, {recursive: true, force: true});
});
process.on('SIGTERM', () => process.exit(1));

/** Starts a server that prints its address first, and returns the address. */
function serve(command, ...options) {
  const server = spawn(command, options, {stdio: ['ignore', 'pipe', 'inherit']});
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.stdout.once('data', data => resolve(String(data).trim()));
    server.once('exit', status => reject(new Error(command + ' ended with ' + status)));
  });
}

const serveFixture = (python, ...options) => serve(python, path.join(__dirname, 'fixture.py'), '--port=0', ...options);

/** A browser that finds no host but this machine: a request to elsewhere fails. Fonts are DejaVu, unhinted. */
function launch(packages, chromium, ...more) {
  return require(path.resolve(packages, 'playwright-core')).chromium.launch({
    executablePath: chromium, env: {...process.env, FONTCONFIG_FILE: path.join(__dirname, launch.fonts)},
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--font-render-hinting=none',
           '--disable-lcd-text', '--force-color-profile=srgb', ...more]});
}

launch.fonts = 'fonts.conf';

const hashOf = page => page.evaluate(() => decodeURIComponent(location.hash));
const textOf = (page, selector) => page.textContent(selector);

/** Drags within a box; from, to and y are shares of it. */
async function drag(page, box, from, to, y = 0.5) {
  await page.mouse.move(box.x + box.width * from, box.y + box.height * y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * (from + to) / 2, box.y + box.height * y, {steps: 4});
  await page.mouse.move(box.x + box.width * to, box.y + box.height * y, {steps: 4});
  await page.mouse.up();
}

/** Counts the requests of a page that are under way, for settle(). */
function watch(page) {
  const open = page.openRequests = new Set();
  page.on('request', request => open.add(request));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, request => open.delete(request));
  return page;
}

/** Waits until the page has asked nothing for some frames, and has drawn. Pages of watch() only. */
async function settle(page) {
  for (let quiet = 0; quiet < 3; quiet = page.openRequests.size ? 0 : quiet + 1)
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 20))));
}

/** Runs tests, each in a page of its own, and prints what passed. A page may complain of nothing but page.expected. */
async function run(browser, tests, contextOptions = {}) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const context = await browser.newContext({viewport: {width: 1280, height: 1000}, reducedMotion: 'reduce', ...contextOptions});
    const page = watch(await context.newPage()), complaints = [];
    context.setDefaultTimeout(5000);
    page.on('pageerror', error => complaints.push(String(error.stack)));
    page.on('console', message => { if (message.type() === 'error') complaints.push(message.text()); });
    context.on('request', request => {
      if (/^(https?|wss?):\/\/(?!127\.0\.0\.1[:/])/.test(request.url())) complaints.push('asked ' + request.url());
    });
    try {
      await test(page, context);
      assert.deepEqual(complaints.filter(text => !page.expected?.test(text)), []);
      console.log('passed:', name);
    } catch (error) {
      ++failed;
      console.log('failed:', name, '\n ', error.message, ...complaints, await hashOf(page).catch(() => ''));
    }
    await context.close();
  }
  await browser.close();
  process.exitCode = failed ? 1 : 0;
}

module.exports = {drag, hashOf, launch, run, serve, serveFixture, settle, temporary, textOf, watch};
