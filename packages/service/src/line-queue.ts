/** Log lines on their way to a file descriptor: in order, in portions, with one write at a time. */

import { write } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

/** A write wakes a thread: in portions of 8 KiB that took 5 % of the time of a token request. */
const portionLength = 64 * 1024
const longestPauseMs = 100
/** A reader that stalls costs lines beyond this, never memory without bound. */
const mostWaiting = 16 * 1024 * 1024

const writeSome = promisify(write)
const nothing = Buffer.alloc(0)

export class LineQueue {
  readonly #fd: number
  readonly #onGivenUp: () => void
  #lines: string[] = []
  #length = 0
  /** What is left of the portion that was taken last. */
  #portion: Buffer = nothing
  #isWriting = false
  #draining: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(fd: number, onGivenUp: () => void) {
    this.#fd = fd
    this.#onGivenUp = onGivenUp
  }

  add(line: string): void {
    if (this.#isOver || this.#portion.length + this.#length + line.length > mostWaiting) return
    this.#lines.push(line)
    this.#length += line.length
    if (this.#draining !== undefined) return
    if (this.#length >= portionLength) void this.drain()
    else this.#timer ??= setTimeout(() => this.drain(), longestPauseMs).unref()
  }

  /** Settles when every line is written or given up. */
  drain(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#draining ??= this.#writeAll().finally(() => {
      this.#draining = undefined
    })
    return this.#draining
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
    const text = this.#lines.join('')
    this.#lines = []
    this.#length = 0
    return Buffer.from(text)
  }

  async #writeAll(): Promise<void> {
    while (this.#portion.length > 0 || this.#length > 0) {
      if (this.#portion.length === 0) this.#portion = this.#takeLines()
      const error = await this.#writePortion()
      // Without a reader no later write succeeds. After other errors the disk or the reader may recover.
      if (error?.code === 'EPIPE') this.giveUp()
      else if (error !== undefined) await delay(longestPauseMs, undefined, { ref: false })
    }
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
