/** Has the SHA-256 of files computed on threads: of each file once, and of every account its share at a time. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { shares, withShare } from '@latchkey/service/limits/shares'
import type { Catalog, FileOfRef, HashedFile, StoredFile, View } from '../catalog/catalog.ts'
import type { Sha256 } from '../catalog/sha256.ts'
import type { StorageCall } from '../request/asked.ts'
import type { Payer } from '../request/payer.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import type { Sha256Outcome, Sha256Task } from './sha256-work.ts'

export type Sha256Pool = ThreadPool<Sha256Task, never, readonly Sha256Outcome[]>

export interface FileHasher {
  /**
   * Computes it and writes it down. Goes on after a caller that does not wait for it, so that the next one finds it.
   * Undefined when the bytes cannot be read; refuses when the account has too much under way.
   */
  hashNow(payer: Payer, file: FileOfRef, bytes: number): Promise<Sha256 | Refusal | undefined>
  /** The same for files that were just registered, when there is time; nobody waits for it. */
  hashLater(registeredFiles: RegisteredFiles, files: readonly LongFile[]): void
  /** Later requests compute the hashes that are missing now. */
  close(): Promise<void>
}

/** Whose files they are, where they were registered, and what its token sees. */
export type RegisteredFiles = Pick<StorageCall, 'payer' | 'view' | 'place'>

type LongFile = Pick<StoredFile, 'hash' | 'bytes'>

export interface Hashing {
  readonly catalog: Pick<Catalog, 'findSha256s' | 'noteSha256s'>
  readonly pool: Pick<Sha256Pool, 'run'>
  readonly onDamage: (payer: Payer, outcome: Sha256Outcome) => void
  readonly onFailure: (error: unknown) => void
}

const gigabyte = 1024 ** 3

/** In gigabytes, of which a file takes one at least: so bytes and files are bounded, and large files of one account leave room for others. */
const requestedLimits = {
  max: 16,
  maxOfAccount: 4,
  maxOfRepository: 8,
  reserved: 4,
  maxWaitingOfAccount: 32,
}

/** In lists of files that were registered together. */
const registered = {
  ...{ max: 4, maxOfAccount: 1, maxOfRepository: 1, maxWaitingOfAccount: 16 },
  // No client waits for it.
  maxWaitSeconds: Number.POSITIVE_INFINITY,
}

/** As many as the threads have under way at once. */
export const maxHashedAtOnce = requestedLimits.max + registered.max

/** Files that wait in memory, of all accounts; more are hashed when they are asked for. */
const maxListed = 65_536

/** Files that were registered together form one task and one transaction. */
const batch = { files: 64, bytes: 64 * 1024 * 1024 }

export function fileHasher(hashing: Hashing): FileHasher {
  const slots = { requested: shares(requestedLimits), registered: shares(registered) }
  const stopped = new AbortController()
  const { signal } = stopped
  const content = hashedOnce(hashing, signal)
  const running = new Set<Promise<unknown>>()
  let listed = 0
  /** Whether or not anybody waits for it, it is over before the storage closes. */
  const keep = <Result>(work: Promise<Result>): Promise<Result> => {
    const settled = work.catch(() => {}).finally(() => running.delete(settled))
    running.add(settled)
    return work
  }
  const hashAll = async (registeredFiles: RegisteredFiles, list: readonly LongFile[]) => {
    const { payer, place } = registeredFiles
    for (const some of batches(list)) {
      const unknown = await leaveOutKnown(hashing, registeredFiles, some)
      if (unknown.length === 0) continue
      const own = unknown.map(({ hash }) => ({ refUid: place.refUid, hash }))
      const done = await withShare(slots.registered.take(payer, signal), () =>
        content.hash(payer, own),
      )
      if (isRefusal(done)) return
    }
  }
  return {
    hashNow(payer, file, bytes) {
      const gigabytes = Math.max(1, Math.ceil(bytes / gigabyte))
      const hash = () =>
        withShare(slots.requested.take(payer, signal, gigabytes), async () => {
          // Somebody else may have begun while this one waited.
          return content.underWay(file) ?? (await content.hash(payer, [file])).get(keyOf(file))
        })
      return keep(content.underWay(file) ?? hash())
    },
    hashLater({ payer, view, place }, files) {
      if (signal.aborted || files.length === 0 || listed + files.length > maxListed) return
      // Nothing else of the request or of its shard waits in memory.
      const list = files.map(({ hash, bytes }) => ({ hash, bytes }))
      listed += list.length
      keep(hashAll({ payer, view, place }, list))
        .catch((error) => {
          if (!signal.aborted) hashing.onFailure(error)
        })
        .finally(() => {
          listed -= list.length
        })
    },
    async close() {
      stopped.abort()
      await Promise.all(running)
    },
  }
}

