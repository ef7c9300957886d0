/** Names of deleted refs that held a commit, and indexes from which visibility is read. */

export const pastHolders = `
-- The names of deleted refs that held a commit: they go on closing what was written under the commit.
-- The commit's own hash as a name says that the commit was once held by no ref, or by one whose name is not known.
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

-- Whether an account may see a repository is read from these indexes alone, so that a closed repository is read
-- no further than an absent one.
CREATE INDEX repository_doors ON repositories (path, visibility, namespace_id, uid);
DROP INDEX members_by_account;
CREATE INDEX members_by_account ON members (account_id, namespace_id, role);
DROP INDEX collaborators_by_account;
CREATE INDEX collaborators_by_account ON collaborators (account_id, repository_uid, role);

-- Earlier versions forgot deleted holders. Where the first holder came after the commit, another one may have gone.
INSERT INTO past_holders
  SELECT c.repository_uid, c.hash, c.hash FROM commits c
  WHERE c.recorded_at < (
    SELECT min(h.recorded_at) FROM commit_holders h
    WHERE h.repository_uid = c.repository_uid AND h.hash = c.hash);
`
