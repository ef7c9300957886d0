/** The tables of a hub: the directory, its journal, and the entries that revoke storage tokens. */

import { teamTriggers } from '../../team-access.ts'

/** The tables from which the hub answers token requests. */
const answering = [
  ...['accounts', 'members', 'repositories', 'collaborators', 'refs', 'commits', 'commit_holders'],
  ...['past_holders', 'hub_token_prefixes', 'hub_tokens', 'signing_keys', 'team_access'],
]

/** The last use of a hub token changes no answer. */
const answeringColumns: Readonly<Record<string, string>> = {
  hub_tokens:
    'account_id, name, kind, origin, secret_hash, grants, admin_scopes, namespaces, storage, expires_at, revoked_at',
}

/** Caches notice a write of another program too, which appends no entry. */
function marking(table: string): string {
  const columns = answeringColumns[table]
  const update = columns === undefined ? 'UPDATE' : `UPDATE OF ${columns}`
  const on = (name: string, event: string) => `
CREATE TRIGGER ${table}_marked_by_${name} AFTER ${event} ON ${table}
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;`
  return on('insert', 'INSERT') + on('update', update) + on('delete', 'DELETE')
}

function teamTrigger(name: string, event: string, body: string): string {
  return `CREATE TRIGGER ${name} ${event} BEGIN${body}\nEND;`
}

