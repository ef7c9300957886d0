/** A restore with the old journal leaves nothing open that was closed after the backup. */

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import { rounds } from '@latchkey/testing/chance'
import { complaints, dump } from '@latchkey/testing/hub/dump'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeatNarrowing } from '../../src/restore/repeat-narrowing.ts'
import { openJournal } from '../../src/stores/sqlite/open-journal.ts'
import { arbitraryHistory } from '../journal/arbitrary-steps.ts'
import { openFile, type Running, runStep, type Step } from '../journal/steps.ts'
import { granted, questionsOn } from './decisions.ts'

const numRuns = rounds(25, 400)
const seconds = 1000

const history = arbitraryHistory.map((steps) =>
  steps.filter((step) => step.do === 'verb' || (step.do === 'move clock' && step.milliseconds > 0)),
)

test(
  `on ${numRuns} random histories nothing is granted after the restore that was refused before the loss`,
  () =>
    fc.assert(
      fc.asyncProperty(history, history, async (before, after) => {
        const { restored, lost } = await loseAndRestore(before, after.slice(1))
        expect(restored.filter((question) => !lost.has(JSON.stringify(question)))).toEqual([])
      }),
      { numRuns },
    ),
  numRuns * 20 * seconds,
)

/** What is granted after the restore, and what was granted before the loss. */
async function loseAndRestore(before: readonly Step[], after: readonly Step[]) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-restore-'))
  try {
    const running = beginIn(folder)
    for (const step of before) await runStep(running, step)
    const backup = join(folder, 'backup.db')
    await running.store.backup(backup)
    for (const step of after) await runStep(running, step)
    const restored = join(folder, 'restored.db')
    cpSync(backup, restored)
    const questions = await restore(restored, running)
    const lost = new Set(
      (await granted(running.store, questions)).map((one) => JSON.stringify(one)),
    )
    running.store.close()
    return { restored: questions, lost }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function beginIn(folder: string): Running {
  const file = join(folder, 'hub.db')
  const clock = { milliseconds: Date.now() }
  return { folder, file, clock, store: openFile({ file, clock }), copied: undefined, shown: [] }
}

async function restore(file: string, { file: old, clock }: Running) {
  const store = openFile({ file, clock })
  const journal = openJournal(old)
  const number = Number(dump(file)['journal_head']?.[0]?.['number'])
  const repeated = await repeatNarrowing(store.directory, {
    old: journal.tables,
    after: number,
    origin: { verb: 'restore' },
    now: unixSeconds(Math.floor(clock.milliseconds / 1000)),
    randomBytes: pooledRandom(),
  })
  expect(isRefusal(repeated)).toBe(false)
  expect(complaints(file)).toEqual([])
  const { told, held } = replayJournal(dump(file))
  expect(told).toEqual(held)
  const open = await granted(store, questionsOn(file))
  journal.close()
  store.close()
  return open
}
