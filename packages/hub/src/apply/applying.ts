/** A directory file on its way into the directory, and who brings it. */

import type { DirectoryFile } from '@latchkey/admin-api'
import type { Refusal } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import type { Origin } from '../tables/change.ts'
import type { Directory, Work } from '../tables/directory.ts'
import type { Concerns } from './concerns.ts'
import type { Applied } from './planning.ts'

export interface ApplySurroundings extends Omit<Work, 'tables'> {
  readonly directory: Directory
  /** Finds the caller anew for each plan and for each step; undefined for the machine itself. */
  readonly identify: () => Promise<Caller | Refusal | undefined>
  readonly originOf: (actor: Caller | undefined) => Origin
  /** Throws where the answer cannot be given; called before anything is written. */
  readonly checkAnswer?: (applied: Applied) => void
  readonly bounds?: StepBounds
}

/** How much is written while other writers wait. */
export interface StepBounds {
  /** A plan with at most so many changes is written whole or not at all. */
  readonly wholeChanges: number
  /** A larger one goes in steps; each ends after this time. */
  readonly stepMs: number
  /** Rows of one table go together, so that many changes at once take fewer statements; a step has at least these. */
  readonly changesAtOnce: number
  /** Between two steps; long enough for other processes, which look for the lock every 25 ms on SQLite. */
  readonly pauseMs: number
}

export interface Applying extends ApplySurroundings {
  readonly bounds: StepBounds
  readonly file: DirectoryFile
  readonly prune: boolean
  readonly loseContent: boolean
  readonly concerns: Concerns
}
