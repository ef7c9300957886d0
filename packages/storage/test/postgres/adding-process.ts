/** A process of its own that registers files, each time so many in one transaction, until it is killed. */

import { asRefUid, asRepositoryUid, journalNumber, unixSeconds } from '@latchkey/protocol'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { hash } from '../catalog/content.ts'
import { openSharedCatalog } from '../catalog/test-catalog.ts'

const [, , data = '', run = '', count = ''] = process.argv
const catalog = databaseCatalog({
  database: await openSharedCatalog(data),
  upToDate: async () => journalNumber(0),
  clock: () => unixSeconds(1_800_000_000),
  quota: {},
})
const refuseIfRevoked = () => undefined

process.send?.('ready')
for (let round = 0; ; round += 1) {
  const repository = `repository ${round % 3}`
  const place = {
    repositoryUid: asRepositoryUid(repository),
    refUid: asRefUid(`${repository} ${run} ${round}`),
    refuseIfRevoked,
  }
  const words = Array.from({ length: Number(count) }, (_, at) => `${run} ${round} ${at}`)
  await catalog.addFiles(place, {
    files: words.map((word) => ({ hash: hash(word), bytes: 1, terms: Terms.of([]) })),
    xorbs: [],
    chunks: words.map((word) => ({ hash: hash(`chunk of ${word}`), xorb: hash('xorb') })),
  })
  process.send?.(place.refUid)
}
