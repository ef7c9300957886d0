/** What a hub publishes from moment to moment, and which tokens a verifier admits then; written down by hand. */

import { casUrl, goodClaims, issuer, leewaySeconds, now, tokenOf } from './jws.ts'
import { edKey, esKey, headKeys, strangerKey, type VectorKey } from './keys.ts'
import { headOf } from './revocation-heads.ts'
import { bytesOf, type Entry, hashOf } from './revocation-lists.ts'

type Verdict = 'admitted' | 'storage_token_invalid' | 'gate_not_ready'

interface Moment {
  readonly name: string
  /** Seconds after `now`. */
  readonly at: number
  /** Null: the hub does not respond. */
  readonly documents: {
    readonly jwks: { readonly keys: readonly object[] }
    readonly revocationKeys: { readonly keys: readonly object[] }
    readonly head: string
    /** In base64. */
    readonly list: string
  } | null
  readonly tokens: Readonly<Record<string, Verdict>>
}

const { first, second } = headKeys
const forEver = 2n ** 53n - 1n

interface Issued {
  readonly at: number
  readonly sub?: string
  readonly key?: VectorKey
}

/** A token of 900 s, issued so many seconds after `now`. */
function issued({ at, sub = 'account-of-ada', key = esKey }: Issued): string {
  const [iat, asOf] = [now + at, (now + at) * 1000]
  const times = { as_of: asOf, iat, exp: iat + 900, jti: `token-${at}-of-${sub}` }
  return tokenOf({ ...goodClaims, sub, client_id: `hub-token-of-${sub}`, sees: [], ...times }, key)
}

const bob = 'account-of-bob'
const tokens = {
  'ada, at the start': issued({ at: 0 }),
  'bob, at the start': issued({ at: 0, sub: bob }),
  'bob, after he was revoked': issued({ at: 55, sub: bob }),
  'ada, by the new key': issued({ at: 115, key: edKey }),
  'ada, by the new key before it is published': issued({ at: 0, key: edKey }),
  'ada, by a key that is never published': issued({ at: 0, key: strangerKey }),
  'ada, last by the old key': issued({ at: 114 }),
}

type Name = keyof typeof tokens

function verdicts(
  admitted: readonly Name[],
  others: readonly Name[],
  verdict: Verdict = 'storage_token_invalid',
): Readonly<Record<string, Verdict>> {
  return Object.fromEntries([
    ...admitted.map((name) => [name, 'admitted'] as const),
    ...others.map((name) => [name, verdict] as const),
  ])
}

/** He may get tokens again: those from before this moment are revoked. */
const bobAt20: Entry = [`account:${bob}`, BigInt(now + 20) * 1000n]
const adasHubToken: Entry = ['hub-token:hub-token-of-account-of-ada', forEver]

interface State {
  readonly keys?: readonly VectorKey[]
  readonly headKeys?: readonly VectorKey[]
  /** One of the keys of heads. */
  readonly signer?: VectorKey
  readonly entries?: readonly Entry[]
}

function published(
  at: number,
  { keys = [esKey], headKeys = [first], signer = first, entries = [] }: State,
): NonNullable<Moment['documents']> {
  const list = bytesOf(entries)
  const time = { iat: now + at, exp: now + at + 60, seq: (now + at) * 1000 }
  return {
    jwks: { keys: keys.map(({ publicJwk }) => publicJwk) },
    revocationKeys: { keys: headKeys.map(({ publicJwk }) => publicJwk) },
    head: headOf({ key: signer, claims: { ...time, list: hashOf(list) } }),
    list: list.toString('base64'),
  }
}

function moment(
  name: string,
  at: number,
  state: State,
  admitted: readonly Name[],
  refused: readonly Name[],
): Moment {
  return { name, at, documents: published(at, state), tokens: verdicts(admitted, refused) }
}

const keys = [esKey, edKey]
const bothHeadKeys = [first, second]
const entries = [bobAt20]
const rotated = { headKeys: [second], signer: second }
const stranger = 'ada, by a key that is never published'
const early = 'ada, by the new key before it is published'
const [ada, oldBob] = ['ada, at the start', 'bob, at the start'] as const
const newBob = 'bob, after he was revoked'
const [last, next] = ['ada, last by the old key', 'ada, by the new key'] as const
const all: readonly Name[] = [ada, newBob, early, next, last]

const moments: readonly Moment[] = [
  moment('the hub has revoked nothing', 0, {}, [ada, oldBob], [early]),
  moment('an account is revoked', 20, { entries }, [ada], [oldBob]),
  moment('the account gets tokens again', 60, { entries }, [ada, newBob], [oldBob]),
  moment('a new key is published', 80, { keys, entries }, [ada, newBob, early], [oldBob]),
  moment('the new key signs', 120, { keys, entries }, all, [oldBob, stranger]),
  moment(
    'a second key of heads is published',
    ...([140, { keys, entries, headKeys: bothHeadKeys }, all, [oldBob]] as const),
  ),
  moment(
    'the second key signs a head',
    ...([160, { keys, entries, headKeys: bothHeadKeys, signer: second }, all, [oldBob]] as const),
  ),
  moment('the first key of heads is withdrawn', 180, { keys, entries, ...rotated }, all, [oldBob]),
  {
    ...{ name: 'the hub is silent', at: 200, documents: null },
    tokens: { ...verdicts(all, [oldBob]), [stranger]: 'gate_not_ready' },
  },
  {
    ...{ name: 'the hub is silent for longer than a head lives', at: 241, documents: null },
    tokens: verdicts([], [...all, oldBob], 'gate_not_ready'),
  },
  moment('the hub responds again', 260, { keys, entries, ...rotated }, all, [oldBob]),
  moment(
    'the tokens of the start have ended',
    ...([940, { keys, entries, ...rotated }, [newBob, next, last], [ada, early]] as const),
  ),
  moment(
    'the old key is withdrawn',
    ...([960, { keys: [edKey], entries, ...rotated }, [next], [last]] as const),
  ),
  moment(
    'a hub token is revoked',
    ...([
      980,
      { keys: [edKey], entries: [...entries, adasHubToken], ...rotated },
      [],
      [next],
    ] as const),
  ),
]

export const publishedDocument = {
  about: [
    'What one hub publishes from moment to moment, and which storage tokens a verifier admits. It goes through a rotation of the keys of tokens, one of the keys of heads, revocations, and an outage.',
    'Use one verifier for all moments, with issuer, casUrl and leewaySeconds. At each moment set its clock to now + at, let it fetch the documents, and send GET <prefix>/v1/chunks/abc with each token.',
    'documents: the bodies of /.well-known/jwks.json (jwks), /.well-known/storage-revocation-keys (revocationKeys), /.well-known/storage-revocations (head), and /.well-known/storage-revocations/{hash} with the hash that the head names (list, in base64). null: the hub does not respond.',
    'tokens, at a moment: admitted, or the error code. storage_token_invalid has the status 401, and gate_not_ready 503. While the hub is silent, a token by an unknown key may be good.',
  ],
  issuer,
  casUrl,
  prefix: `/r/${goodClaims.repo.uid}/${goodClaims.ref.uid}`,
  now,
  leewaySeconds,
  tokens,
  moments,
}
