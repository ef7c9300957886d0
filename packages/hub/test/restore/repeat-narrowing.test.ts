/** A restore with the old journal opens nothing that was closed after the backup, nor anything that the backup closes. */

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { rounds } from '@latchkey/testing/chance'
import { complaints, dump } from '@latchkey/testing/hub/dump'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeatNarrowing } from '../../src/restore/repeat-narrowing.ts'
import { openJournal } from '../../src/stores/sqlite/open-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { arbitraryHistory } from '../journal/arbitrary-steps.ts'
import { openFile, type Running, runStep, type Step } from '../journal/steps.ts'
import { granted, type Question, questionsOn } from './decisions.ts'
import { limitedToken, wideningSteps } from './widening.ts'

const numRuns = rounds(4, 400)
const seconds = 1000

const history = arbitraryHistory.map((steps) =>
  steps.filter((step) => step.do === 'verb' || (step.do === 'move clock' && step.milliseconds > 0)),
)

// conformance: Guarantees / A restore gives no access that was removed after the backup
test(
  `on ${numRuns} random histories nothing is granted after the restore that was refused in the backup or before the loss`,
  () =>
    fc.assert(
      fc.asyncProperty(history, history, wideningSteps, async (before, after, widening) => {
        const steps = [...after.slice(1), ...widening]
        const { restored, lost, kept } = await loseAndRestore([...before, limitedToken], steps)
        expect(restored.filter((question) => !lost.has(JSON.stringify(question)))).toEqual([])
        const added = restored.filter((question) => !kept.has(JSON.stringify(question)))
        expect(added.filter((question) => !isReachedByHolder(question))).toEqual([])
      }),
      { numRuns },
    ),
  numRuns * 20 * seconds,
)

/** A commit that got a holder after the backup is closed by it, and reached through it, as before the loss. */
function isReachedByHolder({ hubToken, revision }: Question): boolean {
  return hubToken !== undefined && /^refs\/tags\/|^[0-9]{40}$/.test(revision)
}

/** What is granted after the restore, what was granted before the loss, and what the backup grants. */
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
    const lost = await grantedBy(running.store, questions)
    running.store.close()
    const untouched = openFile({ file: backup, clock: running.clock })
    const kept = await grantedBy(untouched, questions)
    untouched.close()
    return { restored: questions, lost, kept }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function grantedBy(store: Store, questions: readonly Question[]) {
  return new Set((await granted(store, questions)).map((one) => JSON.stringify(one)))
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
