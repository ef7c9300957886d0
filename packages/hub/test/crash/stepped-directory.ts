/** A directory on either database to which a small file is applied in many steps. */

import { isRefusal, type UnixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { isPostgresUrl, readPostgresSettings } from '@latchkey/service/postgres'
import type { Dump } from '@latchkey/testing/hub/dump'
import { applyFile } from '../../src/apply/apply-file.ts'
import { openPostgresStore } from '../../src/stores/postgres/open-store.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { directoryFile } from './directory-file.ts'

const branches = 4
/** `main`, the branches made from it, and a tag. */
export const refsOfEach = branches + 2
const size = { repositories: 8, persons: 12, branches }
/** So low that a small file takes many steps. */
const bounds = { wholeChanges: 60, stepMs: 0, changesAtOnce: 30, pauseMs: 1 }
const now = 1_800_000_000 as UnixSeconds

/** `place` is a file, or the address of a PostgreSQL. */
export async function openPlace(place: string): Promise<Store> {
  return isPostgresUrl(place)
    ? openPostgresStore(readPostgresSettings(place), { create: true })
    : openSqliteStore(place)
}

export async function applyEdition({ directory }: Store, edition: 1 | 2): Promise<void> {
  const around = {
    ...{ directory, now, randomBytes: pooledRandom(), hubTokenPrefix: 'lk_', bounds },
    identify: async () => undefined,
    originOf: () => ({ verb: 'apply' }),
  }
  const applied = await applyFile(around, directoryFile(edition, size), {
    prune: true,
  })
  if (isRefusal(applied)) throw new Error(applied.detail)
}

const tables = [
  ...['accounts', 'namespaces', 'members', 'repositories', 'collaborators', 'refs'],
  ...['commits', 'commit_holders', 'past_holders', 'hub_tokens', 'journal', 'journal_head'],
  ...['cut_offs', 'hub_token_prefixes'],
] as const

/** Every row of the directory, by one reading of it. */
export function dumpOf({ directory }: Store): Promise<Dump> {
  return directory.read(async (reading) => {
    const all: [string, Dump[string]][] = []
    for (const table of tables) {
      const rows = reading.selectFrom(table as 'journal').selectAll()
      all.push([table, (await rows.execute()) as unknown as Dump[string]])
    }
    const { journal = [], ...others } = Object.fromEntries(all)
    return {
      ...others,
      journal: journal.toSorted((a, b) => Number(a['number']) - Number(b['number'])),
    }
  })
}
