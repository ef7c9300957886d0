/** A directory and the storage tokens that callers hold: what a hub decided for them, and whether its list ends them. */

import { setImmediate } from 'node:timers/promises'
import { isRefusal, parseTokenPath, Secret } from '@latchkey/protocol'
import { isRevokedBy, type Revocable, readRevocationList } from '@latchkey/token'
import { accessOf } from '../../../src/access/find-access.ts'
import { hashHubToken } from '../../../src/identity/hub-token.ts'
import { wantedRevision } from '../../../src/issue/issue-token.ts'
import { decidePermission } from '../../../src/permission/decide-permission.ts'
import { listReader } from '../../../src/revocation/publish/publish.ts'
import { vouch } from '../../sign-in/by-groups.ts'
import { hash, type Opened, openDirectory, start } from '../../verbs/open-directory.ts'

const soon = new Date((start + 7200) * 1000).toISOString()
const later = new Date((start + 90 * 86_400) * 1000).toISOString()

export const repository = 'models/acme/bert'
export const grants = [{ on: 'acme/*', contents: 'write' }]

export const eveIdentity = { issuer: 'https://login.example', subject: 'eve-1' }
export const linkedIdentity = { issuer: 'https://login.example', subject: 'root-1' }

export const prepared = {
  accounts: [
    { name: 'root', administrator: true },
    ...['ada', 'bob', 'guest', 'cyd', 'dan', 'eve'].map((name) => ({ name })),
    { name: 'off', disabled: true },
    { name: 'other-root', administrator: true },
  ],
  namespaces: [
    {
      name: 'acme',
      members: { ada: 'write', bob: 'write' },
      teams: {
        curators: { role: 'write', members: { cyd: {} } },
        reviewers: { members: { dan: { until: later } } },
        idle: { members: { ada: {}, cyd: {} } },
      },
    },
    { name: 'other', members: { ada: 'write' } },
    { name: 'empty' },
    {
      name: 'third',
      teams: { staff: { role: 'write', groups: { corp: ['staff', 'all'] } } },
    },
  ],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      branches: { main: hash(1), dev: hash(2) },
      tags: { v1: hash(1), v2: hash(5) },
      collaborators: { guest: 'write' },
      publishers: [
        {
          ...{ name: 'ci', preset: 'other', issuer: 'https://ci.example' },
          ...{ contents: 'write', claims: ['sub=job'], refs: ['refs/**'] },
        },
      ],
      teams: { reviewers: 'write' },
      refRules: [
        { pattern: 'release/*', write: 'write' },
        { pattern: 'release/**', write: 'admin' },
      ],
    },
    { type: 'model', id: 'acme/open', visibility: 'public', branches: { main: hash(1) } },
    { type: 'model', id: 'other/gpt', branches: { main: hash(1) } },
    { type: 'model', id: 'third/llm', branches: { main: hash(1) } },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'fine', kind: 'fine-grained', grants },
    { account: 'ada', name: 'soon', kind: 'write', expiresAt: soon },
    { account: 'ada', name: 'later', kind: 'write', expiresAt: later },
    { account: 'bob', name: 'laptop', kind: 'write' },
    { account: 'guest', name: 'laptop', kind: 'write' },
    { account: 'cyd', name: 'laptop', kind: 'write' },
    { account: 'dan', name: 'laptop', kind: 'write' },
    { account: 'eve', name: 'laptop', kind: 'write' },
    { account: 'root', name: 'admin', kind: 'admin' },
  ],
}

/** Which hub token asks for what, by the name of the storage token. */
export const held = {
  'ada main': ['ada/laptop', 'write', repository, 'main'],
  'ada dev': ['ada/laptop', 'read', repository, 'dev'],
  'ada v1': ['ada/laptop', 'read', repository, 'v1'],
  'ada v2': ['ada/laptop', 'read', repository, 'v2'],
  'ada commit': ['ada/laptop', 'write', repository, hash(1)],
  'ada elsewhere': ['ada/laptop', 'write', 'models/other/gpt', 'main'],
  'ada fine': ['ada/fine', 'write', repository, 'main'],
  'ada soon': ['ada/soon', 'write', repository, 'main'],
  'ada later': ['ada/later', 'write', repository, 'main'],
  'bob main': ['bob/laptop', 'write', repository, 'main'],
  'bob open': ['bob/laptop', 'read', 'models/acme/open', 'main'],
  'guest main': ['guest/laptop', 'write', repository, 'main'],
  'cyd main': ['cyd/laptop', 'write', repository, 'main'],
  'dan main': ['dan/laptop', 'write', repository, 'main'],
  'dan open': ['dan/laptop', 'read', 'models/acme/open', 'main'],
  'eve third': ['eve/laptop', 'write', 'models/third/llm', 'main'],
  'guest open': ['guest/laptop', 'read', 'models/acme/open', 'main'],
} as const satisfies Record<string, readonly [string, 'read' | 'write', string, string]>

