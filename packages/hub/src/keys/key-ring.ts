/** The signing keys of a hub, opened at start; the first ones are made then. */

import { isRefusal, type Refusal, type UnixSeconds } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { Store } from '../stores/store.ts'
import type { Origin } from '../tables/change.ts'
import type { Schedule, Step } from './due-step.ts'
import { type LiveRing, liveRing } from './live-ring.ts'
import type { MasterKey } from './master-key.ts'
import { takeDueSteps } from './rotate-keys.ts'
import { findMasterKey, keyMaker, type MakeKey, openEveryKey, openKey } from './seal.ts'
import { type StoredKey, storedKeys } from './stored-keys.ts'
import { lifetimesOf } from './waits.ts'

export interface KeyRing extends LiveRing {
  /** For the verbs that rotate keys. */
  readonly work: KeyWork
  /** Takes the steps of the rotation that are due now; another hub may have taken them. */
  rotate(now: UnixSeconds): Promise<readonly Step[] | Refusal>
  /** Encrypts the other secrets of the hub. */
  readonly masterKey: MasterKey
}

interface KeyRingOptions extends KeySettings {
  readonly store: Pick<Store, 'directory' | 'readBeside' | 'access'>
  readonly data: string
  readonly masterKey: MasterKey | undefined
  readonly now: UnixSeconds
  /** Named in the journal as the maker of every step. */
  readonly origin: Origin
  /** Told of a key that another program has added and this one cannot open. */
  readonly onUnopened?: (row: StoredKey) => void
}

export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { store, data, token, origin, onUnopened = () => {} } = options
  const stored = await store.directory.read(storedKeys)
  const masterKey = options.masterKey ?? (await findMasterKey(data, stored))
  await openEveryKey(stored, masterKey)

  const work = keyWorkOf(
    options,
    keyMaker(() => masterKey),
  )
  const rotate = (moment: Pick<Schedule, 'now' | 'wantedAlgorithm'>) =>
    takeDueSteps(
      { directory: store.directory, makeKey: work.makeKey, origin },
      { ...work, ...moment },
    )
  const rotation = await rotate({ now: options.now, wantedAlgorithm: token.algorithm })
  if (isRefusal(rotation)) throw new CannotStart(rotation.detail)

  const ring = liveRing({
    store: store.access,
    readKeys: () => store.readBeside(storedKeys),
    open: (row) => openKey(row, masterKey),
    onUnopened,
  })
  await ring.follow()
  return {
    get signing() {
      return ring.signing
    },
    get published() {
      return ring.published
    },
    canSign: ring.canSign,
    revocations: ring.revocations,
    follow: ring.follow,
    work,
    masterKey,
    rotate: (now) => rotate({ now }),
  }
}

export interface KeyWork
  extends Pick<Schedule, 'rotationSeconds' | 'lifetimes' | 'firstAlgorithm'> {
  readonly makeKey: MakeKey
}

/** The settings of a hub that bear on its keys. */
interface KeySettings {
  readonly token: {
    readonly algorithm: Schedule['firstAlgorithm']
    readonly lifetimeSeconds: number
  }
  readonly keys: { readonly rotationDays: number }
}

const secondsPerDay = 86_400

export function keyWorkOf({ token, keys }: KeySettings, makeKey: MakeKey): KeyWork {
  return {
    makeKey,
    rotationSeconds: keys.rotationDays * secondsPerDay,
    lifetimes: lifetimesOf(token.lifetimeSeconds),
    firstAlgorithm: token.algorithm,
  }
}
