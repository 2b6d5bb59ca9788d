/** Keeps line numbers true while a document is edited. */

export interface Edit {
  startLine: number;
  endLine: number;
  /** What is put in place of those lines' text. */
  text: string;
}

/** Where a line is after edits, which are given as an editor does: each in terms of the text before all of them. */
export function moved(line: number, edits: readonly Edit[]): number {
  let result = line;
  for (const { startLine, endLine, text } of edits) {
    const added = text.split(/\r\n|\r|\n/).length - 1;
    if (endLine < line || (endLine === line && startLine < line)) result += added - (endLine - startLine);
    else if (startLine === line && endLine === line && /^\s*(?:\r\n|\r|\n)/.test(text)) result += added; // lines put before it
    else if (startLine < line) result = Math.min(result, startLine); // it lies in what is replaced
  }
  return Math.max(result, 0);
}
