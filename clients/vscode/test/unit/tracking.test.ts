import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moved, type Edit } from '../../src/tracking';

const CASES: [claim: string, line: number, edits: Edit[], expected: number][] = [
  ['an edit below moves nothing', 5, [{ startLine: 7, endLine: 9, text: 'a\nb' }], 5],
  ['lines put above move it down', 5, [{ startLine: 1, endLine: 1, text: 'a\nb\n' }], 7],
  ['lines taken away above move it up', 5, [{ startLine: 1, endLine: 3, text: '' }], 3],
  ['typing in its own line moves nothing', 5, [{ startLine: 5, endLine: 5, text: 'x' }], 5],
  ['an Enter at its beginning moves it down', 5, [{ startLine: 5, endLine: 5, text: '\n' }], 6],
  ['CRLF is one line end', 5, [{ startLine: 0, endLine: 0, text: '\r\n\r\n' }], 7],
  ['joined with the line above it goes there', 5, [{ startLine: 4, endLine: 5, text: '' }], 4],
  ['replaced with all around it, it is where that begins', 5, [{ startLine: 3, endLine: 8, text: 'x' }], 3],
  ['several edits count together', 5, [{ startLine: 3, endLine: 3, text: '\n' }, { startLine: 1, endLine: 2, text: '' }], 5],
];

for (const [claim, line, edits, expected] of CASES) {
  test(claim, () => {
    assert.equal(moved(line, edits), expected);
  });
}
