/** Installs the server into an environment of the extension's own, after the user agreed. */

import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { privateEnvironment, privateServer } from './locate';
import { findPython } from './python';
import { executable, isProgram, run } from './run';

/** Installs or updates the server, with progress that can be cancelled; true when it is there then. */
export async function install(storage: string, log: vscode.LogOutputChannel): Promise<boolean> {
  const problem = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Installing the connote server', cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      try {
        await build(storage, log, abort.signal, (message) => progress.report({ message }));
        return undefined;
      } catch (error) {
        if (abort.signal.aborted) return 'cancelled';
        return error instanceof Error ? error.message : String(error);
      }
    },
  );
  if (problem === undefined) return true;
  if (problem !== 'cancelled') {
    log.error(problem);
    const showLog = 'Show Log';
    void vscode.window.showErrorMessage(`The connote server could not be installed. ${problem}`, showLog).then((chosen) => {
      if (chosen === showLog) log.show();
    });
  }
  return false;
}

async function build(storage: string, log: vscode.LogOutputChannel, signal: AbortSignal, report: (message: string) => void): Promise<void> {
  report('looking for Python');
  const outside = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const found = await findPython(storage, outside);
  if ('problem' in found) throw new Error(found.problem);
  const folder = privateEnvironment(storage);
  const python = path.join(path.dirname(privateServer(storage)), executable('python'));
  const onOutput = (text: string): void => {
    for (const line of text.split(/\r?\n/)) if (line.trim()) log.info(line.trimEnd());
    const package_ = /^(?:Collecting|Downloading|Using cached) ([A-Za-z0-9_.-]+)/m.exec(text)?.[1];
    if (package_) report(package_.replace(/-\d.*$/, ''));
    else if (text.includes('Installing collected packages')) report('unpacking');
  };
  const step = async (what: string, command: string, args: string[]): Promise<void> => {
    signal.throwIfAborted();
    log.info(`${command} ${args.join(' ')}`);
    const { code, output } = await run(command, args, storage, { signal, onOutput });
    if (code !== 0) throw new Error(`${what} failed: ${output.split('\n').filter((line) => /error/i.test(line)).at(-1) ?? `exit code ${code}`}`);
  };
  try {
    report(`with ${found.python}`);
    await step('Making a Python environment', found.python, ['-I', '-m', 'venv', '--clear', folder]);
    // Isolated, so that no PYTHONPATH and no user's packages get into it; pip's own settings, such as an index, hold.
    await step('pip install', python, ['-I', '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off', requirement()]);
    if (!(await isProgram(privateServer(storage)))) throw new Error(`What was installed has no program connote: ${requirement()}`);
  } catch (error) {
    // Half an environment would be taken for a broken server at the next start.
    await fs.rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What pip is asked for. The setting is a machine's: a workspace cannot name a package to install. */
function requirement(): string {
  return vscode.workspace.getConfiguration('connote').inspect<string>('installFrom')?.globalValue?.trim() || 'connote';
}
