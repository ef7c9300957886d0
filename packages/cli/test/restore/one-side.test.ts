/** What holds after a restore of the hub, of the storage and of both, with and without the old journal. */

import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { bert, held, type LostSite, loseSite, removeSite } from './lost-site.ts'
import { openSite, type Site } from './site.ts'
import { contentOf } from './storage-calls.ts'

let lost: LostSite
beforeAll(async () => {
  lost = await loseSite()
})
afterAll(() => removeSite(lost))

/** Statuses of the hub and of the storage: 200 is there, 404 is not, 401 is a hub token that was ended. */
interface Outcome {
  readonly restored: 'hub' | 'storage' | 'both'
  readonly withJournal: boolean
  /** The storage has logged that it may have missed removals. */
  readonly missed: boolean
  /** A token request with the hub token that was revoked after the backup. */
  readonly endedToken: number
  /** A token request for the ref that was deleted after the backup; its content for an old storage token. */
  readonly goneAtHub: number
  readonly ofGone: number
  /** The ref that was made after the backup. */
  readonly lateAtHub: number
  readonly ofLate: number
  /** What was uploaded to `main` after the backup. */
  readonly after: number
  /** Places that `latchkey storage reconcile` removes. */
  readonly orphans: number
}

// biome-ignore format: a table is read by its columns
const outcomes: readonly Outcome[] = [
  { restored: 'hub',     withJournal: false, missed: true,  endedToken: 200, goneAtHub: 200, ofGone: 404, lateAtHub: 404, ofLate: 200, after: 200, orphans: 1 },
  { restored: 'hub',     withJournal: true,  missed: true,  endedToken: 401, goneAtHub: 404, ofGone: 404, lateAtHub: 404, ofLate: 200, after: 200, orphans: 1 },
  { restored: 'storage', withJournal: false, missed: false, endedToken: 401, goneAtHub: 404, ofGone: 404, lateAtHub: 200, ofLate: 404, after: 404, orphans: 0 },
  { restored: 'both',    withJournal: false, missed: false, endedToken: 200, goneAtHub: 200, ofGone: 200, lateAtHub: 404, ofLate: 404, after: 404, orphans: 0 },
  { restored: 'both',    withJournal: true,  missed: false, endedToken: 401, goneAtHub: 404, ofGone: 404, lateAtHub: 404, ofLate: 404, after: 404, orphans: 0 },
]

it.each(outcomes)('restored: $restored, with the old journal: $withJournal', async (expected) => {
  const { restored, withJournal } = expected
  const cwd = await restore(expected)
  const site = await openSite(join(cwd, 'latchkey-data'))
  onTestFinished(() => site.stop())
  const newest = highestStamp(cwd)
  const { main, gone, late } = lost.held
  expect(await site.look(main, 'before'), 'with a token from before the loss').toBe(200)
  expect(await site.put(main, 'next')).toBe(200)
  expect(stampOf(cwd, 'next')).toBeGreaterThan(newest)

  const laptop = lost.tokens['ada/laptop']
  const status = async (what: string, hubToken = laptop) => {
    const given = await site.ask(what, hubToken)
    return typeof given === 'number' ? given : 200
  }
  const reconciled = await run(cwd, 'storage', 'reconcile', '--json')
  expect({
    ...{ restored, withJournal },
    missed: site.lines.some((line) => line.includes('"removals_missed"')),
    endedToken: await status(`read ${bert}@main`, lost.tokens['ada/ended']),
    goneAtHub: await status(`read ${bert}@gone`),
    ofGone: await site.look(gone, 'of gone'),
    lateAtHub: await status(`read ${bert}@late`),
    ofLate: await site.look(late, 'of late'),
    after: await site.look(main, 'after'),
    orphans: JSON.parse(reconciled).orphans.length,
  }).toEqual(expected)

  await expectCommitInTime(site)
  if (restored === 'hub') await expectReconciled(site, { cwd, ...expected })
  if (restored === 'storage') await expectSentAgain(site, cwd)
})

