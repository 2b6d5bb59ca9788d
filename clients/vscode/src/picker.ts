/** The picker: results as you type, in the server's order, with a preview of the highlighted one. */

import * as vscode from 'vscode';
import { search, type Similar } from './ask';
import { icon, where } from './items';
import { jump, Preview } from './preview';
import type * as protocol from './protocol';
import { parseQuery } from './query';
import type { Results } from './results';
import { progress } from './progress';
import type { Session } from './session';
import { summary } from './summary';

/** Milliseconds without a key before what is typed is sent. */
const DEBOUNCE = 120;
/** Milliseconds that a hit is highlighted before it is previewed: who holds the arrow key sees no flicker. */
const LINGER = 90;
const REMEMBERED = 10;
const HISTORY = 'connote.queries';

interface Row extends vscode.QuickPickItem {
  hit?: protocol.Hit;
  /** A query that was asked before. */
  query?: string;
  /** What to do about a server that does not run. */
  command?: string;
  /** Asks for what is nearest, however far. */
  anyway?: boolean;
}

const BESIDE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: 'Open to the Side (Ctrl+Enter)' };
const KEEP: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('list-tree'), tooltip: 'Keep These Results in a View (Alt+Enter)' };

/** The picker that is open, for commands that act on it. */
let current: Picker | undefined;
/** While the one before puts the editor back as it was: a picker that opened meanwhile would lose the focus. */
let closing: Promise<void> = Promise.resolve();

export function openPicker(): Picker | undefined {
  return current;
}

/** Opens a picker, when the one before has left the editor as it was. */
export async function pick(...options: ConstructorParameters<typeof Picker>): Promise<void> {
  await closing;
  new Picker(...options).show();
}

function opened(picker: Picker | undefined): void {
  current = picker;
  void vscode.commands.executeCommand('setContext', 'connote.picking', picker !== undefined);
}

export class Picker {
  private readonly pick = vscode.window.createQuickPick<Row>();
  private readonly preview = new Preview();
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private lingering: NodeJS.Timeout | undefined;
  private request: vscode.CancellationTokenSource | undefined;
  /** Counts what was asked: an answer to anything but the last is not shown. */
  private turn = 0;
  private result: protocol.SearchResult | undefined;
  private chosen = false;

  constructor(
    private readonly session: Session,
    private readonly results: Results,
    private readonly memory: vscode.Memento,
    private readonly options: { definitions?: boolean; query?: string; similar?: Similar } = {},
  ) {
    const { pick } = this;
    pick.placeholder = options.similar
      ? 'Filter by name or path'
      : `Describe the ${options.definitions ? 'symbol' : 'code'} you look for; lang:go path:src/ kind:function narrow it`;
    pick.matchOnDescription = pick.matchOnDetail = Boolean(options.similar);
    pick.buttons = [KEEP];
    // Not in the API's types yet; without it, rows whose label matches would move to the top.
    Object.assign(pick, { sortByLabel: false });
    this.listeners = [
      pick.onDidChangeValue(() => this.typed()),
      pick.onDidChangeActive((rows) => this.highlighted(rows[0])),
      pick.onDidAccept(() => void this.accept()),
      pick.onDidTriggerButton(() => this.keep()),
      pick.onDidTriggerItemButton(({ item }) => void this.accept(true, item)),
      pick.onDidHide(() => {
        closing = this.close();
      }),
      session.onDidChange(() => this.stateChanged()),
    ];
  }

  show(): void {
    opened(this);
    this.pick.value = this.options.query ?? '';
    this.title();
    if (this.options.query || this.options.similar) void this.ask();
    else this.offer(this.idle());
    this.pick.show();
  }

