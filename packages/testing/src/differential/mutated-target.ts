/** A request target: path and query in every spelling that somebody on the way could read in another way. */

import { changedCharacters } from '../changed-characters.ts'
import type { Choices } from './choices.ts'
import type { TestGate } from './gates.ts'

export function mutatedTarget(choices: Choices, gate: TestGate): string {
  const { isOneIn, oneOf, spliced } = choices
  const path = prefixOf(choices, gate) + pathOf(choices)
  const mutated = isOneIn(8) ? spliced(path, piecesOf(choices)) : path
  const target = mutated + (isOneIn(6) ? queryOf(choices) : '')
  const { host } = new URL(gate.audience)
  return isOneIn(40) ? oneOf(absolutes)(target, host) : target
}

function prefixOf(choices: Choices, { prefixOf }: TestGate): string {
  const { isOneIn, oneOf } = choices
  const repository = isOneIn(10) ? oneOf(otherRepositories) : 'bertuid'
  const ref = isOneIn(10) ? oneOf(otherRefs) : 'mainuid'
  const prefix = prefixOf(repository, ref)
  return isOneIn(30)
    ? oneOf(['', '/', prefix.toUpperCase(), `/${prefix}`, prefix.slice(0, -1)])
    : prefix
}

// biome-ignore format: a table is read by its columns
const otherRepositories = ['otheruid', 'BERTUID', 'cutuid', 'bertuid-1', 'bert%20uid', 'bert%75id']
// biome-ignore format: a table is read by its columns
const otherRefs = [
  ...['otheruid', 'mainuid-1', 'mainuid-0', 'mainuid-01', 'mainuid-999999999999999', 'cutref', '-1'],
  ...['mainuid-1234567890123456', 'mainuid-1-2', 'mainuid--1', 'mainuid-', 'mainuid-x', 'mainuid.part'],
  ...['MAINUID', 'mainuid%2D1', 'forkuid', 'mainuid-1%20'],
]

// biome-ignore format: a table is read by its columns
const paths = [
  ...['', '/', '/v1/chunks/default/abc', '/v1/shards', '/xorb/default/abc', '/v1/xorb-grants/a', '/SHARD'],
  ...['/v1/telemetry', '/a/b/c/d/e/shardlike/x', '/v1/ashard', '/xor', '/v1/locks/x', '/V1/Locks/x'],
  ...['/v1/locks', '/v1/locks/x/y', '/v1/locks/x.', '/v1/locks%20/x', '/admin', '/Admin/a/b', '/admin.'],
  ...['/v1/stra%C3%9Fe', '/v1/STRASSE', '/v1/stra%E1%BA%9Ee', '/v1/stra%C5%BF%C5%BFe', '/administrator'],
]

/** A beginning of a write route with one letter replaced by a character that may fold to it. */
function foldedPath({ oneOf, below }: Choices): string {
  const word = oneOf(['shard', 'xorb', 'SHARD', 'xOrBs', '/shard', '/xorb'])
  const at = below(word.length)
  return `/v1/${word.slice(0, at)}${encoded(oneOf(foldingCharacters()))}${word.slice(at + below(2))}`
}

function pathOf(choices: Choices): string {
  const { isOneIn, oneOf, below } = choices
  if (isOneIn(6)) return foldedPath(choices)
  if (isOneIn(40)) return `/${'a'.repeat(8100 + below(120))}`
  return oneOf(paths)
}

function encoded(character: string): string {
  return character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80'
}

// biome-ignore format: a table is read by its columns
const fixedPieces = [
  ...['/', '//', '/./', '/../', '..', '.', '...', ';', '%2f', '%2F', '%5c', '\\', '%73', '%53', '%41', '%2e'],
  ...['%C5%BF', '%EF%BD%93', '%E2%84%AA', '%EF%BC%8F', '%E2%84%80', '%C2%80', '%C2%9F', '%C2%A0', '%CC%A7'],
  ...['%00', '%0d%0a', '%7F', '%80', '%C3', '%ED%A0%80', '%F4%90%80%80', '%C0%AF', '%25', '%', '%2', '%zz'],
  ...['\u00e9', ' ', '%20', '.%20', '+', '*', '~', "'", '(', '%28', '%5B', '%3A', '%3b', '%3f', '%23', '#'],
  ...['?', '\t', '\n', '\r', '\u0000', '\u007f', '\u0085', '\u00a0', '{', '}', '|', '^', '`', '"', '<', '@'],
  ...[':', '&', 'shard', 'xorb', 'SHARD', '%e2%82%ac', '%F0%9F%97%9D'],
]

function piecesOf({ isOneIn, oneOf }: Choices): readonly string[] {
  return isOneIn(2) ? fixedPieces : [encoded(oneOf(foldingCharacters()))]
}

let folding: readonly string[] | undefined

/** Every character that some router could take for a part of `/shard` or `/xorb`, in the Unicode of this Node. */
function foldingCharacters(): readonly string[] {
  const fold = (text: string) => text.normalize('NFKD').toUpperCase()
  folding ??= changedCharacters(fold).filter((character) => /[SHARDXOB/]/.test(fold(character)))
  return folding
}

function queryOf({ isOneIn, oneOf, spliced }: Choices): string {
  const query = oneOf(queries)
  return isOneIn(3) ? spliced(query, queryPieces) : query
}

// biome-ignore format: a table is read by its columns
const queries = [
  ...['?', '?a=b', '?a=b&c=d', '?_method=DELETE', '?a=b&_method=PUT', '?a;_method=PUT', '?%5Fmethod=PUT'],
  ...['?_METHOD', '?.method=x', '?+_method=x', '?%20[method=x', '?_method[]=x', '?_method%5B0%5D=x'],
  ...['?_method%00=x', '?method=x', '?x_method=x', '?_methods=x', '?_method%A0=x', '?%A0_method=x'],
  ...['?_method%85=x', '?%1C_method=x', '?path=/v1/shards', '??_method=x', '?_method%20=x', '?_method%0A'],
  ...['?a=%zz&%5fmetho%64', '?_m%65thod=1'],
]
// biome-ignore format: a table is read by its columns
const queryPieces = ['', '&', ';', '?', '#', ' ', '%', '%5f', '_method', '\u00e9', '\u0000', '\n', '\u007f', '+', '[']

const absolutes: readonly ((target: string, host: string) => string)[] = [
  (target, host) => `https://${host}${target}`,
  (target, host) => `HTTP://${host.toUpperCase()}${target}`,
  (target) => `https://evil.example${target}`,
  (target, host) => `https://${host}:443${target}`,
  (target, host) => `https://user@${host}${target}`,
  (target, host) => `https://${host}@evil.example${target}`,
  (target, host) => `ftp://${host}${target}`,
  (_target, host) => `https://${host}`,
  (target, host) => `//${host}${target}`,
  (target) => target.slice(1),
  () => '*',
  () => '',
  (_target, host) => `${host}:443`,
]
