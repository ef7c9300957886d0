/** A hub with a storage's credential, and the questions of that storage. */

import type { Secret } from '@latchkey/protocol'
import { commit, type SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { onTestFinished } from 'vitest'

export const bert = 'models/acme/bert'

const file = {
  accounts: [
    { name: 'root', administrator: true },
    { name: 'cas', kind: 'service' },
    { name: 'ada' },
  ],
  namespaces: [{ name: 'acme', members: { ada: 'write', cas: 'admin' } }],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      visibility: 'private',
      branches: { main: commit('a'), dev: commit('b') },
      tags: { v1: commit('a') },
    },
    { type: 'model', id: 'acme/open', visibility: 'public', branches: { main: commit('c') } },
  ],
  hubTokens: [
    { account: 'root', name: 'admin', kind: 'admin' },
    { account: 'cas', name: 'link', kind: 'storage' },
    { account: 'cas', name: 'other', kind: 'storage' },
    { account: 'cas', name: 'forge', kind: 'forge' },
    { account: 'cas', name: 'write', kind: 'write' },
    {
      account: 'cas',
      name: 'nothing',
      kind: 'fine-grained',
      grants: [{ on: 'models/elsewhere/none', contents: 'write' }],
    },
    { account: 'ada', name: 'write', kind: 'write' },
    { account: 'ada', name: 'read', kind: 'read' },
  ],
}

export async function startLinked(change: SettingsChange = {}): Promise<World> {
  const world = await startWorld(file, change)
  onTestFinished(() => world.close())
  return world
}

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly json: Record<string, unknown>
}

export interface Asked {
  /** `account/name` of a hub token, a token itself, or none. */
  readonly as?: string | Secret<'hub-token'> | undefined
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** `what` is what follows `/link/v1/`. */
export async function askLink(world: World, what: string, asked: Asked = {}): Promise<Told> {
  const { as = 'as' in asked ? undefined : 'cas/link', body, method } = asked
  const token = typeof as === 'string' ? world.tokens[as] : as
  const answer = await fetch(`${world.hub.url}/link/v1/${what}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
  })
  const text = await answer.text()
  const { status, headers } = answer
  return { status, headers, json: text.startsWith('{') ? JSON.parse(text) : {} }
}

export async function headOf(world: World): Promise<number> {
  return Number((await askLink(world, 'changes')).json['number'])
}

export async function uidOf(world: World, ref?: string, repository = bert): Promise<string> {
  const words = ref === undefined ? 'repo show' : 'ref show'
  const { uid } = await world.done(words, { repository, ...(ref === undefined ? {} : { ref }) })
  return String(uid)
}

/** The header of a forge that has claimed the directory. */
export const forgeHeaders = { 'latchkey-forge': `${'f'.repeat(26)} ${'s'.repeat(26)}` }

export const askedBy = {
  authorization: [],
  address: '192.0.2.7',
  requestId: 'r'.repeat(26),
  isCounted: false,
}

/** A question that the forge of the directory asks, as the account of the hub token if there is one. */
export function askForge(world: World, question: string, asked: Asked = {}): Promise<Told> {
  const as = 'as' in asked ? asked.as : world.hub.embedded.forge
  const headers = { ...forgeHeaders, ...asked.headers }
  return askLink(world, `forge/${question}`, { ...asked, as, headers })
}

export async function startForgeLinked(change: SettingsChange = {}): Promise<World> {
  const world = await startLinked(change)
  const { status } = await askForge(world, 'claim', { body: { input: {} } })
  if (status !== 200) throw new Error(`the claim was answered by ${status}`)
  return world
}

export const everyQuestion: readonly (readonly [what: string, asked: Asked])[] = [
  ['changes', {}],
  ['epochs', { body: { repositories: [] } }],
  ['places', { body: { uids: [] } }],
]
