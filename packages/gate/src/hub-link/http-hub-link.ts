/** The hub-link over HTTP: how a storage follows a hub that is another process or another machine. */

import {
  type Clock,
  isId,
  isJournalNumber,
  type JournalNumber,
  noJournalNumber,
  type OptionTypes,
  refuseOptions,
  type Secret,
} from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { fetchKeys, refuseHubUrl } from '../keys/fetch-keys.ts'
import { hubKeys } from '../keys/hub-keys.ts'
import { hubDocuments } from '../revocations/head-keys.ts'
import { hubRevocations } from '../revocations/hub-revocations.ts'
import type { EntryKeeper } from '../revocations/kept-entries.ts'
import { hubAsker } from './ask-hub.ts'
import { codeOf, type HubAnswer, oddAnswer, refusedQuestion } from './failed-question.ts'
import type { HubChanges, HubLink, PlaceUid, UnknownCursor } from './hub-link.ts'
import { quotaStatesIn, readQuotas } from './read-quotas.ts'

export interface HttpHubLinkOptions {
  readonly hubUrl: string
  /** A hub token of kind `storage`, or the embedded storage's credential. */
  readonly credential: Secret<'hub-token'>
  readonly clock: Clock
  /**
   * The `aud` of the storage's tokens: the hub refuses the credential of another storage.
   *
   * @default the hub compares nothing
   */
  readonly audience?: string
  /** @default false */
  readonly allowPlainHttp?: boolean
  /**
   * The hub's `publicUrl`, where the storage reaches it at another address.
   *
   * @default hubUrl
   */
  readonly issuer?: string
  /** @default 30 */
  readonly leewaySeconds?: number
  /**
   * Seconds between two requests for the revocation list.
   *
   * @default 5
   */
  readonly pollSeconds?: number
  /** Told why the hub's keys could not be fetched. */
  readonly onKeyFailure?: (error: unknown) => void
  /** Told why the hub could not be asked what it has taken back, and again only when the reason changes. */
  readonly onRevocationFailure?: (error: unknown) => void
  /**
   * Keeps revocation entries beyond the life of this process.
   *
   * @default none
   */
  readonly keeper?: EntryKeeper | undefined
}

const types: OptionTypes<HttpHubLinkOptions> = {
  ...{ hubUrl: 'any', credential: 'any', clock: 'function', allowPlainHttp: 'boolean' },
  ...{ audience: 'string', issuer: 'string', leewaySeconds: 'number', pollSeconds: 'number' },
  ...{ onKeyFailure: 'function', onRevocationFailure: 'function', keeper: 'object' },
}

const patienceMs = 5000
/** The hub refuses longer waits. */
const maxWaitSeconds = 60
/** The hub takes so many in one question. */
const maxUids = 1000

export function httpHubLink(options: HttpHubLinkOptions): HubLink {
  refuseOptions('httpHubLink', options, types, CannotStart)
  const { hubUrl, credential, clock, allowPlainHttp = false, onKeyFailure } = options
  const {
    audience,
    issuer = hubUrl,
    leewaySeconds,
    pollSeconds,
    onRevocationFailure,
    keeper,
  } = options
  refuseHubUrl(hubUrl, allowPlainHttp)
  refuseCredential(credential)
  const ask = hubAsker(hubUrl, credential)
  return {
    keys: hubKeys({
      fetchKeys: () => fetchKeys(hubUrl),
      clock,
      ...(onKeyFailure === undefined ? {} : { onFailure: onKeyFailure }),
    }),
    revocations: hubRevocations({
      documents: hubDocuments(hubUrl),
      issuer,
      clock,
      ...(leewaySeconds === undefined ? {} : { leewaySeconds }),
      ...(pollSeconds === undefined ? {} : { pollSeconds }),
      ...(onRevocationFailure === undefined ? {} : { onFailure: onRevocationFailure }),
      ...(keeper && { keeper }),
    }),
    async changes({ after, known: knownNumber, waitSeconds = 0, signal }) {
      const wait = Math.min(Math.floor(waitSeconds), maxWaitSeconds)
      const path = `/link/v1/changes${queryOf({ after, known: knownNumber, audience, wait })}`
      const answer = await ask({ path, patienceMs: wait * 1000 + patienceMs, signal })
      return readChanges(answer, after)
    },
    async quotas({ after, signal }) {
      const path = `/link/v1/quotas${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`
      return readQuotas(await ask({ path, patienceMs, signal }), after)
    },
    async raiseEpochs(repositories) {
      for (const some of chunked(repositories)) {
        const body = { repositories: some }
        readRaisedCount(await ask({ path: '/link/v1/epochs', body, patienceMs }), some.length)
      }
    },
    async findUnknown(uids) {
      const unknown = new Set<PlaceUid>()
      for (const some of chunked(uids)) {
        const answer = await ask({ path: '/link/v1/places', body: { uids: some }, patienceMs })
        for (const uid of readUnknown(answer, some)) unknown.add(uid)
      }
      return unknown
    },
  }
}

