/** Paths, whether they are normal, and which scope a request to them wants. */

import { isNormal, mayBeEncoded, mayStandAsItIs, scopeOf } from './rules.ts'

const normal = [
  ...['/', '/shard', '/shards', '/xorb', '/xorbs', '/SHARD', '/Xorb/a', '/api/v1/shards'],
  ...['/v1/shards', '/v2/shards', '/v3/shards', '/v1/xorbs/default/abc', '/xorb/default/abc'],
  ...['/v1/chunks/default/abc', '/v1/reconstructions/abc', '/v1/telemetry', '/reconstruction/abc'],
  ...['/.well-known/x', '/a.b', '/...', '/.a', '/a.', '/a..b', '/..a', '/a..', '/-', '/_', '/~'],
  ...["/!$&'()*+,=:@", '/a:b', '/a@b', '/a=b', '/a+b', '/a,b'],
  ...['/%20', '/a%20b', '/%22', '/%3Cx%3E', '/%5Bx%5D', '/%7Bx%7D', '/%3a', '/%3A', '/%40'],
  ...['/%C3%A9', '/%c3%a9', '/%E5%90%8D', '/%F0%9F%97%9D', '/a/%C3%A9/b', '/%C5%BFhard'],
]

const notNormal = [
  ...['', 'shard', '*', '?', '#', '//', '//shard', '/shard/', '/shard//', '/a//b', '/xorb/'],
  ...['/.', '/..', '/./shard', '/../shard', '/x/../shard', '/x/./shard', '/shard/.', '/shard/..'],
  ...['/v1/../xorbs/a/b', '/v1/xorbs/default/../x', '/a/b/../../shard', '/./', '/../'],
  ...['/%2e', '/%2E', '/%2e%2e', '/%2e.', '/.%2e', '/%2e%2e/x', '/v1/xorbs/default/%2e%2e/x'],
  ...['/%73hard', '/%53HARD', '/s%68ard', '/shar%64', '/%78orb', '/shard%73', '/v%31/shards'],
  ...['/shard%2f', '/shard%2F', '/x%2f..%2fshard', '/%2fshard', '/a%2Fb', '/%5cshard', '/%5Cshard'],
  ...['/\\shard', '\\shard', '/a\\b', '/shard\\', '/a\\..\\shard', '/..\\shard'],
  ...['/shard;x', '/shard;', '/;/shard', '/shard;a=b', '/a;b/c', '/shard%3b', '/shard%3Bx'],
  ...['/shard?x', '/shard%3fx', '/shard%3F', '/shard#x', '/shard%23x', '/%23'],
  ...['/%252e', '/%2573hard', '/%25', '/%25zz', '/%', '/%2', '/%zz', '/%G0', '/a%', '/%u0073hard'],
  ...['/%00', '/shard%00', '/%0a', '/%0D%0A', '/%09', '/%1f', '/%7f', '/%7F'],
  ...['/%2d', '/%2D', '/%5f', '/%5F', '/%7e', '/%7E', '/%30', '/%41', '/%7a'],
  ...['/ ', '/a b', '/shard ', ' /shard', '/shard\t', '/shard\n', '/shard\r', '/\u0000', '/\u007f'],
  ...['/"', '/<x>', '/[x]', '/^', '/`', '/{x}', '/|', '/{repo}'],
  ...['/é', '/\u017fhard', '/ｓhard', '/shard\u00a0', '/\u2215shard', '/名', '/🗝'],
  ...[
    '/%C0%AF',
    '/%C0%AEshard',
    '/%E0%80%AF',
    '/%ED%A0%80',
    '/%F5%80%80%80',
    '/%FF',
    '/%C2%85',
    '/v1/%C2%9Fx',
    '/%C3',
  ],
  ...['/%C3/%A9', '/%A9', '/%F0%9F%97', '/%E5%90'],
  ...['http://cas.example/shard', 'http:/shard', 'cas.example:443'],
]

const ascii = Array.from({ length: 128 }, (_, code) => code)
const everyCharacter = ascii
  .map((code) => String.fromCharCode(code))
  .filter((character) => character !== '/')
  .map((character) => ({ path: `/a${character}b`, normal: mayStandAsItIs(character) }))
const everyByte = ascii
  .map((code) => ({ code, hex: code.toString(16).padStart(2, '0') }))
  .flatMap(({ code, hex }) =>
    [...new Set([hex, hex.toUpperCase()])].map((spelled) => ({
      path: `/a%${spelled}b`,
      normal: mayBeEncoded(code),
    })),
  )

