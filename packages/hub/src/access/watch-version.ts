/** Notices that the store has changed, before anything cached is used. */

import type { AccessStore, DirectoryVersion } from './access-store.ts'

/**
 * Asks for the version once per turn of the event loop: requests of one turn count as simultaneous. Gives a promise only
 * when the store has to be waited for.
 */
export function watchVersion(
  store: Pick<AccessStore, 'version'>,
  onChange: () => void,
): () => DirectoryVersion | Promise<DirectoryVersion> {
  let known: DirectoryVersion | undefined
  let asked: DirectoryVersion | Promise<DirectoryVersion> | undefined
  const learn = (version: DirectoryVersion) => {
    if (version.number === known?.number && version.mark === known.mark) return version
    known = version
    onChange()
    return version
  }
  return () => {
    if (asked === undefined) {
      const version = store.version()
      asked = version instanceof Promise ? version.then(learn) : learn(version)
      setImmediate(() => {
        asked = undefined
      })
    }
    return asked
  }
}
