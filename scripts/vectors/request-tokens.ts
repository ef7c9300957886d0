/** The storage tokens of the request vectors: what each may do where, and what it is like on the wire. */

import { goodClaims, headerOf, jws, now, tokenOf } from './jws.ts'
import { strangerKey } from './keys.ts'

export interface Place {
  readonly prefix: string
  readonly repositoryUid: string
  readonly refUid: string
}

export const places: Readonly<Record<string, Place>> = {
  own: placeOf('bertuid', 'mainuid'),
  'other ref': placeOf('bertuid', 'devuid'),
  'other repository': placeOf('gptuid', 'gptmainuid'),
}

export interface VectorToken {
  /** Null for a request without one. */
  readonly text: string | null
  readonly state: 'right' | 'missing' | 'invalid'
  readonly scope: 'read' | 'write'
  readonly repositoryUid: string
  readonly refUid: string
  readonly claims?: typeof goodClaims
}

const bert = goodClaims.repo
const main = goodClaims.ref
const dev = { name: 'refs/heads/dev', uid: 'devuid' }
const gpt = { type: 'model', id: 'acme/gpt', uid: 'gptuid' }
const gptMain = { name: 'refs/heads/main', uid: 'gptmainuid' }

const targets: readonly [name: string, claims: object][] = [
  ['', { repo: bert, ref: main }],
  [' of another ref', { repo: bert, ref: dev }],
  [' of another repository', { repo: gpt, ref: gptMain }],
  [' of the repository made again', { repo: { ...bert, uid: 'bertuidagain' }, ref: main }],
  [' of the ref made again', { repo: bert, ref: { ...main, uid: 'mainuidagain' } }],
]

const write = { ...goodClaims, scope: 'write' }
const late = { ...write, iat: now - 960, exp: now - 60 }

export const matrixTokens: Readonly<Record<string, VectorToken>> = {
  ...Object.fromEntries(
    targets.flatMap(([name, claims]) =>
      ['read', 'write'].map((scope) => [
        `${scope}${name}`,
        right({ ...goodClaims, ...claims, scope }),
      ]),
    ),
  ),
  'write, expired within the leeway': right({ ...write, exp: now - 29 }),
  'write, expired': invalid(tokenOf(late)),
  'write, not yet issued': invalid(tokenOf({ ...write, iat: now + 31 })),
  'write, forged': invalid(jws(headerOf(), JSON.stringify(write), strangerKey)),
  'write, of an unknown key': invalid(tokenOf(write, strangerKey)),
  'hub token': invalid(`lk_${'0123456789'.repeat(5).slice(1)}`),
  none: { ...invalid(''), text: null, state: 'missing' },
}

export const furtherTokens: Readonly<Record<string, VectorToken>> = {
  'write, of another hub': invalid(tokenOf({ ...write, iss: 'https://other.example' })),
  'write, for another storage': invalid(tokenOf({ ...write, aud: 'https://cas.example' })),
  '64000 characters': invalid('a'.repeat(64_000)),
}

function placeOf(repositoryUid: string, refUid: string): Place {
  return { prefix: `/r/${repositoryUid}/${refUid}`, repositoryUid, refUid }
}

function right(claims: typeof goodClaims): VectorToken {
  const { repo, ref } = claims
  const scope = claims.scope === 'write' ? 'write' : 'read'
  const text = tokenOf(claims)
  return { text, state: 'right', scope, repositoryUid: repo.uid, refUid: ref.uid, claims }
}

function invalid(text: string): VectorToken {
  return { text, state: 'invalid', scope: 'write', repositoryUid: 'bertuid', refUid: 'mainuid' }
}
