/** Every place of a request where a client could put a secret, and everything that makes a hub say no. */

import { parseHubToken } from '../../src/identity/hub-token.ts'

export interface Secrets {
  /** Of an account that writes, with what its storage is opened with. */
  readonly hubToken: string
  readonly accessToken: string
  /** Of an administrator. */
  readonly adminToken: string
  /** Limited to one branch: refusals tell it what is missing. */
  readonly fineGrained: string
}

export interface Provocation {
  readonly name: string
  readonly path: string
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const good = '/api/models/acme/bert/storage-read-token/main'
const write = '/api/models/acme/bert/storage-write-token'
const json = { 'content-type': 'application/json' }

export function provocations(secrets: Secrets): readonly Provocation[] {
  const { hubToken, accessToken } = secrets
  const spoilt = wrongChecksum(hubToken)
  return [
    ...[hubToken, accessToken, spoilt, ...longVariants(hubToken, accessToken)].flatMap((secret) =>
      everywhere(secret),
    ),
    ...[hubToken, accessToken].flatMap((secret) => inEveryRevision(secret, secrets)),
    ...adminCalls(secrets),
    ...reports(secrets),
  ]
}

/** One secret in each place; the 64000 characters of a long one fit into one header. */
function everywhere(secret: string): Provocation[] {
  const short = secret.length < 1000
  const inHeader = (name: string, value = secret): Provocation => ({
    name: `${secret.length} characters in ${name}`,
    path: good,
    headers: { [name]: value },
  })
  return [
    inHeader('Authorization', `Bearer ${secret}`),
    inHeader('Authorization', `bearer  ${secret}`),
    inHeader('Authorization', `Basic ${secret}`),
    inHeader('Authorization', secret),
    inHeader('Cookie', `token=${secret}`),
    inHeader('Referer', `https://app.example/?token=${secret}`),
    inHeader('X-Request-Id'),
    inHeader('X-Forwarded-For'),
    inHeader('Origin', `https://${secret}`),
    inHeader('User-Agent'),
    inHeader('Accept', `application/json;${secret}`),
    { name: 'query', path: `${good}?token=${secret}` },
    { name: 'query of whoami', path: `/api/whoami?token=${secret}` },
    { name: 'unknown path', path: `/${secret}` },
    { name: 'below the API', path: `/api/models/${secret}` },
    { name: 'undecodable path', path: `/api/models/acme/bert/storage-read-token/%ZZ${secret}` },
    { name: 'revision without a credential', path: `${write}/${secret}` },
    ...(short ? inNames(secret) : []),
  ]
}

function inNames(secret: string): Provocation[] {
  return [
    { name: 'namespace', path: `/api/models/${secret}/bert/storage-read-token/main` },
    { name: 'name', path: `/api/models/acme/${secret}/storage-read-token/main` },
    { name: 'method', path: good, method: 'PUT', body: secret },
    { name: 'preflight', path: good, method: 'OPTIONS', headers: preflight(secret) },
    {
      name: 'body of a post',
      path: good,
      method: 'POST',
      headers: json,
      body: `{"a":"${secret}"}`,
    },
  ]
}

/** With a valid credential, so that the answer may tell what is missing. */
function inEveryRevision(secret: string, { hubToken, fineGrained }: Secrets): Provocation[] {
  const hidden = encodeURIComponent(secret).replaceAll('_', '%255F').replaceAll('.', '%252E')
  const revisions = [secret, `refs/heads/${secret}`, `${secret}..`, `\u202e${secret}`]
  const paths = [...revisions.map(encodeURIComponent), hidden, `decoy_${'a'.repeat(47)}${secret}`]
  return paths.flatMap((revision) =>
    [hubToken, fineGrained].map((token) => ({
      name: 'revision',
      path: `${write}/${revision}`,
      token,
    })),
  )
}

/** Verbs with a secret in the wrong place; every answer but the new token itself stays clean. */
function adminCalls({ hubToken, accessToken, adminToken }: Secrets): Provocation[] {
  const call = (method: string, path: string, body?: string): Provocation => ({
    name: `${method} ${path.replace(hubToken, '…')}`,
    path: `/admin/v1${path}`,
    method,
    token: adminToken,
    ...(body === undefined ? {} : { headers: json, body }),
  })
  return [
    call('GET', `/accounts/${hubToken}`),
    call('GET', `/accounts?limit=${hubToken}`),
    call('GET', `/accounts?${hubToken}=1`),
    call('GET', `/repositories/models/acme/${hubToken}`),
    call('DELETE', `/hub-tokens/${hubToken}`),
    call('POST', '/accounts', `{"name":"${hubToken}!"}`),
    call('POST', '/accounts', `{"${hubToken}":true}`),
    call('POST', '/accounts', `{"name":"x","kind":"${hubToken}"}`),
    call('POST', '/accounts', `{"name":"${hubToken}`),
    call('POST', '/accounts', `${accessToken}`),
    call('POST', '/hub-tokens', `{"account":"${hubToken}","name":"x","kind":"read"}`),
    call('POST', '/apply', `{"file":{"accounts":[{"name":"${hubToken}/"}]}}`),
    call('POST', '/apply', `{"file":"{\\"accounts\\": ${accessToken}"}`),
    call('PATCH', `/accounts/${hubToken}`, '{"disabled":true}'),
    call('POST', `/revocations/hub-tokens/${hubToken}`),
    call('POST', '/revocations/token', `{"token":"${hubToken}"}`),
    call('POST', '/revocations/token', `{"token":"${accessToken}x"}`),
    call('POST', '/revocations/token', `{"token":"${accessToken}"}`),
    { ...call('GET', '/accounts'), token: hubToken },
    { ...call('GET', '/accounts'), token: accessToken },
    { ...call('POST', '/accounts', hubToken), headers: { 'content-type': 'text/plain' } },
  ]
}

/** Leaked tokens that are reported; the hub token in forms that do not end it, since others need it. */
function reports({ hubToken, accessToken }: Secrets): Provocation[] {
  const bodies = [
    `{"token":"${accessToken}"}`,
    `{"tokens":["${accessToken}","${hubToken}!"]}`,
    `[{"token":"${accessToken}","url":"https://x.example/${hubToken}"}]`,
    `{"token":"${hubToken}"`,
    `{"token":"x","${hubToken}":1}`,
    hubToken,
  ]
  return bodies.map((body) => {
    return { name: 'report', path: '/revoke', method: 'POST', headers: json, body }
  })
}

/** What is not a request at all, as it goes over the wire. */
export function malformed({ hubToken, accessToken }: Secrets): readonly string[] {
  return [hubToken, accessToken].flatMap((secret) => [
    `${secret}\r\n\r\n`,
    `GET ${secret} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `${secret} / HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET / ${secret}\r\nHost: localhost\r\n\r\n`,
    `GET / HTTP/1.1\r\n${secret}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\0\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${secret}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ${secret}\r\n\r\n${secret}`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${`${secret} `.repeat(Math.ceil(100_000 / secret.length))}\r\n\r\n`,
    `GET /${secret.padEnd(100_000, 'a')} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nX-Host: ${secret}\r\nExpect: ${secret}\r\nUpgrade: ${secret}\r\nConnection: upgrade\r\n\r\n`,
    `CONNECT ${secret}:443 HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ])
}

function longVariants(...secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => [
    secret.padEnd(64_000, 'a'),
    secret.padStart(64_000, 'a'),
    secret.repeat(Math.ceil(64_000 / secret.length)).slice(0, 64_000),
  ])
}

function wrongChecksum(token: string): string {
  const spoilt = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
  if (parseHubToken(spoilt, new Set(['lk_'])) !== undefined) throw new Error('still a token')
  return spoilt
}

function preflight(secret: string): Record<string, string> {
  return {
    origin: `https://${secret}.example`,
    'access-control-request-method': 'GET',
    'access-control-request-headers': secret,
  }
}
