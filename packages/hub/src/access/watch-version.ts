import type { AccessStore, DirectoryVersion } from './access-store.ts'

/**
 * `onChange`: facts may have changed. `onNumber`: at least entries were added, which may be hub tokens that nobody knew.
 * A number below the last one is of another copy of the directory.
 */
export function watchVersion(
  store: Pick<AccessStore, 'version'>,
  onChange: () => void,
  onNumber: () => void = () => {},
): () => DirectoryVersion {
  let lastVersion: DirectoryVersion | undefined
  return () => {
    const version = store.version()
    const last = lastVersion
    if (version.number === last?.number && version.mark === last.mark) return version
    lastVersion = version
    if (version.mark !== last?.mark || version.number < last.number) onChange()
    onNumber()
    return version
  }
}

export interface VersionPerTurn {
  readonly access: AccessStore
  /** To be called before a request is served that may have arrived after the version was asked for. */
  forgetVersion(): void
}

/** A store whose version is asked for once per turn of the event loop: requests of one turn count as simultaneous. */
export function versionPerTurn(store: AccessStore): VersionPerTurn {
  let pendingVersion: DirectoryVersion | undefined
  const forgetVersion = () => {
    pendingVersion = undefined
  }
  const version = () => {
    if (pendingVersion === undefined) {
      pendingVersion = store.version()
      setImmediate(forgetVersion)
    }
    return pendingVersion
  }
  return { access: { ...store, version }, forgetVersion }
}
