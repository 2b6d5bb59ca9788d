/** Asks the server what a query box or a place in a document asks for. */

import type * as vscode from 'vscode';
import * as protocol from './protocol';
import { parseQuery } from './query';
import type { Session } from './session';

/** A place whose like is looked for. */
export interface Similar {
  title: string;
  params: protocol.SimilarParams;
}

/** Best first. Rejects with a sentence for the user. */
export async function search(
  session: Session, typed: string, options: { definitions?: boolean; similar?: Similar | undefined; limit?: number; minScore?: number | undefined }, token?: vscode.CancellationToken,
): Promise<protocol.SearchResult> {
  if (options.similar) return session.request(protocol.similarCode, { limit: 50, ...options.similar.params }, token);
  const { text, filters, problem } = parseQuery(typed);
  if (problem) throw new Error(problem);
  const params: protocol.SearchParams = { query: text, limit: options.limit ?? 50, ...filters };
  if (options.minScore !== undefined) params.minScore = options.minScore;
  if (options.definitions) params.definitionsOnly = true;
  return session.request(protocol.semanticSearch, params, token);
}
