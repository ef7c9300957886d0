/** The journal: who changed what in the directory, and when. An existing directory gets its first entry here. */

/** The tables that answers to token requests are made of, and of hub tokens the columns: last use is not among them. */
const answering = [
  ...['accounts', 'members', 'repositories', 'collaborators', 'refs', 'commits', 'commit_holders'],
  ...['past_holders', 'hub_token_prefixes', 'hub_tokens'],
]
const ofHubTokens =
  'OF account_id, name, kind, secret_hash, grants, verb_groups, expires_at, revoked_at'

/** Caches notice a write of an older version or of another program too, which appends no entry. */
export function marking(table: string, event: 'INSERT' | 'UPDATE' | 'DELETE'): string {
  const when = table === 'hub_tokens' && event === 'UPDATE' ? `${event} ${ofHubTokens}` : event
  return `
CREATE TRIGGER ${table}_marked_by_${event.toLowerCase()} AFTER ${when} ON ${table}
  WHEN (SELECT is_open FROM journal_head) = 0 BEGIN
  UPDATE journal_head SET mark = random() & 9007199254740991;
END;`
}

export const journal = `
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
  narrows          INTEGER NOT NULL CHECK (narrows IN (0, 1)),
  -- JSON: what changed, before and after, without secrets.
  detail           TEXT NOT NULL
) STRICT;
CREATE INDEX journal_by_repository ON journal (repository, number) WHERE repository IS NOT NULL;
CREATE INDEX journal_by_account ON journal (account, number) WHERE account IS NOT NULL;
CREATE INDEX journal_by_actor ON journal (actor_account, number) WHERE actor_account IS NOT NULL;
CREATE INDEX journal_removals ON journal (thing, account, repository, ref, number)
  WHERE did = 'deleted';

INSERT INTO journal_head
  SELECT 1, CAST(unixepoch('subsec') * 1000 AS INTEGER), 0, 0, 0;
INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
  SELECT number, 0, number, 'migrate', 'journal', 'created', 0, '{}' FROM journal_head;
${answering.flatMap((table) => [marking(table, 'INSERT'), marking(table, 'UPDATE'), marking(table, 'DELETE')]).join('')}
`
