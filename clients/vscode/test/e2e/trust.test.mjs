// A folder that means harm, and a machine without the server: what runs, what does not, and what is offered.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, test as claim } from 'node:test';
import { Editor, end, temporary, until } from './editor.mjs';
import { writeProject } from './project.mjs';

const OUT = path.resolve(import.meta.dirname, '..', '..', 'out');
const ROOT = path.resolve(import.meta.dirname, '..', '..', '..', '..');
const PYTHON = process.env.CONNOTE_TEST_PYTHON ?? path.join(path.dirname(process.env.CONNOTE_TEST_SERVER), 'python');

let editor;
let endpoint;
const sent = [];

/** A claim; when it does not hold, a picture shows why. */
function test(name, check) {
  claim(name, async (t) => {
    try {
      await check(t);
    } catch (error) {
      await editor.shot(`failed-${name.replace(/\W+/g, '-').slice(0, 60)}`);
      throw error;
    }
  });
}

before(async () => {
  endpoint = http.createServer((request, reply) => {
    sent.push(request.url);
    reply.end('{}');
  });
  await new Promise((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  // A PATH with git, Python and node, and without any connote.
  const bin = path.join(temporary('bin'), 'bin');
  fs.mkdirSync(bin);
  for (const [name, target] of [['python3', realPython()], ['git', which('git')], ['node', process.execPath], ['sh', which('sh')]]) fs.symlinkSync(target, path.join(bin, name));
  editor = await Editor.start({ extensions: [path.join(OUT, 'connote.vsix')], trust: true, env: { PATH: `${bin}:.:relative/bin`, PYTHONPATH: '', PIP_CACHE_DIR: pipCache(), PIP_NO_COMPILE: '1' } });
});

after(async () => {
  await editor?.close();
  await end();
  endpoint?.close();
});

test('nothing of a folder without trust runs or is sent anything; the server is offered instead', async () => {
  const folder = hostile();
  await editor.open(folder);
  await until('it is not trusted', async () => (await editor.page.textContent('.part.statusbar')).includes('Restricted Mode'));
  await until('it is offered to install', async () => (await editor.notifications()).some((text) => text.includes('is not installed')));
  await editor.shot('untrusted');
  await until('the status item warns', async () => (await editor.status())?.icon.includes('circle-slash'));
  await editor.command('connote: Restart the Server');
  await editor.command('connote: Search Code by Meaning');
  await editor.input();
  await editor.type('where do we stop hammering');
  await until('the picker offers to install', async () => (await editor.rows()).some((row) => row.label === 'Install the server'));
  await editor.shot('picker-missing');
  await editor.escape();

  assert.deepEqual(ran(folder), []);
});

test('with trust, the folder’s own environment is used: the trap above was a real one', async () => {
  const folder = hostile();
  await editor.open(folder);
  await trust();
  await until('the environment was asked', () => ran(folder).some((line) => line.startsWith('venv ')));

  // Trust or not: a workspace's settings cannot name a program.
  assert.deepEqual(ran(folder).filter((line) => line.startsWith('setting')), []);
});

test('the server is installed into an environment of the extension’s own, from a wheel, and searches', async () => {
  const wheels = temporary('wheel');
  execFileSync(PYTHON, ['-m', 'hatchling', 'build', '-t', 'wheel', '-d', wheels], { cwd: ROOT, stdio: 'pipe' });
  const [wheel] = fs.readdirSync(wheels);
  editor.configure({ 'connote.installFrom': path.join(wheels, wheel) });
  const folder = hostile();
  fs.rmSync(path.join(folder, '.venv'), { recursive: true });
  await editor.open(folder);
  await trust();
  await until('it is offered', async () => (await editor.notifications()).some((text) => text.includes('is not installed')));
  await editor.page.click('.notification-list-item .monaco-button:has-text("Install")');
  await until('it says what it does', async () => (await editor.notifications()).some((text) => text.includes('Installing')));
  await editor.shot('installing');
  await until('the index is ready', async () => (await editor.status())?.icon.includes('search-fuzzy'), 900_000);
  await editor.command('connote: Search Code by Meaning');
  await editor.input();
  await editor.type('where do we stop hammering a failing server');
  await until('it is found', async () => (await editor.rows())[0]?.label === 'nextDelay');
  await editor.escape();

  // The hostile endpoint is in the folder's settings and in its connote.toml, and the folder is trusted.
  assert.deepEqual(sent, []);
  // The editor's own git follows the configuration of a folder that is trusted.
  assert.deepEqual(ran(folder).filter((line) => !line.startsWith('git ')), []);
});

test('an untrusted folder is searched by the server that the user installed, and still sends and runs nothing', async () => {
  const folder = hostile();
  await editor.open(folder);
  await until('it is not trusted', async () => (await editor.page.textContent('.part.statusbar')).includes('Restricted Mode'));
  await until('the index is ready', async () => (await editor.status())?.icon.includes('search-fuzzy'));
  await editor.command('connote: Search Code by Meaning');
  await editor.input();
  await editor.type('where do we stop hammering a failing server');
  await until('it is found', async () => (await editor.rows())[0]?.label === 'nextDelay');
  await editor.escape();

  assert.deepEqual(sent, []);
  assert.deepEqual(ran(folder), []);
});

/** What of a folder ran. */
function ran(folder) {
  return fs.existsSync(evil(folder)) ? fs.readFileSync(evil(folder), 'utf8').split('\n').filter(Boolean) : [];
}

/** The file that anything of a folder would write to. */
function evil(folder) {
  return `${path.dirname(folder)}/evil`;
}

/** A project with traps: each writes its name to a file when it runs, or asks the endpoint. */
function hostile() {
  const folder = path.join(temporary('hostile'), 'shop');
  const script = (name) => `#!/bin/sh\necho ${name} "$@" >> ${evil(folder)}\nexit 1\n`;
  const url = `http://127.0.0.1:${endpoint.address().port}/v1`;
  const settings = {
    'connote.path': path.join(folder, 'evil.sh'),
    'connote.installFrom': path.join(folder, 'evil'),
    'connote.embed.provider': 'openai',
    'connote.embed.base_url': url,
    'connote.embed.api_key': 'x',
    'connote.store.kind': 'server',
    'connote.index_dir': path.join(folder, 'index'),
    connote: { path: path.join(folder, 'evil.sh'), embed: { provider: 'openai', base_url: url } },
    'python.defaultInterpreterPath': path.join(folder, '.venv', 'bin', 'python'),
  };
  writeProject(folder, {
    '.vscode/settings.json': JSON.stringify(settings),
    'connote.toml': `embed.provider = "openai"\nembed.base_url = "${url}"\nembed.api_key = "x"\nindex_dir = "${folder}/index"\n`,
    'evil.sh': script('setting'),
    'monitor.sh': script('git'),
    '.venv/bin/connote': script('venv'),
    '.venv/bin/python': script('venv-python'),
    connote: script('cwd'),
    'relative/bin/connote': script('path'),
    'numpy.py': `open(${JSON.stringify(evil(folder))}, 'a').write('module')\n`,
    'sitecustomize.py': `open(${JSON.stringify(evil(folder))}, 'a').write('sitecustomize')\n`,
  });
  for (const name of ['evil.sh', 'monitor.sh', '.venv/bin/connote', '.venv/bin/python', 'connote', 'relative/bin/connote']) fs.chmodSync(path.join(folder, name), 0o755);
  execFileSync('git', ['init', '-q', folder]);
  fs.appendFileSync(path.join(folder, '.git', 'config'), `[core]\n\tfsmonitor = ${path.join(folder, 'monitor.sh')}\n`);
  return folder;
}

async function trust() {
  await editor.page.click('.part.banner a:has-text("Manage")', { timeout: 120_000 });
  await editor.page.click('.workspace-trust-editor .monaco-button:has-text("Trust")', { timeout: 120_000 });
  await until('it is trusted', async () => !(await editor.page.textContent('.part.statusbar')).includes('Restricted Mode'));
}

function which(name) {
  return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
}

/** Where pip keeps what it fetched for the tests' own environment, so that nothing of it is fetched again. */
function pipCache() {
  return execFileSync(PYTHON, ['-m', 'pip', 'cache', 'dir'], { encoding: 'utf8' }).trim();
}

/** The Python that the test's environment was made with. */
function realPython() {
  return execFileSync(PYTHON, ['-c', 'import sys; print(getattr(sys, "_base_executable", sys.executable))'], { encoding: 'utf8' }).trim();
}
