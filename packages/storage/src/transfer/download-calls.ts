/** What a download asks of a storage. */

import type { Hash } from '../format/hash.ts'

export interface DownloadCalls {
  /** Its answer, as JSON has it. */
  reconstruct(file: Hash): Promise<unknown>
  /** The bytes that a URL opens, the last one included; `BrokenRun` where it does not, or they break off. */
  readRun(url: string, bytes: { start: number; end: number }): AsyncIterable<Uint8Array>
  /** Before something is tried once more. */
  pause(tries: number): Promise<void>
}

/** A URL does not open what it should, or the bytes break off: with a new one it may go on. */
export class BrokenRun extends Error {
  override readonly name = 'BrokenRun'
}
