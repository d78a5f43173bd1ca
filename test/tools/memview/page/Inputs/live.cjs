// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// live.cjs PACKAGES CHROMIUM PYTHON SERVICE
//
// Records SERVICE, and uses the page that memview serves for the recording.

const assert = require('assert');
const {execFileSync, spawn} = require('child_process');
const {launch, run, serve, textOf} = require('./harness.cjs');
const [packages, chromium, python, service] = process.argv.slice(2);

const memrec = spawn('memrec', ['-q', '--force', '-o', 'service.fb', python, service, '100000'], {stdio: 'ignore', detached: true});
process.on('exit', () => { try { process.kill(-memrec.pid, 'SIGKILL'); } catch { /* it has ended */ } });
const name = 'live:' + memrec.pid;
const pause = ms => new Promise(done => setTimeout(done, ms));

async function recorded() {
  for (let turn = 0; turn < 100; ++turn, await pause(100)) {
    try {
      if (/service\.py:\d+/.test(execFileSync('memstat', [name], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}))) return;
    } catch { /* not yet */ }
  }
  throw new Error('nothing is recorded');
}

/** The seconds that a line of the page shows as the run. */
const secondsOf = text => {
  const [, number, unit] = /([\d.]+) (ms|s),/.exec(text) || [, 0, 's'];
  return number / (unit === 's' ? 1 : 1000);
};
const shownSeconds = async page => secondsOf(await textOf(page, '.run-line'));

let address = '';
const tests = {
  async 'the page follows the program'(page) {
    await page.goto(address + '#view=flame');
    await page.waitForSelector('main h2');
    const first = await shownSeconds(page);
    for (const end = Date.now() + 20000; await shownSeconds(page) < first + 2; await page.waitForTimeout(200))
      assert(Date.now() < end, 'the page stays at ' + first + ' s');
    assert.match(await page.evaluate(() => location.hash), /view=flame/);
    // Told to stay.
    await page.click('button:has-text("Stop following")');
    const then = await shownSeconds(page);
    await page.waitForTimeout(6500);
    assert.equal(await shownSeconds(page), then);
    await page.click('button:text-is("Follow")');
  },
  async 'it stays with what is shown when the program has ended'(page) {
    page.expected = /400|500|Failed to load resource/;
    await page.goto(address);
    await page.waitForSelector('.verdict');
    const before = await textOf(page, '.verdict');
    process.kill(-memrec.pid, 'SIGKILL');
    await page.waitForSelector('button:text-is("The recording has ended")', {timeout: 20000});
    assert.equal(await textOf(page, '.verdict'), before);
    await page.click('a[data-view=flame]');
    await page.waitForSelector('main h2');
  },
};

recorded().then(async () => {
  address = await serve('memview', '--no-open', name);
  await run(await launch(packages, chromium), tests);
  process.exit();
});
