/** Storages that break one clause each, by the id of the check that must find it. */

import type { Grant, KeySet, KeySource } from '@latchkey/gate'
import { type CutOffKind, cutOffHash, isRevokedBy, placesOf } from '@latchkey/token'
import {
  type Answer,
  type Defect,
  headerOf,
  type Rejected,
  type Seen,
  type StorageRequest,
} from './test-storage.ts'

function withoutHeaders(isDropped: (name: string, value: string) => boolean): Defect {
  return {
    rewrites: (request) => {
      const headers = request.headers.flatMap((name, index) => {
        const value = request.headers[index + 1] ?? ''
        return index % 2 === 1 || isDropped(name, value) ? [] : [name, value]
      })
      return { ...request, headers }
    },
  }
}

function withTarget(change: (target: string) => string): Defect {
  return { rewrites: (request) => ({ ...request, target: change(request.target) }) }
}

function admitsReason(reason: string, isMore: (seen: Seen) => boolean = () => true): Defect {
  return { admits: ({ refusal }, seen) => refusal?.reason === reason && isMore(seen) }
}

function admitsCode(
  code: string,
  isMore: (request: StorageRequest, seen: Seen) => boolean,
): Defect {
  return { admits: ({ refusal }, seen) => refusal?.code === code && isMore(seen.request, seen) }
}

/** Looks at the header of the token, and at nothing else. */
function admitsHeader(...members: readonly string[]): Defect {
  return {
    admits: (_, { request }) => {
      const [header = ''] = headerOf(request, 'authorization')
        .replace(/^Bearer /, '')
        .split('.')
      const text = Buffer.from(header, 'base64url').toString()
      return members.some((member) => text.includes(member))
    },
  }
}

/** Looks at all entries of the list but those of one kind. */
function ignoresRevocationOf(kind: CutOffKind): Defect {
  return {
    admits: ({ refusal, grant }: Rejected, { gate }) => {
      const list = gate.revocations.latest()?.list
      if (refusal?.reason !== 'revoked' || grant === undefined || list === undefined) return false
      const ignored = placesOf(grant)
        .filter((place) => place.kind === kind)
        .map(cutOffHash)
      return !isRevokedBy(grant, new Map([...list].filter(([hash]) => !ignored.includes(hash))))
    },
  }
}

/** The hub publishes its newest key first. */
function newestOnly(keys: KeySource | KeySet): KeySource {
  if (!('known' in keys)) throw new TypeError('a fake hub has a source of keys')
  const { known, refresh } = keys
  return { refresh, known: () => new Map([...(known() ?? [])].slice(0, 1)) }
}

function answersWith(change: (answer: Answer, request: StorageRequest) => Answer): Defect {
  return { answers: change }
}

function withoutAnswerHeader(dropped: string): Defect {
  return answersWith((answer) => ({
    ...answer,
    headers: answer.headers.flatMap((name, index) =>
      index % 2 === 1 || name === dropped ? [] : [name, answer.headers[index + 1] ?? ''],
    ),
  }))
}

const isTrunk = (route: string) => /\/(?:v\d\/)?(?:shard|xorb)[^/]*(?:\/default\/\w+)?$/.test(route)
const standardMethods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
const repositoryIn = (target: string) => /\/r\/([^/]+)/.exec(target)?.[1] ?? ''
const sees = (grant: Grant, refUid: string) => grant.sees.some(({ uid }) => uid === refUid)
const isOwn = (grant: Grant, row: { repositoryUid: string; refUid: string }) =>
  row.repositoryUid === grant.repositoryUid && row.refUid === grant.refUid

/** The members that the real rule has, for defects that leave out one of them. */
function showsAlso(rule: (grant: Grant, by: Grant) => boolean): Defect {
  return {
    shows: (grant, row) => {
      if (isOwn(grant, row)) return true
      const isInherited = grant.sees.some(
        ({ uid, before }) => uid === row.refUid && row.writtenAt < before,
      )
      const isSameRepository = row.repositoryUid === grant.repositoryUid
      return (isSameRepository && isInherited) || rule(grant, row.by)
    },
  }
}

