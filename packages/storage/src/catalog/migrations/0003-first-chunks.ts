/** The first chunk of each file, so that a client that has it learns of all xorbs of the file. */

export const firstChunks = `
-- NULL in rows of earlier versions: of these, the first chunk leads to one xorb.
ALTER TABLE stored_files ADD COLUMN first_chunk TEXT;
-- Every bound of a lookup is a column before the position: rows that a token does not see are not walked.
CREATE INDEX stored_files_by_first_chunk
  ON stored_files (ref_uid, first_chunk, repository_uid, stamp, position)
  WHERE first_chunk IS NOT NULL;
CREATE INDEX stored_files_of_repository_by_first_chunk
  ON stored_files (repository_uid, first_chunk, position, ref_uid)
  WHERE first_chunk IS NOT NULL;
`
