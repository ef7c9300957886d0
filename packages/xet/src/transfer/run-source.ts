/** The chunks that URLs open: as they come, or kept where several terms need the same. */

import type { Hash } from '../format/hash.ts'
import type { Term } from '../format/term.ts'
import { BrokenRun, type DownloadCalls } from './download-calls.ts'
import { heldRuns } from './held-runs.ts'
import { packedChunks, unpack } from './packed-chunks.ts'
import { type Reconstruction, type Run, readReconstruction, runFor } from './read-reconstruction.ts'

export interface RunSource {
  /** Chunks `from` to the last of the term. */
  chunks(term: Term, from: number): AsyncIterable<Uint8Array>
  /** Gets new URLs. */
  renew(tries: number): Promise<void>
  /** The term is not needed again. */
  done(term: Term): void
}

const mostHeldBytes = 256 * 1024 * 1024

export function runSource(calls: DownloadCalls, file: Hash, first: Reconstruction): RunSource {
  let now = first
  const held = heldRuns(mostHeldBytes)
  const needs = countNeeds(first)

  async function* chunksOf({ url, bytes, start }: Run, from: number, end: number) {
    let index = start
    const { storageUrl } = now
    for await (const packed of packedChunks(calls.readRun({ url, storageUrl, bytes }))) {
      if (index >= from) yield packed
      index += 1
      if (index === end) return
    }
    throw new BrokenRun('the storage stopped in the middle of its answer')
  }
  const wholeOf = async (name: string, run: Run) => {
    const chunks: Buffer[] = []
    for await (const chunk of chunksOf(run, run.start, run.end)) chunks.push(chunk)
    held.hold(name, chunks)
    return chunks
  }
  return {
    async *chunks(term, from) {
      const run = runFor(now, term)
      const name = nameOf(term.xorb, run)
      const isShared = (needs.get(name) ?? 0) > 1
      const whole = held.get(name) ?? (isShared ? await wholeOf(name, run) : undefined)
      const packed = whole?.slice(from - run.start, term.end - run.start)
      for await (const one of packed ?? chunksOf(run, from, term.end)) yield unpack(one)
    },
    async renew(tries) {
      await calls.pause(tries)
      now = readReconstruction(await calls.reconstruct(file))
    },
    done(term) {
      const name = nameOf(term.xorb, runFor(now, term))
      const left = (needs.get(name) ?? 1) - 1
      needs.set(name, left)
      if (left === 0) held.drop(name)
    },
  }
}

function countNeeds(reconstruction: Reconstruction): Map<string, number> {
  const needs = new Map<string, number>()
  for (const term of reconstruction.terms) {
    const name = nameOf(term.xorb, runFor(reconstruction, term))
    needs.set(name, (needs.get(name) ?? 0) + 1)
  }
  return needs
}

function nameOf(xorb: Hash, { start, end }: Run): string {
  return `${xorb} ${start} ${end}`
}
