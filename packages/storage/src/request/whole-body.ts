/** Small bodies, read whole: bounded one by one, and in memory over all requests. */

import { type Refusal, refuse } from '@latchkey/protocol'
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

/**
 * `POST /v1/xorb-grants/default/{hash}`: newer clients ask where to send a xorb before they send it. 404 is what makes
 * clients send the xorb itself. A 200 would say that it is there already, and nothing would be sent: content would be
 * lost, and a client could ask what other repositories have. Nothing is looked up.
 */
export function refuseGrant(bodyRoom: Shares): StorageHandler {
  // Clients send a length and a checksum.
  const bounds = { bodyRoom, maxBytes: 16 * 1024, name: 'request for a grant' }
  // A body that was read leaves the connection usable for the upload that follows.
  return async (call) => {
    await withWholeBody(call, bounds, () => {})
    return noGrants
  }
}

const noGrants = refuse(
  'not_found',
  'This storage gives no grants to upload a xorb elsewhere. Send the xorb to POST /v1/xorbs/default/{hash}.',
)
