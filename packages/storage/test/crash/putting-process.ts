/** A process of its own that stores xorbs in a bucket as uploads do, some at once, until it is killed. */

import {
  asRefUid,
  asRepositoryUid,
  isRefusal,
  journalNumber,
  unixSeconds,
} from '@latchkey/protocol'
import { makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { openCatalog } from '../../src/catalog/catalog-database.ts'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { openWork } from '../../src/checking/xorb-work.ts'
import type { S3Place } from '../../src/objects/object-store.ts'
import { openObjects } from '../../src/objects/open-objects.ts'
import { xorbStore } from '../../src/xorbs/upload-xorb.ts'

/** What the process is told, as JSON. */
export interface PuttingTask {
  readonly data: string
  readonly place: S3Place
  readonly run: number
}

const lanes = 4
const repositoryUid = asRepositoryUid('repository')
const place = { repositoryUid, refUid: asRefUid('ref'), refuseIfRevoked: () => undefined }

/** The bytes follow from the number; two numbers have the same. */
function xorbOf(number: number) {
  const seed = Math.floor(number / 2)
  return makeXorb(randomChunks(seed, 1 + (seed % 5), 4096))
}

if (import.meta.main) {
  const { data, place: objectsPlace, run }: PuttingTask = JSON.parse(process.argv[2] ?? '')
  const objects = await openObjects(objectsPlace)
  const work = await openWork(objectsPlace)
  const doing = { signal: new AbortController().signal, tell() {}, giveAway() {} }
  const storeXorb = xorbStore({
    objects,
    checker: { check: (draft, expected) => work({ draft, expected }, doing), async close() {} },
    catalog: databaseCatalog({
      database: openCatalog(data),
      upToDate: async () => journalNumber(0),
      clock: () => unixSeconds(1_800_000_000),
      quota: {},
    }),
  })
  const call = { payer: { account: 'writer', repositoryUid }, place, signal: doing.signal }
  let number = run * 1000
  const putMore = async () => {
    for (;;) {
      const { hash, bytes } = xorbOf(++number)
      const draft = await objects.receive(
        (async function* () {
          yield bytes
        })(),
        bytes.length,
      )
      if (draft === undefined) throw new Error('the draft was too long')
      const added = await storeXorb(call, { hash, draft })
      if (isRefusal(added)) throw new Error(added.detail)
      process.send?.(hash)
    }
  }
  process.send?.('ready')
  await Promise.all(Array.from({ length: lanes }, putMore))
}
