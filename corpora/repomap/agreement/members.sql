CREATE TABLE members (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);

CREATE TABLE loans (
  member_id INTEGER NOT NULL,
  book TEXT NOT NULL
);

CREATE VIEW active_members AS
SELECT name FROM members;

CREATE FUNCTION loan_count(member INTEGER) RETURNS INTEGER AS $$
  SELECT count(*) FROM loans WHERE member_id = member;
$$ LANGUAGE sql;
