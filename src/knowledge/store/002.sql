-- The graph, the context bank, what skills did, and vectors.
CREATE TABLE edge (
    source INTEGER NOT NULL REFERENCES source (id),
    line INTEGER NOT NULL,
    from_node TEXT NOT NULL,
    to_node TEXT NOT NULL,
    type TEXT NOT NULL,
    time INTEGER,
    meta TEXT
) STRICT;
CREATE INDEX edge_by_source ON edge (source);

CREATE TABLE node (
    source INTEGER NOT NULL REFERENCES source (id),
    line INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    time INTEGER,
    payload TEXT
) STRICT;
CREATE INDEX node_by_source ON node (source);

-- Names by which edges call what other sources know.
CREATE TABLE name (
    source INTEGER NOT NULL REFERENCES source (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL
) STRICT;
CREATE INDEX name_by_source ON name (source);
CREATE INDEX name_by_name ON name (name);

-- Items of the context bank and metadata of skills, as JSON.
CREATE TABLE document (
    source INTEGER NOT NULL REFERENCES source (id),
    name TEXT NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE INDEX document_by_source ON document (source);

CREATE TABLE execution_log (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES source (id),
    line INTEGER NOT NULL,
    skill_name TEXT NOT NULL,
    skill_version TEXT NOT NULL,
    task_id TEXT,
    intent TEXT,
    -- Nothing when no result is recorded.
    success INTEGER,
    rolled_back INTEGER NOT NULL,
    error_message TEXT,
    cost REAL,
    latency REAL,
    tokens_used INTEGER,
    input_json TEXT,
    output_json TEXT,
    metadata_json TEXT,
    started_at INTEGER,
    completed_at INTEGER
) STRICT;
CREATE INDEX execution_log_by_source ON execution_log (source);

CREATE TABLE skill_stats (
    skill_name TEXT NOT NULL,
    skill_version TEXT NOT NULL,
    intent TEXT,
    execution_count INTEGER NOT NULL,
    success_count INTEGER NOT NULL,
    failure_count INTEGER NOT NULL,
    total_cost REAL NOT NULL,
    avg_cost REAL NOT NULL,
    total_latency REAL NOT NULL,
    avg_latency REAL NOT NULL,
    rollback_count INTEGER NOT NULL,
    rollback_rate REAL NOT NULL,
    stability_score REAL NOT NULL,
    current_score REAL NOT NULL,
    first_execution_at INTEGER,
    last_execution_at INTEGER,
    updated_at INTEGER,
    UNIQUE (skill_name, skill_version)
) STRICT;

CREATE TABLE promotion_history (
    id INTEGER PRIMARY KEY,
    source INTEGER REFERENCES source (id),
    line INTEGER,
    skill_name TEXT NOT NULL,
    old_status TEXT,
    new_status TEXT NOT NULL,
    score REAL,
    metrics_json TEXT,
    reason TEXT,
    promoted_at INTEGER
) STRICT;
CREATE INDEX promotion_history_by_source ON promotion_history (source);

-- Unit vectors, each component times 127, in the order of the model's dimensions.
CREATE TABLE embedding (
    observation INTEGER PRIMARY KEY REFERENCES observation (id),
    vector BLOB NOT NULL
) STRICT;