/** A SHA-256 that the token sees in another ref is copied. What it does not see is not asked for: the time would tell. */
async function leaveOutKnown(
  { catalog }: Hashing,
  { payer: { repositoryUid }, view, place: { refUid } }: RegisteredFiles,
  files: readonly LongFile[],
): Promise<readonly LongFile[]> {
  const knownIn = (refs: View['refs'], some: readonly LongFile[]) =>
    catalog.findSha256s(
      { repositoryUid, refs },
      some.map(({ hash }) => hash),
    )
  const own = await knownIn([{ uid: refUid, before: undefined }], files)
  const others = files.filter(({ hash }) => !own.has(hash))
  const hashedFiles = await knownIn(view.refs, others)
  const copied = Array.from(hashedFiles, ([hash, sha256]) => ({ refUid, hash, sha256 }))
  await catalog.noteSha256s(repositoryUid, copied)
  return others.filter(({ hash }) => !hashedFiles.has(hash))
}

/** Requests for a file that is being hashed share the outcome. */
function hashedOnce({ catalog, pool, onDamage }: Hashing, signal: AbortSignal) {
  const underWay = new Map<string, Promise<Sha256 | undefined>>()
  const hashNew = async (payer: Payer, files: readonly FileOfRef[]) => {
    const { repositoryUid } = payer
    const outcomes = await pool.run({ repositoryUid, files }, { signal })
    for (const outcome of outcomes) if (outcome.damage !== undefined) onDamage(payer, outcome)
    const hashed = outcomes.filter((outcome): outcome is HashedFile => 'sha256' in outcome)
    await catalog.noteSha256s(repositoryUid, hashed)
    return new Map(hashed.map((file) => [keyOf(file), file.sha256]))
  }
  return {
    underWay: (file: FileOfRef) => underWay.get(keyOf(file)),
    /** Hashes only files that no other task has begun. */
    async hash(payer: Payer, files: readonly FileOfRef[]): Promise<ReadonlyMap<string, Sha256>> {
      const begun = files.filter((file) => !underWay.has(keyOf(file)))
      if (begun.length === 0) return new Map()
      const hashing = hashNew(payer, begun)
      for (const key of begun.map(keyOf)) {
        const one = hashing.then((found) => found.get(key))
        one.catch(() => {})
        underWay.set(key, one)
      }
      try {
        return await hashing
      } finally {
        for (const key of begun.map(keyOf)) underWay.delete(key)
      }
    },
  }
}

export function keyOf({ refUid, hash }: FileOfRef): string {
  return `${refUid} ${hash}`
}

function* batches(files: readonly LongFile[]): Generator<readonly LongFile[]> {
  let some: LongFile[] = []
  let bytes = 0
  for (const file of files) {
    if (some.length === batch.files || (some.length > 0 && bytes + file.bytes > batch.bytes)) {
      yield some
      some = []
      bytes = 0
    }
    some.push(file)
    bytes += file.bytes
  }
  if (some.length > 0) yield some
}
