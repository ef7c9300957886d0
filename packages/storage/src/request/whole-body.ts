/** Small bodies, read whole: bounded one by one, and in memory over all requests. */

import type { Refusal } from '@latchkey/protocol'
import { readAtMost } from '@latchkey/service/http/bodies'
import { heldRoom, type Shares } from '@latchkey/service/limits/shares'
import { jsonReply, type StorageCall, type StorageHandler, type StorageReply } from './asked.ts'
import { tooLarge } from './refusals.ts'

/** Files that one request may list. */
export const maxListedFiles = 1000

export interface BodyBounds {
  /** In bytes: what bodies of requests may hold in memory. */
  readonly bodyRoom: Shares
  readonly maxBytes: number
  /** As a refusal names it: `list of files`. */
  readonly name: string
}

/** The room is held until the work is done. */
export async function withWholeBody<Result>(
  { body: { stream, length }, payer, signal }: StorageCall,
  { bodyRoom, maxBytes, name }: BodyBounds,
  work: (body: Buffer) => Result | Promise<Result>,
): Promise<Result | Refusal> {
  if ((length ?? 0) > maxBytes) return tooLarge(name, maxBytes)
  const held = heldRoom(bodyRoom, { payer: () => payer, signal: () => signal })
  try {
    const refusal = await held.take(length ?? maxBytes)
    if (refusal !== undefined) return refusal
    const body = await readAtMost(stream, maxBytes)
    return body === undefined ? tooLarge(name, maxBytes) : await work(body)
  } finally {
    held.release()
  }
}

/** `POST /v1/telemetry`: taken, counted by the request's own line, and dropped. */
export function takeTelemetry(bodyRoom: Shares): StorageHandler {
  const bounds = { bodyRoom, maxBytes: 1024 * 1024, name: 'telemetry document' }
  return (call) => withWholeBody<StorageReply>(call, bounds, () => jsonReply({}))
}
