/** Ranges of one xorb in a bucket: from the storage, from the store by a URL of the storage, and by the same client without one. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeXorb } from '@latchkey/xet/format'
import type { S3Place } from '../../packages/storage/src/objects/object-store.ts'
import { openS3Client } from '../../packages/storage/src/objects/s3/open-client.ts'
import type { Figure } from '../measure/figure.ts'
import { fileOf, signedUrl } from '../storage/download.ts'
import { fetchRange } from '../storage/fetch-range.ts'
import { sendShard, sendXorb } from '../storage/send-xorb.ts'
import { figureOf, measure, type Round, type Side } from '../storage/sides.ts'
import type { GetOrder } from './bare-client.ts'
import { casOrigin } from './world.ts'

const connections = 16
const rangesEach = 4
const rangeBytes = 8 * 1024 * 1024
const chunkBytes = 64 * 1024
const chunks = rangeBytes / chunkBytes - 1

export interface DownloadsOfBucket {
  /** The name of the figure. */
  readonly name: string
  /** Sends content itself. */
  readonly storage: Side
  /** Lets clients fetch it from the store; left out where that is not measured. */
  readonly direct?: Side
  readonly bare: Side
  readonly place: S3Place
  readonly rounds: number
}

/** Each client fetches the whole xorb again and again: a range that is signed cannot be cut. */
export async function benchDownloads({
  name,
  storage,
  direct,
  bare,
  place,
  rounds,
}: DownloadsOfBucket): Promise<readonly Figure[]> {
  const xorb = writeXorb(
    Array.from({ length: chunks }, () => randomBytes(chunkBytes)),
    'none',
  )
  const { hash, shard } = fileOf(xorb)
  for (const side of direct === undefined ? [storage] : [storage, direct]) {
    await sendXorb(side, { hash: xorb.hash, parts: [xorb.bytes] })
    await sendShard(side, shard)
  }
  const client = openS3Client(place)
  const key = 'downloads/alone'
  await client.put(key, xorb.bytes)
  await client.close()
  const end = xorb.bytes.length - 1
  const each = xorb.bytes.length / 1024 / 1024
  const megabytes = connections * rangesEach * each
  const getBare = async (): Promise<Round> => {
    bare.child.send({
      place,
      key,
      clients: connections,
      count: rangesEach,
      megabytes: each,
    } satisfies GetOrder)
    const [round] = (await once(bare.child, 'message')) as [Round]
    return round
  }
  const visit = async (side: Side, url: () => Promise<string>) =>
    measure(side, megabytes, async () => {
      const fetchMany = async () => {
        for (let count = 0; count < rangesEach; count += 1) await fetchRange(await url(), 0, end)
      }
      await Promise.all(Array.from({ length: connections }, fetchMany))
    })
  const all: Record<'storage' | 'direct' | 'bare', Round[]> = { storage: [], direct: [], bare: [] }
  for (let round = -1; round < rounds; round += 1) {
    const own = await visit(storage, async () =>
      (await signedUrl(storage, hash)).replace(casOrigin, new URL(storage.url).origin),
    )
    // Each client asks for a reconstruction before each range.
    const past = direct && (await visit(direct, () => signedUrl(direct, hash)))
    const anchor = await getBare()
    if (round < 0) continue
    all.storage.push(own)
    if (past !== undefined) all.direct.push(past)
    all.bare.push(anchor)
  }
  const goal = { atLeast: 0.85 }
  const through = { ...figureOf(name, bare, [all.storage, all.bare]), goal }
  if (direct === undefined) return [through]
  return [through, { ...figureOf('direct download', bare, [all.direct, all.bare]), goal }]
}
