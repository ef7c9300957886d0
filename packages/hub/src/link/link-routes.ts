/** The routes by which a storage follows its hub. */

import type { IncomingMessage } from 'node:http'
import {
  changesQuestion,
  epochsQuestion,
  linkPrefix,
  placesQuestion,
  quotasQuestion,
  readInput,
  readInputInParts,
} from '@latchkey/admin-api'
import {
  asRepositoryUid,
  type Clock,
  type HubTokenId,
  isRefusal,
  type Refusal,
  refuse,
  type StorageAddress,
  type StorageName,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { readJsonBody } from '@latchkey/service/http/bodies'
import { type Call, serveLogged } from '@latchkey/service/http/call'
import type { Handle, Reply, Route } from '@latchkey/service/http/routes'
import { heldRoom, type Shares, type TakeRoom } from '@latchkey/service/limits/shares'
import { slicePauses } from '@latchkey/service/limits/slices'
import type { z } from 'zod'
import { queryOf, readMembers } from '../admin/read-request.ts'
import { type JournalWatch, longPoll, type TakeSlot } from '../journal/journal-watch.ts'
import {
  type Actor,
  actorOf,
  embeddedActor,
  endOf,
  type LinkCall,
  type LinkRoute,
} from '../operations/admin-call.ts'
import { unlessFull } from '../run-verb/verb-deps.ts'
import type { Store } from '../stores/store.ts'
import type { Directory } from '../tables/directory.ts'
import { raiseEpochsIn } from '../verbs/repository-rows.ts'
import { findKnown } from './find-known.ts'
import type { IdentifyLink, LinkIdentity } from './identify-link.ts'
import { hubTokenIdOf, linkOrigin, storageOf } from './link-origin.ts'
import { readQuotas } from './quota-states.ts'
import { readChanges } from './read-changes.ts'

export interface NumberReport {
  readonly number: number
  readonly caller: LinkIdentity
  readonly requestId: string
}

export interface LinkDeps {
  readonly identify: IdentifyLink
  readonly clientAddress: ClientAddress
  readonly directory: Directory
  readonly readBeside: Store['readBeside']
  /** Not the admin API's: long polls of administrators take no slot of a storage. */
  readonly watch: JournalWatch
  /** Questions of one storage that are answered at once; long polls are among them. */
  readonly takeSlot: TakeSlot
  /** The refusal when a storage raises too many epochs: each is an entry in the journal. */
  refuseEpochs(hubTokenId: HubTokenId, count: number): Refusal | undefined
  readonly storages: ReadonlyMap<StorageName, Pick<StorageAddress, 'audience'>>
  /** A storage knows the number from the hub: if the journal does not have it, entries were lost. */
  onKnownNumber(report: NumberReport): Promise<void>
  readonly clock: Clock
  /** The operating system's user, in whose name the embedded storage acts. */
  readonly user: string
  /** In bytes: what bodies of requests may hold in memory. */
  readonly bodyRoom: Shares
  logLinkCall(call: LinkCall): void
}

interface LinkQuestion {
  readonly call: Call
  readonly caller: LinkIdentity
  /** Asks who calls again: rights that were lost meanwhile are lost. */
  identifyAgain(): Promise<LinkIdentity | Refusal>
}

type AnswerLink = (question: LinkQuestion, deps: LinkDeps) => Promise<object | Refusal>

/** Twice as much as the most uids that a question may have. */
const bodyLimits = { most: 128 * 1024, advice: 'Ask for fewer uids at a time.' }

/** For a question with a JSON body, which holds its room in memory until it is answered. */
function withBody<Schema extends z.ZodObject>(
  schema: Schema,
  answer: (
    input: z.output<Schema>,
    question: LinkQuestion,
    deps: LinkDeps,
  ) => Promise<object | Refusal>,
): AnswerLink {
  return async (question, deps) => {
    const { call, caller } = question
    const payer = () => ({ account: hubTokenIdOf(caller) })
    const held = heldRoom(deps.bodyRoom, { payer, signal: () => call.signal })
    try {
      const input = await readBody(call.request, schema, held.take)
      return isRefusal(input) ? input : await answer(input, question, deps)
    } finally {
      held.release()
    }
  }
}

/** To be called once the storage is recognised. */
export async function readBody<Schema extends z.ZodObject>(
  request: IncomingMessage,
  schema: Schema,
  take: TakeRoom,
): Promise<z.output<Schema> | Refusal> {
  const body = await readJsonBody(request, { ...bodyLimits, take })
  const pause = slicePauses()
  const members = isRefusal(body) ? body : await readMembers(body, pause)
  return isRefusal(members) ? members : readInputInParts(schema, members, pause)
}

/** `POST /link/v1/places`: which uids of a storage belong to nothing in the directory. */
const answerPlaces = withBody(placesQuestion, async ({ uids }, { identifyAgain }, deps) => {
  const caller = await identifyAgain()
  if (isRefusal(caller)) return caller
  const storage = storageOf(caller)
  const knownUids = await deps.readBeside((tables) => findKnown(tables, storage, uids))
  return { unknown: [...new Set(uids).difference(knownUids)] }
})

/** `POST /link/v1/epochs`: repositories that lost content get new addresses, so that no client relies on it. */
const answerEpochs = withBody(epochsQuestion, async ({ repositories }, question, deps) => {
  const { call, caller, identifyAgain } = question
  const uids = repositories.map((uid) => asRepositoryUid(uid))
  const refused = deps.refuseEpochs(hubTokenIdOf(caller), uids.length)
  if (refused !== undefined) return refused
  return unlessFull(() =>
    deps.directory.change(async (transaction) => {
      const still = await identifyAgain()
      if (isRefusal(still)) return still
      const origin = linkOrigin({ caller: still, user: deps.user, requestId: call.requestId })
      return { raised: await raiseEpochsIn(transaction, origin, uids, storageOf(still)) }
    }),
  )
})

/** `GET /link/v1/changes`: what was removed after an entry of the journal, at once or when there is one. */
const answerChanges: AnswerLink = async ({ call, caller, identifyAgain }, deps) => {
  const question = readInput(changesQuestion, queryOf(call.request.url ?? ''))
  if (isRefusal(question)) return question
  const { after, known: knownNumber, audience, wait } = question
  const other = refuseOtherStorage(caller, audience, deps.storages)
  if (other !== undefined) return other
  const { requestId } = call
  // First, so that the storage hears of the answer to a rollback at once.
  if (knownNumber !== undefined)
    await deps.onKnownNumber({ number: knownNumber, caller, requestId })
  // Another connection than changes have: a large change must not keep uploads waiting.
  const read = async () => {
    const storage = storageOf(caller)
    const answer = await deps.readBeside((tables) => readChanges(tables, storage, after))
    // Before the storage hears of it: where this fails, the storage asks again with the same number.
    if (isRefusal(answer) && after !== undefined) {
      await deps.onKnownNumber({ number: after, caller, requestId })
    }
    return answer
  }
  const waitSeconds = atMostUntilEnd(wait, caller, deps.clock())
  if (after === undefined || waitSeconds === 0) return read()
  const ask = async () => {
    const still = await identifyAgain()
    return isRefusal(still) ? still : read()
  }
  return longPoll(ask, {
    watch: deps.watch,
    holder: hubTokenIdOf(caller),
    waitSeconds,
    signal: call.signal,
    endsWhenStale: (answer) => (!isRefusal(answer) && answer.number === after ? after : undefined),
  })
}

/** `GET /link/v1/quotas`: the repositories of a storage, for one that asks for the first time. */
const answerQuotas: AnswerLink = async ({ call, caller, identifyAgain }, deps) => {
  const question = readInput(quotasQuestion, queryOf(call.request.url ?? ''))
  if (isRefusal(question)) return question
  const still = await identifyAgain()
  if (isRefusal(still)) return still
  return deps.readBeside((tables) => readQuotas(tables, storageOf(caller), question.after))
}

/** A storage that follows the removals of another one would go on showing what was removed from it. */
function refuseOtherStorage(
  caller: LinkIdentity,
  audience: string | undefined,
  storages: LinkDeps['storages'],
): Refusal | undefined {
  const name = storageOf(caller)
  const own = storages.get(name)?.audience
  if (audience === undefined || audience === own) return undefined
  const where = own === undefined ? 'which this hub does not have' : `at ${own}`
  return refuse(
    'permission_denied',
    `This hub token is for the storage "${name}", ${where}; the request comes from the storage at ${audience}. Give that storage a hub token made with --storage and its name.`,
    { missing: 'a hub token of kind storage for this storage' },
  )
}

/** A hub token that ends in the middle of a long poll is refused then, not when the wait is over. */
function atMostUntilEnd(waitSeconds: number, caller: LinkIdentity, now: UnixSeconds): number {
  const expiresAt = caller === 'embedded' ? undefined : caller.expiresAt
  return expiresAt === undefined ? waitSeconds : Math.min(waitSeconds, expiresAt - now)
}

export function linkRoutes(deps: LinkDeps): readonly Route[] {
  const serve =
    (route: LinkRoute, answer: AnswerLink): Handle =>
    (call) =>
      serveQuestion(call, { route, answer }, deps)
  // biome-ignore format: a table is read by its columns
  return [
    { method: 'GET',  path: `${linkPrefix}/changes`, handle: serve('changes', answerChanges) },
    { method: 'GET',  path: `${linkPrefix}/quotas`,  handle: serve('quotas',  answerQuotas) },
    { method: 'POST', path: `${linkPrefix}/epochs`,  handle: serve('epochs',  answerEpochs) },
    { method: 'POST', path: `${linkPrefix}/places`,  handle: serve('places',  answerPlaces) },
  ]
}

interface AnsweredRoute {
  readonly route: LinkRoute
  readonly answer: AnswerLink
}

async function serveQuestion(
  call: Call,
  { route, answer }: AnsweredRoute,
  deps: LinkDeps,
): Promise<Reply | Refusal> {
  const identifyAgain = async () => (await deps.identify(call.request)).result
  let actor: Actor | undefined
  const result = await serveLogged(call, {
    ...deps,
    async work(caller: LinkIdentity): Promise<object | Refusal> {
      if (caller === 'embedded') actor = embeddedActor
      const release = deps.takeSlot(hubTokenIdOf(caller))
      if (release === undefined) return tooManyAtOnce
      try {
        return await answer({ call, caller, identifyAgain }, deps)
      } finally {
        release()
      }
    },
    log(result, caller, end) {
      actor ??= caller === undefined ? {} : actorOf(caller)
      deps.logLinkCall({ route, actor, ...endOf(result), ...end })
    },
  })
  return isRefusal(result) ? result : { body: JSON.stringify(result) }
}

const tooManyAtOnce = refuse(
  'rate_limited',
  'This storage has too many requests in progress. Wait for their responses, then try again.',
  { retryAfterSeconds: 1 },
)
