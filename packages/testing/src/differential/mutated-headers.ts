/** The headers of a request: the token in them, or beside them, and what may not come from outside. */

import type { Choices } from './choices.ts'

type Lines = readonly (readonly [name: string, value: string])[]

export function mutatedHeaders(choices: Choices, token: string): readonly string[] {
  const { isOneIn, oneOf } = choices
  const lines = isOneIn(7) ? oneOf(authorizations)(token) : usual(token)
  const more = isOneIn(7) ? [oneOf(otherHeaders)] : []
  const evenMore = isOneIn(20) ? [oneOf(otherHeaders)] : []
  const all = [...more, ...lines, ...evenMore]
  return all.flatMap((line) => (isOneIn(50) ? mutatedLine(choices, line) : line))
}

function usual(token: string): Lines {
  return [['Authorization', `Bearer ${token}`]]
}

function mutatedLine({ spliced }: Choices, [name, value]: Lines[number]): Lines[number] {
  return [spliced(name, ['', '-', '_', ' ', '.', 'X', '\u00e9']), value]
}

// biome-ignore format: a table is read by its columns
const authorizations: readonly ((token: string) => Lines)[] = [
  () => [],
  (token) => [['authorization', `bearer ${token}`]],
  (token) => [['AUTHORIZATION', `BEARER ${token}`]],
  (token) => [...usual(token), ...usual(token)],
  (token) => [...usual(token), ['authorization', 'Basic YTpi']],
  (token) => [['Authorization', 'Basic YTpi'], ...usual(token)],
  (token) => [...usual(token), ['Authorization', '']],
  (token) => [['Authorization', `Bearer  ${token}`]],
  (token) => [['Authorization', `Bearer\t${token}`]],
  (token) => [['Authorization', `Bearer\u00a0${token}`]],
  (token) => [['Authorization', `Bearer\u0085${token}`]],
  (token) => [['Authorization', `Bearer\u001c${token}`]],
  (token) => [['Authorization', ` Bearer ${token}`]],
  (token) => [['Authorization', `Bearer ${token} `]],
  (token) => [['Authorization', `Bearer ${token}\n`]],
  (token) => [['Authorization', `Bearer "${token}"`]],
  (token) => [['Authorization', `Bearer ${token}, Bearer ${token}`]],
  (token) => [['Authorization', `Bearer ${token},`]],
  (token) => [['Authorization', `Bearer ${token}=`]],
  (token) => [['Authorization', `Bearer:${token}`]],
  (token) => [['Authorization', `Token ${token}`]],
  (token) => [['Authorization', token]],
  () => [['Authorization', 'Bearer']],
  () => [['Authorization', 'Bearer ']],
  () => [['Authorization', 'Bearer\n']],
  () => [['Authorization', 'Bearerx']],
  () => [['Authorization', '']],
  (token) => [['Proxy-Authorization', `Bearer ${token}`]],
  (token) => [['Authorization ', `Bearer ${token}`]],
  (token) => [['Authorization', `Bearer ${token.padEnd(4097, 'A')}`]],
  (token) => [['Authorization', `Bearer ${'A'.repeat(64_000)}${token}`]],
]

// biome-ignore format: a table is read by its columns
const otherHeaders: Lines = [
  ['Host', 'cas.example'], ['Accept', '*/*'], ['Connection', 'close, Latchkey-Scope'], ['X-Latchkey', 'x'], ['', ''],
  ['Latchkey-Scope', 'write'], ['latchkey_scope', 'write'], ['LATCHKEY', 'x'], ['Latchkey\u00e9', 'x'], ['Latchkeys', 'x'],
  ['Latchkey.Ref', 'x'], ['latch-key', 'x'], ['Latchkey0', 'x'], [' Latchkey-Ref', 'x'],
  ['X-HTTP-Method-Override', 'PUT'], ['x_http_method', 'PUT'], ['X-Method-Override', 'PUT'], ['X.Original.URL', '/'],
  ['X-Rewrite-Url', '/'], ['X-Rewrite-Urls', '/'], ['X-HTTP-Methods', 'PUT'], ['XHTTP-Method', 'x'], ['X-Original-URI', '/'],
  ['X-Amz-Copy-Source', '/b/k'], ['x_copy_from-Account', 'k'], ['X-Copy-Sources', 'k'], ['X-Ms-Rename-Source\n', 'k'], ['X--Copy-From', 'k'],
  ['X-Object-Manifest', 'c/p'], ['x.symlink_target-Account', 'k'], ['X-Ms-File-Rename-Source', 'k'], ['X-A-B-\u00e9-Move-Source', 'k'], ['X-Remove-Source', 'k'],
  ['Destination', '/'], ['destination\n', '/'], ['Destinations', '/'], ['D\u00e9stination', '/'],
  ['X\u00e9Original\u00e9URL', '/'], ['X-Original-URL\n', '/'], ['Latchkey\n', 'x'],
  ['Upgrade', 'h2c'], ['upgrade', ''], ['HTTP2-Settings', 'x'], ['Upgrade-Insecure-Requests', '1'],
  ['Content-Length', '0'], ['content-length', '000'], ['Content-Length', '12'], ['Content-Length', '+1'], ['Content-Length', ''],
  ['Content-Length', ' 1'], ['Content-Length', '0x1'], ['Content-Length', '1, 1'], ['Content-Length', '1234567890123456'],
  ['Content-Length', '0\n'], ['Content-Length', '\u0661'], ['Content-Length', '\u00b2'], ['CONTENT-LENGTH', 'chunked'],
  ['Transfer-Encoding', 'chunked'], ['transfer-encoding', 'CHUNKED'], ['Transfer-Encoding', 'gzip, chunked'],
  ['Transfer-Encoding', '12'], ['Transfer-Encoding', 'identity'], ['Transfer-Encoding', 'chunked '],
  ['Trailer', 'Latchkey-Ref'], ['trailer', 'ETag,\tlatchkey_x'], ['Trailer', 'ETag, Latchkeys'], ['Trailer', '\u00a0Latchkey'],
  ['Trailer', '\u0085Latchkey'], ['Trailer', '\u001cLatchkey'], ['Trailers', 'Latchkey-Ref'],
]
