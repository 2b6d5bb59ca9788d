"""The catalog's tables."""

SCHEMA_VERSION = 2
"""Part of an index's identity: raise it when a table or the meaning of a column changes."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Ids of files and chunks are never given twice: whoever has seen all up to one knows what is new (store/kept.py).
-- One row a file that is indexed. `kinds` holds how many symbols of each kind it defines, as a JSON object; `words`
-- holds the file's distinct words and their counts (see tally in terms.py).
CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, digest BLOB NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, language TEXT, kinds TEXT NOT NULL, words BLOB NOT NULL
);

-- Files that are not indexed, with the reason: skipped on purpose, or failed (problem = 1).
CREATE TABLE IF NOT EXISTS left_out (
    path TEXT PRIMARY KEY, reason TEXT NOT NULL, problem INTEGER NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;

-- `digest` is that of the embedded text: the key of its vector, which may come later than the chunk.
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, position INTEGER NOT NULL, digest BLOB NOT NULL,
    start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    line INTEGER NOT NULL, col INTEGER NOT NULL, language TEXT, symbol TEXT, kind TEXT, scope TEXT NOT NULL,
    part INTEGER NOT NULL, parts INTEGER NOT NULL, length INTEGER NOT NULL, text TEXT NOT NULL
);
-- With the length, so that the mean of all lengths is read from the index alone.
CREATE INDEX IF NOT EXISTS chunks_file ON chunks (file, length);
CREATE INDEX IF NOT EXISTS chunks_digest ON chunks (digest);

-- `key` is one form for all spellings of the name.
CREATE TABLE IF NOT EXISTS symbols (
    chunk INTEGER NOT NULL, file INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
    scope TEXT NOT NULL, start_line INTEGER NOT NULL, start_col INTEGER NOT NULL, end_line INTEGER NOT NULL,
    end_col INTEGER NOT NULL, line INTEGER NOT NULL, col INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS symbols_chunk ON symbols (chunk);
CREATE INDEX IF NOT EXISTS symbols_key ON symbols (key);
CREATE INDEX IF NOT EXISTS symbols_kind ON symbols (kind, chunk);

-- Vectors by the digest of their text, float16. `wanted`: a chunk has this text. `stored`: Chroma has this vector.
-- Where the two differ, Chroma's owner has work to do. Vectors that nobody wants are kept for a while: texts come back.
CREATE TABLE IF NOT EXISTS vectors (
    digest BLOB PRIMARY KEY, vector BLOB NOT NULL, wanted INTEGER NOT NULL, stored INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS vectors_outbox ON vectors (wanted) WHERE wanted <> stored;
CREATE INDEX IF NOT EXISTS vectors_unwanted ON vectors (wanted) WHERE wanted = 0;

-- Texts that wait for their vector.
CREATE TABLE IF NOT EXISTS waiting (digest BLOB PRIMARY KEY, text TEXT NOT NULL);

-- Texts among those that wait which the model takes in no form: not sent again before the time `again`.
CREATE TABLE IF NOT EXISTS refused (
    digest BLOB PRIMARY KEY, reason TEXT NOT NULL, tries INTEGER NOT NULL, again REAL NOT NULL
);

-- The words of each chunk, already split and stemmed; rowid is the chunk's id. Places of words are kept,
-- though phrases are never asked for: without them BM25 reads each text again, which takes eight times as long.
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    body, names, stem, folders, tokenize = "unicode61 remove_diacritics 0"
);
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (words, 'row');
"""
