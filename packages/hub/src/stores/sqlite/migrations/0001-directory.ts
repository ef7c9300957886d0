/** The directory: accounts, namespaces, repositories, refs, commits and hub tokens. */

export const directory = `
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
`