  /** Opens the highlighted hit, or asks the highlighted query again. */
  async accept(beside = false, row = this.pick.activeItems[0]): Promise<void> {
    if (row?.query !== undefined) {
      this.pick.value = row.query;
      void this.ask();
      return;
    }
    if (row?.anyway) void this.ask(0);
    if (row?.command) {
      this.pick.hide();
      await vscode.commands.executeCommand(row.command);
    }
    if (!row?.hit) return;
    const { uri, range, name } = this.session.place(row.hit);
    this.chosen = true;
    void this.remember();
    this.pick.hide();
    try {
      await jump(uri, range, name, beside);
    } catch (error) {
      void vscode.window.showWarningMessage(`${row.hit.path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Moves the hits into the view. */
  keep(): void {
    if (!this.result?.hits.length) return;
    void this.remember();
    const { similar, definitions } = this.options;
    void this.results.keep(
      { title: similar?.title ?? this.pick.value, query: this.pick.value, definitions: definitions ?? false, ...(similar ? { similar: similar.params } : {}) },
      this.result,
    );
    this.pick.hide();
  }

  private typed(): void {
    if (this.options.similar) return; // the list filters itself
    clearTimeout(this.timer);
    if (!parseQuery(this.pick.value).text) {
      this.forget();
      this.offer(this.pick.value.trim() ? [] : this.idle());
      this.title();
      return;
    }
    this.timer = setTimeout(() => void this.ask(), DEBOUNCE);
  }

  private async ask(minScore?: number): Promise<void> {
    this.forget();
    if (this.session.phase !== 'running') {
      this.offer(this.unavailable());
      return;
    }
    const turn = this.turn;
    const request = (this.request = new vscode.CancellationTokenSource());
    this.pick.busy = true;
    try {
      const result = await search(this.session, this.pick.value, { ...this.options, minScore }, request.token);
      if (turn === this.turn) this.fill(result);
    } catch (error) {
      if (turn === this.turn) this.explain(error instanceof Error ? error.message : String(error));
    } finally {
      if (turn === this.turn) this.pick.busy = false;
      request.dispose();
    }
  }

  private fill(result: protocol.SearchResult): void {
    this.result = result;
    this.title();
    if (!result.hits.length) {
      this.explain(result.message ?? (result.complete ? 'Nothing is found that means this.' : 'Nothing is found yet: the index is still being built.'));
      if (!this.options.similar) {
        const anyway: Row = { label: 'Show what is nearest anyway', iconPath: new vscode.ThemeIcon('search-fuzzy'), anyway: true, alwaysShow: true };
        this.offer([...this.pick.items, anyway]);
      }
      return;
    }
    this.pick.items = result.hits.map((hit) => ({
      label: `$(${icon(hit).id}) ${hit.name}`,
      description: where(hit),
      detail: summary(hit),
      alwaysShow: !this.options.similar,
      buttons: [BESIDE],
      hit,
    }));
  }

  /** Shows rows, with the first highlighted that does something. */
  private offer(rows: Row[]): void {
    this.pick.items = rows;
    const first = rows.find((row) => row.command ?? row.anyway);
    if (first) this.pick.activeItems = [first];
  }

  /** A row that says something and cannot be opened; what follows the first sentence is below it. */
  private explain(text: string): void {
    const [, label, detail] = /^(.+?\.)\s+(.+)$/s.exec(text) ?? ['', text, ''];
    this.pick.items = [{ label, ...(detail ? { detail } : {}), iconPath: new vscode.ThemeIcon('info'), alwaysShow: true }];
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.turn++;
    this.request?.cancel();
    this.request = undefined;
    this.result = undefined;
    this.pick.busy = false;
  }

  private highlighted(row: Row | undefined): void {
    clearTimeout(this.lingering);
    const hit = row?.hit;
    if (!hit || !vscode.workspace.getConfiguration('connote').get<boolean>('preview', true)) return;
    const { uri, range } = this.session.place(hit);
    this.lingering = setTimeout(() => this.preview.show(uri, range), LINGER);
  }

  private stateChanged(): void {
    this.title();
    if (this.result?.hits.length || this.request) return; // nothing moves while the user looks through it
    if (this.session.phase !== 'running' || !(this.options.similar ?? parseQuery(this.pick.value).text)) this.offer(this.idle());
    else if (!this.result || (!this.result.complete && !progress(this.session))) void this.ask(); // it may be there now
  }

  private title(): void {
    const name = this.options.similar?.title ?? (this.options.definitions ? 'Search Symbols by Meaning' : 'Search Code by Meaning');
    const notes = [progress(this.session)];
    if (this.result?.relaxed) notes.push('Nothing fits well: these are the nearest');
    else if (this.result?.hits.length && this.result.message) notes.push(this.result.message);
    this.pick.title = [name, ...notes].filter(Boolean).join(' — ');
  }

  /** What is offered before anything is asked. */
  private idle(): Row[] {
    return this.session.phase === 'running' ? this.remembered() : this.unavailable();
  }

  private unavailable(): Row[] {
    const { phase } = this.session;
    const action = (label: string, icon: string, command: string): Row => ({ label, iconPath: new vscode.ThemeIcon(icon), command, alwaysShow: true });
    return [
      { label: this.session.explanation(), iconPath: new vscode.ThemeIcon(phase === 'starting' || phase === 'restarting' ? 'loading~spin' : 'info'), alwaysShow: true },
      ...(phase === 'missing' ? [action('Install the server', 'cloud-download', 'connote.installServer'), action('Open the settings', 'gear', 'connote.openSettings')] : []),
      ...(phase === 'failed' ? [action('Start the server again', 'debug-restart', 'connote.restart'), action('Show the log', 'output', 'connote.showLog')] : []),
      ...(phase === 'idle' ? [action('Open a folder', 'folder-opened', 'workbench.action.files.openFolder')] : []),
    ];
  }

  private remembered(): Row[] {
    return this.memory.get<string[]>(HISTORY, []).map((query) => ({ label: query, iconPath: new vscode.ThemeIcon('history'), query, alwaysShow: true }));
  }

  private async remember(): Promise<void> {
    const query = this.pick.value.trim();
    if (!query || this.options.similar) return;
    const others = this.memory.get<string[]>(HISTORY, []).filter((other) => other !== query);
    await this.memory.update(HISTORY, [query, ...others].slice(0, REMEMBERED));
  }

  private async close(): Promise<void> {
    if (current === this) opened(undefined);
    this.forget();
    clearTimeout(this.lingering);
    for (const listener of this.listeners) listener.dispose();
    this.pick.dispose();
    if (!this.chosen) await this.preview.restore();
    this.preview.dispose();
  }
}
