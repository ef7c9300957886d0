/**
 * The routes by which a forge asks its hub. Each question carries the credential of its own caller: the forge has no rights
 * at content, and what the hub refuses the caller it refuses the forge.
 */

import {
  type CallerInput,
  type CallerQuestionName,
  type ChangeInput,
  type ChangeName,
  type ForgeEnvelope,
  type ForgeQuestion,
  forgeQuestions,
  linkPrefix,
  mistake,
  type OwnInput,
  type OwnQuestionName,
  readInput,
  readInputInParts,
} from '@latchkey/admin-api'
import {
  encodeRefs,
  encodeRefusal,
  encodeReserved,
  encodeToken,
  forgeHeader,
  type LinkAnswer,
  type LinkOutcome,
  unlessRefused,
} from '@latchkey/admin-api/forge-codec'
import type { CallerPort, CallerQuestions, CallerRequest } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { readJsonBody } from '@latchkey/service/http/bodies'
import { type Call, serveLogged } from '@latchkey/service/http/call'
import type { Reply, Route } from '@latchkey/service/http/routes'
import { heldRoom, isAnonymous, shortBodyBytes } from '@latchkey/service/limits/shares'
import { slicePauses } from '@latchkey/service/limits/slices'
import { readMembers } from '../admin/read-request.ts'
import {
  type ForgeIdentity,
  type ForgePlace,
  noForgeHeader,
  readForgeHeader,
} from '../forge/forge-place.ts'
import { type Actor, actorOf, embeddedActor, endOf } from '../operations/admin-call.ts'
import type { LinkIdentity } from './identify-link.ts'
import { hubTokenIdOf, serviceOrigin } from './link-origin.ts'
import type { LinkDeps } from './link-routes.ts'

export interface ForgeRoutesDeps
  extends Pick<LinkDeps, 'clientAddress' | 'identify' | 'takeSlot' | 'bodyRoom' | 'user'> {
  readonly place: ForgePlace
  /** The hub as this forge may use it. */
  portFor(forge: ForgeIdentity): LinkedPort
  outcomeOf(forge: ForgeIdentity, operation: string): Promise<LinkOutcome | Refusal>
  logLinkCall: LinkDeps['logLinkCall']
  count(route: `forge/${string}`, outcome: string): void
}

export interface LinkedPort extends CallerPort {
  asking(
    request: CallerRequest & { readonly isCounted?: boolean; readonly operation?: string },
  ): CallerQuestions
}

type InputOf<Name> = Name extends CallerQuestionName
  ? CallerInput<Name>
  : Name extends ChangeName
    ? ChangeInput<Name>
    : never

type CallerAnswers = {
  readonly [Name in CallerQuestionName | ChangeName]: (
    hub: CallerQuestions,
    input: InputOf<Name>,
  ) => Promise<unknown>
}

const callerAnswers: CallerAnswers = {
  admit: (hub) => hub.admit(),
  visitor: (hub) => hub.visitor(),
  whoami: (hub) => hub.whoami(),
  decide: (hub, { repo, revision, scope }) => hub.decide({ repo, revision, scope }),
  describe: (hub, { uid }) => hub.describe(uid),
  storageToken: async (hub, target) => unlessRefused(await hub.storageToken(target), encodeToken),
  refs: async (hub, { repo }) => unlessRefused(await hub.refs(repo), encodeRefs),
  repositories: (hub, listing) => hub.repositories(listing),
  newRef: async (hub, ref) => unlessRefused(await hub.newRef(ref), encodeReserved),
  dependents: (hub, ref) => hub.dependents(ref),
  mayForce: (hub, ref) => hub.mayForce(ref),
  openUpload: (hub, { repo, revision, scope }) => hub.openUpload({ repo, revision, scope }),
  uploadTokens: async (hub, { repo }) => (await hub.uploadTokens(repo)).map(encodeToken),
  createRepository: (hub, repository) => hub.createRepository(repository),
  deleteRepository: (hub, { repo }) => hub.deleteRepository(repo),
  moveRef: (hub, move) => hub.moveRef(move),
  deleteRef: (hub, { savedCommits: commits, savedRefs: refs, ...deletion }) =>
    hub.deleteRef({ ...deletion, saved: { commits, refs } }),
}

interface Own {
  readonly hub: LinkedPort
  readonly forge: ForgeIdentity
  readonly caller: LinkIdentity
  readonly requestId: string
  readonly deps: ForgeRoutesDeps
}

type OwnAnswers = {
  readonly [Name in OwnQuestionName]: (own: Own, input: OwnInput<Name>) => Promise<unknown>
}

const ownAnswers: OwnAnswers = {
  claim: ({ forge, caller, requestId, deps: { place, user } }) =>
    place.claim(forge, serviceOrigin({ caller, user, requestId })),
  async refsOf({ hub }, { uid, only }) {
    const refs = await hub.refsOf(uid, only)
    return refs && [...refs]
  },
  dropReserved: ({ hub }, { uid, refUid }) => hub.dropReserved(uid, refUid),
  expireUploads: ({ hub }) => hub.expireUploads(),
  deletedAmong: ({ hub }, { uids }) => hub.deletedAmong(uids),
  hold: ({ hub }, { uids }) => hub.hold(uids),
  release: ({ hub }, { uid }) => hub.release(uid),
  outcomeOf: ({ forge, deps }, { operation }) => deps.outcomeOf(forge, operation),
}

