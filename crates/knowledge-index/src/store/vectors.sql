-- Unit vectors, each component times 127; zero for an observation without a known word.
CREATE TABLE vector (
    observation INTEGER PRIMARY KEY REFERENCES observation (id),
    data BLOB NOT NULL
) STRICT;
