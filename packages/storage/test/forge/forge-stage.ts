/** A hub with a forge, and a storage that both reach: what is committed, and what is left of it in the storage. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkedHub } from '@latchkey/forge'
import { startWorldWithForge } from '@latchkey/testing/hub/world-with-forge'
import { freePort } from '@latchkey/testing/machine/free-port'
import { makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import type { FileToRegister } from '@latchkey/xet/format'
import { type Caller, callerWith } from '../caller.ts'
import { sha256Of } from '../isolation/content.ts'
import { openStage, type Stage, type StageOptions } from '../stage.ts'

export const isGitThere = spawnSync('git', ['--version']).status === 0
if (!isGitThere) console.warn('NOT TESTED: git is not installed, so no content follows refs')

const names = ['owner', 'writer', 'reader', 'stranger'] as const
export type Who = (typeof names)[number] | 'ci-bot'

const people = {
  accounts: [...names, 'ci-bot'].map((name) => ({ name })),
  namespaces: [
    {
      name: 'acme',
      members: { owner: 'admin', writer: 'write', reader: 'read', 'ci-bot': 'write' },
    },
  ],
  hubTokens: [
    ...names.map((account) => ({ account, name: 'token', kind: 'write' })),
    { account: 'writer', name: 'reading', kind: 'read' },
    {
      ...{ account: 'ci-bot', name: 'token', kind: 'fine-grained' },
      grants: [{ on: 'acme/*', contents: 'write', refs: ['dev'] }],
    },
  ],
}

export interface Large {
  readonly bytes: Buffer
  readonly xorb: ReturnType<typeof makeXorb>
  readonly file: FileToRegister
  readonly oid: string
}

export function largeOf(seed: string): Large {
  const parts = randomChunks(seed, 2, 400)
  const bytes = Buffer.concat(parts)
  const oid = sha256Of(bytes)
  const xorb = makeXorb(parts)
  return { bytes, xorb, oid, file: makeFile([{ xorb }], Buffer.from(oid, 'hex')) }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what it must be
  readonly json: any
}

export interface Asking {
  readonly method?: string
  readonly as?: Who
  readonly body?: object | readonly object[]
}

export interface ForgeStage extends Stage {
  readonly data: string
  /** As the forge does every hour. */
  expireUploads(): Promise<number>
  /** At the hub; what it has changed is followed when the answer is given. To read changes nothing. */
  api(path: string, asking?: Asking): Promise<Answer>
  /** A repository with its first commit. */
  newModel(name: string, more?: object): Promise<void>
  /** With the token that this address of the hub gives. */
  callerAt(path: string, as?: Who): Promise<Caller>
  /** Uploads and commits a large file, and gives the answer of the commit. */
  commitLarge(model: string, wish: CommitWish): Promise<Answer>
  /** Whether a client that asks for the revision gets the bytes. */
  reads(model: string, revision: string, large: Large, as?: Who): Promise<boolean>
  refs(model: string): Promise<Readonly<Record<string, string>>>
}

export interface CommitWish {
  readonly revision?: string
  readonly path?: string
  readonly large: Large
  readonly as?: Who
  readonly createsPullRequest?: boolean
  readonly isUploaded?: boolean
}

export async function openForgeStage(settings: StageOptions['settings'] = {}): Promise<ForgeStage> {
  const port = await freePort()
  const data = mkdtempSync(join(tmpdir(), 'latchkey-forge-stage-'))
  const expire = { uploads: async () => 0 }
  const stage = await openStage({
    people,
    hub: {
      casUrl: `http://127.0.0.1:${port}/r/{repo}/{ref}`,
      compat: { huggingface: true },
      hubTokenPrefix: 'hf_',
      hidePrivateRepositories: true,
    },
    settings: { port, ...settings },
    start: (file, change = {}) =>
      startWorldWithForge(
        file,
        change,
        { data },
        {
          connect(place) {
            const hub = linkedHub(place)
            expire.uploads = hub.expireUploads
            return hub
          },
        },
      ),
  })
  const { world } = stage
  const api: ForgeStage['api'] = async (path, { method, as = 'writer', body } = {}) => {
    const isLines = Array.isArray(body)
    const answer = await fetch(world.hub.url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${world.tokens[`${as}/token`]?.reveal()}`,
        ...(body && { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' }),
      },
      ...(body && {
        body: isLines ? body.map((line) => JSON.stringify(line)).join('\n') : JSON.stringify(body),
      }),
      redirect: 'manual',
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') && text !== ''
    if (method !== undefined || body !== undefined) await stage.follow()
    return {
      ...{ status: answer.status, headers: answer.headers },
      json: isJson ? JSON.parse(text) : text,
    }
  }
  const callerAt: ForgeStage['callerAt'] = async (path, as = 'writer') => {
    const { json, status } = await api(path, { as })
    const { accessToken: token, casUrl } = json
    if (token === undefined) throw new Error(`${status}: ${JSON.stringify(json)}`)
    return callerWith(stage.url, { token, casUrl })
  }
  const upload = async (caller: Caller, { xorb, file }: Large) => {
    for (const told of [await caller.upload(xorb), await caller.register([file], [xorb])]) {
      if (told.status !== 200) throw new Error(`${told.status}: ${told.text}`)
    }
  }
  return {
    ...stage,
    data,
    expireUploads: () => expire.uploads(),
    api,
    callerAt,
    async newModel(name, more = {}) {
      const body = { name, organization: 'acme', ...more }
      const { status, json } = await api('/api/repos/create', { as: 'owner', body })
      if (status !== 200) throw new Error(JSON.stringify(json))
    },
    async commitLarge(model, wish) {
      const { revision = 'main', large, as = 'writer', createsPullRequest = false } = wish
      const { path = 'large.bin', isUploaded = false } = wish
      const query = createsPullRequest ? '?create_pr=1' : ''
      const at = `${encodeURIComponent(revision)}${query}`
      const address = `/api/models/acme/${model}`
      if (!isUploaded) {
        const files = [{ path, size: large.bytes.length, sample: '' }]
        const preuploaded = await api(`${address}/preupload/${at}`, { as, body: { files } })
        if (preuploaded.status !== 200) return preuploaded
        await upload(await callerAt(`${address}/xet-write-token/${at}`, as), large)
      }
      const value = { path, algo: 'sha256', oid: large.oid, size: large.bytes.length }
      return api(`${address}/commit/${at}`, {
        as,
        body: [
          { key: 'header', value: { summary: `adds ${path}` } },
          { key: 'lfsFile', value },
        ],
      })
    },
    async reads(model, revision, { file, bytes }, as = 'writer') {
      const address = `/api/models/acme/${model}/xet-read-token/${encodeURIComponent(revision)}`
      const told = await (await callerAt(address, as)).download(file.hash)
      return Buffer.isBuffer(told) && told.equals(bytes)
    },
    async refs(model) {
      const { json } = await api(`/api/models/acme/${model}/refs?include_prs=1`)
      const all = [...json.branches, ...json.tags, ...json.pullRequests]
      return Object.fromEntries(all.map(({ ref, targetCommit }) => [ref, targetCommit]))
    },
    async close() {
      await stage.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
