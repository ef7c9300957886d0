/** How much one account may make by itself: each is a row and an entry of the journal, and ending it one more. */

import type { AccountId, HubTokenId, Refusal } from '@latchkey/protocol'
import { limiter, type SharedCounts, tooMany } from '@latchkey/service/limits/rate-limiter'
import type { Stopwatch } from '@latchkey/service/machine/time'

/** Only what was made can be ended, and once: so nobody has to wait to end something. */
export type MadeThing = 'session' | 'hubToken' | 'deviceLogin'

export const madePerHour: Readonly<Record<MadeThing, number>> = {
  session: 60,
  hubToken: 30,
  deviceLogin: 30,
}

/** Each session and each admin hub token of a namespace has its own: a thief uses up nobody else's. */
export const namespaceChangesPerHour = 600

const hourMs = 3_600_000

/** Counts one more for the account, or refuses it. */
export type AccountLimit = (thing: MadeThing, accountId: AccountId) => Refusal | undefined

export function accountLimit(stopwatch: Stopwatch, counts?: SharedCounts): AccountLimit {
  const limitFor = (thing: MadeThing) =>
    limiter(madePerHour[thing], stopwatch, counts?.limit(`made ${thing}`), hourMs)
  const limits: Readonly<Record<MadeThing, ReturnType<typeof limitFor>>> = {
    session: limitFor('session'),
    hubToken: limitFor('hubToken'),
    deviceLogin: limitFor('deviceLogin'),
  }
  return (thing, accountId) => tooMany(limits[thing].take(accountId), sentences[thing])
}

const sentences: Readonly<Record<MadeThing, string>> = {
  session: 'This account has signed in too often within an hour.',
  hubToken: 'This account has made too many hub tokens within an hour.',
  deviceLogin: 'This account has decided on too many programs within an hour.',
}

/** Counts one more change for the session or hub token, or refuses it. */
export type NamespaceLimit = (hubTokenId: HubTokenId) => Refusal | undefined

export function namespaceLimit(stopwatch: Stopwatch, counts?: SharedCounts): NamespaceLimit {
  const shared = counts?.limit('namespace change')
  const changes = limiter(namespaceChangesPerHour, stopwatch, shared, hourMs)
  return (hubTokenId) =>
    tooMany(
      changes.take(hubTokenId),
      `This session or hub token has made ${namespaceChangesPerHour} changes of namespaces within an hour.`,
    )
}
