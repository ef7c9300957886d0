/** Tells the hub which repositories lost content that clients may remember, until it has been told. */

import type { HubLink } from '@latchkey/gate/hub-link'
import type { RepositoryUid } from '@latchkey/protocol'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import type { StorageTables } from '../catalog/schema.ts'

const maxAtOnce = 1000

/** In the transaction that removes the rows: a kill after it loses nothing. */
export async function noteRemoval(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
): Promise<void> {
  await tables.insertInto('epoch_outbox').values({ repository_uid: repositoryUid }).execute()
}

/** A repository that the hub was told of twice has an address more, which costs its clients a question. */
export async function deliverEpochs(
  database: CatalogDatabase,
  link: Pick<HubLink, 'raiseEpochs'>,
): Promise<void> {
  for (;;) {
    const notes = await database.read((tables) =>
      tables.selectFrom('epoch_outbox').selectAll().orderBy('position').limit(maxAtOnce).execute(),
    )
    if (notes.length === 0) return
    await link.raiseEpochs([...new Set(notes.map((note) => note.repository_uid))])
    // Exactly these: a note of a lower position may have been committed meanwhile, and was not told.
    const positions = notes.map(({ position }) => position)
    await database.change((tables) =>
      tables.deleteFrom('epoch_outbox').where('position', 'in', positions).execute(),
    )
  }
}
