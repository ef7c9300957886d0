/** Examples of documents do what they say, as they are printed there: only invented addresses and secrets are replaced. */

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { signAssertion } from '@latchkey/gateway/assertion'
import { asRefUid, asRepositoryUid, journalNumber, Secret, unixSeconds } from '@latchkey/protocol'
import { scriptedHub } from '@latchkey/testing/gate/gateway'
import { bert, claims, main, token } from '@latchkey/testing/gate/storage-tokens'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, onTestFinished, test, vi } from 'vitest'
import { grantOf } from '../../src/grant/grant.ts'

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

test('the storage of the TypeScript guide shows content of its own ref and of inherited refs alone', async () => {
  const hub = await scriptedHub()
  const { handler } = (await load('docs/guides/typescript-gate.md', 'DatabaseSync', {
    ["hubUrl: 'https://hub.example'"]: `hubUrl: '${hub.url}', issuer: 'https://hub.example'`,
    'storage.db': ':memory:',
  })) as { handler: (request: Request) => Promise<Response> }
  const content = 'a chunk'
  const digest = createHash('sha256').update(content).digest('hex')
  const send = (change: Parameters<typeof token>[0], init: RequestInit = {}) => {
    const { repo, ref } = claims(change)
    const url = `https://cas.example/r/${repo.uid}/${ref.uid}/v1/chunks/${digest}`
    const bearer = token({ ...lifetime, ...change })
    return handler(new Request(url, { ...init, headers: { authorization: `Bearer ${bearer}` } }))
  }
  const later = journalNumber(Date.now() + 60_000)
  const ahead = journalNumber(Date.now() + 30_000)
  const earlier = journalNumber(Date.now() - 60_000)
  const fork = { name: 'refs/heads/fork', uid: asRefUid('forkuid') } as const
  const statusOf = async (change: Parameters<typeof token>[0]) => (await send(change)).status

  expect(await statusOf({})).toBe(404)
  expect((await send({ scope: 'write' }, { method: 'PUT', body: 'another' })).status).toBe(400)
  const write = { scope: 'write', as_of: ahead } as const
  expect((await send(write, { method: 'PUT', body: content })).status).toBe(204)
  expect((await send({}, { method: 'PUT', body: content })).status).toBe(403)
  expect(await (await send({})).text()).toBe(content)
  expect(await statusOf({ ref: fork })).toBe(404)
  expect(await statusOf({ ref: fork, sees: [{ uid: main.uid, before: later }] })).toBe(200)
  expect(await statusOf({ ref: fork, sees: [{ uid: main.uid, before: earlier }] })).toBe(404)
  expect(await statusOf({ ref: fork, sees: [{ uid: main.uid, before: ahead }] })).toBe(404)
  expect(await statusOf({ repo: { ...bert, uid: asRepositoryUid('otheruid') } })).toBe(404)
})
