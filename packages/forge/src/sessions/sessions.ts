/** The sessions of the pages: the hub keeps each hub token in its memory, behind a random cookie. */

import { createHash } from 'node:crypto'
import { type Clock, Secret, type UnixSeconds } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'

export interface Sessions {
  /** The value of the cookie: known to the browser alone. */
  open(hubToken: Secret<'hub-token'>, account: string): string
  find(value: string | undefined): Session | undefined
  end(value: string): void
}

export interface Session {
  readonly account: string
  /** As a request with this hub token would bring it. */
  authorization(): readonly string[]
}

interface Kept {
  readonly hubToken: Secret<'hub-token'>
  readonly hubTokenHash: string
  readonly account: string
  readonly until: UnixSeconds
}

/** From the login on, whatever is done meanwhile. */
export const sessionSeconds = 2 * 3600
const maxOfOneToken = 8

export interface SessionSettings {
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /** The oldest ends where a login would be one too many. */
  readonly maxSessions?: number
}

export function openSessions({
  clock,
  randomBytes,
  maxSessions = 10_000,
}: SessionSettings): Sessions {
  // All last equally long, so the first are always the next to end.
  const sessions = new Map<string, Kept>()
  const endFirst = () => {
    for (const [id, { until }] of sessions) {
      if (until > clock() && sessions.size < maxSessions) return
      sessions.delete(id)
    }
  }
  return {
    open(hubToken, account) {
      endFirst()
      const hubTokenHash = hashOf(hubToken.reveal())
      const own = sessions.entries().filter(([, one]) => one.hubTokenHash === hubTokenHash)
      const ids = [...own].map(([id]) => id)
      if (ids.length >= maxOfOneToken) sessions.delete(ids[0] ?? '')
      const value = randomBytes(32).toString('base64url')
      const until = (clock() + sessionSeconds) as UnixSeconds
      sessions.set(hashOf(value), { hubToken, hubTokenHash, account, until })
      return value
    },
    find(value) {
      const found = value === undefined ? undefined : sessions.get(hashOf(value))
      if (found === undefined || found.until <= clock()) return undefined
      const { account, hubToken } = found
      return { account, authorization: () => bearerOf(hubToken) }
    },
    end: (value) => void sessions.delete(hashOf(value)),
  }
}

/** Ids are looked up by their hash, so that the time of a look-up says nothing about one. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** The Authorization headers of a request with this hub token. */
export function bearerOf(hubToken: Secret<'hub-token'>): readonly string[] {
  return [`Bearer ${hubToken.reveal()}`]
}

/** A hub token as a person pastes it; undefined for what no header can carry. */
export function pastedToken(text: string): Secret<'hub-token'> | undefined {
  const token = text.trim()
  return /^[!-~]{1,512}$/.test(token) ? new Secret('hub-token', token) : undefined
}
