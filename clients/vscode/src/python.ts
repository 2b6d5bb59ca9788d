/** The Python environment that the user selected, as the Python extension tells it, and Pythons to make one with. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { executable, isProgram, onPath, run } from './run';

/** The part of the Python extension's API that is used here. */
interface PythonApi {
  /** Lean forks of it have none. */
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/**
 * Folders with the programs of the selected environments.
 *
 * Empty in a workspace that is not trusted: a selection may come from the workspace itself. Without the Python
 * extension, it is the `.venv` of each folder.
 */
export async function environmentFolders(): Promise<string[]> {
  if (!vscode.workspace.isTrusted) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
  const bin = process.platform === 'win32' ? 'Scripts' : 'bin';
  const api = await environments();
  if (!api) return folders.map((folder) => path.join(folder.uri.fsPath, '.venv', bin));
  const selected = new Set(folders.map((folder) => api.getActiveEnvironmentPath(folder.uri).path));
  // A path may be the interpreter's or the environment's; conda's interpreter lies above its `Scripts`.
  return [...selected].flatMap((place) => [path.dirname(place), path.join(path.dirname(place), bin), path.join(place, bin)]);
}

/** Calls back when another environment is selected. */
export async function onDidSelectEnvironment(call: () => void): Promise<vscode.Disposable | undefined> {
  return (await environments())?.onDidChangeActiveEnvironmentPath(call);
}

/** A Python that can make an environment for the server, or why there is none, in sentences for the user. */
export async function findPython(cwd: string, outside: string[]): Promise<{ python: string } | { problem: string }> {
  const names = process.platform === 'win32' ? ['python.exe', 'py.exe'] : ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
  const selected: string[] = [];
  for (const folder of await environmentFolders()) {
    const file = path.join(folder, executable('python'));
    if (await isProgram(file)) selected.push(file);
  }
  const reasons: string[] = [];
  for (const python of [...selected, ...(await onPath(names, vscode.workspace.isTrusted ? [] : outside))]) {
    const probe = await run(python, ['-I', '-c', 'import sys; print(*sys.version_info[:2]); import venv, ensurepip'], cwd, { timeout: 20_000 });
    const [, major, minor] = /^(\d+) (\d+)/.exec(probe.output) ?? [];
    if (!major || !minor) reasons.push(`${python} does not run (${probe.code}).`);
    else if (Number(major) !== 3 || Number(minor) < 10) reasons.push(`${python} is Python ${major}.${minor}.`);
    else if (probe.code !== 0) reasons.push(`${python} cannot make environments: its modules venv and ensurepip are a package of their own, on Debian and Ubuntu python3-venv.`);
    else return { python };
  }
  return { problem: ['connote needs Python 3.10 or newer.', ...(reasons.length ? reasons : ['There is no Python on the PATH.'])].join(' ') };
}

async function environments(): Promise<PythonApi['environments']> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  if (!extension) return undefined;
  try {
    const api = extension.isActive ? extension.exports : await extension.activate();
    return api.environments;
  } catch {
    return undefined; // its own failure is shown by itself
  }
}
