/** A small body, whole. */

import { readAtMost } from '@latchkey/service/http/read-at-most'
import type { Body } from './asked.ts'

/** Undefined when it is longer than `most`. */
export async function readWhole(
  { stream, length }: Body,
  most: number,
): Promise<Buffer | undefined> {
  return (length ?? 0) > most ? undefined : readAtMost(stream, most)
}
