/** What hubs have let through lately, so that a limit holds for all of them together. */

export const toldCounts = `
-- Nobody misses these rows after a crash, so they are not written to the log of the database.
CREATE UNLOGGED TABLE told_counts (
  -- Processes with the same one tell each other in another way.
  hub    text COLLATE "C" NOT NULL,
  counts json NOT NULL,
  -- By the clock of the database, in microseconds.
  told   bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000000)
);
CREATE INDEX told_counts_by_moment ON told_counts (told);
`
