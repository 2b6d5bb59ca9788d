// Runs in the real extension host, beside the extension: what only its API can show. Writes suite.json, once.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const CLAIMS = {
  async 'the API searches, with filters in the query'() {
    const { exports } = vscode.extensions.getExtension('connote.connote');

    assert.equal(exports.version, 1);
    const { hits } = await exports.search('where do we stop hammering a failing server');
    assert.equal(hits[0].path, 'src/transport/backoff.go');
    assert.deepEqual((await exports.search('lang:python where do we stop hammering a failing server')).hits.filter((hit) => hit.language !== 'python'), []);
  },

  async 'the command for other extensions takes what the server takes'() {
    const { hits } = await vscode.commands.executeCommand('connote.query', { query: 'who may send more messages', limit: 1 });

    assert.deepEqual(hits.map((hit) => hit.path), ['src/limits.py']);
  },

  async 'workspace symbols come from the language client'() {
    const symbols = await vscode.commands.executeCommand('vscode.executeWorkspaceSymbolProvider', 'check_quota');

    assert.ok(symbols.some((symbol) => symbol.name === 'check_quota' && symbol.location.uri.path.endsWith('/src/limits.py')));
  },

  async 'no key of ours is bound by the editor itself'() {
    const { contributes } = vscode.extensions.getExtension('connote.connote').packageJSON;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse('vscode://defaultsettings/keybindings.json'));
    const bindings = JSON.parse(document.getText().replace(/^\s*\/\/.*$/gm, ''));
    const always = contributes.keybindings.filter((binding) => !binding.when).map((binding) => binding.key);

    assert.ok(bindings.length > 500, 'these are the editor’s own');
    assert.ok(always.length >= 2);
    // A chord that begins with one of ours would be cut off by it.
    const taken = bindings.filter(({ key, command }) => always.some((ours) => sorted(key.split(' ')[0]) === sorted(ours)) && !command.startsWith('connote.'));
    assert.deepEqual(taken, []);
  },

  async 'no command without a title, no title without a command'() {
    const { contributes } = vscode.extensions.getExtension('connote.connote').packageJSON;
    const there = new Set(await vscode.commands.getCommands(true));

    assert.deepEqual(contributes.commands.filter(({ command }) => !there.has(command)), []);
  },

  async 'a workspace’s settings are sent apart, and never those that say where data goes'() {
    const configuration = vscode.workspace.getConfiguration('connote');

    assert.equal(configuration.inspect('embed.base_url').workspaceValue, undefined);
    await assert.rejects(configuration.update('embed.base_url', 'http://127.0.0.1:9', vscode.ConfigurationTarget.Workspace));
    await assert.rejects(configuration.update('path', '/bin/false', vscode.ConfigurationTarget.Workspace));
  },
};

exports.activate = async () => {
  const file = path.join(process.env.CONNOTE_TEST_OUT, 'suite.json');
  const begin = path.join(process.env.CONNOTE_TEST_OUT, 'suite.begin');
  while (!fs.existsSync(begin)) await new Promise((resolve) => setTimeout(resolve, 100));
  fs.rmSync(begin);
  const results = {};
  for (const [claim, check] of Object.entries(CLAIMS)) {
    results[claim] = await check().then(() => 'ok', (error) => String(error?.stack ?? error));
  }
  fs.writeFileSync(`${file}.new`, JSON.stringify(results));
  fs.renameSync(`${file}.new`, file);
};

function sorted(key) {
  return key.toLowerCase().split('+').sort().join('+');
}
