/** Requests whose targets are odd: paths that routers read in different ways, prefixes, queries, absolute forms. */

import {
  type Answer,
  answers,
  bearing,
  chunk,
  not,
  objects,
  own,
  parsers,
  passes,
  proxies,
  type SingleRequest,
  shard,
} from './single-request.ts'

const { bad, insufficient, nowhere, otherRepository, otherRef } = answers

type NotThrough = NonNullable<SingleRequest['notThrough']>

const repaired: NotThrough = not(objects, 'a Request has its URL repaired')
const unparsed: NotThrough = not(parsers, 'the parser refuses it before the gate is asked')
const noHeader: NotThrough = not(proxies, 'a header value cannot hold it')
const ownWord: NotThrough = not(['fastify'], 'fastify refuses it with 400 before the gate is asked')

const routes: readonly (readonly [path: string, isNormal: boolean, notThrough?: NotThrough])[] = [
  ['/shard', true],
  ['/SHARD', true],
  ['/xorb', true],
  ['/xorb/default/abc', true],
  ['/api/v1/shards', true],
  ['/v3/shards', true],
  ['/a/b/c/d/shards', true],
  ['/a/b/c/d/e/f/g/h/XORBS/default/abc', true],
  ['/v1/xorb-grants/default/abc', true],
  ['/v1/xorb-commits/default/abc/grant/id', true],
  ['/v1/Shardlike', true],
  ['/v1/%EF%BD%98orb-grants', true],
  ['/v1/shard%CC%A7', true],
  ['//shard', false],
  ['/shard/', false],
  ['/xorb/', false],
  ['/xorb//abc', false],
  ['/./shard', false, repaired],
  ['/x/../shard', false, repaired],
  ['/v1/../xorbs/a/b', false, repaired],
  ['/v1/xorbs/default/%2e%2e/x', false, repaired],
  ['/v1/xorbs/default/%2E%2E/x', false, repaired],
  ['/shard/.', false, repaired],
  ['/shard/..', false, repaired],
  ['/%73hard', false],
  ['/s%48ard', false],
  ['/shard%2f', false],
  ['/x%2f..%2fshard', false],
  ['/shard%5c', false],
  ['/%2573hard', false],
  ['/shard%00', false],
  ['/shard%0d%0a', false],
  ['/shard;x', false],
  ['/;/shard', false],
  ['/shard%3bx', false],
  ['/shard%3f', false],
  ['/shard%23', false],
  ['/%C0%AFshard', false, ownWord],
  ['/shard%', false, ownWord],
  ['/shard%zz', false, ownWord],
  ['/\\shard', false, repaired],
  ['/v1\\shards', false, repaired],
  ['/\u017fhard', false, { ...repaired, ...unparsed, ...noHeader }],
  ['/sh ard', false, { ...repaired, ...unparsed, ...noHeader }],
  ['/shard\t', false, { ...repaired, ...unparsed, ...noHeader }],
  ['/{x}/shard', false, repaired],
]

const writeRoutes = routes.flatMap(([path, isNormal, notThrough]) =>
  (['read', 'write'] as const).map((token): SingleRequest => {
    const normal = token === 'read' ? insufficient : passes('write', path)
    return asked(`POST ${path} with a ${token} token`, 'POST', `${own}${path}`, {
      token,
      ...(isNormal ? normal : bad),
      ...(notThrough === undefined ? {} : { notThrough }),
    })
  }),
)

