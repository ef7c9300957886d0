/** Cases of failures: codes of errors, repetitions, and how long they go on. */

import type {
  ClientCase,
  ClientStep,
  HeaderText,
  Outcome,
  ScriptedResponse,
} from '@latchkey/testing/vectors/client-script'

const network: ScriptedResponse = { failure: 'network' }
const path = '/v1/reconstructions/abc'
const token = (outcome: Outcome, more: object = {}): ClientStep => ({
  ...{ token: 'read', outcome },
  ...more,
})
const issued = token({ accessToken: 'access.1.token' })

const refused = (status: number, code: string, sent = code): ClientCase => ({
  name: `a response ${status} ${sent === '' ? 'without a code' : `with ${sent}`} is ${code} at once`,
  steps: [
    {
      hub: [
        {
          status,
          headers: { 'x-request-id': 'r-1' },
          body: sent === '' ? '<h1>no</h1>' : { code: sent, detail: 'The reason.' },
        },
      ],
    },
    token({ code, status, requestId: 'r-1', ...(sent && { message: 'The reason.' }) }),
    { count: { hub: 1 } },
  ],
})

const repeated = (name: string, response: ScriptedResponse): ClientCase => ({
  name: `a token request is repeated after ${name}`,
  steps: [
    { hub: [response, response, 'default'] },
    token({ accessToken: 'access.1.token' }, { took: [0.1, 60] }),
    { count: { hub: 3 } },
  ],
})

const stored = (status: number): ClientCase => ({
  name: `a response ${status} of the storage is the caller's at once`,
  steps: [
    { storage: [{ status, body: 'the reason' }] },
    { storageRequest: { path }, outcome: { status, body: 'the reason' } },
    { count: { hub: 1, storage: 1 } },
  ],
})

const resent = (name: string, response: ScriptedResponse): ClientCase => ({
  name: `a storage request is repeated with its whole body after ${name}`,
  steps: [
    { token: 'write', outcome: { accessToken: 'access.1.token' } },
    { storage: [response, 'default'] },
    {
      storageRequest: { method: 'POST', path: '/v1/shards', body: 'abc' },
      outcome: { status: 200, body: 'abc' },
      took: [0.05, 60],
      sends: [1, 2].map(() => ({
        ...{ method: 'POST', url: 'https://cas.example/r/bert/main/v1/shards', body: 'abc' },
        authorization: 'Bearer access.1.token',
      })),
    },
  ],
})

/** `took`: the seconds between the response and the next request. */
const waited = (
  name: string,
  headers: Readonly<Record<string, HeaderText>>,
  took: [number, number],
  skewSeconds = 0,
): readonly ClientCase[] => [
  {
    name: `the client waits as long as Retry-After of the hub says: ${name}`,
    skewSeconds,
    steps: [
      { hub: [{ status: 429, headers }, 'default'] },
      token({ accessToken: 'access.1.token' }, { took }),
    ],
  },
  {
    name: `the client waits as long as Retry-After of the storage says: ${name}`,
    skewSeconds,
    steps: [
      issued,
      { storage: [{ status: 503, headers }, 'default'] },
      { storageRequest: { path }, outcome: { status: 200 }, took },
    ],
  },
]

const forgotten = (name: string, response: ScriptedResponse, outcome: Outcome): ClientCase => ({
  name: `a refresh that failed is not remembered: ${name}`,
  options: { retryTimeoutSeconds: 0 },
  steps: [{ hub: [response, 'default'] }, token(outcome), issued],
})

const redirect = (status: number): readonly ClientCase[] => [
  {
    name: `a redirect ${status} of the hub is an error and is not followed`,
    steps: [
      { hub: [{ status, headers: { location: 'https://evil.example/stolen' } }] },
      token({ code: 'redirected' }),
      { count: { hub: 1, storage: 0 } },
    ],
  },
  {
    name: `a redirect ${status} of the storage is not followed`,
    steps: [
      { storage: [{ status, headers: { location: 'https://evil.example/stolen' } }] },
      {
        storageRequest: { method: 'POST', path: '/v1/shards', body: 'abc' },
        outcome: { status },
        alternative: { code: 'redirected' },
      },
      { count: { hub: 1, storage: 1 } },
    ],
  },
]

const wrongDate = { 'retry-after': { secondsFromNow: 7220 }, date: { secondsFromNow: 7200 } }

