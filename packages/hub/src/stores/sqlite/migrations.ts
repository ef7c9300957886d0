/** How a SQLite database file grows: migration n brings it from version n to n + 1. */

export const migrations: readonly string[] = [
  `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE hub_token_prefixes (
    prefix        TEXT PRIMARY KEY,
    first_used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE signing_keys (
    kid        TEXT PRIMARY KEY,
    alg        TEXT NOT NULL,
    sealed     TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE accounts (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('user', 'service')),
    administrator INTEGER NOT NULL CHECK (administrator IN (0, 1)),
    disabled      INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    created_at    INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX account_names ON accounts (lower(name));

  CREATE TABLE namespaces (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX namespace_names ON namespaces (lower(name));

  CREATE TABLE members (
    namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role         TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
    PRIMARY KEY (namespace_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX members_by_account ON members (account_id);

  CREATE TABLE repositories (
    uid            TEXT PRIMARY KEY,
    namespace_id   TEXT NOT NULL REFERENCES namespaces (id) ON DELETE RESTRICT,
    path           TEXT NOT NULL UNIQUE,
    visibility     TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
    default_branch TEXT NOT NULL,
    ref_rules      TEXT NOT NULL,
    created_at     INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX repository_paths ON repositories (lower(path));
  CREATE INDEX repositories_by_namespace ON repositories (namespace_id);

  CREATE TABLE collaborators (
    repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
    account_id     TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role           TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
    PRIMARY KEY (repository_uid, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX collaborators_by_account ON collaborators (account_id);

  CREATE TABLE refs (
    position       INTEGER PRIMARY KEY AUTOINCREMENT,
    uid            TEXT NOT NULL UNIQUE,
    repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
    name           TEXT NOT NULL,
    commit_hash    TEXT NOT NULL,
    from_name      TEXT,
    from_uid       TEXT REFERENCES refs (uid) ON DELETE SET NULL,
    forked_at      INTEGER,
    created_at     INTEGER NOT NULL,
    UNIQUE (repository_uid, name)
  ) STRICT;
  CREATE INDEX refs_by_origin ON refs (from_uid) WHERE from_uid IS NOT NULL;

  CREATE TABLE commits (
    uid            TEXT NOT NULL UNIQUE,
    repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
    hash           TEXT NOT NULL,
    recorded_at    INTEGER NOT NULL,
    PRIMARY KEY (repository_uid, hash)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE commit_holders (
    position       INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_uid TEXT NOT NULL,
    hash           TEXT NOT NULL,
    ref_uid        TEXT NOT NULL REFERENCES refs (uid) ON DELETE CASCADE,
    recorded_at    INTEGER NOT NULL,
    UNIQUE (repository_uid, hash, ref_uid),
    FOREIGN KEY (repository_uid, hash) REFERENCES commits (repository_uid, hash) ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX commit_holders_by_ref ON commit_holders (ref_uid);

  CREATE TABLE hub_tokens (
    id           TEXT PRIMARY KEY,
    account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('read', 'write', 'fine-grained', 'admin')),
    secret_hash  TEXT NOT NULL UNIQUE,
    hint         TEXT NOT NULL,
    grants       TEXT NOT NULL,
    verb_groups  TEXT,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    revoked_at   INTEGER,
    last_used_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX hub_token_names ON hub_tokens (account_id, lower(name)) WHERE revoked_at IS NULL;
  `,
  `
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
  `,
  `
  -- The names of deleted refs that held a commit: they go on closing what was written under the commit.
  -- The commit's own hash as a name says that the commit was once held by no ref, or by one whose name is not known.
  CREATE TABLE past_holders (
    repository_uid TEXT NOT NULL,
    hash           TEXT NOT NULL,
    name           TEXT NOT NULL,
    PRIMARY KEY (repository_uid, hash, name),
    FOREIGN KEY (repository_uid, hash) REFERENCES commits (repository_uid, hash) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;

  -- Before the delete, because commit_holders rows go with the ref. The repository is missing when it is what is deleted.
  -- A commit keeps at most 1000 names; in place of more it gets its own hash, which closes it further.
  CREATE TRIGGER past_holders_kept BEFORE DELETE ON refs
    WHEN EXISTS (SELECT 1 FROM repositories WHERE uid = OLD.repository_uid) BEGIN
    INSERT INTO past_holders
      SELECT h.repository_uid, h.hash, iif((
          SELECT count(*) FROM past_holders p
          WHERE p.repository_uid = h.repository_uid AND p.hash = h.hash
        ) < 1000, OLD.name, h.hash)
      FROM commit_holders h WHERE h.ref_uid = OLD.uid
      ON CONFLICT DO NOTHING;
  END;

  -- A commit that is recorded together with its first holder was never without one.
  CREATE TRIGGER unheld_commit_kept BEFORE INSERT ON commit_holders
    WHEN NOT EXISTS (
      SELECT 1 FROM commit_holders WHERE repository_uid = NEW.repository_uid AND hash = NEW.hash
    ) BEGIN
    INSERT INTO past_holders
      SELECT repository_uid, hash, hash FROM commits
      WHERE repository_uid = NEW.repository_uid AND hash = NEW.hash AND recorded_at <> NEW.recorded_at
      ON CONFLICT DO NOTHING;
  END;

  -- Whether an account may see a repository is read from these indexes alone, so that a closed repository is read
  -- no further than an absent one.
  CREATE INDEX repository_doors ON repositories (path, visibility, namespace_id, uid);
  DROP INDEX members_by_account;
  CREATE INDEX members_by_account ON members (account_id, namespace_id, role);
  DROP INDEX collaborators_by_account;
  CREATE INDEX collaborators_by_account ON collaborators (account_id, repository_uid, role);

  -- Earlier versions forgot deleted holders. Where the first holder came after the commit, another one may have gone.
  INSERT INTO past_holders
    SELECT c.repository_uid, c.hash, c.hash FROM commits c
    WHERE c.recorded_at < (
      SELECT min(h.recorded_at) FROM commit_holders h
      WHERE h.repository_uid = c.repository_uid AND h.hash = c.hash);
  `,
]
