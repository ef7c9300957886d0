/** The gates whose decisions are compared: where repository and ref stand, what writes, what was taken back. */

import { journalNumber } from '@latchkey/protocol'
import { type CutOffKind, cutOffHash, forEver, writeRevocationList } from '@latchkey/token'
import { headJwks, jwks } from './forge.ts'
import type { SetGate } from './questions.ts'

export const now = 1_800_000_000
export const issuer = 'https://hub.example'

/** Tokens with another number than this one are cut, or not, by the lists. */
export const cutAt = now * 1000 - 5000

export interface TestGate {
  readonly set: SetGate
  readonly audience: string
  /** Under which requests address the repository and the ref of a token. */
  prefixOf(repositoryUid: string, refSegment: string): string
}

const noRules = { write: [], relaxOtherMethods: false, everyUnsafeMethodWrites: false }

const rules = {
  write: [
    { methods: ['POST', 'get'], path: '/v1/locks/*' },
    { methods: 'unsafe', path: '/admin/**' },
    { methods: ['POST'], path: '/v1/Stra%C3%9Fe' },
  ],
  relaxOtherMethods: false,
  everyUnsafeMethodWrites: true,
} as const

const cutOffs = [
  ['account', 'cut-account', forEver],
  ['account', 'ada-id', cutAt],
  ['hub-token', 'cut-hub-token', cutAt],
  ['token', 'cut-token', forEver],
  ['token', '\ufffd', forEver],
  ['repository', 'cutuid', cutAt],
  ['ref', 'cutref', forEver],
  ['account+repository', 'bob-id/bertuid', cutAt],
  ['account+namespace', 'bob-id/evil', cutAt],
  ['namespace', 'cut-namespace', cutAt],
  ['key', 'another-key', forEver],
] as const

const list = listOf(cutOffs)
const everything = listOf([['all', '', cutAt]])

function listOf(cuts: readonly (readonly [CutOffKind, string, number])[]): string {
  const entries = cuts.map(
    ([kind, id, number]) => [cutOffHash({ kind, id }), journalNumber(number)] as const,
  )
  return writeRevocationList(new Map(entries)).toString('base64')
}

const usual = {
  kind: 'gate',
  issuer,
  now,
  jwks,
  headJwks,
  isolation: null,
  rules: noRules,
} as const

export const gates: readonly TestGate[] = [
  {
    set: { ...usual, casUrl: 'https://cas.example/r/{repo}/{ref}', leewaySeconds: 30, list },
    audience: 'https://cas.example/r',
    prefixOf: (repo, ref) => `/r/${repo}/${ref}`,
  },
  {
    set: {
      ...usual,
      casUrl: 'http://127.0.0.1:8081/{ref}/shards.v1/{repo}',
      leewaySeconds: 60,
      rules,
      list: '',
    },
    audience: 'http://127.0.0.1:8081',
    prefixOf: (repo, ref) => `/${ref}/shards.v1/${repo}`,
  },
  {
    set: {
      ...usual,
      casUrl: 'https://cas.example:8443/a+b',
      isolation: 'none',
      leewaySeconds: 0,
      rules: { ...rules, relaxOtherMethods: true, everyUnsafeMethodWrites: false },
      list: everything,
    },
    audience: 'https://cas.example:8443/a+b',
    prefixOf: () => '/a+b',
  },
]
