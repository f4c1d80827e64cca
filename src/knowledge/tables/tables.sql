-- Tables of what sources say besides observations. The index holds them in its file.
CREATE TABLE finding (
    source INTEGER NOT NULL REFERENCES source (id),
    code INTEGER NOT NULL,
    line INTEGER NOT NULL,
    message TEXT NOT NULL
) STRICT;
CREATE INDEX finding_by_source ON finding (source);

-- The graph, the context bank, and uses of skills.
CREATE TABLE edge (
    source INTEGER NOT NULL REFERENCES source (id),
    line INTEGER NOT NULL,
    from_node TEXT NOT NULL,
    to_node TEXT NOT NULL,
    type TEXT NOT NULL,
    time INTEGER,
    weight REAL,
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

-- Names that edges may use for executions, contexts and skills of other sources.
CREATE TABLE name (
    source INTEGER NOT NULL REFERENCES source (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL
) STRICT;
CREATE INDEX name_by_source ON name (source);
CREATE INDEX name_by_name ON name (name);

-- The paths in the context of an execution.
CREATE TABLE snapshot (
    source INTEGER NOT NULL REFERENCES source (id),
    execution TEXT NOT NULL,
    path TEXT NOT NULL
) STRICT;
CREATE INDEX snapshot_by_source ON snapshot (source);
CREATE INDEX snapshot_by_path ON snapshot (path);

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
    -- The intent of the skill. Follows from skill_stats.
    intent TEXT NOT NULL DEFAULT '',
    -- NULL without a recorded result.
    success INTEGER,
    rolled_back INTEGER NOT NULL,
    error_message TEXT,
    cost REAL,
    latency REAL,
    tokens_used INTEGER,
    -- The execution's intent and the action; the result; the result's metadata.
    input_json TEXT,
    output_json TEXT,
    metadata_json TEXT,
    started_at INTEGER,
    completed_at INTEGER,
    -- Whether the turn quoted the context bank without declaring it; NULL until it is checked.
    weak INTEGER,
    -- The turn's number; NULL unless the execution has a name. The same turn in several files is
    -- one use.
    turn INTEGER
) STRICT;
CREATE INDEX execution_log_by_source ON execution_log (source);

CREATE TABLE skill_stats (
    id INTEGER PRIMARY KEY,
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
CREATE INDEX idx_skill_stats_name ON skill_stats (skill_name);
CREATE INDEX idx_skill_stats_intent ON skill_stats (intent);
CREATE INDEX idx_skill_stats_score ON skill_stats (current_score DESC);

CREATE TABLE promotion_history (
    id INTEGER PRIMARY KEY,
    source INTEGER REFERENCES source (id),
    line INTEGER,
    skill_name TEXT NOT NULL,
    old_status TEXT,
    new_status TEXT NOT NULL,
    -- What the change records, and for the rest the evidence until then.
    score REAL,
    metrics_json TEXT,
    reason TEXT,
    promoted_at INTEGER,
    skill_version TEXT,
    candidate TEXT,
    decided_by TEXT,
    -- What the change itself records.
    recorded_score REAL,
    recorded_metrics TEXT
) STRICT;
CREATE INDEX promotion_history_by_source ON promotion_history (source);
