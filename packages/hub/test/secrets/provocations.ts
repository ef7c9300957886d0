/** Every place of a request where a client could put a secret, and everything that makes a hub say no. */

import { rounds } from '@latchkey/testing/chance'
import { parseHubToken } from '../../src/identity/hub-token.ts'
import { basic, type LargeFile, lfs } from './large-file.ts'

/** With addresses that were given out for it, and for a file that is not there. */
export interface ProvenFile extends LargeFile {
  readonly proof: string
  readonly uploadProof: string
}

export interface Secrets {
  /** Of an account that writes, with what its storage is opened with. */
  readonly hubToken: string
  readonly accessToken: string
  /** Of an administrator. */
  readonly adminToken: string
  /** Limited to one branch: refusals tell it what is missing. */
  readonly fineGrained: string
  /** A large file, with what its address says to a client without credentials; none where there is no git. */
  readonly large: ProvenFile | undefined
}

export interface Provocation {
  readonly name: string
  readonly path: string
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The answer has begun when git finds out that the request is none. */
  readonly mayBreakOff?: boolean
}

const good = '/api/models/acme/bert/storage-read-token/main'
const write = '/api/models/acme/bert/storage-write-token'
const json = { 'content-type': 'application/json' }

export function provocations(secrets: Secrets): readonly Provocation[] {
  const { hubToken, accessToken } = secrets
  const spoilt = wrongChecksum(hubToken)
  return [
    ...[hubToken, accessToken, spoilt].flatMap((secret) => everywhere(secret)),
    ...[hubToken, accessToken].flatMap(longEverywhere),
    ...[hubToken, accessToken].flatMap((secret) => inEveryRevision(secret, secrets)),
    ...adminCalls(secrets),
    ...reports(secrets),
    ...[hubToken, accessToken, spoilt].flatMap((secret) => withGit(secret, secrets)),
    ...(secrets.large === undefined
      ? []
      : [...withProof(secrets.large, secrets), ...withUploadProof(secrets.large)]),
  ]
}

const weights = '/acme/weights.git'
const advertise = `${weights}/info/refs?service=git-upload-pack`
const batch = `${weights}/info/lfs/objects/batch`

/** Clients of git send the hub token as a password, and people put it into addresses and names. */
function withGit(secret: string, { hubToken }: Secrets): Provocation[] {
  const credentials = [basic(secret), basic('', secret), basic(`${secret}!`), `Basic ${secret}`]
  const calls = credentials.flatMap((authorization): Provocation[] => [
    { name: 'git', path: advertise, headers: { authorization } },
    {
      name: 'git, no such repository',
      path: `/acme/none${advertise.slice(weights.length)}`,
      headers: { authorization },
    },
    {
      name: 'git, no request',
      path: `${weights}/git-upload-pack`,
      method: 'POST',
      headers: { authorization },
      body: packetLine(secret),
      mayBreakOff: true,
    },
    {
      name: 'pushing',
      path: `${weights}/info/refs?service=git-receive-pack`,
      headers: { authorization },
    },
    {
      name: 'git-lfs',
      path: batch,
      method: 'POST',
      headers: { ...lfs, authorization },
      body: `{"operation":"${secret}"}`,
    },
    {
      name: 'git-lfs, uploading',
      path: batch,
      method: 'POST',
      headers: { ...lfs, authorization },
      body: '{"operation":"upload","objects":[]}',
    },
    { name: 'whoami', path: '/api/whoami-v2', headers: { authorization } },
  ])
  const api = '/api/models/acme/weights'
  const places = [
    `/${secret}/x.git/info/refs?service=git-upload-pack`,
    `/acme/${secret}.git/info/refs?service=git-upload-pack`,
    `${weights}/info/refs?service=${secret}`,
    `${weights}/info/lfs/objects/${secret}`,
    `${weights}/info/lfs/objects/${'a'.repeat(64)}?proof=${secret}`,
    `${api}/tree/main/${secret}`,
    `${api}/commits/${secret}`,
    `${api}/revision/${secret}`,
    `/acme/weights/resolve/main/${secret}`,
    `/acme/weights/blob/main/${secret}`,
    `/login?next=/${secret}`,
  ].flatMap((path) => [
    { name: 'a place of the forge', path },
    { name: 'a place of the forge, with a hub token', path, token: hubToken },
  ])
  const paths = {
    name: 'a commit of a reader',
    path: `${api}/commit/main?create_pr=1`,
    method: 'POST',
    token: hubToken,
  }
  const header = { key: 'header', value: { summary: 's' } }
  const lines = [{ key: 'file', value: { path: `../${secret}`, content: '' } }, { key: secret }]
  return [
    ...calls,
    ...places,
    ...lines.map((line) => ({
      ...paths,
      headers: json,
      body: [header, line].map((one) => JSON.stringify(one)).join('\n'),
    })),
  ]
}