const prefixes: readonly SingleRequest[] = [
  ask('nothing after the prefix', own, passes('read', '/')),
  ask('a slash after the prefix', `${own}/`, bad),
  ask('no prefix', '/v1/chunks/default/abc', nowhere),
  ask('half a prefix', '/r/bertuid', nowhere),
  ask('the root', '/', nowhere),
  ask('the prefix in capitals', chunk.replace('/r/', '/R/'), nowhere),
  ask('another prefix', chunk.replace('/r/', '/s/'), nowhere),
  ask(
    'the uid of the repository in capitals',
    chunk.replace('bertuid', 'BERTUID'),
    otherRepository,
  ),
  ask('the uid of the ref in capitals', chunk.replace('mainuid', 'MAINUID'), otherRef),
  ask('the name instead of the uid', chunk.replace('mainuid', 'main'), otherRef),
  ...[1, 1794773137, 999_999_999_999_999].map((epoch) =>
    ask(
      `the address of epoch ${epoch}`,
      chunk.replace('mainuid', `mainuid-${epoch}`),
      passes('read', '/v1/chunks/default/abc'),
    ),
  ),
  ...['-0', '-01', '-x', '-', '--1', '-1-2', '-1234567890123456', '1', '.1'].map((end) =>
    ask(`${end} behind the uid of the ref`, chunk.replace('mainuid', `mainuid${end}`), otherRef),
  ),
  ask(
    'an epoch behind the uid of the repository',
    chunk.replace('bertuid', 'bertuid-1'),
    otherRepository,
  ),
  ask('another repository with this ref', chunk.replace('bertuid', 'gptuid'), otherRepository),
  ask('repository and ref exchanged', '/r/mainuid/bertuid/v1/chunks/default/abc', otherRepository),
  ask(
    'the uid of the repository with a space',
    chunk.replace('bertuid', 'bertuid%20'),
    otherRepository,
  ),
  ask('an encoded letter in the uid', chunk.replace('bertuid', '%62ertuid'), bad),
  ask('an empty uid', chunk.replace('bertuid', ''), bad),
  ask('the placeholders themselves', '/r/{repo}/{ref}/v1/chunks/default/abc', {
    ...bad,
    notThrough: repaired,
  }),
  ask('two slashes at the beginning', `/${chunk}`, {
    ...bad,
    notThrough: not(objects, 'a Request takes what follows for the host'),
  }),
  ask('back to another ref', `${own}/../devuid/v1/chunks/default/abc`, {
    ...bad,
    notThrough: repaired,
  }),
  ask('back to another ref, encoded', `${own}/%2e%2e/devuid/v1/chunks/default/abc`, {
    ...bad,
    notThrough: repaired,
  }),
  asked('POST to no place with a read token', 'POST', '/v1/shards', {
    token: 'read',
    ...insufficient,
  }),
  asked('POST to no place with a write token', 'POST', '/v1/shards', {
    token: 'write',
    ...nowhere,
  }),
]

const chunkPath = '/v1/chunks/default/abc'

/** Spellings of one parameter by which frameworks take another method than that of the request. */
const methodsInQueries = [
  ['a query that says POST', '_method=POST'],
  ['a query that says POST, after another parameter', 'a=b&_method=POST'],
  ['a query that says POST, after a semicolon', 'a=b;_method=POST'],
  ['a query that says POST in capitals', '_METHOD=POST'],
  ['a query that says POST, encoded', '%5F%6d%45thod=POST'],
  ['a query that says POST, as PHP reads it', '+.method=POST'],
  ['a query that says POST in a list', '_method[]=POST'],
  ['a query that says POST in an encoded list', '_method%5B0%5D=POST'],
  ['a query that says POST before a NUL', '_method%00x=POST'],
  ['a query that says nothing of the method it names', '_method'],
] as const

const queries: readonly SingleRequest[] = [
  ask('a query', `${chunk}?a=b&c=%20`, passes('read', `${chunkPath}?a=b&c=%20`)),
  ask('an empty query', `${chunk}?`, {
    ...passes('read', `${chunkPath}?`),
    notThrough: not(objects, 'a Request drops it'),
  }),
  ask('a path in the query', `${chunk}?/../shard;x`, passes('read', `${chunkPath}?/../shard;x`)),
  ...methodsInQueries.map(([what, query]) => ask(what, `${chunk}?${query}`, bad)),
  asked('a query that says DELETE, on a POST', 'POST', `${own}/v1/telemetry?_method=DELETE`, {
    token: 'read',
    ...bad,
  }),
  ask(
    'a query that speaks of methods',
    `${chunk}?method=POST&a_method=b&x=_method`,
    passes('read', `${chunkPath}?method=POST&a_method=b&x=_method`),
  ),
  asked('a write route in the query', 'POST', `${own}/v1/telemetry?/v1/shards`, {
    token: 'read',
    ...passes('read', '/v1/telemetry?/v1/shards'),
  }),
  asked('a write route before the query', 'POST', `${shard}?/v1/telemetry`, {
    token: 'read',
    ...insufficient,
  }),
  ask('a fragment', `${chunk}#x`, { ...bad, notThrough: not(objects, 'a Request keeps it apart') }),
  ask('a fragment in the query', `${chunk}?a#x`, {
    ...bad,
    notThrough: not(objects, 'a Request keeps it apart'),
  }),
  ask('a space in the query', `${chunk}?a b`, {
    ...bad,
    notThrough: { ...repaired, ...unparsed, ...not(proxies, 'the proxy refuses it') },
  }),
  ask('a letter beyond ASCII in the query', `${chunk}?é`, {
    ...bad,
    notThrough: { ...repaired, ...unparsed, ...noHeader },
  }),
]

