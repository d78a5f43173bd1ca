// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pictures.cjs PACKAGES CHROMIUM FOLDER [update]
//
// Takes the pictures of README.md and docs/Gallery.md: the pages that memview serves for the traces in FOLDER
// (docs/pictures). Compares them with the pictures there as goldens.cjs compares, or writes them.

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {compare, shrink, Tolerance} = require('./goldens.cjs');
const {launch, serve, settle, watch} = require('./harness.cjs');
const [packages, chromium, folder, update] = process.argv.slice(2);
const MostBytes = 200 << 10;

/** Name: traces, the address behind #, the theme, the height, and whether the curve is scrolled away. */
const Pictures = {
  leak: [['shop.fb'], 'curve=line', 'light', 760],
  timeline: [['shop.fb'], 'view=timeline&curve=line', 'dark', 740],
  flame: [['shop.fb'], 'view=flame', 'light', 420, true],
  growth: [['shop.fb'], 'view=growth', 'light', 420, true],
  compare: [['shop.fb', 'fixed.fb'], 'view=compare', 'light', 760],
};

async function take(browser, [traces, hash, theme, height, scrolls]) {
  const address = await serve('memview', '--no-open', '-q', ...traces.map(name => path.join(folder, name)));
  const page = watch(await browser.newPage({viewport: {width: 1200, height}, colorScheme: theme, reducedMotion: 'reduce'}));
  await page.goto(address + '#' + hash);
  await settle(page);
  if (scrolls) await page.locator('main').evaluate(element => element.scrollIntoView());
  await settle(page);
  const png = await page.screenshot();
  await page.close();
  return png;
}

async function main() {
  launch.fonts = 'pictures.conf';
  const browser = await launch(packages, chromium, '--hide-scrollbars');
  const bench = await browser.newPage();
  let failed = 0;
  for (const [name, what] of Object.entries(Pictures)) {
    const file = path.join(folder, name + '.png'), png = await take(browser, what);
    assert(png.length <= MostBytes, name + ': ' + png.length + ' bytes');
    if (update) {
      fs.writeFileSync(file, png);
      console.log('written:', name, Math.round(png.length / 1024) + ' KiB');
      continue;
    }
    const [before, now] = await Promise.all([fs.readFileSync(file), png].map(data => bench.evaluate(shrink, data.toString('base64'))));
    const difference = await bench.evaluate(compare, [before, now, Tolerance]);
    if (!difference) continue;
    ++failed;
    console.log('failed:', name + ':', difference);
  }
  await browser.close();
  console.log(failed ? failed + ' pictures are old' : 'passed: all pictures');
  process.exit(failed ? 1 : 0);
}

main();