/** It shows what was acknowledged before it was recorded, and nothing later. */
async function expectCommitInTime(site: Site): Promise<void> {
  await site.done('commit record', { repository: bert, hash: commit('d'), on: ['main'] })
  expect(await site.put(lost.held.main, 'later')).toBe(200)
  const reader = await held(site, `read ${bert}@${commit('d')}`, lost.tokens['ada/laptop'])
  const words = ['before', 'next', 'later']
  const seen = await Promise.all(words.map((word) => site.look(reader, word)))
  expect(seen).toEqual([200, 200, 404])
}

/** What the hub does not have goes, and what it has again takes uploads again. */
async function expectReconciled(
  site: Site,
  { cwd, goneAtHub }: Outcome & { readonly cwd: string },
): Promise<void> {
  const { main, gone, late } = lost.held
  await run(cwd, 'storage', 'reconcile', '--yes')
  expect([await site.look(late, 'of late'), await site.put(late, 'more')]).toEqual([404, 404])
  expect([await site.look(main, 'after'), await site.look(main, 'next')]).toEqual([200, 200])
  expect(await site.put(gone, 'of gone')).toBe(goneAtHub)
}

/** Clients remember by address what they have sent. */
async function expectSentAgain(site: Site, cwd: string): Promise<void> {
  const laptop = lost.tokens['ada/laptop']
  const before = await held(site, `write ${bert}@main`, laptop)
  await run(cwd, 'storage', 'readdress')
  const after = await held(site, `write ${bert}@main`, laptop)
  expect(after.casUrl).not.toBe(before.casUrl)
  expect([await site.put(after, 'after'), await site.look(after, 'after')]).toEqual([200, 200])
  // It was recorded before this upload, so it cannot show it.
  const reader = await held(site, `read ${bert}@${commit('c')}`, laptop)
  const seen = await Promise.all(['before', 'after'].map((word) => site.look(reader, word)))
  expect(seen).toEqual([200, 404])
}

/** As docs/operating.md says; gives the folder that holds the data directory. */
async function restore({ restored, withJournal }: Outcome): Promise<string> {
  const cwd = join(lost.root, `${restored}-${withJournal}`)
  const [data, away] = [join(cwd, 'latchkey-data'), join(cwd, 'lost')]
  mkdirSync(away, { recursive: true })
  cpSync(lost.data, data, { recursive: true })
  const journal = withJournal ? ['--journal', 'lost'] : []
  if (restored === 'both') {
    renameSync(data, join(away, 'data'))
    const old = withJournal ? ['--journal', join('lost', 'data')] : []
    await run(cwd, 'restore', lost.backup, ...old)
    cpSync(join(away, 'data', 'master.key'), join(data, 'master.key'))
    return cwd
  }
  const name = restored === 'hub' ? 'latchkey.db' : 'storage.db'
  for (const file of readdirSync(data).filter((one) => one.startsWith(name))) {
    renameSync(join(data, file), join(away, file))
  }
  if (restored === 'storage') rmSync(join(data, 'objects'), { recursive: true })
  await run(cwd, 'restore', lost.backup, '--only', restored, ...journal)
  return cwd
}

async function run(cwd: string, ...args: string[]): Promise<string> {
  const ended = await latchkey(args, { cwd })
  expect(ended, args.join(' ')).toMatchObject({ code: 0 })
  return ended.stdout
}

function highestStamp(cwd: string): number {
  return numberIn(cwd, 'SELECT max(stamp) AS number FROM stored_xorbs')
}

function stampOf(cwd: string, word: string): number {
  const { hash } = contentOf(word).xorb
  return numberIn(cwd, `SELECT stamp AS number FROM stored_xorbs WHERE hash = '${hash}'`)
}

function numberIn(cwd: string, statement: string): number {
  const catalogue = new DatabaseSync(join(cwd, 'latchkey-data', 'storage.db'), { readOnly: true })
  const number = Number(catalogue.prepare(statement).get()?.['number'])
  catalogue.close()
  return number
}
