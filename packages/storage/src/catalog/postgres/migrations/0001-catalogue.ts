/** The catalogue: xorbs, files and chunks, each with the ref that has it; totals; and the link to the hub. */

/** Hashes and uids are compared byte for byte, whatever the locale of the database. */
const text = 'text COLLATE "C"'

/** A row counts for the quota of its repository. One statement changes the totals once, however many rows it has. */
function counting(table: string, bytes: string): string {
  const sums = (rows: string) =>
    `SELECT repository_uid, sum(${bytes}) AS bytes, count(*) AS objects FROM ${rows} GROUP BY repository_uid`
  // Only where the namespace has a quota: the row is locked, so that its repositories wait for each other.
  const namespaces = (rows: string, sign: string) => `
  UPDATE namespace_quotas AS n
    SET held = n.held ${sign} changed.bytes, proposed = n.proposed ${sign} changed.proposed
    FROM (
      SELECT q.namespace, sum(${bytes}) AS bytes,
        coalesce(sum(${bytes}) FILTER (WHERE ${isProposed('x')}), 0) AS proposed
      FROM ${rows} AS x JOIN repository_quotas AS q ON q.repository_uid = x.repository_uid
      GROUP BY q.namespace) AS changed
    WHERE n.namespace = changed.namespace AND n.bytes IS NOT NULL;`
  return `
CREATE FUNCTION ${table}_added() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO stored_totals AS t ${sums('added')}
    ON CONFLICT (repository_uid) DO UPDATE
    SET bytes = t.bytes + excluded.bytes, objects = t.objects + excluded.objects;${namespaces('added', '+')}
  RETURN NULL;
END $$;
CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION ${table}_added();
CREATE FUNCTION ${table}_removed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE stored_totals AS t SET bytes = t.bytes - gone.bytes, objects = t.objects - gone.objects
    FROM (${sums('removed')}) AS gone WHERE t.repository_uid = gone.repository_uid;${namespaces('removed', '-')}
  RETURN NULL;
END $$;
CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION ${table}_removed();`
}

/** As `proposalUidRange` says. */
function isProposed(row: string): string {
  return `${row}.ref_uid > ${row}.repository_uid || '.' AND ${row}.ref_uid < ${row}.repository_uid || '/'`
}

/** Counts a repository in its namespace when the storage hears of it, and no more when it is deleted. */
function countingRepositories(): string {
  const proposed = (row: string, table: string, bytes: string) =>
    `coalesce((SELECT sum(${bytes}) FROM ${table} AS x
      WHERE x.ref_uid > ${row}.repository_uid || '.' AND x.ref_uid < ${row}.repository_uid || '/'), 0)`
  const on = (event: string, name: string, row: string, sign: string) => `
CREATE FUNCTION repository_quota_${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE namespace_quotas AS n
    SET held = n.held ${sign} t.bytes,
      proposed = n.proposed ${sign} ${proposed(row, 'stored_xorbs', 'x.packed_bytes')}
        ${sign} ${proposed(row, 'stored_files', 'length(x.terms)')}
    FROM stored_totals AS t
    WHERE n.bytes IS NOT NULL AND n.namespace = ${row}.namespace AND t.repository_uid = ${row}.repository_uid;
  RETURN NULL;
END $$;
CREATE TRIGGER repository_quota_${name} AFTER ${event} ON repository_quotas
  FOR EACH ROW EXECUTE FUNCTION repository_quota_${name}();`
  return on('INSERT', 'added', 'NEW', '+') + on('DELETE', 'removed', 'OLD', '-')
}

