/** The keys of a running hub, as the table has them now: read again when the directory has changed. */

import type { SigningKey } from '@latchkey/token/signing'
import type { AccessStore } from '../access/access-store.ts'
import { watchVersion } from '../access/watch-version.ts'
import type { KeyPurpose } from '../directory/port/schema.ts'
import { inStates } from './key-state.ts'
import type { StoredKey } from './stored-keys.ts'

export interface KeysOfPurpose {
  readonly signing: SigningKey
  /** Every key that a verifier must know. */
  readonly published: readonly SigningKey[]
}

/** Every member gives the newest; a caller that keeps one keeps what may have been removed. */
export interface LiveRing extends KeysOfPurpose {
  /** The keys that sign heads of revocation lists; none of them is among the others. */
  readonly revocations: KeysOfPurpose
  /** The ring has everything that was committed before this call, once the promise settles; at once without one. */
  follow(): void | Promise<void>
}

export interface RingPorts {
  readonly store: Pick<AccessStore, 'version'>
  /** What is committed. */
  readonly readKeys: () => Promise<readonly StoredKey[]>
  /** Undefined for a row that the master key of this process does not open. */
  readonly open: (row: StoredKey) => Promise<SigningKey | undefined>
  /** Told once of each. */
  readonly onUnopened: (row: StoredKey) => void
}

type Opened = ReadonlyMap<string, SigningKey | undefined>

export function liveRing({ store, readKeys, open, onUnopened }: RingPorts): LiveRing {
  let rows: readonly StoredKey[] = []
  let opened: Opened = new Map()
  let isStale = true
  let loading: Promise<void> | undefined
  const checkVersion = watchVersion(store, () => {
    isStale = true
  })

  /** A key is opened once. What its row says later of the private part changes nothing. */
  const openAll = async (found: readonly StoredKey[]): Promise<Opened> => {
    const all = found.map(async (row): Promise<[string, SigningKey | undefined]> => {
      if (opened.has(row.kid)) return [row.kid, opened.get(row.kid)]
      const key = await open(row)
      if (key === undefined) onUnopened(row)
      return [row.kid, key]
    })
    return new Map(await Promise.all(all))
  }
  const load = async (): Promise<void> => {
    try {
      while (isStale) {
        isStale = false
        const found = await readKeys()
        opened = await openAll(found)
        rows = found
      }
    } catch (error) {
      isStale = true
      throw error
    } finally {
      // Without waiting after the last look at `isStale`, so that no caller gets a load that missed its change.
      loading = undefined
    }
  }
  const catchUp = (): void | Promise<void> => {
    if (isStale && loading === undefined) loading = load()
    return loading
  }
  const keysOf = (purpose: KeyPurpose): KeysOfPurpose => ({
    get signing() {
      return signingAmong(rows, opened, purpose)
    },
    get published() {
      return inStates(rows, purpose).all.flatMap(({ kid }) => opened.get(kid) ?? [])
    },
  })
  const tokens = keysOf('tokens')
  return {
    get signing() {
      return tokens.signing
    },
    get published() {
      return tokens.published
    },
    revocations: keysOf('revocations'),
    follow() {
      const checking = checkVersion()
      return checking instanceof Promise ? checking.then(catchUp) : catchUp()
    },
  }
}

/** A hub that cannot open the newest goes on with one that is still published, and says so in its log. */
function signingAmong(rows: readonly StoredKey[], opened: Opened, purpose: KeyPurpose): SigningKey {
  const { signing, retiring } = inStates(rows, purpose)
  const usable = [...retiring, ...(signing === undefined ? [] : [signing])].flatMap(
    ({ kid }) => opened.get(kid) ?? [],
  )
  const newest = usable.at(-1)
  if (newest !== undefined) return newest
  throw new Error(`this hub has no key that may sign ${purpose}`)
}
