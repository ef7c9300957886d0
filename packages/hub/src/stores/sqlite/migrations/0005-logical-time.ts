/** Forks and recorded commits get the journal's number as their moment; the storage's content leaves the hub's triggers. */

export const logicalTime = `
-- The number of the transaction that made the fork, or recorded the commit on the ref. A program of an earlier version
-- that still runs writes none: then nothing of the other ref is seen.
ALTER TABLE refs ADD COLUMN forked_number INTEGER;
ALTER TABLE commit_holders ADD COLUMN recorded_number INTEGER NOT NULL DEFAULT 0;

-- Moments were whole seconds, and what was written in the same second was seen: its stamp is that second in milliseconds.
UPDATE journal_head SET is_open = 1;
UPDATE refs SET forked_number = (forked_at + 1) * 1000 WHERE forked_at IS NOT NULL;
UPDATE commit_holders SET recorded_number = (recorded_at + 1) * 1000;

-- What is written from now on must not be below any of these, so the journal goes on after the largest.
INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
  SELECT max(moments.largest, clock.now), journal_head.number, clock.now, 'migrate', 'journal', 'changed', 0, '{}'
  FROM journal_head,
    (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) AS clock,
    (SELECT max(
      coalesce((SELECT max(forked_number) FROM refs), 0),
      coalesce((SELECT max(recorded_number) FROM commit_holders), 0)) AS largest) AS moments
  WHERE moments.largest > journal_head.number;
UPDATE journal_head SET
  number = max(number, coalesce((SELECT max(number) FROM journal), 0)),
  is_open = 0,
  mark = random() & 9007199254740991;

-- Foreign keys and the trigger that keeps past holders look rows up by these; the moments are not asked for any more.
DROP INDEX commit_holders_by_ref;
CREATE INDEX commit_holders_by_ref ON commit_holders (ref_uid);
DROP INDEX refs_by_origin;
CREATE INDEX refs_by_origin ON refs (from_uid) WHERE from_uid IS NOT NULL;

-- The storage has a database of its own, and learns from the journal which refs and repositories are gone.
DROP TRIGGER ref_content_removed;
DROP TRIGGER commit_content_removed;
DROP TRIGGER repository_content_removed;
`
