/** Counts what each account and repository holds, and knows whether more fits into the limits. */

/** The account or client that the work for a request is charged to. */
export interface QuotaOwner {
  /** The id of the account, or `anonymousPayer` of a client. Never a token: an account may have many. */
  readonly account: string
  readonly repositoryUid?: string
}

/** No id of an account has a space. */
const prefix = 'anonymous '

/** The account that stands for anonymous clients of one network. */
export function anonymousOwner(network: string): string {
  return `${prefix}${network}`
}

export function isAnonymous({ account }: QuotaOwner): boolean {
  return account.startsWith(prefix)
}

/** In units: requests, processes or bytes. */
export interface ShareLimits {
  readonly max: number
  readonly maxOfAccount?: number
  readonly maxOfRepository?: number
  readonly maxOfAccountInRepository?: number
  /** The units of all anonymous clients together, so that accounts find the rest: half of `max` by default. */
  readonly maxOfAnonymous?: number
  /** The last units of `max`. Only an account that holds none gets them, and an anonymous client half of them. */
  readonly reserved?: number
  /** Requests that may wait; half of them may be anonymous. */
  readonly maxWaiting?: number
  readonly maxWaitingOfAccount?: number
  readonly maxWaitSeconds?: number
}

const unlimited = Number.POSITIVE_INFINITY

export const usualLimits: Required<Omit<ShareLimits, 'max' | 'maxOfAnonymous'>> = {
  maxOfAccount: unlimited,
  maxOfRepository: unlimited,
  maxOfAccountInRepository: unlimited,
  reserved: 0,
  maxWaiting: 2048,
  maxWaitingOfAccount: 256,
  // Less than the minute after which proxies give up on a connection without traffic.
  maxWaitSeconds: 50,
}

export interface Waiter {
  readonly payer: QuotaOwner
  readonly units: number
  /** Counts up. */
  arrival: number
  end(outcome: WaitOutcome): void
}

export type WaitOutcome = 'begun' | 'late' | 'displaced'

/** Whether a request fits into each kind of limit. */
export interface Room {
  ofAccount(waiter: Waiter): boolean
  /** Whether it fits into the share of all anonymous clients. True for an account. */
  ofAnonymous(waiter: Waiter): boolean
  ofRepository(waiter: Waiter): boolean
  ofAll(waiter: Waiter): boolean
  heldBy(account: string): number
  take(waiter: Waiter): void
}

export function halfOf(units: number): number {
  return Math.ceil(units / 2)
}

export function usage(limits: Required<ShareLimits>) {
  const [accounts, repositories, pairs] = [counts(), counts(), counts()]
  let [held, heldByAnonymous] = [0, 0]
  const add = (payer: QuotaOwner, units: number) => {
    held += units
    if (isAnonymous(payer)) heldByAnonymous += units
    accounts.add(payer.account, units)
    if (payer.repositoryUid === undefined) return
    repositories.add(payer.repositoryUid, units)
    pairs.add(pairKey(payer), units)
  }
  const reservedFrom = (payer: QuotaOwner): number => {
    if (accounts.of(payer.account) > 0) return limits.reserved
    return isAnonymous(payer) ? halfOf(limits.reserved) : 0
  }
  const room: Room = {
    heldBy: accounts.of,
    ofAccount: ({ payer, units }) =>
      accounts.of(payer.account) + units <= limits.maxOfAccount &&
      (limits.maxOfAccountInRepository === unlimited ||
        pairs.of(pairKey(payer)) + units <= limits.maxOfAccountInRepository),
    ofRepository: ({ payer: { repositoryUid = '' }, units }) =>
      limits.maxOfRepository === unlimited ||
      repositories.of(repositoryUid) + units <= limits.maxOfRepository,
    ofAnonymous: ({ payer, units }) =>
      !isAnonymous(payer) || heldByAnonymous + units <= limits.maxOfAnonymous,
    ofAll: ({ payer, units }) => held + units <= limits.max - reservedFrom(payer),
    take: ({ payer, units }) => add(payer, units),
  }
  return { room, add, held: () => held }
}

/** A uid has no space. */
export const pairKey = ({ account, repositoryUid = '' }: QuotaOwner) =>
  `${repositoryUid} ${account}`

function counts() {
  const counted = new Map<string, number>()
  const of = (key: string) => counted.get(key) ?? 0
  return {
    of,
    add(key: string, units: number) {
      const sum = of(key) + units
      if (sum === 0) counted.delete(key)
      else counted.set(key, sum)
    },
  }
}
