/** The server's settings as this editor holds them: what the user set, apart from what the workspace set. */

import * as vscode from 'vscode';

/** Where the secret store keeps the embedding endpoint's key. */
export const API_KEY = 'connote.embed.api_key';

interface Property {
  scope?: string;
}

/**
 * What `workspace/configuration` is answered for a folder, given as its URI.
 *
 * Only what somebody set is sent, so that the editor's defaults hide neither the environment nor the user's file.
 * The workspace's values are under `workspace`, for they count as a project's: below the user's own, and never
 * for what says where data goes.
 */
export async function serverSettings(
  extension: vscode.Extension<unknown>, secrets: vscode.SecretStorage, scope: string | undefined,
): Promise<Record<string, unknown>> {
  const configuration = vscode.workspace.getConfiguration('connote', scope ? vscode.Uri.parse(scope) : null);
  const user: Record<string, unknown> = {};
  const workspace: Record<string, unknown> = {};
  for (const [name, property] of generated(extension)) {
    const value = configuration.inspect(name);
    if (value?.globalValue !== undefined) user[name] = value.globalValue;
    const nearest = value?.workspaceFolderValue ?? value?.workspaceValue;
    if (nearest !== undefined && property.scope !== 'machine') workspace[name] = nearest;
  }
  const key = await secrets.get(API_KEY);
  if (key) user['embed.api_key'] = key;
  return { ...user, workspace };
}

/** Asks for the endpoint's key and keeps it in the editor's secret store. */
export async function setApiKey(secrets: vscode.SecretStorage): Promise<void> {
  const key = await vscode.window.showInputBox({
    title: 'connote: key of the embedding endpoint',
    prompt: 'Kept in the editor’s secret store, never in a file of settings. Empty removes it.',
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined) return;
  if (key.trim()) await secrets.store(API_KEY, key.trim());
  else await secrets.delete(API_KEY);
}

/** The settings in package.json that are the server's, by their names there: all sections but the first, our own. */
function generated(extension: vscode.Extension<unknown>): [string, Property][] {
  const manifest = extension.packageJSON as { contributes: { configuration: { properties: Record<string, Property> }[] } };
  return manifest.contributes.configuration
    .slice(1)
    .flatMap((section) => Object.entries(section.properties))
    .map(([name, property]) => [name.replace(/^connote\./, ''), property]);
}
