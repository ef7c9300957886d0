/** Counts what must not have happened, by the moments that both sides have recorded. */

import { pollPatienceSeconds } from '@latchkey/protocol'
import type { Answer } from './ask.ts'
import type { Downtime } from './disturb.ts'
import type { Entry } from './journal.ts'
import type { Asked, Changed, Load, Settled, Token, Used } from './load.ts'
import type { Door, Hub } from './site.ts'
import type { Uploaded } from './uploads.ts'

export interface Evidence {
  readonly load: Load
  readonly journal: readonly Entry[]
  readonly downtimes: readonly Downtime[]
  readonly stalenessMs: number
}

/** An entry that took access away, and the moment from which on somebody knew that it was done. */
interface Ending {
  readonly account: string
  readonly number: number
  readonly knownAt: number
}

/** A head of the hub lives so long: beyond it no gate admits anything. */
const withheldMs = 60_000
/** A request that a hub has not answered within this time is never answered. */
const deadlineMs = 30_000
/** An upload is several requests, and a storage waits for its hub before it refuses one. */
const uploadDeadlineMs = 2 * deadlineMs

export type Counted = Readonly<Record<string, readonly object[]>>

export function judge(evidence: Evidence): Counted {
  const { load, journal, downtimes } = evidence
  const { asked, used, changed, uploaded, settled } = load
  const endings = endingsOf(evidence)
  const issued = asked.filter(({ token }) => token !== undefined)
  const answers = [...asked, ...changed]
  // biome-ignore format: a table is read by its columns
  return {
    'tokens by facts that withdraw the access':     issued.filter((one) => isKnownWithdrawn(one, journal)).map(shown),
    'tokens for access withdrawn before the bound': issued.filter((one) => isTooOld(one, endings, evidence)).map(shown),
    'refusals of access granted before':            asked.filter((one) => isWronglyRefused(one, settled)).map(shown),
    'uses of a token beyond the bound':             used.filter((one) => isUsedTooLate(one, endings, evidence)).map(shownUse),
    'acknowledged changes that are lost':           settled.filter((one) => isLost(one, journal)).map(({ requests }) => requests.map(shown)),
    'refused changes that were made':               changed.filter((one) => isSaidUndone(one) && isIn(journal, one)).map(shown),
    'changes that were made twice':                 twice(journal),
    'broken links of the journal':                  journal.filter(({ previous }, index) => previous !== (journal[index - 1]?.number ?? 0)),
    'answers of another kind':                      [...answers.filter((one) => !isDocumented(one)), ...used.filter((one) => !isJudged(one))].map(shown),
    'errors while nothing was down':                [...answers, ...used].filter((one) => isError(one) && !isExcused(one, downtimes)).map(shown),
    'requests beyond their deadline':               [...answers.filter((one) => durationOf(one, downtimes) > deadlineMs), ...used.filter((one) => isLonger(one, deadlineMs))].map(shown),
    'uploads beyond their deadline':                uploaded.filter((one) => undisturbedMs(one, downtimes) > uploadDeadlineMs).map(shownUpload),
    'uploads that failed':                          uploaded.filter(({ failure }) => failure !== undefined).map(shownUpload),
  }
}

function endingsOf({ load, journal }: Evidence): readonly Ending[] {
  const narrowing = journal.filter(({ narrows }) => narrows)
  return load.settled
    .filter(({ mayAsk }) => !mayAsk)
    .flatMap(({ account, settledAt }) => {
      const entry = narrowing.findLast((one) => one.account === account && one.at <= settledAt)
      return entry === undefined ? [] : [{ account, number: entry.number, knownAt: settledAt }]
    })
}

/** The entry that the token names says that its account may not have it, and no later one that the facts can be of. */
function isKnownWithdrawn(
  { account, token, answeredAt }: Asked,
  journal: readonly Entry[],
): boolean {
  const own = journal.filter((one) => one.account === account && one.at <= answeredAt)
  const isGivenBack = own.some(({ number, narrows }) => number > asOf(token) && !narrows)
  return !isGivenBack && (own.findLast(({ number }) => number <= asOf(token))?.narrows ?? false)
}

/** By the time when it was signed, whatever a gate would say to it. */
function isTooOld(one: Asked, endings: readonly Ending[], evidence: Evidence): boolean {
  const signedAt = signedNotBefore(one, evidence)
  return endings.some(
    (ending) =>
      isEnded(one.account, one.token, ending) && signedAt - ending.knownAt > evidence.stalenessMs,
  )
}

