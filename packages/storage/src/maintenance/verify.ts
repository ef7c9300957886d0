/** Looks whether every object that a row names is there and whole; changes nothing. */

import { isRefusal, noRepositoryUid, type Refusal, type RepositoryUid } from '@latchkey/protocol'
import { eachOf } from '@latchkey/service/limits/each-of'
import type { Hash } from '@latchkey/xet/format'
import { objectOf } from '../catalog/object-names.ts'
import type { StorageTables } from '../catalog/schema.ts'
import { Terms } from '../catalog/terms.ts'
import type { Digest } from '../objects/object-store.ts'
import { fileWatch } from './file-watch.ts'
import { inspectObject, type Problem } from './inspect-object.ts'
import type { Maintenance } from './maintenance.ts'
import { type NamedObject, namedObjects } from './named-objects.ts'
import type { OnProgress } from './progress.ts'
import {
  type FoundRepository,
  findStored,
  named,
  type WantedRepository,
} from './repository-names.ts'

const maxFilesTold = 100

/** A store at a distance takes many requests at once as fast as one. */
const requestsAtOnce = 16

/** Each is in memory as a whole. */
const wholeAtOnce = 3

export interface VerifyOptions {
  /** Only what this one has. */
  readonly repository?: WantedRepository | undefined
  /** Read every byte, too. */
  readonly withContent?: boolean
  readonly maxReported?: number
  readonly onProgress?: OnProgress | undefined
}

/** A xorb of one repository that cannot be read as it was. */
export interface BadXorb extends Problem {
  readonly repository: string
  /** The hub does not have the repository. */
  readonly isUnknown?: true
  readonly xorb: Hash
  /** Where its object lies below the data directory, and in a backup; empty where the catalogue names none. */
  readonly object: string
  /** Files that are made of it, a hundred at most. */
  readonly files: readonly Hash[]
}

export interface VerifyResult {
  /** How many were looked at. */
  readonly objects: number
  readonly badObjects: number
  /** In every repository that has it. */
  readonly badXorbs: readonly BadXorb[]
  /** There are more than could be told. */
  readonly isCut: boolean
}

export async function verify(
  maintenance: Maintenance,
  { repository, withContent = false, maxReported = 1000, onProgress }: VerifyOptions = {},
): Promise<VerifyResult | Refusal> {
  const only = repository && (await findStored(maintenance, repository))
  if (isRefusal(only)) return only
  const found: Found[] = []
  let [objects, badObjects, isCut] = [0, 0, false]
  const atOnce = withContent ? wholeAtOnce : requestsAtOnce
  await eachOf(namedObjects(maintenance, only?.uid), atOnce, async (named) => {
    const most = maxReported - found.length + 1
    const places = await findProblem(maintenance, named, { withContent, most })
    objects += 1
    onProgress?.('objects verified', objects)
    if (places.length === 0) return
    badObjects += 1
    const left = maxReported - found.length
    isCut ||= places.length > left
    found.push(...places.slice(0, left))
  })
  found.sort((one, other) => (one.digest < other.digest ? -1 : 1))
  return { objects, badObjects, badXorbs: await withFiles(maintenance, found), isCut }
}

interface Found extends Problem, Pick<NamedObject, 'key' | 'hash' | 'digest'> {
  readonly repository: FoundRepository
}

/** Nowhere when nothing is wrong, or nobody has it any more: a collection may have come between. */
async function findProblem(
  maintenance: Maintenance,
  named: NamedObject,
  { withContent, most }: { readonly withContent: boolean; readonly most: number },
): Promise<readonly Found[]> {
  if ((await inspectObject(maintenance, named, withContent)) === undefined) return []
  const { digest, hash } = named
  const having = await repositoriesWith(maintenance, digest, most)
  // It may have gone and come again, too, as another object.
  const key = await maintenance.read((tables) => objectOf(tables, digest))
  const problem = await inspectObject(maintenance, { ...named, key }, withContent)
  if (problem === undefined) return []
  return having.map((repository) => ({ repository, key, hash, digest, ...problem }))
}

/** One look at the files of a repository, however many of its xorbs are bad. */
async function withFiles(
  maintenance: Maintenance,
  found: readonly Found[],
): Promise<readonly BadXorb[]> {
  const bad: BadXorb[] = []
  for (const some of Map.groupBy(found, ({ repository }) => repository.uid).values()) {
    bad.push(...(await withFilesOfOne(maintenance, some)))
  }
  return bad
}

async function withFilesOfOne(
  { read, placeOf }: Maintenance,
  found: readonly Found[],
): Promise<readonly BadXorb[]> {
  const uid = found[0]?.repository.uid ?? noRepositoryUid
  const xorbs = found.map(({ hash }) => hash)
  const files = await read((tables) => filesMadeOf(tables, uid, { xorbs, most: maxFilesTold }))
  return found.map(({ repository, hash, key, problem, detail }) => ({
    repository: repository.path,
    ...(repository.isUnknown && { isUnknown: true as const }),
    xorb: hash,
    problem,
    detail,
    object: key === undefined ? '' : placeOf(key),
    files: [...(files.get(hash) ?? [])].sort(),
  }))
}

/** In order of their names; at most so many. */
async function repositoriesWith(
  maintenance: Maintenance,
  digest: Digest,
  most: number,
): Promise<readonly FoundRepository[]> {
  const rows = await maintenance.read((tables) =>
    tables
      .selectFrom('stored_xorbs')
      .select('repository_uid')
      .distinct()
      .where('digest', '=', digest)
      .limit(most)
      .execute(),
  )
  return named(
    maintenance,
    rows.map((row) => row.repository_uid),
  )
}

/** By xorb, the files of a repository that are made of it, each once; at most so many of each. */
async function filesMadeOf(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
  { xorbs, most }: { readonly xorbs: Iterable<Hash>; readonly most: number },
): Promise<ReadonlyMap<Hash, ReadonlySet<Hash>>> {
  const files = new Map(Array.from(xorbs, (xorb) => [xorb, new Set<Hash>()]))
  const look = fileWatch(repositoryUid, ({ hash, terms }) => {
    for (const { xorb } of new Terms(terms)) {
      const made = files.get(xorb)
      if (made !== undefined && made.size < most) made.add(hash as Hash)
    }
  })
  await look(tables)
  return files
}
