/** The content of this machine's hub, opened for a command while the hub may be running. */

import { machineUser } from '@latchkey/service/machine-user'
import { openUpkeep, type Upkeep } from '@latchkey/storage/upkeep'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { type RecordedCommand, recordCommand } from './command-log.ts'
import { openLocalStore } from './local-store.ts'

export async function withUpkeep<Result>(
  values: Values,
  work: (upkeep: Upkeep) => Promise<Result>,
  verb = 'storage',
): Promise<Result> {
  const settings = storeSettings(values)
  const store = await openLocalStore(settings, { create: false })
  try {
    return await work(
      openUpkeep({ store, data: settings.data, origin: { verb, user: machineUser() } } as never),
    )
  } finally {
    store.close()
  }
}

/** The same for a command that changes something: it is written down in the command log. */
export function recordUpkeep<Result>(
  values: Values,
  { work, ...command }: Recorded<Result>,
): Promise<Result> {
  return withUpkeep(
    values,
    (upkeep) => recordCommand(storeSettings(values).data, { ...command, work: () => work(upkeep) }),
    command.verb,
  )
}

interface Recorded<Result> extends Omit<RecordedCommand<Result>, 'work'> {
  work(upkeep: Upkeep): Promise<Result>
}
