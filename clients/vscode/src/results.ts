/** The view with results that are kept: refined, gone through one by one, and true while files are edited. */

import * as vscode from 'vscode';
import { search, type Similar } from './ask';
import { icon, tooltip, where, whereNarrow } from './items';
import { jump } from './preview';
import type { Hit, SearchResult, SimilarParams } from './protocol';
import type { Session } from './session';
import { summary } from './summary';
import { moved } from './tracking';

/** What was asked. */
export interface Asked {
  title: string;
  query: string;
  definitions: boolean;
  similar?: SimilarParams;
}

export interface FileNode {
  path: string;
  hits: Hit[];
}

type Node = FileNode | Hit;

export class Results implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly listener: vscode.Disposable;
  private hits: Hit[] = [];
  private files: FileNode[] | undefined;
  private asked: Asked | undefined;
  private note = '';
  private at = -1;

  constructor(private readonly session: Session) {
    this.view = vscode.window.createTreeView<Node>('connote.results', { treeDataProvider: this });
    this.view.onDidChangeSelection(({ selection: [node] }) => {
      if (node && isHit(node)) this.at = this.hits.indexOf(node);
    });
    this.listener = vscode.workspace.onDidChangeTextDocument((event) => this.edited(event));
  }

  /** Shows hits in place of those that are there, and the view. */
  async keep(asked: Asked, result: SearchResult): Promise<void> {
    this.asked = asked;
    this.hits = result.hits.map((hit) => structuredClone(hit));
    this.at = -1;
    this.note = result.complete ? (result.message ?? '') : 'The index was still being built: there may be more.';
    this.redraw();
    await vscode.commands.executeCommand('setContext', 'connote.hasResults', true);
    await vscode.commands.executeCommand('connote.results.focus');
  }

  /** Asks the same again. */
  async refresh(): Promise<void> {
    const { asked } = this;
    if (!asked) return;
    const similar: Similar | undefined = asked.similar && { title: asked.title, params: asked.similar };
    await vscode.window.withProgress({ location: { viewId: 'connote.results' } }, async () => {
      try {
        await this.keep(asked, await search(this.session, asked.query, { definitions: asked.definitions, similar }));
      } catch (error) {
        void vscode.window.showWarningMessage(error instanceof Error ? error.message : String(error));
      }
    });
  }

  /** What was asked, to be changed in the picker. */
  get question(): Asked | undefined {
    return this.asked;
  }

  /** Opens the next hit, or the one before; after the last comes the first. */
  async step(by: 1 | -1): Promise<void> {
    if (!this.hits.length) return;
    const from = this.at < 0 && by < 0 ? 0 : this.at;
    this.at = (from + by + this.hits.length) % this.hits.length;
    const hit = this.hits[this.at];
    if (!hit) return;
    await this.view.reveal(hit, { select: true, focus: false, expand: true });
    await this.open(hit);
  }

  async open(hit: Hit, beside = false): Promise<void> {
    const { uri, range, name } = this.session.place(hit);
    try {
      await jump(uri, range, name, beside);
    } catch (error) {
      void vscode.window.showWarningMessage(`${hit.path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Takes a hit, or all of a file, off the list. */
  dismiss(node: Node): void {
    const gone = new Set<Hit>(isHit(node) ? [node] : node.hits);
    const before = this.hits.slice(0, Math.max(this.at + 1, 0)).filter((hit) => gone.has(hit)).length;
    this.hits = this.hits.filter((hit) => !gone.has(hit));
    this.at -= before;
    if (this.hits.length) this.redraw();
    else void this.clear();
  }

  async clear(): Promise<void> {
    this.hits = [];
    this.asked = undefined;
    this.note = '';
    this.redraw();
    await vscode.commands.executeCommand('setContext', 'connote.hasResults', false);
  }

  /** Groups by file, or shows one ranked list. */
  async group(byFile: boolean): Promise<void> {
    await vscode.commands.executeCommand('setContext', 'connote.byFile', byFile);
    this.files = byFile ? [] : undefined;
    this.redraw();
  }

  getChildren(node?: Node): Node[] {
    if (node) return isHit(node) ? [] : node.hits;
    return this.files ?? this.hits;
  }

  getParent(node: Node): Node | undefined {
    return isHit(node) ? this.files?.find((file) => file.hits.includes(node)) : undefined;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (!isHit(node)) {
      const first = node.hits[0];
      const item = new vscode.TreeItem(first ? this.session.place(first).uri : vscode.Uri.file(node.path), vscode.TreeItemCollapsibleState.Expanded);
      item.description = node.path.includes('/') ? node.path.slice(0, node.path.lastIndexOf('/')) : '';
      item.iconPath = vscode.ThemeIcon.File;
      item.contextValue = 'file';
      return item;
    }
    const item = new vscode.TreeItem(node.name);
    item.iconPath = icon(node);
    item.description = this.files ? summary(node) : whereNarrow(node);
    item.tooltip = tooltip(node);
    item.contextValue = 'hit';
    item.command = { command: 'connote.results.open', title: 'Open', arguments: [node] };
    item.accessibilityInformation = { label: `${node.name}, ${where(node)}` };
    return item;
  }

  dispose(): void {
    this.listener.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  private redraw(): void {
    const count = this.hits.length === 1 ? '1 result' : `${this.hits.length} results`;
    this.view.message = this.asked ? [`${count} for “${this.asked.title}”.`, this.note].filter(Boolean).join(' ') : '';
    if (this.files) {
      const byPath = new Map<string, FileNode>();
      for (const hit of this.hits) {
        const file = byPath.get(hit.location.uri) ?? { path: hit.path, hits: [] };
        file.hits.push(hit);
        byPath.set(hit.location.uri, file);
      }
      this.files = [...byPath.values()];
    }
    this.changed.fire();
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    const mine = this.hits.filter((hit) => vscode.Uri.parse(hit.location.uri).toString() === uri);
    if (!mine.length || !contentChanges.length) return;
    const edits = contentChanges.map(({ range, text }) => ({ startLine: range.start.line, endLine: range.end.line, text }));
    let shifted = false;
    for (const hit of mine) {
      const { start } = hit.selectionRange;
      const by = moved(start.line, edits) - start.line;
      if (!by) continue;
      shifted = true;
      for (const place of [hit.selectionRange, hit.location.range]) {
        place.start.line = Math.max(place.start.line + by, 0);
        place.end.line = Math.max(place.end.line + by, 0);
      }
    }
    if (shifted) this.changed.fire();
  }
}

function isHit(node: Node): node is Hit {
  return 'location' in node;
}
