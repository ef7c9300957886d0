/** The hub, as maintenance asks it: what it has, what it is told, and what it calls its repositories. */

import type { HubLink } from '@latchkey/gate/hub-link'
import type { RepoRef, RepositoryUid } from '@latchkey/protocol'

/** The hub as a command sees it. */
export interface HubSide {
  /** Over HTTP, or the hub's own database where it lies on this machine. */
  readonly link: MaintenanceLink
  /** Undefined over HTTP, where everything goes by its uid. */
  readonly names: RepositoryNames | undefined
}

export interface MaintenanceLink extends Pick<HubLink, 'changes' | 'raiseEpochs' | 'findUnknown'> {
  /** Only where the hub's database can be asked which repositories there are; gives how many. */
  raiseAllEpochs?(): Promise<number>
}

/** Only a hub's own database answers: a link tells no names, and then everything goes by its uid. */
export interface RepositoryNames {
  uidOf(repo: RepoRef): Promise<RepositoryUid | undefined>
  /** `models/acme/bert`, for those that have a name. */
  pathsOf(uids: readonly RepositoryUid[]): Promise<ReadonlyMap<RepositoryUid, string>>
}
