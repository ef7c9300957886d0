/** What holds after a restore of the hub, of the storage and of both, with and without the old journal. */

import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { rounds } from '@latchkey/testing/chance'
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

/** Statuses of the hub and of the storage: 200 is there, 404 is not, 401 is a token that was ended. */
interface Outcome {
  readonly restored: 'hub' | 'storage' | 'both'
  readonly withJournal: boolean
  /** The storage has logged that it may have missed removals. */
  readonly missed: boolean
  /** A token request with the hub token that was revoked after the backup. */
  readonly endedToken: number
  /** A storage token from before the loss. */
  readonly oldToken: number
  /** A token request for the ref that was deleted after the backup; its content, with an old token where there is no new one. */
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

// The clock was an hour ahead after the backup: where everything is lost, nothing tells that the numbers were, too. The keys are new.
// biome-ignore format: a table is read by its columns
const outcomes: readonly Outcome[] = [
  { restored: 'hub',     withJournal: false, missed: true,  endedToken: 200, oldToken: 401, goneAtHub: 200, ofGone: 404, lateAtHub: 404, ofLate: 401, after: 200, orphans: 1 },
  { restored: 'hub',     withJournal: true,  missed: true,  endedToken: 401, oldToken: 401, goneAtHub: 404, ofGone: 401, lateAtHub: 404, ofLate: 401, after: 200, orphans: 1 },
  { restored: 'storage', withJournal: false, missed: false, endedToken: 401, oldToken: 200, goneAtHub: 404, ofGone: 401, lateAtHub: 200, ofLate: 404, after: 404, orphans: 0 },
  { restored: 'both',    withJournal: false, missed: false, endedToken: 200, oldToken: 401, goneAtHub: 200, ofGone: 200, lateAtHub: 404, ofLate: 401, after: 404, orphans: 0 },
  { restored: 'both',    withJournal: true,  missed: false, endedToken: 401, oldToken: 401, goneAtHub: 404, ofGone: 401, lateAtHub: 404, ofLate: 401, after: 404, orphans: 0 },
]

/** A token of a key that is gone gets 503 until the storage has asked its hub again, and 401 then. */
function refused(status: number): number {
  return status === 503 ? 401 : status
}

/** Each side once, with a journal and without; in a soak all of them. */
const tried = outcomes.filter(
  ({ restored, withJournal }) => rounds(0, 1) === 1 || withJournal === (restored === 'both'),
)

it.each(tried)('restored: $restored, with the old journal: $withJournal', async (expected) => {
  const { restored, withJournal } = expected
  const cwd = await restore(expected)
  const site = await openSite(join(cwd, 'latchkey-data'))
  onTestFinished(() => site.stop())
  const newest = highestStamp(cwd)
  const now = await heldNow(site)
  expect(await site.look(now.main, 'before')).toBe(200)
  expect(await site.put(now.main, 'next')).toBe(200)
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
    oldToken: refused(await site.look(lost.held.main, 'before')),
    goneAtHub: await status(`read ${bert}@gone`),
    ofGone: await site.look(now.gone, 'of gone'),
    lateAtHub: await status(`read ${bert}@late`),
    ofLate: refused(await site.look(now.late, 'of late')),
    after: await site.look(now.main, 'after'),
    orphans: JSON.parse(reconciled).orphans.length,
  }).toEqual(expected)

  await expectCommitInTime(site, now)
  if (restored === 'hub') await expectReconciled(site, now, cwd)
  if (restored === 'storage') await expectSentAgain(site, cwd)
})

/** A new token for each ref that the hub has; for the others the one from before the loss. */
async function heldNow(site: Site): Promise<LostSite['held']> {
  const newest = async (ref: keyof LostSite['held']) => {
    const given = await site.ask(`write ${bert}@${ref}`, lost.tokens['ada/laptop'])
    return typeof given === 'number' ? lost.held[ref] : given
  }
  return { main: await newest('main'), gone: await newest('gone'), late: await newest('late') }
}

/** It shows what was acknowledged before it was recorded, and nothing later. */
async function expectCommitInTime(site: Site, { main }: LostSite['held']): Promise<void> {
  await site.done('commit record', { repository: bert, hash: commit('d'), on: ['main'] })
  expect(await site.put(main, 'later')).toBe(200)
  const reader = await held(site, `read ${bert}@${commit('d')}`, lost.tokens['ada/laptop'])
  const words = ['before', 'next', 'later']
  const seen = await Promise.all(words.map((word) => site.look(reader, word)))
  expect(seen).toEqual([200, 200, 404])
}

/** What the hub does not have goes, and what it has again takes uploads again. */
async function expectReconciled(
  site: Site,
  { main, gone, late }: LostSite['held'],
  cwd: string,
): Promise<void> {
  await run(cwd, 'storage', 'reconcile', '--yes')
  const answers = [await site.look(late, 'of late'), await site.put(late, 'more')]
  expect(answers.map(refused)).toEqual([401, 401])
  expect([await site.look(main, 'after'), await site.look(main, 'next')]).toEqual([200, 200])
  expect(await site.put(gone, 'of gone')).toBe(gone === lost.held.gone ? 401 : 200)
}

/** Clients remember by address what they have sent. */
async function expectSentAgain(site: Site, cwd: string): Promise<void> {
  const laptop = lost.tokens['ada/laptop']
  const before = await held(site, `write ${bert}@main`, laptop)
  await run(cwd, 'storage', 'reset-urls')
  const after = await held(site, `write ${bert}@main`, laptop)
  expect(after.casUrl).not.toBe(before.casUrl)
  expect([await site.put(after, 'after'), await site.look(after, 'after')]).toEqual([200, 200])
  // It was recorded before this upload, so it cannot show it.
  const reader = await held(site, `read ${bert}@${commit('c')}`, laptop)
  const seen = await Promise.all(['before', 'after'].map((word) => site.look(reader, word)))
  expect(seen).toEqual([200, 404])
}

/** As docs/guides/backup-and-restore.md says; gives the folder that holds the data directory. */
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
