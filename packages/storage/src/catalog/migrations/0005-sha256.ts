/** The SHA-256 of each file, once the storage has computed it. */

export const sha256 = `
-- NULL until the stored bytes were hashed: what a client says of them is not written down.
ALTER TABLE stored_files ADD COLUMN sha256 TEXT;
-- Every bound of a lookup is a column: rows that a token does not see are not walked.
CREATE INDEX stored_files_by_sha256
  ON stored_files (ref_uid, sha256, repository_uid, bytes, stamp, position)
  WHERE sha256 IS NOT NULL;
CREATE INDEX stored_files_of_repository_by_sha256
  ON stored_files (repository_uid, sha256, bytes, position)
  WHERE sha256 IS NOT NULL;
CREATE INDEX unhashed_files
  ON stored_files (ref_uid, bytes, repository_uid, stamp, position)
  WHERE sha256 IS NULL;
CREATE INDEX unhashed_files_of_repository
  ON stored_files (repository_uid, bytes, position)
  WHERE sha256 IS NULL;
`
