import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summary } from '../../src/summary';

const CASES: [claim: string, name: string, preview: string, expected: string][] = [
  ['a docstring is what is said', 'again', 'def again(call):\n    """Tries once more.\n\n    At length."""\n    call()', 'def again(call) — Tries once more.'],
  ['a comment above is what is said', 'nextDelay', '// nextDelay doubles the pause.\nfunc nextDelay(n int) int {\n\treturn n\n}', 'func nextDelay(n int) int — nextDelay doubles the pause.'],
  ['a block comment above decorators', 'run', '/**\n * Runs it.\n */\n@Override\npublic void run() {', 'public void run() — Runs it.'],
  ['Rust attributes and doc comments', 'Cache', '/// Keeps entries.\n#[derive(Debug)]\npub struct Cache<V> {', 'pub struct Cache<V> — Keeps entries.'],
  ['without a word about it, the declaration alone', 'put', 'def put(self):\n    x = 1', 'def put(self)'],
  ['a name in a comment is no declaration', 'put', '# put it there\ndef put(self):\n    pass', 'def put(self) — put it there'],
  ['without a symbol, the first line with words', 'notes.md', '---\n\n## How it works\n', '## How it works'],
  ['of nothing, nothing', 'a', '', ''],
];

for (const [claim, name, preview, expected] of CASES) {
  test(claim, () => {
    assert.equal(summary({ name, preview }), expected);
  });
}
