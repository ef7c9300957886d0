/** What a download asks of the storage: the token opens the answer that names URLs, and goes no further. */

import { setTimeout } from 'node:timers/promises'
import type { StorageClient } from '@latchkey/client'
import { BrokenRun, type DownloadCalls } from '@latchkey/storage/transfer'
import { refusalOf } from './read-answer.ts'

export function downloadCalls(client: StorageClient): DownloadCalls {
  return {
    async reconstruct(file) {
      const path = `/v1/reconstructions/${file}`
      const response = await client.fetch(path)
      if (!response.ok) throw await refusalOf(response, { path })
      return response.json().catch(() => undefined)
    },
    readRun,
    pause: (tries) => setTimeout(firstPauseMs * 2 ** tries),
  }
}

const firstPauseMs = 50

/** Whoever has the URL may read: no token goes along. */
async function* readRun(
  url: string,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  try {
    const headers = { range: `bytes=${start}-${end}`, 'accept-encoding': 'identity' }
    const response = await fetch(url, { headers })
    if (!response.ok) throw new BrokenRun(`the storage answers ${response.status} to its own URL`)
    yield* response.body ?? []
  } catch (error) {
    if (error instanceof BrokenRun) throw error
    throw new BrokenRun('the storage stopped in the middle of its answer')
  }
}
