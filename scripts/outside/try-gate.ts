/** A storage with the gate in it lets in the right token, and no other. */

import { deepStrictEqual } from 'node:assert/strict'
import { freePort } from '@latchkey/testing/machine/free-port'
import type { OutsideHub, Tokens } from './hub.ts'
import { type Running, type Surroundings, start } from './run.ts'

const read = { method: 'GET', path: '/v1/chunks/default/abc' } as const
const write = { method: 'POST', path: '/v1/shards' } as const

interface Row {
  readonly what: string
  readonly token: keyof Tokens | undefined
  readonly request: typeof read | typeof write
  readonly status: number
  readonly code?: string
}

// biome-ignore format: a table is read by its columns
const rows: readonly Row[] = [
  { what: 'a read token reads',               token: 'read',              request: read,  status: 200 },
  { what: 'a write token writes',             token: 'write',             request: write, status: 200 },
  { what: 'a read token does not write',      token: 'read',              request: write, status: 403, code: 'insufficient_scope' },
  { what: 'not for another repository',       token: 'ofOtherRepository', request: read,  status: 403, code: 'repository_mismatch' },
  { what: 'not for another ref',              token: 'ofOtherRef',        request: read,  status: 403, code: 'ref_mismatch' },
  { what: 'not after its end',                token: 'expired',           request: read,  status: 401, code: 'storage_token_invalid' },
  { what: 'not under a key of somebody else', token: 'forged',            request: read,  status: 401, code: 'storage_token_invalid' },
  { what: 'not without a token',              token: undefined,           request: read,  status: 401, code: 'storage_token_missing' },
]

/** Fails with the first that is not as it must be. */
export async function tryGate(
  words: (port: number) => readonly [program: string, ...words: string[]],
  { cwd, env }: Surroundings,
  hub: OutsideHub,
): Promise<void> {
  const port = await freePort()
  const [program, ...more] = words(port)
  const settings = { HUB_URL: hub.url, CAS_URL: hub.casUrl, PORT: `${port}` }
  const server = start(program, more, { cwd, env: { ...env, ...settings } })
  try {
    await listening(port, server)
    const tokens = await hub.tokens()
    for (const row of rows) await tryRow(row, tokens, `http://127.0.0.1:${port}${hub.prefix}`)
  } catch (error) {
    throw new Error(`${error}\n${server.output().stderr}`, { cause: error })
  } finally {
    await server.stop()
  }
  deepStrictEqual(server.output().stderr, '')
}

async function tryRow(row: Row, tokens: Tokens, base: string): Promise<void> {
  const { method, path } = row.request
  const headers = row.token && { authorization: `Bearer ${tokens[row.token]}` }
  const answer = await fetch(base + path, { method, ...(headers && { headers }) })
  const { status } = answer
  const body = await answer.text()
  const said = body.startsWith('{') ? JSON.parse(body) : body
  const expected =
    row.code === undefined
      ? { repository: 'models/acme/bert', ref: 'refs/heads/main', scope: row.token, path }
      : row.code
  const got = row.code === undefined ? said : said.code
  deepStrictEqual(
    { what: row.what, status, got },
    { what: row.what, status: row.status, got: expected },
  )
}

/** Once it answers anything at all. */
async function listening(port: number, server: Running): Promise<void> {
  let hasEnded = false
  server.ended.finally(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answered !== undefined) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the server has ended')
}
