/** Checks the hashes that a git client names before git reads them: with protocol 2 git serves every object that it has. */

import { type ObjectHash, parseObjectHash } from '../objects/object-hash.ts'
import { packetLength, wholePackets } from './packets.ts'

export type IsOffered = (hash: ObjectHash) => Promise<boolean>

const noObject = '0'.repeat(40)

/**
 * Lines whose hashes git accepts without checking that it offered them. It tells the type of a hash
 * in a `shallow` line, and sends the parents of such a commit to a client that asks for all of its
 * history.
 */
const namesHash = ['want ', 'shallow ']

/** Git reads any number of C, cuts it to 32 bits, and takes the largest one for the whole history. */
const deepen = 'deepen '
const maxDepth = 2 ** 31 - 1

/**
 * Lets git send differences to objects that the client says it has. In a request with a depth, git takes any
 * commit that it has for such an object, and would give parts of hidden files away. So the line is held back until
 * it is clear that the request has no depth; a client of protocol 0 gets whole objects.
 */
const thin = 'thin-pack'
const thinLine = Buffer.from(`000d${thin}`)
const namesDepth = ['shallow ', 'deepen']
const endsDepth = ['have ', 'done']

/**
 * Passes on the body of a request, line by line. A hash that is not offered becomes one that no object has, so git answers as
 * for an object that is not there. Lines that git would not read are left out, with all that follows.
 */
export async function* checkWants(
  body: AsyncIterable<Uint8Array>,
  isOffered: IsOffered,
): AsyncGenerator<Uint8Array, void, undefined> {
  let [wantsThin, hasDepth, isDecided] = [false, false, false]
  for await (const packets of wholePackets(body)) {
    let from = 0
    for (let at = 0; at < packets.length; ) {
      const end = at + (packetLength(packets, at) ?? packets.length)
      const line = packets.subarray(at + 4, end)
      // Most lines are none: a client may send a million that say what it has.
      const word = namesHash.find((prefix) => startsWith(line, prefix))
      if (word !== undefined) await checkHash(line, word.length, isOffered)
      else if (startsWith(line, deepen)) checkDepth(line)
      if (word === 'want ') eraseThin(line)
      else if (beginsWith(line, namesDepth)) {
        hasDepth = true
        // Git reads no such line.
        if (isDecided) line.fill('x')
      } else if (startsWith(line, thin)) {
        wantsThin = true
        yield packets.subarray(from, at)
        from = end
      } else if (!isDecided && (isFlush(packets, at) || beginsWith(line, endsDepth))) {
        isDecided = true
        if (wantsThin && !hasDepth) {
          yield packets.subarray(from, at)
          yield thinLine
          from = at
        }
      }
      at = end
    }
    yield packets.subarray(from)
  }
}

function beginsWith(line: Buffer, words: readonly string[]): boolean {
  return words.some((word) => startsWith(line, word))
}

function isFlush(packets: Buffer, at: number): boolean {
  return packets.toString('latin1', at, at + 4) === '0000'
}

/** The first line of protocol 0 has it in a list. */
function eraseThin(line: Buffer): void {
  for (let at = line.indexOf(thin); at !== -1; at = line.indexOf(thin)) {
    line.fill(' ', at, at + thin.length)
  }
}

function startsWith(line: Buffer, prefix: string): boolean {
  return line[0] === prefix.charCodeAt(0) && line.toString('latin1', 0, prefix.length) === prefix
}

async function checkHash(line: Buffer, from: number, isOffered: IsOffered): Promise<void> {
  const hash = parseObjectHash(line.toString('latin1', from, from + noObject.length).toLowerCase())
  const isGood = hash !== undefined && (await isOffered(hash))
  if (!isGood) line.write(noObject.slice(0, Math.max(0, line.length - from)), from)
}

/** A depth that is no plain number becomes a text that git refuses. */
function checkDepth(line: Buffer): void {
  const text = line.toString('latin1', deepen.length).replace(/\n$/, '')
  const isGood = /^[1-9][0-9]{0,9}$/.test(text) && Number(text) <= maxDepth
  if (!isGood) line.fill('x', deepen.length)
}
