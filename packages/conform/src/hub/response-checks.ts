/** The members and headers of responses, with and without a token. */

import type { Check, Fault } from '../check.ts'
import { isOutcome, outcomeOf } from '../wire/outcome.ts'
import {
  accessTokenOf,
  bearerForm,
  firstFault,
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

const profiles = ['token-api'] as const
const forAllClients = ['token-api', 'huggingface'] as const

/** The longest life that a verifier accepts. */
const maxLifeSeconds = 24 * 60 * 60
const leewaySeconds = 30

/** One response with each usual status. */
const errorRequests: readonly (readonly [HubRequest, number])[] = [
  [{ path: tokenPath() }, 401],
  [{ about: 'an unknown hub token', path: tokenPath(), authorization: 'Bearer conform' }, 401],
  [{ path: tokenPath({ scope: 'write' }), as: 'reader/write' }, 403],
  [{ path: tokenPath({ id: 'conform/absent' }), as: 'reader/read' }, 404],
  [{ path: tokenPath({ revision: 'absent' }), as: 'reader/read' }, 404],
  [{ path: '/api/nothing' }, 404],
  [{ path: tokenPath(), method: 'POST' }, 405],
]

type Difference = readonly [expected: string, got: string]

/** The first response that differs. Another check reports one with another status. */
async function firstDifference(
  hub: HubTarget,
  requests: readonly (readonly [HubRequest, number])[],
  differenceOf: (response: HubResponse, status: number) => Difference | undefined,
): Promise<Fault | undefined> {
  for (const [request, status] of requests) {
    const response = await send(hub, request)
    const difference = response.status === status ? differenceOf(response, status) : undefined
    if (difference !== undefined) return unlike(response, ...difference)
  }
  return undefined
}

function problemDifference({ headers, members }: HubResponse, status: number) {
  const type = headers['content-type'] ?? 'none'
  // Hugging Face clients read nothing but the second one.
  if (!/^application\/(?:problem\+)?json(?:;|$)/.test(type)) {
    return ['Content-Type: application/problem+json or application/json', type] as const
  }
  const wrong = ['title', 'detail', 'code'].find((name) => typeof members[name] !== 'string')
  if (wrong !== undefined) {
    return [`the member ${wrong}`, 'a problem document without it'] as const
  }
  return members['status'] === status
    ? undefined
    : ([`the member status ${status}`, String(members['status'])] as const)
}

function challengeDifference({ headers, request }: HubResponse, status: number) {
  if (status !== 401 && status !== 403) return undefined
  const challenge = headers['www-authenticate'] ?? 'none'
  if (!/^Bearer\b/i.test(challenge)) {
    return ['WWW-Authenticate: Bearer', `WWW-Authenticate: ${challenge}`] as const
  }
  // Without a hub token, the challenge says nothing about one.
  const isWithout = status === 401 && !request.includes('unknown')
  const error = status === 403 ? 'insufficient_scope' : 'invalid_token'
  if (isWithout) {
    return /\berror=/.test(challenge)
      ? (['a challenge without error', `WWW-Authenticate: ${challenge}`] as const)
      : undefined
  }
  return challenge.includes(`error="${error}"`)
    ? undefined
    : ([`error="${error}"`, `WWW-Authenticate: ${challenge}`] as const)
}

async function memberFault(
  hub: HubTarget,
  differenceOf: (response: HubResponse) => Difference | undefined,
): Promise<Fault | undefined> {
  const response = await tokenResponse(hub)
  const difference = differenceOf(response)
  return difference && unlike(response, ...difference)
}

/** Clients append a path to it. */
function casUrlDifference({ members }: HubResponse): Difference | undefined {
  const text = String(members['casUrl'])
  const url = URL.parse(text)
  const isBase =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '' &&
    !/[/?#]$/.test(text)
  const expected = 'an absolute http(s) URL without user, query, fragment or trailing slash'
  return isBase ? undefined : [expected, text]
}

export const responseChecks: readonly Check<HubTarget>[] = [
  {
    id: 'json-object',
    clause: 'Endpoints / The response is a JSON object, the token response',
    profiles: forAllClients,
    title: 'A token response is a JSON object',
    run: (hub) =>
      memberFault(hub, ({ headers, members }) => {
        const type = headers['content-type'] ?? 'none'
        if (!/^application\/json(?:;|$)/.test(type)) return ['Content-Type: application/json', type]
        return Object.keys(members).length === 0 ? ['a JSON object', 'another body'] : undefined
      }),
  },
  {
    id: 'members',
    clause: 'Resources / The token response has accessToken, exp and casUrl, with their types',
    profiles: forAllClients,
    title: 'A token response has three members with their types, and no others',
    run: (hub) =>
      memberFault(hub, ({ members }) => {
        const shape = Object.entries(members).map(([name, value]) => `${name}: ${typeof value}`)
        const got = shape.toSorted().join(', ')
        const expected = 'accessToken: string, casUrl: string, exp: number'
        return got === expected ? undefined : [expected, got]
      }),
  },
  {
    id: 'exp',
    clause: 'Resources / exp is a Unix timestamp',
    profiles: forAllClients,
    title: 'exp is a whole number of seconds, in the next 24 hours',
    run: (hub) =>
      memberFault(hub, (response) => {
        const exp = response.members['exp']
        // Another check reports that it is no number.
        if (typeof exp !== 'number') return undefined
        const left = exp - hubTimeOf(response)
        const isSoon = left > 0 && left <= maxLifeSeconds + leewaySeconds
        return Number.isSafeInteger(exp) && isSoon
          ? undefined
          : ['a whole number of seconds, at most 24 hours after Date', String(exp)]
      }),
  },
  {
    id: 'cas-url',
    clause: 'Resources / casUrl is the URL of the storage',
    profiles: forAllClients,
    title: 'casUrl is a URL to which clients can append a path',
    run: (hub) => memberFault(hub, casUrlDifference),
  },
  {
    id: 'access-token-length',
    clause: 'Limits / accessToken has at most 64000 characters; Latchkey uses at most 4096',
    profiles,
    title: 'accessToken has at most 64000 characters',
    run: (hub) =>
      memberFault(hub, (response) => {
        const { length } = accessTokenOf(response)
        return length <= maxTokenLength
          ? undefined
          : [`at most ${maxTokenLength} characters`, `${length} characters`]
      }),
  },
  {
    id: 'access-token-characters',
    clause:
      'Authentication / 2. The storage request has the accessToken in the Authorization header',
    profiles,
    title: 'accessToken has the characters of a bearer token (RFC 6750)',
    run: (hub) =>
      memberFault(hub, (response) =>
        bearerForm.test(accessTokenOf(response))
          ? undefined
          : ['letters, digits, -._~+/ and at the end =', 'other characters'],
      ),
  },
  {
    id: 'cas-url-length',
    clause: 'Limits / casUrl has at most 64000 characters; the hub starts with at most 2048',
    profiles,
    title: 'casUrl has at most 64000 characters',
    run: (hub) =>
      memberFault(hub, ({ members }) => {
        const { length } = String(members['casUrl'])
        return length <= 64_000 ? undefined : ['at most 64000 characters', `${length} characters`]
      }),
  },
  {
    id: 'another-token',
    clause: 'Lifetime / 2. The same request again returns a new token',
    profiles,
    title: 'The same request again returns another token, which does not expire earlier',
    async run(hub) {
      const first = await tokenResponse(hub)
      const second = await tokenResponse(hub)
      if (accessTokenOf(first) === accessTokenOf(second)) {
        return unlike(second, 'another accessToken', 'the same accessToken')
      }
      return Number(second.members['exp']) < Number(first.members['exp'])
        ? unlike(second, 'an exp that is not earlier', 'an earlier exp')
        : undefined
    },
  },
  {
    id: 'body-of-get',
    clause: 'Malformed requests / A body on a GET has no effect',
    profiles,
    title: 'A body of the request changes nothing',
    run: (hub) => {
      const body = JSON.stringify({ scope: 'write', revision: 'absent' })
      const headers = [['Content-Type', 'application/json'] as const]
      return firstFault(hub, [
        [{ ...usualRequest, about: 'with a JSON body', headers, body }, '200'],
        [usualRequest, '200'],
      ])
    },
  },
  {
    id: 'head',
    clause: 'Responses / HEAD runs the same checks and issues no token',
    profiles,
    title: 'HEAD gets the statuses of GET, and no token',
    async run(hub) {
      const rows = [[usualRequest, 200], ...errorRequests.slice(0, -1)] as const
      for (const [request, status] of rows) {
        const response = await send(hub, { ...request, method: 'HEAD' })
        if (!isOutcome(response, `${status}`)) {
          return unlike(response, `${status}`, outcomeOf(response))
        }
        if (response.text !== '' || JSON.stringify(response.headers).includes('eyJ')) {
          return unlike(response, 'no body and no token', 'a body or a token')
        }
      }
      return undefined
    },
  },
  {
    id: 'headers',
    clause: 'Responses / Every response has X-Request-Id, Cache-Control: no-store and Date',
    profiles,
    title: 'Every response has a request id and a date, and is not cached',
    run: (hub) =>
      firstDifference(hub, [[usualRequest, 200], ...errorRequests], ({ headers }) => {
        const missing = ['x-request-id', 'date'].find((name) => (headers[name] ?? '') === '')
        if (missing !== undefined) return [`the header ${missing}`, 'none']
        const control = headers['cache-control'] ?? 'none'
        return /\bno-store\b/.test(control)
          ? undefined
          : ['Cache-Control: no-store', `Cache-Control: ${control}`]
      }),
  },
  {
    id: 'problem-documents',
    clause: 'Responses / Every error is a problem document (RFC 9457)',
    profiles,
    title: 'An error is a problem document with title, detail, code and status',
    run: (hub) => firstDifference(hub, errorRequests, problemDifference),
  },
  {
    id: 'challenges',
    clause: 'Responses / Challenges follow RFC 6750',
    profiles,
    title: 'A response with 401 or 403 has a Bearer challenge',
    run: (hub) => firstDifference(hub, errorRequests, challengeDifference),
  },
]
