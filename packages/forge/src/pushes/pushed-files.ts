/** Finds the large files that a pushed ref leads to, and gives the ref their content. */

import type { CallerQuestions, IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  type RefName,
  type Refusal,
  type RepoRef,
  refuse,
} from '@latchkey/protocol'
import { nextSlice, slicePauses } from '@latchkey/service/limits/slices'
import { findContent } from '../commits/find-content.ts'
import type { ObjectHash, Quarantine } from '../git/index.ts'
import type { AskStorage, FileHash } from '../large-files/ask-storage.ts'
import { maxPointerBytes, minPointerBytes, type Pointer, parsePointer } from '../words/pointer.ts'
import { quoted } from '../words/quoted.ts'
import type { PushedObjects } from './check-objects.ts'

export interface PushedFiles {
  /** New to the repository: their content must be there. */
  readonly added: readonly PushedFile[]
  /** Files of commits that the repository has. Content that was lost before keeps nobody from a push. */
  readonly others: readonly Pointer[]
}

export interface PushedFile extends Pointer {
  readonly path: string
}

const objectsAtOnce = 1000

interface PushedHistory {
  readonly to: ObjectHash
  /** Where the ref was. */
  readonly before?: CommitHash | undefined
  /** Commits that the ref had, or that other refs have. */
  readonly others: Iterable<ObjectHash>
}

/**
 * Files that these commits have and the others do not. Git leaves out what a commit at the edge of the others has, also
 * where the ref itself has lost it since: a merge may bring it back.
 */
async function* linkedFiles(quarantine: Quarantine, { to, before, others }: PushedHistory) {
  yield* quarantine.linked([to], others)
  if (before !== undefined) yield* quarantine.between(before, to as CommitHash)
}

export async function findPushedFiles(
  quarantine: Quarantine,
  { small, all }: PushedObjects,
  history: PushedHistory,
): Promise<PushedFiles> {
  const ownPaths = new Map<ObjectHash, string>()
  const stored: ObjectHash[] = []
  const pause = slicePauses()
  for await (const { hash, path } of linkedFiles(quarantine, history)) {
    await pause()
    if (path === undefined) continue
    if (small.has(hash)) ownPaths.set(hash, path)
    else if (!all.has(hash)) stored.push(hash)
  }
  const added: PushedFile[] = []
  for await (const [hash, pointer] of pointersIn(quarantine, [...ownPaths.keys()])) {
    added.push({ ...pointer, path: shown(ownPaths.get(hash) ?? '') })
  }
  const infos = await quarantine.infoOf(stored)
  const likely = infos.flatMap((info) => {
    const isSmall =
      info?.kind === 'blob' && info.size >= minPointerBytes && info.size <= maxPointerBytes
    return isSmall ? [info.hash] : []
  })
  const pointers: Pointer[] = []
  for await (const [, pointer] of pointersIn(quarantine, likely)) pointers.push(pointer)
  return { added: once(added), others: once(pointers) }
}

async function* pointersIn(
  quarantine: Quarantine,
  hashes: readonly ObjectHash[],
): AsyncGenerator<readonly [ObjectHash, Pointer]> {
  for (let at = 0; at < hashes.length; at += objectsAtOnce) {
    const group = hashes.slice(at, at + objectsAtOnce)
    for (const blob of await quarantine.read(group)) {
      const pointer = blob && parsePointer(blob.bytes)
      if (blob !== undefined && pointer !== undefined && pointer.sizeBytes > 0) {
        yield [blob.hash, pointer]
      }
    }
    await nextSlice()
  }
}

function once<File extends Pointer>(files: readonly File[]): readonly File[] {
  return [...new Map(files.map((file) => [`${file.oid} ${file.sizeBytes}`, file])).values()]
}

function shown(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8')
}

export interface GivingContent {
  readonly hub: Pick<CallerQuestions, 'uploadTokens' | 'storageToken'>
  readonly storage: AskStorage
  readonly repo: RepoRef
  /** Writes to the ref. */
  readonly to: IssuedStorageToken
  /** Refs whose content the caller may read; the likely ones first. */
  readonly sources: readonly RefName[]
  readonly signal: AbortSignal
}

const maxSources = 100
/** Questions to the storage about content of other refs. */
const maxQuestions = 5000
const maxNamed = 5
/** As many as one commit of the API may have. Each is looked up. */
const maxFiles = 100_000

/** The content becomes the ref's own before the directory records the commit, so that the commit shows it. */
export async function giveContent(
  { hub, storage, repo, to, sources, signal }: GivingContent,
  { added, others }: PushedFiles,
): Promise<Refusal | undefined> {
  if (added.length === 0 && others.length === 0) return undefined
  let missing: readonly Pointer[] = [...added, ...others]
  if (missing.length > maxFiles) {
    const detail = `A push may have ${maxFiles} large files. Push some commits first.`
    return refuse('bad_request', detail)
  }
  let questions = 0
  /** Gives what these tokens see, and keeps what they do not. */
  const giveThrough = async (tokens: readonly IssuedStorageToken[]) => {
    signal.throwIfAborted()
    const found = await findContent(storage, missing, tokens)
    if (isRefusal(found)) return found
    const hashes = new Set<FileHash>(found.filter((hash) => hash !== undefined))
    missing = missing.filter((_, at) => found[at] === undefined)
    if (hashes.size === 0) return undefined
    return storage.adopt(to, [...hashes], tokens[0] === to ? [] : tokens)
  }
  const own = await giveThrough([to])
  if (own !== undefined) return own
  const uploaded =
    missing.length === 0 ? undefined : await giveThrough(await hub.uploadTokens(repo))
  if (uploaded !== undefined) return uploaded
  for (const name of sources.slice(0, maxSources)) {
    questions += missing.length
    if (missing.length === 0 || questions > maxQuestions) break
    const revision = { kind: 'ref', name } as const
    const token = await hub.storageToken({ repo, revision, scope: 'read' })
    // It was deleted meanwhile.
    if (isRefusal(token)) continue
    const refused = await giveThrough([token])
    if (refused !== undefined) return refused
  }
  return refuseMissing(added, missing)
}

function refuseMissing(
  added: readonly PushedFile[],
  missing: readonly Pointer[],
): Refusal | undefined {
  const lost = new Set(missing.map(({ oid }) => oid))
  const paths = added.filter(({ oid }) => lost.has(oid)).map(({ path }) => quoted(path))
  if (paths.length === 0) return undefined
  const names = paths.slice(0, maxNamed).join(', ')
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : ''
  const detail = `The storage has no content for the large files ${names}${more}. Upload it with git lfs push --all, then push again.`
  return refuse('bad_request', detail)
}
