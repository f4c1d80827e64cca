CREATE TABLE agent_execution_log (Skill_Name TEXT, success INTEGER, cost REAL, started_at TEXT);
INSERT INTO agent_execution_log VALUES
    ('mend', 1, 0.5, '2026-01-31T10:00:00Z'),
    ('mend', 0, NULL, 5),
    (NULL, 1, 1, 1);
CREATE TABLE other_log (line TEXT);
CREATE VIEW evil_log AS SELECT 'x' AS skill_name, 1 AS success;
