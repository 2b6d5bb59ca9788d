import assert from 'node:assert/strict';
import { test } from 'node:test';
import fs from 'node:fs';
import { KINDS, parseQuery } from '../../src/query';

/** The queries that every client reads alike. */
const SHARED = JSON.parse(fs.readFileSync('../query-cases.json', 'utf8')) as {
  kinds: string[];
  modes: string[];
  cases: { typed: string; query: string; filters: object }[];
};

test('there are queries to read', () => {
  assert.ok(SHARED.cases.length > 30);
});

for (const { typed, query, filters } of SHARED.cases) {
  test(`what is asked by: ${typed || 'nothing'}`, () => {
    assert.deepEqual(parseQuery(typed), { text: query, filters });
  });
}

test('kinds and modes are those of the server', () => {
  assert.deepEqual([...KINDS], SHARED.kinds);
  assert.deepEqual(SHARED.modes.map((mode) => parseQuery(`mode:${mode}`).filters.mode), SHARED.modes);
});

test('a kind or a mode that is none is said, with those that are', () => {
  assert.match(parseQuery('kind:klass a').problem ?? '', /no kind “klass”.*function, method/);
  assert.match(parseQuery('mode:fast a').problem ?? '', /no mode “fast”.*hybrid, semantic, lexical/);
});
