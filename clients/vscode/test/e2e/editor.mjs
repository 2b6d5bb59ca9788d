// The real VS Code as a server, a real browser in front of it, and what a person does in it.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';

const TOOLS = process.env.CONNOTE_TEST_TOOLS;
const { chromium } = createRequire(path.join(TOOLS, 'tools', 'package.json'))('playwright-core');
const CODE_SERVER = path.join(TOOLS, 'tools', 'node_modules', 'code-server', 'out', 'node', 'entry.js');
const PATIENCE = Number(process.env.CONNOTE_TEST_PATIENCE ?? 120_000);

export const SHOTS = path.resolve(import.meta.dirname, '..', 'screenshots');
fs.mkdirSync(SHOTS, { recursive: true });

let browser;

/** Waits for a condition without an event of its own; returns its value, or fails with what it was. */
export async function until(what, condition, patience = PATIENCE) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A folder that is gone after the tests. */
export function temporary(name) {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), `connote-${name}-`));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One code-server with folders of its own, with the extensions installed, and its one page. */
export class Editor {
  static async start({ extensions, settings = {}, env = {}, trust = false }) {
    const editor = new Editor();
    const home = (editor.home = temporary('home'));
    editor.out = path.join(home, 'out');
    editor.machine = path.join(home, 'data', 'Machine', 'settings.json');
    for (const folder of [editor.out, path.dirname(editor.machine), path.join(home, 'data', 'User')]) fs.mkdirSync(folder, { recursive: true });
    editor.configure(settings);
    editor.user = path.join(home, 'data', 'User', 'settings.json');
    fs.writeFileSync(editor.user, JSON.stringify({
      'workbench.startupEditor': 'none', 'workbench.tips.enabled': false, 'telemetry.telemetryLevel': 'off', 'editor.minimap.enabled': false,
      'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden', 'extensions.ignoreRecommendations': true,
      'git.openRepositoryInParentFolders': 'never', 'window.commandCenter': false, 'workbench.editor.useModal': 'off', 'workbench.colorTheme': 'Default Dark Modern',
      // Nothing is pictured, or clicked, while it moves.
      'workbench.reduceMotion': 'on', 'terminal.integrated.cursorBlinking': false, 'terminal.integrated.gpuAcceleration': 'off', 'terminal.integrated.fontSize': 14,
      'terminal.integrated.shellIntegration.enabled': false, 'terminal.integrated.minimumContrastRatio': 1,
    }));
    const own = editor.environment = { ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, 'config'), XDG_CACHE_HOME: path.join(home, 'cache'),
      XDG_DATA_HOME: path.join(home, 'share'), CONNOTE_INDEX_DIR: path.join(home, 'indexes'), CONNOTE_TEST_OUT: editor.out, ...env };
    const folders = ['--user-data-dir', path.join(home, 'data'), '--extensions-dir', path.join(home, 'extensions')];
    for (const extension of extensions) await finished(spawn(process.execPath, [CODE_SERVER, ...folders, '--install-extension', extension], { env: own }));
    editor.port = await freePort();
    editor.log = fs.openSync(path.join(SHOTS, `code-server-${editor.port}.log`), 'w');
    editor.process = spawn(process.execPath, [CODE_SERVER, '--bind-addr', `127.0.0.1:${editor.port}`, '--auth', 'none', '--disable-telemetry',
      '--disable-update-check', ...(trust ? [] : ['--disable-workspace-trust']), ...folders], { env: own, stdio: ['ignore', editor.log, editor.log] });
    await until('code-server answers', () => fetch(`http://127.0.0.1:${editor.port}/healthz`).then((reply) => reply.ok, () => false));
    browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: ['--disable-gpu', '--no-sandbox'] });
    return editor;
  }

  /** Writes the machine's settings, those that no workspace can give. */
  configure(settings) {
    fs.writeFileSync(this.machine, JSON.stringify(settings));
  }

  /** Changes a setting of the user. */
  set(name, value) {
    fs.writeFileSync(this.user, JSON.stringify({ ...JSON.parse(fs.readFileSync(this.user, 'utf8')), [name]: value }));
  }

  /** Opens a folder, or an empty window, in a new page. */
  async open(folder) {
    await this.page?.context().close();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    this.page = await context.newPage();
    await this.page.goto(`http://127.0.0.1:${this.port}/?${folder ? `folder=${folder}` : 'ew=true'}`);
    await this.page.waitForSelector('.monaco-workbench .part.statusbar', { timeout: PATIENCE });
    return this.page;
  }

  async close() {
    await this.page?.context().close();
    this.process.kill();
    await until('code-server ends', () => this.process.exitCode !== null || this.process.signalCode !== null);
    fs.closeSync(this.log);
    // The hosts of its indexes would outlive their folders.
    spawnSync(process.env.CONNOTE_TEST_SERVER, ['stop', '--all'], { env: { ...this.environment, PATH: process.env.PATH, PYTHONPATH: process.env.PYTHONPATH ?? '' } });
  }

  /** Keeps a picture of the page, to be looked at. */
  shot(name) {
    return this.page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  }

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  async type(text, delay = 15) {
    await this.page.keyboard.type(text, { delay });
  }

  /** Runs a command of the palette, by its title. */
  async command(title) {
    await until(`the palette has ${title}`, async () => {
      await this.escape();
      await this.press('F1');
      await this.input();
      await this.type(title, 2);
      // A list that was opened before an extension was read does not get its commands.
      return this.page.waitForFunction(
        (wanted) => document.querySelector('.quick-input-list .monaco-list-row.focused')?.getAttribute('aria-label')?.includes(wanted),
        title, { timeout: 3000 },
      ).catch(() => false);
    });
    await this.press('Enter');
  }

  /** Waits for the box of a picker, and until what is typed goes there. */
  async input() {
    await this.page.waitForSelector('.quick-input-widget:not([style*="display: none"]) input', { timeout: PATIENCE });
    await this.page.waitForFunction(() => document.activeElement?.closest('.quick-input-widget'), undefined, { timeout: PATIENCE });
  }

  /** Closes a picker, if one is open. */
  async escape() {
    await until('the picker is closed', async () => {
      if (!(await this.page.$('.quick-input-widget:not([style*="display: none"])'))) return true;
      await this.press('Escape');
      return false;
    });
  }

  /** Opens a file by its name. */
  async openFile(name) {
    await this.press('Control+p');
    await this.input();
    await this.type(name, 2);
    await this.page.waitForFunction(
      (wanted) => document.querySelector('.quick-input-list .monaco-list-row.focused')?.getAttribute('aria-label')?.includes(wanted),
      path.basename(name), { timeout: PATIENCE },
    );
    await this.press('Enter');
    await until(`${name} is open`, async () => (await this.activeTab()) === path.basename(name));
    // A list that closes gives the focus back to where it was, which was perhaps not the editor; then the file takes it.
    await this.page.waitForSelector('.quick-input-widget', { state: 'hidden', timeout: PATIENCE });
    await this.page.waitForFunction(() => document.activeElement?.closest('.editor-group-container.active .monaco-editor'), undefined, { timeout: PATIENCE });
  }

  /** What the rows of a picker say: label, description, detail. */
  rows() {
    return this.page.$$eval('.quick-input-widget:not([style*="display: none"]) .quick-input-list .monaco-list-row', (rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute('data-index')) - Number(b.getAttribute('data-index')))
        .map((row) => ({
          label: row.querySelector('.quick-input-list-row .monaco-icon-label .label-name')?.textContent?.trim() ?? '',
          description: row.querySelector('.label-description')?.textContent ?? '',
          // Rows are used again: what they do not show now may still be in them.
          detail: [...row.querySelectorAll('.quick-input-list-label-meta')].find((one) => one.offsetParent)?.textContent ?? '',
        })),
    );
  }

  async pickerTitle() {
    return (await this.page.textContent('.quick-input-widget .quick-input-title')) ?? '';
  }

  /** What the rows of the view with results say. */
  tree() {
    return this.page.$$eval('.sidebar [id="workbench.view.extension.connote"] .monaco-list-row', (rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
  }

  async status() {
    const item = await this.page.$('.statusbar-item[id$="connote.status"]');
    if (!item) return undefined;
    return { text: (await item.textContent())?.trim() ?? '', icon: await item.$eval('.codicon', (one) => one.className).catch(() => ''), label: (await item.getAttribute('aria-label')) ?? '' };
  }

  /** Waits until the whole index is there. */
  ready() {
    return until('the index is ready', async () => (await this.status())?.icon.includes('search-fuzzy'));
  }

  async activeTab() {
    return this.page.$eval('.editor-group-container.active .tab.active', (tab) => tab.getAttribute('data-resource-name')).catch(() => undefined);
  }

  tabs() {
    return this.page.$$eval('.tab', (tabs) => tabs.map((tab) => tab.getAttribute('data-resource-name')));
  }

  /** Line and column of the cursor, as the status bar says them. */
  async cursor() {
    const text = await this.page.$$eval('.statusbar-item', (items) => items.map((item) => item.textContent).find((text) => /^\s*Ln \d/.test(text ?? '')));
    const [, line, column] = /Ln (\d+), Col (\d+)/.exec(text ?? '') ?? [];
    return line ? { line: Number(line), column: Number(column) } : undefined;
  }

  notifications() {
    return this.page.$$eval('.notification-list-item-message', (items) => items.map((item) => item.textContent ?? ''));
  }

  /** What the proxy wrote down. */
  said() {
    const file = path.join(this.out, 'proxy.log');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }
}

export async function end() {
  await browser?.close();
}

function finished(child) {
  return new Promise((resolve, reject) => child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${child.spawnargs.join(' ')}: ${code}`)))));
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
