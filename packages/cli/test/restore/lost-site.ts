/** A site that was lost: a backup of it, what happened after the backup, and what its clients still hold. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { commit, testSettings } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { expect } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { openSite, type Site } from './site.ts'
import type { Held } from './storage-calls.ts'

export const bert = 'models/acme/bert'

const people = {
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    {
      ...{ type: 'model', id: 'acme/bert', visibility: 'private' },
      branches: { main: commit('a'), gone: commit('a') },
    },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'ended', kind: 'write' },
  ],
}

const crowd = {
  accounts: Array.from({ length: 100 }, (_, index) => ({ name: `guest-${index}` })),
}

export interface LostSite {
  readonly root: string
  /** The data directory, as it was when everything stopped. */
  readonly data: string
  readonly backup: string
  readonly tokens: Readonly<Record<'ada/laptop' | 'ada/ended', string>>
  /** Storage tokens from before the loss. */
  readonly held: Readonly<Record<'main' | 'gone' | 'late', Held>>
}

export async function loseSite(): Promise<LostSite> {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-restore-'))
  const [data, backup] = [join(root, 'data'), join(root, 'backup')]
  mkdirSync(data, { mode: 0o700 })
  const tokens = await writeDirectory<'ada/laptop' | 'ada/ended'>(testSettings(data), people)
  const site = await openSite(data)
  const writer = (ref: string) => held(site, `write ${bert}@${ref}`, tokens['ada/laptop'])
  const main = await writer('main')
  const gone = await writer('gone')
  await put(site, main, 'before')
  await put(site, gone, 'of gone')
  const taken = await latchkey(['backup', backup, '--data', data], { cwd: root })
  expect(taken).toMatchObject({ code: 0 })

  await applyAhead(data)
  await put(site, main, 'after')
  await site.done('commit record', { repository: bert, hash: commit('c'), on: ['main'] })
  await site.done('ref set', { repository: bert, ref: 'late', commit: commit('a') })
  const late = await writer('late')
  await site.done('ref delete', { repository: bert, ref: 'gone' })
  await site.done('hub-token revoke', { hubToken: await idOf(site, 'ended') })
  // A write asks the hub first, so the storage has followed up to here.
  await put(site, late, 'of late')
  expect(await site.look(gone, 'of gone')).toBe(401)
  await site.stop()
  return { root, data, backup, tokens, held: { main, gone, late } }
}

/** A hundred entries, on a clock that was an hour ahead: from here on the journal's numbers are ahead of the clock. */
async function applyAhead(data: string): Promise<void> {
  const nowMs = () => Date.now() + 3_600_000
  const store = await openStore(testSettings(data), { create: false, nowMs })
  await verbRunner(store, systemClock)('apply', { file: crowd })
  store.close()
}

export function removeSite({ root }: LostSite): void {
  rmSync(root, { recursive: true })
}

export async function held(site: Site, what: string, hubToken: string): Promise<Held> {
  const given = await site.ask(what, hubToken)
  if (typeof given === 'number') throw new Error(`${what}: ${given}`)
  return given
}

async function put(site: Site, to: Held, word: string): Promise<void> {
  expect([word, await site.put(to, word)]).toEqual([word, 200])
}

async function idOf({ done }: Site, wanted: string): Promise<string> {
  const { items } = (await done('hub-token list')) as { items: { id: string; name: string }[] }
  return items.find(({ name }) => name === wanted)?.id ?? ''
}
