-- A hub's database of version 4, in which the storage had its catalogue: one file, uploaded by that version. No keys, no hub tokens.
BEGIN TRANSACTION;
CREATE TABLE accounts (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  kind          TEXT NOT NULL CHECK (kind IN ('user', 'service')),
  administrator INTEGER NOT NULL CHECK (administrator IN (0, 1)),
  disabled      INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  created_at    INTEGER NOT NULL
) STRICT;
INSERT INTO "accounts" VALUES('lgeyxcqqjpnvk3igtngh6x5w3e','ada','user',1,0,1794788567);
CREATE TABLE collaborators (
  repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  account_id     TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  role           TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (repository_uid, account_id)
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
INSERT INTO "commit_holders" VALUES(1,'7x6hgv5kdlxmvopij3m533jwsw','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','jxn7pz32g2fkw6b274gqpnsusr',1794788567);
CREATE TABLE commits (
  uid            TEXT NOT NULL UNIQUE,
  repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  hash           TEXT NOT NULL,
  recorded_at    INTEGER NOT NULL,
  PRIMARY KEY (repository_uid, hash)
) STRICT, WITHOUT ROWID;
INSERT INTO "commits" VALUES('urhz2jnnac4za63tpsgyfx4cy2','7x6hgv5kdlxmvopij3m533jwsw','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1794788567);
CREATE TABLE hub_token_prefixes (
  prefix        TEXT PRIMARY KEY,
  first_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "hub_token_prefixes" VALUES('lk_',1794788567);
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
CREATE TABLE journal (
  number           INTEGER PRIMARY KEY,
  previous         INTEGER NOT NULL,
  at_milliseconds  INTEGER NOT NULL,
  verb             TEXT NOT NULL,
  thing            TEXT NOT NULL,
  did              TEXT NOT NULL,
  actor_account_id TEXT,
  actor_account    TEXT,
  actor_hub_token  TEXT,
  actor_user       TEXT,
  request_id       TEXT,
  account_id       TEXT,
  account          TEXT,
  hub_token_id     TEXT,
  namespace_id     TEXT,
  namespace        TEXT,
  repository_uid   TEXT,
  repository       TEXT,
  ref_uid          TEXT,
  ref              TEXT,
  narrows          INTEGER NOT NULL CHECK (narrows IN (0, 1)),
  -- JSON: what changed, before and after, without secrets.
  detail           TEXT NOT NULL
) STRICT;
INSERT INTO "journal" VALUES(1794788567281,0,1794788567281,'migrate','journal','created',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'{}');
INSERT INTO "journal" VALUES(1794788567340,1794788567281,1794788567340,'apply','account','created',NULL,NULL,NULL,'root',NULL,'lgeyxcqqjpnvk3igtngh6x5w3e','ada',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'{"after":{"name":"ada","kind":"user","administrator":true,"disabled":false,"createdAt":"2026-11-16T00:22:47Z"}}');
INSERT INTO "journal" VALUES(1794788567341,1794788567340,1794788567340,'apply','namespace','created',NULL,NULL,NULL,'root',NULL,NULL,NULL,NULL,'e6hyntddqwuv7iqjlw7pfdziw3','acme',NULL,NULL,NULL,NULL,0,'{"after":{"name":"acme","createdAt":"2026-11-16T00:22:47Z"}}');
INSERT INTO "journal" VALUES(1794788567342,1794788567341,1794788567340,'apply','member','created',NULL,NULL,NULL,'root',NULL,'lgeyxcqqjpnvk3igtngh6x5w3e','ada',NULL,'e6hyntddqwuv7iqjlw7pfdziw3','acme',NULL,NULL,NULL,NULL,0,'{"after":{"role":"admin"}}');
INSERT INTO "journal" VALUES(1794788567343,1794788567342,1794788567340,'apply','repository','created',NULL,NULL,NULL,'root',NULL,NULL,NULL,NULL,NULL,NULL,'7x6hgv5kdlxmvopij3m533jwsw','models/acme/bert',NULL,NULL,0,'{"after":{"path":"models/acme/bert","visibility":"private","defaultBranch":"refs/heads/main","refRules":[],"epoch":0,"createdAt":"2026-11-16T00:22:47Z"}}');
INSERT INTO "journal" VALUES(1794788567344,1794788567343,1794788567340,'apply','ref','created',NULL,NULL,NULL,'root',NULL,NULL,NULL,NULL,NULL,NULL,'7x6hgv5kdlxmvopij3m533jwsw','models/acme/bert','jxn7pz32g2fkw6b274gqpnsusr','refs/heads/main',0,'{"after":{"name":"refs/heads/main","commit":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","from":null,"fromUid":null,"forkedAt":null,"createdAt":"2026-11-16T00:22:47Z"}}');
INSERT INTO "journal" VALUES(1794788567345,1794788567344,1794788567340,'apply','commit','recorded',NULL,NULL,NULL,'root',NULL,NULL,NULL,NULL,NULL,NULL,'7x6hgv5kdlxmvopij3m533jwsw','models/acme/bert','urhz2jnnac4za63tpsgyfx4cy2','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',0,'{"after":{"hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","recordedAt":"2026-11-16T00:22:47Z","holders":[{"uid":"jxn7pz32g2fkw6b274gqpnsusr","ref":"refs/heads/main","since":"2026-11-16T00:22:47Z"}]}}');
INSERT INTO "journal" VALUES(1794788571123,1794788567345,1794788571123,'serve','hub','opened',NULL,NULL,NULL,'root',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'{}');
CREATE TABLE journal_head (
  only_row       INTEGER PRIMARY KEY CHECK (only_row = 1),
  number         INTEGER NOT NULL,
  -- Entries up to this number may have been removed.
  pruned_through INTEGER NOT NULL,
  -- Another one after every write to a table that answers are made of, also in a copy that was put back.
  mark           INTEGER NOT NULL,
  -- 1 while a change with its entry is written, which renews the mark once for all its rows.
  is_open        INTEGER NOT NULL CHECK (is_open IN (0, 1))
) STRICT;
INSERT INTO "journal_head" VALUES(1,1794788571123,0,8573458474467911,0);
CREATE TABLE members (
  namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  role         TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (namespace_id, account_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "members" VALUES('e6hyntddqwuv7iqjlw7pfdziw3','lgeyxcqqjpnvk3igtngh6x5w3e','admin');
CREATE TABLE namespaces (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO "namespaces" VALUES('e6hyntddqwuv7iqjlw7pfdziw3','acme',1794788567);
CREATE TABLE past_holders (
  repository_uid TEXT NOT NULL,
  hash           TEXT NOT NULL,
  name           TEXT NOT NULL,
  PRIMARY KEY (repository_uid, hash, name),
  FOREIGN KEY (repository_uid, hash) REFERENCES commits (repository_uid, hash) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
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
INSERT INTO "refs" VALUES(1,'jxn7pz32g2fkw6b274gqpnsusr','7x6hgv5kdlxmvopij3m533jwsw','refs/heads/main','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',NULL,NULL,NULL,1794788567);
CREATE TABLE repositories (
  uid            TEXT PRIMARY KEY,
  namespace_id   TEXT NOT NULL REFERENCES namespaces (id) ON DELETE RESTRICT,
  path           TEXT NOT NULL UNIQUE,
  visibility     TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
  default_branch TEXT NOT NULL,
  ref_rules      TEXT NOT NULL,
  created_at     INTEGER NOT NULL
, epoch INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "repositories" VALUES('7x6hgv5kdlxmvopij3m533jwsw','e6hyntddqwuv7iqjlw7pfdziw3','models/acme/bert','private','refs/heads/main','[]',1794788567,0);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE signing_keys (
  kid        TEXT PRIMARY KEY,
  alg        TEXT NOT NULL,
  sealed     TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE stored_chunks (
  ref_uid        TEXT NOT NULL,
  hash           TEXT NOT NULL,
  repository_uid TEXT NOT NULL,
  xorb_hash      TEXT NOT NULL,
  written_at     INTEGER NOT NULL,
  PRIMARY KEY (ref_uid, hash)
) STRICT, WITHOUT ROWID;
INSERT INTO "stored_chunks" VALUES('jxn7pz32g2fkw6b274gqpnsusr','83e4b89153e1820e99c1e36333c6043d11d5a5ee0e375196084c835fea2111cd','7x6hgv5kdlxmvopij3m533jwsw','83e4b89153e1820e99c1e36333c6043d11d5a5ee0e375196084c835fea2111cd',1794788575);
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
INSERT INTO "stored_files" VALUES(1,'jxn7pz32g2fkw6b274gqpnsusr','9336ebb3eb7a9f9a475c83d58b434f3f2c8b1f8eda106d7f1c7fe6609c34dcaf','7x6hgv5kdlxmvopij3m533jwsw',26,X'0E82E15391B8E4833D04C63363E3C1999651370EEEA5D511CD1121EA5F834C0800000000010000001A000000',1794788575);
CREATE TABLE stored_totals (
  repository_uid TEXT PRIMARY KEY,
  bytes          INTEGER NOT NULL,
  objects        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "stored_totals" VALUES('7x6hgv5kdlxmvopij3m533jwsw',78,2);
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
INSERT INTO "stored_xorbs" VALUES('jxn7pz32g2fkw6b274gqpnsusr','83e4b89153e1820e99c1e36333c6043d11d5a5ee0e375196084c835fea2111cd','7x6hgv5kdlxmvopij3m533jwsw','fd73c63f1366ae98ca9bdadd8ccf116ebe09ec7bb22fdc114b34d0d4ef82bef1',34,26,1,1794788575,0);
CREATE UNIQUE INDEX account_names ON accounts (lower(name));
CREATE UNIQUE INDEX namespace_names ON namespaces (lower(name));
CREATE UNIQUE INDEX repository_paths ON repositories (lower(path));
CREATE INDEX repositories_by_namespace ON repositories (namespace_id);
CREATE UNIQUE INDEX hub_token_names ON hub_tokens (account_id, lower(name)) WHERE revoked_at IS NULL;
CREATE INDEX commit_holders_by_ref ON commit_holders (ref_uid, recorded_at);
CREATE INDEX refs_by_origin ON refs (from_uid, forked_at) WHERE from_uid IS NOT NULL;
CREATE INDEX stored_xorbs_by_repository ON stored_xorbs (repository_uid, hash);
CREATE INDEX stored_xorbs_by_digest ON stored_xorbs (digest);
CREATE INDEX stored_files_by_repository ON stored_files (repository_uid, hash);
CREATE INDEX stored_chunks_by_repository ON stored_chunks (repository_uid, hash);
CREATE INDEX stored_chunks_by_xorb ON stored_chunks (repository_uid, xorb_hash);
CREATE TRIGGER stored_xorb_added AFTER INSERT ON stored_xorbs BEGIN
  INSERT INTO stored_totals VALUES (NEW.repository_uid, NEW.packed_bytes, 1)
    ON CONFLICT (repository_uid) DO UPDATE
    SET bytes = bytes + excluded.bytes, objects = objects + 1;
END;
CREATE TRIGGER stored_xorb_removed AFTER DELETE ON stored_xorbs BEGIN
  UPDATE stored_totals SET bytes = bytes - OLD.packed_bytes, objects = objects - 1
    WHERE repository_uid = OLD.repository_uid;
END;
CREATE TRIGGER stored_file_added AFTER INSERT ON stored_files BEGIN
  INSERT INTO stored_totals VALUES (NEW.repository_uid, length(NEW.terms), 1)
    ON CONFLICT (repository_uid) DO UPDATE
    SET bytes = bytes + excluded.bytes, objects = objects + 1;
END;
CREATE TRIGGER stored_file_removed AFTER DELETE ON stored_files BEGIN
  UPDATE stored_totals SET bytes = bytes - length(OLD.terms), objects = objects - 1
    WHERE repository_uid = OLD.repository_uid;
END;
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
CREATE TRIGGER unheld_commit_kept BEFORE INSERT ON commit_holders
  WHEN NOT EXISTS (
    SELECT 1 FROM commit_holders WHERE repository_uid = NEW.repository_uid AND hash = NEW.hash
  ) BEGIN
  INSERT INTO past_holders
    SELECT repository_uid, hash, hash FROM commits
    WHERE repository_uid = NEW.repository_uid AND hash = NEW.hash AND recorded_at <> NEW.recorded_at
    ON CONFLICT DO NOTHING;
END;
CREATE INDEX repository_doors ON repositories (path, visibility, namespace_id, uid);
CREATE INDEX members_by_account ON members (account_id, namespace_id, role);
CREATE INDEX collaborators_by_account ON collaborators (account_id, repository_uid, role);
CREATE INDEX journal_by_repository ON journal (repository, number) WHERE repository IS NOT NULL;
CREATE INDEX journal_by_account ON journal (account, number) WHERE account IS NOT NULL;
CREATE INDEX journal_by_actor ON journal (actor_account, number) WHERE actor_account IS NOT NULL;
CREATE INDEX journal_removals ON journal (thing, account, repository, ref, number)
  WHERE did = 'deleted';
CREATE TRIGGER accounts_marked_by_insert AFTER INSERT ON accounts
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER accounts_marked_by_update AFTER UPDATE ON accounts
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER accounts_marked_by_delete AFTER DELETE ON accounts
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER members_marked_by_insert AFTER INSERT ON members
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER members_marked_by_update AFTER UPDATE ON members
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER members_marked_by_delete AFTER DELETE ON members
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER repositories_marked_by_insert AFTER INSERT ON repositories
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER repositories_marked_by_update AFTER UPDATE ON repositories
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER repositories_marked_by_delete AFTER DELETE ON repositories
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER collaborators_marked_by_insert AFTER INSERT ON collaborators
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER collaborators_marked_by_update AFTER UPDATE ON collaborators
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER collaborators_marked_by_delete AFTER DELETE ON collaborators
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER refs_marked_by_insert AFTER INSERT ON refs
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER refs_marked_by_update AFTER UPDATE ON refs
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER refs_marked_by_delete AFTER DELETE ON refs
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER commits_marked_by_insert AFTER INSERT ON commits
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER commits_marked_by_update AFTER UPDATE ON commits
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER commits_marked_by_delete AFTER DELETE ON commits
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER commit_holders_marked_by_insert AFTER INSERT ON commit_holders
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER commit_holders_marked_by_update AFTER UPDATE ON commit_holders
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER commit_holders_marked_by_delete AFTER DELETE ON commit_holders
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER past_holders_marked_by_insert AFTER INSERT ON past_holders
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER past_holders_marked_by_update AFTER UPDATE ON past_holders
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER past_holders_marked_by_delete AFTER DELETE ON past_holders
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER hub_token_prefixes_marked_by_insert AFTER INSERT ON hub_token_prefixes
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER hub_token_prefixes_marked_by_update AFTER UPDATE ON hub_token_prefixes
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER hub_token_prefixes_marked_by_delete AFTER DELETE ON hub_token_prefixes
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER hub_tokens_marked_by_insert AFTER INSERT ON hub_tokens
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER hub_tokens_marked_by_update AFTER UPDATE OF account_id, name, kind, secret_hash, grants, verb_groups, expires_at, revoked_at ON hub_tokens
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
CREATE TRIGGER hub_tokens_marked_by_delete AFTER DELETE ON hub_tokens
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('refs',1);
INSERT INTO "sqlite_sequence" VALUES('commit_holders',1);
INSERT INTO "sqlite_sequence" VALUES('stored_files',1);
COMMIT;
PRAGMA user_version = 4;
