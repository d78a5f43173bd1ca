// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// frames.cjs PACKAGES CHROMIUM ADDRESS
//
// For example with the address that test/tools/memview/page/Inputs/fixture.py --nodes=100000 prints.
// Measures the work of the page's main thread per frame (events, script, style, layout, paint) with
// Chromium's tracing while a range is dragged, the graph is zoomed, searched, and pointed at.

const path = require('path');
const [packages, chromium, address] = process.argv.slice(2);
const Kinds = new Set(['EventDispatch', 'FireAnimationFrame', 'TimerFire', 'UpdateLayoutTree', 'Layout', 'PrePaint', 'Paint', 'Layerize', 'Commit',
                       'XHRReadyStateChange', 'RunMicrotasks', 'FunctionCall', 'V8.GC_MC_FINALIZE', 'MinorGC', 'MajorGC', 'ParseHTML']);

/** Milliseconds of work by frame that draws: outermost events of the main thread, cut at BeginMainThreadFrame. */
function framesOf(events) {
  const main = events.filter(event => event.name === 'FireAnimationFrame')[0];
  if (!main) return [];
  const own = events.filter(event => event.tid === main.tid && event.pid === main.pid && event.ph === 'X' &&
    (Kinds.has(event.name) || event.name === 'BeginMainThreadFrame')).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const cuts = events.filter(event => event.tid === main.tid && event.pid === main.pid && event.name === 'BeginMainThreadFrame').map(event => event.ts).sort((a, b) => a - b);
  const frames = new Array(cuts.length + 1).fill(0), draws = new Set();
  let end = 0, at = 0;
  for (const event of own) {
    if (event.name === 'FireAnimationFrame') draws.add(cuts.filter(cut => cut <= event.ts).length);
    if (!event.dur || event.ts < end) continue;
    end = event.ts + event.dur;
    while (at < cuts.length && cuts[at] <= event.ts) ++at;
    // Processor time, where the trace has it: other load of the machine counts less.
    frames[at] += (event.tdur ?? event.dur) / 1000;
  }
  return frames.filter((_, frame) => draws.has(frame));
}

async function measure(browser, page, name, act) {
  await browser.startTracing(page, {categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'devtools.timeline.frame', 'disabled-by-default-devtools.timeline.frame', 'v8']});
  await act();
  const {traceEvents} = JSON.parse((await browser.stopTracing()).toString());
  const frames = framesOf(traceEvents).sort((a, b) => a - b);
  const at = share => (frames[Math.min(frames.length - 1, Math.floor(frames.length * share))] || 0).toFixed(2);
  console.log(name.padEnd(40), String(frames.length).padStart(4), 'frames: median', at(0.5), 'ms, 90 %', at(0.9), 'ms, most', at(1), 'ms');
}

async function main() {
  const browser = await require(path.join(packages, 'playwright-core')).chromium.launch({executablePath: chromium, args: ['--no-sandbox']});
  const page = await browser.newPage({viewport: {width: 1280, height: 1000}});
  await page.goto(address + '#view=flame');
  await page.waitForTimeout(3000);
  const box = await page.locator('.timeline [role=slider]').boundingBox();
  const graph = await page.locator('main canvas:not(.over)').boundingBox();
  const sweep = async (area, from, to, y) => {
    for (let at = 0; at <= 60; ++at) {
      await page.mouse.move(area.x + area.width * (from + (to - from) * at / 60), area.y + y + at % 7);
      await page.waitForTimeout(12);
    }
  };
  await measure(browser, page, 'drag a range over the timeline', async () => {
    await page.mouse.move(box.x + box.width * 0.2, box.y + 100);
    await page.mouse.down();
    await sweep(box, 0.2, 0.9, 100);
    await page.mouse.up();
  });
  await page.waitForTimeout(1500);
  await measure(browser, page, 'point along the timeline', () => sweep(box, 0.2, 0.9, 100));
  await measure(browser, page, 'zoom the timeline by wheel', async () => {
    for (let at = 0; at < 40; ++at) {
      await page.mouse.wheel(0, at < 20 ? -30 : 30);
      await page.waitForTimeout(16);
    }
  });
  await page.waitForTimeout(1500);
  await measure(browser, page, 'point along the flame graph', () => sweep(graph, 0.05, 0.95, 200));
  await measure(browser, page, 'zoom the flame graph', async () => {
    await page.mouse.click(graph.x + graph.width * 0.1, graph.y + 110);
    await page.waitForTimeout(400);
    await page.mouse.click(graph.x + graph.width * 0.3, graph.y + 190);
    await page.waitForTimeout(400);
  });
  await measure(browser, page, 'search the flame graph', async () => {
    await page.focus('main input[type=search]');
    for (const letter of 'function12') {
      await page.keyboard.type(letter);
      await page.waitForTimeout(100);
    }
  });
  await browser.close();
}

main().catch(error => { console.error(error); process.exit(1); });
