/** Renders markdown and reads cards on a thread of their own, one text after the other, each within a time. */

import { Worker } from 'node:worker_threads'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { shares, withShare } from '@latchkey/service/limits/shares'
import { flagsFor } from '@latchkey/service/source-flags'
import type { CardMetadata } from '../cards/card.ts'
import { longestHead } from '../cards/front-matter.ts'
import type { Validation } from '../cards/validate-card.ts'
import type { Done, Task, WorkName } from './readme-thread.ts'
import type { ReadmePlace } from './repo-links.ts'

export interface ReadmeThread {
  /** Undefined where it took too long, or too many wait: the text is then shown as it is. */
  render(task: { readonly text: string; readonly place: ReadmePlace }): Promise<string | undefined>
  /** Undefined where the card of a README.md cannot be read, also because it took too long. */
  readCard(text: string): Promise<CardMetadata | undefined>
  /** The texts of one account wait for each other before those of others do. */
  validateCard(text: string, account: string): Promise<Validation | Refusal>
  close(): void
}

export interface ReadmeThreadBounds {
  /** For one text, also on a busy machine. */
  readonly deadlineMs?: number
  /** Of one account. Pages of the hub count as one. */
  readonly maxWaitingOfAccount?: number
  /** A thread that has nothing to do for so long ends. */
  readonly idleMs?: number
}

const entry = new URL('./readme-thread.ts', import.meta.url)
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** No account has this name. */
const pages = 'pages of the hub'

export function openReadmeThread({
  deadlineMs = 5000,
  maxWaitingOfAccount = 32,
  idleMs = 30_000,
}: ReadmeThreadBounds = {}): ReadmeThread {
  const turns = shares({ max: 1, maxWaiting: 128, maxWaitingOfAccount })
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false

  const end = () => {
    clearTimeout(idle)
    void thread?.terminate()
    thread = undefined
  }
  const work = async <Name extends WorkName>(task: Task<Name>): Promise<Done<Name> | 'late'> => {
    if (isClosed) return 'late'
    clearTimeout(idle)
    thread ??= startThread()
    const done = await within(thread, task, deadlineMs)
    if (done === 'late') end()
    else idle = setTimeout(end, idleMs).unref()
    return done
  }
  const inTurn = <Name extends WorkName>(account: string, task: Task<Name>) =>
    withShare(turns.take({ account }), () => work(task))
  return {
    async render({ text, place }) {
      const done = await inTurn(pages, { name: 'renderMarkdown', args: [text, place] })
      return done === 'late' || isRefusal(done) ? undefined : done.result
    },
    async readCard(text) {
      const done = await inTurn(pages, { name: 'readCardMetadata', args: [headOf(text)] })
      return done === 'late' || isRefusal(done) ? undefined : done.result
    },
    async validateCard(text, account) {
      const done = await inTurn(account, { name: 'validateCard', args: [headOf(text)] })
      if (isRefusal(done)) return done
      return (done === 'late' ? undefined : done.result) ?? tooLong
    },
    close() {
      isClosed = true
      end()
    },
  }
}

/** One character more, so that a text which is too long is seen to be. */
function headOf(text: string): string {
  return text.slice(0, longestHead + 1)
}

const tooLong: Validation = {
  errors: [{ message: 'The metadata takes too long to read. Make it shorter or simpler.' }],
  warnings: [],
}

function startThread(): Worker {
  const thread = new Worker(entry, { execArgv: [...flagsFor(entry)], env: {}, resourceLimits })
  // A thread that dies is noticed by the task that it has. Without a listener the error would end the process.
  thread.on('error', () => {})
  thread.unref()
  return thread
}

/** A thread that is late must not be asked again. */
function within<Name extends WorkName>(
  thread: Worker,
  task: Task<Name>,
  deadlineMs: number,
): Promise<Done<Name> | 'late'> {
  return new Promise((resolve) => {
    const settle = (result: Done<Name> | 'late') => {
      clearTimeout(late)
      thread.off('message', settle).off('exit', onExit)
      resolve(result)
    }
    const onExit = () => settle('late')
    const late = setTimeout(onExit, deadlineMs)
    thread.on('message', settle).on('exit', onExit)
    thread.postMessage(task)
  })
}
