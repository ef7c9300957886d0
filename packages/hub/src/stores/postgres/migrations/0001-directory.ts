/** The tables of a hub: the directory, its journal, and the entries that revoke storage tokens. */

import { teamTriggers } from '../../team-access.ts'

/** The channel on which a new number of the journal is told. */
export const channel = 'latchkey_hub'

/** Names are compared byte for byte, whatever the locale of the database. */
const text = 'text COLLATE "C"'

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

function marking(table: string): string {
  const columns = answeringColumns[table]
  const update = columns === undefined ? 'UPDATE' : `UPDATE OF ${columns}`
  return `
CREATE TRIGGER ${table}_marked AFTER INSERT OR ${update} OR DELETE OR TRUNCATE ON ${table}
  FOR EACH STATEMENT EXECUTE FUNCTION mark_directory();`
}

function teamTrigger(name: string, event: string, body: string): string {
  const row = event.includes('DELETE') ? 'OLD' : 'NEW'
  return `
CREATE FUNCTION keep_${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN${body}
  RETURN ${row};
END $$;
CREATE TRIGGER ${name} ${event} FOR EACH ROW EXECUTE FUNCTION keep_${name}();`
}

/** Times are Unix seconds. */
export const directory = `
CREATE TABLE settings (name ${text} PRIMARY KEY, value ${text} NOT NULL);

CREATE TABLE hub_token_prefixes (
  prefix        ${text} PRIMARY KEY,
  first_used_at bigint NOT NULL
);

CREATE TABLE signing_keys (
  kid              ${text} PRIMARY KEY,
  purpose          ${text} NOT NULL CHECK (purpose IN ('tokens', 'revocations')),
  alg              ${text} NOT NULL,
  sealed           ${text} NOT NULL,
  created_at       bigint NOT NULL,
  -- When it is to begin to sign, when it began, and when another key took its place.
  activates_at     bigint NOT NULL,
  activated_at     bigint,
  retired_at       bigint,
  -- Of all that any hub signed with it, in seconds.
  max_lifetime bigint NOT NULL
);

CREATE TABLE accounts (
  id            ${text} PRIMARY KEY,
  name          ${text} NOT NULL,
  kind          ${text} NOT NULL CHECK (kind IN ('user', 'service')),
  administrator boolean NOT NULL,
  disabled      boolean NOT NULL,
  created_at    bigint NOT NULL,
  -- Who made it: an administrator, or the first sign-in of its owner.
  origin        ${text} NOT NULL CHECK (origin IN ('admin', 'sign-in'))
);
CREATE UNIQUE INDEX account_names ON accounts (lower(name));

CREATE TABLE namespaces (
  id         ${text} PRIMARY KEY,
  name       ${text} NOT NULL,
  created_at bigint NOT NULL,
  -- The storage of its new repositories; null is the default one.
  storage    ${text},
  -- In bytes, for its repositories together; null is none.
  quota_bytes bigint CHECK (quota_bytes > 0)
);
CREATE UNIQUE INDEX namespace_names ON namespaces (lower(name));

CREATE TABLE members (
  namespace_id ${text} NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  account_id   ${text} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  role         ${text} NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (namespace_id, account_id)
);
CREATE INDEX members_by_account ON members (account_id, namespace_id, role);

-- The team's name is unique in its namespace. Its role there is null where it has none.
CREATE TABLE teams (
  id           ${text} PRIMARY KEY,
  namespace_id ${text} NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  name         ${text} NOT NULL,
  role         ${text} CHECK (role IN ('read', 'write', 'admin')),
  created_at   bigint NOT NULL
);
CREATE UNIQUE INDEX team_names ON teams (namespace_id, lower(name));

CREATE TABLE team_members (
  team_id    ${text} NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  account_id ${text} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- When the membership ends; null is never.
  until      bigint,
  PRIMARY KEY (team_id, account_id)
);
CREATE INDEX team_members_by_account ON team_members (account_id, team_id, until);

-- People whom an identity provider puts into one of these groups are members of the team.
CREATE TABLE team_groups (
  team_id    ${text} NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  provider   ${text} NOT NULL,
  group_name ${text} NOT NULL,
  PRIMARY KEY (team_id, provider, group_name)
);
CREATE INDEX team_groups_by_provider ON team_groups (provider, group_name);

CREATE TABLE repositories (
  uid            ${text} PRIMARY KEY,
  namespace_id   ${text} NOT NULL REFERENCES namespaces (id) ON DELETE RESTRICT,
  path           ${text} NOT NULL UNIQUE,
  visibility     ${text} NOT NULL CHECK (visibility IN ('public', 'private')),
  default_branch ${text} NOT NULL,
  ref_rules      json NOT NULL,
  created_at     bigint NOT NULL,
  epoch          bigint NOT NULL,
  -- The name of the storage that holds its content.
  storage        ${text} NOT NULL,
  -- While its content moves: the storage to which it does, and the number of the entry that closed its writes.
  moves_to       ${text},
  moves_number   bigint,
  -- In bytes; null is none.
  quota_bytes    bigint CHECK (quota_bytes > 0),
  CHECK ((moves_to IS NULL) = (moves_number IS NULL))
);
CREATE UNIQUE INDEX repository_paths ON repositories (lower(path));
CREATE INDEX repositories_by_namespace ON repositories (namespace_id);
CREATE INDEX public_repositories ON repositories (path) WHERE visibility = 'public';
-- Whether an account may see a repository is read from this and the indexes by account alone, so that a closed
-- repository is read no further than an absent one.
CREATE INDEX repository_doors ON repositories (path, visibility, namespace_id, uid);

CREATE TABLE collaborators (
  repository_uid ${text} NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  account_id     ${text} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  role           ${text} NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (repository_uid, account_id)
);
CREATE INDEX collaborators_by_account ON collaborators (account_id, repository_uid, role);

-- Rules by which CI jobs get hub tokens. Each has a service account, which goes with it.
CREATE TABLE trusted_publishers (
  account_id     ${text} PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  repository_uid ${text} NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  name           ${text} NOT NULL,
  preset         ${text} NOT NULL CHECK (preset IN ('github', 'gitlab', 'other')),
  issuer         ${text} NOT NULL,
  claims         ${text} NOT NULL,
  contents       ${text} NOT NULL CHECK (contents IN ('read', 'write')),
  -- Null is every ref.
  refs           ${text},
  max_seconds    bigint NOT NULL,
  label          ${text},
  created_at     bigint NOT NULL
);
CREATE UNIQUE INDEX trusted_publisher_names ON trusted_publishers (repository_uid, lower(name));
CREATE FUNCTION end_publisher_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM accounts WHERE id = OLD.account_id;
  RETURN NULL;
END $$;
CREATE TRIGGER publisher_accounts_end AFTER DELETE ON trusted_publishers
  FOR EACH ROW EXECUTE FUNCTION end_publisher_account();

-- How often each id token was exchanged, by the hash of its jti.
CREATE TABLE id_token_uses (
  issuer   ${text} NOT NULL,
  jti_hash ${text} NOT NULL,
  uses     bigint NOT NULL,
  -- From then on the id token is too old.
  ends_at  bigint NOT NULL,
  PRIMARY KEY (issuer, jti_hash)
);
CREATE INDEX id_token_uses_by_end ON id_token_uses (ends_at);

-- The one forge of the directory, and its newest start, which claims without an entry.
CREATE TABLE forge (
  place bigint PRIMARY KEY CHECK (place = 1),
  id    ${text} NOT NULL,
  start ${text}
);

-- What became of changes that the forge asked for: a response that is lost can be asked for.
CREATE TABLE forge_operations (
  id         ${text} PRIMARY KEY,
  -- 0 for one that was given up.
  is_done    bigint NOT NULL,
  result     ${text},
  created_at bigint NOT NULL
);
CREATE INDEX forge_operations_by_age ON forge_operations (created_at);

-- The newest of each repository, for its owners.
CREATE TABLE refused_exchanges (
  position       bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  repository_uid ${text} NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  refused_at     bigint NOT NULL,
  publisher      ${text} NOT NULL,
  issuer         ${text} NOT NULL,
  reason         ${text} NOT NULL,
  claims         ${text} NOT NULL
);
CREATE INDEX refused_exchanges_by_repository ON refused_exchanges (repository_uid, position);

-- The roles of teams in single repositories of their namespace.
CREATE TABLE team_roles (
  repository_uid ${text} NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  team_id        ${text} NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  role           ${text} NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (repository_uid, team_id)
);
CREATE INDEX team_roles_by_team ON team_roles (team_id, repository_uid);

-- Until when an account holds each role through its teams, at a namespace or a repository; 0 where it does not.
-- Triggers keep it.
CREATE TABLE team_access (
  account_id        ${text} NOT NULL,
  place_id          ${text} NOT NULL,
  reads_until       bigint NOT NULL,
  writes_until      bigint NOT NULL,
  administers_until bigint NOT NULL,
  PRIMARY KEY (account_id, place_id) INCLUDE (reads_until, writes_until, administers_until)
);
${teamTrigger('team_member_added', 'AFTER INSERT ON team_members', teamTriggers.newMember)}
${teamTrigger('team_member_changed', 'AFTER UPDATE OF until ON team_members', teamTriggers.member('NEW'))}
${teamTrigger('team_member_removed', 'AFTER DELETE ON team_members', teamTriggers.member('OLD'))}
${teamTrigger('team_role_added', 'AFTER INSERT OR UPDATE OF role ON team_roles', teamTriggers.role('NEW'))}
${teamTrigger('team_role_removed', 'AFTER DELETE ON team_roles', teamTriggers.role('OLD'))}
${teamTrigger('team_changed', 'AFTER UPDATE OF role ON teams', teamTriggers.team('NEW'))}
${teamTrigger('team_removed', 'BEFORE DELETE ON teams', teamTriggers.teamGoes)}

CREATE TABLE refs (
  position       bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  uid            ${text} NOT NULL UNIQUE,
  repository_uid ${text} NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  name           ${text} NOT NULL,
  commit_hash    ${text} NOT NULL,
  from_name      ${text},
  from_uid       ${text} REFERENCES refs (uid) ON DELETE SET NULL,
  forked_at      bigint,
  forked_number  bigint,
  -- The account that made the pull request; it stays when the account goes.
  proposer_id    ${text},
  created_at     bigint NOT NULL,
  UNIQUE (repository_uid, name)
);
CREATE INDEX refs_by_origin ON refs (from_uid) WHERE from_uid IS NOT NULL;

CREATE TABLE commits (
  uid            ${text} NOT NULL UNIQUE,
  repository_uid ${text} NOT NULL REFERENCES repositories (uid) ON DELETE CASCADE,
  hash           ${text} NOT NULL,
  recorded_at    bigint NOT NULL,
  PRIMARY KEY (repository_uid, hash)
);

CREATE TABLE commit_holders (
  position        bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  repository_uid  ${text} NOT NULL,
  hash            ${text} NOT NULL,
  ref_uid         ${text} NOT NULL REFERENCES refs (uid) ON DELETE CASCADE,
  recorded_at     bigint NOT NULL,
  recorded_number bigint NOT NULL,
  UNIQUE (repository_uid, hash, ref_uid),
  FOREIGN KEY (repository_uid, hash) REFERENCES commits (repository_uid, hash) ON DELETE CASCADE
);
CREATE INDEX commit_holders_by_ref ON commit_holders (ref_uid);

-- The names of deleted refs that held a commit: they go on closing what was written under the commit.
-- The commit's own hash as a name says that the commit was once held by no ref.
CREATE TABLE past_holders (
  repository_uid ${text} NOT NULL,
  hash           ${text} NOT NULL,
  name           ${text} NOT NULL,
  PRIMARY KEY (repository_uid, hash, name),
  FOREIGN KEY (repository_uid, hash) REFERENCES commits (repository_uid, hash) ON DELETE CASCADE
);

-- Before the delete, because commit_holders rows go with the ref. The repository is missing when it is what is deleted.
-- A commit keeps at most 1000 names; in place of more it gets its own hash, which closes it further.
CREATE FUNCTION keep_past_holders() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM repositories WHERE uid = OLD.repository_uid) THEN
    INSERT INTO past_holders
      SELECT h.repository_uid, h.hash, CASE WHEN (
          SELECT count(*) FROM past_holders p
          WHERE p.repository_uid = h.repository_uid AND p.hash = h.hash
        ) < 1000 THEN OLD.name ELSE h.hash END
      FROM commit_holders h WHERE h.ref_uid = OLD.uid
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER past_holders_kept BEFORE DELETE ON refs
  FOR EACH ROW EXECUTE FUNCTION keep_past_holders();

-- A commit that is recorded together with its first holder was never without one.
CREATE FUNCTION keep_unheld_commit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM commit_holders WHERE repository_uid = NEW.repository_uid AND hash = NEW.hash
  ) THEN
    INSERT INTO past_holders
      SELECT repository_uid, hash, hash FROM commits
      WHERE repository_uid = NEW.repository_uid AND hash = NEW.hash AND recorded_at <> NEW.recorded_at
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER unheld_commit_kept BEFORE INSERT ON commit_holders
  FOR EACH ROW EXECUTE FUNCTION keep_unheld_commit();

CREATE TABLE hub_tokens (
  id           ${text} PRIMARY KEY,
  account_id   ${text} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name         ${text} NOT NULL,
  kind         ${text} NOT NULL CHECK (kind IN ('read', 'write', 'fine-grained', 'admin', 'storage', 'forge')),
  -- How it came to be: an administrator, its own account, a sign-in, a device login, a CI job.
  origin       ${text} NOT NULL CHECK (origin IN ('admin', 'self', 'session', 'device', 'ci')),
  secret_hash  ${text} NOT NULL UNIQUE,
  hint         ${text} NOT NULL,
  grants       json NOT NULL,
  admin_scopes  json,
  -- Of a delegated administrator: what it manages. Null for every other one.
  namespaces    json,
  -- Whose link it opens; null for every kind but storage.
  storage      ${text} CHECK ((kind = 'storage') = (storage IS NOT NULL)),
  created_at   bigint NOT NULL,
  expires_at   bigint,
  revoked_at   bigint,
  last_used_at bigint
);
CREATE INDEX hub_tokens_by_account ON hub_tokens (account_id);
CREATE UNIQUE INDEX hub_token_names ON hub_tokens (account_id, lower(name)) WHERE revoked_at IS NULL;

-- A session is a hub token of origin session; this is what a browser's session has beyond one.
CREATE TABLE sessions (
  hub_token_id   ${text} PRIMARY KEY REFERENCES hub_tokens (id) ON DELETE CASCADE,
  -- The name of the identity provider; null for a sign-in with a hub token, which maker_id names.
  provider       ${text},
  maker_id       ${text},
  -- When the provider last saw the person; null where it does not say.
  auth_time      bigint,
  -- Until then it may create and rotate hub tokens and approve devices; null where it never may.
  fresh_until    bigint,
  -- Hub tokens and families that are made from it end no later; null without a limit.
  makes_until    bigint,
  last_seen_at   bigint NOT NULL
);
CREATE INDEX sessions_by_maker ON sessions (maker_id) WHERE maker_id IS NOT NULL;

-- The accounts of people as identity providers know them.
CREATE TABLE identities (
  issuer     ${text} NOT NULL,
  subject    ${text} NOT NULL,
  account_id ${text} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  provider   ${text} NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_by_account ON identities (account_id);

-- Memberships that a provider gives. They end at their time, and are renewed while the provider names the group.
CREATE TABLE group_members (
  team_id    ${text} NOT NULL,
  provider   ${text} NOT NULL,
  group_name ${text} NOT NULL,
  issuer     ${text} NOT NULL,
  subject    ${text} NOT NULL,
  account_id ${text} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  until      bigint NOT NULL,
  PRIMARY KEY (team_id, provider, group_name, issuer, subject),
  FOREIGN KEY (team_id, provider, group_name)
    REFERENCES team_groups (team_id, provider, group_name) ON DELETE CASCADE,
  FOREIGN KEY (issuer, subject) REFERENCES identities (issuer, subject) ON DELETE CASCADE
);
CREATE INDEX group_members_by_account ON group_members (account_id, team_id, until);
CREATE INDEX group_members_by_identity ON group_members (issuer, subject);
CREATE INDEX group_members_by_end ON group_members (until);
${teamTrigger('group_member_added', 'AFTER INSERT ON group_members', teamTriggers.newMember)}
${teamTrigger('group_member_changed', 'AFTER UPDATE OF until ON group_members', teamTriggers.member('NEW'))}
${teamTrigger('group_member_removed', 'AFTER DELETE ON group_members', teamTriggers.member('OLD'))}

-- Refresh tokens of providers, encrypted with the master key.
CREATE TABLE provider_tokens (
  issuer   ${text} NOT NULL,
  subject  ${text} NOT NULL,
  provider ${text} NOT NULL,
  sealed   ${text} NOT NULL,
  ask_at   bigint NOT NULL,
  PRIMARY KEY (issuer, subject),
  FOREIGN KEY (issuer, subject) REFERENCES identities (issuer, subject) ON DELETE CASCADE
);
CREATE INDEX provider_tokens_by_time ON provider_tokens (ask_at);

-- Work that one hub at a time does.
CREATE TABLE leases (
  name   ${text} PRIMARY KEY,
  holder ${text} NOT NULL,
  until  bigint NOT NULL
);

-- Programs that ask for a sign-in (RFC 8628). Rows stay for a while after their end, so that a code counts once.
CREATE TABLE device_codes (
  code_hash      ${text} PRIMARY KEY,
  user_code      ${text} NOT NULL UNIQUE,
  client_id      ${text} NOT NULL,
  scope          ${text} NOT NULL CHECK (scope IN ('read', 'write')),
  address        ${text} NOT NULL,
  -- The limit of open codes is for one network: an IPv4 address, or a /64.
  network        ${text} NOT NULL,
  -- As JSON, the hub token that is to be made or rotated; null for the sign-in of a device.
  wish           ${text},
  -- An IPv4 address, or a /48: so that a site with many networks takes no place of others.
  site           ${text} NOT NULL,
  created_at     bigint NOT NULL,
  expires_at     bigint NOT NULL,
  -- When somebody approved or denied it, and the number of that transaction. A denied code has no account.
  decided_at     bigint,
  decided_number bigint,
  account_id     ${text} REFERENCES accounts (id) ON DELETE CASCADE,
  -- The session that decided, for the journal.
  session_id     ${text},
  -- The end of the sign-in that approved it; null where that has none.
  ends_at        bigint,
  used_at        bigint,
  -- The answer, encrypted with the code itself; null once it is not repeated any more.
  sealed         ${text}
);
CREATE INDEX device_codes_by_network ON device_codes (network, expires_at);
CREATE INDEX device_codes_undecided ON device_codes (site, expires_at) WHERE decided_at IS NULL;

-- A device that is signed in. It is over at its end, and once any hub token of it is revoked.
CREATE TABLE device_families (
  id         ${text} PRIMARY KEY,
  account_id ${text} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  client_id  ${text} NOT NULL,
  program    ${text} NOT NULL,
  scope      ${text} NOT NULL CHECK (scope IN ('read', 'write')),
  address    ${text} NOT NULL,
  -- The identity provider of the sign-in behind it.
  provider   ${text},
  -- The hub token behind that sign-in, if no provider was: the device ends with it.
  maker_id   ${text},
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX device_families_by_account ON device_families (account_id);
CREATE INDEX device_families_by_maker ON device_families (maker_id) WHERE maker_id IS NOT NULL;

-- Each came together with one hub token of its family.
CREATE TABLE refresh_tokens (
  secret_hash  ${text} PRIMARY KEY,
  family_id    ${text} NOT NULL REFERENCES device_families (id) ON DELETE CASCADE,
  hub_token_id ${text} NOT NULL UNIQUE REFERENCES hub_tokens (id) ON DELETE CASCADE,
  created_at   bigint NOT NULL,
  used_at      bigint,
  -- The answer, encrypted with the refresh token itself; null once it is not repeated any more.
  sealed       ${text}
);
CREATE INDEX refresh_tokens_by_family ON refresh_tokens (family_id);

-- One row: every change locks it first. Numbers come from it, never from the table of entries, which can be pruned.
CREATE TABLE journal_head (
  only_row       smallint PRIMARY KEY CHECK (only_row = 1),
  number         bigint NOT NULL,
  -- Entries up to this number may have been removed.
  pruned_through bigint NOT NULL,
  -- Another one after every write to a table that answers are made of.
  mark           bigint NOT NULL,
  -- True while a change with its entry is written, which renews the mark once for all its rows.
  is_open        boolean NOT NULL
);

-- Names stand beside ids, because an entry outlives what it is about.
CREATE TABLE journal (
  number           bigint PRIMARY KEY,
  previous         bigint NOT NULL,
  -- A number is never below the milliseconds of its entry.
  at_milliseconds  bigint NOT NULL,
  verb             ${text} NOT NULL,
  thing            ${text} NOT NULL,
  did              ${text} NOT NULL,
  actor_account_id ${text},
  actor_account    ${text},
  actor_hub_token  ${text},
  actor_user       ${text},
  request_id       ${text},
  account_id       ${text},
  account          ${text},
  hub_token_id     ${text},
  namespace_id     ${text},
  namespace        ${text},
  repository_uid   ${text},
  repository       ${text},
  ref_uid          ${text},
  ref              ${text},
  -- The storage of the repository at that time.
  storage          ${text},
  narrows          boolean NOT NULL,
  -- What changed, before and after, without secrets.
  detail           json NOT NULL
);
CREATE INDEX journal_by_repository ON journal (repository, number) WHERE repository IS NOT NULL;
CREATE INDEX journal_by_account ON journal (account, number) WHERE account IS NOT NULL;
CREATE INDEX journal_by_actor ON journal (actor_account, number) WHERE actor_account IS NOT NULL;
CREATE INDEX journal_removals ON journal (thing, account, repository, ref, number)
  WHERE did = 'deleted';
-- The few entries that answer a rollback.
CREATE INDEX journal_answers ON journal (verb, number) WHERE verb IN ('rollback', 'restore');

-- A table of their own, because the journal can be pruned.
CREATE TABLE cut_offs (
  kind   ${text} NOT NULL,
  id     ${text} NOT NULL,
  -- Tokens with a lower as_of are dead.
  number bigint NOT NULL,
  -- The number of the transaction that cut: from it on the row is kept for as long as a token can live.
  made   bigint NOT NULL,
  -- The name of the only namespace whose tokens it ends; null where it can end others.
  namespace ${text},
  PRIMARY KEY (kind, id)
);
CREATE INDEX cut_offs_by_number ON cut_offs (made);
CREATE INDEX cut_offs_by_namespace ON cut_offs (namespace, kind, id);

INSERT INTO journal_head
  SELECT 1, floor(extract(epoch FROM clock_timestamp()) * 1000), 0, 0, false;
INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
  SELECT number, 0, number, 'migrate', 'journal', 'created', false, '{}' FROM journal_head;

-- Caches notice a write of another program too, which appends no entry.
CREATE FUNCTION mark_directory() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE journal_head SET mark = floor(random() * 9007199254740991) WHERE NOT is_open;
  RETURN NULL;
END $$;
${answering.map(marking).join('')}

-- Told when the change is committed, and to nobody before.
CREATE FUNCTION tell_head() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('${channel}', NEW.number::text);
  RETURN NULL;
END $$;
CREATE TRIGGER head_told AFTER UPDATE ON journal_head FOR EACH ROW
  WHEN (OLD.number <> NEW.number OR OLD.mark <> NEW.mark) EXECUTE FUNCTION tell_head();

-- What hubs have let through lately, so that a limit holds for all of them together.
-- Nobody misses these rows after a crash, so they are not written to the log of the database.
CREATE UNLOGGED TABLE told_counts (
  -- Processes with the same one tell each other in another way.
  hub    ${text} NOT NULL,
  counts json NOT NULL,
  -- By the clock of the database, in microseconds.
  told   bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000000)
);
CREATE INDEX told_counts_by_moment ON told_counts (told);
`
