/** Does a xorb have the chunks that the shard says it has? */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type ShardXorb, sameBytes } from '@latchkey/xet/format'
import { contentInvalid } from '../request/refusals.ts'
import type { SeenXorbs } from './seen-xorbs.ts'

export async function checkShardXorb(
  { hash, chunks }: ShardXorb,
  seen: SeenXorbs,
): Promise<Refusal | undefined> {
  // Each chunk here takes bytes of the shard itself, whose length is bounded.
  const refused = await seen.look([hash])
  if (refused !== undefined) return refused
  const table = await seen.table(hash)
  if (isRefusal(table)) return table
  if (table.count !== chunks.count) {
    return contentInvalid(`The xorb ${hash} has ${table.count} chunks, not ${chunks.count}.`)
  }
  for (let index = 0; index < table.count; index += 1) {
    const isSame =
      sameBytes(table.hashBytes(index), chunks.hashBytes(index)) &&
      table.unpackedLength(index) === chunks.unpackedLength(index)
    if (!isSame) return contentInvalid(`Chunk ${index} of the xorb ${hash} is another one.`)
  }
  return undefined
}
