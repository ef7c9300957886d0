/** A hub with a forge beside it, and short ways to ask it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import type { World } from '@latchkey/testing/hub/world'
import { startWorldWithForge } from '@latchkey/testing/hub/world-with-forge'
import type { ForgeSettings } from '../../src/serve/index.ts'

export const publicUrl = 'https://hub.example'

/** Everybody has some right in acme, and nobody but its members in other. */
const people = {
  accounts: ['owner', 'writer', 'reader', 'stranger', 'ci-bot'].map((name) => ({ name })),
  namespaces: [
    {
      name: 'acme',
      members: { owner: 'admin', writer: 'write', reader: 'read', 'ci-bot': 'write' },
    },
    { name: 'other', members: { owner: 'admin' } },
  ],
  hubTokens: [
    ...['owner', 'writer', 'reader', 'stranger'].map((account) => ({
      ...{ account, name: 'token', kind: 'write' },
    })),
    { account: 'writer', name: 'reading', kind: 'read' },
    {
      account: 'ci-bot',
      name: 'token',
      kind: 'fine-grained',
      grants: [{ on: 'acme/*', contents: 'write', refs: ['main'] }],
    },
  ],
}

export type Who = 'owner' | 'writer' | 'reader' | 'stranger' | 'ci-bot'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what it must be
  readonly json: any
}

export interface Asking {
  readonly method?: string
  /** Undefined asks without a hub token. */
  readonly as?: Who | undefined
  /** JSON, or lines of JSON where it is a list. */
  readonly body?: object | readonly object[] | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export interface ForgeWorld extends World {
  readonly data: string
  tokenOf(who: Who): string
  ask(path: string, asking?: Asking): Promise<Answer>
  /** Makes models/acme/{name} with its first commit. */
  create(name: string, more?: object): Promise<void>
  /** Commits text files to main, and gives the answer. */
  commit(name: string, files: Readonly<Record<string, string>>, more?: CommitMore): Promise<Answer>
  readonly stopped: () => Promise<void>
}

export interface CommitMore {
  readonly as?: Who
  readonly parentCommit?: string
  readonly revision?: string
}

export async function startForge(
  change: SettingsChange = {},
  more: Pick<ForgeSettings, 'gitProgram' | 'gitBounds' | 'bounds' | 'bodyLimits'> = {},
): Promise<ForgeWorld> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-forge-'))
  const world = await startWorldWithForge(people, change, { data, publicUrl, ...more })
  const tokenOf = (who: Who) => world.tokens[`${who}/token`]?.reveal() ?? ''
  const ask: ForgeWorld['ask'] = async (path, { method, as, body, headers = {} } = {}) => {
    const isLines = Array.isArray(body)
    const text = isLines
      ? body.map((line) => JSON.stringify(line)).join('\n')
      : JSON.stringify(body)
    const answer = await fetch(world.hub.url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(as && { authorization: `Bearer ${tokenOf(as)}` }),
        ...(body && { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' }),
        ...headers,
      },
      ...(body && { body: text }),
      redirect: 'manual',
    })
    const said = await answer.text()
    const type = answer.headers.get('content-type') ?? ''
    const isJson = /^application\/(?:vnd\.git-lfs\+)?json/.test(type)
    return {
      ...{ status: answer.status, headers: answer.headers, text: said },
      json: isJson && said !== '' ? JSON.parse(said) : undefined,
    }
  }
  return {
    ...world,
    data,
    tokenOf,
    ask,
    async create(name, more = {}) {
      const body = { name, organization: 'acme', ...more }
      const { status, text } = await ask('/api/repos/create', { as: 'owner', body })
      if (status !== 200) throw new Error(text)
    },
    commit(name, files, { as = 'writer', parentCommit, revision = 'main' } = {}) {
      const header = {
        summary: `adds ${Object.keys(files)}`,
        ...(parentCommit && { parentCommit }),
      }
      const lines = Object.entries(files).map(([path, content]) => ({
        key: 'file',
        value: { path, content, encoding: 'utf-8' },
      }))
      const address = `/api/models/acme/${name}/commit/${encodeURIComponent(revision)}`
      return ask(address, { as, body: [{ key: 'header', value: header }, ...lines] })
    },
    async stopped() {
      await world.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
