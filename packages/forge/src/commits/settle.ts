/** Brings a repository to what the directory has: after a crash, a failure, or a change made at the hub itself. */

import type { CallerPort } from '@latchkey/admin-api/forge-port'
import type { RefName, RepositoryUid } from '@latchkey/protocol'
import {
  type Git,
  isLongerHash,
  isShownRef,
  type ObjectHash,
  type Repository,
} from '../git/index.ts'
import { HubUnavailable } from '../link/hub-unavailable.ts'
import type { InTurn } from './in-turn.ts'
import type { Markers, UnderWay } from './markers.ts'

export interface Settling {
  readonly git: Git
  readonly hub: Pick<CallerPort, 'refsOf' | 'dropReserved' | 'deletedAmong'>
  readonly markers: Markers
}

/** Only while nobody else changes the repository. */
export async function settle({ git, hub, markers }: Settling, uid: RepositoryUid): Promise<void> {
  const refs = await hub.refsOf(uid)
  if (refs === undefined) {
    // A directory that has never heard of it may be the wrong one: the marker stays for the right one.
    const [deleted] = await hub.deletedAmong([uid])
    if (deleted === undefined) return
    await git.remove(uid)
  } else {
    const repository = git.open(uid)
    const { tag } = await markers.read(uid)
    await repository?.recover(await withTag(repository, shownOf(refs), tag))
  }
  await markers.clear(uid)
}

/** At a start: nothing is under way any more. A repository that cannot be settled keeps its marker, and others are served. */
export async function settleMarked(
  settling: Settling,
  failed: (error: unknown, uid: RepositoryUid) => void,
): Promise<void> {
  for (const uid of await settling.markers.list()) {
    try {
      await settleLeft(settling, uid)
    } catch (error) {
      failed(error, uid)
    }
  }
}

/** Settles what a kill or a failure has left, also the place of a ref that may not be there. */
export async function settleLeft(settling: Settling, uid: RepositoryUid): Promise<void> {
  const { reserved } = await settling.markers.read(uid)
  if (reserved !== undefined) await settling.hub.dropReserved(uid, reserved)
  await settle(settling, uid)
}

/** A marker at the beginning of a turn is of work that failed: the repository is settled before more is done. */
export function settledTurns(turns: InTurn, settling: Settling): InTurn {
  return (turn, work) =>
    turns(turn, async () => {
      if (settling.markers.isSet(turn.uid)) await settleLeft(settling, turn.uid)
      return work()
    })
}

/** Tries again where the hub was away. Gives the function that ends it. */
export function keepSettling(
  { markers }: Pick<Settling, 'markers'>,
  turns: InTurn,
  failed: (error: unknown, uid: RepositoryUid) => void,
): () => Promise<void> {
  const toldUids = new Set<RepositoryUid>()
  const settleOne = async (uid: RepositoryUid) => {
    try {
      await turns({ uid, account: 'settling' }, async () => {})
      toldUids.delete(uid)
    } catch (error) {
      if (error instanceof HubUnavailable || toldUids.has(uid)) return
      toldUids.add(uid)
      failed(error, uid)
    }
  }
  const settleAll = () => Promise.all(markers.all().map(settleOne))
  let settling: Promise<unknown> | undefined
  const timer = setInterval(() => {
    settling ??= settleAll().finally(() => {
      settling = undefined
    })
  }, settleEveryMs).unref()
  return async () => {
    clearInterval(timer)
    await settling
  }
}

const settleEveryMs = 5000

/** Whether git would show refs that the directory does not have, or others than it has. */
export async function differs(
  { hub }: Pick<Settling, 'hub'>,
  uid: RepositoryUid,
  repository: Repository,
): Promise<boolean> {
  const [hubRefs = new Map(), found] = await Promise.all([hub.refsOf(uid), repository.targets()])
  const expected = shownOf(hubRefs)
  if ([...found].some(([name, { peeled }]) => expected.get(name) !== peeled)) return true
  const absent = [...expected].filter(([name]) => !found.has(name)).map(([, hash]) => hash)
  // Git cannot have a ref whose commit was never brought here.
  return (await repository.infoOf(absent)).some((info) => info !== undefined)
}

/** The tag object whose ref was being made, if the directory has its commit. */
async function withTag(
  repository: Repository,
  refs: ReadonlyMap<RefName, ObjectHash>,
  tag: UnderWay['tag'],
): Promise<ReadonlyMap<RefName, ObjectHash>> {
  if (tag === undefined) return refs
  const commit = await repository.commitBehind(tag.object)
  return commit !== undefined && refs.get(tag.ref) === commit
    ? new Map([...refs, [tag.ref, tag.object]])
    : refs
}

function shownOf(refs: ReadonlyMap<RefName, ObjectHash>): ReadonlyMap<RefName, ObjectHash> {
  return new Map([...refs].filter(([name, hash]) => isShownRef(name) && !isLongerHash(hash)))
}

export async function removeDeleted({
  git,
  hub,
}: {
  readonly git: Git
  readonly hub: Pick<CallerPort, 'deletedAmong'>
}): Promise<void> {
  for (const uid of await hub.deletedAmong(await git.list())) await git.remove(uid)
}
