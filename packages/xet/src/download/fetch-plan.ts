/** Fetches what a plan says, several parts at once, and puts every chunk where it goes. */

import type { Hash } from '../format/hash.ts'
import type { MerkleTree } from '../format/merkle-tree.ts'
import type { ByteRange, DownloadCalls } from './download-calls.ts'
import { planDownload } from './download-plan.ts'
import type { DownloadTarget, FoundChunks } from './download-target.ts'
import { fetchAhead, type Slabs } from './fetch-ahead.ts'
import { fetchPart } from './fetch-part.ts'
import type { Reconstruction } from './read-reconstruction.ts'
import { type ResumedRun, resumeRun } from './resume-run.ts'
import { type RunPart, runParts } from './run-parts.ts'
import { runUrls } from './run-urls.ts'
import { refuseIncomplete, takePart, walkOf } from './walk-run.ts'

export interface FetchJob {
  readonly calls: DownloadCalls
  readonly file: Hash
  /** What was asked for, where it is not the whole file. */
  readonly range: ByteRange | undefined
  readonly reconstruction: Reconstruction
  readonly memory: Slabs
  /** Bytes that are where they belong, since the last time. */
  readonly onPlaced: (bytes: number) => void
}

/** Adds the hashes of all chunks that a plan names, in the order of the file. */
export type AddHashes = (tree: MerkleTree) => void

export async function fetchPlan(job: FetchJob, target: DownloadTarget): Promise<AddHashes> {
  const plan = planDownload(job.reconstruction)
  const runs = new Map<string, ResumedRun>()
  for (const planned of plan.runs) {
    const resumed = await resumeRun(planned, target.earlier)
    runs.set(planned.name, resumed)
    job.onPlaced(resumed.placed)
  }
  await fetchRuns(job, runs, target)
  return (tree) => {
    for (const { term, runName } of plan.terms) {
      runs.get(runName)?.walk.hashes.addTo(tree, term.start, term.end)
    }
  }
}

/** The next chunks are taken from their part while the last ones are written. */
async function fetchRuns(
  { calls, file, range, reconstruction, memory, onPlaced }: FetchJob,
  runs: ReadonlyMap<string, ResumedRun>,
  target: DownloadTarget,
): Promise<void> {
  const stop = new AbortController()
  const urls = runUrls(calls, reconstruction, () => calls.reconstruct(file, range))
  const source = { calls, urls, signal: stop.signal }
  const fetched = fetchAhead(partsOf(runs), memory, (part, into) => fetchPart(source, part, into))
  let putting: Promise<void> = Promise.resolve()
  try {
    for await (const { part, slab, release } of fetched) {
      for (const found of chunksIn(part, slab, runs)) {
        await putting
        putting = target.put(found).then(() => onPlaced(bytesIn(found)))
        putting.catch(() => {})
      }
      putting = putting.then(release)
      putting.catch(() => {})
    }
    await putting
  } finally {
    stop.abort()
    // Nothing is written any more once this is over.
    await putting.catch(() => {})
  }
}

function* partsOf(runs: ReadonlyMap<string, ResumedRun>): Generator<RunPart> {
  for (const { walk, skipped } of runs.values()) yield* runParts(walk.planned, skipped)
}

function* chunksIn(
  { planned, bytes }: RunPart,
  slab: Buffer,
  runs: ReadonlyMap<string, ResumedRun>,
): Generator<FoundChunks> {
  const { walk } = runs.get(planned.name) ?? { walk: walkOf(planned) }
  for (const chunks of takePart(walk, slab, bytes.end + 1 - bytes.start)) {
    yield { runName: planned.name, first: walk.hashes.count - chunks.length, chunks }
  }
  if (bytes.end === planned.run.bytes.end) refuseIncomplete(walk)
}

function bytesIn({ chunks }: FoundChunks): number {
  return chunks.reduce((sum, { bytes, positions }) => sum + bytes.length * positions.length, 0)
}
