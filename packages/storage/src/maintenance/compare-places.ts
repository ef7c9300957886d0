/** Which places with content here the hub's directory does not have. */

import type { HubChanges, PlaceUid, UnknownCursor } from '@latchkey/gate/hub-link'
import type { JournalNumber, RefUid, RepositoryUid } from '@latchkey/protocol'
import { type LinkState, readLinkState } from '../catalog/link-state.ts'
import { tombstones } from '../catalog/removed-places.ts'
import type { Maintenance } from './maintenance.ts'
import { storedPlaces } from './stored-places.ts'

export interface Comparison {
  /** As it was before anything was asked. */
  readonly state: LinkState
  /** Where the hub's journal ends, read after the state. */
  readonly head: JournalNumber
  /** Where the storage goes on in the hub's journal; undefined when it can go on where it is. */
  readonly newStart: JournalNumber | undefined
  /** Repositories, refs and commits with content here. */
  readonly places: number
  /** The number of them that the hub has. */
  readonly knownPlaces: number
  /** That the hub does not have, each for all its refs and commits. */
  readonly repositories: readonly RepositoryUid[]
  /** Refs and commits that the hub does not have, of repositories that it has. */
  readonly refs: ReadonlyMap<RefUid, RepositoryUid>
  /** Places that the hub had removed, and has again. */
  readonly returned: readonly PlaceUid[]
}

/** In this order: a removal after the number is followed later, one before it shows in what the hub lacks. */
export async function comparePlaces({ read, link }: Maintenance): Promise<Comparison> {
  const state = await read(readLinkState)
  const { applied } = state
  const answer = await link.changes(applied === undefined ? {} : { after: applied })
  const refs = await read(storedPlaces)
  const repositories = [...new Set(refs.values())]
  const uids = [...repositories, ...refs.keys()]
  const removed = await read(tombstones)
  const unknown = await link.findUnknown([...uids, ...removed])
  const knownUids = uids.filter((uid) => !unknown.has(uid))
  const isOrphan = ([uid, repository]: readonly [RefUid, RepositoryUid]) =>
    unknown.has(uid) && !unknown.has(repository)
  return {
    state,
    head: await headAfter(link, answer),
    newStart: answer.kind === 'unknown cursor' ? answer.number : undefined,
    places: uids.length,
    knownPlaces: knownUids.length,
    repositories: repositories.filter((uid) => unknown.has(uid)),
    refs: new Map([...refs].filter(isOrphan)),
    returned: removed.filter((uid) => !unknown.has(uid)),
  }
}

/** An answer can stop before the end of the journal. */
async function headAfter(
  link: Maintenance['link'],
  first: HubChanges | UnknownCursor,
): Promise<JournalNumber> {
  let answer = first
  while (answer.kind === 'changes' && !answer.isComplete) {
    answer = await link.changes({ after: answer.number })
  }
  return answer.number
}
