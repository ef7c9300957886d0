/** The "no"s of the storage, in words that are the same for what is hidden and what is absent. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'

type Kind = 'file' | 'file with the SHA-256' | 'xorb' | 'chunk'

export function notHere(kind: Kind, hash: Hash): Refusal {
  return refuse(
    'resource_not_found',
    `There is no ${kind} ${hash} for this repository and ref. Use a token of the branch it was uploaded to; a commit has what was uploaded before it was recorded.`,
  )
}

export function noUpload(id: string): Refusal {
  return refuse(
    'resource_not_found',
    `Your account has no upload ${id} for this repository and ref, or it has expired. Begin a new one, with PUT /v1/files?upload=ID.`,
  )
}

export function contentInvalid(what: string): Refusal {
  return refuse('content_invalid', what)
}

/** Its file was cut by the storage itself, from bodies that a client chose. */
export const tooManyPieces = contentInvalid(
  'The file is in too many pieces, and nothing was registered. Send it again in longer pieces.',
)

/** The client chose how much to put into one shard; all of its xorbs are stored already. `option` raises the cap. */
export function shardTooLarge(what: string, most: number, option?: string): Refusal {
  const advice = option === undefined ? '' : `, or ask the operator to allow more (${option})`
  const detail = `The shard has more ${what} than the ${most} that are allowed at once, and nothing of it was registered. Upload fewer files at a time${advice}.`
  return refuse('content_invalid', detail, { reason: beyondACap })
}

const beyondACap = 'shard_beyond_a_cap'

export function isBeyondACap(value: unknown): boolean {
  return isRefusal(value) && value.reason === beyondACap
}

export function tooLarge(what: string, most: number): Refusal {
  return refuse(
    'body_too_large',
    `A ${what} may have at most ${most} bytes. Send it in smaller parts.`,
  )
}

export const badRange = refuse(
  'bad_request',
  'The Range header must name one range of bytes, as in "bytes=0-1023".',
)

export function beyondTheEnd(bytes: number): Refusal {
  return refuse(
    'range_not_satisfiable',
    `The range begins beyond the end: there are ${bytes} bytes. Ask for a range within them.`,
    { wholeBytes: bytes },
  )
}

/** Their reconstruction would not fit into one answer. */
export const inTooManyPieces = refuse(
  'bad_request',
  'The requested data is in too many pieces for one response. Ask for a range of the file, with the Range header, or for fewer files.',
)

const diskFull = refuse(
  'storage_full',
  'The storage has no room left, and nothing of this upload can be seen. Its operator must free some space before you send it again.',
)

const databaseAway = refuse(
  'not_ready',
  'The storage cannot use its database now, and whether this was stored is not sure. Send it again in a few seconds; what is there already is not sent twice.',
  { retryAfterSeconds: 5 },
)

const storeAway = refuse(
  'not_ready',
  'The storage cannot use its object store now, and nothing of an upload can be seen. Try again in a few seconds.',
  { retryAfterSeconds: 5 },
)

export const otherStore = refuse(
  'not_ready',
  'The storage is not ready, because its object store is not the one of its catalogue. Its operator finds the reason in its log. Try again later.',
  { retryAfterSeconds: 60, reason: 'store_mismatch' },
)

/** The refusal for a failure of what the storage depends on; undefined for any other. */
export function refusalOfFailure(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined
  const { name, message } = error
  if (isDatabaseAway(error)) return { ...databaseAway, reason: message }
  // By name: an error that comes from a thread is a copy.
  if (name === 'StoreUnavailable') return { ...storeAway, reason: message }
  return name === 'DiskFull' ? diskFull : undefined
}

export function isDatabaseAway(error: unknown): error is Error {
  return (
    error instanceof Error &&
    (error.name === 'DatabaseUnavailable' || error.name === 'DatabaseBusy')
  )
}

/** Such an error says nothing about the content that was looked for. */
export function isAway(error: unknown): boolean {
  return isDatabaseAway(error) || (error instanceof Error && error.name === 'StoreUnavailable')
}
