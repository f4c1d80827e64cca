-- The words of observations. The table has no content of its own; `rowid` is the id of the
-- observation. `head` holds the words of the summary, the references and the task.
CREATE VIRTUAL TABLE words USING fts5 (
    head,
    body,
    content = '',
    contentless_delete = 1,
    tokenize = 'ascii'
);
-- The number of observations with each word.
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
