/** `latchkey migrate --from … --to …`: the directory of a hub, or the catalogue of a storage, in another database. */

import { existsSync } from 'node:fs'
import {
  copyStore,
  type DatabasePlace,
  prepareDataDirectory,
  sqliteFile,
} from '@latchkey/hub/management'
import { CopyError, type CopyVerb, type OnCopyProgress } from '@latchkey/service/copy'
import { copyCatalog } from '@latchkey/storage/maintenance'
import type { PartName } from '../backup/parts.ts'
import { databasePlace } from '../configuration/database-place.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { maintenanceData } from '../management/maintenance-data.ts'
import { refused } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { barFor } from '../transfer/transfer-bar.ts'
import { counted } from './storage-repository.ts'

/** One that is left out is the configured one. */
interface Between {
  readonly from: DatabasePlace | undefined
  readonly to: DatabasePlace | undefined
}

export async function copyPart(
  part: PartName,
  configuration: Configuration,
  { from, to }: Between,
): Promise<void> {
  const { data, configured, copy, after } = copiers[part](configuration)
  const between = { from: from ?? configured, to: to ?? configured }
  const bar = barFor('a file')
  const onProgress = (verb: CopyVerb, rows: number, total: number) => {
    const draw = verb === 'copied' ? bar?.watch.onRowsCopied : bar?.watch.onRowsCompared
    draw?.(rows, total)
  }
  const target = { from: wordsFor(between.from), to: wordsFor(between.to) }
  try {
    const work = () => copy({ ...between, onProgress })
    const copied = await recordMigration(data, target, work).finally(() => bar?.end())
    tellCopied(copied)
  } catch (error) {
    throw error instanceof CopyError ? refused(error.message) : error
  }
  if (typeof between.from !== 'string') tell('changes since the copy began are not in it')
  tell(`${after}; the old one is unchanged, and must not be served any more`)
}

interface Copying {
  readonly from: DatabasePlace
  readonly to: DatabasePlace
  readonly onProgress: OnCopyProgress
}

interface Copied {
  readonly rows: number
  readonly from: string
  readonly to: string
  /** The last number of the journal that the copy has. */
  readonly number?: number
}

interface Copier {
  readonly data: string
  readonly configured: DatabasePlace
  readonly after: string
  copy(copying: Copying): Promise<Copied>
}

const copiers: Readonly<Record<PartName, (configuration: Configuration) => Copier>> = {
  hub({ values }) {
    const { data, database: configured } = storeSettings(values)
    return {
      ...{ data, configured },
      after: 'start the hubs with the new database and the same master key',
      copy: (copying) => copyStore({ data, ...copying }),
    }
  },
  storage(configuration) {
    const data = maintenanceData(configuration)
    const sideOf = (place: DatabasePlace) =>
      typeof place === 'string' ? sqliteFile(data, place) : place
    return {
      data,
      configured: databasePlace(configuration.values.storageDatabase),
      after:
        'start the storage with the new database and the same data directory, which has the content',
      async copy({ from, to, onProgress }) {
        if (typeof to === 'string') prepareDataDirectory(data, { create: true })
        return copyCatalog({ from: sideOf(from), to: sideOf(to), onProgress })
      },
    }
  },
}

function tellCopied({ number, rows, from, to }: Copied): void {
  const upTo = number === undefined ? '' : `, up to journal entry ${number}`
  tell(`copied and compared ${counted(rows, 'row')}${upTo}`)
  tell(`from ${from}`)
  tell(`to ${to}`)
}

function wordsFor(database: DatabasePlace): string {
  if (typeof database === 'string') return database
  const { host, port, database: name } = database
  return `postgres://${host}:${port}/${name}`
}

/** A migration in the command log, where there is one: the owner of the tables may have no data directory on this machine. */
export async function recordMigration<Result>(
  data: string,
  target: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!existsSync(data)) return work()
  const { recordCommand } = await import('../management/command-log.ts')
  return recordCommand(data, { verb: 'migrate', target: () => target, work })
}
