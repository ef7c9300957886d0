/** Reads the configuration of a running hub anew, and gives it to one worker after the other. */

import type { OptionKey } from '../configuration/options.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import type { Environment } from '../configuration/read-environment.ts'
import { tell } from '../output/tell.ts'
import type { RunningWorkers } from '../serve/workers/start-workers.ts'
import { type Settled, settle } from './settle.ts'

/** The environment and the configuration that the hub was started with. */
export interface Started extends Settled {
  readonly environment: Environment
  readonly configuration: Configuration
}

/** Decided once: the port is open, the data are open, and the storage knows its hub by these. */
const fixed = [
  'host',
  'port',
  'publicUrl',
  'casUrl',
  'data',
  'database',
  'demo',
  'operations.port',
  'operations.host',
  'workers',
] as const satisfies readonly OptionKey[]

/** A mistake changes nothing, and is told in a line. */
export async function readAnew(
  flags: Flags,
  started: Started,
  { replace, log }: RunningWorkers,
): Promise<void> {
  try {
    const configuration = readConfiguration(flags, { ...started.environment })
    const { hub, storage } = await settle(configuration, started)
    const later = changedOf(configuration, started.configuration)
    const { host, port, publicUrl, casUrl, data, database, demo, operations } = started.hub
    await replace({
      ...{ ...hub, host, port, publicUrl, casUrl },
      ...{ data, database, demo, operations },
    })
    if (JSON.stringify(storage) !== JSON.stringify(started.storage)) later.push('the storage')
    log('configuration_changed', { later })
    tell('the configuration was read anew, and every worker has it')
    if (later.length > 0) tell(`unchanged until latchkey is started again: ${later.join(', ')}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log('configuration_not_changed', { reason })
    tell(`latchkey: the configuration stays as it was: ${reason}`)
  }
}

function changedOf({ values }: Configuration, before: Configuration): string[] {
  const isSame = (key: OptionKey) =>
    JSON.stringify(values[key]) === JSON.stringify(before.values[key])
  return fixed.filter((key) => !isSame(key))
}