const wholeUrl: NotThrough = {
  ...not(objects, 'a Request does not tell it from the usual form'),
  ...not(proxies, 'the proxy takes the authority off'),
}

/** The listener compares host names before the gate compares the whole authority. */
const otherHost: NotThrough = {
  ...wholeUrl,
  ...not(['gateway'], 'the gateway answers 421 before the gate is asked'),
}

const forms: readonly SingleRequest[] = [
  ask('absolute form with our authority', `https://cas.example${chunk}`, {
    ...passes('read', chunkPath),
    notThrough: wholeUrl,
  }),
  ask('absolute form with our authority in capitals', `HTTP://CAS.EXAMPLE${chunk}`, {
    ...passes('read', chunkPath),
    notThrough: wholeUrl,
  }),
  ...(
    [
      ['another authority', `https://evil.example${chunk}`, otherHost],
      ['our authority and a port', `https://cas.example:8443${chunk}`, wholeUrl],
      ['credentials', `https://a:b@cas.example${chunk}`, otherHost],
      ['our authority as credentials', `https://cas.example@evil.example${chunk}`, otherHost],
      ['no authority', `https://${chunk}`, { ...otherHost, ...ownWord }],
      ['no path', 'https://cas.example', wholeUrl],
      ['another scheme', `ftp://cas.example${chunk}`, wholeUrl],
      ['dots', `https://cas.example${own}/../devuid/v1/chunks/default/abc`, wholeUrl],
    ] satisfies [string, string, NotThrough][]
  ).map(([what, target, notThrough]) =>
    ask(`absolute form with ${what}`, target, { ...bad, notThrough }),
  ),
  asked('asterisk form', 'OPTIONS', '*', { token: 'read', ...bad, notThrough: wholeUrl }),
  asked('CONNECT', 'CONNECT', 'cas.example:443', {
    token: 'write',
    ...bad,
    notThrough: {
      ...not(objects, 'a Request cannot have this method'),
      ...not(parsers, 'node:http keeps it from request handlers; the gateway answers 405'),
      ...not(proxies, 'the proxy does not ask about tunnels'),
    },
  }),
  asked('CONNECT to a path', 'CONNECT', chunk, {
    token: 'read',
    ...insufficient,
    notThrough: {
      ...not(objects, 'a Request cannot have this method'),
      ...not(parsers, 'node:http keeps it from request handlers; the gateway answers 405'),
      ...not(proxies, 'the proxy does not ask about tunnels'),
    },
  }),
  ask('no target', '', {
    ...bad,
    notThrough: {
      ...not(objects, 'a Request has one'),
      ...not(parsers, 'the parser refuses it before the gate is asked'),
      ...not(proxies, 'a proxy has one'),
    },
  }),
]

export const pathRequests: readonly SingleRequest[] = [
  ...[writeRoutes, prefixes, queries, forms],
].flat()

function ask(
  name: string,
  target: string,
  rest: Answer & Pick<SingleRequest, 'gets' | 'grant' | 'notThrough'>,
): SingleRequest {
  return asked(name, 'GET', target, { token: 'read', ...rest })
}

function asked(
  name: string,
  method: string,
  target: string,
  {
    token,
    ...rest
  }: Answer & { token: string } & Omit<SingleRequest, 'name' | 'method' | 'target' | 'headers'>,
): SingleRequest {
  return { name, method, target, headers: [bearing(token)], ...rest }
}
