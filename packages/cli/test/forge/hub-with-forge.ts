/** `latchkey serve --forge` in a process of its own, for all tests of a file. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { end, ready, start } from '../run-latchkey.ts'

const directory = JSON.stringify({
  accounts: ['ada', 'guest', 'stranger'].map((name) => ({ name })),
  namespaces: [{ name: 'acme', members: { ada: 'admin', guest: 'read' } }],
  hubTokens: ['ada', 'guest', 'stranger'].map((account) => ({
    ...{ account, name: 'laptop', kind: 'write' },
  })),
})

/** huggingface.js takes no other. */
const env = { LATCHKEY_HUB_TOKEN_PREFIX: 'hf_' }

export interface HubWithForge {
  readonly cwd: string
  readonly url: string
  /** By account. */
  readonly tokens: Readonly<Record<string, string>>
}

/** Filled before the first test. */
export function hubWithForge(): HubWithForge {
  const world = { cwd: '', url: '', tokens: {} as Record<string, string> }
  const tidy: (() => unknown)[] = []
  beforeAll(async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'latchkey-forge-'))
    tidy.push(() => rmSync(cwd, { recursive: true }))
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, env, input: directory })
    const made: { account: string; token: string }[] = JSON.parse(stdout).hubTokens
    const child = start(['serve', '--port', '0', '--forge'], { cwd, env })
    tidy.unshift(() => end(child))
    const { url } = await ready(child)
    const tokens = Object.fromEntries(made.map(({ account, token }) => [account, token]))
    Object.assign(world, { cwd, url, tokens })
  })
  afterAll(async () => {
    for (const step of tidy) await step()
  })
  return world
}
