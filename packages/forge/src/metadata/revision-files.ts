/** The files of a revision: their list, their sizes, and the weights among them. */

import type { ListedEntry } from '../git/index.ts'
import { type DescribedFile, describeFiles } from '../large-files/describe-files.ts'
import type { FilledRevision } from '../large-files/open-revision.ts'

export interface RevisionFiles {
  /** Undefined where there are too many to add up. */
  totalBytes(): Promise<number | undefined>
  siblings(): Promise<readonly object[] | undefined>
}

export interface FileBounds {
  /** With the size and hash of each file. */
  readonly withBlobs?: boolean
  /** A repository with more files has no list: a client would take part of one for the whole. `…/tree/…` is paged. */
  readonly maxSiblings: number
}

/** The sizes of more files are not added up. */
const maxSummed = 5000
/** On average: a list of files stays small also where their names are long. */
const maxPathLength = 200

/** Git lists them once for all questions. */
export function filesOf(
  opened: FilledRevision,
  { withBlobs = false, maxSiblings }: FileBounds,
): RevisionFiles {
  const entries = once(() => filesIn(opened, maxSiblings))
  const maxDescribed = withBlobs ? maxSiblings : maxSummed
  const described = once(async () => {
    const listed = await entries()
    if (listed === undefined || listed.length > maxDescribed) return undefined
    return describeFiles(opened.repository, listed)
  })
  return {
    totalBytes: async () => (await described())?.reduce((sum, { size }) => sum + size, 0),
    siblings: async () =>
      withBlobs
        ? (await described())?.map(withBlob)
        : (await entries())?.map(({ path }) => ({ rfilename: path })),
  }
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined
  return () => {
    running ??= work()
    return running
  }
}

/** Undefined where there are too many, or their names are too long together. */
async function filesIn(
  { repository, tree }: FilledRevision,
  limit: number,
): Promise<readonly ListedEntry[] | undefined> {
  const page = await repository.listTree(tree, { recursive: true, limit })
  if (page === undefined || page.next !== undefined) return undefined
  const files = page.entries.filter(({ kind }) => kind !== 'folder')
  const length = files.reduce((sum, { path }) => sum + path.length, 0)
  return length > limit * maxPathLength ? undefined : files
}

function withBlob({ path, oid, size, lfs }: DescribedFile): object {
  return {
    ...{ rfilename: path, blobId: oid, size },
    ...(lfs && { lfs: { sha256: lfs.oid, size: lfs.size, pointerSize: lfs.pointerSize } }),
  }
}

const rootLimit = 1000
/** More than a model has files that are read. */
const maxWeights = 200

export async function hasWeights(opened: FilledRevision): Promise<boolean> {
  return (await listedWeights(opened)).length > 0
}

export async function weightsIn(opened: FilledRevision): Promise<readonly DescribedFile[]> {
  const listed = await listedWeights(opened)
  return describeFiles(opened.repository, listed.slice(0, maxWeights))
}

async function listedWeights({ repository, tree }: FilledRevision) {
  const page = await repository.listTree(tree, { limit: rootLimit })
  return page?.entries.filter(isWeights) ?? []
}

function isWeights({ path, kind }: ListedEntry): boolean {
  return kind === 'file' && path.endsWith('.safetensors')
}
