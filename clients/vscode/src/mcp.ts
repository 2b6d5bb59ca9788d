/** The server's face for agents, offered to those of the editor. */

import * as vscode from 'vscode';
import { run } from './run';
import { searchable, type Session } from './session';

/** Offers one MCP server a folder, where both this editor and the server that was found know MCP. */
export function registerMcp(session: Session, storage: string): vscode.Disposable {
  // Editors older than the API, and those that leave it out, go without.
  const known = vscode.lm as Partial<typeof vscode.lm> | undefined;
  if (!known?.registerMcpServerDefinitionProvider) return new vscode.Disposable(() => undefined);
  const changed = new vscode.EventEmitter<void>();
  let offered: string | undefined;
  const listener = session.onDidChange(() => {
    if (session.server?.command !== offered) changed.fire();
    offered = session.server?.command;
  });
  const provider = vscode.lm.registerMcpServerDefinitionProvider('connote', {
    onDidChangeMcpServerDefinitions: changed.event,
    async provideMcpServerDefinitions(): Promise<vscode.McpStdioServerDefinition[]> {
      const { server } = session;
      if (!server || (await run(server.command, ['mcp', '--help'], storage, { timeout: 30_000 })).code !== 0) return [];
      return searchable().map((folder) => new vscode.McpStdioServerDefinition(
        searchable().length > 1 ? `connote: ${folder.name}` : 'connote', server.command, ['mcp', folder.uri.fsPath], {}, server.version,
      ));
    },
  });
  return vscode.Disposable.from(changed, listener, provider);
}
