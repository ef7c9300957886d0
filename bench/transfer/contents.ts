/** The files that are transferred: new bytes in every round, so that the storage has none of them. */

import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'

export type Kind = 'random' | 'half-repeated'

export const kinds: readonly Kind[] = ['random', 'half-repeated']

const blockBytes = 1_000_000

/** The second half of a half-repeated file is its first half once more. */
export function writeContent(file: string, kind: Kind, megabytes: number): void {
  const descriptor = openSync(file, 'w')
  const half = Math.ceil(megabytes / 2)
  const key = randomBytes(16)
  const stream = () => createCipheriv('aes-128-ctr', key, Buffer.alloc(16))
  const zeros = Buffer.alloc(blockBytes)
  let source = stream()
  for (let block = 0; block < megabytes; block += 1) {
    if (kind === 'half-repeated' && block === half) source = stream()
    writeSync(descriptor, source.update(zeros))
  }
  closeSync(descriptor)
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: blockBytes }), hash)
  return hash.digest('hex')
}
