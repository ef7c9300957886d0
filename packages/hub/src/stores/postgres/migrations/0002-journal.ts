/** The journal and the cut-offs: who changed what, and which storage tokens are dead. */

const text = 'text COLLATE "C"'

/** The channel on which a new number of the journal is told. */
export const channel = 'latchkey_hub'

/** The tables that answers to token requests are made of; of hub tokens the columns: last use is not among them. */
const answering = [
  ...['accounts', 'members', 'repositories', 'collaborators', 'refs', 'commits', 'commit_holders'],
  ...['past_holders', 'hub_token_prefixes', 'signing_keys'],
]
const ofHubTokens =
  'account_id, name, kind, secret_hash, grants, verb_groups, expires_at, revoked_at'

function marking(table: string, events = 'INSERT OR UPDATE OR DELETE OR TRUNCATE'): string {
  return `
CREATE TRIGGER ${table}_marked AFTER ${events} ON ${table}
  FOR EACH STATEMENT EXECUTE FUNCTION mark_directory();`
}

export const journal = `
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
  -- Not a timestamp: a number is never below the milliseconds of its entry.
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
  narrows          boolean NOT NULL,
  -- What changed, before and after, without secrets.
  detail           json NOT NULL
);
CREATE INDEX journal_by_repository ON journal (repository, number) WHERE repository IS NOT NULL;
CREATE INDEX journal_by_account ON journal (account, number) WHERE account IS NOT NULL;
CREATE INDEX journal_by_actor ON journal (actor_account, number) WHERE actor_account IS NOT NULL;
CREATE INDEX journal_removals ON journal (thing, account, repository, ref, number)
  WHERE did = 'deleted';

-- A table of their own, because the journal can be pruned.
CREATE TABLE cut_offs (
  kind   ${text} NOT NULL,
  id     ${text} NOT NULL,
  -- Tokens with a lower as_of are dead.
  number bigint NOT NULL,
  -- The number of the transaction that cut: from it on the row is kept for as long as a token can live.
  made   bigint NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX cut_offs_by_number ON cut_offs (made);

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
${answering.map((table) => marking(table)).join('')}
${marking('hub_tokens', `INSERT OR DELETE OR TRUNCATE OR UPDATE OF ${ofHubTokens}`)}

-- Told when the change is committed, and to nobody before.
CREATE FUNCTION tell_head() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('${channel}', NEW.number::text);
  RETURN NULL;
END $$;
CREATE TRIGGER head_told AFTER UPDATE ON journal_head FOR EACH ROW
  WHEN (OLD.number <> NEW.number OR OLD.mark <> NEW.mark) EXECUTE FUNCTION tell_head();
`
