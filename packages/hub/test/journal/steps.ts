/** The steps of a directory's history, and what each does. */

import { cpSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { readInput, verbs } from '@latchkey/admin-api'
import {
  asAccountId,
  asHubTokenId,
  asRepositoryUid,
  isRefusal,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { type Dump, dump } from '@latchkey/testing/hub/dump'
import { testKeyWork } from '@latchkey/testing/hub/key-work'
import type { Algorithm } from '@latchkey/token'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import type { Caller } from '../../src/identity/caller.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'
import { findMasterKey } from '../../src/keys/seal.ts'
import { lastUse } from '../../src/operations/housekeeping.ts'
import { runVerb } from '../../src/run-verb/run-verb.ts'
import { openSession } from '../../src/sign-in/open-session.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { raiseEpochs } from '../../src/verbs/repository-rows.ts'
import { believed } from '../revocation/pretended-token.ts'
import { vouch } from '../sign-in/by-groups.ts'
import { administrator } from '../verbs/open-directory.ts'

const actors = {
  machine: undefined,
  administrator: administrator(),
  'limited administrator': administrator(['account', 'hub-token']),
  'ending administrator': { ...administrator(), expiresAt: unixSeconds(4_000_000_000) },
} satisfies Record<string, Caller | undefined>

export type Actor = keyof typeof actors
export const actorNames = Object.keys(actors) as Actor[]

/** What a step needs to know; `nth` chooses among what is there. */
interface Wanted {
  /** A number as `hubToken` or `kid` chooses one, too. */
  verb: { readonly words: string; readonly input: object; readonly as?: Actor }
  'make key': { readonly algorithm: Algorithm }
  'raise epoch': { readonly nth: number }
  'use hub token': { readonly nth: number }
  /** A provider names the groups of a person. */
  vouch: { readonly subject: string; readonly groups: readonly string[] }
  /** By an identity provider. */
  'sign in': { readonly nth: number }
  'move clock': { readonly milliseconds: number }
  'open hub': object
  'copy file': object
  'put copy back': object
}

export type Step = { [Kind in keyof Wanted]: { readonly do: Kind } & Wanted[Kind] }[keyof Wanted]

/** "opened" is a hub; everything else has done what it says. */
export type Outcome = 'refused' | 'opened' | 'done'

export interface Running {
  readonly folder: string
  readonly file: string
  /** The clock of the journal and of everything else, since 1970. */
  readonly clock: { milliseconds: number }
  store: Store
  /** What the file held when it was copied last. */
  copied: Dump | undefined
  /** Every hub token that was shown. */
  readonly shown: string[]
}

export function openFile({ file, clock }: Pick<Running, 'file' | 'clock'>): Store {
  return openSqliteStore(file, { nowMs: () => clock.milliseconds })
}

export function runStep(running: Running, step: Step): Promise<Outcome> {
  const run = runners[step.do] as (running: Running, step: Step) => Promise<Outcome>
  return run(running, step)
}

const origin = { verb: 'history' }
const randomBytes = pooledRandom()

const runners: {
  [Kind in keyof Wanted]: (running: Running, wanted: Wanted[Kind]) => Promise<Outcome>
} = {
  async verb(running, { words, input, as = 'machine' }) {
    const verb = verbs.find((row) => row.words === words)
    if (verb === undefined) throw new Error(`no verb ${words}`)
    const read = readInput(verb.input, withKid(running, withHubToken(running, input)))
    if (isRefusal(read)) return 'refused'
    const answer = await runVerb(verb, read, {
      directory: running.store.directory,
      findRepository: repositoryFinder(running.store.access, () => nowOf(running)),
      now: nowOf(running),
      randomBytes,
      hubTokenPrefix: 'lk_',
      policy: { hidePrivateRepositories: false },
      keys: testKeyWork((keys) => findMasterKey(running.folder, keys)),
      verifyOwnToken: believed,
      providers: [],
      repositoriesPerNamespace: 10_000,
      actor: async () => actors[as],
    })
    running.shown.push(...(JSON.stringify(answer).match(/\blk_\w{49}\b/g) ?? []))
    return isRefusal(answer) ? 'refused' : 'done'
  },

  async 'make key'(running, { algorithm }) {
    const { folder: data, store } = running
    const token = { algorithm, lifetimeSeconds: 900 }
    const options = { store, data, masterKey: undefined, token, keys: { rotationDays: 90 } }
    await openKeyRing({ ...options, now: nowOf(running), origin })
    return 'done'
  },

  /** As the storage does when it removes content. */
  async 'raise epoch'({ store, file }, { nth }) {
    const uid = chosen(file, 'repositories', nth)?.['uid']
    if (uid === undefined) return 'done'
    await raiseEpochs(store.directory, origin, [asRepositoryUid(String(uid))])
    return 'done'
  },

  async 'use hub token'(running, { nth }) {
    const uses = lastUse(running.store.directory)
    const row = chosen(running.file, 'hub_tokens', nth)
    uses.note(asHubTokenId(String(row?.['id'])), nowOf(running))
    await uses.writeDown()
    return 'done'
  },

  async vouch(running, { subject, groups }) {
    const maxAgeSeconds = 3600
    await vouch(running.store.directory, { subject, groups, now: nowOf(running), maxAgeSeconds })
    return 'done'
  },

  async 'sign in'(running, { nth }) {
    const row = chosen(running.file, 'accounts', nth)
    if (row === undefined) return 'done'
    const account = { id: asAccountId(String(row['id'])), name: String(row['name']) }
    await openSession(
      { directory: running.store.directory, randomBytes },
      { now: nowOf(running), requestId: 'history' },
      async () => ({
        ...{ account, kind: 'write', grants: '[]', by: { provider: 'corp' } },
        ...{ authTime: null, freshUntil: null, before: undefined },
      }),
    )
    return 'done'
  },

  async 'move clock'({ clock }, { milliseconds }) {
    clock.milliseconds += milliseconds
    return 'done'
  },

  'open hub': openHub,

  async 'copy file'(running) {
    const { file } = running
    replaceFile(running, copyOf(file), file)
    running.copied = dump(file)
    return 'done'
  },

  /** An operator takes a minute to put a copy back, and then opens a hub on it. */
  async 'put copy back'(running) {
    const { file, copied, clock } = running
    if (copied === undefined) return 'done'
    replaceFile(running, file, copyOf(file))
    clock.milliseconds += 60_000
    return openHub(running)
  },
}

async function openHub({ store }: Running): Promise<Outcome> {
  await store.directory.change(({ putAs }) => putAs(origin)([{ thing: 'hub' }]))
  return 'opened'
}

function replaceFile(running: Running, to: string, from: string): void {
  running.store.close()
  cpSync(from, to)
  running.store = openFile(running)
}

function copyOf(file: string): string {
  return `${file}.copy`
}

function nowOf({ clock }: Running): UnixSeconds {
  return unixSeconds(Math.floor(clock.milliseconds / 1000))
}

function chosen(file: string, table: string, nth: number) {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare(`SELECT * FROM ${table}`).all()
  database.close()
  return rows.at(nth % rows.length)
}

function withHubToken({ file }: Running, input: object): object {
  if (!('hubToken' in input)) return input
  const row = chosen(file, 'hub_tokens', Number(input.hubToken))
  return { ...input, hubToken: row?.['id'] ?? 'a'.repeat(26) }
}

function withKid({ file }: Running, input: object): object {
  if (!('kid' in input)) return input
  const row = chosen(file, 'signing_keys', Number(input.kid))
  return { ...input, kid: row?.['kid'] ?? 'a'.repeat(43) }
}
