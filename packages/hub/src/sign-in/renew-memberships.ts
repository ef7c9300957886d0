/** Asks the providers again for the groups of people who are signed in. One hub does it for all. */

import { type Clock, isRefusal } from '@latchkey/protocol'
import { eachOf } from '@latchkey/service/limits/each-of'
import { oneInFlight } from '@latchkey/service/limits/turns'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { failureOf } from '@latchkey/service/observe/log'
import type { MasterKey } from '../keys/master-key.ts'
import { openProviderToken } from '../keys/seal.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { BookkeepingTransaction, Directory } from '../tables/directory.ts'
import { endSignInsBy } from '../tables/end-sign-ins.ts'
import { leaveLease, takeLease } from '../tables/lease.ts'
import { applyGroups, type PersonClaims } from './apply-groups.ts'
import { unmetInRenewal } from './find-account.ts'
import type { Identity, Provider, Providers, Renewal } from './open-providers.ts'
import {
  claimDueTokens,
  type DueToken,
  deleteProviderToken,
  isAnyDue,
  isStillClaimed,
  keepProviderToken,
} from './provider-tokens.ts'

export interface RenewalDeps {
  readonly directory: Directory
  readonly configured: Providers
  readonly masterKey: MasterKey
  readonly maxAgeSeconds: number
  /** Differs for each process. */
  readonly holder: string
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly log: HubLog
}

const everyMs = 30_000
const lease = { name: 'renewal of memberships', seconds: 300 }
const tokensAtOnce = 16
/** Requests to providers at a time. */
const requestsAtOnce = 4
/** After so many failures in a round, a provider is left alone until the next one. */
const maxFailures = 4
/** In a round: at most 960 people in 30 s. */
const maxClaims = 60
const maxRetrySeconds = 600

export const renewalOrigin = { verb: 'groups renewed' }

export interface MembershipRenewal {
  /** Asks for everybody who is due; without the lease, for nobody. */
  renew(): Promise<void>
  /** Once what was asked is written down. */
  stop(): Promise<void>
}

export function renewMemberships(deps: RenewalDeps): MembershipRenewal {
  let isStopping = false
  const renew = oneInFlight(() => renewDue(deps, () => isStopping))
  const tick = () => renew().catch((error) => deps.log('memberships_not_renewed', failureOf(error)))
  const timer = setInterval(tick, everyMs).unref()
  return {
    renew,
    async stop() {
      isStopping = true
      clearInterval(timer)
      await tick()
      await leaveLease(deps.directory, { ...lease, holder: deps.holder }).catch(() => {})
    },
  }
}

async function renewDue(deps: RenewalDeps, isStopping: () => boolean): Promise<void> {
  const { directory, configured, clock, holder } = deps
  const failures = new Map<string, number>()
  for (let claims = 0; claims < maxClaims; claims += 1) {
    const now = clock()
    const isLeft = (name: string) => (failures.get(name) ?? 0) < maxFailures
    const providers = [...configured.keys()].filter(isLeft)
    if (isStopping() || providers.length === 0 || !(await isAnyDue(directory, now))) return
    if (!(await takeLease(directory, { ...lease, holder, now }))) return
    const askAt = now + retrySecondsOf(deps)
    const wish = { now, askAt, most: tokensAtOnce, providers }
    const { tokens, isMore } = await claimDueTokens(directory, wish)
    await eachOf(tokens, requestsAtOnce, async (due) => {
      const provider = configured.get(due.provider)
      if (provider === undefined || !isLeft(due.provider)) return
      if (await renewOne(deps, provider, due)) return
      failures.set(due.provider, (failures.get(due.provider) ?? 0) + 1)
    })
    if (!isMore) return
  }
}

/** Between 0.9 and 1.1 times as much, so that people who signed in together are not asked for together. */
function jittered(seconds: number, randomBytes: RandomBytes): number {
  const part = randomBytes(4).readUInt32BE() / 2 ** 32
  return Math.round(seconds * (0.9 + 0.2 * part))
}

function retrySecondsOf({ maxAgeSeconds, randomBytes }: RenewalDeps): number {
  return jittered(Math.min(maxRetrySeconds, maxAgeSeconds / 8), randomBytes)
}

