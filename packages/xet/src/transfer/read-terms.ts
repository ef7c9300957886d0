/** Reads the chunks of a file term by term; what breaks off goes on where it was. */

import type { Hash } from '../format/hash.ts'
import type { Term } from '../format/term.ts'
import { BrokenRun, type DownloadCalls } from './download-calls.ts'
import { Misdelivered } from './misdelivered.ts'
import type { Reconstruction } from './read-reconstruction.ts'
import { type RunSource, runSource } from './run-source.ts'

/** In a row, without a single chunk in between. */
const mostTries = 5

export async function* readTerms(
  calls: DownloadCalls,
  file: Hash,
  reconstruction: Reconstruction,
): AsyncGenerator<Uint8Array> {
  const source = runSource(calls, file, reconstruction)
  for (const term of reconstruction.terms) {
    yield* readTerm(source, term)
    source.done(term)
  }
}

async function* readTerm(source: RunSource, term: Term): AsyncGenerator<Uint8Array> {
  let next = term.start
  let bytes = 0
  let tries = 0
  while (next < term.end) {
    try {
      for await (const chunk of source.chunks(term, next)) {
        next += 1
        tries = 0
        bytes += chunk.length
        yield chunk
      }
    } catch (error) {
      if (!(error instanceof BrokenRun) || tries === mostTries) throw error
      tries += 1
      await source.renew(tries)
    }
  }
  if (bytes === term.unpackedBytes) return
  throw new Misdelivered(`the storage sent ${bytes} bytes where it announced ${term.unpackedBytes}`)
}
