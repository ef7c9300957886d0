/** A hub with its storage, for clients of all tests of a file. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { commit } from './directory-file.ts'
import { latchkeyHere } from './run-here.ts'
import type { Ended } from './run-latchkey.ts'
import { bothHere } from './serve-here.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: ['bert', 'other'].map((name) => ({
    ...{ type: 'model', id: `acme/${name}`, visibility: 'private' },
    branches: { main: commit, next: commit },
  })),
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'reader', kind: 'read' },
  ],
})

export interface StorageWorld {
  /** A new directory. */
  home(): string
  /** The environment of somebody with this hub token. */
  environment(token?: 'laptop' | 'reader'): Record<string, string>
  /** Runs a client's command in this process. */
  ask(
    args: readonly string[],
    more: { cwd: string; input?: string; token?: 'reader' },
  ): Promise<Ended>
}

export function storageWorld(): StorageWorld {
  const world = { root: '', hub: '', tokens: new Map<string, string>() }
  const tidy: (() => unknown)[] = []
  beforeAll(async () => {
    world.root = mkdtempSync(join(tmpdir(), 'latchkey-storage-'))
    tidy.push(() => rmSync(world.root, { recursive: true }))
    const cwd = world.root
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
    const made: { name: string; token: string }[] = JSON.parse(stdout).hubTokens
    world.tokens = new Map(made.map(({ name, token }) => [name, token]))
    const { url, stop } = await bothHere(join(cwd, 'latchkey-data'))
    tidy.unshift(stop)
    world.hub = url
  })
  afterAll(async () => {
    for (const step of tidy) await step()
  })
  const environment: StorageWorld['environment'] = (token = 'laptop') => ({
    LATCHKEY_HUB: world.hub,
    LATCHKEY_HUB_TOKEN: world.tokens.get(token) ?? '',
  })
  return {
    home: () => mkdtempSync(join(world.root, 'home-')),
    environment,
    ask: (args, { cwd, input = '', token }) =>
      latchkeyHere(args, { cwd, input, env: environment(token) }),
  }
}
