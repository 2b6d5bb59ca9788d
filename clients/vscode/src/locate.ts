/** Finds the server's executable: setting, selected Python environment, PATH, our own environment, in this order. */

import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { environmentFolders } from './python';
import { executable, isProgram, onPath, run } from './run';

export interface Server {
  command: string;
  version: string;
  /** Where it was found, for people. */
  origin: string;
}

/** What was found, or why nothing was, in sentences for the user. */
export type Located = { server: Server } | { problem: string; canInstall: boolean };

/** The executable inside of the environment that the extension made for itself. */
export function privateServer(storage: string): string {
  return path.join(privateEnvironment(storage), process.platform === 'win32' ? 'Scripts' : 'bin', executable('connote'));
}

/** The folder of that environment. */
export function privateEnvironment(storage: string): string {
  return path.join(storage, 'server');
}

/**
 * Looks for a server that answers `--version`; runs nothing that a workspace without trust could have chosen.
 *
 * @param storage The extension's own folder, which must exist: programs are run in it.
 */
export async function locate(storage: string): Promise<Located> {
  // A machine's setting: VS Code ignores what a workspace says of it, and so does `globalValue`.
  const setting = vscode.workspace.getConfiguration('connote').inspect<string>('path')?.globalValue?.trim();
  if (setting) {
    const command = setting.replace(/^~(?=$|[\\/])/, os.homedir());
    if (!path.isAbsolute(command)) return { problem: `The setting connote.path is “${setting}”, which is no absolute path.`, canInstall: false };
    const found = await probe(command, 'the setting connote.path', storage);
    return 'server' in found ? found : { problem: `The setting connote.path is wrong: ${found.problem}`, canInstall: false };
  }
  const reasons: string[] = [];
  for (const [origin, commands] of await candidates(storage)) {
    for (const command of commands) {
      if (!(await isProgram(command))) continue;
      const found = await probe(command, origin, storage);
      if ('server' in found) return found;
      reasons.push(found.problem);
    }
  }
  return { problem: ['The connote server is not installed.', ...reasons].join(' '), canInstall: true };
}

async function candidates(storage: string): Promise<[string, string[]][]> {
  const name = executable('connote');
  const outside = vscode.workspace.isTrusted ? [] : (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  return [
    ['the selected Python environment', (await environmentFolders()).map((folder) => path.join(folder, name))],
    ['the PATH', await onPath([name], outside)],
    ['the extension’s own environment', [privateServer(storage)]],
  ];
}

async function probe(command: string, origin: string, cwd: string): Promise<{ server: Server } | { problem: string }> {
  const { code, output } = await run(command, ['--version'], cwd, { timeout: 30_000 });
  if (code === 'ENOENT') return { problem: `${command} does not exist.` };
  const version = /\d+\.\d+\.\d+\S*/.exec(output)?.[0];
  if (code !== 0 || !version) return { problem: `${command} does not run (${code}): ${output.split('\n').at(-1) ?? ''}` };
  return { server: { command, version, origin } };
}
