/** A small body, whole. */

import type { Body } from './asked.ts'

/** Undefined when it is longer than `most`. */
export async function readWhole(
  { stream, length }: Body,
  most: number,
): Promise<Buffer | undefined> {
  if ((length ?? 0) > most) return undefined
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of stream) {
    bytes += part.length
    if (bytes > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
