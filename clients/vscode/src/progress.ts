/** What the indexes of all folders are doing, in words. */

import type { Session } from './session';

/** `indexing 120 of 400 files` while an index is being built, else nothing. */
export function progress(session: Session): string | undefined {
  const indexing = [...session.folders.values()].filter((folder) => folder.state === 'indexing');
  if (!indexing.length) return undefined;
  const done = indexing.reduce((sum, folder) => sum + folder.files, 0);
  const total = done + indexing.reduce((sum, folder) => sum + folder.pending, 0);
  return total ? `the index is still being built: ${done} of ${total} files` : 'the index is still being built';
}

/** 0 to 100 while an index is being built, else nothing. */
export function percentage(session: Session): number | undefined {
  const indexing = [...session.folders.values()].filter((folder) => folder.state === 'indexing');
  const done = indexing.reduce((sum, folder) => sum + folder.files, 0);
  const total = done + indexing.reduce((sum, folder) => sum + folder.pending, 0);
  return total ? Math.floor((100 * done) / total) : undefined;
}
