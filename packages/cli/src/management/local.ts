/** The verbs on the database of this machine, as the machine's owner. */

import { pooledRandom, StorageFull, type Store, type VerbWork } from '@latchkey/hub'
import { isRefusal, systemClock } from '@latchkey/protocol'
import type { Values } from '../configuration/options.ts'
import { unavailable } from '../output/stop.ts'
import type { Management } from './management.ts'

type Tables = VerbWork['tables']

export function localManagement(store: Store, values: Values): Management {
  const { directory, findRepository } = store
  const randomBytes = pooledRandom()
  const work = (tables: Tables): VerbWork => ({
    tables,
    now: systemClock(),
    randomBytes,
    hubTokenPrefix: values.hubTokenPrefix,
    actor: undefined,
    findRepository,
    policy: { hidePrivateRepositories: values.hidePrivateRepositories },
  })
  return {
    async run(verb, input) {
      const parsed = verb.input.parse(input)
      const act = (tables: Tables) => verb.run(work(tables), parsed)
      const result = await told(verb.method === 'GET' ? directory.read(act) : directory.change(act))
      return isRefusal(result) ? result : verb.output.parse(result)
    },
    close: store.close,
  }
}

/** A full disk is a fact about the machine, not a fault of the program. */
async function told<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof StorageFull)) throw error
    throw unavailable('there is no room left on the disk; nothing was changed')
  }
}
