/** Tells the tokens of a report that are ours from everything else; what is not ours is dropped. */

import { anonymousHubTokenId, type Clock, Secret, turns } from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { type KeySet, type Revocable, revocableOf } from '@latchkey/token'
import type { Access } from '../../access/find-access.ts'
import { parseRefreshToken } from '../../identity/device-credentials.ts'
import { hashHubToken, parseHubToken } from '../../identity/hub-token.ts'
import { type Against, verifyAgainst } from './verify-own-token.ts'

/** Without the tokens themselves, so that nothing waits with a secret in memory. */
export interface VerifiedReport {
  /** Hashes of texts that have the form and checksum of a hub token of ours. */
  readonly hubTokenHashes: readonly string[]
  /** The same for refresh tokens of devices. */
  readonly refreshTokenHashes: readonly string[]
  /** Storage tokens that this hub signed and that have not expired. */
  readonly tokens: readonly Revocable[]
}

export interface ReportVerifying extends Pick<Access, 'knownPrefixes'> {
  readonly keys: () => Promise<KeySet>
  readonly issuer: string
  readonly clock: Clock
}

export type VerifyReport = (texts: readonly string[]) => Promise<VerifiedReport>

/** A signature takes 90 µs. */
const atOnce = 10

/** One report after the other, so that many large ones together take no longer turns of the event loop than one. */
export function reportVerifier(verifying: ReportVerifying): VerifyReport {
  const inTurn = turns()
  return (texts) => inTurn(() => verifyAll(texts, verifying))
}

async function verifyAll(
  texts: readonly string[],
  { knownPrefixes, keys, issuer, clock }: ReportVerifying,
): Promise<VerifiedReport> {
  const prefixes = await knownPrefixes()
  const against = { keys: await keys(), issuer, now: clock() }
  const hubTokenHashes: string[] = []
  const refreshTokenHashes: string[] = []
  const tokens: Revocable[] = []
  for (const [index, text] of [...new Set(texts)].entries()) {
    await yieldInLoop(index, atOnce)
    const hubToken = parseHubToken(text, prefixes)
    const refreshToken = parseRefreshToken(text)
    if (hubToken !== undefined) hubTokenHashes.push(hashHubToken(hubToken))
    if (refreshToken !== undefined) refreshTokenHashes.push(hashHubToken(refreshToken))
    const isOpaque = hubToken !== undefined || refreshToken !== undefined
    const token = isOpaque ? undefined : await ownToken(text, against)
    if (token !== undefined) tokens.push(token)
  }
  return { hubTokenHashes, refreshTokenHashes, tokens }
}

/** Everybody can have the token of an anonymous caller: taking it back would protect nothing, and fill the list. */
async function ownToken(text: string, against: Against): Promise<Revocable | undefined> {
  const verified = await verifyAgainst(new Secret('access-token', text), against)
  const isOwn = verified.ok && verified.claims.client_id !== anonymousHubTokenId
  return isOwn ? revocableOf(verified.claims, verified.kid) : undefined
}
