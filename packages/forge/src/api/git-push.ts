/** Answers `git push` over HTTP. The hub decides about every ref; git itself moves none. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { atPace } from '@latchkey/service/http/bodies'
import type { RepoAddress } from '../addresses/find-route.ts'
import {
  type FaultyRequest,
  GitFailed,
  keepAlive,
  maxCommands,
  type PushReport,
  type PushRequest,
  pushAdvertisement,
  pushReport,
  readCommands,
} from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { gitBody } from '../http/bodies.ts'
import type { ForgeReply } from '../http/reply.ts'
import type { Push } from '../pushes/push.ts'
import { runPush } from '../pushes/run-push.ts'
import { inSlot, turnOf } from './change-in-turn.ts'
import { offeredTo, targetsOf } from './offered-to.ts'
import { openPush, type PushPlace } from './open-push.ts'

export const advertisePush: ForgeHandler<RepoAddress> = async (exchange, { repo }, parts) => {
  const place = await openPush(exchange, repo, parts)
  if (isRefusal(place)) return place
  const { repository } = place
  const refs = await repository.refs({ signal: exchange.signal })
  return reply('advertisement', [...pushAdvertisement(refs)])
}

const requestType = 'application/x-git-receive-pack-request'

export const receivePack: ForgeHandler<RepoAddress> = async (exchange, { repo }, parts) => {
  const place = await openPush(exchange, repo, parts)
  if (isRefusal(place)) return place
  // A form of another site could send a text in the name of somebody whose browser knows a password.
  if (exchange.request.headers['content-type'] !== requestType) {
    return refuse('unsupported_media_type', `A push is sent as ${requestType}.`)
  }
  const { pushBytes } = parts.bounds
  const body = parts.reserve.guard(atPace(gitBody(exchange.request, pushBytes + maxHeadBytes)))
  const request = await readCommands(body)
  if ('fault' in request) return refuseRequest(request, body)
  if (request.commands.length === 0) return reply('result', [])
  return reply('result', pushParts(exchange, { ...place, request }, parts))
}

/** Commands, and what a pack has beside its objects. */
const maxHeadBytes = 2 * 1024 * 1024

const faults: Readonly<Record<FaultyRequest['fault'], string>> = {
  unreadable: 'The request is no push as git writes one.',
  'too-many': `A push may change ${maxCommands} refs. Push some of them first.`,
  signed: 'This hub takes no signed pushes. Leave out --signed.',
  twice: 'The push names a ref twice.',
}

/** Git shows its user a report, and of a refused request the status alone. */
async function refuseRequest(
  { fault, commands, capabilities }: FaultyRequest,
  body: AsyncIterable<Uint8Array>,
): Promise<ForgeReply | Refusal> {
  const refusal = refuse('bad_request', faults[fault])
  if (!capabilities.has('report-status')) return refusal
  await readRest(body)
  return reply('result', [...pushReport(failed({ commands }, refusal), capabilities)])
}

const keepAliveMs = 5000

/** The work goes on if the client has gone, where it must. */
async function* pushParts(
  exchange: Exchange,
  { request, ...place }: PushPlace & { readonly request: PushRequest },
  parts: ForgeDeps,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isWhole = false
  const pack = noting(request.pack, () => {
    isWhole = true
  })
  const { capabilities } = request
  const work = push(exchange, { ...place, request: { ...request, pack } }, parts)
  work.catch(() => {})
  try {
    for (;;) {
      const timer = Promise.withResolvers<undefined>()
      const timeout = setTimeout(timer.resolve, keepAliveMs, undefined)
      const report = await Promise.race([work, timer.promise]).finally(() => clearTimeout(timeout))
      if (report !== undefined) {
        yield* pushReport(report, capabilities)
        return
      }
      // Some clients read nothing before they have sent all.
      if (isWhole && capabilities.has('side-band-64k')) yield keepAlive
    }
  } finally {
    await work.catch(() => {})
  }
}

async function* noting(
  pack: AsyncIterable<Uint8Array>,
  ended: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* pack
  ended()
}

async function push(
  exchange: Exchange,
  { repo, uid, repository, request }: PushPlace & { readonly request: PushRequest },
  parts: ForgeDeps,
): Promise<PushReport> {
  const { hub, signal, requestId } = exchange
  const { room, bounds } = parts
  const targets = once(repository.targets)
  const offered = once(() => targetsOf({ targets }))
  const described = await hub.describe(uid)
  const work: Push = {
    ...{ hub, repo, uid, repository, request, signal, targets, offered },
    ...{ turn: turnOf(exchange, uid), maxBytes: bounds.pushBytes },
    defaultBranch: described?.defaultBranch,
    async guard(pack, isReader) {
      const full = await room.refuseFull(uid, repository, { isReader })
      if (full !== undefined) return full
      return isReader ? room.countProposal(uid, pack) : room.countPush(uid, pack)
    },
    isOffered: offeredTo(exchange, repo, offered),
  }
  const logFailure = (error: unknown) => parts.logFailure(error, requestId)
  const pushing = { ...parts, logFailure }
  const report = await inSlot(exchange, parts, () => runPush(pushing, work)).catch((error) =>
    refusalIn(error),
  )
  // A client that still sends would not read the report.
  await readRest(request.pack)
  return isRefusal(report) ? failed(request, report) : report
}

function once<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let found: Promise<Result> | undefined
  return () => {
    found ??= ask()
    return found
  }
}

const takesLong = 'The push takes too long to check. Push some commits first.'

/** Thrown for what clients do, and where there is no room. */
function refusalIn(error: unknown): Refusal {
  const refusal = error instanceof Error && 'refusal' in error ? error.refusal : undefined
  if (typeof refusal === 'object' && refusal !== null && isRefusal(refusal)) return refusal
  const isLong = error instanceof GitFailed && /^(?:cpu|deadline)$/.test(error.reason)
  if (isLong) return refuse('bad_request', takesLong)
  throw error
}

/** After a refusal no more than this is read. */
const maxRestBytes = 256 * 1024 * 1024

async function readRest(pack: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0
  try {
    for await (const part of pack) {
      bytes += part.length
      if (bytes > maxRestBytes) return
    }
  } catch {
    // It was too long, or the client has gone.
  }
}

function failed({ commands }: Pick<PushRequest, 'commands'>, { detail }: Refusal): PushReport {
  return {
    unpackFault: detail,
    faults: new Map(commands.map(({ ref }) => [ref, 'the push was refused'])),
    messages: [detail],
  }
}

function reply(
  kind: 'advertisement' | 'result',
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): ForgeReply {
  const headers = ['Content-Type', `application/x-git-receive-pack-${kind}`]
  if (Array.isArray(parts)) return { headers, body: Buffer.concat(parts) }
  return { headers, body: { length: undefined, parts: parts as AsyncIterable<Uint8Array> } }
}
