// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// page.cjs PACKAGES CHROMIUM SPEEDSCOPE KIND FILE COMMAND...
//
// Measures the way from COMMAND to the first flame graph in Chromium, which runs already. KIND memview: the
// command serves, and prints its address; FILE is what follows the address. speedscope: the command writes
// FILE for speedscope's page in SPEEDSCOPE. page: the command writes FILE, a page. Prints JSON: seconds of the
// command (to the address, or to its end) and to the picture, bytes that the tab loaded, bytes of JavaScript's
// heap and of the tab's process (its share of shared pages included, PSS).

const {spawn} = require('child_process');
const fs = require('fs');
const path = require('path');
const {pathToFileURL} = require('url');
const [packages, chromium, speedscope, kind, file, ...command] = process.argv.slice(2);

// What is on the screen when the flame graph is: run in the page.
const Ready = {
  memview: () => /[1-9].* [KMGT]?i?B$/.test(document.querySelector('main h2')?.textContent || '') &&
                 Boolean(document.querySelector('main table.data tbody tr')),
  speedscope: () => /[1-9]/.test(document.title) && Boolean(document.querySelector('canvas')) &&
                    !document.body.textContent.includes('Loading'),
  page: () => document.querySelectorAll('#chart svg g.frame, #chart svg .d3-flame-graph g').length > 1,
};

/** Runs the command; the address that a server prints, or '' after the end of another. */
function start() {
  const child = spawn(command[0], command.slice(1), {stdio: ['ignore', kind === 'memview' ? 'pipe' : 'ignore', 'inherit']});
  process.on('exit', () => child.kill());
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', data => resolve(String(data).trim()));
    child.once('exit', status => status ? reject(new Error(command.join(' ') + ': status ' + status)) : resolve(''));
  });
}

function addressOf(served) {
  if (kind === 'memview') return served + file;
  if (kind === 'page') return pathToFileURL(file).href;
  const script = file + '.js', data = fs.readFileSync(file).toString('base64');
  fs.writeFileSync(script, 'speedscope.loadFileFromBase64(' + JSON.stringify(path.basename(file)) + ', ' + JSON.stringify(data) + ')');
  return pathToFileURL(path.join(speedscope, 'index.html')).href + '#localProfilePath=' + script;
}

/** PSS of the tab's process. */
async function processBytes(browser) {
  const devtools = await browser.newBrowserCDPSession();
  const {processInfo} = await devtools.send('SystemInfo.getProcessInfo');
  const sizes = processInfo.filter(one => one.type === 'renderer').map(one => {
    const [, size] = /^Pss:\s+(\d+) kB/m.exec(fs.readFileSync('/proc/' + one.id + '/smaps_rollup', 'utf8'));
    return size * 1024;
  });
  return Math.max(...sizes);
}

async function main() {
  const browser = await require(path.join(packages, 'playwright-core')).chromium.launch({executablePath: chromium, args: ['--no-sandbox']});
  const page = await browser.newPage({viewport: {width: 1280, height: 1000}, reducedMotion: 'reduce'});
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  let loaded = 0;
  devtools.on('Network.loadingFinished', event => { loaded += event.encodedDataLength; });
  const began = performance.now();
  const address = await start();
  const commanded = performance.now();
  await page.goto(addressOf(address), {waitUntil: 'commit', timeout: 120000});
  await page.waitForFunction(Ready[kind], null, {timeout: 60000, polling: 'raf'});
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  const shown = performance.now();
  await page.waitForTimeout(1000);
  if (process.env.PICTURE) await page.screenshot({path: process.env.PICTURE});
  const {usedSize} = await devtools.send('Runtime.getHeapUsage');
  console.log(JSON.stringify({command: (commanded - began) / 1000, seconds: (shown - began) / 1000, loaded, heap: usedSize, process: await processBytes(browser)}));
  await browser.close();
  process.exit();
}

main().catch(error => {
  console.error('page.cjs: ' + error.message);
  process.exit(1);
});
