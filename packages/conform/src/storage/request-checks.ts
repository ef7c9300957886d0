/** Which requests a gate lets through: scope, place, path and headers. */

import type { Check } from '../check.ts'
import type { HeaderLine } from '../wire/raw-request.ts'
import {
  at,
  type ExpectedResponse,
  firstFault,
  type RequestRow,
  readPath,
  type StorageTarget,
  tokenOf,
  writePath,
} from './storage-target.ts'

const profiles = ['verifier'] as const
const scopeMissing: ExpectedResponse = '403 insufficient_scope'
const bad: ExpectedResponse = '400 bad_request'

/** Method and path, as `POST /v1/shards`. */
function routeRows(
  target: StorageTarget,
  routes: readonly string[],
  { scope, expected }: { readonly scope: 'read' | 'write'; readonly expected: ExpectedResponse },
): readonly RequestRow[] {
  const token = tokenOf(target, { scope })
  return routes.map((route) => {
    const [method = '', path = ''] = route.split(' ')
    return [{ about: `a ${scope} token`, method, target: at(target, path), token }, expected]
  })
}

/** Each header alone, with a write token. */
function headerRows(target: StorageTarget, headers: readonly HeaderLine[]): readonly RequestRow[] {
  const token = tokenOf(target, { scope: 'write' })
  return headers.map((header) => [
    { about: header[0], target: at(target), token, headers: [header] },
    bad,
  ])
}

/** The path is read in the normal form of some server, and differs from that form. */
const paths = [
  ...[
    '/v1/../shards',
    '/x/../../shards',
    '/./shards',
    '/v1//shards',
    '/v1/shards/',
    '/v1/shards/.',
  ],
  ...['/%2e%2e/shards', '/v1/%2E/shards', '/v1%2fshards', '/v1/%73hards', '/v1/s%48ards'],
  ...['/v1/shards;x', '/;/shards', '/v1/shards%3bx', '/v1/shards%3f', '/v1/shards%23'],
  ...['/v1/shards%00', '/v1/shards%0d%0a', '/v1\\shards', '/v1%5cshards', '/%2573hards'],
  ...['/%C0%AFshards', '/shards%', '/shards%zz', '/v1/{x}'],
]

