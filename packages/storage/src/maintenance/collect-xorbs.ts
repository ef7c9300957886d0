/** Xorbs that came long ago and became part of no file: their rows go. */

import type { RepositoryUid, UnixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { inBatches } from '../catalog/batches.ts'
import { hold } from '../catalog/locks.ts'
import type { StorageTables } from '../catalog/schema.ts'
import { Terms } from '../catalog/terms.ts'
import { termsOfUploads } from '../catalog/upload-rows.ts'
import { deliverEpochs, noteRemoval } from '../following/deliver-epochs.ts'
import { fileWatch } from './file-watch.ts'
import type { Maintenance } from './maintenance.ts'
import { oldXorbs, repositoriesWithXorbs, type XorbPage, youngAmong } from './old-xorbs.ts'
import { type GoneXorb, removeXorbRows, xorbRows } from './remove-rows.ts'

export interface Collecting {
  /** Xorbs that came at this time or later stay. */
  readonly before: UnixSeconds
  readonly isDryRun: boolean
  /** Tells which uploads have expired. */
  readonly now: UnixSeconds
  /** So many xorbs are judged by one look at the files of a repository. */
  readonly maxCandidates?: number
}

/** Every yield is a few rows of one repository: gone already, or only in a dry run still there. */
export async function* collectXorbs(
  maintenance: Maintenance,
  collecting: Collecting,
): AsyncGenerator<readonly GoneXorb[]> {
  for (const repositoryUid of await maintenance.read(repositoriesWithXorbs)) {
    for await (const unused of unusedIn(maintenance, repositoryUid, collecting)) {
      for (const some of inBatches([...unused.hashes])) {
        yield collecting.isDryRun
          ? await maintenance.read((tables) => xorbRows(tables, repositoryUid, some))
          : await removeUnused(maintenance, repositoryUid, { unused, some, ...collecting })
      }
    }
  }
}

async function* unusedIn(
  { read }: Maintenance,
  repositoryUid: RepositoryUid,
  { before, now, maxCandidates = 50_000 }: Collecting,
): AsyncGenerator<UnusedXorbs> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const page: XorbPage = { before, after, most: maxCandidates }
    const candidates: readonly Hash[] = await read((tables) =>
      oldXorbs(tables, repositoryUid, page),
    )
    if (candidates.length === 0) return
    const unused = unusedXorbs({ repositoryUid, now }, candidates)
    await read(unused.look)
    yield unused
    after = candidates[maxCandidates - 1]
  }
}

/** Judged again where nothing can come between: by files that came since, and by uploads of the same. */
async function removeUnused(
  { change, database, link }: Maintenance,
  repositoryUid: RepositoryUid,
  { unused, some, before }: Collecting & { unused: UnusedXorbs; some: readonly Hash[] },
): Promise<readonly GoneXorb[]> {
  const removed = await change(async (tables) => {
    // The quotas of the hub change under the link alone, and count what there is.
    await hold(tables, { link: 'shared', repositories: [repositoryUid] })
    await unused.look(tables)
    const young = await youngAmong(tables, repositoryUid, { hashes: some, before })
    const old = some.filter((hash) => unused.hashes.has(hash) && !young.has(hash))
    const gone = await removeXorbRows(tables, repositoryUid, old)
    if (gone.length > 0) await noteRemoval(tables, repositoryUid)
    return gone
  })
  await deliverEpochs(database, link)
  return removed
}

/** Which of some xorbs no file and no unfinished upload of their repository is made of. */
interface UnusedXorbs {
  /** Shrinks with every look. */
  readonly hashes: ReadonlySet<Hash>
  readonly look: (tables: StorageTables) => Promise<void>
}

function unusedXorbs(
  { repositoryUid, now }: Pick<Collecting, 'now'> & { readonly repositoryUid: RepositoryUid },
  candidates: Iterable<Hash>,
): UnusedXorbs {
  const hashes = new Set(candidates)
  const keep = (terms: Terms) => {
    for (const { xorb } of terms) hashes.delete(xorb)
  }
  const lookAtFiles = fileWatch(repositoryUid, ({ terms }) => keep(new Terms(terms)))
  const look = async (tables: StorageTables) => {
    // First: an upload that is finished meanwhile is a file then.
    for await (const terms of termsOfUploads(tables, { repositoryUid }, now)) keep(terms)
    await lookAtFiles(tables)
  }
  return { hashes, look }
}
