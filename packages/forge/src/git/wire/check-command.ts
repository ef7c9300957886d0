/** Reads the command of a request of protocol 2 before git starts: git has more of them than this hub serves. */

import { lineLength } from './check-wants.ts'

/** Others tell about objects that are not offered: `object-info` gives the size of every object that git has. */
const servedCommands = ['ls-refs', 'fetch']

const key = 'command='

/** The command and its capabilities come first, and are short. */
const maxHeadBytes = 64 * 1024

export interface CheckedCommand {
  /** Undefined if git may read the body. A command that is not served, or an empty text where there is none. */
  readonly unserved: string | undefined
  /** The whole body. */
  readonly body: AsyncIterable<Uint8Array>
}

export async function checkCommand(body: AsyncIterable<Uint8Array>): Promise<CheckedCommand> {
  const parts = body[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  let commands = commandsIn(head)
  while (commands === undefined && head.length <= maxHeadBytes) {
    const { done, value } = await parts.next()
    if (done === true) break
    head = Buffer.concat([head, value])
    commands = commandsIn(head)
  }
  const [first = ''] = commands ?? []
  const unserved = [first, ...(commands ?? [])].find((name) => !servedCommands.includes(name))
  return { unserved, body: joined(head, parts) }
}

/** Undefined while the part that names the command is not whole. */
function commandsIn(bytes: Buffer): readonly string[] | undefined {
  const commands: string[] = []
  for (let at = 0; ; ) {
    const length = lineLength(bytes, at)
    if (length === 'none') return commands
    if (length === 'unknown' || at + length > bytes.length) return undefined
    // A packet without content ends the part.
    if (length === 4) return commands
    const line = bytes.toString('latin1', at + 4, at + length)
    if (line.startsWith(key)) commands.push(line.slice(key.length).replace(/\n$/, ''))
    at += length
  }
}

async function* joined(
  head: Uint8Array,
  parts: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (head.length > 0) yield head
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
      yield part.value
    }
  } finally {
    await parts.return?.()
  }
}
