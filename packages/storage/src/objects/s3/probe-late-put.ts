/**
 * Finds out whether a store looks at its condition when a transfer ends, and not only when it begins: a client could
 * otherwise begin two transfers for one key, and replace an object with the second one after it was checked.
 */

import { setTimeout as delay } from 'node:timers/promises'
import type { S3Client } from './s3-client.ts'

/** A store has begun to read a request after so long. */
const beginMs = 250

const once = { ifNoneMatch: '*' } as const

/** The key has no object. */
export async function isReplacedLate(
  client: Pick<S3Client, 'put'>,
  name: string,
): Promise<boolean> {
  const begun = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const parts = [Buffer.from('begun first, '), Buffer.from('ended last')]
  const late = client.put(
    name,
    {
      bytes: Buffer.concat(parts).length,
      async *open() {
        yield* parts.slice(0, 1)
        begun.resolve()
        await second.promise
        yield* parts.slice(1)
      },
    },
    once,
  )
  // The one that waits below hears of it.
  late.catch(() => {})
  try {
    await Promise.race([begun.promise, late])
    await delay(beginMs)
    await client.put(name, Buffer.from('whole'), once)
  } finally {
    second.resolve()
  }
  return (await late) !== 'exists'
}
