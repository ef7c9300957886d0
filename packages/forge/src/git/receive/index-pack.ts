/** Lets git take a pack to pieces, and check every object as `git fsck --strict` would. */

import { collect } from '../process/collect.ts'
import { feed } from '../process/feed.ts'
import type { CallOptions, GitCommands } from '../process/git-commands.ts'
import { GitFailed } from '../process/git-errors.ts'

export interface IndexBounds {
  readonly maxBytes: number
  readonly maxObjects: number
  readonly signal?: AbortSignal | undefined
}

/** A pack of a few kilobytes may describe terabytes. */
const cpuSeconds = 300
const memoryBytes = 2 * 1024 ** 3
const deadlineMs = 3_600_000

/** Gives a sentence for the client where the pack is refused. */
export async function indexPack(
  commands: GitCommands,
  pack: AsyncIterable<Uint8Array>,
  { maxBytes, maxObjects, signal, env }: IndexBounds & Pick<CallOptions, 'env'>,
): Promise<string | undefined> {
  const parts = pack[Symbol.asyncIterator]()
  const head = await headOf(parts)
  if (head === undefined) return 'The request holds no pack of version 2.'
  if (head.objects > maxObjects) {
    return `The push has ${head.objects} objects, and may have ${maxObjects}. Push some commits first.`
  }
  if (head.objects === 0) return undefined
  // Without --fix-thin no object outside of the pack becomes the base of another: its content would be given away.
  const args = ['index-pack', '--stdin', '--strict', `--max-input-size=${maxBytes}`]
  const git = await commands.start(args, {
    ...{ ...(env && { env }), cpuSeconds, memoryBytes, deadlineMs, signal, waitsForClient: true },
  })
  try {
    await Promise.all([collect(git), feed(git, joined(head.bytes, parts))])
    return undefined
  } catch (error) {
    const fault = error instanceof GitFailed ? faultIn(error) : undefined
    if (fault === undefined) throw error
    return fault
  }
}

/** An object that is hidden here is refused as one that is absent. */
export const missingObjects =
  'The push names objects that it does not hold, and that no ref of the repository leads to. Fetch, then push again.'

interface PackHead {
  readonly bytes: Buffer
  readonly objects: number
}

const headBytes = 12

async function headOf(parts: AsyncIterator<Uint8Array>): Promise<PackHead | undefined> {
  let bytes = Buffer.alloc(0)
  while (bytes.length < headBytes) {
    const { done, value } = await parts.next()
    if (done === true) return undefined
    bytes = Buffer.concat([bytes, value])
  }
  const isPack = bytes.toString('latin1', 0, 4) === 'PACK' && bytes.readUInt32BE(4) === 2
  return isPack ? { bytes, objects: bytes.readUInt32BE(8) } : undefined
}

async function* joined(
  first: Uint8Array,
  parts: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first
  for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
    yield part.value
  }
}

// biome-ignore format: a table is read by its columns
const sayings: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [/object ([0-9a-f]{40}): (\w+): /,                 ([, hash, id]) => `Git's check of objects finds ${id} in ${hash}.`],
  [/did not receive expected object|broken links|not all child objects/, () => missingObjects],
  [/exceeds maximum allowed size/,                   () => 'The push is larger than this hub takes. Push some commits first.'],
  [/unresolved deltas?/,                             () => 'The pack needs objects that it does not hold. Use a usual git client: this hub takes no thin packs.'],
  [/[Oo]ut of memory|cannot allocate|mmap failed/,   () => 'The push needs too much memory to unpack.'],
  [/early EOF|premature end|packfile trunc/,         () => 'The pack is not whole. Push again.'],
  [/fatal: |error: /,                                () => 'Git cannot read the pack. Check your repository with git fsck, then push again.'],
]

/** Git repeats what clients have chosen, so its own words are not passed on. */
function faultIn({ reason, stderr }: GitFailed): string | undefined {
  if (reason === 'cpu' || reason === 'deadline') return 'The push takes too long to unpack.'
  if (reason === 'crash') return 'The push needs too much memory to unpack.'
  if (reason !== 'exit' || /No space left|quota exceeded/i.test(stderr)) return undefined
  for (const [saying, say] of sayings) {
    const found = saying.exec(stderr)
    if (found !== null) return say(found)
  }
  return undefined
}
