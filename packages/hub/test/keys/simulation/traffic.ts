/** Tokens from every hub to every gate, at every age at which a client uses one. */

import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  type JournalNumber,
  unixSeconds,
} from '@latchkey/protocol'
import type { Chance } from '@latchkey/testing/chance'
import {
  type Claims,
  cutOffHash,
  forEver,
  type InvalidToken,
  isRevokedBy,
  verifyToken,
} from '@latchkey/token'
import { type SigningKey, signToken } from '@latchkey/token/signing'
import type { Gate } from './gates.ts'
import type { Hubs } from './hubs.ts'
import type { MovedTime } from './moved-time.ts'

export interface Traffic {
  readonly hubs: Hubs
  readonly gates: readonly Gate[]
  readonly time: MovedTime
  readonly chance: Chance
  /** One token of so many is signed and verified; the others are judged by their key and times alone. */
  readonly signsOneOf: number
}

export type Judgement = 'admitted' | 'revoked' | 'no news' | InvalidToken

interface Sent {
  readonly key: SigningKey
  readonly iat: number
  readonly exp: number
}

const issuer = 'https://hub.example'
const audience = 'https://cas.example'
const leewaySeconds = 60

/** Clients ask for the next token this long before a token ends. */
const renewedBeforeSeconds = 30

/** A token of a hub, used at some gate while a client would use it. Gives how it went, once it has. */
export function useToken(
  { hubs, gates, time, chance, signsOneOf }: Traffic,
  told: (judgement: Judgement, key: SigningKey) => void,
): void {
  const hub = pick(hubs.all, chance)
  const gate = pick(gates, chance)
  const iat = time.now() + hub.skew
  const sent = { key: hubs.signing(), iat, exp: iat + hub.lifetime }
  const isReal = chance.next() * signsOneOf < 1
  const token = isReal ? signToken(claimsOf(sent), sent.key).reveal() : undefined
  const age = Math.floor(chance.next() ** 3 * (hub.lifetime - renewedBeforeSeconds))
  time.at(time.now() + age, () => {
    void judge(gate, sent, { hubs, time, token }).then((judgement) => told(judgement, sent.key))
  })
}

/** What somebody who has a removed key can do: sign a token that nothing else is wrong with. */
export async function forge(
  { hubs, time, chance, gates }: Traffic,
  { key, at }: { readonly key: SigningKey; readonly at: number },
): Promise<{ readonly hasHeard: boolean; readonly judgement: Judgement }> {
  const gate = pick(gates, chance)
  const iat = time.now() + gate.skew
  const sent = { key, iat, exp: iat + 900 }
  const token = signToken(claimsOf(sent), key).reveal()
  const hasHeard = (gate.heard() ?? 0) >= at
  return { hasHeard, judgement: await judge(gate, sent, { hubs, time, token }) }
}

type Around = Pick<Traffic, 'hubs' | 'time'> & { readonly token: string | undefined }

/** As the gate does: an unknown key may be a new one, so it looks once more. */
async function judge(gate: Gate, sent: Sent, around: Around): Promise<Judgement> {
  const first = await look(gate, sent, around)
  if (first !== 'unknown_key') return first
  await gate.keys.refresh()
  return look(gate, sent, around)
}

async function look(gate: Gate, sent: Sent, { hubs, time, token }: Around): Promise<Judgement> {
  const keys = gate.keys.known()
  const heard = gate.heard()
  if (keys === undefined || heard === undefined) return 'no news'
  const now = unixSeconds(time.now() + gate.skew)
  const reason =
    token === undefined
      ? contradictionOf(sent, keys.has(sent.key.kid), now)
      : await verifyToken(token, { keys, issuer, audience, now, leewaySeconds }).then((verified) =>
          verified.ok ? undefined : verified.reason,
        )
  if (reason !== undefined) return reason
  return isRevoked(sent, hubs, heard) ? 'revoked' : 'admitted'
}

function contradictionOf(
  { iat, exp }: Sent,
  isKnown: boolean,
  now: number,
): InvalidToken | undefined {
  if (!isKnown) return 'unknown_key'
  if (iat > now + leewaySeconds) return 'not_yet_issued'
  return exp + leewaySeconds <= now ? 'expired' : undefined
}

/** The list as it was when the gate asked for it. */
function isRevoked({ key }: Sent, { removed }: Hubs, heard: number): boolean {
  const gone = removed.get(key.kid)
  const place = { kind: 'key', id: key.kid } as const
  const list = new Map(gone !== undefined && gone.at <= heard ? [[cutOffHash(place), forEver]] : [])
  return isRevokedBy(
    {
      kid: key.kid,
      tokenId: 'token',
      hubToken: asHubTokenId('hub-token'),
      subject: asAccountId('account'),
      repositoryUid: asRepositoryUid('repository'),
      namespace: 'acme',
      refUids: [],
      asOf: 1 as JournalNumber,
    },
    list,
  )
}

function claimsOf({ iat, exp }: Sent): Claims {
  return {
    iss: issuer,
    aud: audience,
    sub: asAccountId('account'),
    client_id: asHubTokenId('hub-token'),
    scope: 'read',
    repo: { type: 'model', id: 'acme/bert', uid: asRepositoryUid('repository') },
    ref: { name: 'refs/heads/main' as Claims['ref']['name'], uid: asRefUid('ref') },
    commit: 'a'.repeat(40) as Claims['commit'],
    as_of: 1 as JournalNumber,
    sees: [],
    iat: unixSeconds(iat),
    exp: unixSeconds(exp),
    jti: 'token',
  }
}

function pick<Item>(items: readonly Item[], chance: Chance): Item {
  const item = items[Math.floor(chance.next() * items.length)]
  if (item === undefined) throw new Error('nothing to choose from')
  return item
}
