/** Checks the hashes that a git client wants before git reads them: with protocol 2 git serves every object that it has. */

import { type ObjectHash, parseObjectHash } from '../objects/object-hash.ts'
import { packetLength, wholePackets } from './packets.ts'

export type IsOffered = (hash: ObjectHash) => Promise<boolean>

const noObject = '0'.repeat(40)
const want = 'want '

/**
 * Passes on the body of a request, line by line. A hash that is not offered becomes one that no object has, so git answers as
 * for an object that is not there. Lines that git would not read are left out, with all that follows.
 */
export async function* checkWants(
  body: AsyncIterable<Uint8Array>,
  isOffered: IsOffered,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const packets of wholePackets(body)) {
    for (let at = 0; at < packets.length; ) {
      const end = at + (packetLength(packets, at) ?? packets.length)
      const line = packets.subarray(at + 4, end)
      // Most lines are none: a client may send a million that say what it has.
      if (isWant(line)) await checkWant(line, isOffered)
      at = end
    }
    yield packets
  }
}

function isWant(line: Buffer): boolean {
  return line[0] === want.charCodeAt(0) && line.toString('latin1', 0, want.length) === want
}

async function checkWant(line: Buffer, isOffered: IsOffered): Promise<void> {
  const end = want.length + noObject.length
  const hash = parseObjectHash(line.toString('latin1', want.length, end).toLowerCase())
  const isGood = hash !== undefined && (await isOffered(hash))
  if (!isGood) line.write(noObject.slice(0, Math.max(0, line.length - want.length)), want.length)
}
