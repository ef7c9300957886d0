/** Notices that the store has changed, before anything cached is used. */

import type { AccessStore, DirectoryVersion } from './access-store.ts'

export function watchVersion(
  store: Pick<AccessStore, 'version'>,
  onChange: () => void,
): () => DirectoryVersion {
  let known: DirectoryVersion | undefined
  return () => {
    const version = store.version()
    if (version.number !== known?.number || version.mark !== known.mark) {
      known = version
      onChange()
    }
    return version
  }
}

/** A store whose version is asked for once per turn of the event loop: requests of one turn count as simultaneous. */
export function versionPerTurn(store: AccessStore): AccessStore {
  let asked: DirectoryVersion | undefined
  const forget = () => {
    asked = undefined
  }
  return {
    ...store,
    version() {
      if (asked === undefined) {
        asked = store.version()
        setImmediate(forget)
      }
      return asked
    },
  }
}
