/** Indexes that hold all that a token request usually reads. */

export const readFromIndexes = `
-- Rules may be long, and a long entry would take longer to pass: only that there are none is in the index.
DROP INDEX repository_doors;
CREATE INDEX repository_doors ON repositories
  (path, visibility, namespace_id, uid, default_branch, epoch, iif(ref_rules = '[]', ref_rules, NULL));
CREATE INDEX refs_by_name ON refs (repository_uid, name, uid, commit_hash, from_uid);
`
