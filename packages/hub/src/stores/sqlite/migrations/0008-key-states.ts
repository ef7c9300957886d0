/** Keys get a purpose and the times of their states, so that they can rotate. */

import { marking } from './0004-journal.ts'

/** The longest lifetime that could be configured when the keys were made. */
const longestLifetimeSeconds = 86_400

export const keyStates = `
ALTER TABLE signing_keys ADD COLUMN purpose TEXT NOT NULL DEFAULT 'tokens'
  CHECK (purpose IN ('tokens', 'revocations'));
-- When it is to begin to sign, when it began, and when another key took its place.
ALTER TABLE signing_keys ADD COLUMN activates_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE signing_keys ADD COLUMN activated_at INTEGER;
ALTER TABLE signing_keys ADD COLUMN retired_at INTEGER;
-- Of all that any hub signed with it, in seconds.
ALTER TABLE signing_keys ADD COLUMN longest_lifetime INTEGER NOT NULL DEFAULT ${longestLifetimeSeconds};

-- Which key signed was a matter of each hub's configuration. From here on the newest does; the others stay published for
-- as long as a token of theirs may live.
UPDATE signing_keys SET activates_at = created_at, activated_at = created_at;
UPDATE signing_keys SET retired_at = unixepoch()
  WHERE kid <> (SELECT kid FROM signing_keys ORDER BY created_at DESC, kid DESC LIMIT 1);

-- A hub that runs notices a write of another program too, which appends no entry.
${(['INSERT', 'UPDATE', 'DELETE'] as const).map((event) => marking('signing_keys', event)).join('')}
`
