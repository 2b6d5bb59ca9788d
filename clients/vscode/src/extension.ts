/** The extension: what it starts, and what its commands do. */

import * as vscode from 'vscode';
import { search } from './ask';
import { registerMcp } from './mcp';
import { openPicker, pick as open, type Picker } from './picker';
import type { Hit, SearchParams, SearchResult } from './protocol';
import { semanticSearch } from './protocol';
import { Results, type FileNode } from './results';
import { Session } from './session';
import { setApiKey } from './settings';
import { clear, menu, reindex, showStatus, StatusBar, StatusPages } from './status';

/** What other extensions get from `extension.exports`, and as the command `connote.query`. */
export interface Api {
  version: 1;
  /** Searches the workspace; filters may stand in the query, or be given as the server takes them. */
  search(query: string | SearchParams, token?: vscode.CancellationToken): Promise<SearchResult>;
}

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const begun = performance.now();
  const own = (session = new Session(context));
  const results = new Results(own);
  const { pages, registration } = StatusPages.register(own);
  const pick = (options: ConstructorParameters<typeof Picker>[3]): Promise<void> => open(own, results, context.workspaceState, options);
  const query: Api['search'] = (asked, token) =>
    typeof asked === 'string' ? search(own, asked, { limit: 20 }, token) : own.request(semanticSearch, asked, token);

  const commands: Record<string, (...given: never[]) => unknown> = {
    'connote.search': (text?: unknown) => pick(typeof text === 'string' ? { query: text } : {}),
    'connote.searchSymbols': (text?: unknown) => pick({ definitions: true, ...(typeof text === 'string' ? { query: text } : {}) }),
    'connote.similar': () => similar(pick),
    'connote.query': query,
    'connote.menu': () => menu(own),
    'connote.updateIndex': () => reindex(own, false),
    'connote.rebuildIndex': () => reindex(own, true),
    'connote.clearIndex': () => clear(own),
    'connote.showStatus': () => showStatus(pages),
    'connote.showLog': () => own.log.show(),
    'connote.openSettings': () => vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`),
    'connote.restart': () => own.restart(),
    'connote.installServer': () => own.install(),
    'connote.setApiKey': () => setApiKey(context.secrets),
    'connote.picker.openToSide': () => openPicker()?.accept(true),
    'connote.picker.keep': () => openPicker()?.keep(),
    'connote.results.next': () => results.step(1),
    'connote.results.previous': () => results.step(-1),
    'connote.results.open': (hit: Hit) => results.open(hit),
    'connote.results.openToSide': (hit: Hit) => results.open(hit, true),
    'connote.results.dismiss': (node: Hit | FileNode) => results.dismiss(node),
    'connote.results.clear': () => results.clear(),
    'connote.results.refresh': () => results.refresh(),
    'connote.results.groupByFile': () => results.group(true),
    'connote.results.showRanked': () => results.group(false),
    'connote.results.refine': () => {
      const asked = results.question;
      return pick(!asked || asked.similar ? {} : { query: asked.query, definitions: asked.definitions });
    },
  };
  context.subscriptions.push(
    own, results, registration, new StatusBar(own), registerMcp(own, context.globalStorageUri.fsPath),
    ...Object.entries(commands).map(([name, command]) => vscode.commands.registerCommand(name, command as (...given: unknown[]) => unknown)),
  );
  // Not awaited: nobody's start shall wait for a server.
  void own.refresh();
  own.log.info(`Activated in ${(performance.now() - begun).toFixed(1)} ms`);
  return { version: 1, search: query };
}

export async function deactivate(): Promise<void> {
  await session?.end();
}

/** Shows code like that at the cursor, or like the selection. */
async function similar(pick: (options: ConstructorParameters<typeof Picker>[3]) => Promise<void>): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage('Open a file first: the code at its cursor is what similar code is looked for.');
    return;
  }
  const { document, selection } = editor;
  const place = `${vscode.workspace.asRelativePath(document.uri)}:${selection.start.line + 1}`;
  const position = ({ line, character }: vscode.Position): { line: number; character: number } => ({ line, character });
  await pick({
    similar: {
      title: `Similar to ${place}`,
      params: {
        textDocument: { uri: document.uri.toString() },
        ...(selection.isEmpty ? { position: position(selection.active) } : { range: { start: position(selection.start), end: position(selection.end) } }),
      },
    },
  });
}
