-- The words of observations in segments: what one run adds is one, and small ones are merged. A segment is never changed; an
-- observation that is removed stays in it until it is merged, and is passed over.
DROP TABLE observation_text;
DROP TABLE embedding;

CREATE TABLE segment (
    id INTEGER PRIMARY KEY,
    -- The ids of its observations, rising, 8 bytes each; their position is what the other tables call them by.
    observations BLOB NOT NULL,
    -- How many words each has, 4 bytes.
    lengths BLOB NOT NULL
) STRICT;

CREATE TABLE posting (
    segment INTEGER NOT NULL REFERENCES segment (id),
    word TEXT NOT NULL,
    -- Positions and how often the word stands there.
    list BLOB NOT NULL,
    PRIMARY KEY (segment, word)
) STRICT, WITHOUT ROWID;

-- Unit vectors, each component times 127, in the order of the segment's observations.
CREATE TABLE vectors (
    segment INTEGER PRIMARY KEY REFERENCES segment (id),
    data BLOB NOT NULL
) STRICT;

-- Observations that a segment has and that are removed. Their ids are never given again.
CREATE TABLE gone (
    observation INTEGER PRIMARY KEY
) STRICT;

-- All is to be read again.
DELETE FROM meta WHERE key IN ('extractor', 'lsa', 'lsa_observations', 'lsa_newer');
