/** Requests whose headers are odd: where a token may stand, and what may not come from outside. */

import {
  type Answer,
  answers,
  bearing,
  chunk,
  not,
  objects,
  parsers,
  passes,
  proxies,
  type SingleRequest,
  shard,
} from './single-request.ts'

const { missing, invalid, bad, insufficient } = answers
const chunkPath = '/v1/chunks/default/abc'
const readsChunk = passes('read', chunkPath)
const writesShard = passes('write', '/v1/shards')

type Header = readonly [name: string, value: string]
type Rest = Omit<SingleRequest, 'name' | 'method' | 'target' | 'headers'>

const get = (name: string, headers: readonly Header[], rest: Rest, target = chunk) => ({
  name,
  method: 'GET',
  target,
  headers,
  ...rest,
})
const post = (name: string, headers: readonly Header[], rest: Rest, target = shard) => ({
  name,
  method: 'POST',
  target,
  headers,
  ...rest,
})

const credentials: readonly SingleRequest[] = [
  get('no token', [], missing),
  get('token in the query string', [], missing, `${chunk}?access_token=<read>`),
  get('token in a cookie', [['Cookie', 'access_token=<read>; token=<read>']], missing),
  get('token in Proxy-Authorization', [['Proxy-Authorization', 'Bearer <read>']], {
    ...missing,
    notThrough: not(proxies, 'that header is for the proxy, which keeps it'),
  }),
  get('token in X-Access-Token', [['X-Access-Token', '<read>']], missing),
  get('two Authorization headers, both right', [bearing('read'), bearing('read')], invalid),
  get('two Authorization headers, one right', [bearing('read'), bearing('hub token')], invalid),
  get('two Authorization headers, one Basic', [['Authorization', 'Basic YTpi'], bearing('read')], {
    ...invalid,
    notThrough: not(
      objects,
      'a Request joins both into one that begins with Basic, so it is missing',
    ),
  }),
  get('Bearer with two tokens', [['Authorization', 'Bearer <read> <write>']], invalid),
  get('Bearer with two tokens and a comma', [['Authorization', 'Bearer <read>,<write>']], invalid),
  get('scheme in lower case', [['Authorization', 'bearer <read>']], readsChunk),
  get('scheme in upper case', [['Authorization', 'BEARER <read>']], readsChunk),
  get('header name in upper case', [['AUTHORIZATION', 'Bearer <read>']], readsChunk),
  get('two spaces after the scheme', [['Authorization', 'Bearer  <read>']], invalid),
  get('a tab after the scheme', [['Authorization', 'Bearer\t<read>']], invalid),
  get('scheme alone', [['Authorization', 'Bearer']], invalid),
  get('empty Authorization', [['Authorization', '']], missing),
  get('token without scheme', [['Authorization', '<read>']], missing),
  get('another scheme', [['Authorization', 'Token <read>']], missing),
  get('Basic', [['Authorization', 'Basic dXNlcjpwYXNzd29yZA==']], missing),
  get('token in quotes', [['Authorization', 'Bearer "<read>"']], invalid),
  get('token with padding', [['Authorization', 'Bearer <read>=']], invalid),
  get('token cut short', [['Authorization', 'Bearer <read>A']], invalid),
  get('a token of 64000 characters', [bearing('64000 characters')], invalid),
  get('a token of another hub', [bearing('write, of another hub')], invalid),
  get('a token for another storage', [bearing('write, for another storage')], invalid),
]

const swallowsUnderscores = not(['nginx'], 'nginx drops headers with an underscore')

const overrides = [
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X-Original-URL'],
  ...['X-Rewrite-URL', 'x-http-method-override', 'X_HTTP_Method_Override', 'X-Original_URL'],
  ...['X-Amz-Copy-Source', 'x-ms-rename-source', 'X-Copy-From', 'Destination'],
  ...['X-Object-Manifest', 'X-Symlink-Target', 'x-oss-symlink-target', 'x-ms-file-rename-source'],
  ...['x-upyun-move-source', 'X-Copy-From-Account'],
].map((name) =>
  post(`override header ${name}`, [bearing('write'), [name, valueFor(name)]], {
    ...bad,
    ...(name.includes('_') ? { notThrough: swallowsUnderscores } : {}),
  }),
)

const identities = [
  ...['Latchkey-Scope', 'Latchkey_Scope', 'latchkey-ref', 'LATCHKEY-REPOSITORY-UID', 'Latchkey'],
  ...['Latchkey-Anything', 'Latchkey_', 'Latchkey-Assertion'],
].map((name) =>
  get(`identity header ${name}`, [bearing('read'), [name, 'write']], {
    ...bad,
    ...(name.includes('_') ? { notThrough: swallowsUnderscores } : {}),
  }),
)

const ofTheConnection = not(proxies, 'the proxy keeps headers of the connection and of the body')

