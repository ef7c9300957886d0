/** Answers a request by the route that was found for it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallerQuestions } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { BodyTooLarge, BodyTooSlow } from '@latchkey/service/http/bodies'
import type { Call } from '@latchkey/service/http/call'
import { headerValues } from '@latchkey/service/http/headers'
import { type HeldRoom, heldRoom } from '@latchkey/service/limits/shares'
import { addressTable, rememberedAddresses } from '../addresses/find-route.ts'
import { GitBusy, GitFailed } from '../git/index.ts'
import type { ForgeDeps } from '../handler/exchange.ts'
import { BodyUnreadable } from '../http/bodies.ts'
import { beginReply, type ForgeReply, sendRefusal, sendReply } from '../http/reply.ts'
import { HubUnavailable } from '../link/hub-unavailable.ts'
import { readQuery } from '../words/query.ts'
import { forgeRoutes, readWords } from './routes.ts'

export const findForgeRoute = rememberedAddresses(addressTable(forgeRoutes, readWords), forgeRoutes)

type Found = NonNullable<ReturnType<typeof findForgeRoute>>

/** Also of a request that its route refuses by its method. */
function isForGit(found: Found, target: string): boolean {
  if (!isRefusal(found)) return found.row.isGit === true
  return ['GET', 'POST'].some((method) => {
    const other = findForgeRoute(method, target)
    return other !== undefined && !isRefusal(other) && other.row.isGit === true
  })
}

export async function answerRequest(
  call: Call,
  response: ServerResponse,
  found: Found,
  parts: ForgeDeps,
): Promise<void> {
  const { request, requestId } = call
  const isGit = isForGit(found, request.url ?? '')
  const authorization = readAuthorization(request, { isGit })
  const hub = parts.port.asking({
    address: parts.clientAddress(request),
    authorization,
    requestId,
  })
  const held = heldRoom(parts.bodyRoom, {
    payer: () => ({ account: hub.payer() }),
    signal: () => call.signal,
  })
  try {
    const result = await call.attempt(() => runTold(call, found, { parts, hub, held }))
    const sending = { request, response, requestId }
    if (isRefusal(result)) sendRefusal(result, sending, { isGit })
    else await sendReply(result, sending)
  } finally {
    held.release()
  }
}

interface Running {
  readonly parts: ForgeDeps
  readonly hub: CallerQuestions
  readonly held: HeldRoom
}

/** Tells the client what the machine lacks, and logs in addition that git hangs, or why the storage cannot be asked. */
async function runTold(call: Call, found: Found, running: Running): Promise<ForgeReply | Refusal> {
  try {
    const result = await run(call, found, running)
    if (isRefusal(result) && result.code === 'upstream_unreachable' && !call.signal.aborted) {
      running.parts.logFailure(new Error(`the storage: ${result.reason}`), call.requestId)
    }
    return result
  } catch (error) {
    const caused = refusalOfClient(error)
    if (caused !== undefined) return caused
    const refusal = refusalOfFailure(error)
    if (refusal === undefined) throw error
    running.parts.logFailure(error, call.requestId)
    return refusal
  }
}

async function run(
  call: Call,
  found: Found,
  { parts, hub, held }: Running,
): Promise<ForgeReply | Refusal> {
  if (isRefusal(found)) return found
  const { row, address } = found
  if ('refuse' in row) return row.refuse(address)
  const { request, requestId, signal } = call
  const query = readQuery(request.url ?? '')
  // Without its query a proposal would be a commit.
  if (query === undefined) return refuse('bad_request', 'The query cannot be decoded.')
  const charged = { ...parts, git: parts.git.calledBy({ account: hub.payer, signal }) }
  const exchange = { request, requestId, query, signal, hub, takeRoom: held.take }
  const reply = await row.handle(exchange, address, charged)
  return isRefusal(reply) || request.method === 'HEAD' ? reply : beginReply(reply)
}

const noRoom = /No space left on device|Disk quota exceeded/

const expected = [GitBusy, BodyTooLarge, BodyTooSlow, BodyUnreadable] as const

/** For what clients do, and no operator needs to know. */
function refusalOfClient(error: unknown): Refusal | undefined {
  const kind = expected.find((one) => error instanceof one)
  return kind && (error as InstanceType<typeof kind>).refusal
}

/** Undefined for a failure that only the log explains. */
function refusalOfFailure(error: unknown): Refusal | undefined {
  if (error instanceof HubUnavailable) return error.refusal
  if (isFull(error)) {
    return refuse('storage_full', 'The disk is full; nothing was changed.')
  }
  if (!(error instanceof GitFailed)) return undefined
  if (error.reason === 'too-large') {
    const detail = 'The requested object is larger than this hub can show.'
    return refuse('not_implemented', detail, { reason: error.message })
  }
  if (error.reason === 'deadline') {
    const detail =
      'Git took too long on this machine. Try again; if it stays so, tell the operator.'
    return refuse('not_ready', detail, { retryAfterSeconds: 30 })
  }
  return undefined
}

function isFull(error: unknown): boolean {
  if (error instanceof GitFailed) return noRoom.test(error.stderr)
  return error instanceof Error && 'code' in error && /^(?:ENOSPC|EDQUOT)$/.test(String(error.code))
}

/** As bearers: git sends its hub token as the password of Basic. */
function readAuthorization(
  { rawHeaders }: IncomingMessage,
  { isGit }: { readonly isGit: boolean },
): readonly string[] {
  const values = headerValues(rawHeaders, 'authorization')
  return isGit ? values.map(asBearer) : values
}

/** RFC 7617 §2: a user name has no colon, so the first one ends it. */
function asBearer(value: string): string {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(value) ?? []
  if (encoded === undefined) return value
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  return `Bearer ${decoded.slice(decoded.indexOf(':') + 1)}`
}