const maxUsualBytes = 256 * 1024
/** All that a deletion may name as saved. */
const maxDeletionBytes = 32 * 1024 * 1024
const advice = 'The ref has more dependents than one deletion may name.'

export function forgeRoutes(deps: ForgeRoutesDeps): readonly Route[] {
  return [
    {
      method: 'POST',
      path: `${linkPrefix}/forge/{question}`,
      handle: (call, { question = '' }) => serveForge(call, question, deps),
    },
  ]
}

async function serveForge(
  call: Call,
  question: string,
  deps: ForgeRoutesDeps,
): Promise<Reply | Refusal> {
  const route = forgeQuestions.has(question) ? (`forge/${question}` as const) : 'forge/unknown'
  let actor: Actor | undefined
  const result = await serveLogged(call, {
    ...deps,
    async work(caller: LinkIdentity): Promise<string | Refusal> {
      if (caller === 'embedded') actor = embeddedActor
      const release = deps.takeSlot(hubTokenIdOf(caller))
      if (release === undefined) return tooManyAtOnce
      try {
        return await answer(call, { question, caller }, deps)
      } finally {
        release()
      }
    },
    log(result, caller, end) {
      // Each download asks a question: those that are answered are counted only.
      deps.count(route, isRefusal(result) ? result.code : 'done')
      if (!isRefusal(result)) return
      actor ??= caller === undefined ? {} : actorOf(caller)
      deps.logLinkCall({ route, actor, ...endOf(result), ...end })
    },
  })
  return isRefusal(result) ? result : { body: result }
}

interface Asked {
  readonly question: string
  readonly caller: LinkIdentity
}

async function answer(
  call: Call,
  { question: name, caller }: Asked,
  deps: ForgeRoutesDeps,
): Promise<string | Refusal> {
  const question = forgeQuestions.get(name)
  if (question === undefined) return noQuestion
  const forge = readForgeHeader(call.request.headers[forgeHeader])
  if (forge === undefined) return noForgeHeader
  const other = name === 'claim' ? undefined : await deps.place.refuseOther(forge)
  if (other !== undefined) return other
  const payer = () => ({ account: hubTokenIdOf(caller) })
  const held = heldRoom(deps.bodyRoom, { payer, signal: () => call.signal })
  try {
    const most = name === 'deleteRef' ? maxDeletionBytes : maxUsualBytes
    const bytes = await readJsonBody(call.request, { most, advice, take: held.take })
    const body = isRefusal(bytes) ? bytes : await readQuestion(question, bytes)
    if (isRefusal(body)) return body
    const hub = deps.portFor(forge)
    const own = { hub, forge, caller, deps, requestId: call.requestId }
    return JSON.stringify(await answerBody(name, body, own))
  } finally {
    held.release()
  }
}

async function answerBody(
  name: string,
  { caller, operation, input }: ForgeEnvelope,
  own: Own,
): Promise<LinkAnswer> {
  if (caller === undefined) {
    return told(await ownAnswers[name as OwnQuestionName](own, input as never))
  }
  const questions = own.hub.asking({ ...caller, ...(operation !== undefined && { operation }) })
  const result = await callerAnswers[name as keyof CallerAnswers](questions, input as never)
  const payer = questions.payer()
  return { ...(!isAnonymous({ account: payer }) && { payer }), ...told(result) }
}

function told(result: unknown): LinkAnswer {
  return isRefusal(result) ? { refusal: encodeRefusal(result) } : { result }
}

/** A short question is read at once: each download of a file asks one. */
async function readQuestion(
  question: ForgeQuestion,
  bytes: Uint8Array,
): Promise<ForgeEnvelope | Refusal> {
  if (bytes.length > shortBodyBytes) return readLong(question, bytes)
  const members = parsed(bytes)
  const around = isRefusal(members) ? members : readInput(question.envelope, members)
  if (isRefusal(around)) return around
  const input = readInput(question.input, around['input'])
  return isRefusal(input) ? input : ({ ...around, input } as ForgeEnvelope)
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return mistake([], 'must be a JSON object as UTF-8')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function readLong(
  { envelope, input }: ForgeQuestion,
  bytes: Uint8Array,
): Promise<ForgeEnvelope | Refusal> {
  const pause = slicePauses()
  const members = await readMembers(bytes, pause)
  const around = isRefusal(members) ? members : readInput(envelope, members)
  if (isRefusal(around)) return around
  const read = await readInputInParts(input, around['input'], pause)
  return isRefusal(read) ? read : ({ ...around, input: read } as ForgeEnvelope)
}

const noQuestion = refuse('not_found', 'A forge has no such question to its hub.')

const tooManyAtOnce = refuse(
  'rate_limited',
  'This forge has too many questions in progress. Wait for their responses, then try again.',
  { retryAfterSeconds: 1 },
)
