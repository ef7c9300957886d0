/** One question to the storage, with its whole answer: asked again where the answer breaks off. */

import { LatchkeyError, type StorageClient, type StorageRequestInit } from '@latchkey/client'
import { pause } from './pause.ts'
import { readAtMost } from './read-at-most.ts'
import { refusalOf } from './refusal-of.ts'

/** Longer than any list of chunks. */
const longestAnswer = 64 * 1024 * 1024
/** For answers that break off after their headers; the client itself repeats requests until the headers come. */
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
      throw new LatchkeyError(
        'answer_invalid',
        'The answer of the storage is longer than 64 MiB, which no right one is: check casUrl of the hub.',
        facts,
      )
    }
    if (tries === mostTries) {
      throw new LatchkeyError(
        'storage_unreachable',
        'Every answer of the storage broke off. Check the network, and try again later.',
        facts,
      )
    }
    await pause(tries, signal)
  }
}