export type Held = keyof typeof held
export const allHeld = Object.keys(held) as readonly Held[]

export interface Holding extends Opened {
  /** What the hub decides now; undefined where it refuses. */
  ask(name: Held, kid?: string): Promise<Revocable | undefined>
  /** The names of those that the hub's list ends. */
  dead(tokens: ReadonlyMap<Held, Revocable>): Promise<readonly Held[]>
  hubTokenId(owned: string): Promise<string>
  signingKid(): Promise<string>
}

export async function openHolding(clockMs: () => number = () => start * 1000): Promise<Holding> {
  const opened = await openDirectory({ nowMs: clockMs })
  const applied = await opened.apply(prepared)
  if (isRefusal(applied)) throw new Error(applied.detail)
  const secrets = new Map(
    applied.hubTokens.map(({ account, name, token }) => [`${account}/${name}`, token]),
  )
  await opened.done('account link', { account: 'root', provider: 'corp', ...linkedIdentity })
  await opened.done('account link', { account: 'eve', provider: 'corp', ...eveIdentity })
  await vouch(opened.store.directory, { subject: 'eve-1', groups: ['staff'], now: opened.now })
  await opened.done('keys rotate')
  const signingKid = async () => {
    const { items } = (await opened.done('keys list')) as { items: readonly ListedKey[] }
    return (
      items.find(({ purpose, state }) => purpose === 'tokens' && state === 'signing')?.kid ?? ''
    )
  }
  const access = accessOf(opened.store.access)
  const issued = new Set<Held>()
  const readList = listReader(() => 0)
  return Object.assign(opened, {
    async ask(name: Held, kid?: string) {
      // Requests of one turn of the event loop count as simultaneous.
      await setImmediate()
      const [owned, scope, repo, wanted] = held[name]
      const path = parseTokenPath(`/api/${repo}/storage-${scope}-token/${wanted}`)
      const secret = secrets.get(owned)
      if (path === undefined || secret === undefined) throw new Error(`nobody can hold ${name}`)
      const revision = wantedRevision(path, false)
      const { now } = opened
      const hubTokenHash = hashHubToken(new Secret('hub-token', revealed(secret)))
      const about = { hubTokenHash, now, repo: path.repo, revision }
      const { caller, ...facts } = await access.findAccess(about)
      if (isRefusal(caller)) return undefined
      const decided = decidePermission(
        { caller, ...facts, ...path, revision },
        { hidePrivateRepositories: false },
      )
      if (isRefusal(decided)) return undefined
      const { permitted } = decided
      const token = {
        kid: kid ?? (await signingKid()),
        tokenId: issued.has(name) ? `later jti of ${name}` : `jti of ${name}`,
        hubToken: caller.hubTokenId,
        subject: caller.accountId,
        repositoryUid: permitted.repositoryUid,
        namespace: permitted.repo.namespace,
        refUids: [permitted.ref.uid, ...permitted.sees.map(({ uid }) => uid)],
        asOf: permitted.asOf,
      }
      issued.add(name)
      return token
    },
    signingKid,
    async dead(tokens: ReadonlyMap<Held, Revocable>) {
      const { list } = await opened.store.readBeside(readList)
      const cuts = readRevocationList(list.bytes) ?? new Map()
      return [...tokens].flatMap(([name, token]) => (isRevokedBy(token, cuts) ? [name] : []))
    },
    async hubTokenId(owned: string) {
      const { items } = (await opened.done('hub-token list', { limit: 100 })) as {
        items: readonly { id: string; account: string; name: string }[]
      }
      return items.find(({ account, name }) => `${account}/${name}` === owned)?.id ?? ''
    },
  })
}

export async function askAll({ ask, signingKid }: Holding): Promise<ReadonlyMap<Held, Revocable>> {
  const tokens = new Map<Held, Revocable>()
  const kid = await signingKid()
  for (const name of allHeld) {
    const token = await ask(name, kid)
    if (token !== undefined) tokens.set(name, token)
  }
  return tokens
}

interface ListedKey {
  readonly kid: string
  readonly purpose: string
  readonly state: string
}

function revealed(secret: unknown): string {
  return secret instanceof Secret ? secret.reveal() : String(secret)
}
