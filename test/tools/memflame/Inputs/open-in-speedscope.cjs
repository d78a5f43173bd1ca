// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// open-in-speedscope.cjs PACKAGES CHROMIUM FILE [PICTURE]
//
// Checks FILE against the JSON schema in speedscope's npm package, then opens
// speedscope's own page from PACKAGES (a node_modules folder) in headless
// Chromium, loads FILE as a user does by dropping it there, and prints what the
// page shows. PICTURE, a .png, gets a screenshot. Exits 1 with the reason when the schema
// refuses the file, the page reports an error or asks for anything beside itself.

const fs = require('fs');
const os = require('os');
const path = require('path');
const {pathToFileURL} = require('url');

const [packages, chromium, file, picture] = process.argv.slice(2);
const fromPackages = name => require(path.join(packages, name));
const release = path.join(packages, 'speedscope', 'dist', 'release');

/** Throws when the schema of the package refuses the file. */
function checkSchema(text) {
  const Ajv = fromPackages('ajv').default;
  const schema = JSON.parse(fs.readFileSync(path.join(release, 'file-format-schema.json')));
  const validate = new Ajv({strict: false, allErrors: true}).compile(schema);
  if (!validate(JSON.parse(text)))
    throw new Error('the schema refuses it: ' + JSON.stringify(validate.errors.slice(0, 5)));
  console.log('schema: accepted');
}

/** Writes what speedscope's own command writes for its page to load the file. */
function writeLoader(script, text) {
  const data = Buffer.from(text).toString('base64');
  fs.writeFileSync(script,
    `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, ${JSON.stringify(data)})`);
}

/** Shows the file in speedscope and prints the names of the profiles it offers. */
async function show(page, text, url) {
  const errors = [];
  page.on('pageerror', error => errors.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('request', request => {
    const asked = request.url();
    if (!/^(file|data|blob):/.test(asked)) errors.push('it asks for ' + asked);
  });
  await page.goto(url);
  // The list of profiles opens from the name of the one shown.
  const first = JSON.parse(text).profiles[JSON.parse(text).activeProfileIndex || 0].name;
  const title = page.getByText(first).first();
  await title.waitFor({timeout: 60000});
  console.log('title: ' + await page.title());
  await title.click();
  await page.waitForTimeout(300);
  for (const profile of JSON.parse(text).profiles) {
    if (!await page.getByText(profile.name, {exact: false}).count())
      throw new Error(`the page does not show the profile '${profile.name}'`);
    console.log('profile: ' + profile.name);
  }
  if (picture) await page.screenshot({path: picture});
  if (errors.length) throw new Error('the page reports: ' + errors.join('; '));
}

async function main() {
  const text = fs.readFileSync(file, 'utf8');
  checkSchema(text);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'memkit-chromium-'));
  const script = path.join(folder, 'profile.js');
  writeLoader(script, text);
  const profile = path.join(folder, 'profile');
  const browser = await fromPackages('playwright-core').chromium.launchPersistentContext(profile, {
    executablePath: chromium,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    const page = pathToFileURL(path.join(release, 'index.html')) + '#localProfilePath=' + script;
    await show(await browser.newPage(), text, page);
  } finally {
    await browser.close();
    fs.rmSync(folder, {recursive: true, force: true});
  }
}

main().catch(error => {
  console.error('error: ' + error.message);
  process.exit(1);
});
