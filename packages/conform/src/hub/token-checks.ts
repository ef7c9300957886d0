/** The storage token itself: its form, signature and claims. */

import { createPublicKey, verify } from 'node:crypto'
import {
  type Claims,
  type Jwks,
  maxTokenLength as ownMaxLength,
  verifyToken,
} from '@latchkey/token'
import { type Check, type Fault, NotApplicable } from '../check.ts'
import { jsonOf, membersOf } from '../wire/outcome.ts'
import {
  accessTokenOf,
  bearerForm,
  type HubRequest,
  type HubResponse,
  type HubTarget,
  hubTimeOf,
  maxTokenLength,
  send,
  tokenPath,
  tokenResponse,
  unlike,
  usualRequest,
} from './hub-target.ts'
import { worldCommits } from './world.ts'

const profiles = ['verifier'] as const

export const keysPath = '/.well-known/jwks.json'

type Jwk = Jwks['keys'][number]

/** The members of header and payload. Another check reports that the token has no such parts. */
function partsOf(token: string) {
  const [header, payload, signature] = token.split('.')
  const claims = membersOf(jsonOf(decoded(payload)))
  if (signature === undefined || Object.keys(claims).length === 0) {
    throw new NotApplicable('the accessToken is no JWT')
  }
  return { header: membersOf(jsonOf(decoded(header))), claims, signature }
}

function decoded(segment = ''): string {
  return Buffer.from(segment, 'base64url').toString()
}

export interface IssuedToken {
  readonly token: string
  readonly response: HubResponse
  readonly kid: string
  /** Unverified, and perhaps not all there. */
  readonly claims: Partial<Claims>
}

export async function issuedToken(
  hub: HubTarget,
  request: HubRequest = usualRequest,
): Promise<IssuedToken> {
  const response = await tokenResponse(hub, request)
  const token = accessTokenOf(response)
  // Other checks report it.
  if (token.length > maxTokenLength || !bearerForm.test(token)) {
    throw new NotApplicable('the accessToken is no bearer token')
  }
  const { header, claims } = partsOf(token)
  return { token, response, kid: String(header['kid']), claims }
}

export async function publishedKeys(hub: HubTarget, path: string): Promise<readonly Jwk[]> {
  const { status, members } = await send(hub, { path })
  const keys = members['keys']
  if (status !== 200 || !Array.isArray(keys)) {
    throw new NotApplicable(`GET ${path} gets status ${status}, and no list of keys`)
  }
  return keys.filter((key) => typeof key === 'object' && key !== null)
}

/** As any JWT library does it, with nothing but the published document. */
export function signatureFlaw(token: string, keys: readonly Jwk[]): string | undefined {
  const { header, signature } = partsOf(token)
  const jwk = keys.find((key) => key['kid'] === header['kid'])
  if (jwk === undefined) return `the unpublished key ${String(header['kid'])}`
  if (jwk['alg'] !== undefined && jwk['alg'] !== header['alg']) return 'the algorithm of no key'
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')))
  // Another check reports private members.
  const { d: _, ...publicMembers } = jwk
  const key = createPublicKey({ key: publicMembers, format: 'jwk' })
  const isEdwards = jwk.kty === 'OKP'
  const isRight = verify(
    isEdwards ? undefined : 'sha256',
    signed,
    isEdwards ? key : { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  return isRight ? undefined : 'a signature of another key'
}

function claimsFault(
  { response, claims }: IssuedToken,
  expected: Readonly<Record<string, unknown>>,
): Fault | undefined {
  const names = Object.keys(expected)
  const got = Object.fromEntries(names.map((name) => [name, valueAt(claims, name)]))
  const [expectedText, text] = [JSON.stringify(expected), JSON.stringify(got)]
  return expectedText === text ? undefined : unlike(response, expectedText, text)
}

/** `repo.id` is the member of a member. */
function valueAt(claims: object, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, part) => membersOf(value)[part] ?? undefined, claims)
}

/** The name of the ref in the token, by the revision of the request. */
const refNames: readonly (readonly [revision: string, name: string])[] = [
  ['main', 'refs/heads/main'],
  ['dev', 'refs/heads/dev'],
  ['v1.0', 'refs/tags/v1.0'],
  ['refs%2Fpr%2F1', 'refs/pr/1'],
  [worldCommits.old, worldCommits.old],
]

