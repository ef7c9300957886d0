/** Cases of origins: token responses that a client rejects, and addresses that get no token. */

import type { ClientCase, ClientVectorOptions } from '@latchkey/testing/vectors/client-script'

const stored = '/v1/reconstructions/abc'

/** `member` is what the token response has instead. */
const malformed = (name: string, token: Readonly<Record<string, unknown>>): ClientCase => ({
  name: `a token response with ${name} is rejected`,
  steps: [
    { hub: [{ token }] },
    { storageRequest: { path: stored }, outcome: { code: 'answer_invalid' } },
    { count: { hub: 1, storage: 0 } },
  ],
})

const unreadable = (name: string, body: unknown, status = 200): ClientCase => ({
  name: `a token response of ${name} is rejected`,
  steps: [
    { hub: [{ status, body }] },
    { token: 'read', outcome: { code: 'answer_invalid', status } },
    { count: { hub: 1 } },
  ],
})

const usable = (
  name: string,
  casUrl: string,
  { options = {}, home = casUrl }: { options?: ClientVectorOptions; home?: string } = {},
): ClientCase => ({
  name: `a casUrl is used: ${name}`,
  options,
  steps: [
    { hub: [{ token: { casUrl } }] },
    { token: 'read', outcome: { accessToken: 'access.1.token' } },
    {
      ...{ storageRequest: { path: '/v1/a' }, outcome: { status: 200 } },
      sends: [{ method: 'GET', url: `${home}/v1/a`, authorization: 'Bearer access.1.token' }],
    },
  ],
})

const badPath = (path: string): ClientCase => ({
  name: `the path ${JSON.stringify(path)} is refused`,
  steps: [
    { storageRequest: { path }, outcome: { code: 'path_refused' } },
    { count: { storage: 0 } },
  ],
})

const goodPath = (path: string): ClientCase => ({
  name: `the path ${path} is sent as it was written`,
  steps: [
    { token: 'read', outcome: { accessToken: 'access.1.token' } },
    {
      ...{ storageRequest: { path }, outcome: { status: 200 } },
      sends: [{ method: 'GET', url: `https://cas.example/r/bert/main${path}` }],
    },
  ],
})

const badHub = (hubUrl: string): ClientCase => ({
  name: `the hubUrl ${hubUrl} is an error before a request is sent`,
  steps: [
    { open: 'other', options: { hubUrl }, outcome: { code: 'bad_option' } },
    { count: { hub: 0 } },
  ],
})

const goodHub = (hubUrl: string, options: ClientVectorOptions = {}): ClientCase => ({
  name: `the hubUrl ${hubUrl} is used${options.allowPlainHttp ? ' with allowPlainHttp' : ''}`,
  options: { ...options, hubUrl },
  steps: [
    {
      ...{ token: 'read', outcome: { accessToken: 'access.1.token' } },
      sends: [
        {
          method: 'GET',
          url: `${hubUrl.replace(/\/$/, '')}/api/models/acme/bert/storage-read-token/main`,
        },
      ],
    },
  ],
})

const loopback = ['http://localhost:8081/r', 'http://127.0.0.1:8081/r', 'http://[::1]:8081/r']
const elsewhere = [
  ...['http://cas.example/r', 'http://192.168.0.7:8080/r', 'http://localhost.example/r'],
  ...['http://127.0.0.1.example/r', 'http://0.0.0.0:8080/r'],
]
const here = { hubUrl: 'http://localhost:8080' }

const long = (text: string, padTo: number) => ({ text, padTo })

