-- The content of the sources. Times are milliseconds since the Unix epoch, hashes are BLAKE3.
-- A change of a table here needs a higher version in each `Schema`.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    -- Hash of the file's bytes.
    hash BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    -- Digest of all rows of the source.
    digest BLOB NOT NULL,
    -- Number of texts with a removed secret.
    hidden INTEGER NOT NULL,
    UNIQUE (kind, path)
) STRICT;

CREATE TABLE observation (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    source INTEGER NOT NULL REFERENCES source (id),
    kind TEXT NOT NULL,
    task TEXT,
    time INTEGER,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    summary TEXT NOT NULL,
    -- One per line.
    refs TEXT NOT NULL,
    detail TEXT NOT NULL,
    -- Who says it: the role of a message; NULL if nobody does.
    role TEXT
) STRICT;
CREATE INDEX observation_by_source ON observation (source);
-- Rows of timelines and logs may name tasks in their text.
CREATE INDEX observation_of_rows ON observation (id) WHERE kind IN ('progress', 'log');
CREATE INDEX observation_by_task ON observation (task) WHERE task IS NOT NULL;
-- Rows without a time are never searched by time.
CREATE INDEX observation_by_time ON observation (time) WHERE time IS NOT NULL;
