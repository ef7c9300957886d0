/** Makes the directory as a file says: planned beside other writers, written in short transactions. */

import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type DirectoryFile, readDirectoryFile } from '@latchkey/admin-api'
import { readJsonInSlices } from '@latchkey/admin-api/read-json'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'
import { nextSlice, slicePauses } from '@latchkey/service/limits/slices'
import type { Applying, ApplySurroundings, StepBounds } from './applying.ts'
import { concernsOf } from './concerns.ts'
import { drawPlan } from './draw-plan.ts'
import type { Applied, ReportedChange } from './planning.ts'
import { usualBounds, writePlan } from './write-plan.ts'

export interface ApplyOptions {
  /** Delete what a section does not name; a section that the file lacks is left alone. */
  readonly prune?: boolean
  /** Only answer with what would change. */
  readonly dryRun?: boolean
  /** Delete refs although others need their content. */
  readonly loseContent?: boolean
}

const mostPlans = 8

/**
 * `given` is the JSON text of a directory file, or the JSON itself. Where others change meanwhile what the file is about, it
 * is planned again: when the last step is written, everything is as the file says.
 */
export async function applyFile(
  around: ApplySurroundings,
  given: unknown,
  { prune = false, dryRun = false, loseContent = false }: ApplyOptions = {},
): Promise<Applied | Refusal> {
  const file = await readFile(given)
  if (isRefusal(file)) return file
  const bounds = around.bounds ?? usualBounds
  const concerns = concernsOf(file, prune)
  const applying: Applying = { ...around, bounds, file, prune, loseContent, concerns }
  const written: ReportedChange[] = []
  for (let plans = 1; plans <= mostPlans; plans += 1) {
    if (plans > 1) await delay(randomInt(backoffMs * 2 ** plans))
    const drawn = await drawPlan(applying)
    if (isRefusal(drawn)) return partly(drawn, written)
    if (drawn !== 'outdated') {
      const { reported, hubTokens } = drawn.plan
      const applied = { changes: [...written, ...reported], hubTokens }
      const mistake = refuseManyHubTokens(hubTokens.length, bounds)
      if (mistake !== undefined) return partly(mistake, written)
      around.checkAnswer?.(applied)
      const end = dryRun ? 'written' : await write(applying, drawn, written)
      if (isRefusal(end)) return partly(end, written)
      if (end === 'written') return applied
    }
  }
  return partly(alwaysOutdated(), written)
}

/** Two files that contradict each other take turns, until one of them waits long enough. */
const backoffMs = 10

/** A full disk after some steps is not the same as one before them. */
async function write(...[applying, drawn, written]: Parameters<typeof writePlan>) {
  try {
    return await writePlan(applying, drawn, written)
  } catch (error) {
    if (error instanceof StorageFull && written.length > 0) return noRoomForAll()
    throw error
  }
}

async function readFile(given: unknown): Promise<DirectoryFile | Refusal> {
  await nextSlice()
  const pause = slicePauses()
  const value = typeof given === 'string' ? await readJsonInSlices(given, pause) : given
  return isRefusal(value) ? value : readDirectoryFile(value, pause)
}

/** The same refusal; where steps are written already, it says so. */
function partly(refusal: Refusal, written: readonly ReportedChange[]): Refusal {
  if (written.length === 0) return refusal
  const done = `${written.length} changes of the file are made already; apply it again to make the others.`
  return { ...refusal, detail: `${refusal.detail} ${done}` }
}

function alwaysOutdated(): Refusal {
  return refuse(
    'conflict',
    'Others kept changing what this file is about while it was applied. Apply it again when they have finished.',
  )
}

function noRoomForAll(): Refusal {
  return refuse('storage_full', 'There is no room left to write.')
}

/** All new secrets are in one answer, and so in one transaction. */
function refuseManyHubTokens(made: number, { wholeChanges }: StepBounds): Refusal | undefined {
  if (made <= wholeChanges) return undefined
  return refuse(
    'bad_request',
    `The file makes ${made} new hub tokens, and one file may make at most ${wholeChanges}: their secrets are shown once, all together. Split the list into several files.`,
    { path: 'hubTokens' },
  )
}
