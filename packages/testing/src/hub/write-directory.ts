/** Fills the database of a hub that is not running. */

import { type HubSettings, openStore } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { applied, verbRunner } from './run-verbs.ts'

/** By account and name, as in `writer/read`. */
export type HubTokens<Name extends string> = Readonly<Record<Name, string>>

/** As `latchkey apply` would. */
export async function writeDirectory<Name extends string>(
  settings: HubSettings,
  file: object,
): Promise<HubTokens<Name>> {
  const store = await openStore(settings, { create: true })
  try {
    return await applied(verbRunner(store, systemClock, settings.hubTokenPrefix), file)
  } finally {
    await store.close()
  }
}
