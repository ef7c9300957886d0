/** A request at the storage: judged, worked on, answered, written down. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { RawRequest } from '@latchkey/gate'
import { answerFor } from '@latchkey/gate/authenticate'
import { gateRequestOf } from '@latchkey/gate/node'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import type { ServeRequest } from '@latchkey/service/http/call'
import { type Deadlines, tooLateRefusal } from '@latchkey/service/http/deadlines'
import { headerValues } from '@latchkey/service/http/headers'
import { isOver, whenOver } from '@latchkey/service/http/response-end'
import type { Stopwatch } from '@latchkey/service/machine/time'
import { failureOf } from '@latchkey/service/observe/log'
import type { StorageLog } from '../operations/log-events.ts'
import type { EndedRequest, WriteDown } from '../operations/write-down.ts'
import { ClientGone, type StorageReply } from '../request/asked.ts'
import { refusalOfFailure } from '../request/refusals.ts'
import { type CutWatch, watchRevocation } from './cut-revoked.ts'
import { type Job, type JudgeDeps, judge, type TurnedAway } from './judge.ts'
import { sendReply } from './send-reply.ts'
import { StoppedUpload, type UploadBody, uploadBody } from './upload-body.ts'

export interface ServeStorageDeps {
  readonly judging: JudgeDeps
  readonly deadlines: Deadlines
  readonly clientAddress: ClientAddress
  readonly stopwatch: Stopwatch
  readonly log: StorageLog
  readonly writeDown: WriteDown
}

/** A request with everything that its answer is made from. */
interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly gateRequest: RawRequest
  readonly waitsForContinue: boolean
}

export function serveStorage(deps: ServeStorageDeps): ServeRequest {
  const { judging, clientAddress, stopwatch, writeDown } = deps
  return async (request, response, waitsForContinue) => {
    const { socket } = request
    const [started, bytesBefore] = [stopwatch(), socket.bytesWritten]
    const gateRequest = gateRequestOf(request, clientAddress(request))
    const visit: Visit = { request, response, gateRequest, waitsForContinue }
    const judged = await judge(judging, gateRequest)
    const served = 'work' in judged ? doJob(deps, visit, judged) : turnAway(visit, judged)
    const { left, ...ended } = await served
    writeDown({
      ...ended,
      method: gateRequest.method,
      target: gateRequest.target,
      address: gateRequest.address,
      requestId: judged.requestId,
      grant: judged.grant,
      permit: 'permit' in judged ? judged.permit : undefined,
      milliseconds: stopwatch() - started,
      bytesOut: socket.bytesWritten - bytesBefore,
    })
    await left
  }
}

interface Ending
  extends Pick<EndedRequest, 'route' | 'status' | 'refusal' | 'bytesIn' | 'isCut' | 'isPreflight'> {
  /** Work that goes on for a moment after its request was cut. */
  readonly left?: Promise<void> | undefined
}

async function turnAway(
  { request, response }: Visit,
  { answer, refusal }: TurnedAway,
): Promise<Ending> {
  await sendReply(request, response, answer)
  const isPreflight = refusal === undefined
  return { route: 'none', status: answer.status, refusal, isPreflight, bytesIn: 0 }
}

async function doJob(deps: ServeStorageDeps, visit: Visit, job: Job): Promise<Ending> {
  const { request, response, waitsForContinue } = visit
  const { route } = job
  const body = uploadBody(request, () => {
    if (waitsForContinue) response.writeContinue()
  })
  const unwatch = watchExchange(deps.deadlines, { request, response, body })
  const tell = (error: unknown) =>
    deps.log('storage_failed', { requestId: job.requestId, route, ...failureOf(error) })
  const ending = (status: number | undefined, more: Partial<Ending>): Ending => {
    return { route, status, bytesIn: body.bytesRead, ...more }
  }
  const revocation = watchRevocation(deps.judging, { job, response, body })
  const working = job
    .work(body, revocation.signal)
    .then((result) => (request.method === 'HEAD' ? result : begun(result)))
    .catch((error) => refusalFor(error, request, tell))
  try {
    const first = await Promise.race([working, revocation.refused])
    const result = revocation.reason() ?? first
    // Work that does not hear of the abort keeps no client waiting; what comes of it is let go.
    const left = isRefusal(result) ? working.then(letGo) : undefined
    if (result !== undefined && 'whenSent' in result) whenOver(response, () => result.whenSent?.())
    if (result === undefined || isOver(response)) {
      letGo(result)
      return ending(undefined, { ...cutBy(revocation), isCut: true, left })
    }
    const reply = isRefusal(result) ? refusalReply(result, visit, job) : result
    await sendReply(request, response, { ...reply, headers: headersOf(reply, job) })
    return ending(reply.status, isRefusal(result) ? { refusal: result, left } : cutBy(revocation))
  } catch (error) {
    // The headers are out: a client must not take the part for the whole.
    response.destroy()
    if (!isGone(error)) tell(error)
    return ending(response.statusCode, { ...cutBy(revocation), isCut: true })
  } finally {
    revocation.end()
    unwatch()
  }
}