/** Nor before it was asked for; nor before its hub woke up, if that was stopped when it was asked. */
function signedNotBefore({ hub, token, sentAt }: Asked, { downtimes }: Evidence): number {
  const woken = downtimes.filter((one) => isStoppedAt(one, hub, sentAt)).map(wokenAt)
  return Math.max(sentAt, (token?.iat ?? 0) * 1000, ...woken)
}

export function isStoppedAt(downtime: Downtime, hub: Hub, at: number): boolean {
  return downtime.hub === hub && downtime.from < at && at < wokenAt(downtime)
}

export function wokenAt({ from, frozenMs = 0 }: Downtime): number {
  return from + frozenMs
}

function isUsedTooLate(used: Used, endings: readonly Ending[], { stalenessMs }: Evidence): boolean {
  const { account, token, door, status, sentAt, answeredAt } = used
  if (status !== door.admits) return false
  const since =
    sentAt -
    Math.min(...endings.filter((one) => isEnded(account, token, one)).map(({ knownAt }) => knownAt))
  const questions = questionsOf(door)
  // Beside other load a gate takes an answer in late: so long is left to it within its bound.
  if (hasHeard(questions, sentAt - since + stalenessMs, sentAt)) return true
  if (since <= door.boundMs) return false
  // The longer bound holds where the door has asked the hubs in vain.
  const isInVain = questions.some(
    ({ isAnswered, beganAt }) =>
      !isAnswered && beganAt > sentAt - door.boundMs && beganAt <= answeredAt,
  )
  return !isInVain || since > withheldMs
}

/** For news of the hubs: several documents, and a door asks one question after the other. */
interface Question {
  readonly beganAt: number
  readonly nextAt: number
  /** Every answer came, and so soon that the door took it in. */
  readonly isAnswered: boolean
  /** Of its documents. */
  readonly statuses: readonly number[]
}

/**
 * The balancer has sent an answer before its door reads it. A door that had no time on a core gives the question up, and
 * asks the next one late.
 */
const soonMs = (pollPatienceSeconds * 1000) / 2

function questionsOf({ asked }: Door): readonly Question[] {
  const news = asked.filter(({ path }) => path.startsWith('/.well-known/'))
  const heads = news.filter(({ path }) => path === '/.well-known/storage-revocations')
  return heads.map((head, index) => {
    const next = heads[index + 1]
    const documents = news.slice(news.indexOf(head), next && news.indexOf(next))
    const statuses = documents.map(({ status }) => status)
    const [beganAt, nextAt] = [head.arrivedAt, next?.arrivedAt ?? Number.POSITIVE_INFINITY]
    const isAnswered = statuses.every((status) => status === 200) && nextAt - beganAt < soonMs
    return { beganAt, nextAt, isAnswered, statuses }
  })
}

/** It asked after that moment, was answered, and has gone on to the next question since: it knows. */
function hasHeard(questions: readonly Question[], after: number, before: number): boolean {
  return questions.some(
    ({ beganAt, nextAt, isAnswered }) => isAnswered && beganAt > after && nextAt < before,
  )
}

function isEnded(account: string, token: Token | undefined, ending: Ending): boolean {
  return ending.account === account && asOf(token) < ending.number
}

function asOf(token: Token | undefined): number {
  return token?.asOf ?? Number.POSITIVE_INFINITY
}

/** Nobody had begun to withdraw it before the answer, or it was given back before the question. */
function isWronglyRefused(
  { account, status, sentAt, answeredAt }: Asked,
  settled: readonly Settled[],
): boolean {
  if (status !== 401 && status !== 403) return false
  const own = settled.filter((one) => one.account === account)
  const before = own.findLast(({ settledAt }) => settledAt < sentAt)
  const meanwhile = own.some((one) => one.settledAt >= sentAt && one.sentAt <= answeredAt)
  return (before?.mayAsk ?? true) && !meanwhile
}

/** Repeated after an answer that was lost, it may have been made by the earlier request. */
function isLost(
  { account, mayAsk, sentAt, settledAt, requests }: Settled,
  journal: readonly Entry[],
): boolean {
  const own = journal.filter((one) => one.account === account && one.narrows !== mayAsk)
  const made = own.filter(({ at }) => at >= sentAt && at <= settledAt)
  const [last, ...earlier] = requests.toReversed()
  const isRepeated = earlier.some((one) => !isDone(one) && !isSaidUndone(one))
  return last === undefined || made.length === 0 || !(isIn(made, last) || isRepeated)
}

