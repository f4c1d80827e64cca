-- What a change of a skill's standing is about and who made it.
ALTER TABLE promotion_history ADD COLUMN skill_version TEXT;
ALTER TABLE promotion_history ADD COLUMN candidate TEXT;
ALTER TABLE promotion_history ADD COLUMN decided_by TEXT;
