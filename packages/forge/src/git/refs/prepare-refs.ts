/** Changes refs in two steps: git locks and checks them, and moves them when it is told to. */

import type { GitCommands } from '../process/git-commands.ts'
import { GitFailed } from '../process/git-errors.ts'
import { linesOf } from '../process/lines.ts'
import type { GitProcess } from '../process/start-git.ts'
import { formatChange, type RefChange } from './ref-change.ts'

export type RefConflict =
  /** A ref does not point to what it should. */
  | 'moved'
  /** A ref is being changed by somebody else, or was when that one was killed. */
  | 'locked'
  /** `refs/heads/a` and `refs/heads/a/b` cannot both be there. */
  | 'name-taken'

export interface PreparedRefs {
  readonly ok: true
  /** After a failure refs may be old or new: `recover` settles them. */
  commit(): Promise<void>
  /** Also after a failure or a commit, when it does nothing. */
  abort(): Promise<void>
  /** When git has let go of the refs, in whatever way. */
  readonly ended: Promise<void>
}

export type PrepareResult = PreparedRefs | { readonly ok: false; readonly conflict: RefConflict }

export interface PrepareOptions {
  /** After this long without a word git gives up and the refs are as before. */
  readonly holdMs?: number
  /** Counts until the refs are prepared. */
  readonly signal?: AbortSignal | undefined
}

const usualHoldMs = 30_000
const commitDeadlineMs = 60_000

export async function prepareRefs(
  commands: GitCommands,
  changes: readonly RefChange[],
  { holdMs = usualHoldMs, signal }: PrepareOptions = {},
): Promise<PrepareResult> {
  const text = changes.map(formatChange).join('')
  const args = ['update-ref', '--no-deref', '--stdin', '-z']
  const git = await commands.start(args, { deadlineMs: holdMs, signal })
  const answers = linesOf(git.output())
  git.stdin.write(`start\0${text}prepare\0`)
  try {
    await expectAnswer(answers, 'start: ok')
    await expectAnswer(answers, 'prepare: ok')
  } catch (error) {
    git.kill(error)
    const conflict = conflictIn(error)
    if (conflict === undefined) throw error
    return { ok: false, conflict }
  }
  git.letFinish(holdMs)
  return heldBy(git, answers)
}

function heldBy(git: GitProcess, answers: AsyncGenerator<string>): PreparedRefs {
  const ended = git.ended.catch(() => {})
  return {
    ok: true,
    ended,
    async commit() {
      git.letFinish(commitDeadlineMs)
      git.stdin.end('commit\0')
      await expectAnswer(answers, 'commit: ok')
      await git.ended
    },
    async abort() {
      // At the end of its input git gives up what it has prepared.
      git.stdin.end()
      await ended
    },
  }
}

async function expectAnswer(answers: AsyncGenerator<string>, expectedLine: string): Promise<void> {
  const { value } = await answers.next()
  if (value !== expectedLine)
    throw new GitFailed('exit', `update-ref did not say "${expectedLine}"`)
}

// biome-ignore format: a table is read by its columns
const sayings: readonly (readonly [RefConflict, RegExp])[] = [
  ['name-taken', /cannot create '/],
  ['locked',     /Unable to create '.*\.lock': File exists/],
  ['moved',      /but expected|reference already exists|unable to resolve reference '[^']*'$/m],
]

function conflictIn(error: unknown): RefConflict | undefined {
  if (!(error instanceof GitFailed) || error.reason !== 'exit') return undefined
  return sayings.find(([, saying]) => saying.test(error.stderr))?.[0]
}
