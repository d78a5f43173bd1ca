// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// look.cjs PACKAGES CHROMIUM ADDRESS FOLDER [VIEWS] [WIDTHS] [THEMES] [STATE]
//
// Takes pictures of the page's views and prints what the page complains of.

const path = require('path');
const [packages, chromium, address, folder, views, widths, themes, more] = process.argv.slice(2);

async function main() {
  const browser = await require(path.join(packages, 'playwright-core')).chromium.launch({executablePath: chromium, args: ['--no-sandbox']});
  for (const width of (widths || '1280,400').split(',').map(Number))
    for (const theme of (themes || 'light,dark').split(',')) {
      const page = await browser.newPage({viewport: {width, height: width < 600 ? 800 : 900}, colorScheme: theme});
      page.on('pageerror', error => console.log('error:', error.stack));
      page.on('console', message => { if (message.type() === 'error') console.log('console:', message.text()); });
      for (const view of (views || 'overview,timeline,flame,map,growth,layers,compare,processes').split(',')) {
        await page.goto('about:blank');
        await page.goto(address + '#view=' + view + (more ? '&' + more : ''));
        await page.waitForTimeout(700);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wide > 0) console.log(view, width, 'scrolls sideways by', wide);
        await page.screenshot({path: path.join(folder, view + '-' + width + '-' + theme + '.png'), fullPage: true});
      }
      await page.close();
    }
  await browser.close();
}

main().catch(error => { console.error(error); process.exit(1); });
