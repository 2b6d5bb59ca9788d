/** Programs that the extension runs: never in the workspace's folder, where a file could take a module's place. */

import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';

export interface Outcome {
  code: number | string;
  output: string;
}

/** Runs a program to its end; `code` is a word such as ENOENT where it could not be started. Never rejects. */
export function run(
  command: string, args: string[], cwd: string, options: { timeout?: number; signal?: AbortSignal; onOutput?: (text: string) => void } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      command, args, { cwd, timeout: options.timeout ?? 0, signal: options.signal, windowsHide: true, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        const code = error ? (error.code ?? (error.killed ? 'was killed' : 'failed')) : 0;
        resolve({ code, output: (stdout + stderr).trim() });
      },
    );
    child.stdin?.end();
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: string) => options.onOutput?.(text));
  });
}

/**
 * The files on PATH that bear one of the names, in PATH's order.
 *
 * Relative entries are left out, and so is what lies below one of `outside`: it would be the workspace's choice, not
 * the user's.
 */
export async function onPath(names: string[], outside: string[] = []): Promise<string[]> {
  const folders = (process.env['PATH'] ?? process.env['Path'] ?? '').split(path.delimiter);
  const found: string[] = [];
  for (const folder of folders) {
    if (!path.isAbsolute(folder)) continue;
    for (const name of names) {
      const file = path.join(folder, name);
      if ((await isProgram(file)) && !(await isBelow(file, outside))) found.push(file);
    }
  }
  return [...new Set(found)];
}

/** Whether a file is there and may be run. */
export async function isProgram(file: string): Promise<boolean> {
  try {
    await fs.access(file, process.platform === 'win32' ? fs.constants.F_OK : fs.constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The name of a program's file on this system. */
export function executable(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}

async function isBelow(file: string, folders: string[]): Promise<boolean> {
  // Both as written and as linked: a link into the workspace is the workspace's.
  const spellings = [file, await fs.realpath(file).catch(() => file)];
  const roots = await Promise.all(folders.map((folder) => fs.realpath(folder).catch(() => folder)));
  return [...folders, ...roots].some((folder) =>
    spellings.some((spelling) => {
      const relative = path.relative(folder, spelling);
      return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
    }),
  );
}
