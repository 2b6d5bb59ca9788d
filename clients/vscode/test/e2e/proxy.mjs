#!/usr/bin/env node
// Stands between the editor and the real server: writes down what is asked, and makes some answers late.
//
// A search whose query holds "slowly" is answered after SLOW milliseconds, and is not told of its cancellation.
// With the file `down` in CONNOTE_TEST_OUT it ends at once, as a server that cannot start.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const SLOW = 2500;
const out = process.env.CONNOTE_TEST_OUT;
const note = (line) => fs.appendFileSync(path.join(out, 'proxy.log'), `${line}\n`);
if (process.argv[2] === 'lsp' && fs.existsSync(path.join(out, 'down'))) process.exit(3);
const server = spawn(process.env.CONNOTE_TEST_SERVER, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
server.on('exit', (code) => process.exit(code ?? 1));
if (process.argv[2] !== 'lsp') {
  server.stdout.pipe(process.stdout);
} else {
  fs.writeFileSync(path.join(out, 'server.pid'), String(server.pid));
  note(`started ${process.cwd()}`);
  const late = new Set();
  read(process.stdin, (message, raw) => {
    const query = message.params?.query;
    if (message.method) note([message.method, message.id ?? '', JSON.stringify(query ?? message.params?.id ?? message.params?.changes ?? ''), ...filters(message.params)].join(' '));
    if (message.method === 'workspace/semanticSearch' && query.includes('slowly')) late.add(message.id);
    if (message.method === '$/cancelRequest' && late.has(message.params.id)) return;
    server.stdin.write(raw);
  });
  process.stdin.on('end', () => server.stdin.end());
  read(server.stdout, (message, raw) => {
    if (message.result?.hits) note(`hits ${message.id} ${JSON.stringify(message.result.hits.map((hit) => [hit.name, `${hit.path}:${hit.selectionRange.start.line + 1}`]))}`);
    if (!message.method && late.delete(message.id)) {
      note(`late ${message.id}`);
      setTimeout(() => {
        process.stdout.write(raw);
        note(`answered ${message.id}`);
      }, SLOW);
    } else process.stdout.write(raw);
  });
}

/** The names of the filters that a search has. */
function filters(params) {
  return ['include', 'exclude', 'languages', 'kinds', 'mode'].filter((name) => params?.[name] !== undefined);
}

function read(stream, take) {
  let buffer = Buffer.alloc(0);
  stream.on('data', (data) => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      const head = buffer.indexOf('\r\n\r\n');
      if (head < 0) return;
      const end = head + 4 + Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, head).toString())[1]);
      if (buffer.length < end) return;
      take(JSON.parse(buffer.subarray(head + 4, end).toString()), buffer.subarray(0, end));
      buffer = buffer.subarray(end);
    }
  });
}
