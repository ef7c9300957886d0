/** The catalogue: xorbs, files and chunks, each with the ref that has it; totals; and the link to the hub. */

/** Counts a row in its namespace, if that has a quota. `sign` is + or -. */
function namespaceCounts(row: 'NEW' | 'OLD', sign: string, bytes: string): string {
  return `
  UPDATE namespace_quotas
    SET held = held ${sign} ${bytes}, proposed = proposed ${sign} iif(${isProposed(row)}, ${bytes}, 0)
    WHERE bytes IS NOT NULL AND namespace =
      (SELECT namespace FROM repository_quotas WHERE repository_uid = ${row}.repository_uid);`
}

/** As `proposalUidRange` says. */
function isProposed(row: string): string {
  return `${row}.ref_uid > ${row}.repository_uid || '.' AND ${row}.ref_uid < ${row}.repository_uid || '/'`
}

/** Counts a repository in its namespace when the storage hears of it, and no more when it is deleted. */
function repositoryCounts(row: 'NEW' | 'OLD', sign: string): string {
  const proposed = (table: string, bytes: string) =>
    `coalesce((SELECT sum(${bytes}) FROM ${table}
      WHERE ref_uid > ${row}.repository_uid || '.' AND ref_uid < ${row}.repository_uid || '/'), 0)`
  return `
  UPDATE namespace_quotas
    SET held = held ${sign} (SELECT bytes FROM stored_totals WHERE repository_uid = ${row}.repository_uid),
      proposed = proposed ${sign} ${proposed('stored_xorbs', 'packed_bytes')}
        ${sign} ${proposed('stored_files', 'length(terms)')}
    WHERE bytes IS NOT NULL AND namespace = ${row}.namespace
      AND EXISTS (SELECT 1 FROM stored_totals WHERE repository_uid = ${row}.repository_uid);`
}

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
  -- The journal's number up to which the storage had heard from the hub when the row was written.
  stamp          INTEGER NOT NULL,
  PRIMARY KEY (ref_uid, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX stored_xorbs_by_repository ON stored_xorbs (repository_uid, hash);
CREATE INDEX stored_xorbs_by_digest ON stored_xorbs (digest);

-- Objects by their keys; none is used twice. A row is reserved before an upload writes the bytes, mapped while a digest has
-- them, and unmapped until they are deleted.
CREATE TABLE stored_objects (
  key         TEXT PRIMARY KEY,
  digest      TEXT UNIQUE,
  -- Together with its chunk table.
  bytes       INTEGER NOT NULL,
  reserved_at INTEGER NOT NULL,
  unmapped_at INTEGER,
  CHECK (digest IS NULL OR unmapped_at IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX reserved_objects ON stored_objects (reserved_at) WHERE digest IS NULL AND unmapped_at IS NULL;
CREATE INDEX unmapped_objects ON stored_objects (unmapped_at) WHERE unmapped_at IS NOT NULL;

-- Whoever collects tells by the position which files came after a moment; none is used twice.
CREATE TABLE stored_files (
  position       INTEGER PRIMARY KEY AUTOINCREMENT,
  ref_uid        TEXT NOT NULL,
  hash           TEXT NOT NULL,
  repository_uid TEXT NOT NULL,
  bytes          INTEGER NOT NULL,
  terms          BLOB NOT NULL,
  written_at     INTEGER NOT NULL,
  stamp          INTEGER NOT NULL,
  -- NULL for a file without chunks.
  first_chunk    TEXT,
  -- NULL until the stored bytes were hashed: what a client says of them is not written down.
  sha256         TEXT,
  UNIQUE (ref_uid, hash)
) STRICT;
CREATE INDEX stored_files_by_repository ON stored_files (repository_uid, hash);
-- Every bound of a lookup is a column before the position: rows that a token does not see are not walked.
CREATE INDEX stored_files_by_first_chunk
  ON stored_files (ref_uid, first_chunk, repository_uid, stamp, position)
  WHERE first_chunk IS NOT NULL;
CREATE INDEX stored_files_of_repository_by_first_chunk
  ON stored_files (repository_uid, first_chunk, position, ref_uid)
  WHERE first_chunk IS NOT NULL;
CREATE INDEX stored_files_by_sha256
  ON stored_files (ref_uid, sha256, repository_uid, bytes, stamp, position)
  WHERE sha256 IS NOT NULL;
CREATE INDEX stored_files_of_repository_by_sha256
  ON stored_files (repository_uid, sha256, bytes, position)
  WHERE sha256 IS NOT NULL;
CREATE INDEX unhashed_files
  ON stored_files (ref_uid, bytes, repository_uid, stamp, position)
  WHERE sha256 IS NULL;
CREATE INDEX unhashed_files_of_repository
  ON stored_files (repository_uid, bytes, position)
  WHERE sha256 IS NULL;

CREATE TABLE stored_chunks (
  ref_uid        TEXT NOT NULL,
  hash           TEXT NOT NULL,
  repository_uid TEXT NOT NULL,
  xorb_hash      TEXT NOT NULL,
  written_at     INTEGER NOT NULL,
  stamp          INTEGER NOT NULL,
  PRIMARY KEY (ref_uid, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX stored_chunks_by_repository ON stored_chunks (repository_uid, hash);
CREATE INDEX stored_chunks_by_xorb ON stored_chunks (repository_uid, xorb_hash);

-- Files that come in several requests. One of them goes 24 hours after its last bytes.
CREATE TABLE file_uploads (
  ref_uid        TEXT NOT NULL,
  account        TEXT NOT NULL,
  name           TEXT NOT NULL,
  repository_uid TEXT NOT NULL,
  bytes          INTEGER NOT NULL,
  -- The response, once the file is registered.
  file           TEXT,
  touched_at     INTEGER NOT NULL,
  -- What the next piece goes on from, and the bytes after the last whole chunk. Last, because the rest is read alone.
  state          TEXT,
  rest           BLOB,
  terms          BLOB NOT NULL,
  PRIMARY KEY (ref_uid, account, name)
) STRICT;
CREATE INDEX file_uploads_by_repository ON file_uploads (repository_uid);
CREATE INDEX unfinished_uploads ON file_uploads (account, touched_at, bytes) WHERE file IS NULL;
CREATE INDEX finished_uploads ON file_uploads (account, touched_at) WHERE file IS NOT NULL;
CREATE INDEX file_uploads_by_age ON file_uploads (touched_at);

-- Xorbs that clients may put into the store themselves, each under its key. A row goes an hour after its end.
CREATE TABLE xorb_grants (
  key            TEXT PRIMARY KEY,
  repository_uid TEXT NOT NULL,
  ref_uid        TEXT NOT NULL,
  account        TEXT NOT NULL,
  hub_token      TEXT NOT NULL,
  -- The storage token that asked.
  jti            TEXT NOT NULL,
  hash           TEXT NOT NULL,
  bytes          INTEGER NOT NULL,
  ends_at        INTEGER NOT NULL,
  -- 'refused' never becomes another. 'inserted' if the commit gave the ref a xorb, 'known' if it had it.
  state          TEXT NOT NULL CHECK (state IN ('open', 'refused', 'inserted', 'known'))
) STRICT, WITHOUT ROWID;
CREATE INDEX xorb_grants_of_account ON xorb_grants (account, ends_at);
CREATE INDEX xorb_grants_by_end ON xorb_grants (ends_at);
CREATE INDEX unused_grants_of_account ON xorb_grants (account, bytes) WHERE state IN ('open', 'refused');
CREATE INDEX unused_grants_of_repository ON xorb_grants (repository_uid, account, bytes)
  WHERE state IN ('open', 'refused');

CREATE TABLE stored_totals (
  repository_uid TEXT PRIMARY KEY,
  bytes          INTEGER NOT NULL,
  objects        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER stored_xorb_added AFTER INSERT ON stored_xorbs BEGIN
  INSERT INTO stored_totals VALUES (NEW.repository_uid, NEW.packed_bytes, 1)
    ON CONFLICT (repository_uid) DO UPDATE
    SET bytes = bytes + excluded.bytes, objects = objects + 1;${namespaceCounts('NEW', '+', 'NEW.packed_bytes')}
END;
CREATE TRIGGER stored_xorb_removed AFTER DELETE ON stored_xorbs BEGIN
  UPDATE stored_totals SET bytes = bytes - OLD.packed_bytes, objects = objects - 1
    WHERE repository_uid = OLD.repository_uid;${namespaceCounts('OLD', '-', 'OLD.packed_bytes')}
END;
-- A file counts with what it takes in the database: its terms.
CREATE TRIGGER stored_file_added AFTER INSERT ON stored_files BEGIN
  INSERT INTO stored_totals VALUES (NEW.repository_uid, length(NEW.terms), 1)
    ON CONFLICT (repository_uid) DO UPDATE
    SET bytes = bytes + excluded.bytes, objects = objects + 1;${namespaceCounts('NEW', '+', 'length(NEW.terms)')}
END;
CREATE TRIGGER stored_file_removed AFTER DELETE ON stored_files BEGIN
  UPDATE stored_totals SET bytes = bytes - length(OLD.terms), objects = objects - 1
    WHERE repository_uid = OLD.repository_uid;${namespaceCounts('OLD', '-', 'length(OLD.terms)')}
END;

CREATE TABLE hub_link (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  -- Every removal up to this number is in removed_places. NULL until the hub has answered once.
  applied INTEGER,
  -- The highest number that the storage has heard of.
  known   INTEGER NOT NULL,
  -- When the hub last did not know the number to go on from: removals may have been missed.
  lost_at INTEGER,
  -- JSON: the repositories whose content moves to another storage, each with the number of its move. Nothing is written to them.
  moving  TEXT NOT NULL,
  -- The uid up to which the quotas of the hub are read, in their order. NULL once all are.
  quotas_after TEXT
) STRICT;
INSERT INTO hub_link VALUES (1, NULL, 0, NULL, '{}', NULL);

-- Quotas of the hub, each with the number of the hub's journal when it was read. A repository keeps its namespace.
CREATE TABLE repository_quotas (
  repository_uid TEXT PRIMARY KEY,
  namespace      TEXT NOT NULL,
  -- NULL for none.
  bytes          INTEGER,
  number         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX repositories_of_namespace ON repository_quotas (namespace);
CREATE TABLE namespace_quotas (
  namespace TEXT PRIMARY KEY,
  bytes     INTEGER,
  number    INTEGER NOT NULL,
  -- What its repositories hold together, and of that uploads and pull requests by accounts that may not write. Right
  -- while there is a quota.
  held      INTEGER NOT NULL DEFAULT 0,
  proposed  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TRIGGER repository_quota_added AFTER INSERT ON repository_quotas BEGIN${repositoryCounts('NEW', '+')}
END;
CREATE TRIGGER repository_quota_removed AFTER DELETE ON repository_quotas BEGIN${repositoryCounts('OLD', '-')}
END;

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

-- What is about the catalogue as a whole, such as a copy that is not finished.
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`