type SignInDeps = Pick<RenewalDeps, 'masterKey' | 'maxAgeSeconds' | 'clock' | 'randomBytes'>

/** A person has signed in: what the provider says counts, and by its new token the hub asks again. */
export async function noteSignIn(
  transaction: BookkeepingTransaction,
  person: Omit<PersonClaims, 'maxAgeSeconds'> & { readonly identity: Identity },
  deps: SignInDeps,
): Promise<void> {
  const { maxAgeSeconds, masterKey } = deps
  await applyGroups(transaction, { ...person, maxAgeSeconds })
  const { tables } = transaction
  const { issuer, subject, token } = person.identity
  const row = { provider: person.provider.name, issuer, subject }
  if (token === undefined) return deleteProviderToken(tables, row)
  await keepProviderToken(tables, row, { token, masterKey, askAt: nextAsk(deps) })
}

/** Half of the age, so that a provider may be down for a while. */
function nextAsk({
  clock,
  maxAgeSeconds,
  randomBytes,
}: Pick<RenewalDeps, 'clock' | 'maxAgeSeconds' | 'randomBytes'>): number {
  return clock() + jittered(maxAgeSeconds / 2, randomBytes)
}

/** False where the provider did not answer: the memberships run out, and nothing else happens. */
async function renewOne(deps: RenewalDeps, provider: Provider, due: DueToken): Promise<boolean> {
  const { masterKey, log } = deps
  const about = { provider: due.provider, account: due.account.name, subject: due.account.id }
  const token = openProviderToken(due, masterKey)
  if (token === undefined) {
    log('memberships_not_renewed', { ...about, reason: 'encrypted with another master key' })
    return true
  }
  const renewal = await provider.renew(token)
  const why = await writeDown(deps, { provider, due, renewal })
  if (why?.isEnd) log('sign_ins_ended_by_provider', { ...about, reason: why.reason })
  else if (why !== undefined) log('memberships_not_renewed', { ...about, reason: why.reason })
  return renewal.outcome !== 'failed'
}

interface Answered {
  readonly provider: Provider
  readonly due: DueToken
  readonly renewal: Renewal
}

interface Told {
  readonly isEnd: boolean
  readonly reason: string
}

/** Does nothing where a sign-in or another hub was faster. Gives what is worth a line in the log. */
async function writeDown(
  deps: RenewalDeps,
  { provider: { settings }, due, renewal }: Answered,
): Promise<Told | undefined> {
  if (renewal.outcome === 'failed') return { isEnd: false, reason: renewal.reason }
  const { directory, clock, masterKey, maxAgeSeconds } = deps
  const outcome = await directory.note('membership renewal', async (transaction) => {
    const { tables } = transaction
    if (!(await isStillClaimed(tables, due))) return { isEnd: false, reason: '' }
    const now = clock()
    const end = async (reason: string): Promise<Told> => {
      const { account, issuer, subject } = due
      const person = { account_id: account.id, issuer, subject }
      const { changes } = await endSignInsBy(tables, { provider: due.provider, now, person })
      await transaction.putAs(renewalOrigin)(changes)
      return { isEnd: true, reason }
    }
    if (renewal.outcome === 'ended') return end(renewal.reason)
    const { identity, token } = renewal
    if (identity !== undefined && !isSamePerson(identity, due)) return end('another person')
    const claims = identity?.claims ?? {}
    const unmet = unmetInRenewal({ claims }, settings)
    if (unmet !== undefined) return end(unmet)
    const { account, issuer, subject } = due
    const person = { identity: { issuer, subject, claims }, account, provider: settings }
    await applyGroups(transaction, { ...person, now, maxAgeSeconds, origin: renewalOrigin })
    const nextToken = token ?? openProviderToken(due, masterKey)
    if (nextToken !== undefined) {
      await keepProviderToken(tables, due, { token: nextToken, masterKey, askAt: nextAsk(deps) })
    }
    return { isEnd: false, reason: '' }
  })
  if (isRefusal(outcome)) return { isEnd: false, reason: outcome.detail }
  return outcome.reason === '' ? undefined : outcome
}

function isSamePerson(
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
  due: Pick<DueToken, 'issuer' | 'subject'>,
): boolean {
  return issuer === due.issuer && subject === due.subject
}
