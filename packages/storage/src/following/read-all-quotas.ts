/** Reads the quotas of all repositories, for a storage that asks its hub for the first time. Then each change comes with the journal. */

import type { HubLink } from '@latchkey/gate/hub-link'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import { readLinkState, setQuotasAfter } from '../catalog/link-state.ts'
import { hold } from '../catalog/locks.ts'
import { writeQuotas } from '../catalog/quota-states.ts'

export interface QuotaReading {
  readonly link: Pick<HubLink, 'quotas'>
  readonly database: CatalogDatabase
}

/** Several processes may do so at once; each goes on from where any of them has got to. */
export async function readAllQuotas(
  { link, database }: QuotaReading,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  for (;;) {
    const { quotasAfter: after } = await database.read(readLinkState)
    if (after === undefined) return
    const page = await link.quotas({
      ...(after !== '' && { after }),
      ...(signal && { signal }),
    })
    const isKnown = await database.change(async (tables) => {
      await hold(tables, { link: 'alone' })
      const state = await readLinkState(tables)
      // The storage has begun anew meanwhile: it asks for the changes first.
      if (state.applied === undefined) return false
      // Another process may be further.
      if (state.quotasAfter !== after) return true
      await writeQuotas(tables, page)
      await setQuotasAfter(tables, page.next)
      return true
    })
    if (isKnown !== true) return
  }
}
