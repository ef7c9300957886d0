/** Standard output as a place for log lines: written in portions, whole when the process leaves. */

import { write, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { WriteLine } from './log.ts'

export interface LineWriter {
  readonly write: WriteLine
  /** Settles when every line is out, or when they could not be written for a while. */
  close(): Promise<void>
}

/** Says when it can take more without holding it in memory. */
export interface DrainedLines extends LineWriter {
  /** Settles when every line so far is out or given up. */
  drained(): Promise<void>
}

const standardOutputFd = 1
/** How long a process that ends waits for the reader of its lines. */
const closeTimeoutMs = 2000
const retryMs = 20

export function standardOutput(): DrainedLines {
  const queue = new LineQueue(standardOutputFd, () => process.off('exit', flush))
  // A process that ends without closing still writes what it has.
  const flush = () => flushSync(queue.takeAll())
  process.once('exit', flush)
  return {
    write: (line) => queue.add(line),
    drained: () => queue.drain(),
    async close() {
      const patience = new AbortController()
      const tooLate = delay(closeTimeoutMs, undefined, patience).catch(() => {})
      await Promise.race([queue.drain(), tooLate])
      patience.abort()
      queue.giveUp()
    },
  }
}

/** Gives up at an error other than "try again", and when the reader takes nothing for a while. */
function flushSync(bytes: Buffer): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  let rest = bytes
  for (let waitedMs = 0; rest.length > 0 && waitedMs < closeTimeoutMs; ) {
    try {
      rest = rest.subarray(writeSync(standardOutputFd, rest))
      waitedMs = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(pause, 0, 0, retryMs)
      waitedMs += retryMs
    }
  }
}

/** A write wakes a thread, which costs as much as a hundred lines. */
const portionLength = 256 * 1024
/** A portion is whole once it is longer by a line, and stays in one piece of memory, which is used again. */
const roomLength = portionLength + 16 * 1024
const maxPauseMs = 100
/** A reader that stalls costs lines beyond this, never memory without bound. */
const maxWaiting = 16 * 1024 * 1024

/** In UTF-8, of a UTF-16 code unit. */
const maxBytesOfCharacter = 3

const writeSome = promisify(write)
const nothing = Buffer.alloc(0)

class LineQueue {
  readonly #fd: number
  readonly #onGivenUp: () => void
  /** Bytes, because texts that wait would be copied by every collection of the young generation. */
  #full: Buffer[] = []
  #last: Buffer = nothing
  #used = 0
  /** Bytes of all waiting lines. */
  #length = 0
  /** The rest of the portion that was taken last. */
  #portion: Buffer = nothing
  #isWriting = false
  #writing: Promise<void> | undefined
  /** Someone waits for the lines that are there. */
  #isAwaited = false
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(fd: number, onGivenUp: () => void) {
    this.#fd = fd
    this.#onGivenUp = onGivenUp
  }

  add(line: string): void {
    if (this.#isOver || this.#portion.length + this.#length + line.length > maxWaiting) return
    const most = line.length * maxBytesOfCharacter
    if (this.#last.length - this.#used < most) this.#makeRoom(most)
    const bytes = this.#last.write(line, this.#used)
    this.#used += bytes
    this.#length += bytes
    this.#writeLater()
  }

  /** Settles when every line is written or given up. */
  async drain(): Promise<void> {
    while (this.#portion.length > 0 || this.#length > 0) {
      this.#isAwaited = true
      await this.#write()
    }
  }

  /** Takes out what is not written yet. A write that is under way keeps its portion: no line is written twice. */
  takeAll(): Buffer {
    const portion = this.#isWriting ? nothing : this.#portion
    this.#portion = nothing
    return Buffer.concat([portion, this.#takeLines()])
  }

  giveUp(): void {
    this.#isOver = true
    this.takeAll()
    this.#onGivenUp()
  }

  #takeLines(): Buffer {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = Buffer.concat([...this.#full, this.#last.subarray(0, this.#used)])
    this.#full = []
    this.#used = 0
    this.#length = 0
    return lines
  }

  #makeRoom(bytes: number): void {
    if (this.#used > 0) this.#full.push(this.#last.subarray(0, this.#used))
    this.#last = Buffer.allocUnsafeSlow(Math.max(bytes, roomLength))
    this.#used = 0
  }

  /** A whole portion at once, and less after a pause: otherwise lines that come one by one would each wake a thread. */
  #writeLater(): void {
    if (this.#writing !== undefined || this.#length === 0) return
    if (this.#length >= portionLength) void this.#write()
    else this.#timer ??= setTimeout(() => this.#write(), maxPauseMs).unref()
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writePortions().finally(() => {
      this.#writing = undefined
      this.#isAwaited = false
      this.#writeLater()
    })
    return this.#writing
  }

  async #writePortions(): Promise<void> {
    do {
      if (this.#portion.length === 0) this.#portion = this.#takeLines()
      const error = await this.#writePortion()
      // Without a reader no later write succeeds. After other errors the disk or the reader may recover.
      if (error?.code === 'EPIPE') this.giveUp()
      else if (error !== undefined) await delay(maxPauseMs, undefined, { ref: false })
    } while (this.#portion.length > 0 || this.#length >= (this.#isAwaited ? 1 : portionLength))
  }

  async #writePortion(): Promise<NodeJS.ErrnoException | undefined> {
    this.#isWriting = true
    try {
      const { bytesWritten } = await writeSome(this.#fd, this.#portion)
      this.#portion = this.#portion.subarray(bytesWritten)
      return undefined
    } catch (error) {
      return error as NodeJS.ErrnoException
    } finally {
      this.#isWriting = false
    }
  }
}
