/** The life of the server: found, started, watched, started again when it crashed, stopped. */

import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import {
  CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State, type CloseHandlerResult, type LanguageClientOptions, type RequestType,
} from 'vscode-languageclient/node';
import { install } from './install';
import { locate, type Server } from './locate';
import { logLine } from './log';
import * as protocol from './protocol';
import { onDidSelectEnvironment } from './python';
import { API_KEY, serverSettings } from './settings';

export type Phase =
  /** No folder is open that could be searched. */
  | 'idle'
  /** No server was found. */
  | 'missing'
  | 'starting'
  | 'running'
  /** It crashed, and starts again in a moment. */
  | 'restarting'
  /** It cannot be started, or crashed too often. */
  | 'failed';

const CRASHES = 4;
/** Milliseconds in which so many crashes are too many. */
const CRASH_WINDOW = 180_000;
/** Milliseconds to the first new start; doubled with each crash. */
const BACK_OFF = 500;

/** A client that says its troubles in the log alone: what the user has to know, the session says once. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** The one owner of the language client. */
export class Session implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('connote', { log: true });
  /** The state of each folder's index, by URI. */
  readonly folders = new Map<string, protocol.StatusChanged>();
  phase: Phase = 'idle';
  /** Why it is missing or failed, in a sentence for the user. */
  problem: string | undefined;
  server: Server | undefined;
  private client: LanguageClient | undefined;
  private crashes: number[] = [];
  private wakeUp: (() => void) | undefined;
  private turn: Promise<void> = Promise.resolve();
  private offered = false;
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when the phase or the state of a folder is another. */
  readonly onDidChange = this.changed.event;
  private readonly disposables: { dispose(): unknown }[] = [];

  constructor(private readonly context: vscode.ExtensionContext) {
    this.disposables.push(
      this.log,
      this.changed,
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.refresh()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('connote.path')) void this.refresh();
      }),
      context.secrets.onDidChange((event) => {
        if (event.key === API_KEY) void this.tellSettings();
      }),
    );
    void onDidSelectEnvironment(() => void this.refresh()).then((listener) => listener && this.disposables.push(listener));
  }

  /** Sends a request; rejects with a sentence for the user where no server runs. */
  async request<P, R>(type: RequestType<P, R, void>, params: P, token?: vscode.CancellationToken): Promise<R> {
    const client = this.client;
    if (!client || this.phase !== 'running') throw new Error(this.explanation());
    // Given as an argument, even undefined would be a parameter.
    return token ? client.sendRequest<R>(type.method, params, token) : client.sendRequest<R>(type.method, params);
  }

  /** A place of the server's in the editor's terms. */
  place(hit: protocol.Hit): { uri: vscode.Uri; range: vscode.Range; name: vscode.Range } {
    const range = (value: protocol.Hit['selectionRange']): vscode.Range =>
      new vscode.Range(value.start.line, value.start.character, value.end.line, value.end.character);
    return { uri: vscode.Uri.parse(hit.location.uri, true), range: range(hit.location.range), name: range(hit.selectionRange) };
  }

  /** Why nothing can be asked now, in a sentence for the user. */
  explanation(): string {
    switch (this.phase) {
      case 'idle': return 'Open a folder first: connote searches the folders of the workspace.';
      case 'starting': return 'The connote server is starting.';
      case 'restarting': return 'The connote server stopped and is starting again.';
      default: return this.problem ?? 'The connote server does not run.';
    }
  }

  /** Looks for the server again, and starts it if it is another one or does not run. */
  refresh(): Promise<void> {
    return this.inTurn(async () => {
      if (!searchable().length) {
        if (!this.client) this.set('idle');
        return;
      }
      const storage = await this.storage();
      if (!this.client) this.set('starting');
      const located = await locate(storage);
      if ('problem' in located) {
        if (this.client && this.phase === 'running') return; // what runs is better than nothing
        this.log.warn(located.problem);
        this.set('missing', located.problem);
        this.offer(located.problem, located.canInstall);
      } else if (!this.client || located.server.command !== this.server?.command) {
        await this.start(located.server, storage);
      }
    });
  }

  /** Starts the server anew, wherever it is found now. */
  restart(): Promise<void> {
    this.crashes = [];
    return this.inTurn(() => this.stop()).then(() => this.refresh());
  }

  /** Installs the server into the extension's own environment, and starts it. */
  async install(): Promise<void> {
    const storage = await this.storage();
    await this.inTurn(() => this.stop());
    this.set('missing', 'The connote server is being installed.');
    await install(storage, this.log);
    await this.refresh();
  }

  /** Asks the server to read its settings again. */
  async tellSettings(): Promise<void> {
    if (this.phase === 'running') await this.client?.sendNotification('workspace/didChangeConfiguration', { settings: null });
  }

  async end(): Promise<void> {
    await this.inTurn(() => this.stop());
  }

  dispose(): void {
    for (const one of this.disposables) one.dispose();
  }

  private async start(server: Server, storage: string): Promise<void> {
    await this.stop();
    this.server = server;
    this.set('starting');
    this.log.info(`Starting connote ${server.version}, ${server.command}, found by ${server.origin}`);
    const executable = { command: server.command, args: ['lsp'], options: { cwd: storage, env: { ...process.env } } };
    const client = new Client('connote', 'connote', executable, this.options());
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (this.client !== client) return;
      if (newState === State.Running) this.running(client);
      else if (newState === State.Starting && this.phase !== 'restarting') this.set('starting');
    });
    client.onNotification(protocol.statusChanged, (status) => {
      this.folders.set(status.folder, status);
      this.changed.fire();
    });
    try {
      await client.start();
    } catch (error) {
      if (this.client === client && this.phase !== 'restarting') this.fail(`The connote server does not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private running(client: LanguageClient): void {
    const experimental = client.initializeResult?.capabilities.experimental as { semanticSearchProvider?: { version?: number } } | undefined;
    const version = experimental?.semanticSearchProvider?.version;
    if (version === protocol.PROVIDER_VERSION) this.set('running');
    else this.fail(`connote ${this.server?.version ?? ''} does not fit this extension (search protocol ${version ?? 'unknown'}, ${protocol.PROVIDER_VERSION} is wanted). Update the ${(version ?? 0) > protocol.PROVIDER_VERSION ? 'extension' : 'server'}.`);
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.folders.clear();
    this.wakeUp?.();
    if (!client) return;
    try {
      await client.dispose();
    } catch (error) {
      this.log.debug(`The server was gone already: ${String(error)}`);
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.log,
      traceOutputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (_error, _message, count) => ({ action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true }),
        closed: () => this.closed(),
      },
      middleware: {
        workspace: {
          configuration: (params) =>
            Promise.all(params.items.map(({ section, scopeUri }) =>
              section === 'connote' ? serverSettings(this.context.extension, this.context.secrets, scopeUri) : Promise.resolve(null))),
          didChangeConfiguration: () => this.tellSettings(),
        },
        provideWorkspaceSymbols: (query, token, next) =>
          vscode.workspace.getConfiguration('connote').get<boolean>('workspaceSymbols', true) ? next(query, token) : [],
      },
      // The protocol's stream is read by the client itself.
      stdioOptions: { stdout: () => undefined, stderr: (input) => logLine(input, this.log) },
    };
  }

  /** What to do when the server is gone without having been asked to go. */
  private async closed(): Promise<CloseHandlerResult> {
    const client = this.client;
    if (!client) return { action: CloseAction.DoNotRestart, handled: true };
    const now = Date.now();
    this.crashes = [...this.crashes.filter((time) => now - time < CRASH_WINDOW), now];
    this.folders.clear();
    if (this.crashes.length >= CRASHES) {
      this.fail(`The connote server stopped ${this.crashes.length} times within three minutes. Its log says why.`);
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    const wait = BACK_OFF * 2 ** (this.crashes.length - 1);
    this.log.warn(`The server is gone; it starts again in ${wait} ms.`);
    this.set('restarting');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = undefined;
    return { action: this.client === client ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
  }

  private fail(problem: string): void {
    this.log.error(problem);
    this.set('failed', problem);
    const again = 'Start Again';
    const showLog = 'Show Log';
    void vscode.window.showErrorMessage(problem, again, showLog).then((chosen) => {
      if (chosen === again) void this.restart();
      else if (chosen === showLog) this.log.show();
    });
  }

  /** Says once what is missing; the status bar goes on saying it. */
  private offer(problem: string, canInstall: boolean): void {
    if (this.offered) return;
    this.offered = true;
    const yes = 'Install';
    const settings = 'Open Settings';
    const text = canInstall ? `${problem} Install it into an environment of the extension’s own? That needs Python 3.10 or newer and changes nothing else.` : problem;
    void vscode.window.showInformationMessage(text, ...(canInstall ? [yes, settings] : [settings])).then((chosen) => {
      if (chosen === yes) void this.install();
      else if (chosen === settings) void vscode.commands.executeCommand('workbench.action.openSettings', 'connote.path');
    });
  }

  private set(phase: Phase, problem?: string): void {
    this.phase = phase;
    this.problem = problem;
    this.changed.fire();
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch((error: unknown) => this.log.error(String(error)));
    return this.turn;
  }

  private async storage(): Promise<string> {
    const folder = this.context.globalStorageUri.fsPath;
    await fs.mkdir(folder, { recursive: true });
    return folder;
  }
}

/** The workspace's folders that a server beside the editor's files can read. */
export function searchable(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
}
