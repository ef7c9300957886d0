/** The content of this machine's storage, opened for a command while the hub and the storage may be running. */

import { CannotStart } from '@latchkey/service/machine/errors'
import { systemClock } from '@latchkey/service/machine/time'
import {
  type HubSide,
  type Maintenance,
  openCatalogOf,
  openMaintenance,
} from '@latchkey/storage/maintenance'
import { storageDatabase } from '../configuration/database-place.ts'
import { storageObjects } from '../configuration/objects-place.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { prepareOwnData } from '../serve/own-data.ts'
import { type RecordedCommand, recordCommand } from './command-log.ts'
import { isStorageAlone, openHubSide, withHubSide } from './hub-side.ts'
import { hasContent, maintenanceData } from './maintenance-data.ts'

export function withMaintenance<Result>(
  configuration: Configuration,
  work: (maintenance: Maintenance) => Promise<Result>,
  verb = 'storage',
): Promise<Result> {
  return withHub(configuration, verb, async (hub) => {
    const data = maintenanceData(configuration)
    // A file that a command makes would belong to the user of the command, not to the storage's.
    if (!hasContent(configuration, data)) throw noCatalog(data)
    const database = await openCatalogOf({ data, ...storageDatabase(configuration) })
    const objects = storageObjects(configuration, data)
    const parts = { data, database, clock: systemClock, ...objects, ...hub }
    const maintenance = await openMaintenance(parts)
    try {
      return await work(maintenance)
    } finally {
      await maintenance.objects.close()
      await database.close()
    }
  })
}

/** The same for a command that changes something: it is written down in the command log. */
export function recordMaintenance<Result>(
  configuration: Configuration,
  { work, ...command }: Recorded<Maintenance, Result>,
): Promise<Result> {
  const data = recordedData(configuration)
  return withMaintenance(
    configuration,
    (maintenance) => recordCommand(data, { ...command, work: () => work(maintenance) }),
    command.verb,
  )
}

/** For a command that changes something at the hub alone. */
export function recordAtHub<Result>(
  configuration: Configuration,
  { work, ...command }: Recorded<HubSide, Result>,
): Promise<Result> {
  const data = recordedData(configuration)
  return withHub(configuration, command.verb, (hub) =>
    recordCommand(data, { ...command, work: () => work(hub) }),
  )
}

/** The directory with the command log. A machine that has only run commands for a storage without a disk gets one. */
export function recordedData(configuration: Configuration): string {
  const data = maintenanceData(configuration)
  const { storageDatabase: catalogue, objects } = configuration.values
  const isWithoutDisk = objects !== undefined && typeof catalogue !== 'string'
  if (isWithoutDisk && isStorageAlone(configuration)) prepareOwnData(data)
  return data
}

interface Recorded<Opened, Result> extends Omit<RecordedCommand<Result>, 'work'> {
  work(opened: Opened): Promise<Result>
}

async function withHub<Result>(
  configuration: Configuration,
  verb: string,
  work: (hub: HubSide) => Promise<Result>,
): Promise<Result> {
  const hub = await openHubSide(configuration, verb)
  return withHubSide(hub, () => work(hub))
}

export function noCatalog(data: string): CannotStart {
  return new CannotStart(
    `no storage database in ${data}: no storage has run with this data directory. If the hub runs with --no-storage, run this on the storage's machine, or pass its data directory with --data; otherwise "latchkey serve" creates one.`,
  )
}
