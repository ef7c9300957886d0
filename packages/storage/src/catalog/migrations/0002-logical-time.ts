/** Stamps in logical time, how far the hub's journal is followed, removed places, and epochs to be raised. */

export const logicalTime = `
-- The journal's number up to which the storage had heard from the hub when the row was written.
ALTER TABLE stored_xorbs ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stored_files ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stored_chunks ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
-- Rows of earlier versions know the second; numbers are milliseconds or more.
UPDATE stored_xorbs SET stamp = written_at * 1000;
UPDATE stored_files SET stamp = written_at * 1000;
UPDATE stored_chunks SET stamp = written_at * 1000;

CREATE TABLE hub_link (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  -- Every removal up to this number is in removed_places. NULL until the hub has answered once.
  applied INTEGER,
  -- The highest number that the storage has heard of.
  known   INTEGER NOT NULL,
  -- When the hub last did not know the number to go on from: removals may have been missed.
  lost_at INTEGER
) STRICT;
INSERT INTO hub_link SELECT 1, max(number), coalesce(max(number), 0), NULL FROM handed_over;
DROP TABLE handed_over;

-- Tombstones: rows of these are not found, and are deleted bit by bit. Nothing is written to them any more.
CREATE TABLE removed_places (
  uid        TEXT PRIMARY KEY,
  removed_at INTEGER NOT NULL,
  is_swept   INTEGER NOT NULL DEFAULT 0 CHECK (is_swept IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX unswept_places ON removed_places (removed_at) WHERE is_swept = 0;

-- Repositories that lost content which clients may remember; the hub is told until it has answered.
CREATE TABLE epoch_outbox (
  position       INTEGER PRIMARY KEY AUTOINCREMENT,
  repository_uid TEXT NOT NULL
) STRICT;
`
