/** Work that does what its task says, and dies of any other word. */

import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { isMainThread, threadId } from 'node:worker_threads'
import { refuse } from '@latchkey/protocol'
import type { Doing, Work } from '../../src/threads/work.ts'

export interface OddTask {
  readonly word: string
}

export function openWork(data: unknown): Work<OddTask, string, unknown> {
  return async ({ word }, doing) => {
    const act = acts[word]
    if (act === undefined) return process.exit(1)
    return act(doing, data)
  }
}

type Act = (doing: Doing<string>, data: unknown) => unknown

const acts: Readonly<Record<string, Act>> = {
  given: (_, data) => data,
  thread: () => threadId,
  main: () => isMainThread,
  protocol: () => import.meta.resolve('@latchkey/protocol'),
  environment: () => ({ ...process.env }),
  'own id': () => readlinkSync('/proc/thread-self'),
  refused: () => refuse('content_invalid', 'as asked', { wholeBytes: 3, reason: 'for the log' }),
  failed() {
    throw Object.assign(new RangeError('as asked'), { code: 'ENOSPC' })
  },
  later() {
    setTimeout(() => {
      throw new Error('after the answer')
    })
  },
  steps({ tell }) {
    for (const step of ['one', 'two', 'three']) tell(step)
    return 'done'
  },
  buffer({ giveAway }) {
    const bytes = new Uint8Array(1000).fill(7)
    giveAway(bytes.buffer)
    return bytes
  },
  /** Until its client has gone. */
  async endless({ tell, signal }) {
    tell('begun')
    await once(signal, 'abort')
    throw new Error('given up')
  },
  /** Never looks at anything again. */
  stuck({ tell }) {
    tell('begun')
    for (;;);
  },
}
