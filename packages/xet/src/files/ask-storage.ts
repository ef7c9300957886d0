/** One question to the storage, with its whole answer: asked again where the answer breaks off. */

import { LatchkeyError, type StorageClient, type StorageRequestInit } from '@latchkey/client'
import { pause } from './pause.ts'
import { readAtMost } from './read-at-most.ts'
import { refusalOf } from './refusal-of.ts'

/** Longer than any list of chunks. */
const longestAnswer = 64 * 1024 * 1024
/** The client has tried to get the beginning of an answer for as long as its options say; this is for its end. */
const mostTries = 5

export interface Question extends StorageRequestInit {
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly signal: AbortSignal
}

export interface WholeAnswer {
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The storage's "no" is a value; where no whole answer comes, it throws. */
export async function askStorage(
  client: StorageClient,
  path: string,
  question: Question,
): Promise<WholeAnswer | LatchkeyError> {
  const { method = 'GET', signal } = question
  for (let tries = 1; ; tries += 1) {
    const response = await client.fetch(path, question)
    const { ok, status, headers } = response
    if (!ok) return refusalOf(response, { method, path })
    const bytes = await readAtMost(response, longestAnswer).catch(() => 'broken' as const)
    if (bytes instanceof Uint8Array) return { headers, bytes }
    signal.throwIfAborted()
    const facts = { method, path, status }
    if (bytes === undefined) {
      throw new LatchkeyError('answer_invalid', 'The storage answers with more than 64 MiB.', facts)
    }
    if (tries === mostTries) {
      throw new LatchkeyError('storage_unreachable', 'The storage stops in its answers.', facts)
    }
    await pause(tries, signal)
  }
}
