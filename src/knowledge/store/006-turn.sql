-- The turn of a use, where it has a number and its execution a name: the same one in several files is one use.
ALTER TABLE execution_log ADD COLUMN turn INTEGER;
