/** Hub tokens of kind `storage`. SQLite cannot change a CHECK, so the table is built anew with its rows. */

import { marking } from './0004-journal.ts'

export const storageTokens = `
CREATE TABLE new_hub_tokens (
  id           TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('read', 'write', 'fine-grained', 'admin', 'storage')),
  secret_hash  TEXT NOT NULL UNIQUE,
  hint         TEXT NOT NULL,
  grants       TEXT NOT NULL,
  verb_groups  TEXT,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER
) STRICT;
INSERT INTO new_hub_tokens
  SELECT id, account_id, name, kind, secret_hash, hint, grants, verb_groups, created_at, expires_at,
         revoked_at, last_used_at
  FROM hub_tokens ORDER BY rowid;
DROP TABLE hub_tokens;
ALTER TABLE new_hub_tokens RENAME TO hub_tokens;

-- Index and triggers went with the old table.
CREATE UNIQUE INDEX hub_token_names ON hub_tokens (account_id, lower(name)) WHERE revoked_at IS NULL;
${marking('hub_tokens', 'INSERT')}${marking('hub_tokens', 'UPDATE')}${marking('hub_tokens', 'DELETE')}
`
