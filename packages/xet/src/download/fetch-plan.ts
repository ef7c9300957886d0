/** Fetches what a plan says, several parts at once, and puts every chunk where it goes. */

import type { Hash } from '../format/hash.ts'
import type { MerkleTree } from '../format/merkle-tree.ts'
import type { ByteRange, DownloadCalls } from './download-calls.ts'
import { type Plan, planDownload } from './download-plan.ts'
import type { DownloadTarget, FoundChunks } from './download-target.ts'
import { fetchAhead, type Slabs } from './fetch-ahead.ts'
import { fetchPart } from './fetch-part.ts'
import type { Reconstruction } from './read-reconstruction.ts'
import { type ResumedRun, resumeRun } from './resume-run.ts'
import { partLengths, type RunPart, runParts } from './run-parts.ts'
import { runUrls } from './run-urls.ts'
import { refuseIncomplete, takePart, walkOf } from './walk-run.ts'

export interface FetchJob {
  readonly calls: DownloadCalls
  readonly file: Hash
  /** What was asked for, where it is not the whole file. */
  readonly range: ByteRange | undefined
  readonly reconstruction: Reconstruction
  readonly memory: Slabs
  /** Gets the hashes of all chunks, in the order of the file. */
  readonly tree: MerkleTree
  /** Bytes that are where they belong, since the last time. */
  readonly onPlaced: (bytes: number) => void
}

export async function fetchPlan(job: FetchJob, target: DownloadTarget): Promise<void> {
  const plan = planDownload(job.reconstruction)
  const runs = new Map<string, ResumedRun>()
  for (const planned of plan.runs) {
    const resumed = await resumeRun(planned, target.earlier)
    runs.set(planned.name, resumed)
    job.onPlaced(resumed.placed)
  }
  const growTree = treeGrower(job.tree, plan, runs)
  await fetchRuns(job, { runs, target, growTree })
  growTree()
}

/** Adds what is known so far while the rest is under way, so that little is left to hash in the end. */
function treeGrower(tree: MerkleTree, { terms }: Plan, runs: Runs): () => void {
  const rest = terms.values()
  let next = rest.next().value
  return () => {
    while (next !== undefined) {
      const { term, runName } = next
      const walk = runs.get(runName)?.walk
      const known = walk === undefined ? 0 : walk.planned.run.start + walk.hashes.count
      if (walk === undefined || known < term.end) return
      walk.hashes.addTo(tree, term.start, term.end)
      next = rest.next().value
    }
  }
}

/** By name. */
type Runs = ReadonlyMap<string, ResumedRun>

interface FetchPlace {
  readonly runs: Runs
  readonly target: DownloadTarget
  readonly growTree: () => void
}

/** The next chunks are taken from their part while the last ones are written. */
async function fetchRuns(
  { calls, file, range, reconstruction, memory, onPlaced }: FetchJob,
  { runs, target, growTree }: FetchPlace,
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
      growTree()
    }
    await putting
  } finally {
    stop.abort()
    // Nothing is written any more once this is over.
    await putting.catch(() => {})
  }
}

function* partsOf(runs: Runs): Generator<RunPart> {
  const lengths = partLengths()
  for (const { walk, skipped } of runs.values()) yield* runParts(walk.planned, skipped, lengths)
}

function* chunksIn(
  { planned, bytes }: RunPart,
  slab: Uint8Array,
  runs: Runs,
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
