/** What the database keeps count of by repository, held against its rows. */

import { expect } from 'vitest'
import type { CatalogWorld } from './catalog-world.ts'

const kept = `
  SELECT repository_uid, bytes, objects FROM stored_totals
  WHERE objects <> 0 OR bytes <> 0 ORDER BY repository_uid`

const counted = `
  SELECT repository_uid, sum(bytes) AS bytes, count(*) AS objects FROM (
    SELECT repository_uid, packed_bytes AS bytes FROM stored_xorbs
    UNION ALL SELECT repository_uid, length(terms) FROM stored_files) AS held
  GROUP BY repository_uid ORDER BY repository_uid`

export async function expectTrueTotals({ rows }: Pick<CatalogWorld, 'rows'>): Promise<void> {
  expect(await rows(kept)).toEqual(await rows(counted))
}
