/** A catalogue in a file with rows in every table, and more of them than one page of a copy has. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openCatalog } from '@latchkey/storage/maintenance'
import { dump } from '@latchkey/testing/hub/dump'
import { expect } from 'vitest'

/** Gives the file, in a data directory that holds nothing else. */
export async function prepareCatalogue(data: string): Promise<string> {
  mkdirSync(data, { mode: 0o700, recursive: true })
  await openCatalog(data).close()
  const file = join(data, 'storage.db')
  const database = new DatabaseSync(file)
  database.exec(rows)
  database.close()
  const empty = Object.entries(dump(file)).flatMap(([table, found]) =>
    found.length === 0 ? [table] : [],
  )
  expect(empty).toEqual([])
  return file
}

const rows = `
  WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 600)
    INSERT INTO stored_xorbs
      SELECT 'ref-' || n % 3, printf('%064x', n * 7919 % 1009), 'repository-' || n % 2, printf('%064x', n), n, 2 * n, 1,
        1790000000 + n, CASE WHEN n % 5 = 0 THEN 1790001000 ELSE 0 END, 1790000000000 + n
      FROM some GROUP BY n % 3, n * 7919 % 1009;
  WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 600)
    INSERT INTO stored_objects
      SELECT printf('%032x', n * 104729), CASE WHEN n % 7 > 0 THEN printf('%064x', n) END, n,
        1780000000 + n, CASE WHEN n % 14 = 0 THEN 1790000000 + n END
      FROM some;
  WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 600)
    INSERT INTO stored_files (ref_uid, hash, repository_uid, bytes, terms, first_chunk, sha256, written_at, stamp)
      SELECT 'ref-' || n % 3, printf('%064x', n), 'repository-' || n % 2, n, randomblob(n),
        CASE WHEN n % 4 > 0 THEN printf('%064x', n) END, CASE WHEN n % 3 > 0 THEN printf('%064x', n * 7) END, 1790000000 + n, 1790000000000 + n
      FROM some;
  WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 2200)
    INSERT INTO stored_chunks
      SELECT 'ref-' || n % 3, printf('%064x', n), 'repository-' || n % 2, printf('%064x', n % 600), 1790000000, 1790000000000
      FROM some;
  WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 300)
    INSERT INTO file_uploads
      SELECT 'ref-' || n % 3, 'account-' || n % 2, 'upload ' || n, 'repository-' || n % 2, n,
        CASE WHEN n % 2 = 1 THEN '{}' END, 1790000000 + n, CASE WHEN n % 2 = 0 THEN '{}' END, CASE WHEN n % 2 = 0 THEN randomblob(n) END, randomblob(n)
      FROM some;
  WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 300)
    INSERT INTO xorb_grants
      SELECT printf('%032x', n * 7907), 'repository-' || n % 2, 'ref-' || n % 3, 'account-' || n % 2, 'hub token ' || n % 5, 'token ' || n,
        printf('%064x', n), n, 1790000000 + n, CASE n % 4 WHEN 0 THEN 'open' WHEN 1 THEN 'refused' WHEN 2 THEN 'inserted' ELSE 'known' END
      FROM some;
  INSERT INTO namespace_quotas (namespace, bytes, number) VALUES ('one', 5000000, 17), ('two', NULL, 18);
  WITH RECURSIVE some (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM some WHERE n < 1200)
    INSERT INTO repository_quotas
      SELECT 'repository-' || n, CASE WHEN n % 2 = 0 THEN 'one' ELSE 'two' END, CASE WHEN n % 3 = 0 THEN 7000 END, n FROM some;
  -- The totals of a repository that has lost everything stay.
  INSERT INTO stored_totals VALUES ('repository-of-before', 0, 0);
  DELETE FROM stored_files WHERE position IN (3, 599);
  INSERT INTO removed_places VALUES ('ref-gone', 1790000000, 1), ('ref-going', 1790000005, 0);
  INSERT INTO epoch_outbox (position, repository_uid) VALUES (7, 'repository-1');
  INSERT INTO settings VALUES ('a setting', 'with a ''quote'', é and 😀');
  UPDATE hub_link SET applied = 1790000000005, known = 1790000000009, lost_at = 1790000001;
`
