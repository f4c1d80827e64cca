-- What the sources say. Times are milliseconds since the epoch, hashes SHA-256.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    -- Of the bytes of the file.
    hash BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    -- Of everything that is stored of it.
    digest BLOB NOT NULL,
    -- Texts from which a secret was taken.
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
    -- One a line.
    refs TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
CREATE INDEX observation_by_source ON observation (source);
CREATE INDEX observation_by_task ON observation (task) WHERE task IS NOT NULL;
CREATE INDEX observation_by_time ON observation (time);

-- Holds words and where they stand, not the texts, which `observation` has. The words are parted before they come here,
-- since no tokenizer of SQLite finds words in Chinese or splits identifiers.
CREATE VIRTUAL TABLE observation_text USING fts5 (
    head, body,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TABLE finding (
    source INTEGER NOT NULL REFERENCES source (id),
    code INTEGER NOT NULL,
    line INTEGER NOT NULL,
    message TEXT NOT NULL
) STRICT;
CREATE INDEX finding_by_source ON finding (source);