export const tokenChecks: readonly Check<HubTarget>[] = [
  {
    id: 'token-form',
    clause: 'Guarantees / A token has one spelling',
    profiles,
    title: 'A token has exactly the documented members, in their order, and is compact',
    async run(hub) {
      const { token, response } = await issuedToken(hub)
      const now = hubTimeOf(response)
      const nothing = { keys: new Map(), issuer: '', audience: '', now }
      const result = await verifyToken(token, nothing)
      // Without keys, a verifier reports everything but the form as an unknown key.
      if (!result.ok && result.reason === 'unknown_key') return undefined
      const form = `a storage token of the documented form, with at most ${ownMaxLength} characters`
      return unlike(response, form, `another form, ${token.length} characters`)
    },
  },
  {
    id: 'token-signature',
    clause: 'Keys / JWT libraries verify a token with the published keys, issuer and audience',
    profiles,
    title: 'A published key verifies a token, and its audience is the beginning of casUrl',
    async run(hub) {
      const { token, response, claims } = await issuedToken(hub)
      const flaw = signatureFlaw(token, await publishedKeys(hub, keysPath))
      if (flaw !== undefined) return unlike(response, 'the signature of a published key', flaw)
      const { aud = '', iss = '' } = claims
      const casUrl = String(response.members['casUrl'])
      if (casUrl !== aud && !casUrl.startsWith(`${aud}/`)) {
        return unlike(response, `an aud with which casUrl begins: ${casUrl}`, aud)
      }
      return URL.canParse(iss) ? undefined : unlike(response, 'the URL of the hub as iss', iss)
    },
  },
  {
    id: 'token-life',
    clause: 'Lifetime / 1. A token is valid until exp',
    profiles,
    title: 'A token begins now and expires at the exp of the response',
    async run(hub) {
      const { response, claims } = await issuedToken(hub)
      const { iat = 0, exp = 0 } = claims
      if (!Number.isSafeInteger(response.members['exp'])) {
        throw new NotApplicable('the exp of the response is no whole number')
      }
      if (exp !== response.members['exp']) {
        return unlike(response, `exp ${String(response.members['exp'])}`, `exp ${exp} in the token`)
      }
      const offset = iat - hubTimeOf(response)
      return Math.abs(offset) <= 30
        ? undefined
        : unlike(response, 'an iat within 30 s of Date', `an iat ${offset} s after Date`)
    },
  },
  {
    id: 'token-scope',
    clause: 'Authentication / 4. The path sets the scope',
    profiles,
    title: 'A token has the scope of the path, whatever the hub token may do',
    async run(hub) {
      const read = {
        path: tokenPath({ revision: 'main?scope=write' }),
        as: 'writer/write',
      } as const
      const write = { path: tokenPath({ scope: 'write' }), as: 'writer/write' } as const
      return (
        claimsFault(await issuedToken(hub, read), { scope: 'read' }) ??
        claimsFault(await issuedToken(hub, write), { scope: 'write' })
      )
    },
  },
  {
    id: 'token-place',
    clause: 'Authentication / 5. A token is valid for one repository and one ref',
    profiles,
    title: 'A token names the repository and the ref of the path',
    async run(hub) {
      for (const [revision, name] of refNames) {
        const token = await issuedToken(hub, { path: tokenPath({ revision }), as: 'reader/read' })
        const expected = { 'repo.type': 'model', 'repo.id': 'conform/private', 'ref.name': name }
        const fault = claimsFault(token, expected)
        if (fault !== undefined) return fault
      }
      const path = tokenPath({ type: 'datasets', id: 'conform/data' })
      return claimsFault(await issuedToken(hub, { path, as: 'reader/read' }), {
        'repo.type': 'dataset',
        'repo.id': 'conform/data',
      })
    },
  },
  {
    id: 'own-ids',
    clause: 'Guarantees / A storage token gives access to one repository, one ref and one scope',
    profiles,
    title: 'Two refs have different ids, and a ref keeps its id',
    async run(hub) {
      const paths = [
        ...refNames.map(([revision]) => tokenPath({ revision })),
        tokenPath({ id: 'conform/Odd.name_1-x' }),
      ]
      const pathOfId = new Map<unknown, string>()
      for (const path of paths) {
        const { response, claims } = await issuedToken(hub, { path, as: 'reader/read' })
        const again = await issuedToken(hub, { path, as: 'robot/write' })
        if (claims.ref?.uid !== again.claims.ref?.uid) {
          return unlike(response, 'the ref.uid of the request before', 'another ref.uid')
        }
        const other = pathOfId.get(claims.ref?.uid)
        if (other !== undefined) {
          return unlike(response, 'another ref.uid', `the ref.uid of ${other}`)
        }
        pathOfId.set(claims.ref?.uid, path)
      }
      return undefined
    },
  },
  {
    id: 'inherited-refs',
    clause: 'Guarantees / An old commit gives no access to later content',
    profiles,
    title: 'A branch and a commit inherit what was there before, and main inherits nothing',
    async run(hub) {
      const main = await issuedToken(hub)
      if (main.claims.sees?.length !== 0) {
        return unlike(main.response, 'an empty sees', 'inherited refs')
      }
      for (const revision of ['dev', worldCommits.old]) {
        const { response, claims } = await issuedToken(hub, {
          ...{ path: tokenPath({ revision }), as: 'reader/read' },
        })
        const row = claims.sees?.find(({ uid }) => uid === main.claims.ref?.uid)
        const isBefore = row !== undefined && row.before <= (claims.as_of ?? 0)
        if (!isBefore) {
          const expected = 'an entry of sees for main, with a before up to as_of'
          return unlike(response, expected, row === undefined ? 'none' : 'a later before')
        }
      }
      return undefined
    },
  },
]
