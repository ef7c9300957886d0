/** Renders markdown on a thread of its own, one text after the other, each within a time. */

import { Worker } from 'node:worker_threads'
import { flagsFor } from '@latchkey/service/source-flags'
import type { Rendered, ToRender } from './readme-thread.ts'

export interface Renderer {
  /** Undefined where it took too long, or too many wait: the text is then shown as it is. */
  render(task: ToRender): Promise<string | undefined>
  close(): void
}

export interface RendererBounds {
  /** For one text, also on a busy machine. */
  readonly deadlineMs?: number
  readonly mostWaiting?: number
  /** A thread that has nothing to do for so long ends. */
  readonly idleMs?: number
}

const entry = new URL('./readme-thread.ts', import.meta.url)
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

export function openRenderer({
  deadlineMs = 5000,
  mostWaiting = 32,
  idleMs = 30_000,
}: RendererBounds = {}): Renderer {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let [waiting, isClosed] = [0, false]

  const end = () => {
    clearTimeout(idle)
    void thread?.terminate()
    thread = undefined
  }
  const work = async (task: ToRender): Promise<string | undefined> => {
    if (isClosed) return undefined
    clearTimeout(idle)
    thread ??= startThread()
    const html = await within(thread, task, deadlineMs)
    if (html === lost) end()
    else idle = setTimeout(end, idleMs).unref()
    return html === lost ? undefined : html
  }
  return {
    async render(task) {
      if (waiting >= mostWaiting) return undefined
      waiting += 1
      const own = last.then(() => work(task))
      last = own
      try {
        return await own
      } finally {
        waiting -= 1
      }
    },
    close() {
      isClosed = true
      end()
    },
  }
}

function startThread(): Worker {
  const thread = new Worker(entry, { execArgv: [...flagsFor(entry)], env: {}, resourceLimits })
  // A thread that dies is noticed by the task that it has. Without a listener the error would end the process.
  thread.on('error', () => {})
  thread.unref()
  return thread
}

/** Stands for a thread that must not be asked again. */
const lost = Symbol('lost')

function within(
  thread: Worker,
  task: ToRender,
  deadlineMs: number,
): Promise<string | undefined | typeof lost> {
  return new Promise((resolve) => {
    const settle = (result: string | undefined | typeof lost) => {
      clearTimeout(late)
      thread.off('message', onMessage).off('exit', onExit)
      resolve(result)
    }
    const onMessage = ({ html }: Rendered) => settle(html)
    const onExit = () => settle(lost)
    const late = setTimeout(onExit, deadlineMs)
    thread.on('message', onMessage).on('exit', onExit)
    thread.postMessage(task)
  })
}
