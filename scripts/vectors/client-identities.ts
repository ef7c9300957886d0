/** Cases of identities: a token belongs to one hub token, repository, revision and scope. */

import type { Scope } from '@latchkey/protocol'
import type {
  ClientCase,
  ClientStep,
  ClientVectorOptions,
  StorageCall,
} from '@latchkey/testing/vectors/client-script'

const api = 'https://hub.example/api'

/** Two clients that differ in one option, used in turn. */
function apart(name: string, options: ClientVectorOptions): ClientCase {
  const stored = (client: string, authorization: string): ClientStep => ({
    ...{ storageRequest: { path: '/v1/reconstructions/abc' }, client, outcome: { status: 200 } },
    sends: [
      {
        method: 'GET',
        url: 'https://cas.example/r/bert/main/v1/reconstructions/abc',
        authorization,
      },
    ],
  })
  return {
    name,
    steps: [
      { open: 'other', options },
      { token: 'read', outcome: { accessToken: 'access.1.token' } },
      { token: 'read', client: 'other', outcome: { accessToken: 'access.2.token' } },
      stored('client', 'Bearer access.1.token'),
      stored('other', 'Bearer access.2.token'),
      stored('client', 'Bearer access.1.token'),
      { count: { hub: 2 } },
    ],
  }
}

const urlOf = (revision: string, url: string): ClientCase => ({
  name: `the revision ${revision} is one encoded segment of the path`,
  options: { revision },
  steps: [{ token: 'write', outcome: { scope: 'write' }, sends: [{ method: 'GET', url }] }],
})

/** The token request that a storage request needs. */
const needs = (scope: Scope, storageRequest: StorageCall): ClientCase => {
  const { method = 'GET', path } = storageRequest
  const by = storageRequest.scope === undefined ? '' : ', because the caller says so'
  return {
    name: `${method} ${path} requests a ${scope} token${by}`,
    steps: [
      {
        ...{ storageRequest, outcome: { status: 200 } },
        sends: [
          { method: 'GET', url: `${api}/models/acme/bert/storage-${scope}-token/main` },
          {
            ...{ method, url: `https://cas.example/r/bert/main${path}` },
            authorization: 'Bearer access.1.token',
          },
        ],
      },
    ],
  }
}

const badHubToken = (hubToken: string): ClientCase => ({
  name: `the hub token ${JSON.stringify(hubToken)} is an error before a request is sent`,
  steps: [
    { open: 'other', options: { hubToken }, outcome: { code: 'bad_option' } },
    { count: { hub: 0 } },
  ],
})

export const identityCases: readonly ClientCase[] = [
  apart('two hub tokens share no storage token', { hubToken: 'lk_hubTokenOfGrace' }),
  apart('two repositories share no storage token', { repo: 'models/acme/gpt' }),
  apart('a model and a dataset of one name share no storage token', { repo: 'datasets/acme/bert' }),
  apart('two revisions share no storage token', { revision: 'dev' }),
  apart('revisions that differ in case share no storage token', { revision: 'Main' }),
  apart('a client without a hub token shares no storage token', { hubToken: null }),
  {
    name: 'a write token is not used for reading, and a read token is not used for writing',
    steps: [
      { token: 'read', outcome: { accessToken: 'access.1.token', scope: 'read' } },
      { token: 'write', outcome: { accessToken: 'access.2.token', scope: 'write' } },
      { token: 'read', outcome: { accessToken: 'access.1.token', scope: 'read' } },
    ],
  },
  {
    name: 'a client without a hub token sends no Authorization header to the hub',
    options: { hubToken: null },
    steps: [
      {
        ...{ token: 'read', outcome: { accessToken: 'access.1.token' } },
        sends: [
          {
            method: 'GET',
            url: `${api}/models/acme/bert/storage-read-token/main`,
            authorization: null,
          },
        ],
      },
    ],
  },
  {
    name: 'a hub token function is called again after a 401, and no token of before is used',
    options: { hubToken: ['lk_old', 'lk_new'] },
    steps: [
      { token: 'read', outcome: { accessToken: 'access.1.token' } },
      { hub: [{ status: 401 }, 'default'] },
      {
        ...{ token: 'write', outcome: { accessToken: 'access.2.token' } },
        sends: ['Bearer lk_old', 'Bearer lk_new'].map((authorization) => ({
          ...{ method: 'GET', url: `${api}/models/acme/bert/storage-write-token/main` },
          authorization,
        })),
      },
      {
        ...{ token: 'read', outcome: { accessToken: 'access.3.token' } },
        sends: [
          {
            ...{ method: 'GET', url: `${api}/models/acme/bert/storage-read-token/main` },
            authorization: 'Bearer lk_new',
          },
        ],
      },
    ],
  },
  {
    name: 'a hub token function is not called again for a hub token that it has just returned',
    options: { hubToken: ['lk_1', 'lk_2'] },
    steps: [
      { hub: [{ status: 401, body: { code: 'hub_token_invalid' } }, 'default'] },
      { token: 'read', outcome: { code: 'hub_token_invalid', status: 401 } },
      { count: { hub: 1 } },
      { token: 'read', outcome: { accessToken: 'access.1.token' } },
    ],
  },
  ...['', 'lk_abc\n', 'lk_abc def', 'Bearer lk_abc', 'lk_äbc'].map(badHubToken),
  urlOf('refs/pr/1', `${api}/models/acme/bert/storage-write-token/refs%2Fpr%2F1`),
  urlOf(
    'feature/ä #?%',
    `${api}/models/acme/bert/storage-write-token/feature%2F%C3%A4%20%23%3F%25`,
  ),
  urlOf('%2e%2e', `${api}/models/acme/bert/storage-write-token/%252e%252e`),
  needs('read', { path: '/v1/reconstructions/abc' }),
  needs('read', { method: 'POST', path: '/v1/telemetry' }),
  needs('write', { method: 'POST', path: '/shard' }),
  needs('write', { method: 'POST', path: '/v1/xorbs/default/abc', body: 'abc' }),
  needs('write', { method: 'PUT', path: '/v1/files', body: 'abc' }),
  needs('write', { method: 'DELETE', path: '/v1/anything' }),
  needs('write', { path: '/v1/shards', scope: 'write' }),
  needs('read', { method: 'POST', path: '/v1/shards', body: 'abc', scope: 'read' }),
]
