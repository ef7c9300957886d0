/** Renders markdown and reads cards on a thread of their own, one text after the other, each within a time. */

import { Worker } from 'node:worker_threads'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { type Html, trustedHtml } from '@latchkey/service/http/html'
import { shares, withShare } from '@latchkey/service/limits/shares'
import { flagsFor } from '@latchkey/service/machine/runtime'
import type { CardFacts } from './card/card-facts.ts'
import { maxHeadLength } from './card/front-matter.ts'
import type { Validation } from './card/validate-card.ts'
import type { Done, Task, WorkName } from './readme-thread.ts'
import type { ReadmePlace } from './repo-links.ts'

/** The texts of one payer wait for each other before those of others do: an account, or the network of a client. */
export interface ReadmeThread {
  /** Undefined where it took too long, or too many wait: the text is then shown as it is. */
  render(task: MarkdownTask): Promise<Html | undefined>
  readCard(task: CardTask): Promise<CardFacts | CardFailure | Refusal>
  validateCard(text: string, payer: string): Promise<Validation | Refusal>
  close(): void
}

export interface MarkdownTask {
  readonly text: string
  readonly place: ReadmePlace
  readonly payer: string
}

export interface CardTask {
  /** The content of a README.md. */
  readonly text: string
  /** Beside those of the card. */
  readonly extraTags: readonly string[]
  readonly payer: string
}

/** The card itself is at fault: no parser accepts it, or it takes too long. */
export type CardFailure = 'invalid' | 'slow'

export interface ReadmeThreadBounds {
  /** For one text, once the thread works. */
  readonly deadlineMs?: number
  readonly maxWaitingOfPayer?: number
  /** A thread that has nothing to do for so long ends. */
  readonly idleMs?: number
}

/** For the thread to start, also on a busy machine. */
const startMs = 10_000
const entry = new URL('./readme-thread.ts', import.meta.url)
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

interface StartedThread {
  readonly worker: Worker
  readonly ready: Promise<'ready' | 'late'>
}

export function openReadmeThread({
  deadlineMs = 1000,
  maxWaitingOfPayer = 32,
  idleMs = 30_000,
}: ReadmeThreadBounds = {}): ReadmeThread {
  const turns = shares({ max: 1, maxWaiting: 128, maxWaitingOfAccount: maxWaitingOfPayer })
  let thread: StartedThread | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false

  const end = () => {
    clearTimeout(idle)
    void thread?.worker.terminate()
    thread = undefined
  }
  const work = async <Name extends WorkName>(
    task: Task<Name>,
  ): Promise<Done<Name> | 'late' | Refusal> => {
    if (isClosed) return notStarted
    clearTimeout(idle)
    thread ??= startThread()
    const { worker, ready } = thread
    if ((await ready) === 'late') {
      end()
      return notStarted
    }
    const done = messageOf<Done<Name>>(worker, deadlineMs)
    worker.postMessage(task)
    if ((await done) === 'late') end()
    else idle = setTimeout(end, idleMs).unref()
    return done
  }
  const inTurn = <Name extends WorkName>(account: string, task: Task<Name>) =>
    withShare(turns.take({ account }), () => work(task))
  return {
    async render({ text, place, payer }) {
      const done = await inTurn(payer, { name: 'renderMarkdown', args: [text, place] })
      if (done === 'late' || isRefusal(done) || done.result === undefined) return undefined
      // Made of `Html` by the thread, and a message of a thread is text again.
      return trustedHtml(done.result)
    },
    async readCard({ text, extraTags, payer }) {
      const done = await inTurn(payer, { name: 'readCardFacts', args: [headOf(text), extraTags] })
      if (isRefusal(done)) return done
      return done === 'late' ? 'slow' : (done.result ?? 'invalid')
    },
    async validateCard(text, payer) {
      const done = await inTurn(payer, { name: 'validateCard', args: [headOf(text)] })
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
  return text.slice(0, maxHeadLength + 1)
}

const tooLong: Validation = {
  errors: [{ message: 'The metadata takes too long to read. Make it shorter or simpler.' }],
  warnings: [],
}

const notStarted = refuse(
  'not_ready',
  'The hub reads no cards at the moment. Send the request again in a few seconds.',
  { retryAfterSeconds: 5 },
)

function startThread(): StartedThread {
  const worker = new Worker(entry, { execArgv: [...flagsFor(entry)], env: {}, resourceLimits })
  // A thread that dies is noticed by the task that it has. Without a listener the error would end the process.
  worker.on('error', () => {})
  worker.unref()
  return { worker, ready: messageOf<'ready'>(worker, startMs) }
}

/** The next one. A thread that is late, or has ended, must not be asked again. */
function messageOf<Message>(worker: Worker, deadlineMs: number): Promise<Message | 'late'> {
  return new Promise((resolve) => {
    const settle = (message: Message | 'late') => {
      clearTimeout(late)
      worker.off('message', settle).off('exit', onExit)
      resolve(message)
    }
    const onExit = () => settle('late')
    const late = setTimeout(onExit, deadlineMs)
    worker.on('message', settle).on('exit', onExit)
  })
}
