/** Looks every minute whether the catalogue and the object store of a running storage still belong together. */

import type { Timers } from '@latchkey/service/machine/time'
import { markSeconds, type StoreIdentity } from './store-identity.ts'

export interface IdentityWatch {
  /** Why the storage must not use its objects; undefined while it may. */
  mismatch(): string | undefined
  stop(): Promise<void>
}

export interface WatchIdentityDeps {
  readonly identity: Pick<StoreIdentity, 'refresh'>
  readonly timers: Pick<Timers, 'after'>
  /** Told once of each reason. */
  onMismatch(reason: string): void
}

/** While something is wrong, so that a storage is ready soon after an operator has repaired it. */
const againSeconds = 5

const unseen = 'The storage could not compare its catalogue with its object store yet.'

/** Comes back after the first look. */
export async function watchIdentity({
  identity,
  timers,
  onMismatch,
}: WatchIdentityDeps): Promise<IdentityWatch> {
  let mismatch: string | undefined = unseen
  let endTimer = () => {}
  let isStopped = false
  const look = async () => {
    const found = await identity
      .refresh()
      // A store or database that is unavailable is reported as that; it is the same one as before.
      .catch(() => mismatch)
    if (found !== undefined && found !== unseen && found !== mismatch) onMismatch(found)
    mismatch = found
  }
  let looking = look()
  const lookLater = () => {
    if (isStopped) return
    const seconds = mismatch === undefined ? markSeconds : againSeconds
    endTimer = timers.after(seconds * 1000, () => {
      looking = look().then(lookLater)
    })
  }
  await looking
  lookLater()
  return {
    mismatch: () => mismatch,
    async stop() {
      isStopped = true
      endTimer()
      await looking
    },
  }
}
