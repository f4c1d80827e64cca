-- Whether the turn of a use quoted what the context bank holds without declaring it; nothing until it was looked at.
ALTER TABLE execution_log ADD COLUMN weak INTEGER;

-- What has no time isn't looked for by it.
DROP INDEX observation_by_time;
CREATE INDEX observation_by_time ON observation (time) WHERE time IS NOT NULL;
