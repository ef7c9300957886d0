import type { AccessStore, DirectoryVersion } from './access-store.ts'

export function watchVersion(
  store: Pick<AccessStore, 'version'>,
  onChange: () => void,
): () => DirectoryVersion {
  let lastVersion: DirectoryVersion | undefined
  return () => {
    const version = store.version()
    if (version.number !== lastVersion?.number || version.mark !== lastVersion.mark) {
      lastVersion = version
      onChange()
    }
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
