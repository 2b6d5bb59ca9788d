/** The server's log in the editor's: each line on the level that the server gave it. */

import * as readline from 'node:readline';
import type { LogOutputChannel } from 'vscode';

/** Copies lines to the log until the stream ends. */
export function logLine(input: NodeJS.ReadableStream, log: LogOutputChannel): void {
  let level = 'INFO';
  readline.createInterface({ input }).on('line', (line) => {
    // 2026-01-31 12:00:00,000 WARNING connote.sync: text; lines without such a head go on with the one before.
    const head = /^\d{4}-\d\d-\d\d [\d:,]+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) (.*)$/.exec(line);
    level = head?.[1] ?? level;
    const text = head?.[2] ?? line;
    if (level === 'ERROR' || level === 'CRITICAL') log.error(text);
    else if (level === 'WARNING') log.warn(text);
    else log.info(text);
  });
}
