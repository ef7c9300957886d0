/** Makes the directory as a file says: planned beside other writers, written in short transactions. */

import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type DirectoryFile, readDirectoryFile } from '@latchkey/admin-api'
import { readJsonInSlices } from '@latchkey/admin-api/read-json'
import { isRefusal, type JournalNumber, type Refusal, refuse } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'
import { nextSlice, slicePauses } from '@latchkey/service/limits/slices'
import { findHead } from '../journal/read-journal.ts'
import type { Change, Put } from '../tables/change.ts'
import type { Transaction } from '../tables/directory.ts'
import { concernsOf } from './concerns.ts'
import { type DrawnPlan, drawPlan, isOutdated } from './plan-file.ts'
import type {
  Applying,
  ApplyResult,
  ApplySurroundings,
  ReportedChange,
  StepBounds,
  Unit,
} from './planning.ts'

interface ApplyOptions {
  /** Delete what a section does not name; a section that the file lacks is left alone. */
  readonly prune?: boolean
  /** Only answer with what would change. */
  readonly dryRun?: boolean
  /** Delete refs although others need their content. */
  readonly loseContent?: boolean
}

const maxPlans = 8

/**
 * `given` is the JSON text of a directory file, or the JSON itself. Where others change meanwhile what the file is about, it
 * is planned again: when the last step is written, everything is as the file says.
 */
export async function applyFile(
  around: ApplySurroundings,
  input: unknown,
  { prune = false, dryRun = false, loseContent = false }: ApplyOptions = {},
): Promise<ApplyResult | Refusal> {
  const file = await readFile(input)
  if (isRefusal(file)) return file
  const bounds = around.bounds ?? usualBounds
  const concerns = concernsOf(file, prune)
  const applying: Applying = { ...around, bounds, file, prune, loseContent, concerns }
  const written: ReportedChange[] = []
  for (let plans = 1; plans <= maxPlans; plans += 1) {
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

async function readFile(input: unknown): Promise<DirectoryFile | Refusal> {
  await nextSlice()
  const pause = slicePauses()
  const value = typeof input === 'string' ? await readJsonInSlices(input, pause) : input
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
    'Other clients kept changing the objects of this file while it was applied. Apply it again when they have finished.',
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

const usualBounds: StepBounds = {
  wholeChanges: 2000,
  stepMs: 500,
  changesAtOnce: 500,
  pauseMs: 60,
}

/** Adds to `written` what the steps have made, also where the plan is outdated before its end. */
async function writePlan(
  applying: Applying,
  { plan, actor, since }: DrawnPlan,
  written: ReportedChange[],
): Promise<'written' | 'outdated' | Refusal> {
  const { directory, identify, originOf, concerns, bounds } = applying
  const isWhole = sizeOf(plan.units) <= bounds.wholeChanges
  const stepMs = isWhole ? Number.POSITIVE_INFINITY : bounds.stepMs
  const { changesAtOnce } = bounds
  let rest = isWhole ? plan.units : orderForSteps(plan.units)
  let head = since
  const writeStep = async ({ tables, number, putAs }: Transaction) => {
    const current = await identify()
    if (isRefusal(current)) return current
    const isOther = !isDeepStrictEqual(current, actor)
    if (isOther || (await isOutdated(tables, head, concerns))) return 'outdated'
    const put = putAs(originOf(current))
    const count = await putUnits(rest, { stepMs, changesAtOnce }, (changes) =>
      put(changes.map((change) => numberChange(change, number))),
    )
    return { count, head: (await findHead(tables)).number }
  }
  while (rest.length > 0) {
    const step = await directory.change(writeStep)
    if (step === 'outdated' || isRefusal(step)) return step
    for (const { reported } of rest.slice(0, step.count)) written.push(...reported)
    rest = rest.slice(step.count)
    head = step.head
    if (rest.length > 0) await delay(bounds.pauseMs)
  }
  return 'written'
}

/** Puts units until the time is over; gives how many. */
async function putUnits(
  units: readonly Unit[],
  { stepMs, changesAtOnce }: Pick<StepBounds, 'stepMs' | 'changesAtOnce'>,
  put: Put,
): Promise<number> {
  const end = performance.now() + stepMs
  let count = 0
  while (count < units.length && (count === 0 || performance.now() < end)) {
    const changes: Unit['changes'][number][] = []
    for (const unit of units.slice(count, count + changesAtOnce)) {
      if (changes.length > 0 && changes.length + unit.changes.length > changesAtOnce) break
      for (const change of unit.changes) changes.push(change)
      count += 1
    }
    await put(changes)
  }
  return count
}

function sizeOf(units: readonly Unit[]): number {
  return units.reduce((sum, { changes }) => sum + changes.length, 0)
}

/** Moments of a plan: every row that carries one gets the number of the transaction that writes it. */
function numberChange(change: Change, number: JournalNumber): Change {
  switch (change.thing) {
    case 'commit':
      return { ...change, number }
    case 'ref': {
      const { before, after } = change
      const isForked = before === undefined && typeof after?.forked_number === 'number'
      return isForked ? { ...change, after: { ...after, forked_number: number } } : change
    }
    case 'repository': {
      const { before, after } = change
      const isRaised = before !== undefined && after !== undefined && after.epoch !== before.epoch
      return isRaised ? { ...change, after: { ...after, epoch: number } } : change
    }
    default:
      return change
  }
}

/**
 * Rows that exist are deleted or changed before new rows are made, because these changes can take access away. All changes of
 * administrators are one unit: between two of them the directory could be without one.
 */
function orderForSteps(units: readonly Unit[]): readonly Unit[] {
  const administrators = units.filter(touchesAdministrator)
  const others = units.filter((unit) => !touchesAdministrator(unit))
  return [
    ...others.filter(onlyOld),
    ...(administrators.length === 0 ? [] : [merged(administrators)]),
    ...others.filter((unit) => !onlyOld(unit)),
  ]
}

function touchesAdministrator({ changes }: Unit): boolean {
  return changes.some(
    (change) =>
      change.thing === 'account' &&
      (change.before?.administrator === 1 || change.after?.administrator === 1),
  )
}

function onlyOld({ changes }: Unit): boolean {
  return changes.every(isOld)
}

function isOld(change: Change): boolean {
  return 'before' in change && change.before !== undefined
}

function merged(units: readonly Unit[]): Unit {
  return {
    changes: units.flatMap(({ changes }) => changes),
    reported: units.flatMap(({ reported }) => reported),
  }
}
