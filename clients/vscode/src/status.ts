/** The status bar item, its menu, and the page that says all about the indexes. */

import * as vscode from 'vscode';
import { percentage, progress } from './progress';
import { CLEAR, executeCommand, REINDEX, status, type FolderStatus } from './protocol';
import { searchable, type Session } from './session';

const SCHEME = 'connote-status';

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('connote.status', vscode.StatusBarAlignment.Right, 90);

  constructor(private readonly session: Session) {
    this.item.name = 'connote';
    this.item.command = 'connote.menu';
    session.onDidChange(() => this.draw());
    this.draw();
  }

  dispose(): void {
    this.item.dispose();
  }

  private draw(): void {
    const { session, item } = this;
    const folders = [...session.folders.values()];
    const [icon, text, tooltip, color] = this.look(folders.map((folder) => folder.state));
    // A window without a folder has no use for it; nor has a folder without anything to search.
    const empty = session.phase === 'running' && folders.length > 0 && folders.every((folder) => folder.state === 'ready' && !folder.files);
    if (session.phase === 'idle' || empty || !searchable().length) {
      item.hide();
      return;
    }
    item.text = `$(${icon}) ${text}`;
    item.tooltip = new vscode.MarkdownString(`**connote** ${session.server?.version ?? ''}\n\n${tooltip}`);
    item.accessibilityInformation = { label: `connote: ${tooltip}`, role: 'button' };
    item.backgroundColor = color ? new vscode.ThemeColor(`statusBarItem.${color}Background`) : undefined;
    item.show();
  }

  private look(states: string[]): [icon: string, text: string, tooltip: string, color?: string] {
    const { session } = this;
    const told = [...session.folders.values()].flatMap((folder) => (folder.message ? [folder.message] : []));
    switch (session.phase) {
      case 'missing': return ['circle-slash', 'connote', session.explanation(), 'warning'];
      case 'failed': return ['error', 'connote', session.explanation(), 'error'];
      case 'running': break;
      default: return ['loading~spin', 'connote', session.explanation()];
    }
    if (states.includes('error')) return ['error', 'connote', told.join(' ') || 'The index cannot be used.', 'error'];
    const percent = percentage(session);
    const running = progress(session);
    if (running ?? !states.length) return ['loading~spin', percent === undefined ? 'connote' : `connote ${percent}%`, running ? capital(running) : 'The index is being opened.'];
    if (states.includes('degraded')) return ['warning', 'connote', told.join(' ') || 'The index has problems.', 'warning'];
    const files = [...session.folders.values()].reduce((sum, folder) => sum + folder.files, 0);
    return ['search-fuzzy', 'connote', [`${files} ${files === 1 ? 'file is' : 'files are'} indexed.`, ...told].join(' ')];
  }
}

/** The menu behind the status bar item: what can be done now. */
export async function menu(session: Session): Promise<void> {
  const running = session.phase === 'running';
  const entry = (icon: string, label: string, command: string, description = ''): vscode.QuickPickItem & { command: string } =>
    ({ label: `$(${icon}) ${label}`, description, command });
  const entries = [
    ...(running
      ? [
          entry('search-fuzzy', 'Search Code by Meaning', 'connote.search'),
          entry('symbol-class', 'Search Symbols by Meaning', 'connote.searchSymbols'),
          entry('sync', 'Bring the Index up to Date', 'connote.updateIndex'),
          entry('refresh', 'Rebuild the Index', 'connote.rebuildIndex', 'from nothing'),
          entry('info', 'Show Status', 'connote.showStatus'),
        ]
      : session.phase === 'missing'
        ? [entry('cloud-download', 'Install the Server', 'connote.installServer'), entry('refresh', 'Look for the Server Again', 'connote.restart')]
        : [entry('debug-restart', 'Start the Server Again', 'connote.restart')]),
    entry('output', 'Show Log', 'connote.showLog'),
    entry('gear', 'Open Settings', 'connote.openSettings'),
    ...(running ? [entry('debug-restart', 'Restart the Server', 'connote.restart')] : []),
  ];
  const state = running ? (progress(session) ?? [...session.folders.values()].map((folder) => folder.state).join(', ')) : session.explanation();
  const chosen = await vscode.window.showQuickPick(entries, { title: `connote ${session.server?.version ?? ''} — ${state}`, placeHolder: 'What to do' });
  if (chosen) await vscode.commands.executeCommand(chosen.command);
}

/** Brings the indexes up to date, or builds them anew; the server shows the progress. */
export async function reindex(session: Session, rebuild: boolean): Promise<void> {
  await ask(session, REINDEX, { rebuild });
}

/** Removes the indexes, after the user agreed. */
export async function clear(session: Session): Promise<void> {
  const yes = 'Remove';
  const chosen = await vscode.window.showWarningMessage('Remove the index of this workspace? It is built again when you ask for it, or at the next start.', { modal: true }, yes);
  if (chosen === yes) await ask(session, CLEAR, {});
}

/** Shows all that is known of the indexes as a page. */
export async function showStatus(pages: StatusPages): Promise<void> {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: 'connote status' });
  pages.changed.fire(uri);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'), { preview: true });
}

export class StatusPages implements vscode.TextDocumentContentProvider {
  readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly session: Session) {}

  static register(session: Session): { pages: StatusPages; registration: vscode.Disposable } {
    const pages = new StatusPages(session);
    return { pages, registration: vscode.workspace.registerTextDocumentContentProvider(SCHEME, pages) };
  }

  async provideTextDocumentContent(): Promise<string> {
    const { server } = this.session;
    const head = ['# connote', '', server ? `Server ${server.version}: ${server.command}, found by ${server.origin}` : 'No server', ''];
    try {
      const result = await this.session.request(status, {});
      return [...head, ...(result.message ? [result.message, ''] : []), ...result.folders.flatMap(page)].join('\n');
    } catch (error) {
      return [...head, error instanceof Error ? error.message : String(error)].join('\n');
    }
  }
}

function page(folder: FolderStatus): string[] {
  const counts = (values: Record<string, number> | undefined): string =>
    Object.entries(values ?? {}).sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
  return [
    `## ${folder.root}`, '',
    `- state: ${folder.state}${folder.message ? ` — ${folder.message}` : ''}`,
    `- files: ${folder.files} indexed, ${folder.pending} pending, ${folder.failed} failed`,
    `- chunks: ${folder.chunks}`,
    `- left out: ${counts(folder.skipped)}`,
    `- languages: ${counts(folder.languages)}`,
    `- kinds: ${counts(folder.kinds)}`,
    `- model: ${folder.model}, ${folder.dimensions} dimensions`,
    `- store: ${folder.store}, ${(folder.bytes / 1e6).toFixed(1)} MB in ${folder.path}`,
    `- last brought up to date: ${folder.last_sync ?? 'never'}`, '',
  ];
}

async function ask(session: Session, command: string, argument: object): Promise<void> {
  try {
    await session.request(executeCommand, { command, arguments: [argument] });
  } catch (error) {
    void vscode.window.showWarningMessage(error instanceof Error ? error.message : String(error));
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