const safe = ['GET', 'HEAD', 'OPTIONS']
const usual = [...safe, 'POST', 'PUT', 'PATCH', 'DELETE']
const unusual = ['MKCOL', 'PROPFIND', 'PROPPATCH', 'COPY', 'MOVE', 'LOCK', 'QUERY', 'SEARCH']
const odd = ['TRACE', 'PURGE', 'LINK', 'BREW', 'patch', 'get', 'post', 'Post', 'options', '']

const places = [
  ...['/', '/shard', '/shards', '/xorb', '/xorbs', '/SHARD', '/sHaRdS', '/XORB', '/Xorbs'],
  ...['/shard/default/abc', '/xorb/default/abc', '/v1/shards', '/v2/shards', '/v3/shards'],
  ...['/v1/xorbs/default/abc', '/api/v1/shards', '/api/v1/xorbs/default/abc', '/a/b/c/shard'],
  ...['/a/b/c/xorbs/default/abc', '/a/b/c/d/shard', '/a/b/c/d/xorbs/default/abc'],
  ...['/v1/chunks/default/abc', '/v1/reconstructions/abc', '/v2/reconstructions/abc'],
  ...['/v1/telemetry', '/reconstruction/abc', '/chunk/default/abc', '/v1/files/shard'],
  ...['/sharding', '/xorbit', '/myshard', '/shard.json', '/xshards', '/shard-1', '/shar', '/ard'],
  ...['/v1/chunks/default/xorb', '/%20shard', '/shard%20', '/shard.', '/SHARDS...'],
  ...[
    '/a/b/c/d/e/f/g/h/shards',
    '/a/b/c/d/e/f/g/h/i/j/k/l/XORBS/default/abc',
    '/a/b/c/d/e/shardy/x',
  ],
  ...['/v1/xorb-grants/default/abc', '/v1/xorb-commits/default/abc/grant/id', '/v1/shard-index'],
  ...['/a/b/c/d/Xorb-Grants/default/abc', '/v1/xorb_grants', '/v1/shard+x', '/v1/xorb%20grants'],
  ...['/v1/my-xorbs', '/a/b/c/d/e/xor/bs', '/a/b/c/d/e/chunks/abc', '/xor', '/v1/x-shards'],
  ...['/v1/xorbs%20./default/abc', '/.shard', '/shard.x', '/shar.d', '/v1./shards', '/xorb%20x'],
]

/** Letters that upper case or compatibility forms turn into those of a write route. */
const lookAlikes = [
  ...[
    '/%C5%BFhard',
    '/v1/%c5%bfHARDS',
    '/%EF%BD%93hard',
    '/%EF%BC%B3%EF%BC%A8ard',
    '/xor%EF%BD%82',
  ],
  ...[
    '/shard%C2%A0',
    '/shards%E2%80%A6',
    '/v1/%E2%93%A7orbs',
    '/a/b/c/d/e/%EF%BD%98orb-grants/default/abc',
    '/v1/shard%CC%A7',
    '/v1/xorb%CC%87-grants',
    '/a/b%EF%BC%8Fshards',
    '/%F0%9D%90%AC%F0%9D%90%A1%F0%9D%90%9A%F0%9D%90%AB%F0%9D%90%9D',
  ],
]

const paths = [
  ...normal.map((path) => ({ path, normal: true })),
  ...notNormal.map((path) => ({ path, normal: false })),
  ...everyCharacter,
  ...everyByte,
]

const contested = paths.filter((one) => isNormal(one.path) !== one.normal)
if (contested.length > 0) throw new Error(`two answers for ${JSON.stringify(contested)}`)

export const scopeDocument = {
  about: [
    'The paths that a gate accepts, and the scope that each request needs.',
    'paths: path as in the request line, without its query. A gate rejects a path that is not normal with 400 before all other checks.',
    'scopes: wants is the scope that a request with this method and this normal path needs, without additional rules. path is the path of the storage, without the prefix that names repository and ref; if the gate knows no prefix, it is the whole path.',
    'GET, HEAD and OPTIONS need read. Every other method needs write if a segment at any depth begins with shard or xorb; compare in upper case of the compatibility form (NFKD of the decoded path). On other paths POST needs read, and every other method write. Methods are case-sensitive: get is not GET.',
  ],
  paths: paths.filter(({ path }, at) => paths.findIndex((one) => one.path === path) === at),
  scopes: [
    ...places.flatMap((path) =>
      [...usual, ...unusual, ...odd].map((method) => ({
        method,
        path,
        wants: scopeOf(method, path),
      })),
    ),
    ...lookAlikes.flatMap((path) => [
      ...safe.map((method) => ({ method, path, wants: 'read' })),
      ...['POST', 'PUT', 'PATCH'].map((method) => ({ method, path, wants: 'write' })),
    ]),
  ],
}
