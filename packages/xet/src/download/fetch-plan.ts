/** Fetches what a plan says, several parts at once, and puts every chunk where it goes. */

import { shareRunning } from '@latchkey/protocol'
import type { Hash } from '../format/hash.ts'
import type { MerkleTree } from '../format/merkle-tree.ts'
import { triesWithin } from './backoff.ts'
import {
  type ByteRange,
  type DownloadCalls,
  RangeFetchError,
  type ReconstructionAnswer,
} from './download-calls.ts'
import { nameOf, type Plan, planDownload } from './download-plan.ts'
import { fetchAhead, partLengths, type RunPart, runParts, type Slabs } from './fetch-ahead.ts'
import { type Reconstruction, type Run, readReconstruction } from './read-reconstruction.ts'
import { type DownloadTarget, type FoundChunks, type ResumedRun, resumeRun } from './resume-run.ts'
import { refuseIncomplete, takePart, walkOf } from './walk-run.ts'

const defaultMaxTries = triesWithin(60)

/** Fetches a part of a run; what breaks off goes on where it was, over a new URL. */
interface PartSource {
  readonly calls: Pick<DownloadCalls, 'readRun' | 'maxTries'>
  readonly urls: RunUrls
  /** When it is aborted, nothing more is asked for. */
  readonly signal: AbortSignal
}

async function fetchPart(
  { calls, urls, signal }: PartSource,
  { planned, bytes }: RunPart,
  into: Uint8Array,
): Promise<void> {
  const { maxTries = defaultMaxTries } = calls
  let [filled, tries] = [0, 0]
  for (;;) {
    signal.throwIfAborted()
    const { url, storageUrl, age } = urls.of(planned.name)
    const rest = { start: bytes.start + filled, end: bytes.end }
    const arrived = await calls.readRun({ url, storageUrl, bytes: rest }, into.subarray(filled))
    filled += arrived.bytes
    if (filled === into.length) return
    tries = arrived.bytes > 0 ? 1 : tries + 1
    if (tries > maxTries) throw arrived.broken ?? new RangeFetchError('the storage sends nothing')
    await urls.renew(age, tries)
  }
}

interface FetchJob {
  readonly calls: DownloadCalls
  readonly file: Hash
  /** The requested range, if that is not the whole file. */
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
      const plannedEnd = walk === undefined ? 0 : walk.planned.run.start + walk.hashes.count
      if (walk === undefined || plannedEnd < term.end) return
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

/** The URLs of the runs of a file: renewed for all of them when one no longer opens its bytes. */
interface RunUrl {
  readonly url: string
  readonly storageUrl: string
  /** Rises with every renewal. */
  readonly age: number
}

interface RunUrls {
  of(runName: string): RunUrl
  /** Gets new URLs, unless somebody has since the one of this age was given. */
  renew(age: number, tries: number): Promise<void>
}

function runUrls(
  { pause }: Pick<DownloadCalls, 'pause'>,
  first: Reconstruction,
  reconstruct: () => Promise<ReconstructionAnswer>,
): RunUrls {
  let now = { ...named(first), age: 0 }
  const renewAll = shareRunning(async (tries: number) => {
    await pause(tries)
    now = { ...named(readReconstruction(await reconstruct())), age: now.age + 1 }
  })
  return {
    of(runName) {
      const { storageUrl, age, runs } = now
      const url = runs.get(runName)?.url
      if (url !== undefined) return { url, storageUrl, age }
      throw new RangeFetchError(
        'the storage packed the file again during the download; download it again',
      )
    },
    async renew(age, tries) {
      if (age === now.age) await renewAll(tries)
    },
  }
}

function named({ storageUrl, runs }: Reconstruction) {
  const byName = new Map<string, Run>()
  for (const [xorb, own] of runs) for (const run of own) byName.set(nameOf({ xorb }, run), run)
  return { storageUrl, runs: byName }
}
