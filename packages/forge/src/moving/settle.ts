/** Brings a repository to what the directory has: after a crash, a failure, or a change made at the hub itself. */

import type { RefName, RepositoryUid } from '@latchkey/protocol'
import type { Git, ObjectHash, Repository } from '../git/index.ts'
import { isShownRef } from '../git/index.ts'
import type { HubPort } from '../hub-port.ts'
import type { Markers } from './markers.ts'

export interface Settling {
  readonly git: Git
  readonly hub: Pick<HubPort, 'refsOf'>
  readonly markers: Markers
}

/** Only while nobody else changes the repository. */
export async function settle({ git, hub, markers }: Settling, uid: RepositoryUid): Promise<void> {
  const refs = await hub.refsOf(uid)
  if (refs === undefined) await git.remove(uid)
  else await git.open(uid)?.recover(shownOf(refs))
  await markers.clear(uid)
}

export async function settleMarked(settling: Settling): Promise<void> {
  for (const uid of await settling.markers.list()) await settle(settling, uid)
}

/** Whether git would show refs that the directory does not have, or others than it has. */
export async function differs(
  { hub }: Pick<Settling, 'hub'>,
  uid: RepositoryUid,
  repository: Repository,
): Promise<boolean> {
  const [wanted = new Map(), found] = await Promise.all([hub.refsOf(uid), repository.refs()])
  const expected = shownOf(wanted)
  return (
    expected.size !== found.size || [...found].some(([name, hash]) => expected.get(name) !== hash)
  )
}

function shownOf(refs: ReadonlyMap<RefName, ObjectHash>): ReadonlyMap<RefName, ObjectHash> {
  return new Map([...refs].filter(([name]) => isShownRef(name)))
}