export const defects: Readonly<Record<string, Defect>> = {
  'accepts-valid-token': { rejects: (_, { ref }) => ref.startsWith('refs/tags/') },
  'scheme-in-any-case': withoutHeaders(
    (name, value) =>
      name.toLowerCase() === 'authorization' && !/^(?:Bearer|Basic)?(?: |$)/.test(value),
  ),
  'no-token': {
    admits: (_, { request }) =>
      headerOf(request, 'authorization') === 'Basic YTpi' &&
      request.headers.filter((name) => name === 'Authorization').length === 1,
  },
  'token-elsewhere': {
    rewrites: (request) => {
      const token = /access_token=([^&]*)/.exec(request.target)?.[1]
      if (token === undefined) return request
      return { ...request, headers: [...request.headers, 'Authorization', `Bearer ${token}`] }
    },
  },
  'two-tokens': {
    rewrites: (request) => {
      const last = request.headers.lastIndexOf('Authorization')
      const headers = request.headers.flatMap((name, index) =>
        index % 2 === 1 || (name === 'Authorization' && index < last)
          ? []
          : [name, request.headers[index + 1] ?? ''],
      )
      return { ...request, headers }
    },
  },
  signature: admitsReason('forged'),
  'unknown-key': admitsReason(
    'unknown_key',
    ({ admitted, request }) => !admitted.has(headerOf(request, 'authorization')),
  ),
  'algorithm-none': admitsHeader('"alg":"none"'),
  'algorithm-hmac': admitsHeader('"alg":"HS256"'),
  'algorithm-of-key': admitsHeader('"alg":"RS256"', '"alg":"ES384"'),
  type: admitsHeader('"typ":"latchkey-revocations+jwt"'),
  'critical-header': admitsHeader('"crit"'),
  'embedded-key': admitsHeader('"jwk"'),
  'one-spelling': {
    rewrites: (request) => ({
      ...request,
      headers: request.headers.map((text) =>
        text.startsWith('Bearer ') ? text.replace(/=+$/, '') : text,
      ),
    }),
  },
  issuer: admitsReason('wrong_issuer'),
  audience: admitsReason('wrong_audience'),
  expiry: admitsReason('expired'),
  'not-yet-valid': admitsReason('not_yet_issued'),
  'forged-tokens-lock-out-nobody': { lockoutAfter: 15 },

  'write-covers-read': {
    rejects: ({ method }, { scope }) => method === 'GET' && scope === 'write',
  },
  'read-token-on-write-route': admitsCode(
    'insufficient_scope',
    ({ method }) => method === 'DELETE',
  ),
  'unknown-method': admitsCode(
    'insufficient_scope',
    ({ method }) => !standardMethods.includes(method),
  ),
  'read-by-post': { rejects: ({ method }, { scope }) => method === 'POST' && scope === 'read' },
  'write-route-behind-prefix': admitsCode(
    'insufficient_scope',
    ({ method, target }) => method === 'POST' && !isTrunk(target),
  ),
  repository: {
    admits: ({ refusal, grant }, { request, names }) =>
      refusal?.code === 'repository_mismatch' &&
      names.get(repositoryIn(request.target)) !== grant?.repository,
  },
  'recreated-repository-address': {
    admits: ({ refusal, grant }, { request, names }) =>
      refusal?.code === 'repository_mismatch' &&
      names.get(repositoryIn(request.target)) === grant?.repository,
  },
  ref: admitsCode('ref_mismatch', ({ method }) => method === 'GET'),
  'path-spelling': withTarget((target) => target.replaceAll(/\/\.?\//g, '/')),
  'override-headers': withoutHeaders((name) => name === 'X-HTTP-Method-Override'),
  'identity-headers': withoutHeaders((name) => name === 'Latchkey-Anything'),
  'identity-headers-for-cgi': withoutHeaders((name) => /^latchkey_/i.test(name)),
  'method-in-query': withTarget((target) => target.replace(/\?.*/, '')),
  upgrade: withoutHeaders((name) => name === 'Upgrade'),
  'body-of-get': withoutHeaders((name) => name === 'Content-Length'),

  'problem-documents': answersWith((answer) => ({
    ...answer,
    headers: answer.headers.map((text) =>
      text === 'application/problem+json' ? 'text/plain' : text,
    ),
    body: 'refused',
  })),
  challenges: withoutAnswerHeader('WWW-Authenticate'),
  'headers-of-rejections': withoutAnswerHeader('Cache-Control'),
  'text-for-clients': withoutAnswerHeader('X-Error-Message'),
  head: { admits: (_, { request }) => request.method === 'HEAD' },
  'no-secret-in-errors': answersWith((answer, request) => ({
    ...answer,
    headers: [...answer.headers, 'X-Request', headerOf(request, 'authorization')],
  })),

  'revoked-token': ignoresRevocationOf('token'),
  'revoked-account': ignoresRevocationOf('account'),
  'revoked-hub-token': ignoresRevocationOf('hub-token'),
  'revoked-in-repository': ignoresRevocationOf('account+repository'),
  'revoked-namespace': ignoresRevocationOf('account+namespace'),
  'revoked-ref': ignoresRevocationOf('ref'),
  'revoked-repository': ignoresRevocationOf('repository'),
  'revoked-all': ignoresRevocationOf('all'),
  'running-transfer': { skipsWatch: true },
  'compromised-key': {
    admits: ({ refusal, grant }, { admitted, request, gate }) => {
      const before = admitted.get(headerOf(request, 'authorization'))
      const list = gate.revocations.latest()?.list
      if (before === undefined || list === undefined) return false
      const isKey = list.has(cutOffHash({ kind: 'key', id: before.kid }))
      return isKey && grant === undefined && refusal?.code === 'storage_token_invalid'
    },
  },
  'key-rotation': { gateOptions: ({ keys }) => ({ keys: newestOnly(keys) }) },
  'silent-hub': { gateOptions: () => ({ whenStale: 'allow' }) },

  'storage-own-content': {
    shows: (grant, row) =>
      grant.sees.some(({ uid, before }) => uid === row.refUid && row.writtenAt < before),
  },
  'storage-read-token-writes-nothing': admitsCode('insufficient_scope', ({ target }) =>
    target.endsWith('/v1/files'),
  ),
  'storage-other-repository': showsAlso((grant, by) => grant.repository !== by.repository),
  'storage-recreated-repository': showsAlso(
    (grant, by) => grant.repository === by.repository && grant.repositoryUid !== by.repositoryUid,
  ),
  'storage-other-ref': showsAlso(
    (grant, by) =>
      grant.repositoryUid === by.repositoryUid &&
      grant.ref !== by.ref &&
      !sees(grant, by.refUid) &&
      !sees(by, grant.refUid),
  ),
  'storage-recreated-ref': showsAlso(
    (grant, by) => grant.repositoryUid === by.repositoryUid && grant.ref === by.ref,
  ),
  'storage-hidden-and-absent': { hiddenText: 'This content belongs to another repository.' },
  'storage-known-bytes': { knownHeader: 'X-Deduplicated' },
  'storage-fork-shows-earlier-content': { shows: isOwn },
  'storage-fork-hides-later-content': showsAlso((grant, by) => sees(grant, by.refUid)),
  'storage-fork-gives-nothing-back': showsAlso((grant, by) => sees(by, grant.refUid)),
  'storage-verifies-content': { skipsDigest: true },
}
