/** The keys of a running hub, as the table has them now: read again when the directory has changed. */

import type { SigningKey } from '@latchkey/token/signing'
import type { AccessStore } from '../access/access-store.ts'
import { watchVersion } from '../access/watch-version.ts'
import type { KeyPurpose } from '../tables/schema.ts'
import { inStates } from './key-state.ts'
import type { StoredKey } from './stored-keys.ts'

export interface KeysOfPurpose {
  /** False where this process cannot open any key that may sign: another master key was given to the directory. */
  canSign(): boolean
  /** To be asked for where it can. */
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

interface RingPorts {
  readonly store: Pick<AccessStore, 'version'>
  /** Reads committed keys. */
  readonly readKeys: () => Promise<readonly StoredKey[]>
  /** Undefined for a row that the master key of this process does not open. */
  readonly open: (row: StoredKey) => Promise<SigningKey | undefined>
  /** Told once of each. */
  readonly onUnopened: (row: StoredKey) => void
}

type Opened = ReadonlyMap<string, SigningKey | undefined>

export function liveRing({ store, readKeys, open, onUnopened }: RingPorts): LiveRing {
  let opened: Opened = new Map()
  let chosen = choose([], opened)
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
        chosen = choose(found, opened)
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
    canSign: () => chosen[purpose].signing !== undefined,
    get signing() {
      const { signing } = chosen[purpose]
      if (signing !== undefined) return signing
      throw new Error(`this hub has no key that may sign ${purpose}`)
    },
    get published() {
      return chosen[purpose].published
    },
  })
  const tokens = keysOf('tokens')
  return {
    canSign: tokens.canSign,
    get signing() {
      return tokens.signing
    },
    get published() {
      return tokens.published
    },
    revocations: keysOf('revocations'),
    follow() {
      checkVersion()
      return catchUp()
    },
  }
}

interface Chosen {
  readonly signing: SigningKey | undefined
  readonly published: readonly SigningKey[]
}

/** Chosen once for every change, because every token request asks. */
function choose(rows: readonly StoredKey[], opened: Opened): Readonly<Record<KeyPurpose, Chosen>> {
  const chosenFor = (purpose: KeyPurpose): Chosen => {
    const { all, signing, retiring } = inStates(rows, purpose)
    const openedOf = (keys: readonly StoredKey[]) =>
      keys.flatMap(({ kid }) => opened.get(kid) ?? [])
    // A hub that cannot open the newest goes on with one that is still published, and says so in its log.
    const usable = openedOf(signing === undefined ? retiring : [...retiring, signing])
    return { signing: usable.at(-1), published: openedOf(all) }
  }
  return { tokens: chosenFor('tokens'), revocations: chosenFor('revocations') }
}
