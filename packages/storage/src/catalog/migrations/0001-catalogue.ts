/** Xorbs, files and chunks, each with the ref that has it, and what they add up to for a repository. */

export const catalogue = `
-- A ref_uid is the uid of a ref or of a commit.
CREATE TABLE stored_xorbs (
  ref_uid        TEXT NOT NULL,
  hash           TEXT NOT NULL,
  repository_uid TEXT NOT NULL,
  digest         TEXT NOT NULL,
  packed_bytes   INTEGER NOT NULL,
  unpacked_bytes INTEGER NOT NULL,
  chunks         INTEGER NOT NULL,
  written_at     INTEGER NOT NULL,
  -- When the ref got it again; collection counts its age from here, visibility does not.
  renewed_at     INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (ref_uid, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX stored_xorbs_by_repository ON stored_xorbs (repository_uid, hash);
CREATE INDEX stored_xorbs_by_digest ON stored_xorbs (digest);

-- Whoever collects tells by the position which files came after a moment; none is used twice.
CREATE TABLE stored_files (
  position       INTEGER PRIMARY KEY AUTOINCREMENT,
  ref_uid        TEXT NOT NULL,
  hash           TEXT NOT NULL,
  repository_uid TEXT NOT NULL,
  bytes          INTEGER NOT NULL,
  terms          BLOB NOT NULL,
  written_at     INTEGER NOT NULL,
  UNIQUE (ref_uid, hash)
) STRICT;
CREATE INDEX stored_files_by_repository ON stored_files (repository_uid, hash);

CREATE TABLE stored_chunks (
  ref_uid        TEXT NOT NULL,
  hash           TEXT NOT NULL,
  repository_uid TEXT NOT NULL,
  xorb_hash      TEXT NOT NULL,
  written_at     INTEGER NOT NULL,
  PRIMARY KEY (ref_uid, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX stored_chunks_by_repository ON stored_chunks (repository_uid, hash);
CREATE INDEX stored_chunks_by_xorb ON stored_chunks (repository_uid, xorb_hash);

CREATE TABLE stored_totals (
  repository_uid TEXT PRIMARY KEY,
  bytes          INTEGER NOT NULL,
  objects        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER stored_xorb_added AFTER INSERT ON stored_xorbs BEGIN
  INSERT INTO stored_totals VALUES (NEW.repository_uid, NEW.packed_bytes, 1)
    ON CONFLICT (repository_uid) DO UPDATE
    SET bytes = bytes + excluded.bytes, objects = objects + 1;
END;
CREATE TRIGGER stored_xorb_removed AFTER DELETE ON stored_xorbs BEGIN
  UPDATE stored_totals SET bytes = bytes - OLD.packed_bytes, objects = objects - 1
    WHERE repository_uid = OLD.repository_uid;
END;
-- A file counts with what it takes in the database: its terms.
CREATE TRIGGER stored_file_added AFTER INSERT ON stored_files BEGIN
  INSERT INTO stored_totals VALUES (NEW.repository_uid, length(NEW.terms), 1)
    ON CONFLICT (repository_uid) DO UPDATE
    SET bytes = bytes + excluded.bytes, objects = objects + 1;
END;
CREATE TRIGGER stored_file_removed AFTER DELETE ON stored_files BEGIN
  UPDATE stored_totals SET bytes = bytes - length(OLD.terms), objects = objects - 1
    WHERE repository_uid = OLD.repository_uid;
END;

-- Filled when the rows come from a hub of an earlier version: how far its journal had come then.
CREATE TABLE handed_over (number INTEGER NOT NULL) STRICT;
`