/** The error of a platform may repeat a value that no header can have, and so would show the secret. */
function refuseCredential(credential: Secret<'hub-token'>): void {
  if (/^[\x21-\x7e]+$/.test(credential.reveal())) return
  throw new CannotStart(
    'credential: this is no hub token; give one of kind storage, as "latchkey hub-token create ACCOUNT NAME --kind storage" has shown it',
  )
}

interface ChangesQuery {
  readonly after: JournalNumber | undefined
  readonly known: JournalNumber | undefined
  readonly audience: string | undefined
  readonly wait: number
}

/** The first question does not wait. */
function queryOf({ after, known: knownNumber, audience, wait }: ChangesQuery): string {
  const isWaiting = after !== undefined && wait > 0
  const members = { after, known: knownNumber, audience, wait: isWaiting ? wait : undefined }
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  const query = entries
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
    .join('&')
  return query === '' ? '' : `?${query}`
}

function chunked<Uid>(uids: readonly Uid[]): readonly (readonly Uid[])[] {
  const count = Math.ceil(uids.length / maxUids)
  return Array.from({ length: count }, (_, index) =>
    uids.slice(index * maxUids, (index + 1) * maxUids),
  )
}

/** Four times what a hub puts into one answer. A storage writes all of them down at once, while its readers wait. */
const maxRemoved = 1000

export function readChanges(
  answer: HubAnswer,
  after: JournalNumber | undefined,
): HubChanges | UnknownCursor {
  const { status, value } = answer
  const { number, removed, complete, quotas } = Object(value)
  if (status === 410 && codeOf(value) === 'cursor_unknown') {
    if (after === undefined || !isJournalNumber(number)) throw oddAnswer(answer)
    return { kind: 'unknown cursor', number }
  }
  if (status !== 200) throw refusedQuestion(answer)
  const uids = uidsIn(removed)
  if (!isJournalNumber(number) || uids === undefined || typeof complete !== 'boolean') {
    throw oddAnswer(answer)
  }
  // Nothing can be removed between a number and itself; and there must be more to ask for where the hub says so.
  const isStanding = number === after && (uids.length > 0 || !complete)
  const isTooMany = uids.length > maxRemoved
  if (isTooMany || isStanding || number < (after ?? noJournalNumber)) throw oddAnswer(answer)
  const states = quotas === undefined ? undefined : quotaStatesIn(quotas, answer)
  const changes = { kind: 'changes', number, removed: uids, isComplete: complete } as const
  return states === undefined ? changes : { ...changes, quotas: states }
}

/** How many repositories have a new epoch. */
export function readRaisedCount(answer: HubAnswer, maxCount: number): number {
  if (answer.status !== 200) throw refusedQuestion(answer)
  const { raised } = Object(answer.value)
  const isCount = Number.isSafeInteger(raised) && raised >= 0 && raised <= maxCount
  if (!isCount) throw oddAnswer(answer)
  return raised
}

/** Uids that were not asked for are no answer: the storage would remove what belongs to them. */
export function readUnknown(answer: HubAnswer, places: readonly PlaceUid[]): readonly PlaceUid[] {
  if (answer.status !== 200) throw refusedQuestion(answer)
  const unknown = uidsIn(Object(answer.value).unknown)
  const wasAsked = new Set(places)
  if (unknown === undefined || !unknown.every((uid) => wasAsked.has(uid))) throw oddAnswer(answer)
  return unknown
}

function uidsIn(value: unknown): readonly PlaceUid[] | undefined {
  return Array.isArray(value) && value.every(isUid) ? value : undefined
}

function isUid(value: unknown): value is PlaceUid {
  return isId(value)
}
