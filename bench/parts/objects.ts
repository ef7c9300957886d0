/** What does content in a bucket cost? Uploads and downloads beside the same client without the storage, and two storages beside one. */

import { findPostgres } from '@latchkey/testing/tools/postgres-programs'
import { findVersitygw } from '@latchkey/testing/tools/s3-stores'
import { loadCore, pin } from '../machine.ts'
import type { Figure } from '../measure/figure.ts'
import { missing, type Part } from '../part.ts'
import { startSide } from '../storage/sides.ts'

const delayMs = 200
/** As a link of 1 Gbit/s: storage and store do not compete for the processor there. */
const linkMegabytes = 120
const kind = { megabytes: 8, packing: 'incompressible' } as const

export const objects: Part = {
  name: 'objects',
  async figures({ rounds = 5, database }) {
    if (findVersitygw() === undefined) {
      return [
        missing('content in a bucket', 'the store alone', 'versitygw', 'npm run tools brings it'),
      ]
    }
    // They load the hub and the storage.
    const { startWorld } = await import('../objects/world.ts')
    const { benchUploads } = await import('../objects/upload.ts')
    const { benchDownloads } = await import('../objects/download.ts')
    const { benchTwo } = await import('../objects/two-storages.ts')
    const { benchSigning } = await import('../objects/signing.ts')
    const world = await startWorld()
    pin(process.pid, loadCore)
    try {
      const place = { ...world.place, scratch: '/nowhere' }
      const bare = await startSide('the store alone', '../objects/bare-client.ts')
      const storage = await world.storage('storage')
      const direct = await world.storage('direct', { directDownloads: true })
      const endpoint = await world.slowStore(delayMs)
      const slow = await world.storage('slow', { endpoint })
      const figures: Figure[] = [await benchSigning(place, rounds)]
      const upload = { bare, kind, rounds }
      figures.push(await benchUploads({ ...upload, name: '8 MB', storage, place }))
      figures.push(
        await benchUploads({
          ...upload,
          name: `8 MB, ${delayMs} ms per request to the store`,
          storage: slow,
          place: { ...place, endpoint },
        }),
      )
      const download = { bare, rounds, name: 'download from the storage' }
      figures.push(...(await benchDownloads({ ...download, storage, direct, place })))
      const link = await world.linkedStore(linkMegabytes)
      const linked = await world.storage('linked', { endpoint: link })
      const behindLink = { storage: linked, place: { ...place, endpoint: link } }
      const suffix = `, ${linkMegabytes} MB/s to the store`
      figures.push(await benchUploads({ ...upload, ...behindLink, name: `8 MB${suffix}` }))
      figures.push(
        ...(await benchDownloads({ ...download, ...behindLink, name: download.name + suffix })),
      )
      if (database === 'sqlite' || findPostgres() === undefined) return figures
      const databaseUrl = await world.newCatalogue()
      const one = await world.storage('one', { endpoint, databaseUrl })
      const two = await world.storage('two', { endpoint, databaseUrl })
      for (const { child } of [one, two]) pin(child.pid ?? 0, '0,1')
      figures.push(...(await benchTwo([one, two], delayMs, rounds)))
      return figures
    } finally {
      await world.close()
    }
  },
}
