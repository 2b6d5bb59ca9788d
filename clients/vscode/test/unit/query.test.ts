import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globs, parseQuery } from '../../src/query';

/** Filters and words of each query. */
const CASES: [typed: string, text: string, filters: object][] = [
  ['', '', {}],
  ['  where  do we retry ', 'where do we retry', {}],
  ['lang:go retry', 'retry', { languages: ['go'] }],
  ['retry LANG:Go,rust language:ts', 'retry', { languages: ['go', 'rust', 'ts'] }],
  ['path:src/ retry', 'retry', { include: ['src/**', '**/src/**'] }],
  ['path:src/net retry', 'retry', { include: ['src/net', 'src/net/**'] }],
  ['in:limits.py a', 'a', { include: ['limits.py', 'limits.py/**', '**/limits.py/**'] }],
  ['-path:tests a', 'a', { exclude: ['tests', 'tests/**', '**/tests/**'] }],
  ['path:**/*.{ts,tsx} a', 'a', { include: ['**/*.{ts,tsx}'] }],
  ['path:"my docs/" a', 'a', { include: ['my docs/**', '**/my docs/**'] }],
  ['kind:class a', 'a', { kinds: ['class'] }],
  ['kind:fn a', 'a', { kinds: ['function', 'method'] }],
  ['kind:classes,enums a', 'a', { kinds: ['class', 'enum'] }],
  ['mode:lex a', 'a', { mode: 'lexical' }],
  // What is still being typed filters nothing, and a colon elsewhere is no filter.
  ['lang: path: kind: retry', 'retry', {}],
  ['std::vector http://x a:b -lang:go', 'std::vector http://x a:b -lang:go', {}],
  ['"say lang:go" retry', '"say lang:go" retry', {}],
  ['lang:go', '', { languages: ['go'] }],
];

for (const [typed, text, filters] of CASES) {
  test(`what is asked by: ${typed || 'nothing'}`, () => {
    assert.deepEqual(parseQuery(typed), { text, filters });
  });
}

test('a kind or a mode that is none is said, with those that are', () => {
  assert.match(parseQuery('kind:klass a').problem ?? '', /no kind “klass”.*function, method/);
  assert.match(parseQuery('mode:fast a').problem ?? '', /no mode “fast”.*hybrid, semantic, lexical/);
});

test('paths are read as people write them', () => {
  assert.deepEqual(globs('./src/net/'), ['src/net/**']);
  assert.deepEqual(globs('src\\net'), ['src/net', 'src/net/**']);
  assert.deepEqual(globs('/'), []);
  assert.deepEqual(globs('*.py'), ['*.py']);
});
