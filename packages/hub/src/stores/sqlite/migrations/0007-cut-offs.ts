/** Cut-offs: storage tokens that name a thing and were decided before a number are dead. */

export const cutOffs = `
-- A table of their own, because the journal can be pruned.
CREATE TABLE cut_offs (
  kind   TEXT NOT NULL,
  id     TEXT NOT NULL,
  -- Tokens with a lower as_of are dead.
  number INTEGER NOT NULL,
  -- The number of the transaction that cut: from it on the row is kept for as long as a token can live.
  made   INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX cut_offs_by_number ON cut_offs (made);

-- What was taken away before, while storage tokens of it may be alive.
INSERT INTO cut_offs
  SELECT 'hub-token', id, 9007199254740991, number FROM hub_tokens, journal_head
  WHERE revoked_at > unixepoch() - 90000;
INSERT INTO cut_offs
  SELECT 'account', id, number + 1, number FROM accounts, journal_head WHERE disabled = 1;
`