/** As git frames what it sends. */
function packetLine(text: string): string {
  return `${(text.length + 4).toString(16).padStart(4, '0')}${text}0000`
}

/** The good one is fetched, and then asked for in every wrong way. */
function withProof({ oid, proof }: ProvenFile, { hubToken }: Secrets): Provocation[] {
  const at = `${weights}/info/lfs/objects/${oid}?proof=${proof}`
  const other = `${weights}/info/lfs/objects/${'b'.repeat(64)}?proof=${proof}`
  return [
    { name: 'a large file', path: at },
    { name: 'a large file, a wrong part of it', path: at, headers: { range: 'bytes=999999-' } },
    { name: 'another large file', path: other },
    { name: 'another repository', path: at.replace('weights', 'none') },
    { name: 'a proof that goes on', path: `${at}AAAA` },
    { name: 'a proof twice', path: `${at}&proof=${proof}` },
    { name: 'a method', path: at, method: 'POST', body: proof },
    { name: 'a proof as a password', path: advertise, headers: { authorization: basic(proof) } },
    { name: 'a proof as a bearer', path: '/api/whoami-v2', token: proof },
    {
      name: 'a proof as a revision',
      path: `/api/models/acme/weights/tree/${proof}`,
      token: hubToken,
    },
    {
      name: 'a proof in a query',
      path: `${advertise}&proof=${proof}`,
      headers: { referer: `https://x.example/?proof=${proof}` },
    },
  ]
}

/** Bytes of another SHA-256 are sent, and asked for. */
function withUploadProof({ uploadProof: proof }: ProvenFile): Provocation[] {
  const at = `${weights}/info/lfs/objects/${'c'.repeat(64)}`
  const put = { method: 'PUT', body: '12345' }
  const verify = { path: `${at}/verify`, method: 'POST', body: `{"oid":"${proof}"}` }
  const authorization = `LFS-Proof ${proof}`
  return [
    { name: 'an upload of other bytes', path: `${at}?proof=${proof}`, ...put },
    { name: 'an upload of more', path: `${at}?proof=${proof}`, ...put, body: '123456' },
    { name: 'an upload elsewhere', path: `${at.replace(/c/g, 'd')}?proof=${proof}`, ...put },
    { name: 'the question for another object', ...verify, headers: { ...lfs, authorization } },
    { name: 'the question elsewhere', ...verify, path: `${at}/verify?proof=${proof}` },
    { name: 'a proof of an upload as a bearer', path: '/api/whoami-v2', token: proof },
    { name: 'a proof as a scheme', path: '/api/whoami-v2', headers: { authorization } },
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

/** Every form in every place in a soak; otherwise one form in each place, in turn. */
function longEverywhere(secret: string): Provocation[] {
  const forms = [
    secret.padEnd(64_000, 'a'),
    secret.padStart(64_000, 'a'),
    secret.repeat(Math.ceil(64_000 / secret.length)).slice(0, 64_000),
  ].map(everywhere)
  return forms.flatMap((places, form) =>
    places.filter((_, place) => place % rounds(forms.length, 1) === form % rounds(forms.length, 1)),
  )
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
