/** Whole requests and what a gate answers: every combination as rows, and every oddity by name. */

import { headerRequests } from './header-requests.ts'
import { audience, casUrl, issuer, leewaySeconds, now } from './jws.ts'
import { jwks } from './keys.ts'
import { pathRequests } from './path-requests.ts'
import {
  furtherTokens,
  matrixTokens,
  type Place,
  places,
  type VectorToken,
} from './request-tokens.ts'
import { scopeOf } from './rules.ts'

type Row = readonly [
  token: string,
  method: string,
  place: string,
  path: string,
  status: number,
  code: string | null,
]

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
const paths = [
  ...['', '/shard', '/SHARD', '/xorb/default/abc', '/v1/shards', '/v1/xorbs/default/abc'],
  ...['/api/v1/shards', '/v1/chunks/default/abc', '/v1/reconstructions/abc', '/v1/telemetry'],
  ...['/v1/x%20y', '/a/b/c/d/shard', '/v1/xorb-grants/default/abc'],
]

const matrix = Object.entries(matrixTokens).flatMap(([tokenName, token]) =>
  methods.flatMap((method) =>
    Object.entries(places).flatMap(([placeName, place]) =>
      paths.map((path): Row => {
        const answer = answerTo(token, method, place, path)
        return [tokenName, method, placeName, path, ...answer]
      }),
    ),
  ),
)

/** The refusals in the order in which they are looked for. */
function answerTo(
  token: VectorToken,
  method: string,
  place: Place,
  path: string,
): readonly [status: number, code: string | null] {
  if (token.state === 'missing') return [401, 'storage_token_missing']
  if (token.state === 'invalid') return [401, 'storage_token_invalid']
  if (token.scope === 'read' && scopeOf(method, path) === 'write') {
    return [403, 'insufficient_scope']
  }
  if (token.repositoryUid !== place.repositoryUid) return [403, 'repository_mismatch']
  if (token.refUid !== place.refUid) return [403, 'ref_mismatch']
  return [200, null]
}

const tokens = { ...matrixTokens, ...furtherTokens }

export const requestDocument = {
  about: [
    'Storage requests, and the response of a gate that is configured with issuer, casUrl, leewaySeconds and the keys of jwks, at the time now.',
    'tokens: the storage tokens by name; null sends no Authorization header. grants: the rights of the valid tokens. places: the prefixes by which requests name a repository and a ref.',
    'matrix: rows of token, method, place, path, status, code. The request target is the prefix of the place followed by the path; send the token as "Authorization: Bearer". Status 200 with code null is an admitted request; the storage then receives the path without the prefix, or "/" if it is empty.',
    'requests: single requests, to be sent exactly as written. In targets and header values, <name> stands for the token of that name. body: to be sent unchanged. gets: the target that the storage receives for an admitted request; grant: the name of the token that admits it.',
    'notThrough: the servers that cannot receive the request, and the reason. fetch and hono: as a Request object. node, express, fastify, gateway: through the parser of node:http. nginx, caddy, traefik, envoy: as a subrequest of such a proxy. All other responses are the same, but nginx gets 403 instead of 400 and 404, because it turns those into 500.',
  ],
  issuer,
  casUrl,
  audience,
  now,
  leewaySeconds,
  jwks,
  places: Object.fromEntries(Object.entries(places).map(([name, { prefix }]) => [name, prefix])),
  tokens: Object.fromEntries(Object.entries(tokens).map(([name, { text }]) => [name, text])),
  grants: Object.fromEntries(
    Object.entries(tokens).flatMap(([name, { claims }]) =>
      claims === undefined ? [] : [[name, grantOf(claims)]],
    ),
  ),
  requests: [...headerRequests, ...pathRequests],
  matrix,
}

function grantOf({ scope, repo, ref, sub }: NonNullable<VectorToken['claims']>): object {
  return {
    scope,
    repository: `${repo.type}s/${repo.id}`,
    repositoryUid: repo.uid,
    ref: ref.name,
    refUid: ref.uid,
    subject: sub,
  }
}