export const requestChecks: readonly Check<StorageTarget>[] = [
  {
    id: 'write-covers-read',
    clause: 'Authentication / 3. A token is read or write, and write covers read',
    profiles,
    title: 'A write token reads and writes',
    run: (target) => {
      const routes = [`GET ${readPath}`, `PUT ${writePath}`, 'POST /v1/telemetry']
      return firstFault(target, routeRows(target, routes, { scope: 'write', expected: 'admitted' }))
    },
  },
  {
    id: 'read-token-on-write-route',
    clause: 'Guarantees / No read token reaches a write route',
    profiles,
    title: 'A read token on a route that writes gets 403',
    run: (target) => {
      const routes = [
        ...[`POST ${writePath}`, `PUT ${writePath}`, 'POST /v1/shards', 'PUT /v1/shards'],
        ...['PUT /v1/x', 'DELETE /v1/x', 'PATCH /v1/x'],
      ]
      return firstFault(
        target,
        routeRows(target, routes, { scope: 'read', expected: scopeMissing }),
      )
    },
  },
  {
    id: 'unknown-method',
    clause: 'Authentication / 4. The path sets the scope',
    profiles,
    title: 'Every method except GET, HEAD, OPTIONS and POST needs write',
    run: (target) => {
      const routes = ['PROPFIND', 'MKCOL', 'LOCK', 'SEARCH', 'PURGE'].map(
        (method) => `${method} /v1/x`,
      )
      return firstFault(
        target,
        routeRows(target, routes, { scope: 'read', expected: scopeMissing }),
      )
    },
  },
  {
    id: 'read-by-post',
    clause: 'Endpoints / POST /shard and POST /xorb/* need write, every other storage API read',
    profiles,
    title: 'A read token may POST where nothing is written',
    run: (target) => {
      const routes = ['POST /v1/telemetry']
      return firstFault(target, routeRows(target, routes, { scope: 'read', expected: 'admitted' }))
    },
  },
  {
    id: 'write-route-behind-prefix',
    clause: 'Attacks / 34. An attacker hides a write route behind a prefix',
    profiles,
    title: 'A segment that begins with shard or xorb needs write at any depth, in any case',
    run: (target) => {
      const routes = [
        ...['POST /a/shard', 'POST /a/b/c/xorbs/default/x', 'POST /SHARD', 'POST /v1/Xorb/x'],
        ...['POST /%C5%BFhard', 'POST /xorb-grants/x', 'POST /shards.json'],
      ]
      return firstFault(
        target,
        routeRows(target, routes, { scope: 'read', expected: scopeMissing }),
      )
    },
  },
  {
    id: 'repository',
    clause: 'Authentication / 5. A token is valid for one repository and one ref',
    profiles,
    title: 'A token of another repository gets 403',
    run: (target) => {
      const token = tokenOf(target, { repository: 'models/conform/other', scope: 'write' })
      const mismatch: ExpectedResponse = '403 repository_mismatch'
      return firstFault(target, [
        [{ about: 'a token of another repository', target: at(target), token }, mismatch],
        [
          {
            about: 'a token of another repository',
            method: 'PUT',
            target: at(target, writePath),
            token,
          },
          mismatch,
        ],
      ])
    },
  },
  {
    id: 'ref',
    clause: 'Guarantees / A storage token gives access to one repository, one ref and one scope',
    profiles,
    title: 'A token of another ref gets 403',
    run: (target) => {
      const row = (ref: string): RequestRow => [
        { about: `a token of ${ref}`, target: at(target), token: tokenOf(target, { ref }) },
        '403 ref_mismatch',
      ]
      const fork = tokenOf(target, { ref: 'fork', inherited: ['main'] })
      return firstFault(target, [
        ...[row('dev'), row('refs/tags/main'), row('cd'.repeat(20))],
        [{ about: 'a token of a fork', target: at(target), token: fork }, '403 ref_mismatch'],
      ])
    },
  },
  {
    id: 'recreated-repository-address',
    clause: 'Attacks / 5. An attacker uses an old token after a branch or repository was recreated',
    profiles,
    title: 'The address of a deleted repository opens nothing for tokens of the new one',
    run: async (target) => {
      const repository = 'models/conform/recreated'
      const old = at(target, readPath, repository)
      await firstFault(target, [
        [{ target: old, token: target.hub.token({ repository }) }, 'admitted'],
      ])
      target.hub.deleteRepository(repository)
      const token = target.hub.token({ repository })
      return firstFault(target, [
        [{ about: 'the old address', target: old, token }, '403 repository_mismatch'],
      ])
    },
  },
  {
    id: 'path-spelling',
    clause: 'Attacks / 13. An attacker makes the checked path differ from the routed path',
    profiles,
    title: 'A path that is not in its normal form gets 400',
    run: (target) => {
      const token = tokenOf(target, { scope: 'write' })
      return firstFault(
        target,
        paths.map((path): RequestRow => [{ method: 'POST', target: at(target, path), token }, bad]),
      )
    },
  },
  {
    id: 'override-headers',
    clause: 'Attacks / 14. An attacker names another method or path in a header',
    profiles,
    title: 'A header that names another method, path or source gets 400',
    run: (target) =>
      firstFault(
        target,
        headerRows(target, [
          ...(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'] as const).map(
            (name) => [name, 'DELETE'] as const,
          ),
          ...[['X-Original-URL', '/v1/shards'] as const, ['X-Rewrite-URL', '/v1/shards'] as const],
          ...[['X_HTTP_Method_Override', 'DELETE'] as const, ['Destination', '/other'] as const],
          ...[['X-Amz-Copy-Source', '/other'] as const, ['X-Copy-From', '/other'] as const],
        ]),
      ),
  },
  {
    id: 'identity-headers',
    clause: 'Guarantees / Only the gate sets the identity headers for the storage',
    profiles,
    title: 'A request with a header that begins with Latchkey- gets 400',
    run: (target) =>
      firstFault(
        target,
        headerRows(target, [
          ...[['Latchkey-Scope', 'write'] as const, ['latchkey-repository-uid', 'x'] as const],
          ...[['Latchkey-Assertion', 'x'] as const, ['Latchkey-Anything', 'x'] as const],
        ]),
      ),
  },
  {
    id: 'identity-headers-for-cgi',
    clause: 'Attacks / 15. An attacker forges or removes the identity headers of the gate',
    profiles,
    title: 'An identity header in a spelling that servers turn into Latchkey- gets 400',
    run: (target) =>
      firstFault(
        target,
        headerRows(target, [
          ...[['Latchkey_Scope', 'write'] as const, ['LATCHKEY_REPOSITORY_UID', 'x'] as const],
          ...[['Latchkey.Scope', 'write'] as const, ['latchkey_ref', 'x'] as const],
        ]),
      ),
  },
  {
    id: 'method-in-query',
    clause: 'Attacks / 46. An attacker sends another method or host in the query or proxy headers',
    profiles,
    title: 'A query that names another method gets 400',
    run: (target) => {
      const token = tokenOf(target)
      const queries = [
        '_method=POST',
        'a=b&_METHOD=PUT',
        '%5Fmethod=PUT',
        '_method[]=PUT',
        'a;_method=PUT',
      ]
      return firstFault(
        target,
        queries.map((query): RequestRow => [{ target: `${at(target)}?${query}`, token }, bad]),
      )
    },
  },
  {
    id: 'upgrade',
    clause: 'Attacks / 17. An attacker uses CONNECT, an upgrade or the absolute form',
    profiles,
    title: 'An upgrade and the absolute form with another host are rejected',
    run: (target) => {
      const token = tokenOf(target)
      return firstFault(target, [
        ...headerRows(target, [
          ['Upgrade', 'h2c'],
          ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
        ]),
        [
          { target: `http://other.example${at(target)}`, token },
          '400 bad_request or 421 misdirected_request',
        ],
      ])
    },
  },
  {
    id: 'body-of-get',
    clause: 'Malformed requests / A body on a GET has no effect',
    profiles,
    title: 'A GET with a body gets 400',
    run: (target) =>
      firstFault(target, [
        [
          {
            about: 'a body',
            method: 'GET',
            target: at(target),
            token: tokenOf(target),
            body: 'hello',
          },
          bad,
        ],
      ]),
  },
]