function isDone({ status }: Changed): boolean {
  return status === 200 || status === 201
}

/** A hub that does not know says that the change may have been made. */
function isSaidUndone({ status, body }: Changed): boolean {
  return status >= 400 && !String(body['detail']).includes('may have been made')
}

function isIn(journal: readonly Entry[], { requestId }: Changed): boolean {
  return journal.some((entry) => entry.requestId === requestId && requestId !== undefined)
}

/** One request makes one change here. */
function twice(journal: readonly Entry[]): readonly Entry[] {
  const seen = new Set<string>()
  return journal.filter(({ requestId, verb, account }) => {
    const key = `${requestId} ${verb} ${account}`
    const isAgain = requestId !== '' && seen.has(key)
    seen.add(key)
    return isAgain
  })
}

const broken = ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE']

function isDocumented(answer: Asked | Changed): boolean {
  const { status, failure = '', hasRetryAfter, body } = answer
  if (status === 0) return broken.includes(failure)
  if (status === 503) return hasRetryAfter && body['code'] === 'not_ready'
  if ('account' in answer) {
    const isRefused = body['code'] === 'hub_token_invalid' || body['code'] === 'permission_denied'
    return status === 200 || isRefused
  }
  return isDone(answer) || status === 404
}

/** A gate that has news of a minute ago needs nobody; a storage needs the database for its catalogue. */
function isJudged({ status, door, body, hasRetryAfter }: Used): boolean {
  if (door.needsDatabase && status === 503) return hasRetryAfter && body['code'] === 'not_ready'
  return status === door.admits || (status === 401 && body['code'] === 'storage_token_invalid')
}

function isError({ status }: Answer): boolean {
  return status === 0 || status >= 500
}

function isExcused(answer: Asked | Changed | Used, downtimes: readonly Downtime[]): boolean {
  const { sentAt, answeredAt } = answer
  const hub = 'hub' in answer ? answer.hub : undefined
  return downtimes.some((one) => {
    return concerns(one, hub) && one.from <= answeredAt && sentAt <= one.to
  })
}

/** Without the time that its hub was stopped. */
function durationOf(
  { hub, sentAt, answeredAt }: Asked | Changed,
  downtimes: readonly Downtime[],
): number {
  const frozen = downtimes
    .filter((one) => concerns(one, hub) && one.from <= answeredAt && sentAt <= one.to)
    .reduce((sum, { frozenMs = 0 }) => sum + frozenMs, 0)
  return answeredAt - sentAt - frozen
}

/** Without the time during which anything was down: a storage needs a hub and the database, and a client its hub. */
function undisturbedMs({ sentAt, answeredAt }: Uploaded, downtimes: readonly Downtime[]): number {
  let [ms, until] = [answeredAt - sentAt, sentAt]
  for (const { from, to } of downtimes.toSorted((one, other) => one.from - other.from)) {
    const begin = Math.max(from, until)
    const end = Math.min(to, answeredAt)
    if (end <= begin) continue
    ms -= end - begin
    until = end
  }
  return ms
}

function isLonger(
  { sentAt, answeredAt }: Pick<Answer, 'sentAt' | 'answeredAt'>,
  ms: number,
): boolean {
  return answeredAt - sentAt > ms
}

function concerns(downtime: Downtime, hub: Hub | undefined): boolean {
  return downtime.hub === undefined || downtime.hub === hub
}

/** With what its door had asked by then. */
function shownUse(used: Used): object {
  const { door, sentAt, answeredAt } = used
  const from = sentAt - 3 * door.boundMs
  const questions = questionsOf(door)
    .filter(({ beganAt, nextAt }) => nextAt > from && beganAt < answeredAt)
    .map(({ beganAt, statuses }) => `at ${beganAt}: ${statuses.join(' ')}`)
  return { ...shown(used), questions }
}

function shownUpload({ hub, ...one }: Uploaded): object {
  return { hub: hub.url, ...one }
}

function shown(answer: Asked | Changed | Used): object {
  const { sentAt, answeredAt, status, failure, body, requestId } = answer
  const who = 'account' in answer ? { account: answer.account, asOf: answer.token?.asOf } : {}
  const where = 'door' in answer ? answer.door.name : answer.hub.url
  const { code, detail } = body as { code?: string; detail?: string }
  return { where, ...who, sentAt, answeredAt, status, failure, code, detail, requestId }
}
