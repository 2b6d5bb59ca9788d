/** What the server speaks beyond LSP: the names and shapes of its own requests and notifications. */

import { NotificationType, RequestType, type Location, type Position, type Range, type SymbolKind } from 'vscode-languageclient/node';

/** The version of `experimental.semanticSearchProvider` that this extension understands. */
export const PROVIDER_VERSION = 1;

export interface SearchParams {
  query: string;
  limit?: number;
  mode?: string;
  include?: string[];
  exclude?: string[];
  languages?: string[];
  kinds?: string[];
  folders?: string[];
  definitionsOnly?: boolean;
  minScore?: number;
  relax?: boolean;
  why?: boolean;
  wait?: boolean;
}

export interface SimilarParams {
  textDocument: { uri: string };
  position?: Position;
  range?: Range;
  limit?: number;
}

export interface Hit {
  /** The full range of the chunk or symbol. */
  location: Location;
  /** The symbol's name, else the first line with text. */
  selectionRange: Range;
  score: number;
  /** The symbol; without one, the file's name. */
  name: string;
  kind: SymbolKind;
  containerName?: string;
  language: string;
  /** Relative to the folder, with `/`. */
  path: string;
  folder: string;
  /** The beginning of the hit's text. */
  preview: string;
  /** Whether its lines are no longer those that were indexed. */
  stale: boolean;
  signals?: { name: string; amount: number }[];
}

export interface SearchResult {
  /** Best first. */
  hits: Hit[];
  /** Whether all that was searched is indexed to the end. */
  complete: boolean;
  /** Whether only hits of half the wanted score were found. */
  relaxed: boolean;
  /** Why there are no hits, or not all. */
  message?: string;
}

export type IndexState = 'indexing' | 'ready' | 'degraded' | 'error';

export interface StatusChanged {
  folder: string;
  state: IndexState;
  files: number;
  pending: number;
  message?: string | null;
}

export interface FolderStatus extends StatusChanged {
  root: string;
  chunks: number;
  failed: number;
  skipped: Record<string, number>;
  languages: Record<string, number>;
  kinds: Record<string, number>;
  model: string;
  dimensions: number;
  store: string;
  path: string;
  bytes: number;
  last_sync: string | number | null;
}

export interface StatusResult {
  folders: FolderStatus[];
  message?: string | null;
}

export const semanticSearch = new RequestType<SearchParams, SearchResult, void>('workspace/semanticSearch');
export const similarCode = new RequestType<SimilarParams, SearchResult, void>('textDocument/similarCode');
export const status = new RequestType<object, StatusResult, void>('connote/status');
export const statusChanged = new NotificationType<StatusChanged>('connote/statusChanged');

export const executeCommand = new RequestType<{ command: string; arguments: object[] }, unknown, void>('workspace/executeCommand');

/** Commands of the server, for `workspace/executeCommand`. */
export const REINDEX = 'connote.reindex';
export const CLEAR = 'connote.clear';
