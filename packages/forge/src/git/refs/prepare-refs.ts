/** Changes refs in two steps: git locks and checks them, and moves them when it is told to. */

import type { GitCommands } from '../process/git-commands.ts'
import { GitFailed } from '../process/git-errors.ts'
import { linesOf } from '../process/lines.ts'
import type { HeldUpdates, RefUpdater } from './held-updates.ts'
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
  { holdMs = usualHoldMs, signal, held }: PrepareOptions & { readonly held?: HeldUpdates } = {},
): Promise<PrepareResult> {
  const text = changes.map(formatChange).join('')
  const release = await commands.takeSlot(signal)
  const updater = await openUpdater(commands, held, holdMs).catch((error) => {
    release()
    throw error
  })
  const { git, answers } = updater
  const whenOver = Promise.withResolvers<void>()
  const over = () => {
    release()
    whenOver.resolve()
  }
  git.ended.then(over, over)
  const stop = () => git.kill(signal?.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  git.stdin.write(`start\0${text}prepare\0`)
  try {
    await expectAnswer(answers, 'start: ok')
    await expectAnswer(answers, 'prepare: ok')
  } catch (error) {
    git.kill(error)
    const conflict = conflictIn(error)
    if (conflict === undefined) throw error
    return { ok: false, conflict }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
  git.letFinish(holdMs)
  return prepared(updater, {
    ended: whenOver.promise,
    async done() {
      if (held === undefined) {
        git.stdin.end()
        await git.ended
        return
      }
      git.letFinish(Number.POSITIVE_INFINITY)
      held.keep(commands.folder, updater)
      over()
    },
  })
}

const args = ['update-ref', '--no-deref', '--stdin', '-z']

async function openUpdater(
  commands: GitCommands,
  held: HeldUpdates | undefined,
  deadlineMs: number,
): Promise<RefUpdater> {
  const waiting = held?.take(commands.folder)
  if (waiting !== undefined) {
    waiting.git.letFinish(deadlineMs)
    return waiting
  }
  const git = await commands.start(args, { deadlineMs, hasSlot: true })
  return { git, answers: linesOf(git.output()), uses: 0 }
}

interface Ending {
  readonly ended: Promise<void>
  /** To be called when git has let go of the refs. */
  done(): Promise<void>
}

function prepared(updater: RefUpdater, { ended, done }: Ending): PreparedRefs {
  const { git, answers } = updater
  let isCommitted = false
  return {
    ok: true,
    ended,
    async commit() {
      git.letFinish(commitDeadlineMs)
      git.stdin.write('commit\0')
      await expectAnswer(answers, 'commit: ok')
      isCommitted = true
      updater.uses += 1
      await done()
    },
    async abort() {
      // It may be at work for another by now.
      if (isCommitted) return
      // At the end of its input git gives up what it has prepared.
      git.stdin.end()
      await git.ended.catch(() => {})
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
