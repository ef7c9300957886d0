/** Restarts the hub in the middle of an upload, at moments that requests of the client decide. */

import { vi } from 'vitest'
import type { Stage } from './stage.ts'

export interface Restarts {
  /** When all of them are over. */
  done(): Promise<void>
}

/**
 * Each time the first request like this arrives at the storage, the hub is stopped, and the request is handed on. The hub is
 * started again when the storage has asked it for the upload in vain. Clients have their tokens by then.
 */
export function restartHubAt(stage: Stage, calls: readonly RegExp[]): Restarts {
  const left = new Set(calls)
  const restarts: Promise<void>[] = []
  stage.door.stopEach(async (call) => {
    const found = [...left].find((shape) => shape.test(call))
    if (found === undefined) return
    left.delete(found)
    await Promise.all(restarts)
    await stage.stopHub()
    restarts.push(startWhenMissed(stage))
  })
  return {
    async done() {
      if (left.size > 0) throw new Error(`no request was like ${[...left].join(', ')}`)
      await Promise.all(restarts)
    },
  }
}

async function startWhenMissed(stage: Stage): Promise<void> {
  const before = stage.askedInVain()
  await vi.waitUntil(() => stage.askedInVain() > before, 60_000)
  await stage.startHub()
}
