// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// questions.cjs PACKAGES CHROMIUM TRAINING CHURN RUNNING BEFORE AFTER RESIDENT JAX
//
// The questions with which people come, each answered by one look at the page or by two clicks. A click is a
// click, or a choice in a menu.

const assert = require('assert');
const {launch, run, serve, settle} = require('./harness.cjs');
const [packages, chromium, training, churn, running, before, after, resident, jax] = process.argv.slice(2);
const address = {};

const tab = name => page => page.click('nav >> text=' + name);
const choose = (label, value) => page => page.locator('select[aria-label="' + label + '"], label:has-text("' + label + '") select').first().selectOption(value);
const clickTimeline = share => async page => {
  const box = await page.locator('.timeline [role=slider]').boundingBox();
  await page.mouse.click(box.x + 72 + (box.width - 73) * share, box.y + box.height / 2);
};

/** Opens a page, makes the clicks, and waits until the text that is shown has all answers. */
function question(trace, clicks, ...answers) {
  return async page => {
    assert(clicks.length <= 2);
    await page.goto(address[trace]);
    await settle(page);
    for (const click of clicks) {
      await click(page);
      await settle(page);
    }
    for (const answer of answers)
      await page.waitForFunction(text => new RegExp(text).test(document.body.innerText), answer.source).catch(async () => {
        throw new Error(answer + ' is not in:\n' + await page.evaluate(() => document.body.innerText));
      });
  };
}

const tests = {
  'how high is the peak, when, and which line holds it':
    question('training', [], /Host peak 14\.5 MiB at 8\.3 s, step 7/, /8 MiB\s+55\.1 %\s+train\.py:10 load/),
  'which layer of a model holds most':
    question('training', [tab('Layers')], /hold in cuda:0 at the peak/, /MiB\s+\d+\s+[\d.]+ \w+\s+[\d.]+ \w+\s+encoder\.1/),
  'what leaks in a training':
    question('training', [page => page.click('text=Show growth')], /train\.py:40 log/, /\+512 KiB per step/),
  'what changed between two versions':
    question('compared', [], /peak \+391 KiB \(\+36\.4 %\)/, /\+391 KiB\s+244 KiB\s+635 KiB\s+net\.py:60 Net\.forward/),
  'why is resident memory above the heap':
    question('churn', [], /64 MiB at most[^\n]*live 1 MiB; code, files and shared memory 48 MiB; freed memory that allocators keep/),
  'what does resident memory consist of at its highest':
    question('resident', [choose('by', 'resident')], /Peak, 1 ms\s+129 MiB/, /free memory in malloc\s+105 MiB/, /live blocks of malloc\s+9\.54 MiB/),
  'what does resident memory consist of at a moment':
    question('resident', [choose('by', 'resident'), clickTimeline(0.5)], /At 4\.\d+ ms\s+119 MiB/, /free memory in malloc\s+95\.4 MiB/),
  'what allocates and frees all the time':
    question('churn', [tab('Flame graph'), choose('Show', 'temporary')], /Temporary allocations/, /\b3\s+100\.0 %\s+3\s+serve\.py:20 lookup/),
  'which arrays of JAX live at a mark':
    question('jax', [tab('Programs'), choose('mark', '1')], /2\.93 KiB[^\n]*7\.81 KiB\s+2,000,000\s+jit_step/, /1\.95 KiB\s+1\s+int8\[2000\]/),
  'memory over time': question('training', [tab('Timeline')], /total\s+14\.5 MiB\s+8\.3 s, step 7\s+11\.5 MiB/),
  'a flame graph of another time':
    question('training', [clickTimeline(0.5), tab('Flame graph')], /Live at 4\.5\d* s, step 3/, /train\.py:10 load/),
  'does a change cost more than 5 %': question('compared', [], /\+36\.4 %/),
  'what does a running service hold now':
    question('running', [], /not complete: this is the run up to 9 s/, /11\.5 MiB/),
};

async function main() {
  address.training = await serve('memview', '--no-open', training);
  address.churn = await serve('memview', '--no-open', churn);
  address.resident = await serve('memview', '--no-open', resident);
  address.jax = await serve('memview', '--no-open', jax);
  address.running = await serve('memview', '--no-open', running);
  address.compared = await serve('memview', '--no-open', before, after);
  await run(await launch(packages, chromium), tests);
  process.exit();
}

main();
