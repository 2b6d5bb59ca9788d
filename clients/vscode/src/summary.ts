/** A hit in one line: its declaration, and the first line of what is written about it. */

import type { Hit } from './protocol';

const COMMENT = /^(?:\/\/[/!]?|\/\*\*?|\*(?!\/)|#(?![[!]|include|define|if|endif|pragma)|--+|;+|%+|"""|\'\'\'|[rRuU]"""|<!--)\s*(.*?)\s*(?:\*\/|"""|\'\'\'|-->)?$/;

/**
 * The line with the hit's name, and the comment before or the docstring after it.
 *
 * Of hits without a symbol, whose name is the file's, it is the first line with words.
 */
export function summary(hit: Pick<Hit, 'name' | 'preview'>): string {
  const lines = hit.preview.split(/\r\n|\r|\n/).map((line) => line.trim().replace(/\s+/g, ' '));
  const at = lines.findIndex((line) => line.includes(hit.name) && !COMMENT.test(line));
  if (at < 0) return cut(lines.find((line) => /\p{L}{2}/u.test(line)) ?? lines.find(Boolean) ?? '');
  const declaration = (lines[at] ?? '').replace(/\s*[{:(]$/, '');
  const about = said(lines.slice(at + 1, at + 3)) ?? said(before(lines, at));
  return cut(about ? `${declaration} — ${about}` : declaration);
}

/** The lines of the comment that ends above a line, past decorators. */
function before(lines: string[], at: number): string[] {
  let end = at;
  while (end > 0 && /^(?:@|#\[|\[)/.test(lines[end - 1] ?? '')) end--;
  let start = end;
  while (start > 0 && (COMMENT.test(lines[start - 1] ?? '') || lines[start - 1] === '*/')) start--;
  return lines.slice(start, end);
}

/** The first words of comments, if they begin the lines. */
function said(lines: string[]): string | undefined {
  for (const line of lines) {
    const text = COMMENT.exec(line)?.[1];
    if (text === undefined) return undefined;
    if (/\p{L}{2}/u.test(text)) return text;
  }
  return undefined;
}

function cut(line: string): string {
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
