/** Credentials, permissions, and the order in which a hub looks at them. */

import { type Check, type Fault, NotApplicable } from '../check.ts'
import {
  firstFault,
  type HubResponse,
  type HubRow,
  type HubTarget,
  hubTokenOf,
  send,
  tokenPath,
  unlike,
  usualRequest,
} from './hub-target.ts'

const profiles = ['token-api'] as const

const absent = 'conform/absent'
const writeMain = tokenPath({ scope: 'write' })
const readDev = tokenPath({ revision: 'dev' })

function checkOf(
  id: string,
  clause: Check<HubTarget>['clause'],
  title: string,
  rows: readonly HubRow[] | ((hub: HubTarget) => readonly HubRow[]),
): Check<HubTarget> {
  const run = (hub: HubTarget) => firstFault(hub, typeof rows === 'function' ? rows(hub) : rows)
  return { id, clause, profiles, title, run }
}

/** It has the form of a real one, but the hub does not know it. */
function unknownToken(hub: HubTarget): string {
  const token = hubTokenOf(hub, 'reader/read')
  return `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
}

export const permissionChecks: readonly Check<HubTarget>[] = [
  checkOf(
    'missing-token',
    'Errors / 401 if the hub token is missing',
    'A request without a hub token gets 401',
    [
      [{ path: tokenPath() }, '401 hub_token_missing'],
      [{ path: writeMain }, '401 hub_token_missing'],
    ],
  ),
  checkOf(
    'invalid-token',
    'Errors / 401 if the hub token is invalid',
    'A request with an unknown hub token gets 401',
    (hub) => [
      [
        { path: tokenPath(), authorization: `Bearer ${unknownToken(hub)}` },
        '401 hub_token_invalid',
      ],
      [{ path: tokenPath(), authorization: 'Bearer conform' }, '401 hub_token_invalid'],
    ],
  ),
  checkOf(
    'no-permission',
    'Errors / 403 if the hub token lacks permission for the token type',
    'A hub token that may only read gets 403 when it requests a write token',
    [[{ path: writeMain, as: 'writer/read' }, '403 permission_denied']],
  ),
  checkOf(
    'absent-repository',
    'Errors / 404 if the repository does not exist',
    'A repository that does not exist gets 404',
    [
      [{ path: tokenPath({ id: absent }), as: 'reader/read' }, '404 repository_not_found'],
      [{ path: tokenPath({ id: 'absent/private' }), as: 'reader/read' }, '404'],
    ],
  ),
  checkOf(
    'absent-revision',
    'Errors / 404 if the revision does not exist',
    'A revision that does not exist gets 404',
    [[{ path: tokenPath({ revision: 'absent' }), as: 'reader/read' }, '404']],
  ),
  checkOf(
    'scheme-in-any-case',
    'Endpoints / The request has Authorization: Bearer with a hub token',
    'The scheme Bearer is accepted in any case',
    (hub) =>
      ['bearer', 'BEARER'].map((scheme) => [
        {
          about: `${scheme} as scheme`,
          path: tokenPath(),
          authorization: `${scheme} ${hubTokenOf(hub, 'reader/read')}`,
        },
        '200',
      ]),
  ),
  checkOf(
    'token-elsewhere',
    'Authentication / 1. The token request has a hub token in the Authorization header',
    'A hub token in the query or in another header is no credential',
    (hub) => {
      const token = hubTokenOf(hub, 'reader/read')
      return [
        [{ path: tokenPath({ revision: `main?access_token=${token}` }) }, '401'],
        [{ path: tokenPath({ revision: `main?token=${token}` }) }, '401'],
        [
          {
            about: 'a token in X-Access-Token',
            path: tokenPath(),
            headers: [['X-Access-Token', token]],
          },
          '401',
        ],
      ]
    },
  ),
  checkOf(
    'other-scheme',
    'Order of checks / 3. A missing Authorization header or another scheme gets 401 hub_token_missing',
    'Another scheme than Bearer is no hub token',
    (hub) => {
      const token = hubTokenOf(hub, 'reader/read')
      const basic = Buffer.from(`reader:${token}`).toString('base64')
      return [`Basic ${basic}`, `Token ${token}`, token].map((authorization, index) => [
        {
          about: ['scheme Basic', 'scheme Token', 'no scheme'][index] ?? '',
          path: tokenPath(),
          authorization,
        },
        '401 hub_token_missing',
      ])
    },
  ),
  checkOf(
    'two-tokens',
    'Malformed requests / The hub rejects two Authorization headers',
    'A request with two hub tokens gets no token',
    (hub) => [
      [
        {
          ...usualRequest,
          about: 'two Authorization headers',
          headers: [['Authorization', `Bearer ${hubTokenOf(hub, 'writer/write')}`]],
        },
        '400',
        '401',
      ],
    ],
  ),
  checkOf(
    'malformed-token',
    'Malformed requests / The hub rejects a malformed Authorization header',
    'A malformed Authorization header gets 401',
    (hub) => {
      const token = hubTokenOf(hub, 'reader/read')
      return [
        ['only the scheme', 'Bearer'],
        ['two tokens', `Bearer ${token} ${token}`],
        ['two spaces', `Bearer  ${token}`],
        ['a comma', `Bearer ${token},`],
      ].map(([about = '', authorization = '']) => [
        { about, path: tokenPath(), authorization },
        '401',
        '400',
      ])
    },
  ),
  checkOf(
    'long-token',
    'Limits / The hub reads a credential of 64000 characters',
    'A credential of 64000 characters is read, and is unknown',
    [[{ path: tokenPath(), authorization: `Bearer ${'a'.repeat(64_000)}` }, '401']],
  ),
  checkOf(
    'other-methods',
    'Order of checks / 2. A method other than GET and HEAD gets 405 method_not_allowed',
    'Another method gets 405 before the hub asks for a hub token',
    ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [
      { method, path: tokenPath() },
      '405 method_not_allowed',
    ]),
  ),
  checkOf(
    'invalid-token-first',
    'Order of checks / 4. An invalid hub token gets 401 hub_token_invalid',
    'An invalid hub token gets 401 for absent repositories and revisions too',
    [tokenPath({ id: absent }), tokenPath({ revision: 'absent' })].map((path) => [
      { path, authorization: 'Bearer conform' },
      '401',
    ]),
  ),
  checkOf(
    'repository-first',
    'Order of checks / 6. A repository that does not exist gets 404 repository_not_found',
    'A repository that does not exist gets 404 before permissions count',
    [[{ path: tokenPath({ id: absent, scope: 'write' }), as: 'reader/write' }, '404']],
  ),
  checkOf(
    'permission-first',
    'Order of checks / 7. A hub token without permission gets 403 permission_denied',
    'A hub token without permission gets 403 for an absent revision too',
    [[{ path: tokenPath({ scope: 'write', revision: 'absent' }), as: 'reader/write' }, '403']],
  ),
  checkOf(
    'revision-last',
    'Order of checks / 8. A revision that does not exist gets 404 revision_not_found',
    'An absent revision has another code than an absent repository',
    [
      [
        { path: tokenPath({ scope: 'write', revision: 'absent' }), as: 'writer/write' },
        '404 revision_not_found',
      ],
    ],
  ),
  checkOf(
    'write-covers-read',
    'Authentication / 3. A token is read or write, and write covers read',
    'A hub token that may write gets read tokens too',
    [[{ path: tokenPath(), as: 'writer/write' }, '200']],
  ),
  checkOf(
    'write-access',
    'Authentication / 6. A write token needs write access to repository and ref',
    'A write token needs an account that may write',
    [
      [{ path: writeMain, as: 'writer/write' }, '200'],
      [{ path: writeMain, as: 'reader/write' }, '403 permission_denied'],
      [
        { path: tokenPath({ id: 'conform/open', scope: 'write' }), as: 'stranger/write' },
        '403 permission_denied',
      ],
    ],
  ),
  checkOf(
    'read-access',
    'Authentication / 6. A read token needs at least read access to repository and ref',
    'A read token of a private repository needs an account that may read',
    [
      [usualRequest, '200'],
      [{ path: tokenPath(), as: 'stranger/write' }, '403', '404'],
      [{ path: tokenPath({ id: 'conform/open' }), as: 'stranger/write' }, '200'],
    ],
  ),
  checkOf(
    'fine-grained',
    'Authentication / 6. A fine-grained hub token needs read or write access to contents',
    'A fine-grained hub token has the access of its grants, and no more',
    [
      [{ path: writeMain, as: 'robot/only-main' }, '200'],
      [{ path: tokenPath({ scope: 'write', revision: 'dev' }), as: 'robot/only-main' }, '403'],
      [{ path: readDev, as: 'robot/only-main' }, '403'],
      [{ path: readDev, as: 'robot/only-read' }, '200'],
      [{ path: writeMain, as: 'robot/only-read' }, '403'],
    ],
  ),
  checkOf(
    'service-accounts',
    'Authentication / Users and service accounts send the same request',
    'A service account gets tokens by the same request',
    [
      [{ path: tokenPath(), as: 'robot/write' }, '200'],
      [{ path: writeMain, as: 'robot/write' }, '200'],
    ],
  ),
  {
    id: 'anonymous-read',
    clause:
      'Options / anonymousPublicRead gives read tokens for public repositories without a hub token',
    profiles,
    title: 'A request without a hub token gets at most a read token of a public repository',
    run(hub) {
      const open = { path: tokenPath({ id: 'conform/open' }) }
      return firstFault(hub, [
        [open, '200', '401'],
        [{ path: tokenPath({ id: 'conform/open', scope: 'write' }) }, '401'],
        [{ path: tokenPath({ id: absent }) }, '401', '404'],
      ])
    },
  },
  {
    id: 'hidden-is-absent',
    clause:
      'Options / hidePrivateRepositories returns 404 instead of 403 to callers without read access',
    profiles,
    title: 'A hidden repository gets the same response as an absent one',
    async run(hub) {
      const hidden = await send(hub, { path: tokenPath(), as: 'stranger/write' })
      if (hidden.status === 403) {
        return { skip: 'this hub does not hide private repositories, which is permitted' }
      }
      if (hidden.status !== 404) {
        throw new NotApplicable(`${hidden.request} gets status ${hidden.status}`)
      }
      for (const scope of ['read', 'write']) {
        for (const revision of ['main', 'absent']) {
          const fault = await differenceOf(hub, { scope, revision })
          if (fault !== undefined) return fault
        }
      }
      return undefined
    },
  },
]

async function differenceOf(
  hub: HubTarget,
  place: { readonly scope: string; readonly revision: string },
): Promise<Fault | undefined> {
  const responseOf = (id: string, method: string) =>
    send(hub, { method, path: tokenPath({ id, ...place }), as: 'stranger/write' })
  for (const method of ['GET', 'HEAD']) {
    const hidden = await responseOf('conform/private', method)
    const none = await responseOf(absent, method)
    const [got, expected] = [formOf(hidden, 'private'), formOf(none, 'absent')]
    if (got !== expected) return unlike(hidden, `as for ${absent}: ${expected}`, got)
  }
  return undefined
}

/** Without the parts that differ between any two requests. */
const variable = new Set(['date', 'x-request-id', 'age', 'keep-alive', 'connection'])

function formOf({ status, headers, text, members }: HubResponse, name: string): string {
  const id = members['requestId']
  const rows = Object.entries(headers).filter(([header]) => !variable.has(header))
  const body = typeof id === 'string' ? text.replaceAll(id, '…') : text
  return `${status} ${rows
    .map(([header, value]) => `${header}: ${value}`)
    .toSorted()
    .join(', ')} ${body}`.replaceAll(`conform/${name}`, '…')
}