const connections: readonly SingleRequest[] = [
  get('identity header before everything else', [['Latchkey-Scope', 'write']], bad),
  get('a header that only begins alike', [bearing('read'), ['Latchkeys', 'x']], readsChunk),
  get('Connection names an identity header', [bearing('read'), ['Connection', 'Latchkey-Ref']], {
    ...readsChunk,
  }),
  get(
    'Connection names all of them',
    [bearing('read'), ['Connection', 'keep-alive, Latchkey-Scope, latchkey-repository']],
    readsChunk,
  ),
  get(
    'Upgrade: h2c',
    [
      ...([bearing('read'), ['Connection', 'Upgrade, HTTP2-Settings']] as const),
      ...([
        ['Upgrade', 'h2c'],
        ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
      ] as const),
    ],
    { ...bad, notThrough: ofTheConnection },
  ),
  get('Upgrade: h2c that Connection does not name', [bearing('read'), ['Upgrade', 'h2c']], {
    ...bad,
    notThrough: ofTheConnection,
  }),
  get(
    'Upgrade: websocket',
    [bearing('read'), ['Connection', 'Upgrade'], ['Upgrade', 'websocket']],
    { ...bad, notThrough: ofTheConnection },
  ),
  get('HTTP2-Settings alone', [bearing('read'), ['HTTP2-Settings', 'AAMAAABkAAQAAP__']], {
    ...bad,
    notThrough: ofTheConnection,
  }),
  post('Trailer names an identity header', [bearing('write'), ['Trailer', 'Latchkey-Scope']], {
    ...bad,
    notThrough: ofTheConnection,
  }),
  post('Trailer names one among others', [bearing('write'), ['Trailer', 'ETag, latchkey_ref']], {
    ...bad,
    notThrough: ofTheConnection,
  }),
  post('Trailer names another header', [bearing('write'), ['Trailer', 'ETag']], writesShard),
]

const byTheParser = 'the parser refuses it before the gate is asked'
const notSeen = { ...not(parsers, byTheParser), ...ofTheConnection }
const bodyless = {
  ...not(objects, 'a Request of this method cannot have a body'),
  ...ofTheConnection,
}

const framed = (
  name: string,
  [method, token, headers, body]: readonly [string, string, readonly Header[], string],
  answer: Rest,
): SingleRequest => ({
  name,
  method,
  target: method === 'POST' || method === 'DELETE' ? shard : chunk,
  headers: [bearing(token), ...headers],
  ...(body === '' ? {} : { body }),
  ...answer,
})

const length = (...values: readonly string[]) =>
  values.map((value): Header => ['Content-Length', value])
const chunked: Header = ['Transfer-Encoding', 'chunked']

const bodies: readonly SingleRequest[] = [
  framed('GET with a body', ['GET', 'read', length('5'), 'hello'], {
    ...bad,
    notThrough: bodyless,
  }),
  framed('HEAD with a body', ['HEAD', 'read', length('5'), 'hello'], {
    ...bad,
    notThrough: bodyless,
  }),
  framed('GET with a body in chunks', ['GET', 'read', [chunked], '5\r\nhello\r\n0\r\n\r\n'], {
    ...bad,
    notThrough: bodyless,
  }),
  framed('GET with an empty body', ['GET', 'read', length('0'), ''], readsChunk),
  framed('POST with a body', ['POST', 'write', length('5'), 'hello'], writesShard),
  framed('POST with a body and a read token', ['POST', 'read', length('5'), 'hello'], insufficient),
  framed('DELETE with a body', ['DELETE', 'write', length('5'), 'hello'], writesShard),
  ...(
    [
      ['Content-Length twice, alike', length('5', '5')],
      ['Content-Length twice, different', length('5', '6')],
      ['Content-Length as a list', length('5, 5')],
      ['Content-Length with a sign', length('+5')],
      ['Content-Length in hexadecimal', length('0x5')],
      ['Content-Length negative', length('-5')],
      ['Content-Length and Transfer-Encoding', [...length('5'), chunked]],
    ] satisfies [string, Header[]][]
  ).map(([name, headers]) =>
    framed(name, ['POST', 'write', headers, 'hello'], { ...bad, notThrough: notSeen }),
  ),
]

const unknownMethod = {
  ...not(parsers, byTheParser),
  ...not(['envoy'], 'the question has this method too, and the parser refuses it'),
}
const lowerCase = {
  ...unknownMethod,
  ...not(objects, 'a Request makes it upper case'),
}

const unusualMethods: readonly SingleRequest[] = (
  [
    ...['PATCH', 'PUT', 'DELETE'].map((method) => [method, {}] as const),
    ...['MKCOL', 'PROPFIND'].map((method) => [method, {}] as const),
    ['QUERY', not(['fastify'], 'fastify wants a body with it')] as const,
    ...['patch', 'BREW'].map((method) => [method, unknownMethod] as const),
    ...['get', 'post'].map((method) => [method, lowerCase] as const),
  ] satisfies (readonly [string, NonNullable<SingleRequest['notThrough']>])[]
).flatMap(([method, notThrough]) => {
  const asked = (name: string, token: string, target: string, answer: Answer) => ({
    name: `${method} ${name} with a ${token} token`,
    method,
    target,
    headers: [bearing(token)],
    ...answer,
    ...(Object.keys(notThrough).length === 0 ? {} : { notThrough }),
  })
  return [
    asked('on a write route', 'read', shard, insufficient),
    asked('on a write route', 'write', shard, writesShard),
    asked('elsewhere', 'read', chunk, insufficient),
    asked('elsewhere', 'write', chunk, passes('write', chunkPath)),
  ]
})

export const headerRequests: readonly SingleRequest[] = [
  ...[credentials, overrides, identities, connections, bodies, unusualMethods],
].flat()

function valueFor(name: string): string {
  return /url/i.test(name) ? '/v1/shards' : 'GET'
}
