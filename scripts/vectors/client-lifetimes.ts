/** Cases of lifetimes: when a token is replaced, by whose clock, and how many requests that costs. */

import type {
  ClientCase,
  ClientStep,
  ScriptedResponse,
} from '@latchkey/testing/vectors/client-script'

const denied: ScriptedResponse = { status: 403, body: { code: 'permission_denied' } }
const read = (accessToken: string): ClientStep => ({ token: 'read', outcome: { accessToken } })
const first = read('access.1.token')
const second = read('access.2.token')

/** The hub denies each refresh until the moment, so a refresh in the background changes nothing. */
const replacedAt = (seconds: number, response: ScriptedResponse = 'default'): ClientStep[] => [
  { hub: [response] },
  first,
  { hub: [denied] },
  { advance: seconds - 0.1 },
  first,
  { hub: ['default'] },
  { advance: 0.2 },
  second,
]

/** Storage requests at even distances, none of which the storage may reject. */
const used = (times: number, everySeconds: number): ClientStep => ({
  repeat: times,
  steps: [
    {
      storageRequest: { path: '/v1/reconstructions/abc' },
      outcome: { status: 200 },
      took: [0, 0],
    },
    { advance: everySeconds },
  ],
})

const shortLife = (lifetimeSeconds: number): ClientCase => ({
  name: `a token that lives ${lifetimeSeconds} s is used, and causes no request storm`,
  steps: [
    { hub: [{ lifetimeSeconds }] },
    used(100, lifetimeSeconds / 20),
    { count: { hub: [5, 12], storage: 100 } },
  ],
})

const hourWithSkew = (skewSeconds: number): ClientCase => ({
  name: `a clock that is wrong by ${skewSeconds} s loses no request and costs none`,
  skewSeconds,
  steps: [used(60, 60), { count: { hub: [5, 6], storage: 60 } }],
})

const clockSet = (skewSeconds: number): ClientCase => ({
  name: `a clock that is set by ${skewSeconds} s during the life of a token loses no request`,
  steps: [
    used(10, 30),
    { setClock: skewSeconds },
    used(60, 60),
    { count: { hub: [5, 8], storage: 70 } },
  ],
})

export const lifetimeCases: readonly ClientCase[] = [
  {
    name: 'the token request names repository, scope and revision, and carries the hub token',
    steps: [
      {
        token: 'read',
        outcome: {
          ...{ accessToken: 'access.1.token', scope: 'read', exp: 1_800_000_900 },
          casUrl: 'https://cas.example/r/bert/main',
        },
        sends: [
          {
            ...{ method: 'GET', body: '', authorization: 'Bearer lk_hubTokenOfAda' },
            url: 'https://hub.example/api/models/acme/bert/storage-read-token/main',
          },
        ],
      },
    ],
  },
  {
    name: 'a token is replaced 30 s before its exp',
    steps: replacedAt(870),
  },
  {
    name: 'a token is replaced as early as refreshBufferSeconds says',
    options: { refreshBufferSeconds: 120 },
    steps: replacedAt(780),
  },
  {
    name: 'a token that lives shorter than the buffer is used for half of its life',
    steps: replacedAt(10, { lifetimeSeconds: 20 }),
  },
  {
    name: 'the life of a token counts from its request, however late the response arrives',
    steps: [
      { hub: [{ afterSeconds: 9 }] },
      { token: 'read', outcome: { accessToken: 'access.1.token' }, took: [9, 9.1] },
      { hub: [denied] },
      { advance: 860.9 },
      first,
      { advance: 0.2 },
      { token: 'read', outcome: { code: 'permission_denied', status: 403 } },
    ],
  },
  {
    name: 'a refresh that fails early is no failure while the token is good',
    steps: [
      first,
      { hub: [{ status: 503 }] },
      { advance: 865 },
      first,
      { hub: ['default'] },
      { advance: 30 },
      second,
    ],
  },
  {
    name: 'an unused client stops refreshing',
    steps: [first, { advance: 86_400 }, { count: { hub: [1, 2] } }],
  },
  shortLife(2),
  shortLife(20),
  shortLife(59),
  ...[-31_536_000, -600, 0, 600, 31_536_000].map(hourWithSkew),
  clockSet(-600),
  clockSet(600),
  {
    name: 'a token that arrives without a Date header is measured by the local clock',
    skewSeconds: 600,
    steps: replacedAt(270, { headers: { date: null } }),
  },
  {
    name: '5000 concurrent callers share one token request',
    steps: [
      { concurrently: 5000, token: 'read', outcome: { accessToken: 'access.1.token' } },
      { count: { hub: 1 } },
    ],
  },
  {
    name: 'concurrent storage requests share the token request that replaces a revoked token',
    steps: [
      first,
      { revoke: 'access.1.token' },
      {
        concurrently: 200,
        storageRequest: { path: '/v1/reconstructions/abc' },
        outcome: { status: 200 },
      },
      { count: { hub: 2 } },
    ],
  },
  {
    name: 'a failure is told to every caller who waited, and requested once for all of them',
    steps: [
      { hub: [{ status: 404, body: { code: 'revision_not_found' } }, 'default'] },
      { concurrently: 100, token: 'read', outcome: { code: 'revision_not_found', status: 404 } },
      { count: { hub: 1 } },
      first,
    ],
  },
]
