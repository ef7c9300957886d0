/** Reads the command of a request of protocol 2 before git starts: git has more of them than this hub serves. */

import { packetLength, wholePackets } from './packets.ts'

/** Others tell about objects that are not offered: `object-info` gives the size of every object that git has. */
const servedCommands = ['ls-refs', 'fetch']

const key = 'command='

/** The command and its capabilities come first, and are few and short: git sends four, and one for each `--server-option`. */
const maxHeadPackets = 64
const maxHeadBytes = 64 * 1024

export type CommandFault = 'unserved' | 'missing' | 'too-long'

export interface CheckedCommand {
  /** Undefined if git may read the body. */
  readonly fault: CommandFault | undefined
  /** The whole body, as far as git would read it. */
  readonly body: AsyncIterable<Uint8Array>
}

export async function checkCommand(body: AsyncIterable<Uint8Array>): Promise<CheckedCommand> {
  const parts = wholePackets(body)
  const head = new CommandHead()
  const read: Buffer[] = []
  while (!head.isOver) {
    const { done, value } = await parts.next()
    if (done === true) break
    head.add(value)
    read.push(value)
  }
  return { fault: head.fault(), body: joined(read, parts) }
}

/** The part of a request that names the command. A packet without content ends it. */
class CommandHead {
  readonly #commands: string[] = []
  #packets = 0
  #bytes = 0
  #isWhole = false

  get isOver(): boolean {
    return this.#isWhole || this.#isTooLong()
  }

  add(packets: Buffer): void {
    for (let at = 0; at < packets.length && !this.isOver; ) {
      const length = packetLength(packets, at) ?? packets.length
      this.#packets += 1
      this.#bytes += length
      this.#isWhole = length === 4
      const line = packets.toString('latin1', at + 4, at + length)
      if (line.startsWith(key)) this.#commands.push(line.slice(key.length).replace(/\n$/, ''))
      at += length
    }
  }

  fault(): CommandFault | undefined {
    if (this.#isTooLong()) return 'too-long'
    if (!this.#isWhole || this.#commands.length === 0) return 'missing'
    return this.#commands.every((name) => servedCommands.includes(name)) ? undefined : 'unserved'
  }

  #isTooLong(): boolean {
    return this.#packets > maxHeadPackets || this.#bytes > maxHeadBytes
  }
}

async function* joined(
  head: readonly Uint8Array[],
  parts: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* head
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
      yield part.value
    }
  } finally {
    await parts.return?.()
  }
}
