/** Decides whether a request may be served: by its token through the gate, or for blobs by its signed URL. */

import { type Admission, type Gate, type Grant, type RawRequest, readRequest } from '@latchkey/gate'
import type { AuthenticationResult, Authenticator, storageCors } from '@latchkey/gate/authenticate'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { headerValues, joinedValues } from '@latchkey/service/http/headers'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import type { BlobPermit } from '../blob-url/blob-permit.ts'
import type { Body, StorageReply } from '../request/asked.ts'
import { payerOf } from '../request/payer.ts'
import { otherStore } from '../request/refusals.ts'
import { type Looking, placeOf, sightThrough, viewOf } from '../request/view-of.ts'
import { mayNameBlob, type OpenBlob } from './open-blob.ts'
import type { FindStorageRow } from './storage-rows.ts'

export interface JudgeDeps extends Looking, Pick<Gate, 'watch'> {
  /** The storage's own host and port. */
  readonly authority: string
  readonly receive: Authenticator
  readonly findRow: FindStorageRow
  readonly openBlob: OpenBlob
  readonly cors: ReturnType<typeof storageCors>
  readonly randomBytes: RandomBytes
  /** Why the objects are not those of the catalogue, if they are not. */
  readonly mismatch: () => string | undefined
}

/** A request that may be served, and the work that answers it. */
export interface Job {
  readonly requestId: string
  /** Go with the answer, names and values in turn. */
  readonly headers: readonly string[]
  readonly route: string
  readonly grant: Grant | undefined
  /** The permit in the URL of a blob, in place of a token. */
  readonly permit?: BlobPermit | undefined
  work(body: Body, signal: AbortSignal): Promise<StorageReply | Refusal>
}

export type TurnedAway = Extract<AuthenticationResult, { ok: false }>

export async function judge(deps: JudgeDeps, request: RawRequest): Promise<Job | TurnedAway> {
  const judged = await judgeRequest(deps, request)
  if (!('work' in judged) || deps.mismatch() === undefined) return judged
  return { ...judged, work: async () => otherStore }
}

async function judgeRequest(deps: JudgeDeps, request: RawRequest): Promise<Job | TurnedAway> {
  const blob = await openBlob(deps, request)
  if (blob !== undefined) return blob
  const received = await deps.receive(request)
  if (!received.ok) return received
  const { admitted, requestId, headers } = received
  return { requestId, headers, grant: admitted.grant, ...workFor(deps, admitted, request) }
}

async function openBlob(deps: JudgeDeps, request: RawRequest): Promise<Job | undefined> {
  if (!mayNameBlob(request.target)) return undefined
  const read = readRequest(request, deps.authority)
  const opened = isRefusal(read) ? undefined : await deps.openBlob(read)
  if (opened === undefined) return undefined
  const [origin] = headerValues(request.headers, 'origin')
  return {
    requestId: newId(deps.randomBytes),
    headers: deps.cors.headersFor(origin),
    route: '/blobs/{hash}',
    grant: undefined,
    permit: opened.permit,
    work: opened.answer,
  }
}

function workFor(
  { findRow, ...looking }: JudgeDeps,
  { grant, path, query }: Admission,
  { method, headers, address }: RawRequest,
): Pick<Job, 'route' | 'work'> {
  const { isolation, hear, checkGrant } = looking
  const found = findRow(method, path) ?? noRow
  if (isRefusal(found)) return { route: 'none', work: async () => found }
  const { row, values } = found
  const context = {
    grant,
    payer: payerOf(grant, address),
    view: viewOf(grant, isolation),
    place: placeOf(grant, checkGrant),
    lookThrough: sightThrough(looking, grant, address),
    query: new URLSearchParams(query),
    range: joinedValues(headers, 'range'),
    header: (name: string) => joinedValues(headers, name),
  }
  return {
    route: row.path,
    async work(body, signal) {
      const view = await hear(context.view)
      return row.handle({ ...context, view, grantId: values.id, body, signal }, values.hash)
    },
  }
}

const noRow = refuse(
  'not_found',
  'The storage serves nothing at this path. It serves xorbs, shards, reconstructions, chunks and files, each by its hash of 64 digits.',
)
