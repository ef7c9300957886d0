/** Sends data into a sink; where the data breaks, that is told, and not that the sink did. */

import type { Sink } from './sink.ts'

export async function drainInto(
  sink: Sink,
  data: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<void> {
  let broken: { readonly reason: unknown } | undefined
  const watched = async function* () {
    let passed = 0
    try {
      for await (const part of data) {
        yield part
        passed += part.length
        onProgress(passed)
      }
    } catch (reason) {
      broken = { reason }
      throw reason
    }
  }
  try {
    await sink(watched())
  } catch (error) {
    throw broken === undefined ? error : broken.reason
  }
}