/** Gives the function that ends the watch. */
function watchExchange(
  { watch }: Deadlines,
  { request, response, body }: Pick<Visit, 'request' | 'response'> & { readonly body: UploadBody },
): () => void {
  const { socket } = request
  return watch({
    moved: () => socket.bytesRead + socket.bytesWritten - socket.writableLength,
    moving() {
      // A request that waits for room is not read yet: its client cannot send.
      const isWaiting = !body.isBegun && !response.headersSent
      if (!request.complete) return isWaiting ? undefined : 'upload'
      // With nothing left to take, the client waits for us.
      return response.headersSent && response.writableLength > 0 ? 'download' : undefined
    },
    // Bytes that have arrived and are not read yet wait for us, not for the client.
    isHeld: () => request.readableLength >= request.readableHighWaterMark,
    cut(lateness) {
      // Before the answer begins it becomes a refusal, if there is a body to stop.
      if (response.headersSent || request.complete) socket.destroy()
      else body.stop(tooLateRefusal(lateness))
    },
  })
}

/** Closes what a reply that no client gets is read from, and frees its slot. */
function letGo(result: StorageReply | Refusal | undefined): void {
  if (result === undefined || isRefusal(result)) return
  const { body } = result
  if (body instanceof Readable) body.destroy()
  // It fails for whoever reads it.
  else if (isBegun(body)) body.return?.()?.catch(() => {})
  result.whenSent?.()
}

type Parts = AsyncIterable<Uint8Array | string>

/** A body of which the first part is known: what it is read from is unavailable before the headers are out, or not at all. */
async function begun(result: StorageReply | Refusal): Promise<StorageReply | Refusal> {
  if (isRefusal(result) || typeof result.body === 'string' || Buffer.isBuffer(result.body)) {
    return result
  }
  try {
    return { ...result, body: await withFirstPart(result.body) }
  } catch (error) {
    letGo(result)
    throw error
  }
}

async function withFirstPart(body: Parts): Promise<Parts> {
  const parts = body[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array | string> | undefined = await parts.next()
  const rest: AsyncIterableIterator<Uint8Array | string> = {
    [Symbol.asyncIterator]: () => rest,
    async next() {
      const result = first ?? (await parts.next())
      first = undefined
      return result
    },
    return: async () => (await parts.return?.()) ?? { done: true, value: undefined },
  }
  return rest
}

function isBegun(body: StorageReply['body']): body is AsyncIterableIterator<Uint8Array | string> {
  return typeof body === 'object' && 'return' in body
}

function cutBy({ reason }: CutWatch): Partial<Ending> {
  const refusal = reason()
  return refusal === undefined ? {} : { refusal, isCut: true }
}

function headersOf({ headers }: StorageReply, job: Job): readonly string[] {
  const isNamed = headerValues(headers, 'x-request-id').length > 0
  const own = isNamed ? [] : ['X-Request-Id', job.requestId, 'Cache-Control', 'no-store']
  return [...headers, ...own, ...job.headers]
}

function refusalReply(refusal: Refusal, { gateRequest }: Visit, { requestId }: Job): StorageReply {
  const { status, headers, body } = answerFor(refusal, gateRequest, requestId)
  return { status, headers, body }
}

/** Undefined when the client has gone. */
function refusalFor(
  error: unknown,
  request: IncomingMessage,
  tell: (error: unknown) => void,
): Refusal | undefined {
  if (error instanceof StoppedUpload) return error.refusal
  const refusal = refusalOfFailure(error)
  if (refusal !== undefined) return refusal
  if (error instanceof ClientGone || (request.destroyed && isGone(error))) return undefined
  tell(error)
  return failed
}

const gone: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE'])

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && gone.has(error.code)
}

const failed = refuse(
  'internal_error',
  'The storage failed to process this request. Try again; its operator finds the reason in the log.',
)
