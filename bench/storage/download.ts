/** Ranges of one xorb from the storage, by signed URL, and from the bare server. */

import { randomBytes } from 'node:crypto'
import {
  bytesOfHash,
  fileHash,
  hashAt,
  rangeHash,
  type WrittenXorb,
  writeShard,
  writeXorb,
} from '@latchkey/xet/format'
import type { Figure } from '../measure/figure.ts'
import { fetchRange } from './fetch-range.ts'
import { sendShard, sendXorb } from './send-xorb.ts'
import { figureOf, measure, type Round, type Side } from './sides.ts'

const connections = 16
const rangesEach = 4
const chunkBytes = 64 * 1024

export async function benchDownloads(
  sides: { readonly storage: Side; readonly bare: Side },
  rangeMegabytes: number,
  rounds: number,
): Promise<Figure> {
  const { storage, bare } = sides
  const xorb = writeXorb(
    Array.from({ length: 512 }, () => randomBytes(chunkBytes)),
    'none',
  )
  for (const side of [storage, bare]) {
    await sendXorb(side, { hash: xorb.hash, parts: [xorb.bytes] })
  }
  const { hash, shard } = fileOf(xorb)
  await sendShard(storage, shard)
  const rangeBytes = rangeMegabytes * 1024 * 1024
  const visit = async (side: Side, url: string) => {
    const fetchMany = async (first: number) => {
      for (let index = 0; index < rangesEach; index += 1) {
        const start = ((first + index) * rangeBytes) % (xorb.bytes.length - rangeBytes)
        await fetchRange(url, start, start + rangeBytes - 1)
      }
    }
    return measure(side, connections * rangesEach * rangeMegabytes, async () => {
      await Promise.all(Array.from({ length: connections }, (_, index) => fetchMany(index)))
    })
  }
  const measured: Record<'storage' | 'bare', Round[]> = { storage: [], bare: [] }
  for (let round = -1; round < rounds; round += 1) {
    const own = await visit(storage, await signedUrl(storage, hash))
    const anchor = await visit(bare, `${bare.url}/${xorb.hash}`)
    if (round < 0) continue
    measured.storage.push(own)
    measured.bare.push(anchor)
  }
  const work = `download, ranges of ${rangeMegabytes} MB`
  return figureOf(work, bare, [measured.storage, measured.bare])
}

/** A file that is the whole xorb, and the shard that registers it. */
export function fileOf({ hash: xorb, table }: WrittenXorb): { hash: string; shard: Uint8Array } {
  const hash = hashAt(fileHash(bytesOfHash(xorb)))
  const hashes = Array.from({ length: table.count }, (_, index) => table.hashBytes(index))
  const range = rangeHash(Buffer.concat(hashes))
  const term = { xorb, start: 0, end: table.count, unpackedBytes: table.unpackedBytes, range }
  return { hash, shard: writeShard([{ hash, terms: [term] }], [{ hash: xorb, table }]) }
}

/** It opens every byte of the xorb, for a few minutes. */
export async function signedUrl({ url, authorization }: Side, file: string): Promise<string> {
  const response = await fetch(`${url}/v1/reconstructions/${file}`, { headers: { authorization } })
  const { fetch_info } = (await response.json()) as {
    readonly fetch_info: Record<string, readonly { readonly url: string }[]>
  }
  return Object.values(fetch_info)[0]?.[0]?.url ?? ''
}
