/** The cut-offs in the directory that are about given storage tokens. */

import type { JournalNumber } from '@latchkey/protocol'
import { cutOffHash, placesOf, type Revocable, type RevocationList } from '@latchkey/token'
import { chunked } from '../../tables/columns.ts'
import type { Reading } from '../../tables/directory.ts'

/** Found by what the tokens name, so that it takes as long as there are tokens, not as there are cut-offs. */
export async function findCutOffs(
  tables: Reading,
  revocables: readonly Revocable[],
): Promise<RevocationList> {
  const list = new Map<string, JournalNumber>()
  const byKind = Map.groupBy(revocables.flatMap(placesOf), ({ kind }) => kind)
  for (const [kind, places] of byKind) {
    for (const ids of chunked([...new Set(places.map(({ id }) => id))])) {
      const rows = await tables
        .selectFrom('cut_offs')
        .select(['kind', 'id', 'number'])
        .where('kind', '=', kind)
        .where('id', 'in', ids)
        .execute()
      for (const row of rows) list.set(cutOffHash(row), row.number)
    }
  }
  return list
}
