/** Bodies and replies that move at a least pace: a client that trickles would hold its slot for minutes. */

import { type Refusal, refuse } from '@latchkey/protocol'

export interface Pace {
  readonly windowMs: number
  /** Bytes that must move within a window in which we do nothing but wait. */
  readonly leastBytes: number
  /** For the whole body, without the time that we take ourselves. No limit by default. */
  readonly mostMs?: number
}

export const usualPace: Pace = { windowMs: 30_000, leastBytes: 64 * 1024 }

/** For a body that is read into memory, and that holds its room there meanwhile. */
export const wholeBodyPace: Pace = { ...usualPace, mostMs: 60_000 }

export class BodyTooSlow extends Error {
  readonly refusal: Refusal = refuse(
    'request_timeout',
    'The body came too slowly. Nothing was changed; send it again.',
  )
}

/** Throws `BodyTooSlow`. Time that we take ourselves does not count. */
export async function* atPace(
  parts: AsyncIterable<Uint8Array>,
  { windowMs, leastBytes, mostMs = Number.POSITIVE_INFINITY }: Pace = usualPace,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = parts[Symbol.asyncIterator]()
  let [waitedMs, bytes, waitedInAll] = [0, 0, 0]
  try {
    for (;;) {
      const began = performance.now()
      const left = Math.min(windowMs - waitedMs, mostMs - waitedInAll)
      const next = await within(source.next(), left)
      if (next.done) return
      const ms = performance.now() - began
      waitedMs += ms
      waitedInAll += ms
      if (waitedInAll >= mostMs) throw new BodyTooSlow()
      bytes += next.value.length
      if (bytes >= leastBytes) [waitedMs, bytes] = [0, 0]
      else if (waitedMs >= windowMs) throw new BodyTooSlow()
      yield next.value
    }
  } finally {
    // Not waited for: a body that stands still would never say that it has ended.
    source.return?.()?.catch(() => {})
  }
}

/** Calls `cut` when the client reads too slowly. Time that the parts take to be made does not count. */
export async function* readAtPace(
  parts: AsyncIterable<Uint8Array>,
  cut: () => void,
  { windowMs, leastBytes }: Pace = usualPace,
): AsyncGenerator<Uint8Array, void, undefined> {
  let [waitedMs, bytes] = [0, 0]
  for await (const part of parts) {
    const began = performance.now()
    const timer = setTimeout(cut, Math.max(1, windowMs - waitedMs))
    try {
      yield part
    } finally {
      clearTimeout(timer)
    }
    waitedMs += performance.now() - began
    bytes += part.length
    if (bytes >= leastBytes) [waitedMs, bytes] = [0, 0]
  }
}

async function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyTooSlow()), Math.max(1, ms))
  })
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
