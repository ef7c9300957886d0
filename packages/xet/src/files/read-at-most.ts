/** The body of an answer, unless it is longer than any right one. */

import { joinBytes } from '../format/join-bytes.ts'

/** Undefined where it is longer; fails where it breaks off. */
export async function readAtMost(
  { body }: Pick<Response, 'body'>,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // Not every browser iterates over a stream.
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let bytes = 0
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    bytes += read.value.length
    parts.push(read.value)
    if (bytes <= mostBytes) continue
    reader?.cancel().catch(() => {})
    return undefined
  }
  return joinBytes(parts)
}
