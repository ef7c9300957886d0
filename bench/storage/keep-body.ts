/** The least that keeping a xorb takes: write it down, check it on another thread, sync it, give it its name. */

import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'

export interface CheckOrder {
  readonly file: string
  readonly hash: string
}

export interface Keeper {
  readonly folder: string
  keep(body: AsyncIterable<Uint8Array>, hash: string): Promise<void>
  /** What was kept so far goes. */
  empty(): void
}

/** One thread that checks, as the storage has on a machine of two cores. */
export function startKeeper(): Keeper {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-bare-'))
  const worker = new Worker(new URL('./check-worker.ts', import.meta.url))
  const waiting: PromiseWithResolvers<void>[] = []
  worker.on('message', (isSound: boolean) => {
    const next = waiting.shift()
    if (isSound) next?.resolve()
    else next?.reject(new Error('a xorb is flawed'))
  })
  const check = (order: CheckOrder) => {
    const done = Promise.withResolvers<void>()
    waiting.push(done)
    worker.postMessage(order)
    return done.promise
  }
  const kept: string[] = []
  return {
    folder,
    async keep(body, hash) {
      const file = join(folder, hash)
      await pipeline(body, createWriteStream(`${file}.new`))
      await check({ file: `${file}.new`, hash })
      await rename(`${file}.new`, file)
      kept.push(file)
    },
    empty() {
      for (const file of kept.splice(0)) rmSync(file)
    },
  }
}
