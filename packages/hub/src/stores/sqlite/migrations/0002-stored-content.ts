/** The catalog of the embedded storage, and the epoch that its removals raise. */

export const storedContent = `
ALTER TABLE repositories ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;

-- The last moment at which a ref was recorded or forked from is asked for with every write.
DROP INDEX commit_holders_by_ref;
CREATE INDEX commit_holders_by_ref ON commit_holders (ref_uid, recorded_at);
DROP INDEX refs_by_origin;
CREATE INDEX refs_by_origin ON refs (from_uid, forked_at) WHERE from_uid IS NOT NULL;

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

-- Clients of a fork may rely on what its origin had: they get another address, which none ever had,
-- also when the database is older again meanwhile.
CREATE TRIGGER ref_content_removed AFTER DELETE ON refs BEGIN
  UPDATE repositories SET epoch = max(epoch + 1, unixepoch()) WHERE uid = OLD.repository_uid
    AND EXISTS (SELECT 1 FROM stored_xorbs WHERE ref_uid = OLD.uid);
  DELETE FROM stored_xorbs WHERE ref_uid = OLD.uid;
  DELETE FROM stored_files WHERE ref_uid = OLD.uid;
  DELETE FROM stored_chunks WHERE ref_uid = OLD.uid;
END;
CREATE TRIGGER commit_content_removed AFTER DELETE ON commits BEGIN
  UPDATE repositories SET epoch = max(epoch + 1, unixepoch()) WHERE uid = OLD.repository_uid
    AND EXISTS (SELECT 1 FROM stored_xorbs WHERE ref_uid = OLD.uid);
  DELETE FROM stored_xorbs WHERE ref_uid = OLD.uid;
  DELETE FROM stored_files WHERE ref_uid = OLD.uid;
  DELETE FROM stored_chunks WHERE ref_uid = OLD.uid;
END;
CREATE TRIGGER repository_content_removed AFTER DELETE ON repositories BEGIN
  DELETE FROM stored_xorbs WHERE repository_uid = OLD.uid;
  DELETE FROM stored_files WHERE repository_uid = OLD.uid;
  DELETE FROM stored_chunks WHERE repository_uid = OLD.uid;
  DELETE FROM stored_totals WHERE repository_uid = OLD.uid;
END;
`
