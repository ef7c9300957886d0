/** Decides whether a request may be served: by its token through the gate, or for blobs by its signed URL. */

import { type Admitted, type Gate, type GateRequest, type Grant, readRequest } from '@latchkey/gate'
import type { Receive, Received, storageCors } from '@latchkey/gate/reception'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { headerValues, joinedValues } from '@latchkey/service/http/header-list'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import type { BlobPermit } from '../blob-url/blob-permit.ts'
import type { Body, Reply } from '../request/asked.ts'
import { payerOf } from '../request/payer.ts'
import { type Looking, placeOf, sightThrough, viewOf } from '../request/view-of.ts'
import { mayNameBlob, type OpenBlob } from './open-blob.ts'
import type { Route } from './routes.ts'

export interface Judging extends Looking, Pick<Gate, 'watch'> {
  /** The storage's own host and port. */
  readonly authority: string
  readonly receive: Receive
  readonly route: Route
  readonly openBlob: OpenBlob
  readonly cors: ReturnType<typeof storageCors>
  readonly randomBytes: RandomBytes
}

/** A request that may be served, and the work that answers it. */
export interface Job {
  readonly requestId: string
  /** Go with the answer, names and values in turn. */
  readonly headers: readonly string[]
  readonly route: string
  readonly grant: Grant | undefined
  /** What the URL of a blob says, in place of a token. */
  readonly permit?: BlobPermit | undefined
  work(body: Body, signal: AbortSignal): Promise<Reply | Refusal>
}

export type TurnedAway = Extract<Received, { ok: false }>

export async function judge(judging: Judging, request: GateRequest): Promise<Job | TurnedAway> {
  const blob = openBlob(judging, request)
  if (blob !== undefined) return blob
  const received = await judging.receive(request)
  if (!received.ok) return received
  const { admitted, requestId, headers } = received
  return { requestId, headers, grant: admitted.grant, ...workFor(judging, admitted, request) }
}

function openBlob(judging: Judging, request: GateRequest): Job | undefined {
  if (!mayNameBlob(request.target)) return undefined
  const read = readRequest(request, judging.authority)
  const opened = isRefusal(read) ? undefined : judging.openBlob(read)
  if (opened === undefined) return undefined
  const [origin] = headerValues(request.headers, 'origin')
  return {
    requestId: newId(judging.randomBytes),
    headers: judging.cors.headersFor(origin),
    route: '/blobs/{hash}',
    grant: undefined,
    permit: opened.permit,
    work: opened.answer,
  }
}

function workFor(
  { route, ...looking }: Judging,
  { grant, path, query }: Admitted,
  { method, headers, address }: GateRequest,
): Pick<Job, 'route' | 'work'> {
  const { isolation, hear, judge } = looking
  const matched = route(method, path)
  if (isRefusal(matched)) return { route: 'none', work: async () => matched }
  const asked = {
    grant,
    payer: payerOf(grant, address),
    view: viewOf(grant, isolation),
    place: placeOf(grant, judge),
    lookThrough: sightThrough(looking, grant, address),
    query: new URLSearchParams(query),
    range: joinedValues(headers, 'range'),
  }
  return {
    route: matched.route,
    async work(body, signal) {
      const view = await hear(asked.view)
      return matched.handle({ ...asked, view, body, signal }, matched.hash)
    },
  }
}