export const originCases: readonly ClientCase[] = [
  malformed('no accessToken', { accessToken: null }),
  malformed('an empty accessToken', { accessToken: '' }),
  malformed('an accessToken that is a number', { accessToken: 7 }),
  malformed('a line end in the accessToken', { accessToken: 'abc\r\nx-evil: 1' }),
  malformed('a space in the accessToken', { accessToken: 'abc def' }),
  malformed('an accessToken of 64001 characters', { accessToken: long('', 64_001) }),
  malformed('no exp', { exp: null }),
  malformed('an exp that is text', { exp: '1800000900' }),
  malformed('an exp with a fraction', { exp: 1_800_000_900.5 }),
  malformed('an exp that is now', { exp: 1_800_000_000 }),
  malformed('an exp in the past', { exp: 1_799_999_999 }),
  malformed('an exp in milliseconds', { exp: 1_800_000_900_000 }),
  malformed('no casUrl', { casUrl: null }),
  malformed('a casUrl that is a list', { casUrl: ['https://cas.example'] }),
  malformed('a casUrl of 64001 characters', { casUrl: long('https://cas.example/', 64_001) }),
  malformed('a casUrl of another scheme', { casUrl: 'ftp://cas.example' }),
  malformed('credentials in the casUrl', { casUrl: 'https://a:b@cas.example' }),
  malformed('a query in the casUrl', { casUrl: 'https://cas.example/?a' }),
  malformed('a fragment in the casUrl', { casUrl: 'https://cas.example/#a' }),
  malformed('dot segments in the casUrl', { casUrl: 'https://cas.example/r/../s' }),
  malformed('a casUrl without a host', { casUrl: '/r' }),
  ...elsewhere.map((casUrl) => malformed(`the casUrl ${casUrl}`, { casUrl })),
  ...[...loopback, 'https://localhost:8081/r', 'https://127.0.0.1/r'].map((casUrl) =>
    malformed(`the casUrl ${casUrl} of a hub on another machine`, { casUrl }),
  ),
  unreadable('an empty body', '', 204),
  unreadable('text', 'hello'),
  unreadable('a page', '<html>'),
  unreadable('null', null),
  unreadable('a list', [{ accessToken: 'abc', exp: 1_800_000_900, casUrl: 'https://cas.example' }]),
  unreadable('2 MiB', long('{"accessToken": "', 2 ** 21)),
  {
    name: 'a token response with the longest members is used',
    steps: [
      {
        hub: [
          {
            token: {
              accessToken: long('', 64_000),
              casUrl: long('https://cas.example/', 64_000),
            },
          },
        ],
      },
      { storageRequest: { path: stored }, outcome: { status: 200 } },
    ],
  },
  {
    name: 'a token response with unknown members is used',
    steps: [
      { hub: [{ token: { issuedTo: 'ada', expires_in: 900 } }] },
      { token: 'read', outcome: { accessToken: 'access.1.token' } },
    ],
  },
  {
    name: 'a token response with every character of a bearer token is used',
    steps: [
      { hub: [{ token: { accessToken: 'aZ09-._~+/==' } }] },
      { storageRequest: { path: stored }, outcome: { status: 200 } },
    ],
  },
  usable('a slash at its end', 'https://cas.example/r/', { home: 'https://cas.example/r' }),
  usable('no path', 'https://cas.example'),
  usable('an encoded path', 'https://cas.example/r/a%20b'),
  ...loopback.map((casUrl) =>
    usable(`${casUrl} of a hub on the same machine`, casUrl, { options: here }),
  ),
  usable('plain http with allowPlainHttp', 'http://cas.example/r', {
    options: { allowPlainHttp: true },
  }),
  {
    name: 'a token goes to the casUrl of its own response, also when the casUrl changes',
    steps: [
      { storageRequest: { path: '/v1/a' }, outcome: { status: 200 } },
      { hub: [{ token: { casUrl: 'https://other-cas.example/r' } }] },
      { revoke: 'access.1.token' },
      {
        ...{ storageRequest: { path: '/v1/a' }, outcome: { status: 200 } },
        sends: [
          {
            ...{ method: 'GET', url: 'https://cas.example/r/bert/main/v1/a' },
            authorization: 'Bearer access.1.token',
          },
          {
            method: 'GET',
            url: 'https://hub.example/api/models/acme/bert/storage-read-token/main',
          },
          {
            ...{ method: 'GET', url: 'https://other-cas.example/r/v1/a' },
            authorization: 'Bearer access.2.token',
          },
        ],
      },
    ],
  },
  {
    name: 'an Authorization header of the caller is replaced',
    steps: [
      { token: 'read', outcome: { accessToken: 'access.1.token' } },
      {
        storageRequest: {
          path: '/v1/a',
          headers: { Authorization: 'Bearer mine', 'x-more': 'b' },
        },
        outcome: { status: 200 },
        sends: [
          {
            ...{ method: 'GET', url: 'https://cas.example/r/bert/main/v1/a' },
            authorization: 'Bearer access.1.token',
            headers: { 'x-more': 'b' },
          },
        ],
      },
    ],
  },
  ...['', 'v1/a', '//evil.example/a', '/\\evil.example/a', '\\\\evil.example'].map(badPath),
  ...[
    'https://evil.example/a',
    'https://cas.example/a',
    '@evil.example/',
    ':80@evil.example/a',
  ].map(badPath),
  ...['.evil.example', '/../a', '/a/..', '/%2e%2e/a', '/..//evil.example/a', '/a//b', '/a/'].map(
    badPath,
  ),
  ...['/%2f/evil.example', '/\t/evil.example', '\n//evil.example', '/a b', '/a#b', '/ä'].map(
    badPath,
  ),
  ...['/', '/v1/a', '/v1/a?b=c&d=%20e/f?g', '/%C3%A4', "/v1/a'b"].map(goodPath),
  ...['http://hub.example', 'http://192.168.0.7:8080', 'http://localhost.example'].map(badHub),
  ...['https://a:b@hub.example', 'https://hub.example/?a', 'ftp://hub.example', 'hub.example'].map(
    badHub,
  ),
  goodHub('http://localhost:8080'),
  goodHub('http://127.0.0.1:8080'),
  goodHub('http://[::1]:8080'),
  goodHub('https://hub.example/below/a/path/'),
  goodHub('http://hub.example', { allowPlainHttp: true }),
]
