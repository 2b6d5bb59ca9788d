/**
 * The query box: words to search for, and filters such as `lang:go path:src/ kind:function` among them.
 *
 * The same as in the other clients: `clients/query-cases.json` is run by the tests of each.
 */

import type { SearchParams } from './protocol';

export type Filters = Pick<SearchParams, 'include' | 'exclude' | 'languages' | 'kinds' | 'mode'>;

export interface ParsedQuery {
  /** What is left without the filters. */
  text: string;
  filters: Filters;
  /** What is wrong with a filter, in a sentence for the user. */
  problem?: string;
}

/** The kinds that the server knows. */
export const KINDS = [
  'function', 'method', 'constructor', 'class', 'interface', 'struct', 'trait', 'impl', 'enum', 'type',
  'module', 'namespace', 'constant', 'variable', 'property', 'field', 'macro', 'test',
  'section', 'key', 'table', 'view', 'rule', 'block',
] as const;

const MODES = ['hybrid', 'semantic', 'lexical'] as const;

/** What people write for a kind; `function` and `method` are one thing to most who ask. */
const KIND_ALIASES: Record<string, readonly string[]> = {
  func: ['function', 'method'],
  fn: ['function', 'method'],
  def: ['function', 'method'],
  function: ['function', 'method'],
  const: ['constant'],
  var: ['variable'],
  ctor: ['constructor'],
  mod: ['module'],
  ns: ['namespace'],
  prop: ['property'],
};

/**
 * Splits what was typed into words and filters.
 *
 * `lang:`, `path:`, `kind:` and `mode:` are filters, with lists (`lang:go,rust`) and quotes (`path:"my docs/"`);
 * `-path:` leaves out. A filter without a value is one that is still being typed, and filters nothing.
 * A colon in any other word is that word's own.
 */
export function parseQuery(typed: string): ParsedQuery {
  const words: string[] = [];
  const filters: Required<Omit<Filters, 'mode'>> & { mode?: string } = { include: [], exclude: [], languages: [], kinds: [] };
  const problems: string[] = [];
  for (const word of typed.match(/(?:[^\s"]+|"[^"]*"?)+/g) ?? []) {
    const filter = /^(-?)(lang|language|path|in|kind|mode):(.*)$/i.exec(word);
    const name = filter?.[2]?.toLowerCase() ?? '';
    // Only paths can be left out: the server has no way to exclude by language or kind.
    if (!filter || (filter[1] && name !== 'path' && name !== 'in')) {
      words.push(word);
      continue;
    }
    const values = split(filter[3] ?? '');
    switch (name) {
      case 'path':
      case 'in':
        (filter[1] ? filters.exclude : filters.include).push(...values.flatMap(globs));
        break;
      case 'kind':
        for (const value of values) {
          const kinds = kindsOf(value);
          filters.kinds.push(...kinds);
          if (!kinds.length) problems.push(`There is no kind “${value}”. Kinds are ${KINDS.join(', ')}.`);
        }
        break;
      case 'mode':
        for (const value of values) {
          const mode = MODES.find((known) => known.startsWith(value.toLowerCase()));
          if (mode) filters.mode = mode;
          else problems.push(`There is no mode “${value}”. Modes are ${MODES.join(', ')}.`);
        }
        break;
      default:
        filters.languages.push(...values.map((value) => value.toLowerCase()));
    }
  }
  return {
    text: words.join(' ').trim(), // a quote that is not closed yet may end in a space
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value.length)),
    ...(problems.length ? { problem: problems.join(' ') } : {}),
  };
}

/**
 * The globs of a path as people write it: a glob stands for itself, a path for that file or folder and all in it.
 *
 * Without a slash inside, it may be anywhere: `path:auth` and `path:limits.py` need no folder before them.
 */
export function globs(path: string): string[] {
  const clean = path.replace(/\\/g, '/').replace(/^(?:\.?\/)+/, '');
  if (/[*?[\]{}]/.test(clean)) return [clean];
  const bare = clean.replace(/\/+$/, '');
  if (!bare) return [];
  const inside = [`${bare}/**`];
  if (!bare.includes('/')) inside.push(`**/${bare}/**`);
  // With its slash at the end it can only be a folder.
  return clean.endsWith('/') ? inside : [bare, ...inside];
}

function kindsOf(value: string): readonly string[] {
  const name = value.toLowerCase();
  for (const singular of [name, name.replace(/ies$/, 'y'), name.replace(/es$/, ''), name.replace(/s$/, '')]) {
    const kinds = KIND_ALIASES[singular] ?? KINDS.filter((kind) => kind === singular);
    if (kinds.length) return kinds;
  }
  return [];
}

/** Splits a list at its commas, but not at those of a glob's braces. */
function split(value: string): string[] {
  const values: string[] = [];
  let one = '';
  let depth = 0;
  for (const character of value.replaceAll('"', '')) {
    if (character === '{') depth++;
    else if (character === '}' && depth) depth--;
    if (character === ',' && !depth) {
      values.push(one);
      one = '';
    } else one += character;
  }
  return [...values, one].map((part) => part.trim()).filter(Boolean);
}
