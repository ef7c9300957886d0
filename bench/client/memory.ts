/** A hub and a storage that answer from memory, so that what is measured is the client. */

import { createStorageClient, type StorageClient } from '@latchkey/client'

const casUrl = 'https://cas.example/r/bert/main'

export interface Memory {
  readonly client: StorageClient
  /** Answers like a storage, at once. */
  readonly fetch: typeof fetch
  /** How often a token was asked for. */
  asked(): number
}

export function inMemory(): Memory {
  let asked = 0
  const answerFrom: typeof fetch = async (input) => {
    if (!String(input).startsWith('https://hub.example/')) return new Response(null)
    asked += 1
    const exp = Math.floor(Date.now() / 1000) + 900
    return Response.json({ accessToken: 'a.b.c', exp, casUrl })
  }
  const client = createStorageClient({
    hubUrl: 'https://hub.example',
    hubToken: 'lk_bench',
    repo: 'models/acme/bert',
    fetch: answerFrom,
  })
  return { client, fetch: answerFrom, asked: () => asked }
}
