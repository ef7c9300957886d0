/** Keys of another service: held while it is away, and fetched again in the background. */

import { areRequestsApart } from '../machine/runtime.ts'

export interface KeySource<Keys> {
  /** The keys to trust now; undefined while there are none. Never waits. */
  known(): Keys | undefined
  /** Looks for newer ones as soon as it may; tells whether they were asked for after the call, and came. Never fails. */
  refresh(): Promise<boolean>
}

export interface KeptKeysOptions<Keys> {
  readonly fetchKeys: () => Promise<Keys>
  /** In Unix seconds. */
  readonly clock: () => number
  /** Told why the keys could not be fetched. */
  readonly onFailure: (error: unknown) => void
  /** Waits in real time, whatever the clock says. */
  readonly wait?: (seconds: number) => Promise<void>
}

/**
 * Unknown keys are asked for at most once in this time. Tokens that come meanwhile wait for the next look: a
 * refusal would let anybody keep a new key unknown with a made-up one.
 */
export const unknownKeySeconds = 1

/** Regular looks begin, and the first one, at most once in this time. */
export const cooldownSeconds = 10

/** Keys older than this are looked for again while they go on serving. */
export const freshSeconds = 60

/** Keys that could not be confirmed for so long are not trusted any more. */
export const maxStaleSeconds = 24 * 3600

export function keptKeys<Keys>({
  fetchKeys,
  clock,
  onFailure,
  wait = waitSeconds,
}: KeptKeysOptions<Keys>): KeySource<Keys> {
  let held: HeldKeys<Keys> | undefined
  /** The last look for an unknown key, and the last regular one. */
  let askedAt: number | undefined
  let lookedAt: number | undefined
  let begun = 0
  let trying: Promise<boolean> | undefined
  /** The look that waits until it may begin. It serves every token that comes before that. */
  let next: Promise<boolean> | undefined

  const look = async (): Promise<boolean> => {
    begun += 1
    const number = begun
    try {
      held = { keys: await fetchKeys(), at: clock(), look: number }
      return true
    } catch (error) {
      onFailure(error)
      return false
    } finally {
      trying = undefined
    }
  }
  const isWithinLast = (since: number | undefined, seconds: number) =>
    since !== undefined && isWithin(clock() - since, seconds)
  const lookFirst = async (): Promise<boolean> => {
    if (trying !== undefined && !areRequestsApart) {
      await trying
      return false
    }
    // The request that asks may end before its answer comes, and then nobody else gets that answer.
    const mayBeLost = trying !== undefined
    if (isWithinLast(lookedAt, cooldownSeconds) && !mayBeLost) return false
    // The first look is a regular one: a key that comes right after it is asked for at once.
    lookedAt = clock()
    trying = look()
    return trying
  }
  const lookNow = (): Promise<boolean> => {
    next = undefined
    askedAt = clock()
    trying = look()
    return trying
  }
  const lookTogether = async (): Promise<boolean> => {
    if (trying !== undefined) {
      await trying
      return false
    }
    if (next === undefined && !isWithinLast(askedAt, unknownKeySeconds)) return lookNow()
    next ??= wait(unknownKeySeconds).then(lookNow)
    return next
  }
  /** Where requests cannot wait for each other, each waits by itself and looks where no other has since. */
  const lookAlone = async (): Promise<boolean> => {
    const before = begun
    for (let waits = 0; isWithinLast(askedAt, unknownKeySeconds); waits += 1) {
      if (waits === maxWaits) return false
      await wait(unknownKeySeconds)
      if (held !== undefined && held.look > before) return true
    }
    return lookNow()
  }
  const refreshRegularly = () => {
    const isUnderWay = !areRequestsApart && (trying ?? next) !== undefined
    if (isUnderWay || [lookedAt, askedAt].some((at) => isWithinLast(at, cooldownSeconds))) return
    lookedAt = clock()
    trying = look()
  }
  const lookAgain = areRequestsApart ? lookAlone : lookTogether
  return {
    known() {
      if (held === undefined) return undefined
      const age = clock() - held.at
      if (age > maxStaleSeconds) return undefined
      if (!isWithin(age, freshSeconds)) refreshRegularly()
      return held.keys
    },
    refresh: () => (held === undefined ? lookFirst() : lookAgain()),
  }
}

interface HeldKeys<Keys> {
  readonly keys: Keys
  readonly at: number
  /** The number of the look that brought them. */
  readonly look: number
}

/** For about as long as one look may take. */
const maxWaits = 6

function waitSeconds(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

/** A clock that was set back must not stop the looking. */
function isWithin(passed: number, seconds: number): boolean {
  return passed >= 0 && passed < seconds
}
