/** Files of few and of many runs, and requests for their reconstruction. */

import { randomBytes } from 'node:crypto'
import { Agent, get } from 'node:http'
import {
  fileHash,
  type Hash,
  hashAt,
  merkleTree,
  rangeHash,
  type WrittenXorb,
  writeShard,
  writeXorb,
} from '@latchkey/xet/format'
import { sendShard, sendXorb } from './send-xorb.ts'
import type { Side } from './sides.ts'

export interface Asked {
  readonly file: Hash
  readonly atOnce: number
}

const agent = new Agent({ keepAlive: true })

/** By how many runs they have. */
export async function uploadFiles(sides: readonly Side[]): Promise<ReadonlyMap<number, Hash>> {
  const xorb = writeXorb(
    Array.from({ length: 512 }, () => randomBytes(64)),
    'none',
  )
  const files = new Map<number, Hash>()
  for (const runs of [1, 256]) {
    const { hash, shard } = fileOf(xorb, runs)
    files.set(runs, hash)
    for (const side of sides) {
      if (runs === 1) await sendXorb(side, { hash: xorb.hash, parts: [xorb.bytes] })
      await sendShard(side, shard)
    }
  }
  return files
}

/** Every second chunk, so that no run touches the next. */
function fileOf(
  { hash: xorb, table }: WrittenXorb,
  runs: number,
): { hash: Hash; shard: Uint8Array } {
  const tree = merkleTree()
  const terms = Array.from({ length: runs }, (_, run) => {
    const start = run * 2
    tree.add(table.hashBytes(start), table.unpackedLength(start))
    const unpackedBytes = table.unpackedLength(start)
    return { xorb, start, end: start + 1, unpackedBytes, range: rangeHash(table.hashBytes(start)) }
  })
  const hash = hashAt(fileHash(tree.root()))
  return { hash, shard: writeShard([{ hash, terms }], []) }
}

export function askFor({ url, authorization }: Side, { file }: Asked): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = get(
      `${url}/v1/reconstructions/${file}`,
      { agent, headers: { authorization } },
      (answer) => {
        answer.resume()
        if (answer.statusCode !== 200) reject(new Error(`answered with ${answer.statusCode}`))
        answer.once('end', resolve)
      },
    )
    asking.once('error', reject)
  })
}
