/** How a hit looks in a list: icon, name, where it is, and the code it begins with. */

import * as vscode from 'vscode';
import type { Hit } from './protocol';

/** LSP's symbol kinds count from 1 and are the icons' names. */
const ICONS = [
  'file', 'module', 'namespace', 'package', 'class', 'method', 'property', 'field', 'constructor', 'enum', 'interface',
  'function', 'variable', 'constant', 'string', 'number', 'boolean', 'array', 'object', 'key', 'null', 'enum-member',
  'struct', 'event', 'operator', 'type-parameter',
];

export function icon(hit: Hit): vscode.ThemeIcon {
  return new vscode.ThemeIcon(`symbol-${ICONS[hit.kind - 1] ?? 'misc'}`);
}

/** Scope and place, such as `Limiter · src/limits.py:12`; the folder's name leads where there are several. */
export function where(hit: Hit): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.length > 1 ? vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(hit.location.uri))?.name : undefined;
  const place = `${folder ? `${folder}/` : ''}${hit.path}:${hit.selectionRange.start.line + 1}`;
  return [hit.containerName, place, hit.stale ? 'changed since' : ''].filter(Boolean).join(' · ');
}

/** The place for a narrow view: the file's name first, its folder last. */
export function whereNarrow(hit: Hit): string {
  const cut = hit.path.lastIndexOf('/');
  return [`${hit.path.slice(cut + 1)}:${hit.selectionRange.start.line + 1}`, hit.path.slice(0, Math.max(cut, 0)), hit.stale ? 'changed since' : ''].filter(Boolean).join(' · ');
}

/** A hit as a code block for a hover. */
export function tooltip(hit: Hit): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendMarkdown(`**${escape(hit.name)}** — ${escape(where(hit))} — score ${hit.score.toFixed(2)}\n`);
  text.appendCodeblock(hit.preview.split('\n').slice(0, 20).join('\n'), hit.language);
  return text;
}

function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&]/g, '\\$&');
}
