/** Examples of documents do what they say, as they are printed there: only invented addresses and secrets are replaced. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { signAssertion } from '@latchkey/gateway/assertion'
import {
  asRefUid,
  asRepositoryUid,
  type JournalNumber,
  journalNumber,
  Secret,
  unixSeconds,
} from '@latchkey/protocol'
import { scriptedHub } from '@latchkey/testing/gate/gateway'
import { bert, claims, main, token } from '@latchkey/testing/gate/storage-tokens'
import { freePort } from '@latchkey/testing/machine/free-port'
import type { Claims } from '@latchkey/token'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Grant, grantOf } from '../../src/grant/grant.ts'

const root = resolve(import.meta.dirname, '../../../..')

/** The block of a document that imports this; loaded with some of its words replaced. */
async function load(
  document: string,
  imported: string,
  replaced: Readonly<Record<string, string>>,
): Promise<unknown> {
  const blocks = readFileSync(join(root, document), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)
  const block = Array.from(blocks, ([, code = '']) => code).find((code) => code.includes(imported))
  const text = Object.entries(replaced).reduce((code, [from, to]) => {
    if (!code.includes(from)) throw new Error(`the example of ${document} does not have ${from}`)
    return code.replaceAll(from, to)
  }, block ?? '')
  // Below node_modules, where packages are found and types are not stripped.
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'latchkey-documented-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'example.mjs')
  writeFileSync(file, stripTypeScriptTypes(text))
  return import(pathToFileURL(file).href)
}

const iat = unixSeconds(Math.floor(Date.now() / 1000))
const lifetime = { iat, exp: unixSeconds(iat + 900) }

test('the README of @latchkey/token prints the claims of a right token', async () => {
  const hub = await scriptedHub()
  const print = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => print.mockRestore())
  const change = { iss: hub.url, aud: 'https://cas.example', ...lifetime }
  await load('packages/token/README.md', 'verifyToken', {
    'https://hub.example': hub.url,
    'eyJ…': token(change),
  })
  expect(print.mock.calls).toEqual([[claims(change)]])
})

test('the storage of the gateway guide takes what the gateway asserts, and nothing else', async () => {
  const port = await freePort()
  const key = Buffer.alloc(32, 7).toString('base64')
  vi.stubEnv('LATCHKEY_ASSERTION_KEY', key)
  onTestFinished(() => void vi.unstubAllEnvs())
  await load('docs/guides/gateway.md', 'readAssertion', {
    9000: String(port),
    'server.listen': 'server.unref().listen',
  })
  const asserted = { grant: grantOf(claims(lifetime), 'kid'), method: 'GET', target: '/v1/x?a=1' }
  const assertion = signAssertion(asserted, new Secret('assertion-key', key), iat)
  const ask = (target: string) =>
    fetch(`http://127.0.0.1:${port}${target}`, { headers: { 'latchkey-assertion': assertion } })
  expect(await (await ask('/v1/x?a=1')).text()).toBe('ada-id may read models/acme/bert')
  expect((await ask('/v1/x?a=2')).status).toBe(403)
})

test('the guide to isolation shows content of its own ref and of inherited refs alone', async () => {
  const { write, read } = (await load('docs/guides/storage-isolation.md', 'FileRow', {})) as {
    write(grant: Grant, name: string, bytes: Uint8Array): void
    read(grant: Grant, name: string): Uint8Array | undefined
  }
  const grant = (change: Partial<Claims> = {}) => grantOf(claims(change), 'kid')
  const later = journalNumber(Date.now() + 60_000)
  const earlier = journalNumber(Date.now() - 60_000)
  const ahead = journalNumber(Date.now() + 30_000)
  const fork = { name: 'refs/heads/fork', uid: asRefUid('forkuid') } as const
  const forked = (before: JournalNumber) => grant({ ref: fork, sees: [{ uid: main.uid, before }] })
  const bytes = Buffer.from('a file')

  expect(read(grant(), 'a')).toBeUndefined()
  write(grant({ as_of: ahead }), 'a', bytes)
  expect(read(grant(), 'a')).toBe(bytes)
  expect(read(grant(), 'b')).toBeUndefined()
  expect(read(forked(later), 'a')).toBe(bytes)
  for (const before of [earlier, ahead]) expect(read(forked(before), 'a')).toBeUndefined()
  expect(read(grant({ ref: fork, sees: [] }), 'a')).toBeUndefined()
  expect(read(grant({ repo: { ...bert, uid: asRepositoryUid('otheruid') } }), 'a')).toBeUndefined()
  const newer = Buffer.from('a newer file')
  write(grant({ as_of: ahead }), 'a', newer)
  expect(read(grant(), 'a')).toBe(newer)
})
