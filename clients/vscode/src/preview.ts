/** Shows a hit in the editor while it is highlighted, and puts everything back when nothing is chosen. */

import * as vscode from 'vscode';

interface Tab {
  uri: vscode.Uri;
  preview: boolean;
}

/** One preview session, from when a picker opens to when it closes. */
export class Preview implements vscode.Disposable {
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
  });
  private readonly origin = vscode.window.activeTextEditor;
  private readonly selections = this.origin?.selections;
  private readonly scrolled = this.origin?.visibleRanges[0];
  private readonly group = vscode.window.tabGroups.activeTabGroup.viewColumn;
  private readonly tabs = tabsOf(this.group);
  private shown: vscode.TextEditor | undefined;
  private wanted = 0;
  private turn: Promise<void> = Promise.resolve();

  /** Shows a place without taking the focus; of several calls at once the last one counts. */
  show(uri: vscode.Uri, range: vscode.Range): void {
    const turn = ++this.wanted;
    // One after the other: an editor that opens while everything is put back would stay.
    this.turn = this.turn.then(() => (turn === this.wanted ? this.reveal(uri, range, turn) : undefined));
  }

  private async reveal(uri: vscode.Uri, range: vscode.Range, turn: number): Promise<void> {
    let editor: vscode.TextEditor;
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      if (turn !== this.wanted) return;
      editor = await vscode.window.showTextDocument(document, { viewColumn: this.group, preview: true, preserveFocus: true });
    } catch {
      return; // deleted since, or no text: accepting it says so
    }
    if (this.shown !== editor) this.shown?.setDecorations(this.mark, []);
    this.shown = editor;
    editor.setDecorations(this.mark, [range]);
    editor.revealRange(range, fits(editor, range) ? vscode.TextEditorRevealType.InCenterIfOutsideViewport : vscode.TextEditorRevealType.AtTop);
  }

  /** Ends the session with things as they were before it. */
  async restore(): Promise<void> {
    this.wanted++;
    await this.turn;
    const shown = this.shown?.document.uri;
    if (!shown) return;
    const left = tabsOf(this.group);
    // The preview took the place of the preview tab that was there.
    const lost = this.tabs.find((tab) => tab.preview && !left.some((now) => same(now.uri, tab.uri)));
    if (lost) await this.reopen(lost.uri, true);
    const origin = this.origin?.document;
    if (origin && !origin.isClosed) {
      const editor = await this.reopen(origin.uri, this.tabs.find((tab) => same(tab.uri, origin.uri))?.preview ?? false);
      if (editor && this.selections) editor.selections = this.selections;
      if (editor && this.scrolled) editor.revealRange(this.scrolled, vscode.TextEditorRevealType.AtTop);
    }
    if (!this.tabs.some((tab) => same(tab.uri, shown))) {
      const ours = vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .filter((tab) => tab.isPreview && tab.group.viewColumn === this.group && tab.input instanceof vscode.TabInputText && same(tab.input.uri, shown));
      if (ours.length) await vscode.window.tabGroups.close(ours, true);
    }
  }

  dispose(): void {
    this.wanted++;
    this.mark.dispose();
  }

  private async reopen(uri: vscode.Uri, preview: boolean): Promise<vscode.TextEditor | undefined> {
    try {
      // Without the focus, which the editor gives back by itself: the user may be in the next box already.
      return await vscode.window.showTextDocument(uri, { viewColumn: this.group, preview, preserveFocus: true });
    } catch {
      return undefined; // it was deleted meanwhile
    }
  }
}

/** Opens a place: the cursor on its name, the whole of it in view and for a moment in another colour. */
export async function jump(uri: vscode.Uri, range: vscode.Range, name: vscode.Range, beside = false): Promise<void> {
  const cursor = new vscode.Range(name.start, name.start);
  const editor = await vscode.window.showTextDocument(uri, {
    selection: cursor,
    preview: true,
    ...(beside ? { viewColumn: vscode.ViewColumn.Beside } : {}),
  });
  if (fits(editor, range)) editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  const mark = vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground') });
  editor.setDecorations(mark, [range]);
  setTimeout(() => mark.dispose(), 700);
}

function fits(editor: vscode.TextEditor, range: vscode.Range): boolean {
  const visible = editor.visibleRanges[0];
  return !visible || range.end.line - range.start.line <= Math.max(visible.end.line - visible.start.line, 20);
}

function tabsOf(column: vscode.ViewColumn): Tab[] {
  const group = vscode.window.tabGroups.all.find((one) => one.viewColumn === column);
  return (group?.tabs ?? []).flatMap((tab) => (tab.input instanceof vscode.TabInputText ? [{ uri: tab.input.uri, preview: tab.isPreview }] : []));
}

function same(one: vscode.Uri, other: vscode.Uri): boolean {
  return one.toString() === other.toString();
}
