/** Fetches a part of a run; what breaks off goes on where it was, over a new URL. */

import { triesWithin } from './backoff.ts'
import { BrokenRun, type DownloadCalls } from './download-calls.ts'
import type { RunPart } from './run-parts.ts'
import type { RunUrls } from './run-urls.ts'

const defaultMaxTries = triesWithin(60)

export interface PartSource {
  readonly calls: Pick<DownloadCalls, 'readRun' | 'maxTries'>
  readonly urls: RunUrls
  /** When it is aborted, nothing more is asked for. */
  readonly signal: AbortSignal
}

export async function fetchPart(
  { calls, urls, signal }: PartSource,
  { planned, bytes }: RunPart,
  into: Uint8Array,
): Promise<void> {
  const { maxTries = defaultMaxTries } = calls
  let [filled, tries] = [0, 0]
  for (;;) {
    signal.throwIfAborted()
    const { url, storageUrl, age } = urls.of(planned.name)
    const rest = { start: bytes.start + filled, end: bytes.end }
    const arrived = await calls.readRun({ url, storageUrl, bytes: rest }, into.subarray(filled))
    filled += arrived.bytes
    if (filled === into.length) return
    tries = arrived.bytes > 0 ? 1 : tries + 1
    if (tries > maxTries) throw arrived.broken ?? new BrokenRun('the storage sends nothing')
    await urls.renew(age, tries)
  }
}