export const failureCases: readonly ClientCase[] = [
  refused(401, 'hub_token_invalid'),
  refused(401, 'hub_token_missing'),
  refused(403, 'permission_denied'),
  refused(404, 'repository_not_found'),
  refused(404, 'revision_not_found'),
  refused(400, 'bad_request'),
  refused(403, 'a_code_of_a_newer_hub'),
  refused(401, 'hub_token_invalid', ''),
  refused(403, 'permission_denied', ''),
  refused(404, 'not_found', ''),
  refused(418, 'bad_request', ''),
  refused(501, 'internal_error', ''),
  {
    name: 'an error repeats no hub token that the response repeats',
    steps: [
      {
        hub: [
          {
            status: 403,
            headers: { 'x-request-id': 'lk_hubTokenOfAda' },
            body: { code: 'permission_denied', detail: 'No: lk_hubTokenOfAda!' },
          },
        ],
      },
      token({ code: 'permission_denied' }),
    ],
  },
  forgotten('a denial', { status: 403 }, { code: 'permission_denied' }),
  forgotten('a page', { body: '<html>' }, { code: 'answer_invalid' }),
  forgotten('a 503', { status: 503 }, { code: 'internal_error', status: 503 }),
  forgotten('the network', network, { code: 'hub_unreachable' }),
  ...[429, 500, 502, 503, 504, 507].map((status) => repeated(`a ${status}`, { status })),
  repeated('a network error', network),
  {
    name: 'a hub that does not respond is requested again',
    steps: [
      { hub: [{ failure: 'silence' }, 'default'] },
      token({ accessToken: 'access.1.token' }, { took: [1, 60] }),
      { count: { hub: 2 } },
    ],
  },
  {
    name: 'repetitions end after a minute with the error of the last response',
    steps: [
      { hub: [{ status: 503, body: { code: 'not_ready' } }] },
      token({ code: 'not_ready', status: 503 }, { took: [20, 61] }),
      { count: { hub: [4, 30] } },
    ],
  },
  {
    name: 'repetitions end after retryTimeoutSeconds',
    options: { retryTimeoutSeconds: 5 },
    steps: [{ hub: [network] }, token({ code: 'hub_unreachable' }, { took: [1, 6] })],
  },
  {
    name: 'a retryTimeoutSeconds of 0 repeats no request',
    options: { retryTimeoutSeconds: 0 },
    steps: [
      { hub: [{ status: 503 }] },
      token({ code: 'internal_error', status: 503 }, { took: [0, 0] }),
      { count: { hub: 1 } },
    ],
  },
  ...waited('seconds', { 'retry-after': '20' }, [20, 31]),
  ...waited('a date', { 'retry-after': { secondsFromNow: 20 } }, [19, 31]),
  ...waited('a date of a server whose clock is wrong', wrongDate, [20, 31]),
  ...waited(
    'a date, with a local clock that is wrong',
    { 'retry-after': { secondsFromNow: 20 } },
    [19, 31],
    -600,
  ),
  ...['0', 'soon', '-5', '1.5'].flatMap((text) =>
    waited(`${text} asks for no wait`, { 'retry-after': text }, [0.05, 2]),
  ),
  ...['61', '86400'].map(
    (after): ClientCase => ({
      name: `a Retry-After of ${after} s exceeds the patience of a call and ends it at once`,
      steps: [
        { hub: [{ status: 429, headers: { 'retry-after': after } }] },
        token(
          { code: 'rate_limited', status: 429, retryAfterSeconds: Number(after) },
          { took: [0, 0] },
        ),
        { count: { hub: 1 } },
      ],
    }),
  ),
  ...[400, 403, 404, 405, 409, 413, 416, 501].map(stored),
  ...[429, 500, 503].map((status) => resent(`a ${status}`, { status })),
  resent('a network error', network),
  {
    name: 'a storage that never responds well gives its last response',
    steps: [
      { storage: [{ status: 503, body: 'later' }] },
      { storageRequest: { path }, outcome: { status: 503, body: 'later' }, took: [20, 61] },
      { count: { hub: 1, storage: [4, 30] } },
    ],
  },
  {
    name: 'a storage that cannot be reached is an error after the patience of a call',
    options: { retryTimeoutSeconds: 5 },
    steps: [
      { storage: [network] },
      { storageRequest: { path }, outcome: { code: 'storage_unreachable' }, took: [1, 6] },
    ],
  },
  {
    name: 'a 401 of the storage gets a new token and repeats the request with its whole body',
    steps: [
      { token: 'write', outcome: { accessToken: 'access.1.token' } },
      { revoke: 'access.1.token' },
      {
        storageRequest: { method: 'POST', path: '/v1/shards', body: 'abc' },
        outcome: { status: 200, body: 'abc' },
        sends: [
          {
            ...{ method: 'POST', url: 'https://cas.example/r/bert/main/v1/shards', body: 'abc' },
            authorization: 'Bearer access.1.token',
          },
          {
            method: 'GET',
            url: 'https://hub.example/api/models/acme/bert/storage-write-token/main',
          },
          {
            ...{ method: 'POST', url: 'https://cas.example/r/bert/main/v1/shards', body: 'abc' },
            authorization: 'Bearer access.2.token',
          },
        ],
      },
    ],
  },
  {
    name: 'a 401 of the storage that remains is the caller’s after one new token',
    steps: [
      { storage: [{ status: 401 }] },
      { storageRequest: { path }, outcome: { status: 401 } },
      { count: { hub: 2, storage: 2 } },
    ],
  },
  {
    name: 'a hub that denies the new token after a 401 of the storage is told as the hub',
    steps: [
      issued,
      { revoke: 'access.1.token' },
      { hub: [{ status: 401, body: { code: 'hub_token_invalid', detail: 'Revoked.' } }] },
      {
        storageRequest: { path },
        outcome: { code: 'hub_token_invalid', message: 'Revoked.' },
      },
    ],
  },
  {
    name: 'a denied token request is told by the storage request that needed it',
    steps: [
      { hub: [{ status: 403, body: { code: 'permission_denied', detail: 'Read only.' } }] },
      {
        storageRequest: { method: 'POST', path: '/v1/shards', body: 'abc' },
        outcome: { code: 'permission_denied', message: 'Read only.' },
      },
      { count: { storage: 0 } },
    ],
  },
  ...[301, 302, 303, 307, 308].flatMap(redirect),
  {
    name: 'a client that is closed sends no request',
    steps: [
      issued,
      { close: 'client' },
      token({ code: 'closed' }),
      { storageRequest: { path }, outcome: { code: 'closed' } },
      { count: { hub: 1, storage: 0 } },
    ],
  },
]
