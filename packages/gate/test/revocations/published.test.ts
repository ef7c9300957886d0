/** A gate at each moment of vectors/published.json, with the documents over a real connection. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGate, type Gate } from '../../src/index.ts'

interface Moment {
  readonly name: string
  readonly at: number
  readonly documents: {
    readonly jwks: object
    readonly revocationKeys: object
    readonly head: string
    readonly list: string
  } | null
  readonly tokens: Readonly<Record<string, string>>
}

interface Document {
  readonly issuer: string
  readonly casUrl: string
  readonly prefix: string
  readonly now: number
  readonly leewaySeconds: number
  readonly tokens: Readonly<Record<string, string>>
  readonly moments: readonly Moment[]
}

const file = new URL('../../../../vectors/published.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Document

let moment: Moment | undefined
const server = createServer(({ url = '' }, response) => {
  const body = bodyOf(url)
  response.writeHead(body === undefined ? 503 : 200)
  response.end(body)
})

function bodyOf(path: string): string | Buffer | undefined {
  const documents = moment?.documents
  if (documents === undefined || documents === null) return undefined
  const { jwks, revocationKeys, head, list } = documents
  if (path === '/.well-known/jwks.json') return JSON.stringify(jwks)
  if (path === '/.well-known/storage-revocation-keys') return JSON.stringify(revocationKeys)
  if (path === '/.well-known/storage-revocations') return head
  return Buffer.from(list, 'base64')
}

let gate: Gate
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { issuer, casUrl, leewaySeconds, now } = vectors
  gate = createGate({
    ...{ hubUrl: `http://127.0.0.1:${port}`, issuer, casUrl, leewaySeconds, failuresPerMinute: 0 },
    ...{ onKeyFailure: () => {}, onRevocationFailure: () => {} },
    clock: () => now + (moment?.at ?? 0),
  })
  // It asks when this test says so.
  gate.close()
})
afterAll(() => new Promise<unknown>((resolve) => server.close(resolve)))

async function verdictOf(token: string): Promise<string> {
  const headers = ['Authorization', `Bearer ${token}`]
  const target = `${vectors.prefix}/v1/chunks/abc`
  const checked = await gate.check({ method: 'GET', target, headers })
  return checked.ok ? 'admitted' : checked.refusal.code
}

test('one gate admits at each moment the tokens that the vectors name, and no other', async () => {
  for (moment of vectors.moments) {
    await gate.revocations.refresh()
    await gate.refreshKeys()
    const verdicts: Record<string, string> = {}
    for (const name of Object.keys(moment.tokens)) {
      verdicts[name] = await verdictOf(vectors.tokens[name] ?? '')
    }
    expect(verdicts, moment.name).toEqual(moment.tokens)
  }
  const codes = new Set(vectors.moments.flatMap(({ tokens }) => Object.values(tokens)))
  expect([...codes].sort()).toEqual(['admitted', 'gate_not_ready', 'storage_token_invalid'])
})