export const directory = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE hub_token_prefixes (
  prefix        TEXT PRIMARY KEY,
  first_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE signing_keys (
  kid              TEXT PRIMARY KEY,
  purpose          TEXT NOT NULL CHECK (purpose IN ('tokens', 'revocations')),
  alg              TEXT NOT NULL,
  sealed           TEXT NOT NULL,
  created_at       INTEGER NOT NULL,
  -- When it is to begin to sign, when it began, and when another key took its place.
  activates_at     INTEGER NOT NULL,
  activated_at     INTEGER,
  retired_at       INTEGER,
  -- Of all that any hub signed with it, in seconds.
  max_lifetime INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  kind          TEXT NOT NULL CHECK (kind IN ('user', 'service')),
  administrator INTEGER NOT NULL CHECK (administrator IN (0, 1)),
  disabled      INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  created_at    INTEGER NOT NULL,
  -- Who made it: an administrator, or the first sign-in of its owner.
  origin        TEXT NOT NULL CHECK (origin IN ('admin', 'sign-in'))
) STRICT;
CREATE UNIQUE INDEX account_names ON accounts (lower(name));

CREATE TABLE namespaces (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The storage of its new repositories; null is the default one.
  storage    TEXT,
  -- In bytes, for its repositories together; null is none.
  quota_bytes INTEGER CHECK (quota_bytes > 0)
) STRICT;
CREATE UNIQUE INDEX namespace_names ON namespaces (lower(name));

CREATE TABLE members (
  namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  role         TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (namespace_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_account ON members (account_id, namespace_id, role);

-- The team's name is unique in its namespace. Its role there is null where it has none.
CREATE TABLE teams (
  id           TEXT PRIMARY KEY,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  role         TEXT CHECK (role IN ('read', 'write', 'admin')),
  created_at   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX team_names ON teams (namespace_id, lower(name));

CREATE TABLE team_members (
  team_id    TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- When the membership ends; null is never.
  until      INTEGER,
  PRIMARY KEY (team_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_members_by_account ON team_members (account_id, team_id, until);

-- People whom an identity provider puts into one of these groups are members of the team.
CREATE TABLE team_groups (
  team_id    TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  provider   TEXT NOT NULL,
  group_name TEXT NOT NULL,
  PRIMARY KEY (team_id, provider, group_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_groups_by_provider ON team_groups (provider, group_name);

CREATE TABLE repositories (
  uid            TEXT PRIMARY KEY,
  namespace_id   TEXT NOT NULL REFERENCES namespaces (id) ON DELETE RESTRICT,
  path           TEXT NOT NULL UNIQUE,
  visibility     TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
  default_branch TEXT NOT NULL,
  ref_rules      TEXT NOT NULL,
  created_at     INTEGER NOT NULL,
  epoch          INTEGER NOT NULL,
  -- The name of the storage that holds its content.
  storage        TEXT NOT NULL,
  -- While its content moves: the storage to which it does, and the number of the entry that closed its writes.
  moves_to       TEXT,
  moves_number   INTEGER,
  -- In bytes; null is none.
  quota_bytes    INTEGER CHECK (quota_bytes > 0),
  CHECK ((moves_to IS NULL) = (moves_number IS NULL))
) STRICT;
CREATE UNIQUE INDEX repository_paths ON repositories (lower(path));
CREATE INDEX repositories_by_namespace ON repositories (namespace_id);
CREATE INDEX public_repositories ON repositories (path) WHERE visibility = 'public';
-- Whether an account may see a repository is read from this and the indexes by account alone, so that a closed
-- repository is read no further than an absent one. Rules may be long, and a long entry would take longer to pass:
-- only that there are none is in the index.
CREATE INDEX repository_doors ON repositories
  (path, visibility, namespace_id, uid, default_branch, epoch, storage, iif(ref_rules = '[]', ref_rules, NULL));

CREATE TABLE collaborators (
  repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  account_id     TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  role           TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (repository_uid, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collaborators_by_account ON collaborators (account_id, repository_uid, role);

-- Rules by which CI jobs get hub tokens. Each has a service account, which goes with it.
CREATE TABLE trusted_publishers (
  account_id     TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  name           TEXT NOT NULL,
  preset         TEXT NOT NULL CHECK (preset IN ('github', 'gitlab', 'other')),
  issuer         TEXT NOT NULL,
  claims         TEXT NOT NULL,
  contents       TEXT NOT NULL CHECK (contents IN ('read', 'write')),
  -- Null is every ref.
  refs           TEXT,
  max_seconds    INTEGER NOT NULL,
  label          TEXT,
  created_at     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX trusted_publisher_names ON trusted_publishers (repository_uid, lower(name));
CREATE TRIGGER publisher_accounts_end AFTER DELETE ON trusted_publishers BEGIN
  DELETE FROM accounts WHERE id = OLD.account_id;
END;

-- How often each id token was exchanged, by the hash of its jti.
CREATE TABLE id_token_uses (
  issuer   TEXT NOT NULL,
  jti_hash TEXT NOT NULL,
  uses     INTEGER NOT NULL,
  -- From then on the id token is too old.
  ends_at  INTEGER NOT NULL,
  PRIMARY KEY (issuer, jti_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX id_token_uses_by_end ON id_token_uses (ends_at);

-- The one forge of the directory, and its newest start, which claims without an entry.
CREATE TABLE forge (
  place INTEGER PRIMARY KEY CHECK (place = 1),
  id    TEXT NOT NULL,
  start TEXT
) STRICT, WITHOUT ROWID;

-- What became of changes that the forge asked for: a response that is lost can be asked for.
CREATE TABLE forge_operations (
  id         TEXT PRIMARY KEY,
  -- 0 for one that was given up.
  is_done    INTEGER NOT NULL,
  result     TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX forge_operations_by_age ON forge_operations (created_at);

-- The newest of each repository, for its owners.
CREATE TABLE refused_exchanges (
  position       INTEGER PRIMARY KEY AUTOINCREMENT,
  repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  refused_at     INTEGER NOT NULL,
  publisher      TEXT NOT NULL,
  issuer         TEXT NOT NULL,
  reason         TEXT NOT NULL,
  claims         TEXT NOT NULL
) STRICT;
CREATE INDEX refused_exchanges_by_repository ON refused_exchanges (repository_uid, position);

-- The roles of teams in single repositories of their namespace.
CREATE TABLE team_roles (
  repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  team_id        TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  role           TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (repository_uid, team_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_roles_by_team ON team_roles (team_id, repository_uid);

-- Until when an account holds each role through its teams, at a namespace or a repository; 0 where it does not.
-- Triggers keep it.
CREATE TABLE team_access (
  account_id        TEXT NOT NULL,
  place_id          TEXT NOT NULL,
  reads_until       INTEGER NOT NULL,
  writes_until      INTEGER NOT NULL,
  administers_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, place_id)
) STRICT, WITHOUT ROWID;
${teamTrigger('team_member_added', 'AFTER INSERT ON team_members', teamTriggers.newMember)}
${teamTrigger('team_member_changed', 'AFTER UPDATE OF until ON team_members', teamTriggers.member('NEW'))}
${teamTrigger('team_member_removed', 'AFTER DELETE ON team_members', teamTriggers.member('OLD'))}
${teamTrigger('team_role_added', 'AFTER INSERT ON team_roles', teamTriggers.role('NEW'))}
${teamTrigger('team_role_changed', 'AFTER UPDATE OF role ON team_roles', teamTriggers.role('NEW'))}
${teamTrigger('team_role_removed', 'AFTER DELETE ON team_roles', teamTriggers.role('OLD'))}
${teamTrigger('team_changed', 'AFTER UPDATE OF role ON teams', teamTriggers.team('NEW'))}
${teamTrigger('team_removed', 'BEFORE DELETE ON teams', teamTriggers.teamGoes)}

CREATE TABLE refs (
  position       INTEGER PRIMARY KEY AUTOINCREMENT,
  uid            TEXT NOT NULL UNIQUE,
  repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  name           TEXT NOT NULL,
  commit_hash    TEXT NOT NULL,
  from_name      TEXT,
  from_uid       TEXT REFERENCES refs (uid) ON DELETE SET NULL,
  forked_at      INTEGER,
  -- The number of the transaction that made the fork.
  forked_number  INTEGER,
  -- The account that made the pull request; it stays when the account goes.
  proposer_id    TEXT,
  created_at     INTEGER NOT NULL,
  UNIQUE (repository_uid, name)
) STRICT;
CREATE INDEX refs_by_origin ON refs (from_uid) WHERE from_uid IS NOT NULL;
CREATE INDEX refs_by_name ON refs (repository_uid, name, uid, commit_hash, from_uid);

CREATE TABLE commits (
  uid            TEXT NOT NULL UNIQUE,
  repository_uid TEXT NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  hash           TEXT NOT NULL,
  recorded_at    INTEGER NOT NULL,
  PRIMARY KEY (repository_uid, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE commit_holders (
  position        INTEGER PRIMARY KEY AUTOINCREMENT,
  repository_uid  TEXT NOT NULL,
  hash            TEXT NOT NULL,
  ref_uid         TEXT NOT NULL REFERENCES refs (uid) ON DELETE CASCADE,
  recorded_at     INTEGER NOT NULL,
  -- The number of the transaction that recorded the commit on the ref.
  recorded_number INTEGER NOT NULL,
  UNIQUE (repository_uid, hash, ref_uid),
  FOREIGN KEY (repository_uid, hash) REFERENCES commits (repository_uid, hash) ON DELETE CASCADE
) STRICT;
CREATE INDEX commit_holders_by_ref ON commit_holders (ref_uid);

-- The names of deleted refs that held a commit: they go on closing what was written under the commit.
-- The commit's own hash as a name says that the commit was once held by no ref.
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

CREATE TABLE hub_tokens (
  id           TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('read', 'write', 'fine-grained', 'admin', 'storage', 'forge')),
  -- How it came to be: an administrator, its own account, a sign-in, a device login, a CI job.
  origin       TEXT NOT NULL CHECK (origin IN ('admin', 'self', 'session', 'device', 'ci')),
  secret_hash  TEXT NOT NULL UNIQUE,
  hint         TEXT NOT NULL,
  grants       TEXT NOT NULL,
  admin_scopes  TEXT,
  -- Of a delegated administrator: what it manages. Null for every other one.
  namespaces    TEXT,
  -- Whose link it opens; null for every kind but storage.
  storage       TEXT CHECK ((kind = 'storage') = (storage IS NOT NULL)),
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX hub_tokens_by_account ON hub_tokens (account_id);
CREATE UNIQUE INDEX hub_token_names ON hub_tokens (account_id, lower(name)) WHERE revoked_at IS NULL;

-- A session is a hub token of origin session; this is what a browser's session has beyond one.
CREATE TABLE sessions (
  hub_token_id   TEXT PRIMARY KEY REFERENCES hub_tokens (id) ON DELETE CASCADE,
  -- The name of the identity provider; null for a sign-in with a hub token, which maker_id names.
  provider       TEXT,
  maker_id       TEXT,
  -- When the provider last saw the person; null where it does not say.
  auth_time      INTEGER,
  -- Until then it may create and rotate hub tokens and approve devices; null where it never may.
  fresh_until    INTEGER,
  -- Hub tokens and families that are made from it end no later; null without a limit.
  makes_until    INTEGER,
  last_seen_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_maker ON sessions (maker_id) WHERE maker_id IS NOT NULL;

-- The accounts of people as identity providers know them.
CREATE TABLE identities (
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  provider   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_account ON identities (account_id);

-- Memberships that a provider gives. They end at their time, and are renewed while the provider names the group.
CREATE TABLE group_members (
  team_id    TEXT NOT NULL,
  provider   TEXT NOT NULL,
  group_name TEXT NOT NULL,
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  until      INTEGER NOT NULL,
  PRIMARY KEY (team_id, provider, group_name, issuer, subject),
  FOREIGN KEY (team_id, provider, group_name)
    REFERENCES team_groups (team_id, provider, group_name) ON DELETE CASCADE,
  FOREIGN KEY (issuer, subject) REFERENCES identities (issuer, subject) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_by_account ON group_members (account_id, team_id, until);
CREATE INDEX group_members_by_identity ON group_members (issuer, subject);
CREATE INDEX group_members_by_end ON group_members (until);
${teamTrigger('group_member_added', 'AFTER INSERT ON group_members', teamTriggers.newMember)}
${teamTrigger('group_member_changed', 'AFTER UPDATE OF until ON group_members', teamTriggers.member('NEW'))}
${teamTrigger('group_member_removed', 'AFTER DELETE ON group_members', teamTriggers.member('OLD'))}

-- Refresh tokens of providers, encrypted with the master key.
CREATE TABLE provider_tokens (
  issuer   TEXT NOT NULL,
  subject  TEXT NOT NULL,
  provider TEXT NOT NULL,
  sealed   TEXT NOT NULL,
  ask_at   INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  FOREIGN KEY (issuer, subject) REFERENCES identities (issuer, subject) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_tokens_by_time ON provider_tokens (ask_at);

-- Work that one hub at a time does.
CREATE TABLE leases (
  name   TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Programs that ask for a sign-in (RFC 8628). Rows stay for a while after their end, so that a code counts once.
CREATE TABLE device_codes (
  code_hash      TEXT PRIMARY KEY,
  user_code      TEXT NOT NULL UNIQUE,
  client_id      TEXT NOT NULL,
  scope          TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  address        TEXT NOT NULL,
  -- The limit of open codes is for one network: an IPv4 address, or a /64.
  network        TEXT NOT NULL,
  -- As JSON, the hub token that is to be made or rotated; null for the sign-in of a device.
  wish           TEXT,
  -- An IPv4 address, or a /48: so that a site with many networks takes no place of others.
  site           TEXT NOT NULL,
  created_at     INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  -- When somebody approved or denied it, and the number of that transaction. A denied code has no account.
  decided_at     INTEGER,
  decided_number INTEGER,
  account_id     TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  -- The session that decided, for the journal.
  session_id     TEXT,
  -- The end of the sign-in that approved it; null where that has none.
  ends_at        INTEGER,
  used_at        INTEGER,
  -- The answer, encrypted with the code itself; null once it is not repeated any more.
  sealed         TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX device_codes_by_network ON device_codes (network, expires_at);
CREATE INDEX device_codes_undecided ON device_codes (site, expires_at) WHERE decided_at IS NULL;

-- A device that is signed in. It is over at its end, and once any hub token of it is revoked.
CREATE TABLE device_families (
  id         TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  client_id  TEXT NOT NULL,
  program    TEXT NOT NULL,
  scope      TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  address    TEXT NOT NULL,
  -- The identity provider of the sign-in behind it.
  provider   TEXT,
  -- The hub token behind that sign-in, if no provider was: the device ends with it.
  maker_id   TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX device_families_by_account ON device_families (account_id);
CREATE INDEX device_families_by_maker ON device_families (maker_id) WHERE maker_id IS NOT NULL;

-- Each came together with one hub token of its family.
CREATE TABLE refresh_tokens (
  secret_hash  TEXT PRIMARY KEY,
  family_id    TEXT NOT NULL REFERENCES device_families (id) ON DELETE CASCADE,
  hub_token_id TEXT NOT NULL UNIQUE REFERENCES hub_tokens (id) ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  used_at      INTEGER,
  -- The answer, encrypted with the refresh token itself; null once it is not repeated any more.
  sealed       TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_by_family ON refresh_tokens (family_id);

-- One row. Numbers come from it, never from the table of entries, which can be pruned.
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

-- Names stand beside ids, because an entry outlives what it is about.
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
  -- The storage of the repository at that time.
  storage          TEXT,
  narrows          INTEGER NOT NULL CHECK (narrows IN (0, 1)),
  -- JSON: what changed, before and after, without secrets.
  detail           TEXT NOT NULL
) STRICT;
CREATE INDEX journal_by_repository ON journal (repository, number) WHERE repository IS NOT NULL;
CREATE INDEX journal_by_account ON journal (account, number) WHERE account IS NOT NULL;
CREATE INDEX journal_by_actor ON journal (actor_account, number) WHERE actor_account IS NOT NULL;
CREATE INDEX journal_removals ON journal (thing, account, repository, ref, number)
  WHERE did = 'deleted';
-- The few entries that answer a rollback.
CREATE INDEX journal_answers ON journal (verb, number) WHERE verb IN ('rollback', 'restore');

-- A table of their own, because the journal can be pruned.
CREATE TABLE cut_offs (
  kind   TEXT NOT NULL,
  id     TEXT NOT NULL,
  -- Tokens with a lower as_of are dead.
  number INTEGER NOT NULL,
  -- The number of the transaction that cut: from it on the row is kept for as long as a token can live.
  made   INTEGER NOT NULL,
  -- The name of the only namespace whose tokens it ends; null where it can end others.
  namespace TEXT,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX cut_offs_by_number ON cut_offs (made);
CREATE INDEX cut_offs_by_namespace ON cut_offs (namespace, kind, id);

INSERT INTO journal_head
  SELECT 1, CAST(unixepoch('subsec') * 1000 AS INTEGER), 0, random() & 9007199254740991, 0;
INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
  SELECT number, 0, number, 'migrate', 'journal', 'created', 0, '{}' FROM journal_head;
${answering.map(marking).join('')}
`