/** Times are Unix seconds. */
export const catalogue = `
-- A ref_uid is the uid of a ref or of a commit.
CREATE TABLE stored_xorbs (
  ref_uid        ${text} NOT NULL,
  hash           ${text} NOT NULL,
  repository_uid ${text} NOT NULL,
  digest         ${text} NOT NULL,
  packed_bytes   bigint NOT NULL,
  unpacked_bytes bigint NOT NULL,
  chunks         bigint NOT NULL,
  written_at     bigint NOT NULL,
  -- When the ref got it again; collection counts its age from here, visibility does not.
  renewed_at     bigint NOT NULL DEFAULT 0,
  -- The journal's number up to which the storage had heard from the hub when the row was written.
  stamp          bigint NOT NULL,
  PRIMARY KEY (ref_uid, hash)
);
CREATE INDEX stored_xorbs_by_repository ON stored_xorbs (repository_uid, hash);
CREATE INDEX stored_xorbs_by_digest ON stored_xorbs (digest);

-- Objects by their keys; none is used twice. A row is reserved before an upload writes the bytes, mapped while a digest has
-- them, and unmapped until they are deleted.
CREATE TABLE stored_objects (
  key         ${text} PRIMARY KEY,
  digest      ${text} UNIQUE,
  -- Together with its chunk table.
  bytes       bigint NOT NULL,
  reserved_at bigint NOT NULL,
  unmapped_at bigint,
  CHECK (digest IS NULL OR unmapped_at IS NULL)
);
CREATE INDEX reserved_objects ON stored_objects (reserved_at) WHERE digest IS NULL AND unmapped_at IS NULL;
CREATE INDEX unmapped_objects ON stored_objects (unmapped_at) WHERE unmapped_at IS NOT NULL;

-- Whoever collects tells by the position which files of a repository came after a moment: it is taken while the
-- repository is locked, so that those of one repository rise in the order of commits.
CREATE TABLE stored_files (
  position       bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  ref_uid        ${text} NOT NULL,
  hash           ${text} NOT NULL,
  repository_uid ${text} NOT NULL,
  bytes          bigint NOT NULL,
  terms          bytea NOT NULL,
  -- NULL for a file without chunks.
  first_chunk    ${text},
  -- NULL until the stored bytes were hashed: what a client says of them is not written down.
  sha256         ${text},
  written_at     bigint NOT NULL,
  stamp          bigint NOT NULL,
  UNIQUE (ref_uid, hash)
);
-- Hashes cannot be compressed.
ALTER TABLE stored_files ALTER COLUMN terms SET STORAGE EXTERNAL;
CREATE INDEX stored_files_by_repository ON stored_files (repository_uid, hash);
CREATE INDEX stored_files_by_position ON stored_files (repository_uid, position);
-- Every bound of a lookup is a column before the position: rows that a token does not see are not walked.
CREATE INDEX stored_files_by_first_chunk
  ON stored_files (ref_uid, first_chunk, repository_uid, stamp, position)
  WHERE first_chunk IS NOT NULL;
CREATE INDEX stored_files_of_repository_by_first_chunk
  ON stored_files (repository_uid, first_chunk, position, ref_uid)
  WHERE first_chunk IS NOT NULL;
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

CREATE TABLE stored_chunks (
  ref_uid        ${text} NOT NULL,
  hash           ${text} NOT NULL,
  repository_uid ${text} NOT NULL,
  xorb_hash      ${text} NOT NULL,
  written_at     bigint NOT NULL,
  stamp          bigint NOT NULL,
  PRIMARY KEY (ref_uid, hash)
);
CREATE INDEX stored_chunks_by_repository ON stored_chunks (repository_uid, hash);
CREATE INDEX stored_chunks_by_xorb ON stored_chunks (repository_uid, xorb_hash);

-- Files that come in several requests. One of them goes 24 hours after its last bytes.
CREATE TABLE file_uploads (
  ref_uid        ${text} NOT NULL,
  account        ${text} NOT NULL,
  name           ${text} NOT NULL,
  repository_uid ${text} NOT NULL,
  bytes          bigint NOT NULL,
  -- The response, once the file is registered.
  file           text,
  touched_at     bigint NOT NULL,
  -- What the next piece goes on from, and the bytes after the last whole chunk. Last, because the rest is read alone.
  state          text,
  rest           bytea,
  terms          bytea NOT NULL,
  PRIMARY KEY (ref_uid, account, name)
);
CREATE INDEX file_uploads_by_repository ON file_uploads (repository_uid);
CREATE INDEX unfinished_uploads ON file_uploads (account, touched_at, bytes) WHERE file IS NULL;
CREATE INDEX finished_uploads ON file_uploads (account, touched_at) WHERE file IS NOT NULL;
CREATE INDEX file_uploads_by_age ON file_uploads (touched_at);

-- Xorbs that clients may put into the store themselves, each under its key. A row goes an hour after its end.
CREATE TABLE xorb_grants (
  key            ${text} PRIMARY KEY,
  repository_uid ${text} NOT NULL,
  ref_uid        ${text} NOT NULL,
  account        ${text} NOT NULL,
  hub_token      ${text} NOT NULL,
  -- The storage token that asked.
  jti            ${text} NOT NULL,
  hash           ${text} NOT NULL,
  bytes          bigint NOT NULL,
  ends_at        bigint NOT NULL,
  -- 'refused' never becomes another. 'inserted' if the commit gave the ref a xorb, 'known' if it had it.
  state          ${text} NOT NULL CHECK (state IN ('open', 'refused', 'inserted', 'known'))
);
CREATE INDEX xorb_grants_of_account ON xorb_grants (account, ends_at);
CREATE INDEX xorb_grants_by_end ON xorb_grants (ends_at);
CREATE INDEX unused_grants_of_account ON xorb_grants (account, bytes) WHERE state IN ('open', 'refused');
CREATE INDEX unused_grants_of_repository ON xorb_grants (repository_uid, account, bytes)
  WHERE state IN ('open', 'refused');

CREATE TABLE stored_totals (
  repository_uid ${text} PRIMARY KEY,
  bytes          bigint NOT NULL,
  objects        bigint NOT NULL
);
${counting('stored_xorbs', 'packed_bytes')}
-- A file counts with what it takes in the database: its terms.
${counting('stored_files', 'length(terms)')}

CREATE TABLE hub_link (
  id      smallint PRIMARY KEY CHECK (id = 1),
  -- Every removal up to this number is in removed_places. NULL until the hub has answered once.
  applied bigint,
  -- The highest number that the storage has heard of.
  known   bigint NOT NULL,
  -- When the hub last did not know the number to go on from: removals may have been missed.
  lost_at bigint,
  -- JSON: the repositories whose content moves to another storage, each with the number of its move. Nothing is written to them.
  moving  ${text} NOT NULL,
  -- The uid up to which the quotas of the hub are read, in their order. NULL once all are.
  quotas_after ${text}
);
INSERT INTO hub_link VALUES (1, NULL, 0, NULL, '{}', NULL);

-- Quotas of the hub, each with the number of the hub's journal when it was read. A repository keeps its namespace.
CREATE TABLE repository_quotas (
  repository_uid ${text} PRIMARY KEY,
  namespace      ${text} NOT NULL,
  -- NULL for none.
  bytes          bigint,
  number         bigint NOT NULL
);
CREATE INDEX repositories_of_namespace ON repository_quotas (namespace);
CREATE TABLE namespace_quotas (
  namespace ${text} PRIMARY KEY,
  bytes     bigint,
  number    bigint NOT NULL,
  -- What its repositories hold together, and of that uploads and pull requests by accounts that may not write. Right
  -- while there is a quota.
  held      bigint NOT NULL DEFAULT 0,
  proposed  bigint NOT NULL DEFAULT 0
);
${countingRepositories()}

-- Tombstones: rows of these are not found, and are deleted bit by bit. Nothing is written to them any more.
CREATE TABLE removed_places (
  uid        ${text} PRIMARY KEY,
  removed_at bigint NOT NULL,
  is_swept   boolean NOT NULL DEFAULT false
);
CREATE INDEX unswept_places ON removed_places (removed_at) WHERE NOT is_swept;

-- Repositories that lost content which clients may remember; the hub is told until it has answered.
CREATE TABLE epoch_outbox (
  position       bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  repository_uid ${text} NOT NULL
);

-- What is about the catalogue as a whole, such as a copy that is not finished.
CREATE TABLE settings (name ${text} PRIMARY KEY, value text NOT NULL);
`
